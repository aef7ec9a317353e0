/* SPDX-License-Identifier: MIT */
/* text_suggest.h: which encoding may lines have that are not UTF-8? */
#ifndef DVI_FORMAT_TEXT_SUGGEST_H
#define DVI_FORMAT_TEXT_SUGGEST_H

#include <dataview/type.h>

/* Statistics of the bytes above 127. */
typedef struct dvi_text_bytes {
    int64_t count[128]; /* by byte - 128 */
    int64_t all, runs;  /* runs: of such bytes, one behind the other */
    int64_t odd;        /* runs of an odd length */
    int64_t late;       /* first bytes of pairs that are behind those of Hangul */
} dvi_text_bytes;

/* Add a line that is not UTF-8. */
void dvi_text_bytes_add(dvi_text_bytes *bytes, dv_text line);

/* The name of an encoding in which such lines are likely to be: a guess, to be said, not used. */
const char *dvi_text_bytes_suggest(const dvi_text_bytes *bytes);

#endif
