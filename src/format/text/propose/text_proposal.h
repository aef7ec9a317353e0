/* SPDX-License-Identifier: MIT */
/* text_proposal.h: writes what was found as a string of options. */
#ifndef DVI_FORMAT_TEXT_PROPOSAL_H
#define DVI_FORMAT_TEXT_PROPOSAL_H

#include "format/text/propose/text_given.h"
#include "format/text/propose/text_guess.h"

/* How a file is best read. */
typedef struct dvi_text_finding {
    const dvi_text_guess *guess;
    const dvi_text_given *given;
    const char *options; /* all but header and columns */
    bool has_header;
    bool skips_words; /* the lines left out are words, not comments */
    int32_t shift;    /* the column of the first name in the header */
    int32_t extra;    /* a blank name too many; -1: none */
    int32_t columns;
} dvi_text_finding;

/* Write the string, with a NUL after it, and notes, such as about columns that are TX because of
 * single fields: each is one of these characters and a sentence with a NUL after it, and an empty
 * one ends them. notes_out: NULL, or
 * as text_out; NULL data: no notes. DV_OK; DV_ERR_ARGUMENT: a type is given for a column that
 * does not exist; DV_ERR_MEMORY. */
dv_status dvi_text_proposal_write(dv_buffer *text_out, dv_buffer *notes_out,
                                  const dvi_text_finding *finding, dv_error *err);

#endif
