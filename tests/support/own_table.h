/* SPDX-License-Identifier: MIT */
/* own_table.h: a view that a user might have made: twelve rows of every layout in five batches. */
#ifndef DVT_OWN_TABLE_H
#define DVT_OWN_TABLE_H

#include <dataview/own_view.h>
#include <stdatomic.h>

/* The columns x R4, t TX, z DZ, v V<R4,*> (column 3 has metadata), w V<TX,3>, then x BL, which
 * hides the first.  What a test may look at and change: */
typedef struct dvt_own_table {
    dv_status open_status; /* what open_cursor returns instead of DV_OK */
    dv_status next_status; /* what `next` returns instead of the batch with row 6 */
    bool rows_unknown;
    atomic_int views_closed, cursors_opened, cursors_closed;
    atomic_int wrapped, released; /* buffers handed out by dv_buffer_wrap, and taken back */
    dv_cursor_request request;    /* of the cursor opened last */
} dvt_own_table;

#define DVT_OWN_ROWS 12

/* The whole table as JSON lines, the hidden column left out. */
extern const char dvt_own_truth[];

/* table must outlive the view and all that is retained. */
dv_status dvt_own_table_open(dv_view **view_out, dvt_own_table *table,
                             const dv_allocator *allocator, dv_error *err);

#endif
