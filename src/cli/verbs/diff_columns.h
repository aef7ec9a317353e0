/* SPDX-License-Identifier: MIT */
/* diff_columns.h: pairs the columns of two tables. */
#ifndef DVI_CLI_DIFF_COLUMNS_H
#define DVI_CLI_DIFF_COLUMNS_H

#include "cli/args/select.h"

/* The index of a column in each table; -1: only the other table has it. */
typedef struct dvi_pair {
    int32_t a, b;
} dvi_pair;

/* The selected columns, paired by name.  If a name occurs more than once, the last columns are
 * paired (the visible ones), then those before them. */
typedef struct dvi_diff_columns {
    dvi_pair *pair; /* owned: those in both or only in A, in the order of A, then those only in B */
    int32_t count;
    int32_t moved; /* the first pair that is out of order in B; -1: none */
} dvi_diff_columns;

/* --columns and --drop can name columns of either table.  DVI_EXIT_DONE, or another status after a
 * message.  Free columns_out in any case. */
dvi_exit dvi_diff_columns_find(dvi_diff_columns *columns_out, const dvi_args *args,
                               const dv_schema *a, const dv_schema *b);
void dvi_diff_columns_free(dvi_diff_columns *columns);

#endif
