/* SPDX-License-Identifier: MIT */
/* row_picks.c: rows copied from blocks in the order of the blocks, and found by their numbers. */
#include "rows/row_picks.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/sort.h"
#include "rows/gathered_rows.h"

#define ROWS_FIRST 64   /* while the size of a row is unknown */
#define REFS_AT_ONCE 16 /* between two looks at the memory that they take */

struct dvi_row_picks {
    const dv_cursor_request *request;
    int64_t most;
    dvi_gathered_rows copies;
    dvi_kept_batch *kept; /* they, so that each is found at once; NULL: nothing is copied */

    uint64_t *rows, *scratch; /* their numbers, rising, each once */
    int64_t *at;              /* of each: its place among the copies; -1: not copied */
    int64_t n, copied;
    int64_t row_nbytes; /* as rows were until now; 0: unknown */
};

/* --- Life ------------------------------------------------------------------------------------- */

static dv_status make(dvi_row_picks *p, dv_error *err)
{
    const dv_allocator *allocator = p->request->allocator;
    DVI_TRY(dvi_gathered_make(&p->copies, p->request, err));
    DVI_TRY(DVI_NEW(allocator, &p->rows, (size_t)p->most, err));
    DVI_TRY(DVI_NEW(allocator, &p->scratch, (size_t)p->most, err));
    return DVI_NEW(allocator, &p->at, (size_t)p->most, err);
}

dv_status dvi_row_picks_create(dvi_row_picks **picks_out, const dv_cursor_request *request,
                               int64_t most, dv_error *err)
{
    dvi_row_picks *p;
    *picks_out = NULL;
    DVI_TRY(DVI_NEW(request->allocator, &p, 1, err));
    p->request = request;
    p->most = most;
    const dv_status status = make(p, err);
    if (status < 0)
        dvi_row_picks_free(&p);
    *picks_out = p;
    return status;
}

void dvi_row_picks_free(dvi_row_picks **picks)
{
    dvi_row_picks *p = *picks;
    *picks = NULL;
    if (!p)
        return;
    const dv_allocator *allocator = p->request->allocator;
    dvi_kept_batch_free(p->kept, allocator);
    dvi_gathered_free(&p->copies);
    dvi_free(allocator, p->rows, (size_t)p->most * sizeof *p->rows);
    dvi_free(allocator, p->scratch, (size_t)p->most * sizeof *p->scratch);
    dvi_free(allocator, p->at, (size_t)p->most * sizeof *p->at);
    dvi_free(allocator, p, sizeof *p);
}

/* --- Copying ---------------------------------------------------------------------------------- */

int64_t dvi_row_picks_nbytes(const dvi_row_picks *p)
{
    return dvi_gathered_nbytes(&p->copies);
}

int64_t dvi_row_picks_room(const dvi_row_picks *p)
{
    const int64_t fit = p->row_nbytes > 0 ? DVI_PICKS_NBYTES / p->row_nbytes : ROWS_FIRST;
    return dvi_max_i64(dvi_min_i64(fit, p->most), 1);
}

static void list_rows(dvi_row_picks *p, const int64_t *rows, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        p->rows[i] = (uint64_t)rows[i];
    dvi_sort_u64(p->rows, p->scratch, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || p->rows[i] != p->rows[kept - 1])
            p->rows[kept++] = p->rows[i];
    p->n = kept;
    p->copied = 0;
    for (int64_t i = 0; i < kept; i++)
        p->at[i] = -1;
    dvi_kept_batch_free(p->kept, p->request->allocator);
    p->kept = NULL;
    dvi_gathered_reset(&p->copies);
}

/* Copy rows that were found, from number `first` of the list on.  DV_END: no more fit in. */
static dv_status append(dvi_row_picks *p, int64_t first, const dvi_row_ref *refs, int64_t n,
                        dv_error *err)
{
    const dv_status status = dvi_gathered_add(&p->copies, 0, p->copies.columns, refs, n, err);
    if (status == DV_ERR_LIMIT)
        return DV_END;
    DVI_TRY(status);
    for (int64_t i = 0; i < n; i++)
        p->at[first + i] = p->copied++;
    return dvi_row_picks_nbytes(p) < DVI_PICKS_NBYTES ? DV_OK : DV_END;
}

static dv_status copy_all(dvi_row_picks *p, dvi_block_cache *blocks, dv_error *err)
{
    dvi_row_ref refs[REFS_AT_ONCE];
    int64_t i = 0;
    while (i < p->n) {
        const int64_t most = dvi_min_i64(p->n - i, REFS_AT_ONCE);
        const int64_t *rows = (const int64_t *)(const void *)(p->rows + i);
        const int64_t n = dvi_block_cache_find(blocks, rows, most, refs);
        const dv_status status =
            n > 0 ? append(p, i, refs, n, err) : dvi_block_cache_load(blocks, rows[0], err);
        if (status < 0)
            return status;
        if (n > 0 && status == DV_END)
            return DV_OK;
        i += n > 0 ? n : status == DV_END; /* a row that cannot be read is left out */
    }
    return DV_OK;
}

dv_status dvi_row_picks_copy(dvi_row_picks *p, dvi_block_cache *blocks, const int64_t *rows,
                             int64_t n, dv_error *err)
{
    list_rows(p, rows, dvi_min_i64(n, p->most));
    dv_status status = copy_all(p, blocks, err);
    if (status == DV_OK && p->copied > 0)
        status = dvi_gathered_keep(&p->copies, &p->kept, err);
    if (status < 0)
        p->n = 0;
    else if (p->copied > 0)
        p->row_nbytes = dvi_row_picks_nbytes(p) / p->copied + 1;
    return status;
}

/* --- Finding ---------------------------------------------------------------------------------- */

/* The place of a row among the copies; -1: it was not copied. */
static int64_t place_of(const dvi_row_picks *p, uint64_t row)
{
    int64_t first = 0, end = p->n;
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (p->rows[middle] < row)
            first = middle + 1;
        else
            end = middle;
    }
    return first < p->n && p->rows[first] == row ? p->at[first] : -1;
}

int64_t dvi_row_picks_find(const dvi_row_picks *p, const int64_t *rows, int64_t n,
                           dvi_row_ref *refs)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = place_of(p, (uint64_t)rows[i]);
        if (at < 0)
            return i;
        refs[i] = (dvi_row_ref){p->kept->column, at};
    }
    return n;
}
