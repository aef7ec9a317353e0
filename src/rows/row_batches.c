/* SPDX-License-Identifier: MIT */
/* row_batches.c: rows of a source by their numbers, in any order, as batches. */
#include "rows/row_batches.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/view.h"
#include "rows/block_cache.h"
#include "rows/kept_batch.h"

#define BATCH_ROWS 1024        /* a batch is full with so many rows, or so many bytes */
#define BATCH_NBYTES (1 << 20) /* of a column; where its rows were not asked for in a number */
#define BATCH_NBYTES_MOST (64 << 20)
#define REFS_MOST 256 /* copied together; fewer where rows are large */
#define REFS_FIRST 16
#define BLOCKS_NBYTES (64 << 20) /* of blocks, where rows come in any order */
#define BLOCK_ROWS 1024          /* where rows are not stored in blocks */

/* How rows are had. */
typedef enum way {
    BY_BLOCKS,
    BY_THEMSELVES,
    BY_NUMBER, /* nobody asks for what is in them: nothing is read */
    UNDECIDED  /* until it was tried: as blocks, if these cost nothing */
} way;

struct dvi_row_batches {
    dvi_gather_plan plan;
    dvi_row_numbers numbers;
    const dv_cursor_request *request;
    dv_view *source;
    int32_t columns; /* the ids' included, behind the others */
    way way;
    dvi_block_plan block_plan;
    dvi_block_cache *blocks;
    dv_cursor *single;    /* reads rows by themselves; NULL: not opened */
    int64_t run;          /* rows that it was sent to and has not delivered */
    const dv_batch *part; /* delivered by it and not yet held */

    int64_t rows[BATCH_ROWS]; /* numbers that were told */
    int64_t told, at;         /* how many, and the first one that is neither held nor found */

    dvi_row_ref refs[REFS_MOST]; /* of rows before `at`, not yet held */
    int64_t found, refs_most;

    dvi_gather *gather; /* what is held: each column, and the ids behind them */
    int64_t held;
    int64_t row_nbytes; /* of the widest column, as rows were until now; 0: not known */
    bool is_full;       /* no column takes more */
    int64_t peak;

    dv_status ended; /* what the next call says, when rows before it were delivered */
    dv_error error;
};

/* --- What is held ----------------------------------------------------------------------------- */

static const dv_type *type_of(const dvi_row_batches *b, int32_t k, dv_type *id)
{
    *id = dv_type_of(DV_KIND_UG);
    return k < b->request->columns_count
               ? &dv_schema_column(b->request->schema, b->request->columns[k])->type
               : id;
}

static int64_t rows_wanted(const dvi_row_batches *b)
{
    return b->request->batch_rows > 0 ? b->request->batch_rows : BATCH_ROWS;
}

/* The bytes of the widest column that is held. */
static int64_t held_nbytes(const dvi_row_batches *b)
{
    int64_t most = 0;
    dv_type id;
    for (int32_t k = 0; k < b->columns; k++)
        most = dvi_max_i64(most, dvi_row_refs_nbytes(&b->gather[k], type_of(b, k, &id)));
    return most;
}

/* If not, so many rows are found next that the batch does not become much larger than it should.
 */
static bool is_full(dvi_row_batches *b)
{
    const int64_t most = b->request->batch_rows > 0 ? BATCH_NBYTES_MOST : BATCH_NBYTES;
    const int64_t nbytes = held_nbytes(b), wanted = rows_wanted(b);
    if (b->is_full || b->held >= wanted || nbytes >= most)
        return true;
    if (b->held > 0)
        b->row_nbytes = dvi_max_i64(nbytes / b->held, 1);
    const int64_t fit = b->row_nbytes > 0 ? (most - nbytes) / b->row_nbytes : REFS_FIRST;
    const int64_t rows = dvi_min_i64(dvi_min_i64(fit, REFS_MOST), wanted - b->held);
    b->refs_most = dvi_max_i64(rows, 1);
    return false;
}

