/* SPDX-License-Identifier: MIT */
/* scan_threads.c: how a scan divides the rows of a cursor, and among how many threads. */
#include "base/check.h"
#include "base/size.h"
#include "view/column.h"
#include "view/view.h"
#include "scan/scan.h"

#define CHUNK_NBYTES INT64_C(1 << 20) /* all active columns together, roughly */
#define TEXT_NBYTES 32                /* a text, if nothing more is known */
#define BYTES_NBYTES 256              /* a value of bytes */
#define SLOTS 16                      /* a vector of any length */
#define CHUNK_ROWS_MOST INT64_C(65536)
#define ROWS_LEAST INT64_C(8192) /* fewer rows do not repay the threads */

/* --- Chunks ----------------------------------------------------------------------------------- */

static int64_t width_of(const dv_type *item)
{
    return dvi_max_i64((int64_t)dvi_width_of(item), 1);
}

/* The estimated bytes of a row. */
static int64_t guess_width(const dv_cursor_request *request)
{
    int64_t width = 1;
    for (int32_t k = 0; k < request->columns_count; k++) {
        const dv_type *type = &dv_schema_column(request->schema, request->columns[k])->type;
        const dv_type item = dv_type_item(type);
        const bool is_text = item.kind == DV_KIND_TX, is_bytes = item.kind == DV_KIND_BY;
        const int64_t each = is_text ? TEXT_NBYTES : is_bytes ? BYTES_NBYTES : width_of(&item);
        const int64_t slots = type->rank == 0 ? 1 : type->size > 0 ? type->size : SLOTS;
        width = dvi_min_i64(width + each * slots, INT32_MAX);
    }
    return width;
}

/* Whole blocks, and a chunk for each thread. */
static int64_t fine_chunk_rows(const dv_cursor_request *request, int64_t job_rows, int32_t threads,
                               int64_t block)
{
    const int64_t share = (request->end_row - request->first_row - 1) / threads + 1;
    return dvi_max_i64(dvi_min_i64(job_rows, share) / block, 1) * block;
}

/* Whole blocks, and enough rows to be worth a job. */
int64_t dvi_scan_chunk_rows(const dv_view *base, const dv_cursor_request *request, int64_t job_rows,
                            int32_t threads)
{
    const int64_t block = dv_view_block_rows(base);
    if (job_rows > 0)
        return fine_chunk_rows(request, job_rows, threads, block);
    const int64_t wanted = dvi_max_i64(
        DVI_CHUNK_ROWS_LEAST, dvi_min_i64(CHUNK_NBYTES / guess_width(request), CHUNK_ROWS_MOST));
    const int64_t blocks = block < wanted ? (wanted + block - 1) / block : 1;
    return blocks * block;
}

/* --- Threads ---------------------------------------------------------------------------------- */

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

dv_status dvi_scan_plan(dvi_scan **scan_out, int32_t *workers_out, dv_view *view,
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
