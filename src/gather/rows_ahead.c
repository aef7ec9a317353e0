/* SPDX-License-Identifier: MIT */
/* rows_ahead.c: announces rows that come next, in whatever order, where reading is slow. */
#include "gather/rows_ahead.h"
#include "base/alloc.h"
#include "base/check.h"
#include "view/view.h"
#include "scan/view_chain.h"
#include <string.h>

struct dvi_rows_ahead {
    dv_allocator allocator;
    dv_view *view;     /* that stores the columns */
    int64_t first_row; /* of it, which is row 0 of the source */
    int64_t announced; /* together last */
    int64_t left;      /* of them, to be read */
    int32_t n;
    int32_t columns[];
};

static size_t nbytes_of(int32_t n)
{
    return sizeof(dvi_rows_ahead) + (size_t)n * sizeof(int32_t);
}

dv_status dvi_rows_ahead_create(dvi_rows_ahead **ahead_out, dv_view *source,
                                const dv_cursor_request *request, dv_error *err)
{
    const int32_t n = request->columns_count;
    void *made;
    *ahead_out = NULL;
    if (n == 0 || !dvi_view_is_far(source))
        return DV_OK;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, nbytes_of(n), err));
    dvi_rows_ahead *a = made;
    a->allocator = dvi_allocator_of(request->allocator);
    a->n = n;
    memcpy(a->columns, request->columns, (size_t)n * sizeof *a->columns);
    const dvi_lender lender = dvi_find_lender(source, NULL, a->columns, n);
    a->view = lender.view;
    a->first_row = lender.first_row;
    if (!dvi_view_traits_of(a->view)->announce)
        dvi_rows_ahead_free(&a);
    *ahead_out = a;
    return DV_OK;
}

void dvi_rows_ahead_free(dvi_rows_ahead **ahead)
{
    dvi_rows_ahead *a = *ahead;
    *ahead = NULL;
    if (!a)
        return;
    const dv_allocator allocator = a->allocator;
    dvi_free(&allocator, a, nbytes_of(a->n));
}

bool dvi_rows_ahead_are_due(dvi_rows_ahead *a)
{
    if (!a)
        return false;
    a->left -= a->left > 0;
    return a->left <= a->announced / 2;
}

void dvi_rows_ahead_announce(dvi_rows_ahead *a, int64_t *rows, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        rows[i] += a->first_row;
    a->announced = a->left =
        dvi_view_traits_of(a->view)->announce(dvi_view_self(a->view), a->columns, a->n, rows, n);
}
