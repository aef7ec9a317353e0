/* SPDX-License-Identifier: MIT */
/* row_gatherer.c: rows of a source by number, in any order, handed to a sink that copies them. */
#include "gather/row_gatherer.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/size.h"
#include "type/open_type.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "scan/view_chain.h"
#include "gather/block.h"
#include "gather/gather_blocks.h"
#include "gather/row_check.h"
#include "gather/rows_ahead.h"
#include <string.h>

#define NUMBERS_FEW 1024 /* read ahead, or as many as a batch has rows, or NUMBERS_MOST */
#define REFS_FEW 256     /* handed over together; the same */
#define NUMBERS_MOST 65536
#define NUMBERS_LEAST 16                  /* a take of a few rows is quick */
#define BLOCKS_NBYTES ((int64_t)64 << 20) /* of blocks, if rows come in any order */
#define BLOCK_ROWS 1024                   /* if rows are not stored in blocks */

/* How rows are read. */
typedef enum way {
    UNPREPARED, /* in one of the ways below */
    FROM_PLACES,
    BY_BLOCKS,
    BY_THEMSELVES,
    BY_NUMBER, /* no column is active: nothing is read */
    UNDECIDED  /* by blocks, if the first one that is tried is in place */
} way;

struct dvi_row_gatherer {
    dvi_gather_plan plan;
    dvi_row_numbers numbers;
    const dv_cursor_request *request; /* its rows change before a restart */
    const dv_cursor_request *read;    /* the same columns, of the source */
    dv_cursor_request lent;           /* to the lender, see stand_on */
    int32_t *lent_columns;            /* NULL: the lender is not known */
    bool is_stored;                   /* it computes no column */
    int64_t first_row;                /* the given view begins at this row of the source */
    dvi_below below;                  /* the given view, and the one that is read for it */
    dv_view *source;
    way way;
    dvi_places *places;
    dvi_block_plan block_plan;
    dvi_gather_blocks *blocks; /* NULL: no row was read from blocks */
    dvi_row_check check;       /* of them */
    dv_cursor *single;         /* reads rows by themselves; NULL: not opened */
    dvi_rows_ahead *ahead;     /* announces these; NULL: not opened, or reading is not slow */
    bool is_far;               /* reading is slow, and many numbers are read ahead */
    int64_t epoch;             /* in which it was opened */
    int64_t run;               /* rows that it was sent to and has not delivered */
    const dv_batch *batch;     /* delivered by it and not yet taken */

    int64_t position; /* the next number's, in the order */
    int64_t *rows;    /* `numbered` numbers; those from `at` on are not taken yet */
    int64_t rows_cap, numbered, at;
    int64_t checked;   /* of them, the number whose files were checked since the fill began */
    dvi_row_ref *refs; /* to the first of these rows */
    int64_t refs_cap;
};

/* --- Rows by themselves ----------------------------------------------------------------------- */

/* Consecutive rows are read together; one that a block does not have is read alone. */
static int64_t run_length(const dvi_row_gatherer *g, int64_t wanted)
{
    int64_t n = 1;
    while (g->way == BY_THEMSELVES && n < wanted && g->at + n < g->numbered &&
           g->rows[g->at + n] == g->rows[g->at] + n)
        n++;
    return n;
}

static dv_status open_cursor(const dvi_row_gatherer *g, dv_cursor **cursor_out, unsigned how,
                             dv_error *err)
{
    const dv_cursor_options options = dvi_cursor_options_of(g->read);
    return dvi_cursor_open(cursor_out, g->source, &options, NULL, how, err);
}

static dv_status open_single(dvi_row_gatherer *g, dv_error *err)
{
    if (g->single)
        return DV_OK;
    g->epoch = g->read->epoch;
    if (!g->ahead)
        DVI_TRY(dvi_rows_ahead_create(&g->ahead, g->source, g->read, err));
    return open_cursor(g, &g->single, 0, err);
}

/* Announce the next rows, of which the first is about to be read. */
static void announce(dvi_row_gatherer *g)
{
    int64_t list[DVI_ROWS_AHEAD_MOST];
    const int64_t n = dvi_min_i64(g->numbered - g->at, DVI_ROWS_AHEAD_MOST);
    if (g->way != BY_THEMSELVES || !dvi_rows_ahead_are_due(g->ahead))
        return;
    memcpy(list, g->rows + g->at, (size_t)n * sizeof *list);
    dvi_rows_ahead_announce(g->ahead, list, n);
}

