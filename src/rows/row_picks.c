/* SPDX-License-Identifier: MIT */
/* row_picks.c: rows copied from blocks in the order of the blocks, and found by their numbers. */
#include "rows/row_picks.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/sort.h"
#include <string.h>

#define ROWS_FIRST 64   /* while the size of a row is unknown */
#define REFS_AT_ONCE 16 /* between two looks at the memory that they take */

/* A column of the copies. */
typedef struct picked {
    const dv_type *type;
    dvi_growing_column rows;
    dvi_memory *offsets;
} picked;

struct dvi_row_picks {
    const dv_cursor_request *request;
    int64_t most;
    int32_t columns; /* ids included, after the others */
    picked *column;
    dvi_kept_column *kept;

    uint64_t *rows, *scratch; /* their numbers, rising, each once */
    int64_t *at;              /* of each: its place among the copies; -1: not copied */
    int64_t n, copied;
    int64_t row_nbytes; /* as rows were until now; 0: unknown */
};

/* --- Life ------------------------------------------------------------------------------------- */

static dv_status alloc(const dvi_row_picks *p, void *list_out, int64_t n, size_t each,
                       dv_error *err)
{
    void *made;
    const dv_status status = dvi_alloc_zeroed(p->request->allocator, &made, (size_t)n * each, err);
    memcpy(list_out, &made, sizeof made);
    return status;
}

static dv_status make(dvi_row_picks *p, dv_error *err)
{
    DVI_TRY(alloc(p, &p->column, p->columns, sizeof *p->column, err));
    DVI_TRY(alloc(p, &p->kept, p->columns, sizeof *p->kept, err));
    DVI_TRY(alloc(p, &p->rows, p->most, sizeof *p->rows, err));
    DVI_TRY(alloc(p, &p->scratch, p->most, sizeof *p->scratch, err));
    return alloc(p, &p->at, p->most, sizeof *p->at, err);
}

dv_status dvi_row_picks_create(dvi_row_picks **picks_out, const dv_cursor_request *request,
                               int64_t most, dv_error *err)
{
    void *made;
    *picks_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(dvi_row_picks), err));
    dvi_row_picks *p = made;
    p->request = request;
    p->most = most;
    p->columns = request->columns_count + request->ids;
    const dv_status status = make(p, err);
    if (status < 0) {
        dvi_row_picks_free(&p);
        return status;
    }
    for (int32_t k = 0; k < p->columns; k++)
        p->column[k].type = dvi_row_type(request, k);
    *picks_out = p;
    return DV_OK;
}

void dvi_row_picks_free(dvi_row_picks **picks)
{
    dvi_row_picks *p = *picks;
    *picks = NULL;
    if (!p)
        return;
    const dv_allocator *allocator = p->request->allocator;
    for (int32_t k = 0; p->column && k < p->columns; k++) {
        dvi_growing_free(&p->column[k].rows);
        dvi_memory_release(&p->column[k].offsets);
    }
    dvi_free(allocator, p->column, (size_t)p->columns * sizeof *p->column);
    dvi_free(allocator, p->kept, (size_t)p->columns * sizeof *p->kept);
    dvi_free(allocator, p->rows, (size_t)p->most * sizeof *p->rows);
    dvi_free(allocator, p->scratch, (size_t)p->most * sizeof *p->scratch);
    dvi_free(allocator, p->at, (size_t)p->most * sizeof *p->at);
    dvi_free(allocator, p, sizeof *p);
}

/* --- Copying ---------------------------------------------------------------------------------- */

int64_t dvi_row_picks_nbytes(const dvi_row_picks *p)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < p->columns; k++)
        sum += dvi_row_refs_nbytes(&p->column[k].rows, p->column[k].type);
    return sum;
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
    for (int32_t k = 0; k < p->columns; k++)
        dvi_growing_reset(&p->column[k].rows);
}

/* Copy rows that were found, from number `first` of the list on.  DV_END: no more fit in. */
static dv_status append(dvi_row_picks *p, int64_t first, const dvi_row_ref *refs, int64_t n,
                        dv_error *err)
{
    for (int32_t k = 0; k < p->columns; k++) {
        picked *c = &p->column[k];
        const dv_status status =
            dvi_row_refs_reserve(&c->rows, c->type, k, refs, n, p->request->allocator, err);
        if (status == DV_ERR_LIMIT)
            return DV_END;
        DVI_TRY(status);
    }
    for (int32_t k = 0; k < p->columns; k++)
        DVI_TRY(dvi_row_refs_append(&p->column[k].rows, p->column[k].type, k, refs, n, err));
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

/* So that each row is found at once. */
static dv_status keep(dvi_row_picks *p, dv_error *err)
{
    for (int32_t k = 0; k < p->columns; k++) {
        dvi_column column;
        dvi_growing_view(&p->column[k].rows, p->column[k].type, &column);
        DVI_TRY(dvi_kept_column_make(&p->kept[k], &column.view, &p->column[k].offsets,
                                     p->request->allocator, err));
    }
    return DV_OK;
}

dv_status dvi_row_picks_copy(dvi_row_picks *p, dvi_block_cache *blocks, const int64_t *rows,
                             int64_t n, dv_error *err)
{
    list_rows(p, rows, dvi_min_i64(n, p->most));
    dv_status status = copy_all(p, blocks, err);
    if (status == DV_OK && p->copied > 0)
        status = keep(p, err);
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
        refs[i] = (dvi_row_ref){p->kept, at};
    }
    return n;
}
