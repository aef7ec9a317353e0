/* SPDX-License-Identifier: MIT */
/* tf_term.c: columns of keys, which are the numbers of terms (semantics:7.2). */
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "view/identity.h"
#include "transform/tf_term_priv.h"

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_memory *keys;   /* of values or items */
    dvi_memory *slots;  /* of vectors that become dense: a key per slot */
    dvi_memory *counts; /* of these: -1 each */
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory_release(&m->keys);
    dvi_memory_release(&m->slots);
    dvi_memory_release(&m->counts);
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

static int64_t count_slots(const dv_vector_layout *vector, int64_t rows)
{
    int64_t slots = 0;
    for (int64_t row = 0; row < rows; row++)
        slots += dvi_vector_length(vector, row);
    return slots;
}

static bool is_sparse(const dv_vector_layout *vector, int64_t rows)
{
    for (int64_t row = 0; row < rows; row++)
        if (dvi_vector_count(vector, row) >= 0)
            return true;
    return false;
}

/* Write the keys of all slots of a sparse row. */
static void write_row(uint32_t *dst, int32_t length, uint32_t key, const uint32_t *keys,
                      const char *indices, int64_t first, int32_t count)
{
    for (int32_t i = 0; i < length; i++)
        dst[i] = key;
    for (int32_t i = 0; i < count; i++)
        dst[dvi_load_i32(indices + 4 * (first + i))] = keys[i];
}

/* Make every row dense: slots without an item have the key of the default value. *dst already has
 * the layout of the source, and the keys of the items. */
static dv_status make_dense(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dvi_term *term = f->params;
    memory *m = f->memory;
    dv_vector_layout *vector = &dst->view.as.vector;
    const int64_t rows = dst->view.rows, slots = count_slots(vector, rows);
    const size_t nbytes = 4 * (size_t)slots;
    const uint32_t *keys = (const uint32_t *)(const void *)m->keys->data;
    const char *indices = vector->indices.data;
    int64_t index = vector->index_base;
    DVI_TRY(dvi_memory_reserve(&m->slots, f->allocator, nbytes, err));
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * (size_t)rows, err));
    uint32_t *to = (uint32_t *)(void *)m->slots->data;
    for (int64_t row = 0; row < rows; row++) {
        const int32_t length = dvi_vector_length(vector, row);
        const int32_t count = dvi_vector_count(vector, row), items = count < 0 ? length : count;
        if (count < 0)
            memcpy(to, keys, 4 * (size_t)length);
        else
            write_row(to, length, term->default_key, keys, indices, index, count);
        index += count < 0 ? 0 : count;
        keys += items;
        to += length;
    }
    memset(m->counts->data, 0xFF, 4 * (size_t)rows);
    vector->counts = dvi_memory_buffer(m->counts, 0, 4 * (size_t)rows, 4);
    vector->indices = (dv_buffer){.is_aligned = true};
    vector->index_base = 0;
    dst->items.rows = slots;
    dst->items.as.fixed.values = dvi_memory_buffer(m->slots, 0, nbytes, 4);
    return DV_OK;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dvi_term *term = f->params;
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    dst->view = *src;
    dst->view.type = *f->type;
    if (src->layout != DV_LAYOUT_VECTOR)
        return find_keys(f, src, 0, src->rows, &dst->view, err);
    dv_vector_layout *vector = &dst->view.as.vector;
    DVI_TRY(find_keys(f, vector->items, vector->item_base,
                      dvi_vector_extent(vector, src->rows).items, &dst->items, err));
    vector->items = &dst->items;
    vector->item_base = 0;
    return term->default_key > 0 && is_sparse(vector, src->rows) ? make_dense(f, dst, err) : DV_OK;
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

static const dvi_maker maker = {.name = "term",
                                .identify = identify,
                                .describe = dvi_term_describe,
                                .fill = fill,
                                .memory = sizeof(memory),
                                .release = release_memory};

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