/* Let g->batch be the next rows, at most as many as the sink wants. */
static dv_status read_batch(dvi_row_gatherer *g, int64_t wanted, dv_error *err)
{
    DVI_TRY(open_single(g, err));
    if (g->run == 0) {
        const int64_t n = run_length(g, wanted), first = g->rows[g->at];
        announce(g);
        DVI_TRY(dvi_cursor_seek(g->single, first, first + n, err));
        g->run = n;
    }
    const dv_status status = dv_cursor_next(g->single, &g->batch, err);
    if (status == DV_END)
        return dvi_fail(err, DV_ERR_CORRUPT, "", -1, g->plan.what, "row %lld|the last row",
                        (long long)(g->rows[g->at] - g->first_row));
    return status;
}

static dv_status add_by_themselves(dvi_row_gatherer *g, const dvi_row_sink *sink, int64_t wanted,
                                   dv_error *err)
{
    bool is_taken = false;
    if (!g->batch)
        DVI_TRY(read_batch(g, wanted, err));
    DVI_TRY(sink->take_batch(sink->ctx, g->batch, &is_taken, err));
    if (!is_taken)
        return DV_OK;
    if (g->blocks)
        dvi_gather_blocks_done(g->blocks, g->rows + g->at, g->batch->rows);
    g->at += g->batch->rows;
    g->run -= g->batch->rows;
    g->batch = NULL;
    return DV_OK;
}

/* --- Rows of blocks --------------------------------------------------------------------------- */

static dv_status refuse_open_types(const dvi_row_gatherer *g, dv_error *err)
{
    const dv_cursor_request *request = g->read;
    for (int32_t k = 0; k < request->columns_count; k++)
        DVI_TRY(dvi_open_type_refuse(&dv_schema_column(request->schema, request->columns[k])->type,
                                     "rows in another order", err));
    return DV_OK;
}

/* Blocks that come in any order may be dropped before they are needed again. */
static dv_status make_blocks(dvi_row_gatherer *g, dv_error *err)
{
    const dvi_gather_plan *plan = &g->plan;
    const bool is_any = plan->pool_rows == 0 && plan->window_rows == 0 && !plan->ascending;
    if (!g->check.source)
        DVI_TRY(dvi_row_check_make(&g->check, g->source, g->request->allocator, err));
    return dvi_gather_blocks_create(&g->blocks, g->source, g->read, &g->block_plan,
                                    is_any ? g->rows_cap : 0, err);
}

/* Are the rows of a batch mapped or kept by the source, and more than one? */
static bool is_in_place(const dvi_row_gatherer *g, const dv_batch *batch)
{
    for (int32_t k = 0; k < g->read->columns_count; k++)
        if (!dvi_kept_batch_is_free(dv_batch_column(batch, k)))
            return false;
    return batch->rows > 1;
}

/* Read rows of the block of a row: are they in place?  What cannot be read is reported later. */
static dv_status try_block(dvi_row_gatherer *g, int64_t row, bool *in_place_out, dv_error *err)
{
    const dv_batch *batch;
    dv_cursor *cursor;
    const int64_t rows = g->block_plan.block_rows, first = row / rows * rows;
    *in_place_out = false;
    DVI_TRY(open_cursor(g, &cursor, DVI_CURSOR_IN_PLACE, err));
    const int64_t end = first + dvi_min_i64(rows, g->plan.end_row - first);
    dv_status status = DV_OK;
    *in_place_out = DVI_ATTEMPT("row_gatherer.c try_block",
                                (status = dvi_cursor_seek(cursor, first, end, err)) == DV_OK &&
                                    (status = dv_cursor_next(cursor, &batch, err)) == DV_OK) &&
                    is_in_place(g, batch);
    dv_cursor_close(&cursor);
    return status == DV_ERR_MEMORY ? status : DV_OK;
}

static dv_status decide(dvi_row_gatherer *g, dv_error *err)
{
    bool by_blocks;
    DVI_TRY(try_block(g, g->rows[g->at], &by_blocks, err));
    if (by_blocks)
        DVI_TRY(make_blocks(g, err));
    g->way = by_blocks ? BY_BLOCKS : BY_THEMSELVES;
    return DV_OK;
}

