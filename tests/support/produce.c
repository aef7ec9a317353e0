/* SPDX-License-Identifier: MIT */
/* produce.c: writes the header of a view as JSON, and reads its batches. */
#include "support/produce.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void dvt_must(bool holds, const char *condition, const char *file, int line)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: must hold: %s\n", file, line, condition);
    abort();
}

int32_t dvt_active_columns(const dv_schema *schema, const dv_cursor_options *options,
                           int32_t **columns_out)
{
    const dv_cursor_options every = DV_CURSOR_OPTIONS_INIT, *o = options ? options : &every;
    const int32_t all = dv_schema_columns(schema);
    const int32_t *asked = o->named_count > 0 ? o->named_columns : o->columns;
    const int32_t count = o->named_count > 0 ? o->named_count : o->columns_count;
    int32_t *columns = malloc((size_t)(count > all ? count : all) * sizeof *columns + 1);
    DVT_MUST(columns != NULL);
    int32_t active = 0;
    for (int32_t k = 0; k < count; k++)
        columns[active++] = asked[k];
    for (int32_t k = 0; count < 0 && k < all; k++)
        if (!dv_schema_column(schema, k)->is_hidden)
            columns[active++] = k;
    *columns_out = columns;
    return active;
}

static void put_type(dvt_lines *lines, const dv_type *type)
{
    char text[200];
    DVT_MUST(dv_type_print(type, text, sizeof text) < sizeof text);
    dvt_lines_print(lines, "\"type\":\"%s\"", text);
}

static dv_status put_one_metadata(dvt_lines *lines, const dv_schema *schema, int32_t column,
                                  int32_t i, void (*put)(dvt_lines *, const dv_batch *),
                                  dv_error *err)
{
    const dv_metadata_info *info = dv_schema_metadata(schema, column, i);
    const dv_batch *value = NULL;
    const dv_status status = dv_schema_metadata_value(schema, column, i, &value, err);
    if (status != DV_OK)
        return status;
    DVT_MUST(value->rows == 1 && value->columns == 1);
    DVT_MUST(dv_type_equal(&dv_batch_column(value, 0)->type, &info->type));
    dvt_lines_print(lines, "%s", i > 0 ? "," : "");
    dvt_lines_string(lines, info->kind);
    dvt_lines_print(lines, ":{");
    put_type(lines, &info->type);
    dvt_lines_print(lines, ",\"value\":");
    put(lines, value);
    dvt_lines_print(lines, "}");
    dv_batch_release(&value);
    return DV_OK;
}

dv_status dvt_put_header(dvt_lines *lines, const dv_view *view, const dv_cursor_options *options,
                         void (*put_metadata)(dvt_lines *lines, const dv_batch *value),
                         dv_error *err)
{
    const dv_schema *schema = dv_view_schema(view);
    int32_t *columns;
    const int32_t count = dvt_active_columns(schema, options, &columns);
    dv_status status = DV_OK;
    dvt_lines_print(lines, "{\"rows\":%" PRId64 ",\"columns\":[", dv_view_rows(view));
    for (int32_t k = 0; status == DV_OK && k < count; k++) {
        const dv_column_info *info = dv_schema_column(schema, columns[k]);
        dvt_lines_print(lines, "%s{\"name\":", k > 0 ? "," : "");
        dvt_lines_string(lines, info->name);
        dvt_lines_print(lines, ",");
        put_type(lines, &info->type);
        dvt_lines_print(lines, ",\"metadata\":{");
        for (int32_t i = 0; status == DV_OK && i < info->metadata_count; i++)
            status = put_one_metadata(lines, schema, columns[k], i, put_metadata, err);
        dvt_lines_print(lines, "}}");
    }
    dvt_lines_print(lines, "]}\n");
    free(columns);
    return status;
}

/* Does the batch continue where the last one ended, and have the requested rows and columns? */
static void check_batch(const dv_batch *batch, const dv_schema *schema, const int32_t *columns,
                        int32_t count, int64_t position)
{
    DVT_MUST(batch->rows >= 1 && batch->position == position && batch->columns == count);
    for (int32_t k = 0; k < count; k++) {
        const dv_column_view *column = dv_batch_column(batch, k);
        DVT_MUST(column && column->rows == batch->rows);
        DVT_MUST(dv_type_equal(&column->type, &dv_schema_column(schema, columns[k])->type));
    }
    DVT_MUST(!dv_batch_column(batch, count) && !dv_batch_column(batch, -1));
}

dv_status dvt_put_rows(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                       void (*put)(dvt_lines *lines, const dv_batch *batch), dv_error *err)
{
    dv_cursor *cursor = NULL;
    dv_status status = dv_cursor_open(&cursor, view, options, err);
    if (status != DV_OK)
        return status;
    int32_t *columns;
    const int32_t count = dvt_active_columns(dv_view_schema(view), options, &columns);
    const dv_batch *batch;
    for (int64_t position = 0; (status = dv_cursor_next(cursor, &batch, err)) == DV_OK;) {
        check_batch(batch, dv_view_schema(view), columns, count, position);
        put(lines, batch);
        position += batch->rows;
    }
    DVT_MUST(batch == NULL);
    dv_cursor_close(&cursor);
    free(columns);
    return status == DV_END ? DV_OK : status;
}
