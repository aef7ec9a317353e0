/* SPDX-License-Identifier: MIT */
/* dressed.h: numbers as spreadsheets show them: 1,234.50, $12, (3.5), 5 %. (semantics:6.8) */
#ifndef DVI_CODEC_DRESSED_H
#define DVI_CODEC_DRESSED_H

#include <dataview/type.h>

#define DVI_DRESSED_NBYTES 64 /* a longer number is not undressed */

/* How numbers may be dressed. */
typedef struct dvi_dress {
    dv_text thousands; /* the separator of groups of three digits; empty: none */
    dv_text affixes;   /* words before or after a number, separated by white space; empty: none */
    bool parentheses;  /* (3.5) is -3.5 */
    char point;        /* '.' or ',' */
} dvi_dress;

/* Write the number without its dress.  Returns its bytes; 0: it is not such a number, or has no
 * dress. */
size_t dvi_undress(char dst[DVI_DRESSED_NBYTES], dv_text text, const dvi_dress *dress);

/* The options that a number needs, as bits. */
enum {
    DVI_NEEDS_COMMAS = 1 << 0, /* thousands=, */
    DVI_NEEDS_DOTS = 1 << 1,   /* thousands=. decimal=, */
    DVI_NEEDS_SPACES = 1 << 2, /* thousands=space */
    DVI_NEEDS_POINT = 1 << 3,  /* decimal=, */
    DVI_NEEDS_AFFIX = 1 << 4,  /* affixes=[...] */
    DVI_NEEDS_SIGN = 1 << 5    /* parentheses+ */
};

/* Is the text a number, perhaps dressed?  *needs_out: how; *affix_out: the affix, if it has one. */
bool dvi_is_dressed(dv_text text, unsigned *needs_out, dv_text *affix_out);

#endif
