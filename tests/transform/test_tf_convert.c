/* SPDX-License-Identifier: MIT */
/* test_tf_convert.c: checks every converted value against its conversion alone. */
#include "support/golden_files.h"
#include "support/lines.h"
#include "support/produce.h"
#include "support/test.h"
#include "transform/conversion.h"
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MOST 200 /* of a file */

/* Types that columns are tried with: some way leads to most of them from most. */
static const dv_kind targets[] = {DV_KIND_R4, DV_KIND_R8, DV_KIND_TX, DV_KIND_I1, DV_KIND_I8,
                                  DV_KIND_U2, DV_KIND_U8, DV_KIND_BL, DV_KIND_DZ};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Truth: one value after the other --------------------------------------------------------- */

/* The one item of a column that stands in a row, converted and written. */
static void put_item(dvt_lines *lines, const dvi_conversion *conversion,
                     const dv_column_view *items, int64_t row)
{
    dvi_converted memory = {0};
    dv_column_view dst = *items;
    const dv_sink sink = dvt_lines_sink(lines);
    int64_t at = row;
    if (!conversion->is_identity) {
        cr_assert_eq(dvi_conversion_run(conversion, &memory, &dst, items, row, 1, NULL, NULL),
                     DV_OK);
        at = 0;
    }
    dst.type = conversion->to;
    dv_value_write(&(dv_value){.column = &dst, .row = at}, DV_STYLE_EXACT, &sink);
    dvi_converted_free(&memory);
}

/* What a slot without an item becomes. */
static void put_default(dvt_lines *lines, const dvi_conversion *conversion)
{
    static const uint64_t zero[2];
    const dv_buffer zeros = {zero, sizeof zero, NULL, false, true};
    dv_column_view src = {.type = conversion->from, .rows = 1};
    src.layout = src.type.kind == DV_KIND_DZ   ? DV_LAYOUT_ZONED
                 : src.type.kind == DV_KIND_TX ? DV_LAYOUT_TEXT
                                               : DV_LAYOUT_FIXED;
    if (src.layout == DV_LAYOUT_ZONED)
        src.as.zoned = (dv_zoned_layout){zeros, zeros};
    else if (src.layout == DV_LAYOUT_TEXT)
        src.as.text.ends = zeros;
    else
        src.as.fixed.values = zeros;
    put_item(lines, conversion, &src, 0);
}

/* Slots and items of a vector; into text, all of its slots. */
static void put_vector(dvt_lines *lines, const dv_value *vector, const dvi_conversion *conversion,
                       bool is_filled)
{
    const int32_t items = dv_value_items(vector);
    int32_t next = 0;
    dvt_lines_print(lines, "%d:", vector->length);
    for (int32_t i = 0; i <= items; i++) {
        const int32_t slot = i < items ? dv_value_slot(vector, i) : vector->length;
        for (; is_filled && next < slot; next++) {
            dvt_lines_print(lines, " %d=", next);
            put_default(lines, conversion);
        }
        if (i == items)
            break;
        dvt_lines_print(lines, " %d=", slot);
        put_item(lines, conversion, vector->column->as.vector.items, vector->item + i);
        next = slot + 1;
    }
}

static void put_rows(dvt_lines *lines, const dv_batch *batch, const dvi_conversion *conversion)
{
    dv_value value = dv_value_first(dv_batch_column(batch, 0));
    const bool is_vector = dv_type_is_vector(&value.column->type);
    const bool is_filled = conversion->to.kind == DV_KIND_TX && conversion->from.kind != DV_KIND_TX;
    for (int64_t i = 0; i < batch->rows; i++) {
        dvt_lines_print(lines, "%lld %016llx%016llx ", (long long)(batch->first_row + i),
                        (unsigned long long)batch->ids[i].hi, (unsigned long long)batch->ids[i].lo);
        if (is_vector)
            put_vector(lines, &value, conversion, is_filled);
        else
            put_item(lines, conversion, value.column, value.row);
        dvt_lines_print(lines, "\n");
        if (i + 1 < batch->rows)
            dv_value_next(&value);
    }
}

/* Column k of a view, each value converted by itself. */
static void put_column(dvt_lines *lines, dv_view *view, int32_t column, int64_t batch_rows,
                       int32_t threads, const dvi_conversion *conversion)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    options.columns = &column;
    options.columns_count = 1;
    options.take = ROWS_MOST;
    options.ids = true;
    options.batch_rows = batch_rows;
    options.threads = threads;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        cr_expect(batch_rows == 0 || batch->rows <= batch_rows);
        put_rows(lines, batch, conversion);
    }
    cr_expect_eq(status, DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
}

/* --- Every golden file ------------------------------------------------------------------------ */

/* Values that are converted already. */
static dvi_conversion identity_of(const dv_type *type)
{
    dvi_conversion conversion;
    const dv_type item = dv_type_item(type);
    cr_assert_eq(dvi_conversion_find(&conversion, &item, &item), DV_OK);
    return conversion;
}

/* The view with one column converted reads as each value converted by itself. */
static void check_column(const char *path, dv_view *source, int32_t column,
                         const dvi_conversion *conversion)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    const dv_column_info *info = dv_schema_column(dv_view_schema(source), column);
    const dv_conversion_spec spec = {info->name, dv_text_of("made of it"), conversion->to};
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dvt_lines truth = {0};
    cr_assert_eq(dv_view_convert(&view, source, &spec, 1, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_rows(view), dv_view_rows(source));
    const int32_t made = dv_schema_columns(dv_view_schema(view)) - 1;
    const dvi_conversion done = identity_of(&dv_schema_column(dv_view_schema(view), made)->type);
    cr_expect(dv_type_equal(&done.to, &conversion->to));
    put_column(&truth, source, column, 0, 1, conversion);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        dvt_lines lines = {0};
        put_column(&lines, view, made, sizes[i], i % 2 ? 4 : 1, &done);
        cr_expect(lines.nbytes == truth.nbytes &&
                      (lines.nbytes == 0 || memcmp(lines.data, truth.data, lines.nbytes) == 0),
                  "%s, column %d to %s, %d rows: wanted\n%.300s\ngot\n%.300s", path, column,
                  dv_kind_name(conversion->to.kind), (int)sizes[i], truth.data, lines.data);
        dvt_lines_free(&lines);
    }
    dvt_lines_free(&truth);
    dv_view_release(&view);
}

static int checked; /* columns with a type to become */

static void check_file(const dvt_golden *golden)
{
    dv_view *source = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open(&source, golden->path, NULL, &err), DV_OK, "%s", err.message);
    const dv_schema *schema = dv_view_schema(source);
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const dv_column_info *info = dv_schema_column(schema, i);
        const dv_type from = dv_type_item(&info->type);
        for (size_t k = 0; k < COUNT(targets) && !info->is_hidden; k++) {
            const dv_type to = dv_type_of(targets[(k + (size_t)i) % COUNT(targets)]);
            dvi_conversion conversion;
            if (from.is_key || dvi_conversion_find(&conversion, &from, &to) != DV_OK)
                continue;
            check_column(golden->path, source, i, &conversion);
            checked++;
            if (dv_schema_columns(schema) > 4 && k >= 3) /* others have their turn elsewhere */
                break;
        }
    }
    dv_view_release(&source);
}

Test(tf_convert, every_golden_file)
{
    checked = 0;
    dvt_golden_each(check_file);
    cr_expect_gt(checked, 500);
}
