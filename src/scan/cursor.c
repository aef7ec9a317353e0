/* SPDX-License-Identifier: MIT */
/* cursor.c: the batch cursor, which reads the cursor of its view or of a lender below it. */
#include "scan/cursor.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/growing_column.h"
#include "view/view.h"
#include "scan/read_cursor.h"
#include "scan/scan.h"
#include "scan/set_cursor.h"
#include "scan/token.h"
#include "scan/view_chain.h"
#include <dataview/cursor_set.h>
#include <string.h>

struct dv_cursor {
    dv_allocator allocator;
    dv_view *view; /* one reference */
    dvi_request request;
    dvi_lender lender;        /* whose rows and columns the view has */
    dvi_request asked;        /* the request, of the lender */
    int32_t *lent_columns;    /* asked.columns; NULL: the view lends nothing */
    void *source;             /* the lender's own cursor; NULL: no rows to deliver */
    const dv_view_class *cls; /* of the source: that of the lender, of a member or of a set */
    bool is_plain;            /* the source is never a set of the view itself */
    bool owns_member;         /* request.member is to be freed */
    int32_t *columns;         /* request.columns */
    const dv_type **types;    /* of the active columns, in the schema */
    int64_t batch_rows;
    dvi_position position; /* the requested rows, and the number delivered */
    dv_progress progress;  /* the caller's; none if a cursor above has it */
    enum { IDS_UNKNOWN, IDS_OWN, IDS_NUMBERED } ids; /* set by the view, or by this cursor */

    dv_batch *batch; /* delivered last */
    dv_status ended; /* DV_OK: not ended; else the status of every later call */
    dv_error error;

    /* Only with batch_rows: the source's batch, which starts at its first row not delivered. */
    dv_batch *source_batch;
    int64_t rows_left;
    dv_status source_ended;     /* what it returned after rows that were gathered; DV_OK: nothing */
    dvi_growing_column *gather; /* one per column */
    dvi_growing_column ids_gather;
    int64_t gathered, gathered_first, gathered_chunk, gathered_below;
};

/* --- Progress --------------------------------------------------------------------------------- */

static bool knows_end(const dv_cursor *c)
{
    return dv_view_rows(c->view) >= 0 || c->request.shown.end_row != INT64_MAX;
}

/* The progress of an opened cursor and all below it, in rows that it has delivered. */
static bool report_opened(void *ctx, int64_t done, int64_t total)
{
    const dv_cursor *c = ctx;
    done = c->position.delivered;
    total = knows_end(c) ? c->request.shown.end_row - c->position.first : -1;
    return c->progress.report(c->progress.ctx, done, total);
}

/* After the last row: if their number was not known, it is now. */
static dv_status report_end(const dv_cursor *c, dv_error *err)
{
    const int64_t rows = c->position.delivered;
    if (!knows_end(c))
        DVI_TRY(dvi_report_progress(&c->progress, "rows not read", rows, rows, err));
    return DV_END;
}

/* A cursor below another one has the progress of that one. */
static void set_progress(dv_cursor *c, const dv_progress *given)
{
    c->request.progress = *given;
    if (!given->report || given->report == report_opened)
        return;
    c->progress = *given;
    c->request.progress = (dv_progress){report_opened, c};
}

/* --- Opening ---------------------------------------------------------------------------------- */

/* Resolve the active columns and their types. */
static dv_status resolve_columns(dv_cursor *c, const dv_cursor_options *options, dv_error *err)
{
    void *types;
    const dv_schema *schema = dv_view_schema(c->view);
    DVI_TRY(dvi_cursor_read_columns(schema, options, &c->allocator, &c->columns,
                                    &c->request.shown.columns_count, err));
    const int32_t n = c->request.shown.columns_count;
    DVI_TRY(dvi_alloc(&c->allocator, &types, (size_t)n * sizeof *c->types, err));
    c->types = types;
    for (int32_t k = 0; k < n; k++)
        c->types[k] = &dv_schema_column(schema, c->columns[k])->type;
    c->request.shown.columns = c->columns;
    return DV_OK;
}

