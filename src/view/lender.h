/* SPDX-License-Identifier: MIT */
/* lender.h: finds the view whose rows and columns the views above it lend unchanged, so that their
 * cursors can read it alone, as if they stood on it. */
#ifndef DVI_VIEW_LENDER_H
#define DVI_VIEW_LENDER_H

#include "view/scan.h"

/* Where a view's rows lie in a view below: row i is row first_row + i, for i below rows_most. */
typedef struct dvi_lender {
    dv_view *view; /* no reference: the view above it has one */
    int64_t first_row, rows_most;
} dvi_lender;

/* Go down from a view while these n columns are lent, and replace each by its column there. A
 * cursor of a set stays above the base of its scan. The result is the view itself if it lends
 * nothing. */
dvi_lender dvi_find_lender(dv_view *view, const dvi_member *member, int32_t *columns, int32_t n);

/* The row of the lender; INT64_MAX, or a larger one than there is, stands for the end. */
int64_t dvi_lender_row(const dvi_lender *lender, int64_t row);

#endif
