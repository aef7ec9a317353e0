/* SPDX-License-Identifier: MIT */
/* row_fetch.c: rows of a source by their numbers, in any order, as batches. */
#include "rows/row_fetch.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/view.h"
#include "rows/row_part.h"
#include "rows/row_stock.h"

#define BATCH_ROWS 1024        /* a batch is full with so many rows, or so many bytes */
#define BATCH_NBYTES (1 << 20) /* of a column; where its rows were not asked for in a number */
#define BATCH_NBYTES_MOST (64 << 20)
#define PLACES_MOST 256 /* copied together; fewer where rows are large */
#define PLACES_FIRST 16
#define STOCK_NBYTES (64 << 20) /* of blocks, where rows come in any order */
#define BLOCK_ROWS 1024         /* where rows are not stored in blocks */

/* How rows are had. */
typedef enum way {
    BY_BLOCKS,
    BY_THEMSELVES,
    BY_NUMBER, /* nobody asks for what is in them: nothing is read */
    UNDECIDED  /* until it was tried: as blocks, if these cost nothing */
} way;

struct dvi_row_fetch {
    dvi_fetch_plan plan;
    dvi_row_numbers numbers;
    const dv_cursor_request *request;
    dv_view *source;
    int32_t columns; /* the ids' included, behind the others */
    way way;
    dvi_stock_plan stock_plan;
    dvi_row_stock *stock;
    dv_cursor *single;    /* reads rows by themselves; NULL: not opened */
    int64_t run;          /* rows that it was sent to and has not delivered */
    const dv_batch *part; /* delivered by it and not yet held */

    int64_t rows[BATCH_ROWS]; /* numbers that were told */
    int64_t told, at;         /* how many, and the first one that is neither held nor placed */

    dvi_place places[PLACES_MOST]; /* of rows before `at`, not yet held */
    int64_t placed, places_most;

    dvi_gather *gather; /* what is held: each column, and the ids behind them */
    int64_t held;
    int64_t row_nbytes; /* of the widest column, as rows were until now; 0: not known */
    bool is_full;       /* no column takes more */
    int64_t peak;

    dv_status ended; /* what the next call says, when rows before it were delivered */
    dv_error error;
};

/* --- What is held ----------------------------------------------------------------------------- */

static const dv_type *type_of(const dvi_row_fetch *f, int32_t k, dv_type *id)
{
    *id = dv_type_of(DV_KIND_UG);
    return k < f->request->columns_count
               ? &dv_schema_column(f->request->schema, f->request->columns[k])->type
               : id;
}

static int64_t rows_wanted(const dvi_row_fetch *f)
{
    return f->request->batch_rows > 0 ? f->request->batch_rows : BATCH_ROWS;
}

/* The bytes of the widest column that is held. */
static int64_t held_nbytes(const dvi_row_fetch *f)
{
    int64_t most = 0;
    dv_type id;
    for (int32_t k = 0; k < f->columns; k++)
        most = dvi_max_i64(most, dvi_lanes_nbytes(&f->gather[k], type_of(f, k, &id)));
    return most;
}

/* If not, so many rows are placed next that the batch does not become much larger than it should.
 */
static bool is_full(dvi_row_fetch *f)
{
    const int64_t most = f->request->batch_rows > 0 ? BATCH_NBYTES_MOST : BATCH_NBYTES;
    const int64_t nbytes = held_nbytes(f), wanted = rows_wanted(f);
    if (f->is_full || f->held >= wanted || nbytes >= most)
        return true;
    if (f->held > 0)
        f->row_nbytes = dvi_max_i64(nbytes / f->held, 1);
    const int64_t fit = f->row_nbytes > 0 ? (most - nbytes) / f->row_nbytes : PLACES_FIRST;
    const int64_t rows = dvi_min_i64(dvi_min_i64(fit, PLACES_MOST), wanted - f->held);
    f->places_most = dvi_max_i64(rows, 1);
    return false;
}