static dv_status new_batch(dv_cursor *c, dv_batch **batch, dv_error *err)
{
    return dvi_batch_create(batch, c->view, c->types, c->request.shown.columns_count, &c->allocator,
                            err);
}

/* The request's rows, in the lender. */
static void ask_rows(dv_cursor *c)
{
    const int64_t known = dv_view_rows(c->lender.view), rows = known < 0 ? INT64_MAX : known;
    const dv_cursor_request *shown = &c->request.shown;
    c->asked.shown.first_row = dvi_min_i64(dvi_lender_row(&c->lender, shown->first_row), rows);
    c->asked.shown.end_row = dvi_min_i64(dvi_lender_row(&c->lender, shown->end_row), rows);
}

/* Find the lender, and what to ask of it. */
static dv_status ask_lender(dv_cursor *c, dv_error *err)
{
    void *columns;
    const int32_t n = c->request.shown.columns_count;
    const size_t nbytes = (size_t)n * sizeof *c->lent_columns;
    c->asked = c->request;
    c->lender = (dvi_lender){c->view, 0, INT64_MAX};
    if (dvi_view_traits_of(c->view)->lend) {
        DVI_TRY(dvi_alloc(&c->allocator, &columns, nbytes, err));
        c->lent_columns = columns;
        if (n > 0)
            memcpy(c->lent_columns, c->columns, nbytes);
        c->lender = dvi_find_lender(c->view, c->request.member, c->lent_columns, n);
        c->asked.shown.schema = dv_view_schema(c->lender.view);
        c->asked.shown.columns = c->lent_columns;
    }
    ask_rows(c);
    return DV_OK;
}

/* Choose the class of the source, and the self on which its cursor is opened. */
static dv_status choose_source(dv_cursor *c, void **self_out, dv_error *err)
{
    dvi_set *set = NULL;
    dv_view *lender = c->lender.view;
    c->cls = dvi_view_reader(lender, self_out);
    if (c->asked.member) {
        if (dvi_member_is_at_base(c->asked.member, lender)) {
            c->cls = &dvi_member_class;
            *self_out = c->asked.member;
        }
    } else if (c->asked.shown.threads > 1 && !(c->is_plain && lender == c->view)) {
        DVI_TRY(dvi_set_create(&set, lender, &c->asked.shown, err));
        if (set) {
            c->cls = &dvi_set_class;
            *self_out = set;
        }
    }
    return DV_OK;
}

/* Open the source, unless there are no rows to deliver. */
static dv_status make_source(dv_cursor *c, dv_error *err)
{
    void *self;
    if (c->asked.shown.first_row >= c->asked.shown.end_row)
        return DV_OK;
    DVI_TRY(choose_source(c, &self, err));
    const dv_status status = c->cls->open_cursor(self, &c->asked.shown, &c->source, err);
    if (status < 0)
        c->source = NULL;
    else if (!c->source)
        return dvi_fail_argument(err, "view %s: open_cursor returned DV_OK without a cursor",
                                 dv_view_kind(c->lender.view));
    return status;
}

static void close_source(dv_cursor *c)
{
    if (c->source && c->cls->close_cursor)
        c->cls->close_cursor(c->source);
    c->source = NULL;
}

static dv_status open_source(dv_cursor *c, dv_cursor_options *options, dv_error *err)
{
    DVI_TRY(dvi_token_apply(&c->position, options, c->view, err));
    DVI_TRY(resolve_columns(c, options, err));
    dvi_cursor_read_rows(c->view, options, &c->request.shown.first_row, &c->request.shown.end_row);
    c->request.shown.size = sizeof c->request;
    c->request.shown.schema = dv_view_schema(c->view);
    c->request.shown.batch_rows = c->batch_rows = options->batch_rows;
    c->request.shown.threads = dvi_cursor_read_threads(options);
    c->request.shown.zero_copy_only = options->zero_copy_only;
    c->request.shown.allocator = &c->allocator;
    c->request.shown.ids = options->ids;
    c->request.shown.epoch = options->epoch;
    DVI_TRY(new_batch(c, &c->batch, err));
    if (c->batch_rows > 0) {
        void *gather;
        c->request.in_place = false;
        c->request.sink = NULL;
        DVI_TRY(new_batch(c, &c->source_batch, err));
        DVI_TRY(dvi_alloc_zeroed(&c->allocator, &gather,
                                 (size_t)c->request.shown.columns_count * sizeof *c->gather, err));
        c->gather = gather;
    }
    DVI_TRY(ask_lender(c, err));
    return make_source(c, err);
}

