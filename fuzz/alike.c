/* SPDX-License-Identifier: MIT */
/* alike.c: checks that a table that was saved and opened again has not changed. */
#include "alike.h"
#include "meter.h"
#include "support/same_table.h"
#include <dataview/cursor.h>
#include <dataview/value.h>
#include <string.h>

/* --- Values ----------------------------------------------------------------------------------- */

static void check_scalar(const dvt_alike *alike, const dv_value *a, const dv_value *b)
{
    const bool is_false = alike->na_may_be_false && a->column->type.kind == DV_KIND_BL &&
                          dv_value_is_na(a) && dv_value_i1(b) == 0;
    DVT_CHECK(is_false || dv_value_same(a, b));
}

/* The byte of a text at *at, which moves past it: CR and CRLF are read as LF. */
static int byte_at(dv_text text, int64_t *at)
{
    if (*at >= text.nbytes)
        return -1;
    const char c = text.data[(*at)++];
    if (c != '\r')
        return (unsigned char)c;
    *at += *at < text.nbytes && text.data[*at] == '\n';
    return '\n';
}

static bool is_same_but_breaks(const dv_value *a, const dv_value *b)
{
    if (a->column->layout != DV_LAYOUT_TEXT)
        return dvt_scalar_same(a, b);
    const dv_text left = dv_value_tx(a), right = dv_value_tx(b);
    int64_t i = 0, k = 0;
    int c = 0;
    if ((left.nbytes < 0) != (right.nbytes < 0))
        return false;
    while (c >= 0) {
        c = byte_at(left, &i);
        if (byte_at(right, &k) != c)
            return false;
    }
    return true;
}

/* For vectors, also their stored form. */
static void check_value(const dvt_alike *alike, const dv_value *a, const dv_value *b)
{
    if (alike->by_value) {
        DVT_CHECK(dvt_value_same(a, b, is_same_but_breaks));
        return;
    }
    if (a->column->layout != DV_LAYOUT_VECTOR) {
        check_scalar(alike, a, b);
        return;
    }
    DVT_CHECK(a->length == b->length && a->count == b->count);
    for (int32_t i = 0; i < dv_value_items(a); i++) {
        const dv_value left = dv_value_item(a, i), right = dv_value_item(b, i);
        DVT_CHECK(dv_value_slot(a, i) == dv_value_slot(b, i));
        check_scalar(alike, &left, &right);
    }
}

static void check_batch(const dvt_alike *alike, const dv_batch *a, const dv_batch *b)
{
    DVT_CHECK(a->rows == b->rows);
    for (int32_t k = 0; k < alike->columns_count; k++) {
        dv_value left = dv_value_first(dv_batch_column(a, k));
        dv_value right = dv_value_first(dv_batch_column(b, k));
        for (int64_t row = 0; row < a->rows; row++) {
            check_value(alike, &left, &right);
            if (row + 1 < a->rows) {
                dv_value_next(&left);
                dv_value_next(&right);
            }
        }
    }
}

static dv_status open_source(const dvt_alike *alike, dv_cursor **cursor_out, int64_t batch_rows)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = alike->columns;
    options.columns_count = alike->columns_count;
    options.first_row = alike->first_row;
    options.take = alike->rows;
    options.batch_rows = batch_rows;
    options.threads = 1;
    return dv_cursor_open(cursor_out, alike->source, &options, NULL);
}

