/* SPDX-License-Identifier: MIT */
/* text_tally.h: sums up by column what is wrong with the lines of a text file. */
#ifndef DVI_FORMAT_TEXT_TALLY_H
#define DVI_FORMAT_TEXT_TALLY_H

#include "format/text/read/text_rows.h"

#define DVI_TEXT_TALLY_FIRST 3    /* places that a sum names */
#define DVI_TEXT_TALLY_SHOWN 40   /* bytes of a field that are kept */
#define DVI_TEXT_TALLY_NBYTES 640 /* room for a sentence */

/* One kind of fault in one column, or in whole lines. */
typedef struct dvi_text_tally {
    dvi_text_fault_kind kind;
    int32_t column;        /* -1: the line */
    int64_t count, offset; /* offset: of the first line */
    int64_t line, in_line; /* the last line with one, and how many it has */
    int64_t row[DVI_TEXT_TALLY_FIRST];
    char text[DVI_TEXT_TALLY_FIRST][DVI_TEXT_TALLY_SHOWN + 4]; /* printable; may be empty */
} dvi_text_tally;

/* Start from {.allocator = ..., .layout = ...}, and set row and offset before each line. */
typedef struct dvi_text_tallies {
    const dv_allocator *allocator;
    const dvi_text_layout *layout;
    int64_t row, offset;  /* of the line that is read */
    dvi_text_tally *list; /* in the order in which they were found first */
    size_t n, cap;
    int32_t *number; /* by column and kind: index in the list plus 1; NULL: no faults yet */
    bool is_failed;  /* for want of memory */
} dvi_text_tallies;

/* Count a fault: a dvi_text_watch. */
void dvi_text_tallies_add(void *tallies, const dvi_text_fault *fault);
/* Forget the faults of the line that is read, which is not a row after all. */
void dvi_text_tallies_undo(dvi_text_tallies *tallies);
/* Forget all. */
void dvi_text_tallies_clear(dvi_text_tallies *tallies);
void dvi_text_tallies_free(dvi_text_tallies *tallies);

/* Move the sums of rows that follow `rows_before` others to those of all. false: no memory; the
 * call may be repeated. */
bool dvi_text_tallies_move(dvi_text_tallies *to, dvi_text_tallies *from, int64_t rows_before);
/* Of rows that were read again, keep the larger of two sums. is_failed says if memory ran out. */
void dvi_text_tallies_most(dvi_text_tallies *to, const dvi_text_tallies *from);

/* Is it not worth a word: nothing, or blank fields after the last column in most of the rows? */
bool dvi_text_tally_is_usual(const dvi_text_tally *tally, int64_t rows);

/* The text of `expected` for the fault: static, or owned by the file. */
struct dvi_text_file;
const char *dvi_text_tally_wanted(const dvi_text_tally *tally, const struct dvi_text_file *file);

/* "column "a": 2 fields are no value of R4: "x" in row 3, "y" in row 17" */
const char *dvi_text_tally_sentence(char text[DVI_TEXT_TALLY_NBYTES], const dvi_text_tally *tally,
                                    const struct dvi_text_file *file);

#endif
