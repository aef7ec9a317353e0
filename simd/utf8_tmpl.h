/* SPDX-License-Identifier: MIT */
/* utf8_tmpl.h: validates UTF-8 and counts UTF-16 units, for the vector levels.
 *
 * Whether two consecutive bytes a and b can occur in UTF-8 is looked up in three tables: by the
 * high half of a, by the low half of a, and by the high half of b.  Each table returns the set of
 * errors that its half byte allows, and an error is present if all three allow it.  In three or
 * four consecutive bytes, the one further error is a continuation after a continuation (IN_A_ROW)
 * that no lead byte of a character of 3 or 4 bytes requires, or a missing one that a lead byte
 * requires.  The method is that of Keiser and Lemire, "Validating UTF-8 in less than one
 * instruction per byte", 2020. */
#ifndef DVI_SIMD_UTF8_TMPL_H
#define DVI_SIMD_UTF8_TMPL_H

#include "base/utf8.h"
#include "simd/dispatch.h"
#include <stdbool.h>
#include <string.h>

/* clang-format off */
enum {
    DVI_UTF8_CUT_OFF   = 1,   /* a lead byte, then no continuation */
    DVI_UTF8_STRAY     = 2,   /* ASCII, then a continuation */
    DVI_UTF8_OVER_2    = 4,   /* C0, C1: fits one byte */
    DVI_UTF8_OVER_3    = 8,   /* E0 80..9F: fits two */
    DVI_UTF8_SURROGATE = 16,  /* ED A0..BF */
    DVI_UTF8_LARGE     = 32,  /* F4..FF 90..BF: above U+10FFFF */
    DVI_UTF8_OVER_4    = 64,  /* F0 80..8F: fits three; and F5..FF 80..8F, which is too large */
    DVI_UTF8_IN_A_ROW  = 128, /* two continuations: an error unless a lead byte requires it */
};

#define ANY_LEAD (DVI_UTF8_CUT_OFF | DVI_UTF8_STRAY | DVI_UTF8_IN_A_ROW)
#define ABOVE    (ANY_LEAD | DVI_UTF8_LARGE | DVI_UTF8_OVER_4)
#define ANY_NEXT (DVI_UTF8_STRAY | DVI_UTF8_IN_A_ROW | DVI_UTF8_OVER_2)
#define FOUR_OF(x) x, x, x, x

static const uint8_t dvi_utf8_first_high[16] = {
    FOUR_OF(DVI_UTF8_STRAY), FOUR_OF(DVI_UTF8_STRAY), FOUR_OF(DVI_UTF8_IN_A_ROW),
    DVI_UTF8_CUT_OFF | DVI_UTF8_OVER_2, DVI_UTF8_CUT_OFF,
    DVI_UTF8_CUT_OFF | DVI_UTF8_OVER_3 | DVI_UTF8_SURROGATE,
    DVI_UTF8_CUT_OFF | DVI_UTF8_OVER_4 | DVI_UTF8_LARGE,
};
static const uint8_t dvi_utf8_first_low[16] = {
    ANY_LEAD | DVI_UTF8_OVER_2 | DVI_UTF8_OVER_3 | DVI_UTF8_OVER_4, ANY_LEAD | DVI_UTF8_OVER_2,
    ANY_LEAD, ANY_LEAD, ANY_LEAD | DVI_UTF8_LARGE, ABOVE, ABOVE, ABOVE,
    FOUR_OF(ABOVE), ABOVE, ABOVE | DVI_UTF8_SURROGATE, ABOVE, ABOVE,
};
static const uint8_t dvi_utf8_second_high[16] = {
    FOUR_OF(DVI_UTF8_CUT_OFF), FOUR_OF(DVI_UTF8_CUT_OFF),
    ANY_NEXT | DVI_UTF8_OVER_3 | DVI_UTF8_OVER_4, ANY_NEXT | DVI_UTF8_OVER_3 | DVI_UTF8_LARGE,
    ANY_NEXT | DVI_UTF8_SURROGATE | DVI_UTF8_LARGE, ANY_NEXT | DVI_UTF8_SURROGATE | DVI_UTF8_LARGE,
    FOUR_OF(DVI_UTF8_CUT_OFF),
};

/* UTF-16 units of the character that starts with a byte of this high half. */
static const uint8_t dvi_utf8_unit_count[16] = {FOUR_OF(1), FOUR_OF(1), FOUR_OF(0), 1, 1, 1, 2};
/* clang-format on */

#undef ANY_LEAD
#undef ABOVE
#undef ANY_NEXT
#undef FOUR_OF

