/* SPDX-License-Identifier: MIT */
/* text_propose.h: proposes options for reading a text file. */
#ifndef DVI_FORMAT_TEXT_PROPOSE_H
#define DVI_FORMAT_TEXT_PROPOSE_H

#include "io/map.h"
#include "format/text/propose/text_given.h"

/* Propose a string for the option `text` from lines of a file, a pipe, or bytes in memory, which
 * are the beginning of a text.  A NUL follows the string and is not counted.  notes_out: NULL, or
 * notes about columns (dvi_text_proposal_write).  given: NULL, or
 * options that the string has to keep. DV_OK: the buffers hold one reference each; DV_NOT_FOUND:
 * there are no lines, or the first one is too long; DV_ERR_ARGUMENT: the options contradict each
 * other or the file; DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_text_propose(dv_buffer *text_out, dv_buffer *notes_out, dvi_map *map,
                           const dvi_text_given *given, dv_error *err);

#endif