static dv_status reserve_refs(dvi_row_batches *b, int64_t n, dv_error *err)
{
    dv_type id;
    for (int32_t k = 0; k < b->columns; k++)
        DVI_TRY(dvi_row_refs_reserve(&b->gather[k], type_of(b, k, &id), k, b->refs, n,
                                     b->request->allocator, err));
    return DV_OK;
}

/* Hold the rows that were found, or as many as one batch can have of their text: all columns or
 * none.  The others are found again. */
static dv_status hold_refs(dvi_row_batches *b, dv_error *err)
{
    dv_type id;
    int64_t n = b->found;
    dv_status status = reserve_refs(b, n, err);
    while (status == DV_ERR_LIMIT && n > 1) {
        n /= 2;
        status = reserve_refs(b, n, err);
    }
    const int64_t first = b->at - b->found;
    b->found = 0;
    b->at = status == DV_OK ? first + n : first;
    if (status == DV_ERR_LIMIT && b->held > 0) {
        b->is_full = true;
        return DV_OK;
    }
    DVI_TRY(status);
    for (int32_t k = 0; k < b->columns; k++)
        dvi_row_refs_append(&b->gather[k], type_of(b, k, &id), k, b->refs, n);
    dvi_block_cache_done(b->blocks, b->rows + first, n);
    b->held += n;
    return DV_OK;
}

/* --- Rows by themselves ----------------------------------------------------------------------- */

/* Rows that follow each other are read together; one that a block does not have is read alone. */
static int64_t run_length(const dvi_row_batches *b)
{
    int64_t n = 1;
    while (b->way == BY_THEMSELVES && b->at + n < b->told &&
           b->rows[b->at + n] == b->rows[b->at] + n)
        n++;
    return n;
}

static dv_status open_single(dvi_row_batches *b, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = b->request->columns;
    options.columns_count = b->request->columns_count;
    options.ids = b->request->ids;
    options.threads = 1; /* rows that are far from each other are not read ahead */
    return b->single ? DV_OK : dv_cursor_open(&b->single, b->source, &options, err);
}

/* Let b->part be the next rows. */
static dv_status read_part(dvi_row_batches *b, dv_error *err)
{
    DVI_TRY(open_single(b, err));
    if (b->run == 0) {
        const int64_t n = run_length(b), first = b->rows[b->at];
        DVI_TRY(dvi_cursor_seek(b->single, first, first + n, err));
        b->run = n;
    }
    const dv_status status = dv_cursor_next(b->single, &b->part, err);
    if (status == DV_END)
        return dvi_fail(err, DV_ERR_CORRUPT, "", -1, b->plan.what, "row %lld|the last row",
                        (long long)b->rows[b->at]);
    return status;
}

static dv_column_view column_of(const dvi_row_batches *b, int32_t k)
{
    return k < b->request->columns_count ? *dv_batch_column(b->part, k)
                                         : dvi_batch_ids_column(b->part, b->part->rows);
}

/* Copy the part behind what is held, if one batch can have it; all columns or none. */
static dv_status hold_part(dvi_row_batches *b, dv_error *err)
{
    const int64_t rows = b->part->rows;
    for (int32_t k = 0; k < b->columns; k++) {
        const dv_column_view column = column_of(b, k);
        const dv_status status =
            dvi_gather_reserve(&b->gather[k], &column, rows, b->request->allocator, err);
        b->is_full = status == DV_ERR_LIMIT && b->held > 0;
        if (b->is_full)
            return DV_OK;
        DVI_TRY(status);
    }
    for (int32_t k = 0; k < b->columns; k++) {
        const dv_column_view column = column_of(b, k);
        dvi_gather_append(&b->gather[k], &column, rows);
    }
    b->held += rows;
    b->at += rows;
    b->run -= rows;
    b->part = NULL;
    return DV_OK;
}

static dv_status add_by_themselves(dvi_row_batches *b, dv_error *err)
{
    if (!b->part)
        DVI_TRY(read_part(b, err));
    return hold_part(b, err);
}

/* --- Rows of blocks --------------------------------------------------------------------------- */

static dv_status make_blocks(dvi_row_batches *b, dv_error *err)
{
    return dvi_block_cache_create(&b->blocks, b->source, b->request, &b->block_plan, err);
}

