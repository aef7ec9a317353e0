/* SPDX-License-Identifier: MIT */
/* fuzz_pipe_text.c: any bytes as the text of a pipeline: what is read is written as text that reads
 * as the same; steps that fit a small table are applied to it, and every row is read twice with
 * batches of other sizes. */
#include "meter.h"
#include "pipeline/pipeline.h"
#include "support/lines.h"
#include "support/produce.h"
#include <dataview/table.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_NBYTES = 1 << 12, /* longer inputs are not looked at */
    ROWS = 7,
    MEMORY_NBYTES = 1 << 24 /* of one allocation; a pipeline can ask for any amount */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void *allocate(void *ctx, size_t nbytes, size_t alignment)
{
    (void)ctx;
    const size_t all = (nbytes + alignment - 1) / alignment * alignment;
    return nbytes > MEMORY_NBYTES ? NULL : aligned_alloc(alignment, all);
}

static void release(void *ctx, void *memory, size_t nbytes)
{
    (void)ctx;
    (void)nbytes;
    free(memory);
}

static const dv_allocator little = {allocate, release, NULL};

/* --- Text ------------------------------------------------------------------------------------- */

static void write_steps(dvt_lines *lines, const dvi_steps *steps)
{
    const dv_sink sink = dvt_lines_sink(lines);
    for (int32_t i = 0; i < steps->count; i++) {
        DVT_CHECK(dvi_notation_write(&steps->step[i], &sink, NULL) == DV_OK);
        dvt_lines_add(lines, "\n", 1);
    }
}

static void check_text(const dvi_steps *steps)
{
    dvi_steps again;
    dvt_lines first = {0}, second = {0};
    write_steps(&first, steps);
    DVT_CHECK(dvi_notation_parse(&again, dvt_lines_text(&first), NULL, NULL) == DV_OK);
    write_steps(&second, &again);
    DVT_CHECK(first.nbytes == second.nbytes &&
              (first.nbytes == 0 || memcmp(first.data, second.data, first.nbytes) == 0));
    dvi_steps_free(&again);
    dvt_lines_free(&first);
    dvt_lines_free(&second);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_view *make_table(void)
{
    static const char *const texts[ROWS] = {"b", "a", "", NULL, "b", "\xC3\xA9 x", "c"};
    static const int32_t numbers[ROWS] = {1, -1, 0, INT32_MIN, 1, 7, 7};
    static const float vectors[ROWS * 2] = {1, 0, -0.0f, 2, 2, 1, 0, 0, 5, 1, 1, 1, 3, 3};
    static const uint8_t keys[ROWS * 2] = {1, 2, 3, 0, 1, 1, 2, 4, 0, 0, 3, 3, 1, 2};
    const dv_type r4 = dv_type_of(DV_KIND_R4), key = dv_type_key(DV_KIND_U1, 0, 3);
    const dv_table_column columns[] = {{"A", dv_type_of(DV_KIND_TX), texts, NULL},
                                       {"B", dv_type_of(DV_KIND_I4), numbers, NULL},
                                       {"V", dv_type_vector(r4, 2), vectors, NULL},
                                       {"K", key, keys, NULL},
                                       {"W", dv_type_vector(key, 2), keys, NULL}};
    dv_view *view;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = &little;
    DVT_CHECK(dv_table_create(&view, columns, 5, ROWS, &options, NULL) == DV_OK);
    return view;
}

/* Vectors of a few hundred slots are printed; longer ones take too long. */
static bool is_small(const dv_view *view)
{
    const dv_schema *schema = dv_view_schema(view);
    int64_t slots = 0;
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const dv_column_info *info = dv_schema_column(schema, i);
        slots += dv_type_value_count(&info->type);
        for (int32_t k = 0; k < info->metadata_count; k++)
            slots += dv_type_value_count(&dv_schema_metadata(schema, i, k)->type);
    }
    return slots < 1 << 14;
}

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
    if (dv_pipeline_parse(&pipeline, text, NULL, &err) != DV_OK) {
        DVT_CHECK(*err.message && err.offset >= -1 && err.offset <= (int64_t)n);
        return 0;
    }
    check_text(&pipeline->steps);
    dv_view *table = make_table();
    if (dv_pipeline_steps(pipeline) > 8) {
        /* takes long, and finds nothing else */
    } else if (dv_fit(&fitted, pipeline, table, &fit, &little, &err) == DV_OK) {
        DVT_CHECK(dv_fitted_apply(&view, fitted, table, &little, &err) == DV_OK);
        dv_fitted_release(&fitted);
        if (is_small(view))
            check_rows(view);
        dv_view_release(&view);
    } else {
        DVT_CHECK(*err.message);
    }
    dv_view_release(&table);
    dv_pipeline_release(&pipeline);
    return 0;
}
