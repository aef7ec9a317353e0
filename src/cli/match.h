/* SPDX-License-Identifier: MIT */
/* match.h: which column of one table is which column of another? */
#ifndef DVI_CLI_MATCH_H
#define DVI_CLI_MATCH_H

#include "cli/select.h"

/* A column by its index in each table; -1: it is only in the other. */
typedef struct dvi_pair {
    int32_t a, b;
} dvi_pair;

/* The columns that were asked for, in pairs of one name.  Of several of that name the last belong
 * together, then those before them: the visible ones, then the hidden ones. */
typedef struct dvi_match {
    dvi_pair *pair; /* owned: those in both or in A, in that order, then those only in B */
    int32_t count;
    int32_t moved; /* the first pair that stands elsewhere in the order of B; -1: none */
} dvi_match;

/* The words of --columns and --drop may name a column of either table.  DVI_EXIT_DONE, or another
 * status when told what is wrong.  To be freed in any case. */
dvi_exit dvi_match_columns(dvi_match *match_out, const dvi_args *args, const dv_schema *a,
                           const dv_schema *b);
void dvi_match_free(dvi_match *match);

#endif
