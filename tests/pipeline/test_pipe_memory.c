/* SPDX-License-Identifier: MIT */
/* test_pipe_memory.c: pipelines are fitted, saved, opened, applied and read while one allocation
 * fails, each in turn. */
#include "support/drawn_pipe.h"
#include "support/fitted_bytes.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/pipe_stories.h"
#include "support/starved.h"
#include "support/test.h"
#include "support/usual_table.h"
#include <dataview/open.h>

#define DRAWS_MAX 3000    /* of steps of a kind */
#define LINES_MAX 4000000 /* bytes of the rows that a drawn step makes */

/* A pipeline for a file, or for a view that is open. */
typedef struct story {
    const char *file;
    dv_view *view;
    dv_text pipeline;
} story;

static dv_status open_source(dv_view **source_out, const story *s, const dv_allocator *allocator,
                             dv_error *err)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = allocator;
    *source_out = s->view;
    if (!s->view) {
        const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, s->file);
        return dv_open(source_out, path.text, &options, err);
    }
    dv_view_retain(s->view);
    return DV_OK;
}

/* What `fitted` makes after it was saved and opened. */
static dv_status apply(dv_view **view_out, dv_fitted *fitted, dv_view *source,
                       const dv_allocator *allocator, dv_error *err)
{
    dv_buffer bytes = {0};
    dv_fitted *opened = NULL;
    *view_out = NULL;
    dv_status status = dvt_fitted_save(&bytes, fitted, allocator, err);
    if (status == DV_OK)
        status = dvt_fitted_open(&opened, bytes.data, bytes.nbytes, allocator, err);
    if (status == DV_OK)
        status = dv_fitted_apply(view_out, opened, source, allocator, err);
    dv_fitted_release(&opened); /* the view keeps it */
    dv_buffer_release(&bytes);
    return status;
}

static dv_status use(const void *what, const dv_allocator *allocator,
                     const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const story *s = what;
    dv_fitted *fitted = NULL;
    dv_view *source = NULL, *view = NULL;
    dv_status status = open_source(&source, s, allocator, err);
    if (status == DV_OK)
        status = dvt_fit_text(&fitted, source, s->pipeline, allocator, err);
    if (status == DV_OK)
        status = apply(&view, fitted, source, allocator, err);
    dv_fitted_release(&fitted);
    dv_view_release(&source);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    return status;
}

static void fail_each(const story *s, int64_t batch_rows)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = batch_rows;
    options.take = 14;
    options.threads = 1;
    options.ids = true;
    dvt_fail_each_allocation(use, s, s->pipeline.data, &options);
}

Test(pipe_memory, each_allocation_may_fail)
{
    for (int i = 0; dvt_pipe_stories[i].file; i++) {
        const story s = {dvt_pipe_stories[i].file, NULL, dv_text_of(dvt_pipe_stories[i].pipeline)};
        fail_each(&s, i % 2 ? 0 : 2);
    }
}

/* --- A step of every kind --------------------------------------------------------------------- */

/* Does it suit the view, without many rows? */
static bool suits(const story *s)
{
    dvt_lines lines = {0};
    const dv_status status = use(s, NULL, NULL, &lines, NULL);
    const bool is_small = lines.nbytes < LINES_MAX;
    dvt_lines_free(&lines);
    return status == DV_OK && is_small;
}

/* A step of that kind that suits the view, as text; free it.  Ends the test if none is drawn. */
static dvt_lines draw(dv_view *view, const dv_transform_info *info)
{
    uint64_t state = 1 + (uint64_t)info->number;
    for (int i = 0; i < DRAWS_MAX; i++) {
        dvt_lines text = {0};
        dvt_draw_step(&text, info, dv_view_schema(view), &state);
        const story s = {NULL, view, dvt_lines_text(&text)};
        if (suits(&s))
            return text;
        dvt_lines_free(&text);
    }
    cr_assert_fail("no step %s was drawn that suits its columns", info->name);
    return (dvt_lines){0};
}

/* Columns that suit every kind of step. */
static dv_view *open_columns(void)
{
    dv_view *usual = dvt_usual_table_open(), *view;
    const dv_text names = dv_text_of("term Word:words Pair:pairs; convert R4s:reals type=R4");
    cr_assert_eq(dv_view_pipe(&view, usual, names, NULL, NULL, NULL), DV_OK);
    dv_view_release(&usual);
    return view;
}

Test(pipe_memory, steps_of_every_kind)
{
    dv_view *view = open_columns();
    for (int32_t i = 0; i < dv_transform_count(); i++) {
        if (dvt_step_is_of_models(dv_transform_at(i)))
            continue;
        dvt_lines text = draw(view, dv_transform_at(i));
        const story s = {NULL, view, dvt_lines_text(&text)};
        fail_each(&s, i % 3);
        dvt_lines_free(&text);
    }
    dv_view_release(&view);
}