static dv_status reserve_places(dvi_row_fetch *f, int64_t n, dv_error *err)
{
    dv_type id;
    for (int32_t k = 0; k < f->columns; k++)
        DVI_TRY(dvi_lanes_reserve(&f->gather[k], type_of(f, k, &id), k, f->places, n,
                                  f->request->allocator, err));
    return DV_OK;
}

/* Hold the rows that were placed, or as many as one batch can have of their text: all columns or
 * none.  The others are placed again. */
static dv_status hold_places(dvi_row_fetch *f, dv_error *err)
{
    dv_type id;
    int64_t n = f->placed;
    dv_status status = reserve_places(f, n, err);
    while (status == DV_ERR_LIMIT && n > 1) {
        n /= 2;
        status = reserve_places(f, n, err);
    }
    const int64_t first = f->at - f->placed;
    f->placed = 0;
    f->at = status == DV_OK ? first + n : first;
    if (status == DV_ERR_LIMIT && f->held > 0) {
        f->is_full = true;
        return DV_OK;
    }
    DVI_TRY(status);
    for (int32_t k = 0; k < f->columns; k++)
        dvi_lanes_append(&f->gather[k], type_of(f, k, &id), k, f->places, n);
    dvi_row_stock_done(f->stock, f->rows + first, n);
    f->held += n;
    return DV_OK;
}

/* --- Rows by themselves ----------------------------------------------------------------------- */

/* Rows that follow each other are read together; one that a block does not have is read alone. */
static int64_t run_length(const dvi_row_fetch *f)
{
    int64_t n = 1;
    while (f->way == BY_THEMSELVES && f->at + n < f->told &&
           f->rows[f->at + n] == f->rows[f->at] + n)
        n++;
    return n;
}

static dv_status open_single(dvi_row_fetch *f, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = f->request->columns;
    options.columns_count = f->request->columns_count;
    options.ids = f->request->ids;
    options.threads = 1; /* rows that are far from each other are not read ahead */
    return f->single ? DV_OK : dv_cursor_open(&f->single, f->source, &options, err);
}

/* Let f->part be the next rows. */
static dv_status read_part(dvi_row_fetch *f, dv_error *err)
{
    DVI_TRY(open_single(f, err));
    if (f->run == 0) {
        const int64_t n = run_length(f), first = f->rows[f->at];
        DVI_TRY(dvi_cursor_seek(f->single, first, first + n, err));
        f->run = n;
    }
    const dv_status status = dv_cursor_next(f->single, &f->part, err);
    if (status == DV_END)
        return dvi_fail(err, DV_ERR_CORRUPT, "", -1, f->plan.what, "row %lld|the last row",
                        (long long)f->rows[f->at]);
    return status;
}

static dv_column_view column_of(const dvi_row_fetch *f, int32_t k)
{
    return k < f->request->columns_count ? *dv_batch_column(f->part, k)
                                         : dvi_batch_ids_column(f->part, f->part->rows);
}

/* Copy the part behind what is held, if one batch can have it; all columns or none. */
static dv_status hold_part(dvi_row_fetch *f, dv_error *err)
{
    const int64_t rows = f->part->rows;
    for (int32_t k = 0; k < f->columns; k++) {
        const dv_column_view column = column_of(f, k);
        const dv_status status =
            dvi_gather_reserve(&f->gather[k], &column, rows, f->request->allocator, err);
        f->is_full = status == DV_ERR_LIMIT && f->held > 0;
        if (f->is_full)
            return DV_OK;
        DVI_TRY(status);
    }
    for (int32_t k = 0; k < f->columns; k++) {
        const dv_column_view column = column_of(f, k);
        dvi_gather_append(&f->gather[k], &column, rows);
    }
    f->held += rows;
    f->at += rows;
    f->run -= rows;
    f->part = NULL;
    return DV_OK;
}

static dv_status add_by_themselves(dvi_row_fetch *f, dv_error *err)
{
    if (!f->part)
        DVI_TRY(read_part(f, err));
    return hold_part(f, err);
}

/* --- Rows of blocks --------------------------------------------------------------------------- */

static dv_status make_stock(dvi_row_fetch *f, dv_error *err)
{
    return dvi_row_stock_create(&f->stock, f->source, f->request, &f->stock_plan, err);
}

