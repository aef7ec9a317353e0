/* SPDX-License-Identifier: MIT */
/* rebase.h: what takes long stands above the order of rows, not below it.
 *
 * A view that reads rows in another order keeps some of them, and reads whole blocks for them.  If
 * the rows that it is given take long to make, or much memory, it should have what they are made
 * of, and they should be made of the rows in their new order. */
#ifndef DVI_VIEW_REBASE_H
#define DVI_VIEW_REBASE_H

#include "view/view.h"

/* The highest view below of which no column takes long (job_rows), if each view from `view` down to
 * it can be made of another source (`over`).  NULL: there is none, or `view` is one itself.  No new
 * reference. */
dv_view *dvi_find_quick(dv_view *view);

/* The views from `view` down to the one above `base`, which dvi_find_quick found, over `source`
 * instead: the rows of the base in another order, or some of them.  It keeps `view` alive, and has
 * all that `view` has but the order.  DV_OK; DV_ERR_MEMORY: *view_out is NULL. */
dv_status dvi_rebase(dv_view **view_out, dv_view *view, dv_view *base, dv_view *source,
                     dv_error *err);

#endif
