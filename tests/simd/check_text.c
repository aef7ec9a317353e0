/* SPDX-License-Identifier: MIT */
/* check_text.c: checks kernels on UTF-8 and on the ends of texts. */
#include "base/load.h"
#include "check_kernels.h"
#include <string.h>

#define NBYTES_MAX 40000 /* long enough that sums in bytes would overflow */
#define TEXTS_MAX 8000

/* One well-formed character of at most `room` bytes, of a width up to `widest`. */
static size_t put_character(uint8_t *dst, size_t room, size_t widest, dvt_draw *draw)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    static const uint32_t past[5] = {0, 0x80, 0x800, 0x10000, 0x110000};
    size_t width = 1 + dvt_draw_below(draw, widest < room ? widest : room);
    /* The limits of each width are drawn often. */
    const uint32_t span = past[width] - least[width];
    uint32_t c = least[width] + (uint32_t)dvt_draw_below(draw, span);
    if (dvt_draw_once_in(draw, 8))
        c = dvt_draw_once_in(draw, 2) ? least[width] : past[width] - 1;
    if (c >= 0xD800 && c < 0xE000)
        c = dvt_draw_once_in(draw, 2) ? 0xD7FF : 0xE000;
    if (width == 1) {
        dst[0] = (uint8_t)c;
        return 1;
    }
    for (size_t i = width - 1; i > 0; i--, c >>= 6)
        dst[i] = (uint8_t)(0x80 | (c & 0x3F));
    dst[0] = (uint8_t)(c | (0xF00u >> width & 0xF0));
    return width;
}

static void fill_text(uint8_t *dst, size_t n, dvt_draw *draw)
{
    const size_t widest = 1 + dvt_draw_below(draw, 4), ascii = 1 + dvt_draw_below(draw, 64);
    for (size_t i = 0; i < n;)
        i += put_character(dst + i, n - i, dvt_draw_once_in(draw, ascii) ? widest : 1, draw);
}

/* Sequences that are not UTF-8, and truncated characters. */
static const char *const ill_formed[] = {
    "\x80",         "\xBF",         "\xC0\x80",         "\xC1\xBF",
    "\xC2",         "\xC2\x41",     "\xDF\xC0",         "\xE0\x80\x80",
    "\xE0\x9F\xBF", "\xE1\x80",     "\xE1\x80\x41",     "\xED\xA0\x80",
    "\xED\xBF\xBF", "\xEF\xBF",     "\xEF\xBF\xFF",     "\xF0\x80\x80",
    "\xF0\x8F\xBF", "\xF0\x90\x80", "\xF0\x9F\x98\x41", "\xF4\x90\x80\x80",
    "\xF4\x8F\xBF", "\xF5\x80\x80", "\xF8\x88\x80\x80", "\xFF",
    "\xFE",         "\xC3\xA9\x80", "\xE2\x82\xAC\xAC", "\xE0\xA0\x41"};

static void spoil(uint8_t *text, size_t n, dvt_draw *draw)
{
    const char *bad = ill_formed[dvt_draw_below(draw, sizeof ill_formed / sizeof *ill_formed)];
    const size_t at = dvt_draw_below(draw, n);
    const size_t nbytes = strlen(bad) < n - at ? strlen(bad) : n - at;
    memcpy(text + at, bad, nbytes);
}

static void fill_any(uint8_t *text, size_t n, dvt_draw *draw)
{
    fill_text(text, n, draw);
    const size_t kind = dvt_draw_below(draw, 8);
    for (size_t i = 0; i < n && kind == 7; i++)
        text[i] = (uint8_t)dvt_draw_bits(draw);
    if (n > 0 && kind >= 4)
        spoil(text, n, draw);
}