/* Are the rows of a batch there anyway, mapped or kept in memory, and more than one at a time? */
static bool is_free(const dvi_row_fetch *f, const dv_batch *batch)
{
    for (int32_t k = 0; k < f->request->columns_count; k++)
        if (!dvi_row_part_is_free(dv_batch_column(batch, k)))
            return false;
    return batch->rows > 1;
}

/* Read some rows as a block would be.  If they cost nothing, then blocks it shall be. */
static dv_status decide(dvi_row_fetch *f, dv_error *err)
{
    const dv_batch *batch;
    const int64_t rows = f->stock_plan.block_rows, first = f->rows[f->at] / rows * rows;
    DVI_TRY(open_single(f, err));
    DVI_TRY(dvi_cursor_seek(f->single, first, dvi_min_i64(first + rows, f->plan.end_row), err));
    const dv_status status = dv_cursor_next(f->single, &batch, err);
    if (status == DV_ERR_MEMORY)
        return status;
    const bool by_blocks = status == DV_OK && is_free(f, batch);
    if (by_blocks)
        DVI_TRY(make_stock(f, err));
    f->way = by_blocks ? BY_BLOCKS : BY_THEMSELVES;
    return DV_OK;
}

/* Place rows until there are enough, or one whose block is not there. */
static void find_places(dvi_row_fetch *f)
{
    const int64_t n = dvi_min_i64(f->told - f->at, f->places_most);
    f->placed = dvi_row_stock_find(f->stock, f->rows + f->at, n, f->places);
    f->at += f->placed;
}

/* Other blocks may go when one is read, so what was placed is held before. */
static dv_status add_from_blocks(dvi_row_fetch *f, dv_error *err)
{
    if (!f->stock) /* there was no memory for it when the numbers started anew */
        DVI_TRY(make_stock(f, err));
    find_places(f);
    if (f->placed > 0)
        return hold_places(f, err);
    const dv_status status = dvi_row_stock_load(f->stock, f->rows[f->at], err);
    f->peak = dvi_max_i64(f->peak, dvi_row_stock_nbytes(f->stock));
    return status == DV_END ? add_by_themselves(f, err) : status;
}

