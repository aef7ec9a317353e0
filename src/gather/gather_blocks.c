/* SPDX-License-Identifier: MIT */
/* gather_blocks.c: rows of blocks, found in the blocks, or picked in the order of the blocks and
 * found by their numbers. */
#include "gather/gather_blocks.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/sort.h"
#include "gather/gathered_rows.h"
#include "gather/kept_blocks.h"
#include "gather/rows_ahead.h"

#define ROWS_FIRST 64 /* while the size of a row is unknown */
#define ROWS_FEW 1024 /* picked at once; then 8 times as many, so that the first ones come soon */
#define GROWTH 8
#define REFS_AT_ONCE 16 /* between two looks at the memory that they take */

struct dvi_gather_blocks {
    const dv_cursor_request *request;
    dvi_block_cache *cache;
    int64_t most_nbytes; /* blocks may take */
    int64_t ahead;       /* rows that may be picked together; 0: none */
    int64_t peak;
    dvi_rows_ahead *rows_ahead; /* NULL: reading is not slow */
    dvi_kept_blocks *by_source; /* blocks that the source keeps, which need not be announced, */
    dvi_block_key *key;         /* under this key; NULL: it keeps none */
    int64_t block_rows;

    dvi_gathered_rows copies;
    dvi_kept_batch *kept;     /* they, so that each is found at once; NULL: nothing is copied */
    uint64_t *rows, *scratch; /* their numbers, rising, each once; NULL: not needed until now */
    int64_t *at;              /* the place of each among the copies; -1: not copied */
    int64_t n, copied;
    int64_t left;       /* rows that come next were looked up */
    int64_t last;       /* were looked up together last */
    int64_t row_nbytes; /* as rows were until now; 0: unknown */
};

/* --- Life ------------------------------------------------------------------------------------- */

static dv_status open_ahead(dvi_gather_blocks *b, dv_view *source, const dvi_block_plan *plan,
                            dv_error *err)
{
    DVI_TRY(dvi_rows_ahead_create(&b->rows_ahead, source, b->request, err));
    if (b->rows_ahead && plan->keeps)
        DVI_TRY(dvi_kept_blocks_of(&b->by_source, source, err));
    return b->by_source ? dvi_block_key_create(&b->key, source, b->request, err) : DV_OK;
}

dv_status dvi_gather_blocks_create(dvi_gather_blocks **blocks_out, dv_view *source,
                                   const dv_cursor_request *request, const dvi_block_plan *plan,
                                   int64_t ahead, dv_error *err)
{
    dvi_gather_blocks *b;
    *blocks_out = NULL;
    DVI_TRY(DVI_NEW(request->allocator, &b, 1, err));
    b->request = request;
    b->most_nbytes = plan->most_nbytes;
    b->ahead = ahead;
    b->block_rows = plan->block_rows;
    dv_status status = dvi_block_cache_create(&b->cache, source, request, plan, err);
    if (status == DV_OK && !plan->sequential)
        status = open_ahead(b, source, plan, err);
    if (status != DV_OK)
        dvi_gather_blocks_free(&b);
    *blocks_out = b;
    return status;
}

void dvi_gather_blocks_free(dvi_gather_blocks **blocks)
{
    dvi_gather_blocks *b = *blocks;
    *blocks = NULL;
    if (!b)
        return;
    const dv_allocator *allocator = b->request->allocator;
    dvi_block_cache_free(&b->cache);
    dvi_rows_ahead_free(&b->rows_ahead);
    dvi_block_key_release(&b->key);
    dvi_kept_batch_free(b->kept, allocator);
    dvi_gathered_free(&b->copies);
    dvi_free(allocator, b->rows, (size_t)b->ahead * sizeof *b->rows);
    dvi_free(allocator, b->scratch, (size_t)b->ahead * sizeof *b->scratch);
    dvi_free(allocator, b->at, (size_t)b->ahead * sizeof *b->at);
    dvi_free(allocator, b, sizeof *b);
}

