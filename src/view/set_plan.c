/* SPDX-License-Identifier: MIT */
/* set_plan.c: whether a cursor set pays, and with how many threads. */
#include "view/set_plan.h"
#include "base/check.h"
#include "base/size.h"
#include "view/view.h"

#define ROWS_LEAST INT64_C(8192) /* fewer rows do not repay the threads */

/* The number of threads that compute besides the caller; the reading cursor gets the others:
 * most, if its own columns are slow to make. */
static int32_t share_threads(dvi_scan *scan, const dv_cursor_request *request)
{
    const int32_t threads = request->threads;
    const dv_view *base = dvi_scan_base(scan);
    const bool is_fine = dvi_scan_is_fine(scan);
    const bool is_base_slow = is_fine && dvi_view_takes_long(base);
    if (dvi_scan_kind(scan) != DVI_CHUNKS_ARE_GROUPS || (is_fine && !is_base_slow))
        return threads - 1;
    const bool has_own = is_base_slow || dvi_view_work(base, request) != DVI_WORK_NONE;
    const int32_t workers = has_own ? threads / 3 : threads / 2;
    dvi_scan_use_threads(scan, threads - workers);
    return workers;
}

/* Are there enough rows and blocks to keep the threads busy? */
static bool is_worth_threads(const dvi_scan *scan, const dv_view *view,
                             const dv_cursor_request *request)
{
    dv_view *base = dvi_scan_base(scan);
    if (dvi_scan_kind(scan) != DVI_CHUNKS_OF_ROWS)
        return dvi_scan_kind(scan) == DVI_CHUNKS_ARE_SPLITS || base != view;
    int64_t rows = dv_view_rows(base);
    if (dv_view_rows(view) >= 0)
        rows = dvi_min_i64(rows, request->end_row - request->first_row);
    if (dvi_scan_is_fine(scan))
        return rows > 1;
    return rows >= ROWS_LEAST && rows / request->threads / 2 >= dv_view_block_rows(base);
}

dv_status dvi_set_plan(dvi_scan **scan_out, int32_t *workers_out, dv_view *view,
                       const dv_cursor_request *request, dv_error *err)
{
    *scan_out = NULL;
    *workers_out = 0;
    if (dvi_view_work(view, request) != DVI_WORK_SET)
        return DV_OK;
    const bool is_range = request->first_row > 0 ||
                          (request->end_row != INT64_MAX && request->end_row != dv_view_rows(view));
    const dvi_scan_how how = {
        .is_range = is_range,
        .job_rows =
            dvi_scan_job_rows(view, request->columns, request->columns_count, request->batch_rows),
        .threads = request->threads,
        .in_order = request};
    DVI_TRY(dvi_scan_create(scan_out, view, &how, err));
    if (is_worth_threads(*scan_out, view, request))
        *workers_out = share_threads(*scan_out, request);
    return DV_OK;
}