/* Only lead bytes of characters of three and four bytes keep bit 7 when these are subtracted. */
#define DVI_UTF8_BELOW_3 (0xE0 - 0x80)
#define DVI_UTF8_BELOW_4 (0xF0 - 0x80)

/* Bytes that are checked at a time: one block after ASCII, then as many bytes as since the last
 * ASCII. So a single accented letter costs little, and branches and sums cost little in text with
 * many.  The maximum is so small that the units of a run fit in a byte per lane of a vector. */
#define DVI_UTF8_BLOCK 64
#define DVI_UTF8_RUN 512

/* The operations of a level.
 *
 * check  returns whether nbytes, whole blocks, are valid after the three bytes before p, which
 *        are read, too; a character truncated at the end is not yet an error.  Adds the units of
 *        the characters that start in these bytes to *units_inout.
 * skip   returns the length of an ASCII prefix, not necessarily the longest one.
 */
typedef bool dvi_utf8_check(const uint8_t *p, size_t nbytes, size_t *units_inout);
typedef size_t dvi_utf8_skip(const uint8_t *p, size_t n);

/* Validate characters one by one until three bytes precede the next one. */
static inline size_t dvi_utf8_begin(const uint8_t *p, size_t n, size_t *units_inout)
{
    size_t i = 0;
    while (i < 3 && i < n) {
        const size_t step = dvi_utf8_step((const char *)p + i, n - i);
        if (step == 0)
            break;
        i += step;
        *units_inout += step == 4 ? 2 : 1;
    }
    return i;
}

static inline size_t dvi_utf8_next_run(size_t left, size_t since_ascii)
{
    const size_t least = since_ascii < DVI_UTF8_BLOCK ? DVI_UTF8_BLOCK : since_ascii;
    const size_t most = least < DVI_UTF8_RUN ? least : DVI_UTF8_RUN;
    return (left < most ? left : most) / DVI_UTF8_BLOCK * DVI_UTF8_BLOCK;
}

/* Find the exact position of an error, in the last character that starts before i > 0 or later. */
static inline size_t dvi_utf8_locate(const uint8_t *p, size_t n, size_t i, size_t units,
                                     size_t *units_out)
{
    do
        i--;
    while ((p[i] & 0xC0) == 0x80);
    units -= dvi_utf8_unit_count[p[i] >> 4];
    i += dvi_utf8_units_scalar(p + i, n - i, units_out);
    *units_out += units;
    return i;
}

/* Check the bytes from i on, less than a block, in a copy that is padded with zeros.  These are
 * characters, so a truncated last character is an error. */
static inline size_t dvi_utf8_finish(dvi_utf8_check *check, const uint8_t *p, size_t n, size_t i,
                                     size_t units, size_t *units_out)
{
    size_t more = 0;
    if (i < n || p[n - 1] >= 0x80) {
        uint8_t copy[3 + DVI_UTF8_BLOCK] = {0};
        memcpy(copy, p + i - 3, 3 + n - i);
        if (!check(copy + 3, DVI_UTF8_BLOCK, &more))
            return dvi_utf8_locate(p, n, i, units, units_out);
        more -= DVI_UTF8_BLOCK - (n - i);
    }
    *units_out = units + more;
    return n;
}

/* The body of kernel utf8_units.  Text that does not begin with ASCII is assumed to have little. */
static inline size_t dvi_utf8_validate(dvi_utf8_check *check, dvi_utf8_skip *skip, const void *text,
                                       size_t n, size_t *units_out)
{
    const uint8_t *p = text;
    size_t i = skip(p, n), units = i, since_ascii = i == 0 ? DVI_UTF8_RUN : 0;
    if (i == 0)
        i = dvi_utf8_begin(p, n, &units);
    if (i < 3) {
        *units_out = units;
        return i;
    }
    while (n - i >= DVI_UTF8_BLOCK) {
        const size_t nbytes = dvi_utf8_next_run(n - i, since_ascii), before = units;
        if (!check(p + i, nbytes, &units))
            return dvi_utf8_locate(p, n, i, before, units_out);
        i += nbytes;
        since_ascii += nbytes;
        /* Other characters have fewer units than bytes, unless they continue after i. */
        if (units - before == nbytes && p[i - 1] < 0x80) {
            const size_t ascii = skip(p + i, n - i);
            i += ascii;
            units += ascii;
            since_ascii = 0;
        }
    }
    return dvi_utf8_finish(check, p, n, i, units, units_out);
}

#endif
