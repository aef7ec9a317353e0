/* SPDX-License-Identifier: MIT */
/* ends_tmpl.h: converts ends of texts from UTF-16 units to bytes, for the vector levels.
 *
 * Text is read in windows.  Two bits for each byte of a window record whether it is the first byte
 * of a character, and whether it represents a UTF-16 unit.  The first byte of a character
 * represents a unit; the second byte of a character that is a surrogate pair represents the second
 * half of the pair.  If an end falls into the window, the positions of the bytes that represent
 * units are listed: an end k units after the start of the window is at position k of the list.  It
 * is inside a pair if no character starts there.
 *
 * pdep, which would find a position without a list, is not used: before Zen 3 it takes up to some
 * hundred cycles. */
#ifndef DVI_SIMD_ENDS_TMPL_H
#define DVI_SIMD_ENDS_TMPL_H

#include "base/load.h"
#include "simd/dispatch.h"
#include <stdbool.h>
#include <string.h>

#define DVI_ENDS_WINDOW 256 /* so that a position fits in a byte */
#define DVI_ENDS_WORDS (DVI_ENDS_WINDOW / 64)

typedef struct dvi_ends_window {
    size_t bytes_before, units_before, units;
    uint64_t starts[DVI_ENDS_WORDS];     /* first bytes of characters */
    uint64_t represents[DVI_ENDS_WORDS]; /* bytes that represent a unit */
    uint64_t pair;                       /* 1: the last byte is the lead byte of a pair */
} dvi_ends_window;

/* The operations of a level.  look: of 64 bytes, find the first bytes of characters and the lead
 * bytes of pairs.  list: write the positions of the bits that are set in a word, plus base; up to
 * 64 bytes may be written. */
typedef void dvi_ends_look(const uint8_t *p, uint64_t *starts_out, uint64_t *pairs_out);
typedef void dvi_ends_list(uint8_t *dst, uint64_t word, size_t base);

static inline void dvi_ends_read(dvi_ends_look *look, const uint8_t *p, dvi_ends_window *w)
{
    w->units = 0;
    for (size_t j = 0; j < DVI_ENDS_WORDS; j++) {
        uint64_t pairs;
        look(p + 64 * j, &w->starts[j], &pairs);
        w->represents[j] = w->starts[j] | pairs << 1 | w->pair;
        w->pair = pairs >> 63;
        w->units += (size_t)__builtin_popcountll(w->represents[j]);
    }
}

static inline bool dvi_ends_is_in(const dvi_ends_window *w, uint32_t word)
{
    return (word & INT32_MAX) - w->units_before < w->units;
}

/* Convert the ends from i on that fall into the window.  Returns the first one that does not, or
 * that is inside a pair. */
static inline size_t dvi_ends_map_window(dvi_ends_list *list, const dvi_ends_window *w,
                                         int32_t *dst, const uint8_t *ends, size_t i, size_t n)
{
    uint8_t positions[DVI_ENDS_WINDOW + 64];
    for (size_t j = 0, k = 0; j < DVI_ENDS_WORDS; j++) {
        list(positions + k, w->represents[j], 64 * j);
        k += (size_t)__builtin_popcountll(w->represents[j]);
    }
    for (; i < n; i++) {
        const uint32_t word = dvi_load_u32(ends + 4 * i);
        if (!dvi_ends_is_in(w, word))
            break;
        const size_t position = positions[(word & INT32_MAX) - w->units_before];
        if ((w->starts[position / 64] >> position % 64 & 1) == 0)
            break;
        dst[i] = (int32_t)((uint32_t)(w->bytes_before + position) | (word & ~(uint32_t)INT32_MAX));
    }
    return i;
}

/* The body of kernel ends_map.  The last window is a copy of the text, followed by zeros: these are
 * characters, and the first one is at the end of the text. */
static inline size_t dvi_ends_map_windows(dvi_ends_look *look, dvi_ends_list *list, int32_t *dst,
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
            i = dvi_ends_map_window(list, &w, dst, ends, i, n);
        if (i < n && dvi_ends_is_in(&w, dvi_load_u32(ends + 4 * i)))
            break; /* inside a pair */
        w.bytes_before += DVI_ENDS_WINDOW;
        w.units_before += w.units;
    }
    return i;
}

#endif
