/* SPDX-License-Identifier: MIT */
/* counts.c: reads a column and lists its most frequent values. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "view/column.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "scan/read_batches.h"
#include "stats/frequent.h"
#include <dataview/counts.h>
#include <dataview/value.h>
#include <string.h>

#define DISTINCT_MOST (INT64_C(1) << 30)

/* Counts with the memory that they point to. */
typedef struct result {
    dv_counts shown;
    dv_allocator allocator;
    dvi_arena arena;
} result;

typedef struct counting {
    const dv_counts_options *options;
    dv_view *view;
    dv_type item; /* of the values */
    dv_layout layout;
    size_t width; /* of a value in the fixed layout */
    dvi_frequent frequent;
    result *result;
} counting;

/* A count of slots can exceed 64 bits. */
static void count(int64_t *sum, int64_t n)
{
    *sum = n > INT64_MAX - *sum ? INT64_MAX : *sum + n;
}

/* --- Adding values ---------------------------------------------------------------------------- */

static dv_status add_value(counting *c, const dv_value *value, dv_error *err)
{
    char own[DVI_VALUE_BYTES];
    if (dv_value_is_na(value)) {
        count(&c->result->shown.na, 1);
        return DV_OK;
    }
    const dv_text bytes = dvi_value_bytes(value, own);
    return dvi_frequent_add(&c->frequent, bytes.data, (size_t)bytes.nbytes, 1, err);
}

/* Add slots without an item: each holds the default. */
static dv_status add_defaults(counting *c, int64_t n, dv_error *err)
{
    static const char zeros[64];
    if (n == 0)
        return DV_OK;
    if (c->item.is_key) {
        count(&c->result->shown.na, n);
        return DV_OK;
    }
    const size_t nbytes = c->layout == DV_LAYOUT_FIXED   ? c->width
                          : c->layout == DV_LAYOUT_ZONED ? sizeof(int64_t) + sizeof(int16_t)
                                                         : 0;
    return dvi_frequent_add(&c->frequent, zeros, nbytes, n, err);
}

static dv_status add_vector(counting *c, const dv_value *vector, dv_error *err)
{
    const int32_t items = dv_value_items(vector);
    for (int32_t i = 0; i < items; i++) {
        const dv_value item = dv_value_item(vector, i);
        DVI_TRY(add_value(c, &item, err));
    }
    count(&c->result->shown.values, vector->length);
    return add_defaults(c, vector->length - items, err);
}

static dv_status add_batch(void *ctx, const dv_batch *batch, dv_error *err)
{
    counting *c = ctx;
    const dv_column_view *column = dv_batch_column(batch, 0);
    const bool is_vector = column->layout == DV_LAYOUT_VECTOR;
    dv_value value = dv_value_first(column);
    for (int64_t row = 0; row < column->rows; row++, dv_value_next(&value))
        DVI_TRY(is_vector ? add_vector(c, &value, err) : add_value(c, &value, err));
    c->result->shown.rows += column->rows;
    count(&c->result->shown.values, is_vector ? 0 : column->rows);
    return DV_OK;
}

static dv_status read_rows(counting *c, int32_t column, dv_error *err)
{
    dv_cursor_options options;
    DVI_TRY(dvi_cursor_read_options(c->options->cursor, &options, err));
    options.columns = &column;
    options.columns_count = 1;
    options.named_count = 0;
    options.ids = false;
    options.progress = c->options->progress;
    return dvi_read_batches(c->view, &options, add_batch, c, err);
}

/* --- The list --------------------------------------------------------------------------------- */

static dv_status make_buffer(counting *c, dv_buffer *buffer_out, char **bytes_out, size_t nbytes,
                             dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&c->result->arena, &made, nbytes, err));
    *bytes_out = made;
    *buffer_out = (dv_buffer){.data = made, .nbytes = nbytes, .is_aligned = true};
    return DV_OK;
}

static dv_status list_texts(counting *c, const uint32_t *top, size_t n, dv_error *err)
{
    dv_text_layout *text = &c->result->shown.value.as.text;
    char *utf8, *ends;
    size_t nbytes = 0;
    for (size_t i = 0; i < n; i++)
        nbytes += (size_t)c->frequent.entry[top[i]].nbytes;
    if (nbytes > INT32_MAX) /* only short values can be that many */
        return dvi_fail(err, DV_ERR_LIMIT, "memory_nbytes", -1, "texts of the list",
                        "at most 2^31-1 bytes|%zu", nbytes);
    DVI_TRY(make_buffer(c, &text->utf8, &utf8, nbytes, err));
    DVI_TRY(make_buffer(c, &text->ends, &ends, n * sizeof(int32_t), err));
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t own = (size_t)c->frequent.entry[top[i]].nbytes;
        if (own > 0)
            memcpy(utf8 + used, dvi_frequent_bytes(&c->frequent, top[i]), own);
        used += own;
        const int32_t end = (int32_t)used;
        memcpy(ends + i * sizeof end, &end, sizeof end);
    }
    return DV_OK;
}

