/* SPDX-License-Identifier: MIT */
/* mixed.h: sources of a mix, whose rows tell where they come from, and the rows that it has. */
#ifndef DVT_MIXED_H
#define DVT_MIXED_H

#include "support/made_table.h"
#include "support/mix_model.h"
#include <dataview/cursor.h>

#define DVT_MIXED_SOURCES 8
#define DVT_MIXED_EACH 1000000 /* row r of source s is the number s * DVT_MIXED_EACH + r */

/* How the rows of the sources are reached. */
typedef enum dvt_mixed_kind {
    DVT_MIXED_BLOCKS,  /* by number */
    DVT_MIXED_COUNTED, /* in sequence, though their number is known */
    DVT_MIXED_UNKNOWN, /* in sequence, and their number is not known */
    DVT_MIXED_KINDS
} dvt_mixed_kind;

/* Sources with a column of whole numbers. */
typedef struct dvt_mixed {
    dvt_made_table table[DVT_MIXED_SOURCES];
    int32_t *numbers[DVT_MIXED_SOURCES];
    dv_view *view[DVT_MIXED_SOURCES];
    int64_t counts[DVT_MIXED_SOURCES];
    int32_t n;
} dvt_mixed;

void dvt_mixed_open(dvt_mixed *mixed, const int64_t *counts, int32_t n, int64_t block_rows,
                    dvt_mixed_kind kind, const dv_allocator *allocator);
void dvt_mixed_close(dvt_mixed *mixed);

/* The numbers that a cursor delivers, `most` at most; returns how many, or its error. */
int64_t dvt_mixed_read(int32_t *out, int64_t most, dv_view *view, const dv_cursor_options *options,
                       dv_error *err);
/* The numbers of the model. */
int64_t dvt_mixed_truth(int32_t *out, int64_t most, const dvt_mix *mix, int64_t epoch);

#endif
