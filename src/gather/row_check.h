/* SPDX-License-Identifier: MIT */
/* row_check.h: are the files of some rows still as they were, before kept blocks of them are read?
 *
 * A table may join thousands of files, and a few rows lie in a few of them: only these are asked.
 */
#ifndef DVI_GATHER_ROW_CHECK_H
#define DVI_GATHER_ROW_CHECK_H

#include <dataview/view.h>

typedef struct dvi_row_check {
    dv_view *source;
    const dv_allocator *allocator;
    int32_t n;      /* views that the source joins; 0: it is asked as a whole */
    int64_t *ends;  /* the row after the last one of each */
    int64_t *asked; /* the last round in which each was */
    int64_t round;
    bool is_due; /* the whole was not asked in this round */
} dvi_row_check;

/* Zeroed before.  The source outlives it.  DV_OK; DV_ERR_MEMORY: as after dvi_row_check_free. */
dv_status dvi_row_check_make(dvi_row_check *check, dv_view *source, const dv_allocator *allocator,
                             dv_error *err);
void dvi_row_check_free(dvi_row_check *check); /* zeroed is fine */

/* The same question is asked again. */
void dvi_row_check_begin(dvi_row_check *check);

/* Ask for the files of these rows, once in a round.  Rows that the source does not have are passed
 * over.  DV_OK; DV_ERR_IO: as dvi_view_check. */
dv_status dvi_row_check_ask(dvi_row_check *check, const int64_t *rows, int64_t n, dv_error *err);

#endif