static dv_status list_zoned(counting *c, const uint32_t *top, size_t n, dv_error *err)
{
    dv_zoned_layout *zoned = &c->result->shown.value.as.zoned;
    char *ticks, *minutes;
    DVI_TRY(make_buffer(c, &zoned->ticks, &ticks, 8 * n, err));
    DVI_TRY(make_buffer(c, &zoned->minutes, &minutes, 2 * n, err));
    for (size_t i = 0; i < n; i++) {
        const char *bytes = dvi_frequent_bytes(&c->frequent, top[i]);
        memcpy(ticks + 8 * i, bytes, 8);
        memcpy(minutes + 2 * i, bytes + 8, 2);
    }
    return DV_OK;
}

static dv_status list_fixed(counting *c, const uint32_t *top, size_t n, dv_error *err)
{
    char *values;
    DVI_TRY(make_buffer(c, &c->result->shown.value.as.fixed.values, &values, n * c->width, err));
    for (size_t i = 0; i < n; i++)
        memcpy(values + i * c->width, dvi_frequent_bytes(&c->frequent, top[i]), c->width);
    return DV_OK;
}

static dv_status list_values(counting *c, const uint32_t *top, size_t n, dv_error *err)
{
    void *made;
    dv_counts *shown = &c->result->shown;
    shown->value = (dv_column_view){.type = c->item, .layout = c->layout, .rows = (int64_t)n};
    DVI_TRY(dvi_arena_alloc(&c->result->arena, &made, n * sizeof *shown->count, err));
    int64_t *counts = made;
    for (size_t i = 0; i < n; i++)
        counts[i] = c->frequent.entry[top[i]].count;
    shown->count = counts;
    shown->n = (int64_t)n;
    if (c->layout == DV_LAYOUT_FIXED)
        return list_fixed(c, top, n, err);
    return c->layout == DV_LAYOUT_ZONED ? list_zoned(c, top, n, err) : list_texts(c, top, n, err);
}

static dv_status list(counting *c, dv_error *err)
{
    uint32_t *top;
    size_t n;
    dv_counts *shown = &c->result->shown;
    shown->missed_most = c->frequent.missed;
    shown->distinct = c->frequent.missed ? -1 : (int64_t)c->frequent.n;
    const dv_status found = dvi_frequent_top(&c->frequent, (size_t)c->options->most, &top, &n, err);
    const dv_status status = found == DV_OK ? list_values(c, top, n, err) : found;
    dvi_free(&c->frequent.allocator, top, c->frequent.n * sizeof *top);
    return status;
}

/* --- Entry ------------------------------------------------------------------------------------ */

static dv_status read_options(const dv_counts_options *given, dv_counts_options *options,
                              dv_error *err)
{
    *options = (dv_counts_options)DV_COUNTS_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_COUNTS_OPTIONS_INIT", err));
    if (options->exact_distinct < 1 || options->exact_distinct > DISTINCT_MOST)
        return dvi_fail_argument(err, "exact_distinct of the options is outside 1..2^30");
    if (options->most < 0 || options->most > options->exact_distinct)
        return dvi_fail_argument(err, "most of the options is outside 0..exact_distinct");
    if (options->memory_nbytes < 0 || options->memory_nbytes > INT32_MAX)
        return dvi_fail_argument(err, "memory_nbytes of the options is outside 0..2^31-1");
    return DV_OK;
}

static dv_status count_all(counting *c, int32_t column, dv_error *err)
{
    dvi_frequent_init(&c->frequent, (size_t)c->options->exact_distinct,
                      (size_t)c->options->memory_nbytes, &c->result->allocator);
    dv_status status = read_rows(c, column, err);
    if (status == DV_OK)
        status = list(c, err);
    dvi_frequent_free(&c->frequent);
    return status;
}

dv_status dv_counts_create(dv_counts **counts_out, dv_view *view, int32_t column,
                           const dv_counts_options *given, dv_error *err)
{
    dv_counts_options options;
    void *made;
    const dv_schema *schema = dv_view_schema(view);
    *counts_out = NULL;
    DVI_TRY(read_options(given, &options, err));
    if (column < 0 || column >= dv_schema_columns(schema))
        return dvi_fail_argument(err, "column %d: the view has %d column%s", (int)column,
                                 (int)dv_schema_columns(schema), DVI_S(dv_schema_columns(schema)));
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &made, sizeof(result), err));
    result *r = made;
    r->allocator = *dvi_view_allocator(view);
    dvi_arena_init(&r->arena, &r->allocator);
    counting c = {.options = &options, .view = view, .result = r};
    c.item = dv_type_item(&dv_schema_column(schema, column)->type);
    c.layout = dvi_layout_of(&c.item);
    c.width = c.layout == DV_LAYOUT_FIXED ? dvi_width_of(&c.item) : 0;
    dv_counts *shown = &r->shown;
    const dv_status status = count_all(&c, column, err);
    if (status != DV_OK)
        dv_counts_free(&shown);
    *counts_out = shown;
    return status;
}

void dv_counts_free(dv_counts **counts)
{
    result *r = (result *)*counts;
    *counts = NULL;
    if (!r)
        return;
    const dv_allocator allocator = r->allocator;
    dvi_arena_free(&r->arena);
    dvi_free(&allocator, r, sizeof *r);
}
