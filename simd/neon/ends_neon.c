/* SPDX-License-Identifier: MIT */
/* ends_neon.c: checks the ends of texts, and converts them from UTF-16 units to bytes.
 *
 * NEON has no instruction that packs a mask into a word, so the conversion does not use words of
 * bits as ends_tmpl.h does.  It sums the units within 16 bytes and counts the sums that are not
 * above the end. */
#include "base/compiler.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include <arm_neon.h>
#include <stdbool.h>
#include <string.h>

/* Four ends without bit 31, and which of them are invalid. */
typedef struct ends4 {
    uint32x4_t ends, is_bad;
} ends4;

/* Load four words once, copy them if there is a dst, and check them. */
static inline ends4 check4(int32_t *dst, const uint8_t *p, uint32x4_t before4)
{
    uint32x4_t words = vreinterpretq_u32_u8(vld1q_u8(p));
    DVI_OPAQUE_VECTOR(words);
    if (dst)
        vst1q_s32(dst, vreinterpretq_s32_u32(words));
    const uint32x4_t ends = vandq_u32(words, vdupq_n_u32(INT32_MAX));
    const int32x4_t end = vreinterpretq_s32_u32(ends);
    const int32x4_t before = vreinterpretq_s32_u32(vextq_u32(before4, ends, 3));
    const uint32x4_t is_na = vcltzq_s32(vreinterpretq_s32_u32(words));
    const uint32x4_t is_na_with_text = vandq_u32(is_na, vcgtq_s32(end, before));
    return (ends4){ends, vorrq_u32(vcltq_s32(end, before), is_na_with_text)};
}

size_t dvi_ends_check_neon(int32_t *restrict dst, const void *ends, size_t n, int32_t first,
                           int32_t *last_out)
{
    const uint8_t *p = ends;
    uint32x4_t before = vdupq_n_u32((uint32_t)first);
    size_t i = 0;
    for (; n - i >= 16; i += 16, p += 64) {
        int32_t *to = dst ? dst + i : NULL;
        const ends4 a = check4(to, p, before), b = check4(to ? to + 4 : NULL, p + 16, a.ends);
        const ends4 c = check4(to ? to + 8 : NULL, p + 32, b.ends);
        const ends4 d = check4(to ? to + 12 : NULL, p + 48, c.ends);
        const uint32x4_t low = vorrq_u32(a.is_bad, b.is_bad);
        const uint32x4_t high = vorrq_u32(c.is_bad, d.is_bad);
        if (vmaxvq_u32(vorrq_u32(low, high)) != 0)
            break;
        before = d.ends;
    }
    const int32_t last = (int32_t)vgetq_lane_u32(before, 3);
    /* an invalid one of 16, or the last 0..15 */
    return i + dvi_ends_check_scalar(dst ? dst + i : NULL, p, n - i, last, last_out);
}

/* Sixteen bytes of the text; the last ones may be after its end. */
typedef struct window {
    const uint8_t *text;
    size_t nbytes;
    size_t byte, unit; /* its start */
    uint8x16_t
        through;    /* units of the characters that begin in it, up to and including each byte */
    uint8_t units;  /* units of all characters that begin in it */
    bool has_pairs; /* some of these characters have two units */
} window;

/* Return for each byte the units of the character that begins there, 0 if none does. */
static inline uint8x16_t units_of(uint8x16_t bytes)
{
    const uint8x16_t starts = vcgtq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8((int8_t)0xBF));
    const uint8x16_t pairs = vcgeq_u8(bytes, vdupq_n_u8(0xF0));
    return vreinterpretq_u8_s8(vnegq_s8(vreinterpretq_s8_u8(vaddq_u8(starts, pairs))));
}

static size_t units_of_64(const uint8_t *p)
{
    const uint8x16_t low = vaddq_u8(units_of(vld1q_u8(p)), units_of(vld1q_u8(p + 16)));
    const uint8x16_t high = vaddq_u8(units_of(vld1q_u8(p + 32)), units_of(vld1q_u8(p + 48)));
    return vaddvq_u8(vaddq_u8(low, high)); /* at most 65: the last byte may begin a pair */
}

/* The bytes after the text are read as characters of one byte.  The first of them begins where the
 * last text may end. */
static uint8x16_t load_window(const window *w)
{
    const size_t left = w->byte < w->nbytes ? w->nbytes - w->byte : 0;
    uint8_t padded[16] = {0};
    if (left >= 16)
        return vld1q_u8(w->text + w->byte);
    if (left > 0)
        memcpy(padded, w->text + w->byte, left);
    return vld1q_u8(padded);
}

static void look(window *w)
{
    const uint8x16_t bytes = load_window(w), zero = vdupq_n_u8(0);
    uint8x16_t sum = units_of(bytes);
    sum = vaddq_u8(sum, vextq_u8(zero, sum, 15));
    sum = vaddq_u8(sum, vextq_u8(zero, sum, 14));
    sum = vaddq_u8(sum, vextq_u8(zero, sum, 12));
    w->through = vaddq_u8(sum, vextq_u8(zero, sum, 8));
    w->units = vgetq_lane_u8(w->through, 15);
    w->has_pairs = vmaxvq_u8(bytes) >= 0xF0;
}

/* Advance to the window with the end inside.  A window that ends there may truncate its last
 * character. */
static void seek(window *w, size_t end)
{
    while (end - w->unit >= w->units && w->byte < w->nbytes) {
        w->byte += 16;
        w->unit += w->units;
        while (end - w->unit >= 65 && w->byte < w->nbytes && w->nbytes - w->byte >= 64) {
            w->unit += units_of_64(w->text + w->byte);
            w->byte += 64;
        }
        look(w);
    }
}

/* Return the number of bytes before the end: those of all characters whose units are before it. */
static size_t bytes_through(uint8x16_t through, uint8x16_t end)
{
    const int8x16_t is_before = vreinterpretq_s8_u8(vcleq_u8(through, end));
    return (size_t)-vaddvq_s8(is_before); /* a true lane is -1 */
}

size_t dvi_ends_map_neon(int32_t *restrict dst, const void *text, size_t nbytes, const void *ends,
                         size_t n)
{
    window w = {.text = text, .nbytes = nbytes};
    look(&w);
    for (size_t i = 0; i < n; i++) {
        const uint32_t word = dvi_load_u32((const uint8_t *)ends + 4 * i);
        seek(&w, word & INT32_MAX);
        const size_t units = (word & INT32_MAX) - w.unit;
        const uint8x16_t end = vdupq_n_u8((uint8_t)units);
        if (w.has_pairs && units > 0 && vmaxvq_u8(vceqq_u8(w.through, end)) == 0)
            return i; /* no character ends there: the end is inside a pair */
        const size_t bytes = w.byte + bytes_through(w.through, end);
        dst[i] = (int32_t)((uint32_t)bytes | (word & ~(uint32_t)INT32_MAX));
    }
    return n;
}