dv_status dvi_cursor_open_onto(dv_cursor **cursor_out, dv_view *view,
                               const dv_cursor_options *given, struct dvi_member *member,
                               dvi_vector_sink *sink, unsigned how, dv_error *err)
{
    dv_cursor_options options;
    void *made;
    *cursor_out = NULL;
    DVI_TRY(dvi_cursor_read_options(given, &options, err));
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &made, sizeof(dv_cursor), err));
    dv_cursor *c = made;
    c->request.member = member;
    c->request.sink = sink;
    set_progress(c, &options.progress);
    c->is_plain = how & DVI_CURSOR_PLAIN;
    c->request.in_place = how & DVI_CURSOR_IN_PLACE;
    c->allocator = *dvi_view_allocator(view);
    c->view = view;
    c->cls = dvi_view_class(view);
    dv_view_retain(view);
    const dv_status status = open_source(c, &options, err);
    if (status < 0) {
        dv_cursor_close(&c);
        return status;
    }
    *cursor_out = c;
    return DV_OK;
}

dv_status dvi_cursor_open(dv_cursor **cursor_out, dv_view *view, const dv_cursor_options *options,
                          struct dvi_member *member, unsigned how, dv_error *err)
{
    return dvi_cursor_open_onto(cursor_out, view, options, member, NULL, how, err);
}

dv_status dv_cursor_open(dv_cursor **cursor_out, dv_view *view, const dv_cursor_options *options,
                         dv_error *err)
{
    return dvi_cursor_open(cursor_out, view, options, NULL, 0, err);
}

static void release_batch(dv_batch **batch)
{
    const dv_batch *held = *batch;
    dv_batch_release(&held);
    *batch = NULL;
}

