/* SPDX-License-Identifier: MIT */
/* tf_pick.c: rows of a view in any order (transform.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/gather.h"
#include "view/identity.h"
#include "transform/derived.h"
#include <dataview/transform.h>
#include <string.h>

/* A batch is full with so many rows, or so many bytes of text or items of vectors in a column. */
#define BATCH_ROWS 1024
#define BATCH_TEXT (1 << 20)

typedef struct pick {
    dvi_derived base;
    int64_t *rows; /* of the source */
    int64_t n;
} pick;

typedef struct walk {
    const pick *p;
    const dv_cursor_request *request;
    dv_cursor *source;
    int64_t at;           /* the first of p->rows that is not held */
    int64_t run;          /* rows that the source was sent to and has not delivered */
    const dv_batch *part; /* delivered by the source and not yet held */
    dvi_gather *column;   /* what is held, and its ids behind the columns */
    int64_t held;
    dv_status ended; /* what the next call says, when rows before it were delivered */
    dv_error error;
} walk;

/* --- Rows ------------------------------------------------------------------------------------- */

/* How many rows from `at` on follow each other in the source. */
static int64_t run_length(const pick *p, int64_t at, int64_t end)
{
    int64_t n = 1;
    while (at + n < end && p->rows[at + n] == p->rows[at] + n)
        n++;
    return n;
}

/* Let w->part be the next rows. */
static dv_status read_part(walk *w, dv_error *err)
{
    const pick *p = w->p;
    if (w->run == 0) {
        const int64_t n = run_length(p, w->at, w->request->end_row);
        DVI_TRY(dvi_cursor_seek(w->source, p->rows[w->at], p->rows[w->at] + n, err));
        w->run = n;
    }
    const dv_status status = dv_cursor_next(w->source, &w->part, err);
    if (status == DV_END)
        return dvi_fail(err, DV_ERR_CORRUPT, "", -1, "picked rows", "row %lld|the last row",
                        (long long)p->rows[w->at]);
    return status;
}

static dv_column_view column_of(const walk *w, int32_t k)
{
    return k < w->request->columns_count ? *dv_batch_column(w->part, k)
                                         : dvi_batch_ids_column(w->part, w->part->rows);
}

static int32_t count_columns(const walk *w)
{
    return w->request->columns_count + w->request->ids;
}

/* Copy the part behind what is held; all columns or none. */
static dv_status hold_part(walk *w, dv_error *err)
{
    const int64_t rows = w->part->rows;
    for (int32_t k = 0; k < count_columns(w); k++) {
        const dv_column_view column = column_of(w, k);
        DVI_TRY(dvi_gather_reserve(&w->column[k], &column, rows, w->request->allocator, err));
    }
    for (int32_t k = 0; k < count_columns(w); k++) {
        const dv_column_view column = column_of(w, k);
        dvi_gather_append(&w->column[k], &column, rows);
    }
    w->held += rows;
    w->at += rows;
    w->run -= rows;
    w->part = NULL;
    return DV_OK;
}

static bool is_full(const walk *w)
{
    const int64_t wanted = w->request->batch_rows;
    bool full = w->at == w->request->end_row || w->held >= (wanted ? wanted : BATCH_ROWS);
    for (int32_t k = 0; k < w->request->columns_count && !full; k++)
        full = w->column[k].text >= BATCH_TEXT || w->column[k].items >= BATCH_TEXT;
    return full;
}

static dv_status fill(walk *w, dv_batch *batch, dv_error *err)
{
    DVI_TRY(dv_batch_start(batch, w->at - w->held, w->held, err));
    for (int32_t k = 0; k < count_columns(w); k++) {
        const bool is_id = k == w->request->columns_count;
        const dv_type id = dv_type_of(DV_KIND_UG);
        dvi_column column;
        dvi_gather_view(&w->column[k],
                        is_id ? &id
                              : &dv_schema_column(w->request->schema, w->request->columns[k])->type,
                        &column);
        if (is_id)
            dvi_batch_lend_ids(batch, &column.view.as.fixed.values);
        else
            dvi_batch_set_slot(batch, k, &column.view);
        dvi_gather_reset(&w->column[k]);
    }
    w->held = 0;
    return DV_OK;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    if (w->ended != DV_OK) {
        if (err)
            *err = w->error;
        return w->ended;
    }
    if (w->at == w->request->end_row && w->held == 0)
        return DV_END;
    while (!is_full(w)) {
        dv_error own = DV_ERROR_INIT;
        dv_status status = w->part ? DV_OK : read_part(w, &own);
        if (status == DV_OK)
            status = hold_part(w, &own);
        if (status < 0 && (status == DV_ERR_MEMORY || w->held == 0)) {
            if (err)
                *err = own;
            return status;
        }
        if (status == DV_ERR_LIMIT && w->part)
            break; /* the text of one batch more would be too much: next time */
        if (status < 0) {
            w->ended = status; /* what is held is sound */
            w->error = own;
            break;
        }
    }
    return fill(w, batch, err);
}

