/* SPDX-License-Identifier: MIT */
/* produce_value.c: a view as JSON lines, by batches and dv_value_write. */
#include "support/produce.h"
#include <stdlib.h>

void dvt_put_metadata_by_value(dvt_lines *lines, const dv_batch *value)
{
    const dv_value v = dv_value_first(dv_batch_column(value, 0));
    const dv_sink sink = dvt_lines_sink(lines);
    DVT_MUST(dv_value_write(&v, DV_STYLE_EXACT, &sink));
}

void dvt_put_batch_by_value(dvt_lines *lines, const dv_batch *batch)
{
    const dv_sink sink = dvt_lines_sink(lines);
    dv_value *values = malloc((size_t)batch->columns * sizeof *values + 1);
    DVT_MUST(values != NULL);
    for (int32_t k = 0; k < batch->columns; k++)
        values[k] = dv_value_first(dv_batch_column(batch, k));
    for (int64_t row = 0; row < batch->rows; row++) {
        for (int32_t k = 0; k < batch->columns; k++) {
            dvt_lines_add(lines, k > 0 ? "," : "[", 1);
            DVT_MUST(dv_value_write(&values[k], DV_STYLE_EXACT, &sink));
            if (row + 1 < batch->rows)
                dv_value_next(&values[k]);
        }
        dvt_lines_print(lines, "%s]\n", batch->columns > 0 ? "" : "[");
    }
    free(values);
}

dv_status dvt_produce_by_value(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                               dv_error *err)
{
    const dv_status status = dvt_put_header(lines, view, options, dvt_put_metadata_by_value, err);
    return status == DV_OK ? dvt_put_rows(lines, view, options, dvt_put_batch_by_value, err)
                           : status;
}
