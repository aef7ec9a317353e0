/* SPDX-License-Identifier: MIT */
/* fit_merge.c: fits a pipeline on what its steps have seen of all parts. Parts may come from
 * anyone.
 */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/owner.h"
#include "scan/read_batches.h"
#include "pipeline/fit_parts.h"
#include "saved/fit_part.h"
#include "saved/saved_priv.h"
#include <dataview/value.h>
#include <inttypes.h>
#include <string.h>

/* A row of a part: step 0 has the steps, and the columns of the table. */
typedef struct state {
    int32_t step, column;
    size_t nbytes;
    dvi_memory *bytes;
    bool is_used;
} state;

typedef struct part {
    void *states;
    size_t n, cap;
    int64_t rows;
} part;

typedef struct merging {
    dv_allocator allocator;
    part *parts;
    int32_t n, reading; /* the part that is being read */
} merging;

/* --- Reading ---------------------------------------------------------------------------------- */

static dv_status check_columns(const dv_schema *schema, dv_error *err)
{
    bool fits = dv_schema_columns(schema) == DVI_PART_COLUMNS;
    for (int32_t k = 0; fits && k < DVI_PART_COLUMNS; k++) {
        const dv_column_info *info = dv_schema_column(schema, k);
        const dv_type type = dv_type_of(dvi_part_columns[k].kind);
        fits = dv_text_equal(info->name, dv_text_of(dvi_part_columns[k].name)) &&
               dv_type_equal(&info->type, &type);
    }
    DVI_REQUIRE(fits, dvi_fail(err, DV_ERR_CORRUPT, "parts:P1", -1, "columns of a part",
                               "Step, Column, Rows, State, as dv_fit_part makes them|others"));
    return DV_OK;
}

static dv_status add_state(merging *m, part *p, const state *row, dv_text bytes, dv_error *err)
{
    state one = *row;
    one.nbytes = bytes.nbytes > 0 ? (size_t)bytes.nbytes : 0;
    DVI_TRY(dvi_array_reserve(&m->allocator, &p->states, &p->cap, p->n + 1, sizeof one, err));
    DVI_TRY(dvi_memory_create(&one.bytes, &m->allocator, one.nbytes + 1, err));
    if (one.nbytes > 0)
        memcpy(one.bytes->data, bytes.data, one.nbytes);
    ((state *)p->states)[p->n++] = one;
    return DV_OK;
}

static dv_status add_batch(void *ctx, const dv_batch *batch, dv_error *err)
{
    merging *m = ctx;
    part *p = &m->parts[m->reading];
    dv_value of[DVI_PART_COLUMNS];
    for (int32_t k = 0; k < DVI_PART_COLUMNS; k++)
        of[k] = dv_value_first(dv_batch_column(batch, k));
    for (int64_t i = 0; i < batch->rows; i++) {
        const state row = {.step = dv_value_i4(&of[0]), .column = dv_value_i4(&of[1])};
        const int64_t rows = dv_value_i8(&of[2]);
        DVI_REQUIRE(rows >= 0 && (p->n == 0 || rows == p->rows),
                    dvi_fail(err, DV_ERR_CORRUPT, "parts:P2", -1, "rows of a part",
                             "one number, 0 or more|%" PRId64, rows));
        p->rows = rows;
        DVI_TRY(add_state(m, p, &row, dv_value_tx(&of[3]), err));
        for (int32_t k = 0; k < DVI_PART_COLUMNS; k++)
            dv_value_next(&of[k]);
    }
    return DV_OK;
}

static dv_status read_part(merging *m, dv_view *view, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    DVI_TRY(check_columns(dv_view_schema(view), err));
    return dvi_read_batches(view, &options, add_batch, m, err);
}

/* --- States ----------------------------------------------------------------------------------- */

static state *find(const part *p, int32_t step, int32_t column)
{
    for (size_t i = 0; i < p->n; i++) {
        state *s = (state *)p->states + i;
        if (s->step == step && s->column == column)
            return s;
    }
    return NULL;
}

static dv_status require(state **state_out, const part *p, int32_t step, int32_t column,
                         dv_error *err)
{
    *state_out = find(p, step, column);
    DVI_REQUIRE(*state_out && !(*state_out)->is_used,
                dvi_fail(err, DV_ERR_CORRUPT, "parts:P3", -1, "rows of a part",
                         "one of step %d, column %d|none", (int)step, (int)column));
    (*state_out)->is_used = true;
    return DV_OK;
}

/* A state is opened once: the table keeps its bytes. */
static dv_status open_state(dv_view **table_out, const merging *m, state *s, dv_error *err)
{
    dvi_memory *bytes = s->bytes;
    s->bytes = NULL;
    return dvi_saved_table_open(table_out, bytes, s->nbytes, &m->allocator, err);
}

static dv_status within(int32_t i, dv_status status, dv_error *err)
{
    if (status < 0)
        dvi_error_within(err, "part %d", (int)i + 1);
    return status;
}

static dv_status give_part(const merging *m, const part *p, const dvi_fit_task *task, void *learner,
                           dv_error *err)
{
    state *s;
    dv_view *table;
    DVI_TRY(require(&s, p, task->step + 1, task->binding.column + 1, err));
    DVI_TRY(open_state(&table, m, s, err));
    const dv_status status = task->binding.step->cls->parts->add(learner, table, err);
    dv_view_release(&table);
    return status;
}

static dv_status give(void *ctx, const dvi_fit_task *task, void *learner, dv_error *err)
{
    const merging *m = ctx;
    for (int32_t i = 0; i < m->n; i++)
        DVI_TRY(within(i, give_part(m, &m->parts[i], task, learner, err), err));
    return DV_OK;
}

