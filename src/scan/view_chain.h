/* SPDX-License-Identifier: MIT */
/* view_chain.h: goes down from a view to those that it is made of. */
#ifndef DVI_SCAN_VIEW_CHAIN_H
#define DVI_SCAN_VIEW_CHAIN_H

#include "view/view.h"
#include "scan/scan.h"

/* The view whose rows a cursor set divides: the lowest of which each member may read only some rows
 * and still produce the right ones. is_range: not all rows are requested. *is_free_out: also
 * without knowing the numbers or ids of these rows. No new reference, nor from the others below. */
dv_view *dvi_find_base(dv_view *view, bool is_range, bool *is_free_out);

/* --- A view below that has the same rows and columns ------------------------------------------ */

/* Where a view's rows lie in a view below: row i is row first_row + i, for i below rows_most. */
typedef struct dvi_lender {
    dv_view *view;
    int64_t first_row, rows_most;
} dvi_lender;

/* Go down from a view while these n columns are lent, and replace each by its column there, so that
 * a cursor can read the lender alone. A cursor of a set stays above the base of its scan. The
 * result is the view itself if it lends nothing. */
dvi_lender dvi_find_lender(dv_view *view, const dvi_member *member, int32_t *columns, int32_t n);

/* The row of the lender; INT64_MAX, or a larger one than there is, stands for the end. */
int64_t dvi_lender_row(const dvi_lender *lender, int64_t row);

/* --- The same chain over other rows ----------------------------------------------------------- */

/* A view that reads rows in a different order keeps some of them, and reads whole blocks for them.
 * If rows are slow to make, or large, it should reorder what they are made of, and they should be
 * made afterwards. */

/* The highest view below of which no column is slow (job_rows), if each view from `view` down to
 * it can be made of another source (`over`). NULL: there is none, or `view` is one itself. */
dv_view *dvi_find_quick(dv_view *view);

/* The views from `view` down to the one above `base`, which dvi_find_quick found, over `source`
 * instead: the rows of the base in another order, or some of them. It keeps `view` alive, and has
 * all that `view` has but the order. DV_OK; DV_ERR_MEMORY: *view_out is NULL. */
dv_status dvi_rebase(dv_view **view_out, dv_view *view, dv_view *base, dv_view *source,
                     dv_error *err);

#endif