static void close_walk(void *cursor)
{
    walk *w = cursor;
    dv_cursor_close(&w->source);
    for (int32_t k = 0; w->column && k < count_columns(w); k++)
        dvi_gather_free(&w->column[k]);
    dvi_free(w->request->allocator, w->column, (size_t)count_columns(w) * sizeof *w->column);
    dvi_free(w->request->allocator, w, sizeof *w);
}

static dv_status open_source(walk *w, dv_error *err)
{
    void *made;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = w->request->columns;
    options.columns_count = w->request->columns_count;
    options.ids = w->request->ids;
    options.threads = 1; /* rows that are far from each other are not read ahead */
    DVI_TRY(dvi_alloc_zeroed(w->request->allocator, &made,
                             (size_t)count_columns(w) * sizeof *w->column, err));
    w->column = made;
    return dv_cursor_open(&w->source, w->p->base.source, &options, err);
}

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "picked rows",
                        "rows as they are stored|rows in an order of their own");
    DVI_TRY(dvi_alloc_zeroed(request->allocator, cursor_out, sizeof(walk), err));
    walk *w = *cursor_out;
    *w = (walk){.p = self, .request = request, .at = request->first_row};
    const dv_status status = open_source(w, err);
    if (status < 0) {
        close_walk(w);
        *cursor_out = NULL;
    }
    return status;
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const pick *)self)->n;
}

/* Rows beside each other are not stored beside each other: each costs what it costs there. */
static int64_t block_rows(void *self)
{
    return dvi_derived_block_rows(self) > 0;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const pick *p = self;
    dv_identity_add(identity, p->rows, (size_t)p->n * sizeof *p->rows);
    return dv_identity_add_view(identity, p->base.source, err);
}

/* Batches are copies: no `check`. */
static const dv_view_class pick_class = {.size = sizeof pick_class,
                                         .kind = "pick",
                                         .rows = count_rows,
                                         .can_shuffle = dvi_derived_can_shuffle,
                                         .close = dvi_derived_close,
                                         .open_cursor = open_walk,
                                         .next = next,
                                         .close_cursor = close_walk,
                                         .verify = dvi_derived_verify,
                                         .block_rows = block_rows,
                                         .identify = identify};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status check_rows(const dv_view *source, const int64_t *rows, int64_t n, dv_error *err)
{
    const int64_t known = dv_view_rows(source);
    if (n < 0 || (n > 0 && !rows))
        return dvi_fail_argument(err, "%lld rows to pick", (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || (known >= 0 && rows[i] >= known))
            return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "row to pick", "0 to %lld|%lld",
                            (long long)(known >= 0 ? known : INT64_MAX) - 1, (long long)rows[i]);
    return DV_OK;
}

dv_status dv_view_pick(dv_view **view_out, dv_view *source, const int64_t *rows, int64_t n,
                       const dv_allocator *allocator, dv_error *err)
{
    void *made, *copy;
    *view_out = NULL;
    DVI_TRY(check_rows(source, rows, n, err));
    DVI_TRY(dvi_derived_create(&made, sizeof(pick), source, allocator, err));
    pick *p = made;
    const dv_status status = dvi_arena_alloc(&p->base.arena, &copy, (size_t)n * sizeof *rows, err);
    if (status < 0) {
        dvi_derived_close(p);
        return status;
    }
    if (n > 0)
        memcpy(copy, rows, (size_t)n * sizeof *rows);
    p->rows = copy;
    p->n = n;
    return dvi_derived_view(view_out, &pick_class, p, NULL, err);
}
