/* SPDX-License-Identifier: MIT */
/* ends_tmpl.h: what do the vector levels share that map boundaries?
 *
 * Text is read in windows.  Each byte of a window is one bit: is it the first byte of a character,
 * and does it stand for a UTF-16 unit?  The first byte of a character does, and so does the second
 * one of a pair, in place of the pair's second half.  Where a boundary falls into the window, the
 * places of these bytes are listed, and boundary k units on is the k-th place; it cuts a pair when
 * no character starts there.
 *
 * No pdep, which would find a place without a list: before Zen 3 it takes up to some hundred
 * cycles. */
#ifndef DVI_SIMD_ENDS_TMPL_H
#define DVI_SIMD_ENDS_TMPL_H

#include "base/load.h"
#include "simd/dispatch.h"
#include <stdbool.h>
#include <string.h>

#define DVI_ENDS_WINDOW 256 /* so that a place fits a byte */
#define DVI_ENDS_WORDS (DVI_ENDS_WINDOW / 64)

typedef struct dvi_ends_window {
    size_t bytes_before, units_before, units;
    uint64_t starts[DVI_ENDS_WORDS]; /* first bytes of characters */
    uint64_t stands[DVI_ENDS_WORDS]; /* bytes that stand for a unit */
    uint64_t pair;                   /* 1: the last byte is the lead of a pair */
} dvi_ends_window;

/* What a level brings: of 64 bytes, first bytes of characters and leads of pairs; and the places of
 * the bits of a word, plus base, after which as many bytes more may be written as make 64. */
typedef void dvi_ends_look(const uint8_t *p, uint64_t *starts_out, uint64_t *pairs_out);
typedef void dvi_ends_list(uint8_t *dst, uint64_t word, size_t base);

static inline void dvi_ends_read(dvi_ends_look *look, const uint8_t *p, dvi_ends_window *w)
{
    w->units = 0;
    for (size_t j = 0; j < DVI_ENDS_WORDS; j++) {
        uint64_t pairs;
        look(p + 64 * j, &w->starts[j], &pairs);
        w->stands[j] = w->starts[j] | pairs << 1 | w->pair;
        w->pair = pairs >> 63;
        w->units += (size_t)__builtin_popcountll(w->stands[j]);
    }
}

static inline bool dvi_ends_is_in(const dvi_ends_window *w, uint32_t word)
{
    return (word & INT32_MAX) - w->units_before < w->units;
}

/* Where the boundaries from i on lie that fall into the window.  Returns the first that does not,
 * or that cuts a pair. */
static inline size_t dvi_ends_place(dvi_ends_list *list, const dvi_ends_window *w, int32_t *dst,
                                    const uint8_t *ends, size_t i, size_t n)
{
    uint8_t places[DVI_ENDS_WINDOW + 64];
    for (size_t j = 0, k = 0; j < DVI_ENDS_WORDS; j++) {
        list(places + k, w->stands[j], 64 * j);
        k += (size_t)__builtin_popcountll(w->stands[j]);
    }
    for (; i < n; i++) {
        const uint32_t word = dvi_load_u32(ends + 4 * i);
        if (!dvi_ends_is_in(w, word))
            break;
        const size_t place = places[(word & INT32_MAX) - w->units_before];
        if ((w->starts[place / 64] >> place % 64 & 1) == 0)
            break;
        dst[i] = (int32_t)((uint32_t)(w->bytes_before + place) | (word & ~(uint32_t)INT32_MAX));
    }
    return i;
}

/* The kernel ends_map.  The last window is a copy with zeros after the text: characters, the first
 * of which is where the text ends. */
static inline size_t dvi_ends_walk(dvi_ends_look *look, dvi_ends_list *list, int32_t *dst,
                                   const uint8_t *text, size_t nbytes, const uint8_t *ends,
                                   size_t n)
{
    uint8_t copy[DVI_ENDS_WINDOW] = {0};
    dvi_ends_window w = {0};
    size_t i = 0;
    for (bool is_last = false; i < n && !is_last;) {
        const size_t left = nbytes - w.bytes_before;
        is_last = left < DVI_ENDS_WINDOW;
        if (is_last && left > 0)
            memcpy(copy, text + w.bytes_before, left);
        dvi_ends_read(look, is_last ? copy : text + w.bytes_before, &w);
        if (dvi_ends_is_in(&w, dvi_load_u32(ends + 4 * i)))
            i = dvi_ends_place(list, &w, dst, ends, i, n);
        if (i < n && dvi_ends_is_in(&w, dvi_load_u32(ends + 4 * i)))
            break; /* it cuts a pair */
        w.bytes_before += DVI_ENDS_WINDOW;
        w.units_before += w.units;
    }
    return i;
}

#endif