void dv_cursor_close(dv_cursor **cursor)
{
    dv_cursor *c = *cursor;
    *cursor = NULL;
    if (!c)
        return;
    const size_t n = (size_t)c->request.shown.columns_count;
    release_batch(&c->batch);
    release_batch(&c->source_batch);
    close_source(c);
    if (c->owns_member)
        dvi_member_free(c->request.member);
    for (size_t k = 0; c->gather && k < n; k++)
        dvi_growing_free(&c->gather[k]);
    dvi_growing_free(&c->ids_gather);
    dv_view *view = c->view;
    const dv_allocator allocator = c->allocator;
    dvi_free(&allocator, c->gather, n * sizeof *c->gather);
    dvi_free(&allocator, c->lent_columns, n * sizeof *c->lent_columns);
    dvi_free(&allocator, c->columns, n * sizeof *c->columns);
    dvi_free(&allocator, c->types, n * sizeof *c->types);
    dvi_free(&allocator, c, sizeof *c);
    dv_view_release(&view);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Empty the batch for the next rows; replace it if it is retained elsewhere. */
static dv_status empty_batch(dv_cursor *c, dv_batch **batch, dv_error *err)
{
    if (dvi_batch_is_sole(*batch)) {
        dvi_batch_clear(*batch);
        return DV_OK;
    }
    dv_batch *fresh;
    DVI_TRY(new_batch(c, &fresh, err));
    release_batch(batch);
    *batch = fresh;
    return DV_OK;
}

/* Keep the ids that the view set, if they are requested. A view sets the ids of every batch or of
 * none. */
static dv_status take_ids(dv_cursor *c, dv_batch *batch, dv_error *err)
{
    if (!c->request.shown.ids) {
        batch->ids = NULL;
        return DV_OK;
    }
    if (c->ids == IDS_UNKNOWN)
        c->ids = batch->ids ? IDS_OWN : IDS_NUMBERED;
    if ((c->ids == IDS_OWN) == (batch->ids != NULL))
        return DV_OK;
    return dvi_fail_argument(err, "view %s: only some of its batches have ids",
                             dv_view_kind(c->lender.view));
}

static dv_status next_from_source(dv_cursor *c, dv_batch **batch, dv_error *err)
{
    DVI_TRY(empty_batch(c, batch, err));
    DVI_TRY(dvi_request_report(&c->request.shown, err));
    const dv_status status = c->cls->next(c->source, *batch, err);
    if (status == DV_OK && !dvi_batch_is_full(*batch))
        return dvi_fail_argument(err,
                                 "view %s: its batch has no rows, or a column that is not filled",
                                 dv_view_kind(c->lender.view));
    return status == DV_OK ? take_ids(c, *batch, err) : status;
}

static void skip_rows(dv_cursor *c, int64_t rows)
{
    for (int32_t k = 0; k < c->request.shown.columns_count; k++)
        dvi_column_advance(dvi_batch_slot(c->source_batch, k), rows);
    if (c->ids == IDS_OWN)
        c->source_batch->ids += rows;
    c->source_batch->first_row += rows;
    c->rows_left -= rows;
}

/* Deliver the next `rows` rows of the source's batch without a copy. */
static dv_status deliver_slice(dv_cursor *c, int64_t rows, dv_error *err)
{
    DVI_TRY(dv_batch_start(c->batch, c->source_batch->first_row, rows, err));
    dvi_batch_follow(c->batch, c->source_batch);
    for (int32_t k = 0; k < c->request.shown.columns_count; k++) {
        dvi_column run;
        dvi_column_assign(&run, dvi_batch_slot(c->source_batch, k));
        dvi_column_limit(&run.view, rows);
        dvi_batch_set_slot(c->batch, k, &run.view);
    }
    if (c->ids == IDS_OWN) {
        const dv_column_view ids = dvi_batch_ids_column(c->source_batch, rows);
        dvi_batch_lend_ids(c->batch, &ids.as.fixed.values);
    }
    skip_rows(c, rows);
    return DV_OK;
}

/* Append the next `rows` rows of the source's batch to the gathered ones; all columns or none. */
static dv_status gather_rows(dv_cursor *c, int64_t rows, dv_error *err)
{
    if (c->request.shown.zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "batch_rows",
                        "batches inside one block|a batch that crosses into the next");
    const int32_t n = c->request.shown.columns_count;
    for (int32_t k = 0; k < n; k++)
        DVI_TRY(dvi_growing_reserve(&c->gather[k], dvi_batch_slot(c->source_batch, k), rows,
                                    &c->allocator, err));
    if (c->ids == IDS_OWN) {
        const dv_column_view ids = dvi_batch_ids_column(c->source_batch, rows);
        DVI_TRY(dvi_growing_reserve(&c->ids_gather, &ids, rows, &c->allocator, err));
        dvi_growing_append(&c->ids_gather, &ids, rows);
    }
    for (int32_t k = 0; k < n; k++)
        dvi_growing_append(&c->gather[k], dvi_batch_slot(c->source_batch, k), rows);
    if (c->gathered == 0) {
        c->gathered_first = c->source_batch->first_row;
        c->gathered_chunk = dv_batch_chunk(c->source_batch);
    }
    c->gathered_below = dvi_max_i64(c->gathered_below, dvi_batch_below(c->source_batch));
    c->gathered += rows;
    skip_rows(c, rows);
    return DV_OK;
}

static dv_status deliver_gathered(dv_cursor *c, dv_error *err)
{
    DVI_TRY(dv_batch_start(c->batch, c->gathered_first, c->gathered, err));
    dvi_batch_set_chunk(c->batch, c->gathered_chunk);
    dvi_batch_set_below(c->batch, c->gathered_below);
    for (int32_t k = 0; k < c->request.shown.columns_count; k++) {
        dvi_column column;
        dvi_growing_view(&c->gather[k], c->types[k], &column);
        dvi_batch_set_slot(c->batch, k, &column.view);
        dvi_growing_reset(&c->gather[k]);
    }
    if (c->ids == IDS_OWN) {
        const dv_type type = dv_type_of(DV_KIND_UG);
        dvi_column ids;
        dvi_growing_view(&c->ids_gather, &type, &ids);
        dvi_batch_lend_ids(c->batch, &ids.view.as.fixed.values);
        dvi_growing_reset(&c->ids_gather);
    }
    c->gathered = c->gathered_below = 0;
    return DV_OK;
}

dv_status dvi_cursor_check(const dv_cursor *c, dv_error *err)
{
    /* without rows to deliver there is no source, and its class was not chosen */
    if (c->source && c->cls->check_cursor)
        return c->cls->check_cursor(c->source, err);
    return dvi_view_check(c->lender.view, err);
}

/* What the source returned after rows that were gathered was kept until these were delivered. */
static dv_status next_to_gather(dv_cursor *c, dv_error *err)
{
    if (c->source_ended == DV_OK)
        return next_from_source(c, &c->source_batch, err);
    if (c->source_ended == DV_END)
        DVI_TRY(dvi_request_report(&c->request.shown, err));
    else
        *err = c->error;
    return c->source_ended;
}

/* Deliver exactly batch_rows rows: a slice of the source's batch if it has them, else a copy. */
static dv_status next_exact(dv_cursor *c, dv_error *err)
{
    bool is_checked = false; /* since this call began, or since the source delivered its batch */
    DVI_TRY(empty_batch(c, &c->batch, err));
    for (;;) {
        const int64_t wanted = c->batch_rows - c->gathered;
        if (c->rows_left > 0 && !is_checked) {
            DVI_TRY(dvi_cursor_check(c, err));
            is_checked = true;
        }
        if (c->rows_left == 0) {
            is_checked = true;
            const dv_status status = next_to_gather(c, err);
            c->rows_left = status == DV_OK ? c->source_batch->rows : 0;
            if (status == DV_OK && c->gathered > 0 &&
                dv_batch_chunk(c->source_batch) != c->gathered_chunk)
                return deliver_gathered(c, err);
            if (status != DV_OK && c->gathered > 0) {
                c->source_ended = status;
                c->error = *err;
                return deliver_gathered(c, err);
            }
            if (status != DV_OK)
                return status;
        } else if (c->gathered == 0 &&
                   (c->rows_left >= wanted || /* or it is the last batch */
                    c->source_batch->first_row + c->rows_left == c->asked.shown.end_row)) {
            return deliver_slice(c, dvi_min_i64(wanted, c->rows_left), err);
        } else {
            DVI_TRY(gather_rows(c, dvi_min_i64(wanted, c->rows_left), err));
            if (c->gathered == c->batch_rows)
                return deliver_gathered(c, err);
        }
    }
}

dv_status dv_cursor_next(dv_cursor *c, const dv_batch **batch_out, dv_error *err)
{
    dv_error own = DV_ERROR_INIT; /* err reports only failures of this call, not postponed ones */
    *batch_out = NULL;
    if (c->ended < 0 && err)
        *err = c->error;
    if (c->ended != DV_OK)
        return c->ended;

    dv_status status = DV_END;
    if (c->source)
        status = c->batch_rows > 0 ? next_exact(c, &own) : next_from_source(c, &c->batch, &own);
    if (status == DV_END)
        status = report_end(c, &own);
    if (status == DV_OK && c->ids == IDS_NUMBERED)
        status = dvi_batch_number_rows(c->batch, &own);
    if (status == DV_OK) {
        c->batch->first_row -= c->lender.first_row;
        c->batch->position = c->position.delivered;
        c->position.delivered += c->batch->rows;
        *batch_out = c->batch;
        return DV_OK;
    }
    if (status < 0 && err)
        *err = own;
    c->ended = status;
    c->error = own;
    return status;
}

/* Rows that were read for a batch of batch_rows and not delivered. */
static void drop_gathered(dv_cursor *c)
{
    c->rows_left = c->gathered = c->gathered_below = 0;
    c->source_ended = DV_OK;
    for (int32_t k = 0; c->gather && k < c->request.shown.columns_count; k++)
        dvi_growing_reset(&c->gather[k]);
    dvi_growing_reset(&c->ids_gather);
}

dv_status dvi_cursor_seek(dv_cursor *c, int64_t first_row, int64_t end_row, dv_error *err)
{
    const int64_t rows = dv_view_rows(c->view);
    c->request.shown.first_row = first_row;
    c->request.shown.end_row = rows < 0 ? end_row : dvi_min_i64(end_row, rows);
    c->ended = DV_OK;
    drop_gathered(c);
    ask_rows(c);
    if (c->source && c->cls->seek)
        return c->cls->seek(c->source, err);
    close_source(c);
    return make_source(c, err);
}

dv_status dvi_cursor_pass(dv_cursor *c, int64_t rows, int64_t *passed_out, dv_error *err)
{
    const int64_t end = c->request.shown.end_row, next = c->position.first + c->position.delivered;
    const int64_t n = c->ended == DV_OK ? dvi_min_i64(rows, end - next) : 0;
    *passed_out = 0;
    if (n <= 0)
        return DV_OK;
    c->error = (dv_error)DV_ERROR_INIT;
    const dv_status status = dvi_cursor_seek(c, next + n, end, &c->error);
    *passed_out = status == DV_OK ? n : 0;
    c->position.delivered += *passed_out;
    c->ended = status;
    if (status != DV_OK && err)
        *err = c->error;
    return status;
}

dv_status dvi_cursor_move_onto(dv_cursor *c, const dv_view_class *cls, void *self, dv_error *err)
{
    close_source(c);
    c->lender = (dvi_lender){c->view, 0, INT64_MAX};
    c->asked = c->request;
    c->cls = cls;
    return cls->open_cursor(self, &c->asked.shown, &c->source, err);
}

void dvi_cursor_copy_position(dv_cursor *c, const dv_cursor *of)
{
    c->position = of->position;
}

void dvi_cursor_close_scratch(void *ctx, void *scratch)
{
    (void)ctx;
    dv_cursor_close(scratch);
}

dv_view *dvi_cursor_view(const dv_cursor *c)
{
    return c->view;
}

const dvi_set *dvi_cursor_set(const dv_cursor *c)
{
    return c->source && c->cls == &dvi_set_class ? c->source : NULL;
}

const dv_cursor_request *dvi_cursor_request(const dv_cursor *c)
{
    return &c->request.shown;
}

void dvi_cursor_own_member(dv_cursor *c)
{
    c->owns_member = true;
}

struct dvi_member *dvi_cursor_member(const dv_cursor *c)
{
    return c->owns_member ? c->request.member : NULL;
}

int64_t dvi_cursor_position(const dv_cursor *c)
{
    return c->position.delivered;
}

dv_status dvi_cursor_token_at(const dv_cursor *c, int64_t delivered, dv_token *token_out,
                              dv_error *err)
{
    if (c->owns_member)
        return dvi_fail_argument(
            err, "a member of a cursor set has no token: its rows are not consecutive");
    const dvi_position position = {c->position.first, c->position.end, delivered};
    return dvi_token_write(token_out, c->view, &position, err);
}

dv_status dv_cursor_token(const dv_cursor *c, dv_token *token_out, dv_error *err)
{
    return dvi_cursor_token_at(c, c->position.delivered, token_out, err);
}

const int32_t *dvi_cursor_columns(const dv_cursor *c, int32_t *count_out)
{
    *count_out = c->request.shown.columns_count;
    return c->columns;
}
