/* SPDX-License-Identifier: MIT */
/* row_parts.h: reads the rows of a view in parts by several threads, and reports progress. */
#ifndef DVI_SCAN_ROW_PARTS_H
#define DVI_SCAN_ROW_PARTS_H

#include "base/tasks.h"
#include <dataview/cursor.h>
#include <stdatomic.h>

/* --- Progress of threads that read ------------------------------------------------------------ */

typedef struct dvi_row_count {
    const dv_progress *progress;
    const char *lost; /* what a stop leaves: "no statistics" */
    int64_t all;      /* -1: unknown */
    int64_t reported;
    atomic_int_fast64_t done; /* rows */
    atomic_bool is_stopped;   /* by `progress`; threads then read no more rows */
} dvi_row_count;

/* Count rows that were read; less than 0: they will come again. */
void dvi_row_count_add(dvi_row_count *count, int64_t rows);
/* Report them, never fewer than before; in the caller's thread only. DV_OK; DV_END: stopped, now
 * or before. */
dv_status dvi_row_count_report(dvi_row_count *count);
/* DV_ERR_STOPPED instead of DV_END, or of DV_OK after a stop; another status stays. */
dv_status dvi_row_count_end(const dvi_row_count *count, dv_status status, dv_error *err);

/* Fail because the cursor of a view delivered more or fewer rows than the view reported. */
dv_status dvi_row_parts_fail_count(const dv_view *view, int64_t rows, dv_error *err);

/* --- In parts --------------------------------------------------------------------------------- */

/* Rows that are read by one thread. */
typedef struct dvi_row_part {
    int64_t pass;       /* below `passes` */
    int64_t first, end; /* rows of the view */
    void *place;        /* for the result, as in dvi_task */
    const dvi_task *task;
} dvi_row_part;

/* A job: which rows to read, and what to do with them. */
typedef struct dvi_row_parts {
    void *ctx;
    dv_view *view;
    int64_t first, end; /* rows of the view, whose number is known */
    /* A part ends at each multiple of part_rows, counted from row `origin` on, which is not above
     * `first`. */
    int64_t origin, part_rows;
    int64_t passes; /* how often the rows are read, each time for other columns, say */
    int32_t threads;
    int64_t window; /* of parts, with more than one thread; 0: two for each */
    size_t place_nbytes;
    void (*free_place)(void *ctx, void *place); /* may be NULL, as in dvi_tasks_how */
    /* The cursor of a pass: its columns, its threads. Its rows, and no progress, are set here. */
    void (*choose)(void *ctx, int64_t pass, dv_cursor_options *options);
    /* Begin a part, perhaps for the second time. DV_END: it needs no reading. May be NULL. */
    dv_status (*begin)(void *ctx, const dvi_row_part *part, dv_error *err);
    /* Add a batch, which begins at this row. */
    dv_status (*add)(void *ctx, const dvi_row_part *part, const dv_batch *batch, int64_t row,
                     dv_error *err);
    /* Take a part, in order, in the caller's thread. May be NULL. */
    dv_status (*take)(void *ctx, const dvi_row_part *part, dv_error *err);
    const dv_progress *progress; /* counts all passes; told after each part, in order */
    bool reports_batches;        /* and after those batches that the caller's thread reads */
    const char *lost;            /* as in dvi_row_count */
} dvi_row_parts;

/* The number of parts in a pass, at least one: without rows it is empty, and no cursor is opened.
 */
int64_t dvi_row_parts_count(const dvi_row_parts *parts);

/* Read all parts: pass by pass, in the order of rows. Each thread moves its own cursor from part to
 * part. Returns the first status in this order that is not DV_OK; the errors of the functions, and
 * DV_ERR_ARGUMENT: a cursor delivered more or fewer rows than asked; DV_ERR_STOPPED. */
dv_status dvi_row_parts_read(const dvi_row_parts *parts, dv_error *err);

#endif