static dv_status hand_over(dvi_row_gatherer *g, const dvi_row_sink *sink, int64_t n, dv_error *err)
{
    int64_t taken = 0;
    DVI_TRY(sink->take_refs(sink->ctx, g->refs, n, &taken, err));
    if (g->blocks)
        dvi_gather_blocks_done(g->blocks, g->rows + g->at, taken);
    g->at += taken;
    return DV_OK;
}

/* Blocks that were read long ago are about to be touched: are their files still there? */
static dv_status check_rows(dvi_row_gatherer *g, dv_error *err)
{
    const int64_t from = dvi_max_i64(g->checked, g->at);
    g->checked = g->numbered;
    return from < g->numbered
               ? dvi_row_check_ask(&g->check, g->rows + from, g->numbered - from, err)
               : DV_OK;
}

static dv_status add_from_blocks(dvi_row_gatherer *g, const dvi_row_sink *sink, int64_t room,
                                 dv_error *err)
{
    int64_t n;
    DVI_TRY(check_rows(g, err));
    const dv_status status = dvi_gather_blocks_find(g->blocks, g->rows + g->at, g->numbered - g->at,
                                                    room, g->refs, &n, err);
    if (status == DV_END)
        return add_by_themselves(g, sink, 1, err);
    return status == DV_OK ? hand_over(g, sink, n, err) : status;
}

/* --- The way ---------------------------------------------------------------------------------- */

static int64_t most_nbytes(const dvi_gather_plan *plan)
{
    return plan->ascending ? 0 : BLOCKS_NBYTES;
}

static bool makes_single_rows(const dvi_row_gatherer *g)
{
    const dv_cursor_request *request = g->read;
    return dvi_view_makes_single_rows(g->source, request->columns, request->columns_count);
}

/* Read the lender instead, so that all views above it share the blocks that it keeps.  Rows that
 * the source does not have are an error later. */
static void stand_on(dvi_row_gatherer *g, const dvi_lender *lender)
{
    if (!g->plan.keeps_blocks || dv_view_rows(g->source) < g->plan.end_row)
        return;
    g->lent = *g->request;
    g->lent.size = sizeof g->lent;
    g->lent.schema = dv_view_schema(lender->view);
    g->lent.columns = g->lent_columns;
    g->read = &g->lent;
    g->source = lender->view;
    g->first_row = lender->first_row;
    g->plan.end_row += lender->first_row;
}

/* Find the view that stores the columns. */
static dv_status find_lender(dvi_row_gatherer *g, dv_error *err)
{
    const int32_t n = g->read->columns_count;
    if (n == 0 || g->lent_columns)
        return DV_OK;
    DVI_TRY(DVI_NEW(g->request->allocator, &g->lent_columns, (size_t)n, err));
    memcpy(g->lent_columns, g->read->columns, (size_t)n * sizeof *g->lent_columns);
    const dvi_lender lender = dvi_find_lender(g->source, NULL, g->lent_columns, n);
    g->is_stored = dvi_view_depth(lender.view) == 0;
    stand_on(g, &lender);
    return DV_OK;
}

/* Only decoded blocks are kept, and only if they are read by number. */
static bool keeps_blocks(const dvi_row_gatherer *g, int64_t stored)
{
    return g->read == &g->lent && stored > 1 && dvi_view_decodes_blocks(g->source);
}

/* How the source stores its rows decides.  Rows that are costly to make are read by themselves,
 * unless they come block by block: else a block would be made for each of them. */
static way choose_way(dvi_row_gatherer *g)
{
    const dvi_gather_plan *plan = &g->plan;
    const int64_t stored = dv_view_block_rows(g->source);
    const int64_t usual = stored > 1 ? stored : BLOCK_ROWS;
    g->block_plan = (dvi_block_plan){.block_rows = plan->block_rows > 0 ? plan->block_rows : usual,
                                     .end_row = plan->end_row,
                                     .pool_rows = plan->pool_rows,
                                     .most_nbytes = most_nbytes(plan),
                                     .least_rows = plan->window_rows,
                                     .every_block = plan->every_block,
                                     .sequential = stored == 0,
                                     .is_stored = g->is_stored,
                                     .keeps = keeps_blocks(g, stored)};
    const bool reads_any = stored == 1 && dvi_view_class(g->source)->read; /* see own_view.h */
    if (g->read->columns_count == 0 && !g->read->ids && dv_view_rows(g->source) >= plan->end_row)
        return BY_NUMBER; /* and all of them are there */
    if (stored > 0 && plan->pool_rows == 0 && plan->window_rows == 0 &&
        ((reads_any && !plan->every_block) || makes_single_rows(g)))
        return BY_THEMSELVES;
    return stored == 1 && plan->pool_rows == 0 ? UNDECIDED : BY_BLOCKS;
}

