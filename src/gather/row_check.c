/* SPDX-License-Identifier: MIT */
/* row_check.c: asks for the files of rows, each once in a round. */
#include "gather/row_check.h"
#include "base/alloc.h"
#include "base/check.h"
#include "scan/several.h"

/* Write where each view ends; false: one does not know its rows. */
static bool add_up(int64_t *ends, dv_view *const *views, int32_t n)
{
    int64_t end = 0;
    for (int32_t i = 0; i < n; i++) {
        const int64_t rows = dv_view_rows(views[i]);
        if (rows < 0)
            return false;
        ends[i] = end += rows;
    }
    return true;
}

dv_status dvi_row_check_make(dvi_row_check *c, dv_view *source, const dv_allocator *allocator,
                             dv_error *err)
{
    dv_view *const *views;
    const int32_t n = dvi_several_joined(source, &views);
    *c = (dvi_row_check){.source = source, .allocator = allocator, .is_due = true};
    if (n == 0 || dv_view_rows(source) < 0)
        return DV_OK;
    c->n = n;
    dv_status status = DVI_NEW(allocator, &c->ends, (size_t)n, err);
    if (status == DV_OK)
        status = DVI_NEW(allocator, &c->asked, (size_t)n, err);
    if (status == DV_OK && add_up(c->ends, views, n)) {
        c->round = 1; /* none was asked in it */
        return DV_OK;
    }
    dvi_row_check_free(c);
    return status;
}

void dvi_row_check_free(dvi_row_check *c)
{
    dvi_free(c->allocator, c->ends, (size_t)c->n * sizeof *c->ends);
    dvi_free(c->allocator, c->asked, (size_t)c->n * sizeof *c->asked);
    c->ends = c->asked = NULL;
    c->n = 0;
}

void dvi_row_check_begin(dvi_row_check *c)
{
    c->round++;
    c->is_due = true;
}

/* The first view that ends after the row; n: none does. */
static int32_t view_of(const dvi_row_check *c, int64_t row)
{
    int32_t low = 0, high = c->n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (c->ends[middle] > row)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool has(const dvi_row_check *c, int32_t view, int64_t row)
{
    return view < c->n && row < c->ends[view] && (view == 0 || row >= c->ends[view - 1]);
}

static dv_status ask_view(dvi_row_check *c, int32_t view, dv_error *err)
{
    if (view == c->n || c->asked[view] == c->round)
        return DV_OK;
    c->asked[view] = c->round;
    return dvi_several_check(c->source, view, err);
}

dv_status dvi_row_check_ask(dvi_row_check *c, const int64_t *rows, int64_t n, dv_error *err)
{
    int32_t view = c->n; /* where the row before was: the next one is often near */
    if (c->n == 0 && c->is_due) {
        c->is_due = false;
        return dvi_view_check(c->source, err);
    }
    for (int64_t i = 0; c->n > 0 && i < n; i++) {
        if (has(c, view, rows[i]))
            continue;
        view = view_of(c, rows[i]);
        DVI_TRY(ask_view(c, view, err));
    }
    return DV_OK;
}
