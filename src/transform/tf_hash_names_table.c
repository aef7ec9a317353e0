/* SPDX-License-Identifier: MIT */
/* tf_hash_names_table.c: makes the names of keys from their values (semantics:7.7). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/sort.h"
#include "codec/scalar.h"
#include "transform/tf_hash_names_priv.h"
#include <dataview/table.h>

/* Names in progress. */
typedef struct writing {
    const dvi_hash_names *names;
    const dv_allocator *allocator;
    const dv_batch *key_values; /* of the source; NULL: none */
    uint64_t *order;            /* of the values: by key, then by place */
    uint32_t *keys;
    int64_t *ends; /* of the names in utf8 */
    dv_text *texts;
    size_t count;
    dvi_memory *utf8;
    size_t used;
} writing;

static dv_status append(writing *w, const char *text, size_t n, dv_error *err)
{
    if (w->used + n > (size_t)DVI_HASH_NAMES_NBYTES)
        return dvi_fail(err, DV_ERR_LIMIT, DVI_HASH_NAMES_LIMIT, -1, "names of inverted hashes",
                        "at most 1 GiB|more");
    DVI_TRY(dvi_memory_extend(&w->utf8, w->used, w->used + n, w->allocator, err));
    memcpy(w->utf8->data + w->used, text, n);
    w->used += n;
    return DV_OK;
}

/* --- Values as text --------------------------------------------------------------------------- */

/* KeyValues without the type that they require count as missing (semantics:2.2). */
static dv_status read_key_values(writing *w, dv_error *err)
{
    const dvi_hash_names *names = w->names;
    const dv_type *item = &names->hash.item;
    int32_t i;
    if (!item->is_key || dv_schema_find_metadata(names->source, names->column,
                                                 dv_text_of(DV_KEY_VALUES), &i) != DV_OK)
        return DV_OK;
    const dv_type *type = &dv_schema_metadata(names->source, names->column, i)->type;
    if (type->kind != DV_KIND_TX || !dv_type_is_vector(type) || item->key_count == 0 ||
        (uint64_t)type->size != item->key_count)
        return DV_OK;
    return dv_schema_metadata_value(names->source, names->column, i, &w->key_values, err);
}

/* The text of a slot of a vector of texts. */
static dv_text text_in(const dv_value *vector, int32_t slot)
{
    int32_t low = 0, high = dv_value_items(vector);
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (dv_value_slot(vector, middle) < slot)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == dv_value_items(vector) || dv_value_slot(vector, low) != slot)
        return dv_text_of("");
    const dv_value item = dv_value_item(vector, low);
    return dv_value_tx(&item);
}

static uint64_t number_in(dv_text bytes)
{
    uint64_t number = 0;
    memcpy(&number, bytes.data, (size_t)bytes.nbytes);
    return number;
}

/* The text of a key value, or the number that it stands for. */
static dv_status append_key(writing *w, uint64_t key, dv_error *err)
{
    const dv_type *type = &w->names->hash.item;
    char digits[DVI_SCALAR_NBYTES];
    if (w->key_values && key <= type->key_count) {
        const dv_value vector = dv_value_first(dv_batch_column(w->key_values, 0));
        const dv_text text = text_in(&vector, (int32_t)(key - 1));
        return text.nbytes > 0 ? append(w, text.data, (size_t)text.nbytes, err) : DV_OK;
    }
    const uint64_t number = key - 1 + type->key_min;
    return append(w, digits, dvi_scalar_printer(DV_KIND_U8)(digits, &number), err);
}

/* As semantics:4.4 prints it, R8 with 17 digits. */
static dv_status append_number(writing *w, const dvi_seen_value *v, dv_error *err)
{
    const dv_kind kind = w->names->hash.item.kind;
    char digits[DVI_SCALAR_NBYTES], bytes[16] = {0};
    const size_t width = (size_t)v->bytes.nbytes;
    memcpy(bytes, v->bytes.data, width);
    if (v->is_negative)
        bytes[width - 1] = INT8_MIN;
    const size_t n = kind == DV_KIND_R8 ? dvi_number_print_r8_g17(digits, dvi_load_f8(bytes))
                                        : dvi_scalar_printer(kind)(digits, bytes);
    return append(w, digits, n, err);
}

