/* SPDX-License-Identifier: MIT */
/* drawn_scan.h: a model of how views are read: which rows a drawn chain of views has, in which
 * order, and after which of them it fails. */
#ifndef DVT_DRAWN_SCAN_H
#define DVT_DRAWN_SCAN_H

#include <dataview/view.h>

/* Rows in order, then the end, or a failure. */
typedef struct dvt_rows {
    int64_t n;
    int64_t *a; /* values of the I8 column "a" */
    dv_u128 *id;
    dv_status end; /* DV_END, or the status of a row of a source that cannot be read */
    int64_t bad;   /* the number of that row in its source */
    bool is_known; /* the view knows how many rows it has */
} dvt_rows;

/* How rows of a source are read. */
typedef enum dvt_source_kind {
    DVT_BLOCKS, /* a class with `read`, rows and block_rows */
    DVT_SPLITS, /* one with `read` and `splits` */
    DVT_STREAM, /* one with open_cursor, that is read from its start */
    DVT_SEEKS,  /* one with open_cursor, rows, block_rows and seek */
    DVT_TEXT,   /* a text of drawn pieces, with quotes and line ends in fields */
    DVT_SOURCE_KINDS
} dvt_source_kind;

typedef struct dvt_scan {
    dv_view *view;
    dvt_rows rows;
    char chain[200]; /* for messages */
    bool has_step;   /* that depends on row numbers or ids */
} dvt_scan;

/* Draw a view. rows_most: of each of its sources. may_fail: rows may be unreadable. allocator: of
 * all views; NULL: malloc. DV_OK; DV_ERR_MEMORY: only if the allocator fails; scan->view is NULL.
 */
dv_status dvt_scan_draw(dvt_scan *scan, uint64_t *state, int64_t rows_most, bool may_fail,
                        const dv_allocator *allocator);
void dvt_scan_free(dvt_scan *scan);

/* As if rows first to end - 1 were requested. */
void dvt_rows_limit(dvt_rows *rows, int64_t first, int64_t end);

#endif