/* --- Parts of one table ----------------------------------------------------------------------- */

static bool is_same(const state *a, const void *data, size_t nbytes)
{
    return a->nbytes == nbytes && (nbytes == 0 || memcmp(a->bytes->data, data, nbytes) == 0);
}

/* Each part has these steps, and the columns of the first. */
static dv_status compare(const merging *m, const dv_buffer *steps, dv_error *err)
{
    const state *first = find(&m->parts[0], 0, 1);
    for (int32_t i = 0; i < m->n; i++) {
        state *text, *columns;
        DVI_TRY(within(i, require(&text, &m->parts[i], 0, 0, err), err));
        DVI_TRY(within(i, require(&columns, &m->parts[i], 0, 1, err), err));
        if (!is_same(text, steps->data, steps->nbytes))
            return dvi_fail_argument(err, "part %d is of other steps than those that are fitted",
                                     (int)i + 1);
        if (!is_same(columns, first->bytes->data, first->nbytes))
            return dvi_fail_argument(err,
                                     "part %d is of a table with other columns, types or metadata "
                                     "than part 1",
                                     (int)i + 1);
    }
    return DV_OK;
}

static dv_status check_used(const merging *m, dv_error *err)
{
    for (int32_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->parts[i].n; k++) {
            const state *s = (const state *)m->parts[i].states + k;
            DVI_REQUIRE(s->is_used,
                        within(i,
                               dvi_fail(err, DV_ERR_CORRUPT, "parts:P3", -1, "rows of a part",
                                        "those of steps that learn|one of step %d, column %d",
                                        (int)s->step, (int)s->column),
                               err));
        }
    return DV_OK;
}

/* --- All -------------------------------------------------------------------------------------- */

static dv_status read_parts(merging *m, dv_view *const *parts, int32_t n, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(&m->allocator, &made, (size_t)n * sizeof *m->parts, err));
    m->parts = made;
    for (m->n = 0; m->n < n; m->n++) {
        m->reading = m->n;
        DVI_TRY(within(m->n, read_part(m, parts[m->n], err), err));
    }
    return DV_OK;
}

static dv_status sum_rows(const merging *m, int64_t *rows_out, dv_error *err)
{
    *rows_out = 0;
    for (int32_t i = 0; i < m->n; i++) {
        if (m->parts[i].rows > INT64_MAX - *rows_out)
            return dvi_fail_argument(err, "the parts have more than 2^63-1 rows");
        *rows_out += m->parts[i].rows;
    }
    return DV_OK;
}

static dv_status fit(dv_fitted **fitted_out, merging *m, dv_pipeline *pipeline,
                     const dv_fit_options *options, dv_error *err)
{
    dv_buffer steps;
    dv_view *view;
    dvi_fit_parts parts = {.ctx = m, .give = give};
    DVI_TRY(dvi_part_steps(&steps, pipeline, &m->allocator, err));
    dv_status status = compare(m, &steps, err);
    dv_buffer_release(&steps);
    DVI_TRY(status);
    DVI_TRY(sum_rows(m, &parts.rows, err));
    DVI_TRY(open_state(&view, m, find(&m->parts[0], 0, 1), err));
    status = dvi_fit_in_parts(fitted_out, &parts, pipeline, view, options, &m->allocator, err);
    dv_view_release(&view);
    if (status == DV_OK)
        status = check_used(m, err);
    if (status < 0)
        dv_fitted_release(fitted_out);
    return status;
}

/* The steps that the first part has, which open nothing. */
static dv_status parse(dv_pipeline **pipeline_out, const merging *m, dv_error *err)
{
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    const state *text = find(&m->parts[0], 0, 0);
    options.untrusted = true;
    DVI_REQUIRE(text, dvi_fail(err, DV_ERR_CORRUPT, "parts:P3", -1, "rows of a part",
                               "one of step 0, column 0|none"));
    return dv_pipeline_parse_files(
        pipeline_out, (dv_text){(const char *)text->bytes->data, (int64_t)text->nbytes}, &options,
        &m->allocator, err);
}

static dv_status merge(dv_fitted **fitted_out, merging *m, dv_pipeline *pipeline,
                       const dv_fit_options *options, dv_error *err)
{
    dv_pipeline *own = pipeline;
    if (pipeline)
        return fit(fitted_out, m, pipeline, options, err);
    DVI_TRY(parse(&own, m, err));
    const dv_status status = fit(fitted_out, m, own, options, err);
    dv_pipeline_release(&own);
    return status;
}

static void clean_up(merging *m, int32_t n)
{
    for (int32_t i = 0; m->parts && i < n; i++) {
        part *p = &m->parts[i];
        for (size_t k = 0; k < p->n; k++)
            dvi_memory_release(&((state *)p->states)[k].bytes);
        dvi_free(&m->allocator, p->states, p->cap * sizeof(state));
    }
    dvi_free(&m->allocator, m->parts, (size_t)n * sizeof *m->parts);
}

dv_status dv_fit_merge(dv_fitted **fitted_out, dv_pipeline *pipeline, dv_view *const *parts,
                       int32_t n, const dv_fit_options *options, const dv_allocator *allocator,
                       dv_error *err)
{
    merging m = {.allocator = dvi_allocator_of(allocator)};
    *fitted_out = NULL;
    if (n < 1)
        return dvi_fail_argument(err, "there are %d parts to merge: give one or more", (int)n);
    dv_status status = read_parts(&m, parts, n, err);
    if (status == DV_OK)
        status = merge(fitted_out, &m, pipeline, options, err);
    clean_up(&m, n);
    return status;
}
