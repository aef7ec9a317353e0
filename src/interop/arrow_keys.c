/* SPDX-License-Identifier: MIT */
/* arrow_keys.c: joins the dictionaries of the arrays of a column, which may differ. */
#include "interop/arrow_keys.h"
#include "base/check.h"
#include "base/hashtab.h"
#include "base/size.h"
#include <dataview/value.h>
#include <inttypes.h>

#define RULE "docs/arrow.md"

/* --- Entries ---------------------------------------------------------------------------------- */

static dv_column_view view_of(const dvi_arrow_keys *keys, const dv_type *item)
{
    dvi_column column;
    dvi_growing_view(&keys->entries, item, &column);
    return column.view;
}

/* The bytes of an entry, as they are hashed. NA of text is no text, and has a place of its own. */
static dv_text bytes_of(const dv_column_view *entries, int64_t i)
{
    const dv_value value = {.column = entries, .row = i};
    if (entries->layout != DV_LAYOUT_FIXED) {
        const dv_text text = dv_value_tx(&value);
        return text.nbytes == 0 ? dv_text_of("") : text; /* a key of the table has an address */
    }
    const size_t width = dvi_width_of(&entries->type);
    return (dv_text){(const char *)entries->as.fixed.values.data + (size_t)i * width,
                     (int64_t)width};
}

static bool begins_with(const dv_column_view *all, const dv_column_view *entries)
{
    if (entries->rows > all->rows)
        return false;
    for (int64_t i = 0; i < entries->rows; i++) {
        const dv_value a = {.column = all, .row = i}, b = {.column = entries, .row = i};
        if (!dv_value_same(&a, &b))
            return false;
    }
    return true;
}

static dv_status append(dvi_arrow_keys *keys, const dv_column_view *entries, int64_t n,
                        const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(dvi_growing_reserve(&keys->entries, entries, n, allocator, err));
    dvi_growing_append(&keys->entries, entries, n);
    return DV_OK;
}

/* --- Keys of entries -------------------------------------------------------------------------- */

/* What the joining works on. */
typedef struct join {
    dvi_arrow_keys *keys;
    dvi_arrow_held *held;
    const dvi_arrow_column *column;
    dvi_hashtab table; /* of the bytes of entries: their numbers */
    int32_t na;        /* the number of NA; -1: there is none */
    int64_t known;
} join;

/* *before_out: the number that the entry had; -1: it is new, and has `number` now. */
static dv_status put(join *j, const dv_column_view *entries, int64_t i, int32_t number,
                     int32_t *before_out, dv_error *err)
{
    const dv_text bytes = bytes_of(entries, i);
    if (bytes.nbytes >= 0)
        return dvi_hashtab_put(&j->table, bytes, number, before_out, err);
    *before_out = j->na;
    j->na = number;
    return DV_OK;
}

/* The numbers of all known entries; of equal ones the first. */
static dv_status put_known(join *j, const dv_column_view *known, dv_error *err)
{
    int32_t before, again;
    for (int64_t i = 0; i < known->rows; i++) {
        DVI_TRY(put(j, known, i, (int32_t)i, &before, err));
        if (before >= 0)
            DVI_TRY(put(j, known, i, before, &again, err));
    }
    return DV_OK;
}

static dv_status fail_new(const join *j, int64_t i, dv_error *err)
{
    return dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "dictionary of a later batch",
                    "the values of the first, or hold|%" PRId64 " of %" PRId64 " is another", i,
                    j->held->entries->view.rows);
}

/* Map entries to keys. New ones get the numbers after the known ones, in their order. */
static dv_status map_entries(join *j, const dv_column_view *entries, int32_t *keys, bool may_grow,
                             dv_error *err)
{
    int32_t before, again;
    int64_t count = j->known;
    for (int64_t i = 0; i < entries->rows; i++) {
        DVI_TRY(put(j, entries, i, (int32_t)count, &before, err));
        if (before >= 0) {
            DVI_TRY(put(j, entries, i, before, &again, err));
            keys[i] = before + 1;
            continue;
        }
        DVI_REQUIRE(may_grow, fail_new(j, i, err));
        DVI_REQUIRE(count < INT32_MAX - 1,
                    dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "entries of a dictionary",
                             "at most 2^31-2|more"));
        keys[i] = (int32_t)++count;
    }
    return DV_OK;
}

/* Only now, as the table refers to the known entries where they are. */
static dv_status append_new(join *j, const dv_column_view *entries, const int32_t *keys,
                            dv_error *err)
{
    int64_t count = j->known;
    for (int64_t i = 0; i < entries->rows; i++) {
        if (keys[i] != count + 1)
            continue;
        dv_column_view one = *entries;
        dvi_column_advance(&one, i);
        DVI_TRY(append(j->keys, &one, 1, &j->held->allocator, err));
        count++;
    }
    return DV_OK;
}

static dv_status join_entries(join *j, const dv_column_view *entries, bool may_grow, dv_error *err)
{
    const int32_t k = j->column->scalar.dictionary;
    dvi_arrow_entries *to = &j->held->entries[k];
    const dv_column_view known = view_of(j->keys, &entries->type);
    j->known = known.rows;
    DVI_REQUIRE(entries->layout != DV_LAYOUT_ZONED,
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "dictionaries of DZ",
                         "the same in all batches|others"));
    DVI_TRY(dvi_memory_create(&j->held->keys[k], &j->held->allocator,
                              sizeof(int32_t) * (size_t)entries->rows, err));
    int32_t *keys = (int32_t *)(void *)j->held->keys[k]->data;
    DVI_TRY(put_known(j, &known, err));
    DVI_TRY(map_entries(j, entries, keys, may_grow, err));
    DVI_TRY(append_new(j, entries, keys, err));
    to->keys = keys;
    return DV_OK;
}

dv_status dvi_arrow_keys_add(dvi_arrow_keys *keys, dvi_arrow_held *held,
                             const dvi_arrow_column *column, bool may_grow, dv_error *err)
{
    const dv_column_view *entries = &held->entries[column->scalar.dictionary].view;
    if (!keys->is_started) {
        DVI_TRY(append(keys, entries, entries->rows, &held->allocator, err));
        keys->is_started = true;
        return DV_OK;
    }
    const dv_column_view known = view_of(keys, &entries->type);
    if (begins_with(&known, entries))
        return DV_OK;
    join j = {.keys = keys, .held = held, .column = column, .na = -1};
    dvi_hashtab_init(&j.table, &held->allocator);
    const dv_status status = join_entries(&j, entries, may_grow, err);
    dvi_hashtab_free(&j.table);
    if (status < 0)
        dvi_error_within(err, "column \"%s\"", dvi_show(column->name).text);
    return status;
}

void dvi_arrow_keys_vector(const dvi_arrow_keys *keys, const dv_type *item, const dv_buffer *counts,
                           dvi_column *vector_out)
{
    vector_out->items = view_of(keys, item);
    vector_out->view = (dv_column_view){.type = dv_type_vector(*item, (int32_t)keys->entries.rows),
                                        .layout = DV_LAYOUT_VECTOR,
                                        .rows = 1,
                                        .as.vector = {.length = (int32_t)keys->entries.rows,
                                                      .counts = *counts,
                                                      .items = &vector_out->items}};
    vector_out->view.as.vector.counts.nbytes = sizeof(int32_t);
}

void dvi_arrow_keys_free(dvi_arrow_keys *keys)
{
    dvi_growing_free(&keys->entries);
}