/* Prepare the ways other than places.  After a failure it is done again. */
static dv_status prepare(dvi_row_gatherer *g, dv_error *err)
{
    DVI_TRY(find_lender(g, err));
    DVI_TRY(refuse_open_types(g, err));
    if (!g->refs)
        DVI_TRY(DVI_NEW(g->request->allocator, &g->refs, (size_t)g->refs_cap, err));
    const way chosen = choose_way(g);
    if (chosen == BY_BLOCKS)
        DVI_TRY(make_blocks(g, err));
    else if (chosen != BY_NUMBER)
        DVI_TRY(open_single(g, err));
    for (int64_t i = g->at; i < g->numbered; i++)
        g->rows[i] += g->first_row;
    g->way = chosen;
    return DV_OK;
}

/* --- Filling a sink --------------------------------------------------------------------------- */

static dv_status add_from_places(dvi_row_gatherer *g, const dvi_row_sink *sink, int64_t wanted,
                                 dv_error *err)
{
    const int64_t n = dvi_min_i64(g->numbered - g->at, wanted);
    const dv_status status = sink->take_places(sink->ctx, g->places, g->rows + g->at, n, err);
    if (status == DV_NOT_FOUND) {
        dvi_places_free(&g->places);
        g->way = UNPREPARED;
        return DV_OK;
    }
    g->at += status == DV_OK ? n : 0;
    return status;
}

static dv_status add(dvi_row_gatherer *g, const dvi_row_sink *sink, int64_t room, int64_t wanted,
                     dv_error *err)
{
    if (g->way == FROM_PLACES)
        return add_from_places(g, sink, wanted, err);
    if (g->way == UNPREPARED)
        DVI_TRY(prepare(g, err));
    if (g->way == UNDECIDED)
        DVI_TRY(decide(g, err));
    if (g->way == BY_THEMSELVES || g->batch || g->run > 0)
        return add_by_themselves(g, sink, wanted, err);
    if (g->way == BY_BLOCKS)
        return add_from_blocks(g, sink, room, err);
    return hand_over(g, sink, dvi_min_i64(g->numbered - g->at, room), err);
}

/* Is there a next row? */
static bool has_row(dvi_row_gatherer *g, int64_t wanted)
{
    if (g->at == g->numbered) {
        const bool is_ahead = g->is_far || (g->blocks && dvi_gather_blocks_pick(g->blocks));
        const int64_t most = is_ahead ? g->rows_cap : dvi_max_i64(wanted, 1);
        const int64_t n = dvi_min_i64(most, g->rows_cap);
        const int64_t left = dvi_max_i64(g->request->end_row - g->position, 0);
        g->at = g->checked = 0;
        g->numbered = g->numbers.next(g->numbers.ctx, g->position, g->rows, dvi_min_i64(n, left));
        dvi_below_renumber(&g->below, g->request->epoch, g->rows, g->numbered);
        for (int64_t i = 0; g->way != UNPREPARED && g->first_row > 0 && i < g->numbered; i++)
            g->rows[i] += g->first_row;
        g->position += g->numbered;
    }
    return g->at < g->numbered;
}

dv_status dvi_row_gatherer_fill(dvi_row_gatherer *g, const dvi_row_sink *sink, dv_error *err)
{
    dv_status status = DV_OK;
    g->checked = 0;
    dvi_row_check_begin(&g->check);
    while (status == DV_OK) {
        int64_t wanted;
        const int64_t room = dvi_min_i64(sink->room(sink->ctx, &wanted), g->refs_cap);
        if (room <= 0 || !has_row(g, wanted))
            break;
        status = add(g, sink, room, wanted, err);
    }
    return status;
}

static void leave_batch(dvi_row_gatherer *g)
{
    g->run = 0;
    g->batch = NULL;
}

void dvi_row_gatherer_restart(dvi_row_gatherer *g, int64_t position)
{
    leave_batch(g);
    g->position = position;
    g->numbered = g->at = g->checked = 0;
    g->lent.epoch = g->request->epoch;
    if (g->epoch != g->request->epoch)
        dv_cursor_close(&g->single);
    if (g->blocks)
        dvi_gather_blocks_restart(g->blocks);
}