/* Are the rows of a batch there anyway, mapped or kept in memory, and more than one at a time? */
static bool is_free(const dvi_row_batches *b, const dv_batch *batch)
{
    for (int32_t k = 0; k < b->request->columns_count; k++)
        if (!dvi_kept_batch_is_free(dv_batch_column(batch, k)))
            return false;
    return batch->rows > 1;
}

/* Read some rows as a block would be.  If they cost nothing, then blocks it shall be. */
static dv_status decide(dvi_row_batches *b, dv_error *err)
{
    const dv_batch *batch;
    const int64_t rows = b->block_plan.block_rows, first = b->rows[b->at] / rows * rows;
    DVI_TRY(open_single(b, err));
    DVI_TRY(dvi_cursor_seek(b->single, first, dvi_min_i64(first + rows, b->plan.end_row), err));
    const dv_status status = dv_cursor_next(b->single, &batch, err);
    if (status == DV_ERR_MEMORY)
        return status;
    const bool by_blocks = status == DV_OK && is_free(b, batch);
    if (by_blocks)
        DVI_TRY(make_blocks(b, err));
    b->way = by_blocks ? BY_BLOCKS : BY_THEMSELVES;
    return DV_OK;
}

/* Place rows until there are enough, or one whose block is not there. */
static void find_refs(dvi_row_batches *b)
{
    const int64_t n = dvi_min_i64(b->told - b->at, b->refs_most);
    b->found = dvi_block_cache_find(b->blocks, b->rows + b->at, n, b->refs);
    b->at += b->found;
}

/* Other blocks may go when one is read, so what was found is held before. */
static dv_status add_from_blocks(dvi_row_batches *b, dv_error *err)
{
    if (!b->blocks) /* there was no memory for it when the numbers started anew */
        DVI_TRY(make_blocks(b, err));
    find_refs(b);
    if (b->found > 0)
        return hold_refs(b, err);
    const dv_status status = dvi_block_cache_load(b->blocks, b->rows[b->at], err);
    b->peak = dvi_max_i64(b->peak, dvi_block_cache_nbytes(b->blocks));
    return status == DV_END ? add_by_themselves(b, err) : status;
}

