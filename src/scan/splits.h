/* SPDX-License-Identifier: MIT */
/* splits.h: rows that are divided into splits, whose numbers of rows are known only when they have
 * been read: the pieces of a text.
 *
 * Any thread can read any split. Where a split begins may be a guess, which the end of the split
 * before it confirms. */
#ifndef DVI_SCAN_SPLITS_H
#define DVI_SCAN_SPLITS_H

#include <dataview/own_view.h>

/* The split that a cursor of such a view reads instead of all rows (dvi_request_split). It changes
 * before the cursor's `seek` is called. */
typedef struct dvi_split {
    void *splits;      /* made by `open`; NULL: there is nothing to read yet */
    int64_t number;    /* 0 and up */
    int64_t from;      /* where the rows begin; -1: to be found */
    int64_t rows_most; /* no more rows are wanted */
    bool is_rest;      /* the rows of all later splits are wanted too */
    bool is_ahead;     /* read ahead of its turn: DV_ERR_LIMIT means that it has to wait for that */
} dvi_split;

/* The splits of a request. */
typedef struct dvi_splits_found {
    int64_t count;
    int64_t first_row; /* the row of the view with which split 0 begins */
    int64_t rows_most; /* the splits may have more */
} dvi_splits_found;

/* How a view divides its rows. Members with `cursor` take one of the view's own cursors. */
typedef struct dvi_splits_class {
    /* The most splits that the rows of a request of the view may have; 1: they are not divided.
     * Nothing is read. Any thread. */
    int64_t (*most)(dv_view *view, const dv_cursor_request *request);
    /* Go to the first row of the request. In the caller's thread, which gets the progress. DV_OK;
     * DV_END: there is no such row; another status. After all but DV_OK *splits_out is NULL. */
    dv_status (*open)(dv_view *view, const dv_cursor_request *request, void **splits_out,
                      dvi_splits_found *found_out, dv_error *err);
    void (*close)(void *splits);

    /* Where the cursor's split begins, and where it ends, after DV_END. NULL: no split's begin is a
     * guess. */
    void (*bounds)(void *cursor, int64_t *from_out, int64_t *to_out);
    /* Move the counts of the last batch, whose rows follow `rows` others of the split, to the
     * counts of the split: NULL at first. DV_OK, DV_ERR_MEMORY. NULL: nothing is counted. */
    dv_status (*count)(void *cursor, int64_t rows, void **counts, dv_error *err);
    void (*free_counts)(void *counts);
    /* Add counts of a split that follows `rows` rows. In the caller's thread and in the order of
     * rows, when these are delivered. DV_OK, DV_ERR_MEMORY. */
    dv_status (*add)(void *splits, int64_t rows, void *counts, dv_error *err);
    /* Note that `rows` rows were delivered. is_end: there are no more. NULL: not needed. */
    void (*end)(void *splits, int64_t rows, bool is_end);
    /* Complete the error with which a cursor stopped after `rows` rows of all splits. NULL: it is
     * complete. */
    void (*blame)(void *splits, int64_t rows, dv_error *err);
} dvi_splits_class;

#endif
