/* SPDX-License-Identifier: MIT */
/* tf_term.c: columns of keys, which are the numbers of terms (semantics:7.2). */
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "transform/tf_fused.h"
#include "transform/tf_term_priv.h"
#include "transform/vector_holes.h"

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_memory *keys; /* of values or items */
    dvi_holes holes;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory_release(&m->keys);
    dvi_holes_free(&m->holes);
}

/* --- A batch ---------------------------------------------------------------------------------- */

static dv_status find_keys(const dvi_filling *f, const dv_column_view *values, int64_t first,
                           int64_t n, dv_column_view *keys_out, dv_error *err)
{
    const dvi_term *term = f->params;
    memory *m = f->memory;
    size_t nbytes;
    if (!dvi_size_mul((size_t)n, 4, &nbytes))
        nbytes = SIZE_MAX; /* which no allocator has */
    DVI_TRY(dvi_memory_reserve(&m->keys, f->allocator, nbytes, err));
    dvi_terms_find(term->terms, values, first, n, (uint32_t *)(void *)m->keys->data);
    *keys_out =
        (dv_column_view){.type = dv_type_item(f->type), .layout = DV_LAYOUT_FIXED, .rows = n};
    keys_out->as.fixed.values = dvi_memory_buffer(m->keys, 0, nbytes, 4);
    return DV_OK;
}

/* The keys of the batch, if they are kept. */
static bool lend_keys(const dvi_filling *f, dv_column_view *keys_out)
{
    const dvi_term *term = f->params;
    const int64_t first = f->batch->first_row, rows = f->batch->rows;
    const int64_t all = term->kept ? (int64_t)(term->kept->cap / 4) : 0;
    if (first < 0 || first > all || rows > all - first)
        return false;
    *keys_out = (dv_column_view){.type = *f->type, .layout = DV_LAYOUT_FIXED, .rows = rows};
    keys_out->as.fixed.values =
        dvi_memory_buffer(term->kept, 4 * (size_t)first, 4 * (size_t)rows, 4);
    return true;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dvi_term *term = f->params;
    memory *m = f->memory;
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    if (lend_keys(f, &dst->view))
        return DV_OK;
    dst->view = *src;
    dst->view.type = *f->type;
    if (src->layout != DV_LAYOUT_VECTOR)
        return find_keys(f, src, 0, src->rows, &dst->view, err);
    dv_vector_layout *vector = &dst->view.as.vector;
    const int64_t items = dvi_vector_extent(vector, src->rows).items;
    DVI_TRY(find_keys(f, vector->items, vector->item_base, items, &dst->items, err));
    vector->items = &dst->items;
    vector->item_base = 0;
    const int64_t slots = term->default_key > 0 ? dvi_vector_slots(vector, src->rows) : items;
    if (items == slots)
        return DV_OK;
    return dvi_holes_fill(&m->holes, dst, slots, NULL, term->default_key, f->allocator, err);
}

/* --- Making ----------------------------------------------------------------------------------- */

static void add_buffer(dv_identity *identity, const dv_buffer *buffer)
{
    dv_identity_add(identity, buffer->nbytes ? buffer->data : NULL, buffer->nbytes);
}

static void identify(const void *params, dv_identity *identity)
{
    const dvi_term *term = params;
    dv_column_view values;
    dvi_terms_values(term->terms, &values);
    dvi_identity_add_type(identity, &values.type);
    dvi_identity_add_i8(identity, term->are_names_text);
    if (values.layout == DV_LAYOUT_TEXT) {
        add_buffer(identity, &values.as.text.utf8);
        add_buffer(identity, &values.as.text.ends);
    } else if (values.layout == DV_LAYOUT_ZONED) {
        add_buffer(identity, &values.as.zoned.ticks);
        add_buffer(identity, &values.as.zoned.minutes);
    } else {
        add_buffer(identity, &values.as.fixed.values);
    }
}

static bool fills_slots(const void *params)
{
    return ((const dvi_term *)params)->default_key > 0;
}

static const dvi_maker maker = {.name = "term",
                                .identify = identify,
                                .describe = dvi_term_describe,
                                .fill = fill,
                                .memory = sizeof(memory),
                                .release = release_memory,
                                .fuse = dvi_fuse_term,
                                .fills_slots = fills_slots};

const dvi_term *dvi_term_of(const dvi_mapped *mapped)
{
    return mapped->maker == &maker ? mapped->params : NULL;
}

dv_status dvi_term_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                        int32_t column, const void *options, dv_error *err)
{
    const dvi_term_options *how = options;
    void *made;
    dv_column_view values;
    const dv_type *type = &dv_schema_column(source, column)->type, item = dv_type_item(type);
    dvi_terms_values(how->terms, &values);
    if (!dv_type_equal(&item, &values.type)) {
        char expected[96], found[96];
        dv_type_print(&values.type, expected, sizeof expected);
        dv_type_print(&item, found, sizeof found);
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.2", -1, "values, whose terms were found",
                        "%s|%s", expected, found);
    }
    DVI_TRY(dvi_arena_alloc(arena, &made, sizeof(dvi_term), err));
    dvi_term *term = made;
    *term = (dvi_term){.terms = how->terms,
                       .are_names_text = how->are_names_text,
                       .kept = type->rank == 0 ? how->kept : NULL,
                       .source = source,
                       .column = column,
                       .default_key = dvi_terms_find_default(how->terms),
                       .allocator = &arena->allocator};
    const dv_type key =
        dv_type_key(DV_KIND_U4, 0, (uint64_t)dvi_max_i64(dvi_terms_count(how->terms), 1));
    column_out->type = *type;
    column_out->type.kind = key.kind;
    column_out->type.is_key = true;
    column_out->type.key_is_contiguous = key.key_is_contiguous;
    column_out->type.key_min = 0;
    column_out->type.key_count = key.key_count;
    column_out->mapped = (dvi_mapped){&maker, term, &term->column, 1};
    return DV_OK;
}
