/* SPDX-License-Identifier: MIT */
/* tf_hash.c: plans columns of hashes, and fills them batch by batch (semantics:7.6). */
#include "transform/tf_hash.h"
#include "base/check.h"
#include "base/owner.h"
#include "simd/na.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "transform/key_names.h"
#include "transform/tf_hash_priv.h"
#include "transform/vector_holes.h"

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_memory *keys;
    /* Only of vectors whose holes are filled: */
    dvi_holes holes;
    dvi_memory *defaults; /* of each slot so far, if they differ */
    int32_t slots;        /* in `defaults` */
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory_release(&m->keys);
    dvi_holes_free(&m->holes);
    dvi_memory_release(&m->defaults);
}

static uint32_t *keys_in(dvi_memory *held)
{
    return (uint32_t *)(void *)held->data;
}

/* --- Slots without items ---------------------------------------------------------------------- */

/* Make the keys of the slots below `length`, of those that have none yet. */
static dv_status extend_defaults(const dvi_filling *f, int32_t length, dv_error *err)
{
    memory *m = f->memory;
    if (length <= m->slots)
        return DV_OK;
    DVI_TRY(dvi_memory_extend(&m->defaults, 4 * (size_t)m->slots, 4 * (size_t)length, f->allocator,
                              err));
    for (; m->slots < length; m->slots++)
        keys_in(m->defaults)[m->slots] = dvi_hash_default(f->params, m->slots);
    return DV_OK;
}

/* Give every slot of *dst, whose items have keys already, an item. */
static dv_status fill_holes(const dvi_filling *f, dvi_column *dst, int64_t slots, dv_error *err)
{
    const dvi_hash *h = f->params;
    memory *m = f->memory;
    int32_t longest = 0;
    if (!h->is_by_slot)
        return dvi_holes_fill(&m->holes, dst, slots, NULL, dvi_hash_default(h, 0), f->allocator,
                              err);
    DVI_TRY(dvi_holes_check(slots, err));
    for (int64_t row = 0; row < dst->view.rows; row++) {
        const int32_t length = dvi_vector_length(&dst->view.as.vector, row);
        longest = length > longest ? length : longest;
    }
    DVI_TRY(extend_defaults(f, longest, err));
    return dvi_holes_fill(&m->holes, dst, slots, keys_in(m->defaults), 0, f->allocator, err);
}

/* --- A batch ---------------------------------------------------------------------------------- */

static dv_column_view keys_view(const dvi_filling *f, int64_t n)
{
    const memory *m = f->memory;
    dv_column_view view = {.type = dv_type_item(f->type), .layout = DV_LAYOUT_FIXED, .rows = n};
    view.as.fixed.values = dvi_memory_buffer(m->keys, 0, 4 * (size_t)n, 4);
    return view;
}

static dv_status fill_vectors(const dvi_filling *f, const dv_column_view *src, dvi_column *dst,
                              dv_error *err)
{
    const dvi_hash *h = f->params;
    memory *m = f->memory;
    const dv_vector_layout *from = &src->as.vector;
    const int64_t n = dvi_vector_extent(from, src->rows).items;
    DVI_TRY(dvi_memory_reserve(&m->keys, f->allocator, 4 * (size_t)n, err));
    dvi_hash_vectors(h, keys_in(m->keys), from, src->rows);
    dst->items = keys_view(f, n);
    dst->view = *src;
    dst->view.type = *f->type;
    dst->view.as.vector.items = &dst->items;
    const int64_t slots = h->fills_holes ? dvi_vector_slots(from, src->rows) : n;
    if (n < slots)
        DVI_TRY(fill_holes(f, dst, slots, err));
    dst->view.as.vector.item_base = 0;
    return DV_OK;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    const dvi_hash *h = f->params;
    memory *m = f->memory;
    if (src->layout == DV_LAYOUT_VECTOR && !h->is_combined)
        return fill_vectors(f, src, dst, err);
    DVI_TRY(dvi_memory_reserve(&m->keys, f->allocator, 4 * (size_t)src->rows, err));
    if (h->is_combined)
        dvi_hash_combine(h, keys_in(m->keys), &src->as.vector, src->rows);
    else
        dvi_hash_items(h, keys_in(m->keys), src, 0, src->rows, NULL);
    dst->view = keys_view(f, src->rows);
    return DV_OK;
}