static dv_status append_value(writing *w, const dvi_seen_value *v, dv_error *err)
{
    const dvi_hash *h = &w->names->hash;
    char digits[DVI_SCALAR_NBYTES];
    if (h->is_by_slot) {
        DVI_TRY(append(w, digits, dvi_scalar_printer(DV_KIND_I4)(digits, &v->slot), err));
        DVI_TRY(append(w, ":", 1, err));
    }
    if (h->form == DVI_HASH_TEXT)
        return append(w, v->bytes.data, (size_t)v->bytes.nbytes, err);
    return h->item.is_key ? append_key(w, number_in(v->bytes), err) : append_number(w, v, err);
}

/* --- Names ------------------------------------------------------------------------------------ */

static const dvi_seen_value *value_at(const writing *w, size_t i)
{
    return &w->names->seen.values[(uint32_t)w->order[i]];
}

/* Append the name of the values first..end-1, which have the same key. */
static dv_status append_name(writing *w, size_t first, size_t end, dv_error *err)
{
    const bool are_several = end - first > 1;
    if (are_several)
        DVI_TRY(append(w, "{", 1, err));
    for (size_t i = first; i < end; i++) {
        if (i > first)
            DVI_TRY(append(w, ",", 1, err));
        DVI_TRY(append_value(w, value_at(w, i), err));
    }
    if (are_several)
        DVI_TRY(append(w, "}", 1, err));
    w->keys[w->count] = value_at(w, first)->key;
    w->ends[w->count++] = (int64_t)w->used;
    return DV_OK;
}

static dv_status append_names(writing *w, dv_error *err)
{
    const size_t n = w->names->seen.count;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && value_at(w, end)->key == value_at(w, first)->key;)
            end++;
        DVI_TRY(append_name(w, first, end, err));
    }
    return DV_OK;
}

static dv_status sort_values(writing *w, dv_error *err)
{
    const dvi_seen_values *seen = &w->names->seen;
    void *scratch;
    DVI_TRY(dvi_alloc(w->allocator, &scratch, seen->count * sizeof *w->order, err));
    for (size_t i = 0; i < seen->count; i++)
        w->order[i] = (uint64_t)seen->values[i].key << 32 | i;
    dvi_sort_u64(w->order, scratch, seen->count);
    dvi_free(w->allocator, scratch, seen->count * sizeof *w->order);
    return DV_OK;
}

/* --- The table -------------------------------------------------------------------------------- */

static dv_status alloc_arrays(writing *w, dv_error *err)
{
    const size_t n = w->names->seen.count;
    void *order, *keys, *ends, *texts;
    DVI_TRY(dvi_alloc(w->allocator, &order, n * sizeof *w->order, err));
    w->order = order;
    DVI_TRY(dvi_alloc(w->allocator, &keys, n * sizeof *w->keys, err));
    w->keys = keys;
    DVI_TRY(dvi_alloc(w->allocator, &ends, n * sizeof *w->ends, err));
    w->ends = ends;
    DVI_TRY(dvi_alloc(w->allocator, &texts, n * sizeof *w->texts, err));
    w->texts = texts;
    return dvi_memory_reserve(&w->utf8, w->allocator, 0, err);
}

static void free_arrays(writing *w)
{
    const size_t n = w->names->seen.count;
    dvi_free(w->allocator, w->order, n * sizeof *w->order);
    dvi_free(w->allocator, w->keys, n * sizeof *w->keys);
    dvi_free(w->allocator, w->ends, n * sizeof *w->ends);
    dvi_free(w->allocator, w->texts, n * sizeof *w->texts);
    dvi_memory_release(&w->utf8);
    dv_batch_release(&w->key_values);
}

static dv_status make_table(writing *w, dv_view **table_out, dv_error *err)
{
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = w->allocator;
    DVI_TRY(alloc_arrays(w, err));
    DVI_TRY(read_key_values(w, err));
    DVI_TRY(sort_values(w, err));
    DVI_TRY(append_names(w, err));
    for (size_t i = 0; i < w->count; i++) {
        const int64_t first = i > 0 ? w->ends[i - 1] : 0;
        w->texts[i] = (dv_text){(const char *)w->utf8->data + first, w->ends[i] - first};
    }
    const dv_table_column columns[] = {
        {.name = "Key", .type = dv_type_of(DV_KIND_U4), .values = w->keys},
        {.name = "Text", .type = dv_type_of(DV_KIND_TX), .texts = w->texts}};
    return dv_table_create(table_out, columns, 2, (int64_t)w->count, &options, err);
}

dv_status dvi_hash_names_table(const dvi_hash_names *names, dv_view **table_out, dv_error *err)
{
    writing w = {.names = names, .allocator = &names->allocator};
    *table_out = NULL;
    const dv_status status = make_table(&w, table_out, err);
    free_arrays(&w);
    return status;
}
