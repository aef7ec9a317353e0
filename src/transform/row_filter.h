/* SPDX-License-Identifier: MIT */
/* row_filter.h: views of the rows of a source that pass tests.
 *
 * Such a transform makes the tests. Its cursor is written here: it reads the columns that the
 * active columns and the tests need, and returns each batch without the rows that fail; unchanged
 * if none fails. */
#ifndef DVI_TRANSFORM_ROW_FILTER_H
#define DVI_TRANSFORM_ROW_FILTER_H

#include "view/source_cursor.h"
#include "expr/expr.h"

/* A test of one column. */
typedef struct dvi_row_test {
    int32_t column; /* of the source */
    /* Set keep[i] to 0 for each row i that fails; leave the others. */
    void (*run)(const void *params, const dv_column_view *column, uint8_t *keep);
    const void *params;
    /* Add everything of `params` that the test depends on. The column is added already. */
    void (*identify)(const struct dvi_row_test *test, dv_identity *identity);
} dvi_row_test;

/* The rows that pass all tests and for which the condition holds; with complement, the other rows.
 */
typedef struct dvi_row_filter {
    dvi_derived base;
    dvi_row_test *tests; /* n, which the caller fills */
    int32_t n;
    const dvi_bound_expr *condition; /* NULL: none. Errors count in rows that pass the tests */
    dv_text stored;                  /* its stored form */
    bool complement;
} dvi_row_filter;

dv_status dvi_row_filter_create(dvi_row_filter **filter_out, dv_view *source, int32_t tests,
                                const dv_allocator *allocator, dv_error *err);
/* Make the view. It takes the filter, also on failure. If `status` is a failure, it only frees the
 * filter and returns that status. */
dv_status dvi_row_filter_view(dv_view **view_out, dvi_row_filter *filter, dv_status status,
                              dv_error *err);

#endif
