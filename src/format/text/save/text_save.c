/* SPDX-License-Identifier: MIT */
/* text_save.c: saves a view as a text file: its schema, its header, then its rows.
 * (semantics:6.6) */
#include "base/check.h"
#include "format/text/save/text_save_priv.h"

/* A save in progress. */
typedef struct saver {
    dvi_text_plan plan;
    dvi_text_writer out;
    dvi_text_source *sources; /* the filler first, if any */
    int32_t fillers;
    int64_t row;           /* number of rows saved */
    int64_t multilines_at; /* file offset of the sign of option multilines; -1: none */
} saver;

static dv_status make_sources(saver *s, dv_error *err)
{
    const dvi_text_plan *plan = &s->plan;
    const dv_type filler = dv_type_of(DV_KIND_U1);
    void *made;
    s->fillers = plan->has_filler;
    const size_t n = (size_t)(plan->count + s->fillers);
    DVI_TRY(dvi_arena_alloc(&s->plan.arena, &made, n * sizeof *s->sources, err));
    s->sources = made;
    if (s->fillers) {
        static const uint8_t zero;
        s->sources[0] = dvi_text_source_of(&filler, -1, false);
        s->sources[0].values.main = &zero;
        s->sources[0].step = 0;
        s->sources[0].length = s->sources[0].items = 1;
    }
    for (int32_t k = 0; k < plan->count; k++)
        s->sources[s->fillers + k] = dvi_text_source_of(
            &plan->outputs[k].item, plan->outputs[k].column, plan->form.is_mlnet);
    return DV_OK;
}

static dv_status write_batch(saver *s, const dv_batch *batch, const dvi_text_line *line,
                             dv_error *err)
{
    dvi_text_source *sources = s->sources + s->fillers;
    for (int32_t k = 0; k < batch->columns; k++) {
        DVI_TRY(dvi_text_source_begin(&sources[k], dv_batch_column(batch, k), s->row, err));
        DVI_TRY(dvi_text_source_check(&sources[k], &s->plan, err));
    }
    for (int64_t i = 0; i < batch->rows; i++, s->row++)
        DVI_TRY(dvi_text_write_line(line, i, err));
    return DV_OK;
}

static dv_status write_rows(saver *s, dv_cursor *cursor, dv_error *err)
{
    const dvi_text_line line =
        dvi_text_line_of(&s->plan, &s->out, s->sources, s->plan.count + s->fillers);
    const dv_batch *batch;
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        DVI_TRY(write_batch(s, batch, &line, err));
        DVI_TRY(dvi_saving_progress(s->plan.saving, s->row, err));
    }
    return status == DV_END ? DV_OK : status;
}

/* Whether fields have several lines is known only at the end. */
static dv_status finish(saver *s, dv_error *err)
{
    DVI_TRY(dvi_text_writer_flush(&s->out, err));
    if (!s->out.has_break || s->multilines_at < 0)
        return DV_OK;
    return dvi_writer_write_at(s->out.writer, s->multilines_at, "+", 1, err);
}

static dv_status save(saver *s, dv_error *err)
{
    const dvi_text_plan *plan = &s->plan;
    dv_cursor *cursor;
    DVI_TRY(make_sources(s, err));
    DVI_TRY(dvi_text_write_schema(&s->out, plan, &s->multilines_at, err));
    DVI_TRY(dvi_text_write_header(&s->out, plan, err));
    DVI_TRY(dvi_saving_open_cursor(plan->saving, &cursor, plan->columns, plan->count, 0, 0, err));
    const dv_status status = write_rows(s, cursor, err);
    dv_cursor_close(&cursor);
    DVI_TRY(status);
    return finish(s, err);
}

dv_status dvi_text_save(const dvi_saving *saving, dvi_writer *writer, dv_error *err)
{
    saver s = {.row = 0};
    dv_status status = dvi_text_plan_make(&s.plan, saving, NULL, err);
    if (status == DV_OK)
        status = dvi_text_writer_open(&s.out, writer, saving->allocator, err);
    if (status == DV_OK)
        status = save(&s, err);
    dvi_text_writer_close(&s.out, saving->allocator);
    dvi_text_plan_free(&s.plan);
    return status;
}