static dv_status add(dvi_row_batches *b, dv_error *err)
{
    if (b->way == UNDECIDED)
        DVI_TRY(decide(b, err));
    if (b->way == BY_THEMSELVES || b->part || b->run > 0)
        return add_by_themselves(b, err);
    return add_from_blocks(b, err);
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* Is there a next row? */
static bool has_row(dvi_row_batches *b)
{
    if (b->at == b->told) {
        const int64_t more = dvi_max_i64(rows_wanted(b) - b->held, 1);
        b->at = 0;
        b->told = b->numbers.next(b->numbers.ctx, b->rows, dvi_min_i64(BATCH_ROWS, more));
    }
    return b->at < b->told;
}

static dv_status fill(dvi_row_batches *b, int64_t first_row, dv_batch *batch, dv_error *err)
{
    DVI_TRY(dv_batch_start(batch, first_row, b->held, err));
    for (int32_t k = 0; k < b->columns; k++) {
        dvi_column column;
        dv_type id;
        dvi_gather_view(&b->gather[k], type_of(b, k, &id), &column);
        if (k == b->request->columns_count)
            dvi_batch_lend_ids(batch, &column.view.as.fixed.values);
        else
            dvi_batch_set_slot(batch, k, &column.view);
        dvi_gather_reset(&b->gather[k]);
    }
    b->held = 0;
    b->is_full = false;
    return DV_OK;
}

static dv_status count(dvi_row_batches *b)
{
    while (b->held < rows_wanted(b) && has_row(b)) {
        b->held += b->told - b->at;
        b->at = b->told;
    }
    return DV_OK;
}

/* Hold rows until the batch is full.  What cannot be read is told when all before is delivered. */
static dv_status collect(dvi_row_batches *b, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    while (!is_full(b) && has_row(b)) {
        const dv_status status = add(b, &own);
        if (status < 0 && (status == DV_ERR_MEMORY || b->held == 0)) {
            if (err)
                *err = own;
            return status;
        }
        if (status < 0) {
            b->ended = status;
            b->error = own;
            return DV_OK;
        }
    }
    return DV_OK;
}

dv_status dvi_row_batches_next(dvi_row_batches *b, int64_t first_row, dv_batch *batch,
                               dv_error *err)
{
    if (b->ended != DV_OK) {
        if (err)
            *err = b->error;
        return b->ended;
    }
    if (b->way == BY_BLOCKS) /* blocks read long ago are about to be touched */
        DVI_TRY(dvi_view_check(b->source, err));
    DVI_TRY(b->way == BY_NUMBER ? count(b) : collect(b, err));
    return b->held > 0 ? fill(b, first_row, batch, err) : DV_END;
}

/* --- Life ------------------------------------------------------------------------------------- */

dv_status dvi_row_batches_restart(dvi_row_batches *b, dv_error *err)
{
    b->told = b->at = b->found = b->run = b->held = 0;
    b->part = NULL;
    b->is_full = false;
    b->ended = DV_OK;
    for (int32_t k = 0; k < b->columns; k++)
        dvi_gather_reset(&b->gather[k]);
    b->block_plan.every_block = false;
    if (b->way != BY_BLOCKS || b->plan.pool_rows == 0)
        return DV_OK;
    dvi_block_cache_free(&b->blocks); /* it does not know which rows will come */
    return make_blocks(b, err);
}

int64_t dvi_row_batches_peak(const dvi_row_batches *b)
{
    return b->peak;
}

/* Chosen by how the rows of the source lie. */
static void choose_way(dvi_row_batches *b)
{
    const int64_t stored = dv_view_block_rows(b->source);
    const int64_t usual = stored > 1 ? stored : BLOCK_ROWS;
    b->block_plan =
        (dvi_block_plan){.block_rows = b->plan.block_rows > 0 ? b->plan.block_rows : usual,
                         .end_row = b->plan.end_row,
                         .pool_rows = b->plan.pool_rows,
                         .most_nbytes = b->plan.ascending ? 0 : BLOCKS_NBYTES,
                         .least_rows = b->plan.window_rows,
                         .every_block = b->plan.every_block,
                         .sequential = stored == 0};
    b->way = stored == 1 && b->plan.pool_rows == 0 ? UNDECIDED : BY_BLOCKS;
    if (b->columns == 0 && dv_view_rows(b->source) >= b->plan.end_row)
        b->way = BY_NUMBER; /* and all of them are there */
}

static dv_status set_up(dvi_row_batches *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(b->request->allocator, &made, (size_t)b->columns * sizeof *b->gather,
                             err));
    b->gather = made;
    choose_way(b);
    if (b->way == BY_NUMBER)
        return DV_OK;
    return b->way == BY_BLOCKS ? make_blocks(b, err) : open_single(b, err);
}

dv_status dvi_row_batches_create(dvi_row_batches **batches_out, dv_view *source,
                                 const dv_cursor_request *request, const dvi_gather_plan *plan,
                                 const dvi_row_numbers *numbers, dv_error *err)
{
    void *made;
    *batches_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(dvi_row_batches), err));
    dvi_row_batches *b = made;
    b->plan = *plan;
    b->numbers = *numbers;
    b->request = request;
    b->source = source;
    b->columns = request->columns_count + request->ids;
    const dv_status status = set_up(b, err);
    if (status < 0)
        dvi_row_batches_free(&b);
    *batches_out = b;
    return status;
}

void dvi_row_batches_free(dvi_row_batches **batches)
{
    dvi_row_batches *b = *batches;
    *batches = NULL;
    if (!b)
        return;
    const dv_allocator *allocator = b->request->allocator;
    dv_cursor_close(&b->single);
    dvi_block_cache_free(&b->blocks);
    for (int32_t k = 0; b->gather && k < b->columns; k++)
        dvi_gather_free(&b->gather[k]);
    dvi_free(allocator, b->gather, (size_t)b->columns * sizeof *b->gather);
    dvi_free(allocator, b, sizeof *b);
}
