/* SPDX-License-Identifier: MIT */
/* writing.h: writes a table to files, and reports what was written. */
#ifndef DVI_CLI_WRITING_H
#define DVI_CLI_WRITING_H

#include "cli/args/select.h"
#include "cli/print/json.h"
#include "cli/terminal/out.h"
#include "cli/terminal/progress.h"
#include "cli/verbs/loss_list.h"

/* A file to write, and its facts once written. */
typedef struct dvi_output {
    const char *path;
    int64_t skip, take; /* of the rows to write: skip so many, then write so many; -1: all */
    int64_t rows, nbytes;
    int32_t columns;    /* -1: unknown */
    const char *format; /* NULL: unknown */
    double seconds;
    bool is_saved;
} dvi_output;

typedef struct dvi_writing {
    const dvi_args *args;
    dvi_out *out;
    char *how;               /* owned options of reading; NULL: those of args */
    dv_view *source;         /* the opened input */
    dv_view *view;           /* the view to write: the same, or made from it */
    dvi_selection selection; /* of the view */
    int64_t seed;            /* of the random order; -1: none */
    dvi_output *output;      /* owned by the caller */
    int outputs, now;        /* now: the one being written */
    const char *checked;     /* the output whose losses were checked last */
    int64_t before;          /* rows of the files written so far */
    dv_save_options options;
    dvi_loss_list losses;
    dvi_json json;
    dvi_progress progress;
    int64_t in_nbytes;
    int32_t hidden;  /* hidden columns left out */
    bool reads_pipe; /* an input is no regular file */
} dvi_writing;

/* All return DVI_EXIT_DONE, or another status after a message. */

/* Open the input, and select columns and rows.  Free w in any case. */
dvi_exit dvi_writing_open(dvi_writing *w, const dvi_args *args, dvi_out *out);
void dvi_writing_free(dvi_writing *w);

/* Set selection.rows to the number of selected rows, which reads the view if it does not know its
 * rows.  *first_out: the first selected row. */
dvi_exit dvi_writing_count(dvi_writing *w, int64_t *first_out);
/* Make sure that the selected rows can be read in any order without decoding a block for each: copy
 * them to memory unless all inputs are datadings. */
dvi_exit dvi_writing_materialize(dvi_writing *w);
/* Write these rows of the view, in this order, instead of the selected ones.  The numbers are
 * copied. */
dvi_exit dvi_writing_order(dvi_writing *w, const int64_t *rows, int64_t n, int64_t seed);

/* Write the files one after the other, each as a whole or not at all, and report them. */
dvi_exit dvi_writing_run(dvi_writing *w, dvi_output *output, int outputs);

/* Report the written or refused files: as text, or as members of w->json. */
void dvi_writing_report(const dvi_writing *w);
void dvi_writing_report_json(dvi_writing *w);

#endif
