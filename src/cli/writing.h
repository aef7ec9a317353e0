/* SPDX-License-Identifier: MIT */
/* writing.h: how does a table become files, and what is told of them? */
#ifndef DVI_CLI_WRITING_H
#define DVI_CLI_WRITING_H

#include "cli/json.h"
#include "cli/loss_list.h"
#include "cli/progress.h"
#include "cli/select.h"

/* A file to be written, and what is known of it then. */
typedef struct dvi_part {
    const char *path;
    int64_t skip, take; /* of the rows that are written: behind so many, so many; -1: all */
    int64_t rows, nbytes;
    int32_t columns;    /* -1: it does not tell */
    const char *format; /* NULL: not known */
    double seconds;
    bool is_saved;
} dvi_part;

typedef struct dvi_writing {
    const dvi_args *args;
    dvi_out *out;
    dv_view *source;         /* what was opened */
    dv_view *view;           /* what is written: the same, or made from it */
    dvi_selection selection; /* of the view: what is written */
    int64_t seed;            /* that gave the rows their order; -1: none did */
    dvi_part *part;          /* the caller's */
    int parts, now;          /* which one is being saved */
    int64_t before;          /* rows of those that are saved */
    dv_save_options options;
    dvi_loss_list losses;
    dvi_json json;
    dvi_progress progress;
    int64_t in_nbytes;
    int32_t hidden; /* columns that are left out */
} dvi_writing;

/* All return DVI_EXIT_DONE, or another status when told what is wrong. */

/* Open what the command line names, and choose columns and rows.  To be freed in any case. */
dvi_exit dvi_writing_open(dvi_writing *w, const dvi_args *args, dvi_out *out);
void dvi_writing_free(dvi_writing *w);

/* Let selection.rows be the number of rows that is asked for, which takes a walk over the view when
 * that does not know how many it has.  *first_out: the first of them. */
dvi_exit dvi_writing_count(dvi_writing *w, int64_t *first_out);
/* Make sure that the selected rows can be had in any order without a detour for each. */
dvi_exit dvi_writing_hold(dvi_writing *w);
/* Write these rows of the view, in this order, in place of those that were selected.  They are
 * copied. */
dvi_exit dvi_writing_order(dvi_writing *w, const int64_t *rows, int64_t n, int64_t seed);

/* Write the files, each as a whole or not at all, one after the other, and tell what they are. */
dvi_exit dvi_writing_run(dvi_writing *w, dvi_part *part, int parts);

/* Tell it, once written or refused: as text, or as members of w->json. */
void dvi_writing_tell(const dvi_writing *w);
void dvi_writing_tell_json(dvi_writing *w);

#endif
