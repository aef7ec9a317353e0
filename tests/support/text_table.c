/* SPDX-License-Identifier: MIT */
/* text_table.c: delimited text as a table, and its rows as lines. */
#include "support/text_table.h"
#include "support/again.h"

dv_view *dvt_text_open(const char *options, const void *data, size_t n, const dv_open_options *how,
                       dv_error *err)
{
    dv_view *view = NULL;
    dv_open_options all = DV_OPEN_OPTIONS_INIT;
    if (how)
        all = *how;
    all.format = "text";
    all.text = options;
    dv_open_memory(&view, data, n, NULL, NULL, "input", &all, err);
    return view;
}

static void put_value(dvt_lines *lines, const dv_value *value);

static void put_vector(dvt_lines *lines, const dv_value *value)
{
    const bool is_dense = value->count < 0;
    dvt_lines_print(lines, is_dense ? "[" : "{%d", (int)value->length);
    for (int32_t i = 0; i < dv_value_items(value); i++) {
        const dv_value item = dv_value_item(value, i);
        if (!is_dense)
            dvt_lines_print(lines, " %d:", (int)dv_value_slot(value, i));
        else if (i > 0)
            dvt_lines_print(lines, ",");
        put_value(lines, &item);
    }
    dvt_lines_print(lines, is_dense ? "]" : "}");
}

static void put_value(dvt_lines *lines, const dv_value *value)
{
    const dv_sink sink = dvt_lines_sink(lines);
    if (value->column->layout == DV_LAYOUT_VECTOR)
        put_vector(lines, value);
    else if (value->column->layout == DV_LAYOUT_TEXT)
        dvt_lines_string(lines, dv_value_tx(value));
    else if (dv_value_is_na(value))
        dvt_lines_print(lines, "NA");
    else
        dv_value_write(value, DV_STYLE_TEXT, &sink);
}

static void put_rows(dvt_lines *lines, const dv_batch *batch)
{
    for (int64_t row = 0; row < batch->rows; row++)
        for (int32_t k = 0; k < batch->columns; k++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, k), row);
            put_value(lines, &value);
            dvt_lines_print(lines, "%s", k + 1 < batch->columns ? " " : "\n");
        }
}

dv_status dvt_text_rows(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                        dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int failures = 0;
    dv_status status = dvt_open_again(&cursor, view, options, &failures, err);
    while (status == DV_OK &&
           (status = dvt_next_again(&cursor, view, options, &batch, &failures, err)) == DV_OK)
        put_rows(lines, batch);
    dv_cursor_close(&cursor);
    return status;
}