void dvi_row_gatherer_skip(dvi_row_gatherer *g, int64_t n)
{
    const int64_t numbered = dvi_min_i64(n, g->numbered - g->at);
    if (n > 0)
        leave_batch(g);
    if (g->blocks)
        dvi_gather_blocks_done(g->blocks, g->rows + g->at, numbered);
    g->at += numbered;
    g->position += n - numbered;
}

const dvi_below *dvi_row_gatherer_below(const dvi_row_gatherer *g)
{
    return &g->below;
}

const dvi_places *dvi_row_gatherer_places(const dvi_row_gatherer *g)
{
    return g->places;
}

int64_t dvi_row_gatherer_peak(const dvi_row_gatherer *g)
{
    return g->blocks ? dvi_gather_blocks_peak(g->blocks) : 0;
}

/* --- Life ------------------------------------------------------------------------------------- */

/* Rows that the source does not have are an error later. */
static dv_status open_places(dvi_row_gatherer *g, dv_error *err)
{
    const dv_cursor_request *request = g->request;
    if (!g->plan.knows_places || request->ids || dv_view_rows(g->source) < g->plan.end_row)
        return DV_NOT_FOUND;
    const dv_status status = dvi_places_open(&g->places, g->source, request->columns,
                                             request->columns_count, request->allocator, err);
    g->way = status == DV_OK ? FROM_PLACES : UNPREPARED;
    return status;
}

static dv_status set_up(dvi_row_gatherer *g, dv_error *err)
{
    void *rows;
    const int64_t all = g->request->end_row - g->request->first_row;
    const int64_t batch_rows = dvi_min_i64(g->plan.batch_rows, NUMBERS_MOST);
    g->is_far = dvi_view_is_far(g->source);
    g->rows_cap = g->is_far ? NUMBERS_MOST : dvi_max_i64(batch_rows, NUMBERS_FEW);
    g->rows_cap = dvi_min_i64(g->rows_cap, dvi_max_i64(all, NUMBERS_LEAST));
    g->refs_cap = dvi_max_i64(batch_rows, REFS_FEW);
    DVI_TRY(dvi_alloc(g->request->allocator, &rows, (size_t)g->rows_cap * sizeof *g->rows, err));
    g->rows = rows;
    const dv_status status = open_places(g, err);
    return status == DV_NOT_FOUND ? prepare(g, err) : status;
}

/* A plan by blocks means the blocks of the given view. */
static void go_below(dvi_row_gatherer *g, dv_view *source)
{
    dvi_gather_plan *plan = &g->plan;
    g->below.view = source;
    if (plan->pool_rows == 0 && plan->window_rows == 0 && plan->block_rows == 0)
        g->below = dvi_below_of(source);
    g->source = g->below.view;
    if (g->below.n == 0)
        return;
    plan->end_row = dv_view_rows(g->source);
    plan->every_block = plan->ascending = false;
    plan->keeps_blocks = true;
}

dv_status dvi_row_gatherer_create(dvi_row_gatherer **gatherer_out, dv_view *source,
                                  const dv_cursor_request *request, const dvi_gather_plan *plan,
                                  const dvi_row_numbers *numbers, dv_error *err)
{
    void *made;
    *gatherer_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(dvi_row_gatherer), err));
    dvi_row_gatherer *g = made;
    g->plan = *plan;
    g->numbers = *numbers;
    g->request = g->read = request;
    go_below(g, source);
    g->position = request->first_row;
    const dv_status status = set_up(g, err);
    if (status != DV_OK)
        dvi_row_gatherer_free(&g);
    *gatherer_out = g;
    return status;
}

/* The numbers are the caller's to close. */
void dvi_row_gatherer_free(dvi_row_gatherer **gatherer)
{
    dvi_row_gatherer *g = *gatherer;
    *gatherer = NULL;
    if (!g)
        return;
    const dv_allocator *allocator = g->request->allocator;
    dvi_places_free(&g->places);
    dv_cursor_close(&g->single);
    dvi_rows_ahead_free(&g->ahead);
    dvi_gather_blocks_free(&g->blocks);
    dvi_row_check_free(&g->check);
    dvi_free(allocator, g->refs, (size_t)g->refs_cap * sizeof *g->refs);
    dvi_free(allocator, g->rows, (size_t)g->rows_cap * sizeof *g->rows);
    dvi_free(allocator, g->lent_columns, (size_t)g->read->columns_count * sizeof(int32_t));
    dvi_free(allocator, g, sizeof *g);
}
