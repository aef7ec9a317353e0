/* SPDX-License-Identifier: MIT */
/* text_evidence.h: which types keep all of a field. */
#ifndef DVI_FORMAT_TEXT_EVIDENCE_H
#define DVI_FORMAT_TEXT_EVIDENCE_H

#include "format/text/read/text_options.h"
#include <string.h>

/* The types that a proposal may choose, as bits, in the order in which they are preferred.  Text is
 * what remains if no bit does. */
enum {
    DVI_TEXT_CAN_BL = 1 << 0,
    DVI_TEXT_CAN_I8 = 1 << 1,
    DVI_TEXT_CAN_U8 = 1 << 2,
    DVI_TEXT_CAN_R8 = 1 << 3,
    DVI_TEXT_CAN_DT = 1 << 4,  /* a time without an offset */
    DVI_TEXT_CAN_UTC = 1 << 5, /* a time with the offset Z, which DT keeps too */
    DVI_TEXT_CAN_DZ = 1 << 6,
    DVI_TEXT_CAN_TS = 1 << 7,
    DVI_TEXT_CAN_DMY = 1 << 8, /* DT, with the day first */
    DVI_TEXT_CAN_MDY = 1 << 9, /* DT, with the month first */
    DVI_TEXT_CAN_ALL = (1 << 10) - 1,
    DVI_TEXT_DATES = DVI_TEXT_CAN_DT | DVI_TEXT_CAN_UTC | DVI_TEXT_CAN_DZ,
    DVI_TEXT_ORDERS = DVI_TEXT_CAN_DMY | DVI_TEXT_CAN_MDY
};

/* The facts about a field that proposals need.  The field has at least one byte. */
typedef struct dvi_text_evidence {
    unsigned kinds;  /* types from which the text could be written again, but for its spelling */
    bool is_whole;   /* digits alone, after a sign */
    int64_t integer; /* of I8 */
    bool is_padded;  /* digits after a leading zero */
    bool is_grouped; /* its point could group thousands */
    bool is_clear;   /* a number with a decimal point that cannot group thousands: 0.5, 12.34 */
} dvi_text_evidence;

/* A number of a few digits without leading zeros, perhaps with a point between two of them: no
 * parser is needed to know its evidence.  false: something else, and *evidence is unchanged. */
bool dvi_text_evidence_is_plain(dvi_text_evidence *evidence, dv_text text, char point);

/* Numbers have the decimal point of the options, dates their format, if there is one. */
dvi_text_evidence dvi_text_evidence_of(dv_text text, const dvi_text_options *options);

/* Add the types of a date, perhaps with a time, in each order that it fits. */
void dvi_text_evidence_date(dvi_text_evidence *evidence, dv_text text);

/* Has the R4 that is nearest to the number the same shortest digits as the R8? */
bool dvi_text_evidence_fits_r4(dv_text text, char point);

/* Can it be one of the words that stand for a missing number or infinity? */
static inline bool dvi_text_evidence_may_be_word(dv_text text)
{
    const char *p = text.data;
    const int64_t n = text.nbytes;
    if (*p >= '0' && *p <= '9')
        return n > 3 && p[2] == '#';
    if (*p == '-' || *p == '+')
        return n > 3 && (p[1] > '9' || p[3] == '#');
    switch (*p) {
    case '#':
    case '.':
    case '<':
    case 'I':
    case 'N':
    case 'i':
    case 'n':
    case '\\':
        return true;
    default:
        return false;
    }
}

/* The number of a word that often stands for a missing value, but which no type accepts; -1:
 * another text.  Name of such a word; NULL: there are no more. */
int dvi_text_evidence_word(dv_text text);
const char *dvi_text_evidence_word_at(int i);

#endif
