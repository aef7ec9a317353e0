/* SPDX-License-Identifier: MIT */
/* fit_part.c: what steps have seen of a part of the rows, as a table (docs/spec/parts.md). */
#include "saved/fit_part.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "pipeline/fit_parts.h"
#include "saved/saved_priv.h"
#include <dataview/table.h>
#include <dataview/transform.h>
#include <string.h>

const dvi_part_column dvi_part_columns[DVI_PART_COLUMNS] = {
    {"Step", DV_KIND_I4}, {"Column", DV_KIND_I4}, {"Rows", DV_KIND_I8}, {"State", DV_KIND_BY}};

/* The rows of the table, column by column. */
typedef struct making {
    dv_allocator allocator;
    dvi_arena arena; /* holds the states */
    void *steps, *columns, *states;
    size_t n, steps_cap, columns_cap, states_cap;
} making;

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_status add(making *m, int32_t step, int32_t column, dv_text state, dv_error *err)
{
    dv_text kept;
    const dv_allocator *with = &m->allocator;
    DVI_TRY(dvi_arena_text(&m->arena, &kept, state, err));
    DVI_TRY(dvi_array_reserve(with, &m->steps, &m->steps_cap, m->n + 1, sizeof(int32_t), err));
    DVI_TRY(dvi_array_reserve(with, &m->columns, &m->columns_cap, m->n + 1, sizeof(int32_t), err));
    DVI_TRY(dvi_array_reserve(with, &m->states, &m->states_cap, m->n + 1, sizeof(dv_text), err));
    ((int32_t *)m->steps)[m->n] = step;
    ((int32_t *)m->columns)[m->n] = column;
    ((dv_text *)m->states)[m->n] = kept;
    m->n++;
    return DV_OK;
}

static dv_status add_table(making *m, int32_t step, int32_t column, dv_view *table, dv_error *err)
{
    dv_buffer bytes;
    DVI_TRY(dvi_saved_table_bytes(&bytes, table, &m->allocator, err));
    const dv_status status =
        add(m, step, column, (dv_text){bytes.data, (int64_t)bytes.nbytes}, err);
    dv_buffer_release(&bytes);
    return status;
}

static dv_status take(void *ctx, const dvi_fit_task *task, void *learner, dv_error *err)
{
    making *m = ctx;
    dv_view *table;
    DVI_TRY(task->binding.step->cls->parts->show(&table, learner, &m->allocator, err));
    const dv_status status = add_table(m, task->step + 1, task->binding.column + 1, table, err);
    dv_view_release(&table);
    return status;
}

dv_status dvi_part_steps(dv_buffer *text_out, const dv_pipeline *pipeline,
                         const dv_allocator *allocator, dv_error *err)
{
    dvi_writer *memory;
    DVI_TRY(dvi_writer_create_memory(&memory, PTRDIFF_MAX, "memory_nbytes", allocator, err));
    const dv_sink sink = {dvi_saved_to_writer, memory};
    bool is_whole = true;
    for (int32_t i = 0; is_whole && i < dv_pipeline_steps(pipeline); i++)
        is_whole = dv_pipeline_write_step(pipeline, i, &sink) && sink.write(memory, "\n", 1);
    dv_status status = dvi_writer_write(memory, "", 0, err); /* why it is not */
    if (status == DV_OK && !is_whole)
        status = dvi_fail_argument(err, "the steps cannot be written");
    if (status == DV_OK)
        dvi_writer_take(memory, text_out);
    dvi_writer_close(&memory);
    return status;
}

/* The steps, and the columns of the view without its rows. */
static dv_status add_head(making *m, const dv_pipeline *pipeline, dv_view *view, dv_error *err)
{
    dv_view *none;
    dv_buffer text = {.data = NULL};
    DVI_TRY(dvi_part_steps(&text, pipeline, &m->allocator, err));
    dv_status status = add(m, 0, 0, (dv_text){text.data, (int64_t)text.nbytes}, err);
    dv_buffer_release(&text);
    DVI_TRY(status);
    DVI_TRY(dv_view_slice(&none, view, 0, 0, &m->allocator, err));
    status = add_table(m, 0, 1, none, err);
    dv_view_release(&none);
    return status;
}

/* --- The table -------------------------------------------------------------------------------- */

static dv_status make_table(dv_view **part_out, const making *m, int64_t rows, dv_error *err)
{
    void *made;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    dv_table_column columns[DVI_PART_COLUMNS];
    options.allocator = &m->allocator;
    DVI_TRY(dvi_alloc(&m->allocator, &made, m->n * sizeof(int64_t), err));
    for (size_t i = 0; i < m->n; i++)
        ((int64_t *)made)[i] = rows;
    for (int32_t k = 0; k < DVI_PART_COLUMNS; k++)
        columns[k] = (dv_table_column){.name = dvi_part_columns[k].name,
                                       .type = dv_type_of(dvi_part_columns[k].kind)};
    columns[0].values = m->steps;
    columns[1].values = m->columns;
    columns[2].values = made;
    columns[3].texts = m->states;
    const dv_status status =
        dv_table_create(part_out, columns, DVI_PART_COLUMNS, (int64_t)m->n, &options, err);
    dvi_free(&m->allocator, made, m->n * sizeof(int64_t));
    return status;
}

static void free_making(making *m)
{
    dvi_free(&m->allocator, m->steps, m->steps_cap * sizeof(int32_t));
    dvi_free(&m->allocator, m->columns, m->columns_cap * sizeof(int32_t));
    dvi_free(&m->allocator, m->states, m->states_cap * sizeof(dv_text));
    dvi_arena_free(&m->arena);
}

dv_status dv_fit_part(dv_view **part_out, dv_pipeline *pipeline, dv_view *view,
                      const dv_fit_options *options, const dv_allocator *allocator, dv_error *err)
{
    dv_fitted *none;
    making m = {.allocator = dvi_allocator_of(allocator)};
    dvi_fit_parts parts = {.ctx = &m, .take = take};
    *part_out = NULL;
    dvi_arena_init(&m.arena, &m.allocator);
    dv_status status = add_head(&m, pipeline, view, err);
    if (status == DV_OK)
        status = dvi_fit_in_parts(&none, &parts, pipeline, view, options, &m.allocator, err);
    if (status == DV_OK)
        status = make_table(part_out, &m, parts.rows, err);
    free_making(&m);
    return status;
}
