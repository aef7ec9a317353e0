/* SPDX-License-Identifier: MIT */
/* seen_names.c: writes the names of keys one after the other, and makes a table of them. */
#include "transform/seen_names.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/sort.h"
#include <dataview/table.h>

struct dvi_seen_writer {
    const dvi_seen_values *seen;
    const dv_allocator *allocator;
    uint64_t *order; /* dvi_seen_sort */
    uint32_t *keys;
    int64_t *ends; /* of the names in utf8 */
    dv_text *texts;
    size_t count;
    dvi_memory *utf8;
    size_t used;
};

dv_status dvi_seen_append(dvi_seen_writer *w, const char *text, size_t n, dv_error *err)
{
    if (w->used + n > (size_t)DVI_HASH_NAMES_NBYTES)
        return dvi_fail(err, DV_ERR_LIMIT, DVI_HASH_NAMES_LIMIT, -1, "names of inverted hashes",
                        "at most 1 GiB|more");
    DVI_TRY(dvi_memory_extend(&w->utf8, w->used, w->used + n, w->allocator, err));
    memcpy(w->utf8->data + w->used, text, n);
    w->used += n;
    return DV_OK;
}

/* --- Names ------------------------------------------------------------------------------------ */

static const dvi_seen_value *value_at(const dvi_seen_values *seen, const uint64_t *order, size_t i)
{
    DVI_KNOWN(order && seen->values);
    return &seen->values[(uint32_t)order[i]];
}

dv_status dvi_seen_append_values(dvi_seen_writer *w, const dvi_seen_values *seen,
                                 const uint64_t *order, size_t first, size_t end,
                                 dvi_seen_print *print, void *ctx, dv_error *err)
{
    const bool are_several = end - first > 1;
    if (are_several)
        DVI_TRY(dvi_seen_append(w, "{", 1, err));
    for (size_t i = first; i < end; i++) {
        if (i > first)
            DVI_TRY(dvi_seen_append(w, ",", 1, err));
        DVI_TRY(print(ctx, w, value_at(seen, order, i), err));
    }
    return are_several ? dvi_seen_append(w, "}", 1, err) : DV_OK;
}

static dv_status append_names(dvi_seen_writer *w, dvi_seen_print *print, void *ctx, dv_error *err)
{
    const size_t n = w->seen->count;
    for (size_t first = 0, end; first < n; first = end) {
        DVI_KNOWN(w->order);
        for (end = first + 1; end < n && w->order[end] >> 32 == w->order[first] >> 32;)
            end++;
        DVI_TRY(dvi_seen_append_values(w, w->seen, w->order, first, end, print, ctx, err));
        w->keys[w->count] = value_at(w->seen, w->order, first)->key;
        w->ends[w->count++] = (int64_t)w->used;
    }
    return DV_OK;
}

dv_status dvi_seen_sort(uint64_t **order_out, const dvi_seen_values *seen, dv_error *err)
{
    void *order, *scratch;
    const size_t nbytes = seen->count * sizeof **order_out;
    *order_out = NULL;
    DVI_TRY(dvi_alloc(seen->allocator, &scratch, nbytes, err));
    const dv_status status = dvi_alloc(seen->allocator, &order, nbytes, err);
    if (status == DV_OK) {
        *order_out = order;
        for (size_t i = 0; i < seen->count; i++)
            (*order_out)[i] = (uint64_t)seen->values[i].key << 32 | i;
        dvi_sort_u64(order, scratch, seen->count);
    }
    dvi_free(seen->allocator, scratch, nbytes);
    return status;
}

/* --- The table -------------------------------------------------------------------------------- */

static dv_status alloc_arrays(dvi_seen_writer *w, dv_error *err)
{
    const size_t n = w->seen->count;
    void *keys, *ends, *texts;
    DVI_TRY(dvi_alloc(w->allocator, &keys, n * sizeof *w->keys, err));
    w->keys = keys;
    DVI_TRY(dvi_alloc(w->allocator, &ends, n * sizeof *w->ends, err));
    w->ends = ends;
    DVI_TRY(dvi_alloc(w->allocator, &texts, n * sizeof *w->texts, err));
    w->texts = texts;
    return dvi_memory_reserve(&w->utf8, w->allocator, 0, err);
}

static void free_arrays(dvi_seen_writer *w)
{
    const size_t n = w->seen->count;
    dvi_free(w->allocator, w->order, n * sizeof *w->order);
    dvi_free(w->allocator, w->keys, n * sizeof *w->keys);
    dvi_free(w->allocator, w->ends, n * sizeof *w->ends);
    dvi_free(w->allocator, w->texts, n * sizeof *w->texts);
    dvi_memory_release(&w->utf8);
}

static dv_status make_table(dvi_seen_writer *w, dv_view **table_out, dvi_seen_print *print,
                            void *ctx, dv_error *err)
{
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = w->allocator;
    DVI_TRY(alloc_arrays(w, err));
    DVI_TRY(dvi_seen_sort(&w->order, w->seen, err));
    DVI_TRY(append_names(w, print, ctx, err));
    for (size_t i = 0; i < w->count; i++) {
        const int64_t first = i > 0 ? w->ends[i - 1] : 0;
        w->texts[i] = (dv_text){(const char *)w->utf8->data + first, w->ends[i] - first};
    }
    const dv_table_column columns[] = {
        {.name = "Key", .type = dv_type_of(DV_KIND_U4), .values = w->keys},
        {.name = "Text", .type = dv_type_of(DV_KIND_TX), .texts = w->texts}};
    return dv_table_create(table_out, columns, 2, (int64_t)w->count, &options, err);
}

dv_status dvi_seen_table(dv_view **table_out, const dvi_seen_values *seen, dvi_seen_print *print,
                         void *ctx, dv_error *err)
{
    dvi_seen_writer w = {.seen = seen, .allocator = seen->allocator};
    *table_out = NULL;
    const dv_status status = make_table(&w, table_out, print, ctx, err);
    free_arrays(&w);
    return status;
}