/* --- Metadata and identity -------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const dvi_hash *h = made->mapped.params;
    const int32_t from = made->mapped.sources[0];
    const int32_t names = h->is_combined ? -1 : dvi_key_slot_names(source, from);
    if (names >= 0)
        DVI_TRY(dvi_inherit_metadata(schema, column, source, from, names, err));
    return h->names ? dvi_hash_add_names(h->names, h->bits, DV_KEY_VALUES, schema, column, err)
                    : DV_OK;
}

static void identify(const void *params, dv_identity *identity)
{
    const dvi_hash *h = params;
    const int64_t numbers[] = {h->version,    h->bits,        h->seed,
                               h->is_by_slot, h->is_combined, h->names != NULL};
    dv_identity_add(identity, numbers, sizeof numbers);
    dv_identity_add(identity, &h->names_digest, sizeof h->names_digest);
}

static bool fills_slots(const void *params)
{
    return ((const dvi_hash *)params)->fills_holes;
}

static const dvi_maker hasher = {.name = "hash",
                                 .identify = identify,
                                 .describe = describe,
                                 .fill = fill,
                                 .memory = sizeof(memory),
                                 .release = release_memory,
                                 .fills_slots = fills_slots};

const dvi_hash *dvi_hash_of(const dvi_mapped *mapped)
{
    return mapped->maker == &hasher ? mapped->params : NULL;
}

/* --- Planning --------------------------------------------------------------------------------- */

static dv_status check_options(const dvi_hash_options *o, dv_error *err)
{
    if (o->bits < 1 || o->bits > DVI_HASH_BITS)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.6", -1, "bits of a hash", "1..%d|%d",
                        DVI_HASH_BITS, (int)o->bits);
    if (o->version != DVI_MURMUR_1 && o->version != DVI_MURMUR_2)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.6", -1, "version of the hash", "1..2|%d",
                        (int)o->version);
    if (o->is_combined && o->is_ordered)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.7", -1, "combined slots",
                        "hashed in their order, always|an order as well");
    if (o->is_combined && o->version != DVI_MURMUR_2)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.7", -1,
                        "version of the hash of combined slots", "2|%d", (int)o->version);
    if (o->names && o->bits > DVI_HASH_NAMED_BITS)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.7", -1, "bits of a hash with names",
                        "1..%d|%d", DVI_HASH_NAMED_BITS, (int)o->bits);
    return DV_OK;
}

/* Set how values of the item type are read. */
static dv_status find_form(dvi_hash *h, dv_error *err)
{
    dv_type word = h->item;
    switch (h->item.kind) {
    case DV_KIND_I1:
    case DV_KIND_I2:
    case DV_KIND_BL:
        word.kind = DV_KIND_I4;
        break;
    case DV_KIND_U1:
    case DV_KIND_U2:
        word.kind = DV_KIND_U4;
        break;
    case DV_KIND_I4:
    case DV_KIND_U4:
    case DV_KIND_R4:
        break;
    case DV_KIND_I8:
    case DV_KIND_U8:
    case DV_KIND_R8:
        h->form = DVI_HASH_WORDS_8;
        break;
    case DV_KIND_UG:
        h->form = DVI_HASH_UG;
        break;
    case DV_KIND_TX:
        h->form = DVI_HASH_TEXT;
        break;
    default: {
        char found[96];
        dv_type_print(&h->item, found, sizeof found);
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.6", -1, "what is hashed",
                        "numbers, keys, BL or TX|%s", found);
    }
    }
    word.key_count = 0; /* a key above its count is hashed: only 0 is missing */
    h->na = dvi_na_of(&word);
    h->widen = dvi_convert_find(h->item.kind, word.kind); /* NULL for the same kind */
    return DV_OK;
}

dv_status dvi_hash_find(dvi_hash *hash_out, const dv_type *source, const dvi_hash_options *o,
                        dv_error *err)
{
    const bool is_vector = dv_type_is_vector(source);
    dvi_hash h = {.item = dv_type_item(source), .version = o->version, .bits = o->bits};
    DVI_TRY(check_options(o, err));
    DVI_TRY(find_form(&h, err));
    h.seed = o->is_ordered && !is_vector ? dvi_murmur_round(o->seed, 0) : o->seed;
    h.mask = UINT32_MAX >> (32 - o->bits);
    h.is_by_slot = o->is_ordered && is_vector;
    h.is_combined = o->is_combined && is_vector;
    h.fills_holes = is_vector && !h.item.is_key && h.form != DVI_HASH_TEXT;
    *hash_out = h;
    return DV_OK;
}

dv_status dvi_hash_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                        int32_t column, const dvi_hash_options *options, dv_error *err)
{
    const dv_type *from = &dv_schema_column(source, column)->type;
    const dv_type key = dv_type_key(DV_KIND_U4, 0, UINT64_C(1) << (options->bits & 31));
    void *params, *sources;
    DVI_TRY(dvi_arena_alloc(arena, &params, sizeof(dvi_hash), err));
    DVI_TRY(dvi_arena_alloc(arena, &sources, sizeof(int32_t), err));
    dvi_hash *h = params;
    DVI_TRY(dvi_hash_find(h, from, options, err));
    h->names = options->names;
    if (h->names)
        DVI_TRY(dvi_hash_digest_names(&h->names_digest, h->names, h->bits, &arena->allocator, err));
    *(int32_t *)sources = column;
    column_out->type = key;
    if (!h->is_combined) {
        column_out->type.rank = from->rank;
        column_out->type.size = from->size;
        column_out->type.dims = from->dims;
    }
    column_out->mapped = (dvi_mapped){&hasher, h, sources, 1};
    return DV_OK;
}