static dv_status add(dvi_row_fetch *f, dv_error *err)
{
    if (f->way == UNDECIDED)
        DVI_TRY(decide(f, err));
    if (f->way == BY_THEMSELVES || f->part || f->run > 0)
        return add_by_themselves(f, err);
    return add_from_blocks(f, err);
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* Is there a next row? */
static bool has_row(dvi_row_fetch *f)
{
    if (f->at == f->told) {
        const int64_t more = dvi_max_i64(rows_wanted(f) - f->held, 1);
        f->at = 0;
        f->told = f->numbers.next(f->numbers.ctx, f->rows, dvi_min_i64(BATCH_ROWS, more));
    }
    return f->at < f->told;
}

static dv_status fill(dvi_row_fetch *f, int64_t first_row, dv_batch *batch, dv_error *err)
{
    DVI_TRY(dv_batch_start(batch, first_row, f->held, err));
    for (int32_t k = 0; k < f->columns; k++) {
        dvi_column column;
        dv_type id;
        dvi_gather_view(&f->gather[k], type_of(f, k, &id), &column);
        if (k == f->request->columns_count)
            dvi_batch_lend_ids(batch, &column.view.as.fixed.values);
        else
            dvi_batch_set_slot(batch, k, &column.view);
        dvi_gather_reset(&f->gather[k]);
    }
    f->held = 0;
    f->is_full = false;
    return DV_OK;
}

static dv_status count(dvi_row_fetch *f)
{
    while (f->held < rows_wanted(f) && has_row(f)) {
        f->held += f->told - f->at;
        f->at = f->told;
    }
    return DV_OK;
}

/* Hold rows until the batch is full.  What cannot be read is told when all before is delivered. */
static dv_status collect(dvi_row_fetch *f, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    while (!is_full(f) && has_row(f)) {
        const dv_status status = add(f, &own);
        if (status < 0 && (status == DV_ERR_MEMORY || f->held == 0)) {
            if (err)
                *err = own;
            return status;
        }
        if (status < 0) {
            f->ended = status;
            f->error = own;
            return DV_OK;
        }
    }
    return DV_OK;
}

dv_status dvi_row_fetch_next(dvi_row_fetch *f, int64_t first_row, dv_batch *batch, dv_error *err)
{
    if (f->ended != DV_OK) {
        if (err)
            *err = f->error;
        return f->ended;
    }
    if (f->way == BY_BLOCKS) /* blocks read long ago are about to be touched */
        DVI_TRY(dvi_view_check(f->source, err));
    DVI_TRY(f->way == BY_NUMBER ? count(f) : collect(f, err));
    return f->held > 0 ? fill(f, first_row, batch, err) : DV_END;
}

/* --- Life ------------------------------------------------------------------------------------- */

dv_status dvi_row_fetch_restart(dvi_row_fetch *f, dv_error *err)
{
    f->told = f->at = f->placed = f->run = f->held = 0;
    f->part = NULL;
    f->is_full = false;
    f->ended = DV_OK;
    for (int32_t k = 0; k < f->columns; k++)
        dvi_gather_reset(&f->gather[k]);
    f->stock_plan.every_block = false;
    if (f->way != BY_BLOCKS || f->plan.pool_rows == 0)
        return DV_OK;
    dvi_row_stock_free(&f->stock); /* it does not know which rows will come */
    return make_stock(f, err);
}

int64_t dvi_row_fetch_peak(const dvi_row_fetch *f)
{
    return f->peak;
}

/* Chosen by how the rows of the source lie. */
static void choose_way(dvi_row_fetch *f)
{
    const int64_t stored = dv_view_block_rows(f->source);
    const int64_t usual = stored > 1 ? stored : BLOCK_ROWS;
    f->stock_plan =
        (dvi_stock_plan){.block_rows = f->plan.block_rows > 0 ? f->plan.block_rows : usual,
                         .end_row = f->plan.end_row,
                         .pool_rows = f->plan.pool_rows,
                         .most_nbytes = f->plan.ascend ? 0 : STOCK_NBYTES,
                         .least_rows = f->plan.window_rows,
                         .every_block = f->plan.every_block,
                         .walks = stored == 0};
    f->way = stored == 1 && f->plan.pool_rows == 0 ? UNDECIDED : BY_BLOCKS;
    if (f->columns == 0 && dv_view_rows(f->source) >= f->plan.end_row)
        f->way = BY_NUMBER; /* and all of them are there */
}

static dv_status set_up(dvi_row_fetch *f, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(f->request->allocator, &made, (size_t)f->columns * sizeof *f->gather,
                             err));
    f->gather = made;
    choose_way(f);
    if (f->way == BY_NUMBER)
        return DV_OK;
    return f->way == BY_BLOCKS ? make_stock(f, err) : open_single(f, err);
}

dv_status dvi_row_fetch_create(dvi_row_fetch **fetch_out, dv_view *source,
                               const dv_cursor_request *request, const dvi_fetch_plan *plan,
                               const dvi_row_numbers *numbers, dv_error *err)
{
    void *made;
    *fetch_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(dvi_row_fetch), err));
    dvi_row_fetch *f = made;
    f->plan = *plan;
    f->numbers = *numbers;
    f->request = request;
    f->source = source;
    f->columns = request->columns_count + request->ids;
    const dv_status status = set_up(f, err);
    if (status < 0)
        dvi_row_fetch_free(&f);
    *fetch_out = f;
    return status;
}

void dvi_row_fetch_free(dvi_row_fetch **fetch)
{
    dvi_row_fetch *f = *fetch;
    *fetch = NULL;
    if (!f)
        return;
    const dv_allocator *allocator = f->request->allocator;
    dv_cursor_close(&f->single);
    dvi_row_stock_free(&f->stock);
    for (int32_t k = 0; f->gather && k < f->columns; k++)
        dvi_gather_free(&f->gather[k]);
    dvi_free(allocator, f->gather, (size_t)f->columns * sizeof *f->gather);
    dvi_free(allocator, f, sizeof *f);
}
