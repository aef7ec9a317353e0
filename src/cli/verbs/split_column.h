/* SPDX-License-Identifier: MIT */
/* split_column.h: the column of --stratify and --group. */
#ifndef DVI_CLI_SPLIT_COLUMN_H
#define DVI_CLI_SPLIT_COLUMN_H

#include "cli/verbs/writing.h"

typedef struct dvi_split_column {
    dv_view *view; /* has the column; owned */
    int32_t column;
    dv_cursor_options rows; /* the selected rows, of this column, which they point to */
} dvi_split_column;

/* Find the column that an option names: in the view to be written, or if that has the samples of
 * datadings as they are, in the columns of these.  purpose: what a column of vectors does not have.
 * DVI_EXIT_DONE, or another status after a message; release the view in any case. */
dvi_exit dvi_split_column_find(dvi_split_column *c, const dvi_writing *w, const char *option,
                               const char *name, const char *purpose);

#endif
