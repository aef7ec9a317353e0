/* SPDX-License-Identifier: MIT */
/* read.c: prints the schema of a file, and the sum of one column.
 *
 *     read examples/sample.idv Age
 */
#include <dataview/dataview.h>
#include <stdio.h>
#include <string.h>

static void print_schema(const dv_schema *schema)
{
    char type[64];
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const dv_column_info *column = dv_schema_column(schema, i);
        dv_type_print(&column->type, type, sizeof type);
        printf("%-12.*s %s\n", (int)column->name.nbytes, column->name.data, type);
    }
}

/* Add up an R4 column where it lies: in the mapped file, if it is stored as it is. */
static dv_status sum(dv_view *view, const char *name, double *sum_out, dv_error *err)
{
    int32_t column;
    const dv_schema *schema = dv_view_schema(view);
    if (dv_schema_find(schema, dv_text_of(name), &column) != DV_OK)
        return DV_NOT_FOUND;
    const dv_type *type = &dv_schema_column(schema, column)->type;
    if (type->kind != DV_KIND_R4 || dv_type_is_vector(type))
        return DV_NOT_FOUND;

    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = &column; /* nothing else is read */
    options.columns_count = 1;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status = dv_cursor_open(&cursor, view, &options, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        const char *values = dv_batch_column(batch, 0)->as.fixed.values.data;
        for (int64_t i = 0; i < batch->rows; i++) {
            float value;
            memcpy(&value, values + i * 4, sizeof value);   /* at any address */
            *sum_out += value == value ? (double)value : 0; /* NaN is NA */
        }
    }
    dv_cursor_close(&cursor);
    return status == DV_END ? DV_OK : status;
}

int main(int argc, char **argv)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    if (argc != 3)
        return fprintf(stderr, "usage: read FILE COLUMN\n"), 2;
    if (dv_open(&view, argv[1], NULL, &err) != DV_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    printf("%lld rows\n", (long long)dv_view_rows(view));
    print_schema(dv_view_schema(view));

    double total = 0;
    const dv_status status = sum(view, argv[2], &total, &err);
    if (status == DV_OK)
        printf("sum of %s: %g\n", argv[2], total);
    else
        fprintf(stderr, "%s: %s\n", argv[2], *err.message ? err.message : "no column of type R4");
    dv_view_release(&view);
    return status != DV_OK;
}
