/* SPDX-License-Identifier: MIT */
/* pipe_diff_tables.h: compares the rows of two tables that steps have learned. */
#ifndef DVI_CLI_PIPE_DIFF_TABLES_H
#define DVI_CLI_PIPE_DIFF_TABLES_H

#include "cli/terminal/clip.h"
#include <dataview/view.h>

/* What differs: a number, and the first ones as text. */
typedef struct dvi_rows_found {
    int64_t count;
    dvi_clip clip;
} dvi_rows_found;

/* only_a, only_b: rows that one table alone has; moved: rows of both that have another number, the
 * key of a term.  Each starts from {.clip = {.most = DVI_CLIP_UNLIMITED}}; the caller frees the
 * clips.  shown: rows to show of each.  as_json: the clips are items of JSON lists, [VALUE,...] for
 * a row and {"row":[VALUE,...],"a":NUMBER,"b":NUMBER} for one that moved. */
typedef struct dvi_tables_found {
    dvi_rows_found only[2], moved;
    int64_t shown;
    bool as_json;
} dvi_tables_found;

/* Compare by value: all columns of a row.  DV_OK; DV_ERR_MEMORY; what a cursor returns. */
dv_status dvi_pipe_diff_tables(dvi_tables_found *found, dv_view *a, dv_view *b, dv_error *err);

#endif
