/* SPDX-License-Identifier: MIT */
/* fuzz_pipe_text.c: any bytes as the text of a pipeline: what is read is written as text that reads
 * as the same; steps that fit a small table are applied to it, and every row is read twice with
 * batches of other sizes.  Tables that are named "t" are another small table, others are unknown.
 */
#include "meter.h"
#include "pipe_table.h"
#include "pipeline/pipeline.h"
#include "support/lines.h"
#include "support/produce.h"
#include <string.h>

enum {
    TEXT_NBYTES = 1 << 12 /* longer inputs are not looked at */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* --- Text ------------------------------------------------------------------------------------- */

static void write_steps(dvt_lines *lines, const dvi_steps *steps)
{
    const dv_sink sink = dvt_lines_sink(lines);
    for (int32_t i = 0; i < steps->count; i++) {
        DVT_CHECK(dvi_notation_write(&steps->step[i], &sink, NULL) == DV_OK);
        dvt_lines_add(lines, "\n", 1);
    }
}

static dv_status open_table(void *ctx, const char *name, dv_view **table_out, dv_error *err)
{
    (void)ctx;
    (void)err;
    *table_out = strcmp(name, "t") == 0 ? dvt_pipe_pairs() : NULL;
    return DV_OK;
}

static const dv_pipeline_options parsing = {.size = sizeof parsing, .open_table = open_table};

static void check_text(const dvi_steps *steps)
{
    dvi_steps again;
    dvt_lines first = {0}, second = {0};
    write_steps(&first, steps);
    DVT_CHECK(dvi_notation_parse(&again, dvt_lines_text(&first), &parsing, NULL, NULL) == DV_OK);
    write_steps(&second, &again);
    DVT_CHECK(first.nbytes == second.nbytes &&
              (first.nbytes == 0 || memcmp(first.data, second.data, first.nbytes) == 0));
    dvi_steps_free(&again);
    dvt_lines_free(&first);
    dvt_lines_free(&second);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static void check_rows(dv_view *view)
{
    dvt_lines all = {0}, some = {0};
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    const dv_status status = dvt_produce_by_value(&all, view, &options, &err);
    DVT_CHECK(status == DV_OK || *err.message);
    options.batch_rows = 2;
    const dv_status again = dvt_produce_by_value(&some, view, &options, &err);
    DVT_CHECK(again == status || status == DV_ERR_MEMORY || again == DV_ERR_MEMORY);
    if (status == DV_OK && again == DV_OK)
        DVT_CHECK(all.nbytes == some.nbytes && memcmp(all.data, some.data, all.nbytes) == 0);
    dvt_lines_free(&all);
    dvt_lines_free(&some);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    const dv_text text = {(const char *)data, (int64_t)n};
    dv_fit_options fit = DV_FIT_OPTIONS_INIT;
    fit.threads = 1 + (int32_t)(n % 2);
    if (n > TEXT_NBYTES)
        return 0;
    if (dv_pipeline_parse_files(&pipeline, text, &parsing, NULL, &err) != DV_OK) {
        DVT_CHECK(*err.message && err.offset >= -1 && err.offset <= (int64_t)n);
        return 0;
    }
    check_text(&pipeline->steps);
    dv_view *table = dvt_pipe_table();
    if (dv_pipeline_steps(pipeline) > 8) {
        /* takes long, and finds nothing else */
    } else if (dv_fit(&fitted, pipeline, table, &fit, &dvt_pipe_allocator, &err) == DV_OK) {
        DVT_CHECK(dv_fitted_apply(&view, fitted, table, &dvt_pipe_allocator, &err) == DV_OK);
        dv_fitted_release(&fitted);
        if (dvt_pipe_is_small(view))
            check_rows(view);
        dv_view_release(&view);
    } else {
        DVT_CHECK(*err.message);
    }
    dv_view_release(&table);
    dv_pipeline_release(&pipeline);
    return 0;
}