const char *dvt_check_UTF8(DVT_CALL_UTF8, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    for (size_t i = 0; dvt_try_at(&trial, i, NBYTES_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t nbytes = trial.n * src_width;
        uint8_t *text = dvt_allocate(0, &trial, nbytes);
        fill_any(text, nbytes, &draw);
        size_t want_units, units;
        const size_t want = call(here.scalar, text, trial.n, &want_units);
        for (size_t k = 0; k < here.n; k++) {
            units = SIZE_MAX;
            if (call(here.table[k], text, trial.n, &units) != want || units != want_units)
                return dvt_differs(here.level[k], &trial, "length or units");
        }
    }
    return NULL;
}

/* --- Ends ------------------------------------------------------------------------------------- */

static uint32_t load_end(const uint8_t *ends, size_t i)
{
    return dvi_load_u32(ends + 4 * i);
}

static void store_end(uint8_t *ends, size_t i, uint32_t end)
{
    memcpy(ends + 4 * i, &end, 4);
}

#define NA_BIT UINT32_C(0x80000000)

/* Draw valid ends from `first` to at most `most`. */
static void fill_ends(uint8_t *ends, size_t n, uint32_t first, uint32_t most, dvt_draw *draw)
{
    const size_t longest = dvt_draw_once_in(draw, 3) ? 400 : 40; /* also beyond a window */
    const size_t step = 1 + dvt_draw_below(draw, longest), na = 1 + dvt_draw_below(draw, 30);
    uint32_t end = first;
    for (size_t i = 0; i < n; i++) {
        const bool is_na = dvt_draw_once_in(draw, na);
        const uint32_t by = is_na ? 0 : (uint32_t)dvt_draw_below(draw, step);
        end = by > most - end ? most : end + by;
        store_end(ends, i, is_na ? end | NA_BIT : end);
    }
}

/* Make one end invalid. */
static void spoil_ends(uint8_t *ends, size_t n, dvt_draw *draw)
{
    const size_t at = dvt_draw_below(draw, n);
    const uint32_t end = load_end(ends, at);
    const uint32_t other[] = {end - 1,
                              end ^ NA_BIT,
                              (end + 1) | NA_BIT,
                              NA_BIT,
                              0,
                              (end & INT32_MAX) - 1,
                              INT32_MAX,
                              UINT32_MAX,
                              end + UINT32_C(1),
                              (uint32_t)INT32_MAX - 1,
                              NA_BIT | 1,
                              1};
    store_end(ends, at, other[dvt_draw_below(draw, sizeof other / sizeof *other)]);
}

const char *dvt_check_ENDS(DVT_CALL_ENDS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, TEXTS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const uint32_t firsts[] = {0, 0, 7, INT32_MAX - 50, INT32_MAX};
        const uint32_t first = firsts[dvt_draw_below(&draw, 5)];
        uint8_t *ends = dvt_allocate(0, &trial, trial.n * src_width);
        fill_ends(ends, trial.n, first, INT32_MAX, &draw);
        if (trial.n > 0 && dvt_draw_once_in(&draw, 2))
            spoil_ends(ends, trial.n, &draw);
        const dvt_try aligned = {trial.n, trial.slack / dst_width * dst_width, trial.seed};
        int32_t want_last, last;
        const size_t want = call(here.scalar, NULL, ends, trial.n, (int32_t)first, &want_last);
        for (size_t k = 0; k < here.n; k++) {
            last = -1;
            int32_t *copy = NULL;
            if (dvt_draw_once_in(&draw, 2))
                copy = (int32_t *)dvt_allocate(1, &aligned, trial.n * dst_width);
            const size_t got = call(here.table[k], copy, ends, trial.n, (int32_t)first, &last);
            if (got != want || last != want_last)
                return dvt_differs(here.level[k], &trial, "sound ends or the last");
            if (copy && memcmp(copy, ends, got * dst_width) != 0)
                return dvt_differs(here.level[k], &trial, "the copied ends");
        }
    }
    return NULL;
}

/* The length of valid UTF-8 in UTF-16 units. */
static uint32_t units_of(const uint8_t *text, size_t n)
{
    uint32_t units = 0;
    for (size_t i = 0; i < n; i++)
        units += (uint32_t)((text[i] & 0xC0) != 0x80) + (text[i] >= 0xF0);
    return units;
}

/* An end before, inside or after the only surrogate pair of a text, at every position: a level that
 * skips many bytes of text at a time must not skip past the middle of a pair. */
static const char *check_lone_pair(DVT_CALL_MAP_ENDS, const dvt_levels *here)
{
    for (size_t at = 0; at < 600; at++) {
        const dvt_try trial = {1, 0, at};
        uint8_t *text = dvt_allocate(0, &trial, at + 4), *ends = dvt_allocate(1, &trial, 4);
        uint8_t *dst = dvt_allocate(2, &trial, 4);
        memset(text, 'a', at);
        memcpy(text + at, "\xF0\x9F\x98\x80", 4);
        for (uint32_t k = 0; k < 3; k++) {
            store_end(ends, 0, (uint32_t)at + k);
            for (size_t j = 0; j < here->n; j++) {
                const size_t got = call(here->table[j], dst, text, at + 4, ends, 1);
                if (got != (k != 1) || (got == 1 && load_end(dst, 0) != at + 2 * k))
                    return dvt_differs(here->level[j], &trial, "ends near a pair");
            }
        }
    }
    return NULL;
}

const char *dvt_check_MAP_ENDS(DVT_CALL_MAP_ENDS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, TEXTS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t longest = dvt_draw_once_in(&draw, 4) ? 4000 : 4;
        const size_t n = trial.n, nbytes = dvt_draw_below(&draw, 4 * n + longest);
        uint8_t *text = dvt_allocate(0, &trial, nbytes),
                *ends = dvt_allocate(1, &trial, n * src_width);
        fill_text(text, nbytes, &draw);
        fill_ends(ends, n, 0, units_of(text, nbytes), &draw);

        const dvt_try aligned = {n, trial.slack / 4 * 4, trial.seed};
        uint8_t *want_dst = dvt_allocate(2, &aligned, n * dst_width);
        const size_t want = call(here.scalar, want_dst, text, nbytes, ends, n);
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *dst = dvt_allocate(3, &aligned, n * dst_width);
            if (call(here.table[k], dst, text, nbytes, ends, n) != want)
                return dvt_differs(here.level[k], &trial, "number of ends");
            if (memcmp(dst, want_dst, want * dst_width) != 0)
                return dvt_differs(here.level[k], &trial, "ends");
            if (!dvt_is_clean(3, dst, n * dst_width))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return check_lone_pair(call, &here);
}
