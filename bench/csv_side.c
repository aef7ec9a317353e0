/* SPDX-License-Identifier: MIT */
/* csv_side.c: the library's side of pyarrow_csv.py.  It is compiled with the headers, so its
 * structs are never out of date.  A failure ends the program with its message. */
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("default"))) void dvb_read_text(const char *path, const char *text,
                                                          int32_t threads, double *sums);

static void must(dv_status status, const dv_error *err)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* The sum of the numbers of a column, or the bytes of its texts. */
static double sum_of(const dv_column_view *column)
{
    const int64_t n = column->rows;
    const void *values = column->as.fixed.values.data;
    double sum = 0;
    if (column->type.kind == DV_KIND_TX) {
        const uint32_t *ends = column->as.text.ends.data;
        return (double)(ends[n - 1] & INT32_MAX) - column->as.text.first;
    }
    for (int64_t i = 0; i < n; i++)
        sum += column->type.kind == DV_KIND_I4 ? ((const int32_t *)values)[i]
                                               : (double)((const float *)values)[i];
    return sum;
}

/* Read all columns of a file; add to `sums`, unless it is NULL, what each column holds. */
void dvb_read_text(const char *path, const char *text, int32_t threads, double *sums)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options walk = DV_CURSOR_OPTIONS_INIT;
    options.format = "text";
    options.text = text;
    walk.threads = threads;
    must(dv_open(&view, path, &options, &err), &err);
    must(dv_cursor_open(&cursor, view, &walk, &err), &err);
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        for (int32_t k = 0; sums && k < batch->columns; k++)
            sums[k] += sum_of(dv_batch_column(batch, k));
    must(status, &err);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}
