/* SPDX-License-Identifier: MIT */
/* batch_side.c: the loop in C beside which python/bench/rows_batches.py times batches in Python.
 */
#include <dataview/dataview.h>

__attribute__((visibility("default"))) int64_t dvb_batches(const char *path, int64_t batch_rows,
                                                           double *total_out);

/* Read column 0, R4, in batches; returns how many there are, or -1.  The first value of a batch is
 * read each time, all of them in the first call: *total_out is their sum. */
int64_t dvb_batches(const char *path, int64_t batch_rows, double *total_out)
{
    dv_view *view;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = batch_rows;
    if (dv_open(&view, path, NULL, NULL) != DV_OK)
        return -1;
    int64_t batches = 0;
    double total = 0;
    const bool sums = *total_out == 0;
    dv_status status = dv_cursor_open(&cursor, view, &options, NULL);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK) {
        const float *const values = dv_batch_column(batch, 0)->as.fixed.values.data;
        for (int64_t i = 0; i < (sums ? batch->rows : 1); i++)
            total += (double)values[i];
        batches++;
    }
    if (sums)
        *total_out = total;
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    return status == DV_END ? batches : -1;
}