void dvt_check_values(const dvt_alike *alike)
{
    int32_t columns[DVT_ALIKE_COLUMNS];
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *source, *saved;
    const dv_batch *a, *b;
    for (int32_t k = 0; k < alike->columns_count; k++)
        columns[k] = k;
    options.columns = columns;
    options.columns_count = alike->columns_count;
    options.batch_rows = alike->batch_rows;
    options.threads = 1;
    const int64_t rows = dv_view_rows(alike->saved);
    DVT_CHECK(rows == alike->rows || (alike->by_value && rows == DV_ROWS_UNKNOWN));
    DVT_CHECK(open_source(alike, &source, alike->batch_rows) == DV_OK);
    DVT_CHECK(dv_cursor_open(&saved, alike->saved, &options, NULL) == DV_OK);
    dv_status status;
    while ((status = dv_cursor_next(source, &a, NULL)) == DV_OK) {
        DVT_CHECK(dv_cursor_next(saved, &b, NULL) == DV_OK);
        check_batch(alike, a, b);
    }
    DVT_CHECK(status == DV_END && dv_cursor_next(saved, &b, NULL) == DV_END);
    dv_cursor_close(&source);
    dv_cursor_close(&saved);
}

/* --- Schemas ---------------------------------------------------------------------------------- */

static bool is_same_text(dv_text a, dv_text b)
{
    return a.nbytes == b.nbytes && memcmp(a.data, b.data, (size_t)a.nbytes) == 0;
}

static void check_metadata(const dvt_alike *alike, int32_t k, int32_t i, int32_t saved_i)
{
    const dv_schema *source = dv_view_schema(alike->source), *saved = dv_view_schema(alike->saved);
    const dv_batch *a, *b;
    DVT_CHECK(dv_type_equal(&dv_schema_metadata(source, alike->columns[k], i)->type,
                            &dv_schema_metadata(saved, k, saved_i)->type));
    DVT_CHECK(dv_schema_metadata_value(source, alike->columns[k], i, &a, NULL) == DV_OK);
    DVT_CHECK(dv_schema_metadata_value(saved, k, saved_i, &b, NULL) == DV_OK);
    const dv_value left = dv_value_first(dv_batch_column(a, 0));
    const dv_value right = dv_value_first(dv_batch_column(b, 0));
    check_value(alike, &left, &right);
    dv_batch_release(&a);
    dv_batch_release(&b);
}

void dvt_check_schema(const dvt_alike *alike, int32_t missing)
{
    const dv_schema *source = dv_view_schema(alike->source), *saved = dv_view_schema(alike->saved);
    DVT_CHECK(dv_schema_columns(saved) == alike->columns_count);
    for (int32_t k = 0; k < alike->columns_count; k++) {
        const dv_column_info *a = dv_schema_column(source, alike->columns[k]);
        const dv_column_info *b = dv_schema_column(saved, k);
        DVT_CHECK(is_same_text(a->name, b->name) && dv_type_equal(&a->type, &b->type));
        int32_t found = 0;
        for (int32_t i = 0; i < a->metadata_count; i++) {
            const dv_text kind = dv_schema_metadata(source, alike->columns[k], i)->kind;
            int32_t saved_i;
            if (dv_schema_find_metadata(saved, k, kind, &saved_i) != DV_OK)
                continue;
            check_metadata(alike, k, i, saved_i);
            found++;
        }
        DVT_CHECK(found == b->metadata_count);
        missing -= a->metadata_count - found;
    }
    DVT_CHECK(missing == 0);
}

/* --- The source ------------------------------------------------------------------------------- */

static dv_status read_metadata(const dvt_alike *alike)
{
    const dv_schema *schema = dv_view_schema(alike->source);
    for (int32_t k = 0; k < alike->columns_count; k++)
        for (int32_t i = 0; dv_schema_metadata(schema, alike->columns[k], i); i++) {
            const dv_batch *batch;
            const dv_status status =
                dv_schema_metadata_value(schema, alike->columns[k], i, &batch, NULL);
            dv_batch_release(&batch);
            if (status != DV_OK)
                return status;
        }
    return DV_OK;
}

dv_status dvt_read_source(const dvt_alike *alike)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status = read_metadata(alike);
    if (status != DV_OK)
        return status;
    status = open_source(alike, &cursor, 0);
    while (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, NULL);
    dv_cursor_close(&cursor);
    return status == DV_END ? DV_OK : status;
}