/* Before the first rows are picked. */
static dv_status make_lists(dvi_gather_blocks *b, dv_error *err)
{
    const dv_allocator *allocator = b->request->allocator;
    const size_t n = (size_t)b->ahead;
    if (!b->copies.column)
        DVI_TRY(dvi_gathered_make(&b->copies, b->request, err));
    if (!b->rows)
        DVI_TRY(DVI_NEW(allocator, &b->rows, n, err));
    if (!b->scratch)
        DVI_TRY(DVI_NEW(allocator, &b->scratch, n, err));
    return b->at ? DV_OK : DVI_NEW(allocator, &b->at, n, err);
}

/* --- Picking rows ----------------------------------------------------------------------------- */

/* As many rows as memory is for, as far as rows are known. */
static int64_t room_of(const dvi_gather_blocks *b)
{
    const int64_t fit = b->row_nbytes > 0 ? DVI_PICKS_NBYTES / b->row_nbytes : ROWS_FIRST;
    const int64_t most = dvi_min_i64(b->ahead, dvi_max_i64(ROWS_FEW, GROWTH * b->last));
    return dvi_max_i64(dvi_min_i64(fit, most), 1);
}

static void list_rows(dvi_gather_blocks *b, const int64_t *rows, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        b->rows[i] = (uint64_t)rows[i];
    dvi_sort_u64(b->rows, b->scratch, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || b->rows[i] != b->rows[kept - 1])
            b->rows[kept++] = b->rows[i];
    b->n = kept;
    b->copied = 0;
    for (int64_t i = 0; i < kept; i++)
        b->at[i] = -1;
    dvi_kept_batch_free(b->kept, b->request->allocator);
    b->kept = NULL;
    dvi_gathered_reset(&b->copies);
}

/* Copy rows that were found, from number `first` of the list on.  DV_END: no more fit in. */
static dv_status append(dvi_gather_blocks *b, int64_t first, const dvi_row_ref *refs, int64_t n,
                        dv_error *err)
{
    const dv_status status = dvi_gathered_add(&b->copies, 0, b->copies.columns, refs, n, err);
    if (status == DV_ERR_LIMIT)
        return DV_END;
    DVI_TRY(status);
    for (int64_t i = 0; i < n; i++)
        b->at[first + i] = b->copied++;
    return dvi_gathered_nbytes(&b->copies) < DVI_PICKS_NBYTES ? DV_OK : DV_END;
}

static bool is_listed(const dvi_gather_blocks *b, const int64_t *list, int64_t n, int64_t row)
{
    int64_t i = 0;
    while (i < n && list[i] / b->block_rows != row / b->block_rows)
        i++;
    return i < n;
}

/* Is the block of a row kept, here or by the source? */
static bool is_here(const dvi_gather_blocks *b, int64_t row)
{
    dvi_row_ref ref;
    if (dvi_block_cache_find(b->cache, &row, 1, &ref) == 1)
        return true;
    dvi_kept_block *kept =
        b->key ? dvi_kept_blocks_find(b->by_source, b->key, row / b->block_rows) : NULL;
    const bool is_kept = kept != NULL;
    dvi_kept_block_release(&kept);
    return is_kept;
}

/* Announce the blocks of n rows that come next, of which the first is about to be read. */
static void announce(dvi_gather_blocks *b, const int64_t *rows, int64_t n)
{
    int64_t list[DVI_ROWS_AHEAD_MOST], count = 0;
    if (!dvi_rows_ahead_are_due(b->rows_ahead))
        return;
    for (int64_t i = 0; i < n && count < DVI_ROWS_AHEAD_MOST; i++)
        if (!is_listed(b, list, count, rows[i]) && !is_here(b, rows[i]))
            list[count++] = rows[i];
    dvi_rows_ahead_announce(b->rows_ahead, list, count);
}

/* Load the block of the first of n rows that come next. */
static dv_status load(dvi_gather_blocks *b, const int64_t *rows, int64_t n, dv_error *err)
{
    announce(b, rows, n);
    return dvi_block_cache_load(b->cache, rows[0], err);
}

