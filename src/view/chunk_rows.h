/* SPDX-License-Identifier: MIT */
/* chunk_rows.h: how many rows a thread should read at a time. */
#ifndef DVI_VIEW_CHUNK_ROWS_H
#define DVI_VIEW_CHUNK_ROWS_H

#include <dataview/own_view.h>

#define DVI_CHUNK_ROWS_LEAST INT64_C(1024)

/* The rows of a chunk, in whole blocks of the view: enough to be worth a task, but where rows are
 * slow to make (job_rows > 0) few enough that each thread gets some. */
int64_t dvi_chunk_rows(const dv_view *view, const dv_cursor_request *request, int64_t job_rows,
                       int32_t threads);

#endif
