/* SPDX-License-Identifier: MIT */
/* text_save.c: saves a view as a text file: its schema, its header, then its rows.
 * (semantics:6.6) */
#include "base/alloc.h"
#include "base/check.h"
#include "format/text/save/text_save_priv.h"
#include <string.h>

/* A save in progress. */
typedef struct saver {
    dvi_saver base;
    dvi_text_plan plan;
    dvi_text_line line;
    dvi_text_writer out;
    dvi_text_source *sources; /* the filler first, if any */
    int32_t fillers;
    int64_t row;     /* number of rows saved */
    int64_t room_at; /* file offset of the blanks for option multilines; -1: none */
    dvi_text_check_written *check;
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
        s->sources[0] = dvi_text_source_of(&filler, -1, false, DVI_TEXT_TYPED);
        s->sources[0].values.main = &zero;
        s->sources[0].step = 0;
        s->sources[0].length = s->sources[0].items = 1;
    }
    for (int32_t k = 0; k < plan->count; k++) {
        const dvi_text_output *output = &plan->outputs[k];
        dvi_text_source *source = &s->sources[s->fillers + k];
        *source =
            dvi_text_source_of(&output->item, output->column, output->is_vector, plan->form.style);
        if (output->words >= 0)
            DVI_TRY(dvi_text_words_read(&source->words, plan, output, &s->plan.arena, err));
    }
    return DV_OK;
}

static dv_status put(dvi_saver *base, const dv_batch *batch, dv_error *err)
{
    saver *s = (saver *)base;
    dvi_text_source *sources = s->sources + s->fillers;
    for (int32_t k = 0; k < batch->columns; k++) {
        DVI_TRY(dvi_text_source_begin(&sources[k], dv_batch_column(batch, k), s->row, err));
        DVI_TRY(dvi_text_source_check(&sources[k], &s->plan, err));
    }
    for (int64_t i = 0; i < batch->rows; i++, s->row++)
        DVI_TRY(dvi_text_write_line(&s->line, i, err));
    return dvi_saving_progress(s->plan.saving, s->row, err);
}

/* Whether fields have several lines is known only at the end. */
static dv_status end(dvi_saver *base, dv_error *err)
{
    saver *s = (saver *)base;
    DVI_TRY(dvi_text_writer_flush(&s->out, err));
    if (!s->out.has_break || s->room_at < 0)
        return s->check(&s->plan, s->out.writer, err);
    return dvi_writer_write_at(s->out.writer, s->room_at, DVI_TEXT_MULTILINES,
                               strlen(DVI_TEXT_MULTILINES), err);
}

static void free_saver(dvi_saver *base)
{
    saver *s = (saver *)base;
    const dv_allocator *allocator = s->plan.saving->allocator;
    dvi_text_writer_close(&s->out, allocator);
    dvi_text_plan_free(&s->plan);
    dvi_free(allocator, s, sizeof *s);
}

static dv_status begin(saver *s, dvi_writer *writer, dv_error *err)
{
    dvi_text_plan *plan = &s->plan;
    DVI_TRY(dvi_text_plan_make(&s->plan, plan->saving, NULL, err));
    DVI_TRY(dvi_text_writer_open(&s->out, writer, plan->saving->allocator, err));
    s->base.columns = plan->columns;
    s->base.columns_count = plan->count;
    DVI_TRY(make_sources(s, err));
    DVI_TRY(dvi_text_write_schema(&s->out, plan, &s->room_at, err));
    if (plan->form.has_bom)
        DVI_TRY(dvi_text_write_bytes(&s->out, "\xEF\xBB\xBF", 3, err));
    DVI_TRY(plan->form.style == DVI_TEXT_CSV ? dvi_text_write_csv_header(&s->out, plan, err)
                                             : dvi_text_write_header(&s->out, plan, err));
    s->line = dvi_text_line_of(plan, &s->out, s->sources, plan->count + s->fillers);
    return DV_OK;
}

dv_status dvi_text_begin_save(dvi_saver **saver_out, const dvi_saving *saving, dvi_writer *writer,
                              dvi_text_check_written *check, dv_error *err)
{
    void *made;
    *saver_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(saving->allocator, &made, sizeof(saver), err));
    saver *s = made;
    s->base = (dvi_saver){.put = put, .end = end, .free = free_saver};
    s->plan.saving = saving;
    s->check = check;
    const dv_status status = begin(s, writer, err);
    if (status < 0)
        free_saver(&s->base);
    else
        *saver_out = &s->base;
    return status;
}
