/* SPDX-License-Identifier: MIT */
/* cursor_set.c: opens the members of a cursor set, and consolidates them into one cursor. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "scan/set_cursor.h"
#include <dataview/cursor_set.h>

static bool is_range(const dv_view *view, const dv_cursor_options *options)
{
    int64_t first, end;
    const int64_t rows = dv_view_rows(view);
    dvi_cursor_read_rows(view, options, &first, &end);
    return options->token || first > 0 || end != (rows < 0 ? INT64_MAX : rows);
}

static dv_status find_job_rows(int64_t *rows_out, const dv_view *view,
                               const dv_cursor_options *options, dv_error *err)
{
    int32_t *columns, n;
    const dv_allocator *allocator = dvi_view_allocator(view);
    const dv_status status =
        dvi_cursor_read_columns(dv_view_schema(view), options, allocator, &columns, &n, err);
    if (status == DV_OK)
        *rows_out = dvi_scan_job_rows(view, columns, n, options->batch_rows);
    dvi_free(allocator, columns, (size_t)n * sizeof *columns);
    return status;
}

static dv_status open_members(dv_cursor *cursors_out[], int32_t n, int32_t *opened_out,
                              dv_view *view, dvi_scan *scan, const dv_cursor_options *options,
                              dv_error *err)
{
    int64_t most = n;
    for (int32_t i = 0; i < most; i++) {
        DVI_TRY(dvi_scan_open_member(scan, &cursors_out[i], view, options, err));
        ++*opened_out;
        most = dvi_min_i64(n, dvi_max_i64(dvi_scan_chunks(scan), 1));
    }
    return DV_OK;
}

dv_status dv_cursor_set_open(dv_cursor *cursors_out[], int32_t n, int32_t *opened_out,
                             dv_view *view, const dv_cursor_options *given, dv_error *err)
{
    dv_cursor_options options;
    dvi_scan *scan;
    *opened_out = 0;
    if (n < 1)
        return dvi_fail_argument(err, "a set of %d cursors; at least one", n);
    for (int32_t i = 0; i < n; i++)
        cursors_out[i] = NULL;
    DVI_TRY(dvi_cursor_read_options(given, &options, err));
    dvi_scan_how how = {.is_range = is_range(view, &options), .threads = n};
    DVI_TRY(find_job_rows(&how.job_rows, view, &options, err));
    DVI_TRY(dvi_scan_create(&scan, view, &how, err));
    dvi_scan_use_threads(scan, options.threads > 0 ? dvi_cursor_read_threads(&options) : 1);
    const dv_status status = open_members(cursors_out, n, opened_out, view, scan, &options, err);
    for (int32_t i = 0; status < 0 && i < n; i++)
        dv_cursor_close(&cursors_out[i]);
    *opened_out = status < 0 ? 0 : *opened_out;
    dvi_scan_release(&scan);
    return status;
}

static dv_status check_members(dv_cursor *members[], int32_t n, dvi_scan **scan_out, dv_error *err)
{
    *scan_out = NULL;
    for (int32_t i = 0; i < n; i++) {
        const dvi_member *member = members[i] ? dvi_cursor_member(members[i]) : NULL;
        dvi_scan *scan = member ? dvi_member_scan(member) : NULL;
        if (!scan || (i > 0 && scan != *scan_out))
            return dvi_fail_argument(err, "cursor %d is not a member of the set", i);
        *scan_out = scan;
    }
    if (n < 1 || dvi_scan_has_begun(*scan_out))
        return dvi_fail_argument(
            err, "pass all members of a set (%d given), before any of them delivers", n);
    return DV_OK;
}

dv_status dv_cursor_set_consolidate(dv_cursor **cursor_out, dv_cursor *members[], int32_t n,
                                    dv_error *err)
{
    dvi_scan *scan;
    dvi_set *set;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    *cursor_out = NULL;
    DVI_TRY(check_members(members, n, &scan, err));
    const dv_cursor_request *request = dvi_cursor_request(members[0]);
    dv_view *view = dvi_cursor_view(members[0]);
    options.columns = request->columns;
    options.columns_count = request->columns_count;
    options.first_row = request->first_row;
    options.end_row = request->end_row == INT64_MAX ? -1 : request->end_row;
    options.batch_rows = request->batch_rows;
    options.threads = 1;
    options.ids = request->ids;
    options.epoch = request->epoch;
    options.zero_copy_only = request->zero_copy_only;
    DVI_TRY(dvi_cursor_open(cursor_out, view, &options, NULL, DVI_CURSOR_PLAIN, err));
    dvi_cursor_copy_position(*cursor_out, members[0]);
    dv_status status = dvi_set_of(&set, view, scan, members, n, err);
    if (status == DV_OK)
        status = dvi_cursor_move_onto(*cursor_out, &dvi_set_class, set, err);
    if (status < 0)
        dv_cursor_close(cursor_out);
    return status;
}