/* A row that cannot be read, or for which there is no room, is left out. */
static dv_status copy_all(dvi_gather_blocks *b, dv_error *err)
{
    dvi_row_ref refs[REFS_AT_ONCE];
    int64_t i = 0;
    while (i < b->n) {
        const int64_t most = dvi_min_i64(b->n - i, REFS_AT_ONCE);
        const int64_t *rows = (const int64_t *)(const void *)(b->rows + i);
        const int64_t n = dvi_block_cache_find(b->cache, rows, most, refs);
        const dv_status status = n > 0 ? append(b, i, refs, n, err) : load(b, rows, b->n - i, err);
        if (status < 0)
            return status;
        if (n > 0 && status == DV_END)
            return DV_OK;
        i += n > 0 ? n : status == DV_END;
    }
    return DV_OK;
}

/* Copy rows whose turn is still to come while their blocks are there. */
static dv_status pick(dvi_gather_blocks *b, const int64_t *rows, int64_t n, dv_error *err)
{
    DVI_TRY(make_lists(b, err));
    n = dvi_min_i64(n, room_of(b));
    list_rows(b, rows, n);
    dv_status status = copy_all(b, err);
    if (status == DV_OK && b->copied > 0)
        status = dvi_gathered_keep(&b->copies, &b->kept, err);
    DVI_TRY(status);
    const int64_t nbytes = dvi_gathered_nbytes(&b->copies);
    b->left = b->last = n;
    b->row_nbytes = b->copied > 0 ? nbytes / b->copied + 1 : b->row_nbytes;
    b->peak = dvi_max_i64(b->peak, dvi_block_cache_nbytes(b->cache) + nbytes);
    return DV_OK;
}

/* The place of a row among the copies; -1: it was not copied. */
static int64_t place_of(const dvi_gather_blocks *b, uint64_t row)
{
    int64_t first = 0, end = b->n;
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (b->rows[middle] < row)
            first = middle + 1;
        else
            end = middle;
    }
    return first < b->n && b->rows[first] == row ? b->at[first] : -1;
}

static int64_t find_picked(const dvi_gather_blocks *b, const int64_t *rows, int64_t n,
                           dvi_row_ref *refs)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = place_of(b, (uint64_t)rows[i]);
        if (at < 0)
            return i;
        refs[i] = (dvi_row_ref){b->kept->column, at};
    }
    return n;
}

/* --- Finding rows ----------------------------------------------------------------------------- */

bool dvi_gather_blocks_pick(const dvi_gather_blocks *b)
{
    return b->at != NULL;
}

/* Do rows come of blocks that will be dropped before they are needed again? */
static bool needs_picks(const dvi_gather_blocks *b)
{
    return b->ahead > 0 && b->left == 0 &&
           (dvi_gather_blocks_pick(b) ||
            dvi_block_cache_costly_nbytes(b->cache) > b->most_nbytes / 2);
}

static dv_status load_next(dvi_gather_blocks *b, const int64_t *rows, int64_t n, dv_error *err)
{
    const dv_status status = load(b, rows, n, err);
    b->peak = dvi_max_i64(b->peak, dvi_block_cache_nbytes(b->cache));
    return status;
}

dv_status dvi_gather_blocks_find(dvi_gather_blocks *b, const int64_t *rows, int64_t n, int64_t most,
                                 dvi_row_ref *refs, int64_t *found_out, dv_error *err)
{
    dv_status status = DV_OK;
    *found_out = 0;
    while (status == DV_OK) {
        if (b->left > 0)
            *found_out = find_picked(b, rows, dvi_min_i64(b->left, most), refs);
        if (*found_out == 0)
            *found_out = dvi_block_cache_find(b->cache, rows, dvi_min_i64(n, most), refs);
        if (*found_out > 0)
            return DV_OK;
        status = needs_picks(b) ? pick(b, rows, n, err) : load_next(b, rows, n, err);
    }
    return status;
}

void dvi_gather_blocks_done(dvi_gather_blocks *b, const int64_t *rows, int64_t n)
{
    b->left = dvi_max_i64(b->left - n, 0);
    dvi_block_cache_done(b->cache, rows, n);
}

void dvi_gather_blocks_restart(dvi_gather_blocks *b)
{
    b->left = 0;
    dvi_block_cache_restart(b->cache);
}

int64_t dvi_gather_blocks_peak(const dvi_gather_blocks *b)
{
    return b->peak;
}
