/* SPDX-License-Identifier: MIT */
/* set_plan.h: whether a cursor set pays, and with how many threads. */
#ifndef DVI_VIEW_SET_PLAN_H
#define DVI_VIEW_SET_PLAN_H

#include "view/scan.h"

/* Make the scan of a set for a cursor on the view. *workers_out: the threads that read members,
 * besides the caller's; the scan's reading cursor gets the others. 0: a set does not pay; the scan
 * may be NULL. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_set_plan(dvi_scan **scan_out, int32_t *workers_out, dv_view *view,
                       const dv_cursor_request *request, dv_error *err);

#endif
