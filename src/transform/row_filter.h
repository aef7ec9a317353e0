/* SPDX-License-Identifier: MIT */
/* row_filter.h: views of those rows of a source that pass tests.
 *
 * A transform of this kind makes tests; the rest is done here: the cursor reads what active columns
 * and tests need, and hands on each batch without the rows that fail, as it is where none does. */
#ifndef DVI_TRANSFORM_ROW_FILTER_H
#define DVI_TRANSFORM_ROW_FILTER_H

#include "view/source_cursor.h"

/* A test of one column. */
typedef struct dvi_row_test {
    int32_t column; /* of the source */
    /* keep[i] = 0 for each row of the column that fails; other rows stay as they are. */
    void (*run)(const void *how, const dv_column_view *column, uint8_t *keep);
    const void *how;
    /* Add all of `how` that the test depends on, which column it is of excepted. */
    void (*identify)(const struct dvi_row_test *test, dv_identity *identity);
} dvi_row_test;

/* The rows that pass all tests; or, with complement, those that do not. */
typedef struct dvi_row_filter {
    dvi_derived base;
    dvi_row_test *tests; /* n, to be filled */
    int32_t n;
    bool complement;
} dvi_row_filter;

dv_status dvi_row_filter_create(dvi_row_filter **filter_out, dv_view *source, int32_t tests,
                                const dv_allocator *allocator, dv_error *err);
/* Let *view_out be the view; the filter is taken, also on failure.  If `status` is a failure, it is
 * only freed, and the status passed on. */
dv_status dvi_row_filter_view(dv_view **view_out, dvi_row_filter *filter, dv_status status,
                              dv_error *err);

#endif
