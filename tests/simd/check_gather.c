/* SPDX-License-Identifier: MIT */
/* check_gather.c: checks kernels that copy rows in another order. */
#include "check_kernels.h"
#include <string.h>

#define ROWS_MAX 1500
#define SOURCE_MAX 300 /* rows to choose from */
#define TEXT_MAX 100   /* bytes of one of them */

static uint8_t *draw_bytes(int page, const dvt_try *trial, size_t nbytes, dvt_draw *draw)
{
    uint8_t *dst = dvt_allocate(page, trial, nbytes);
    for (size_t i = 0; i < nbytes; i += 8) {
        const uint64_t bits = dvt_draw_bits(draw);
        memcpy(dst + i, &bits, nbytes - i < 8 ? nbytes - i : 8);
    }
    return dst;
}

/* n indices below `rows`, on page 1. */
static uint8_t *draw_index(const dvt_try *trial, size_t rows, dvt_draw *draw)
{
    uint8_t *index = dvt_allocate(1, trial, 4 * trial->n);
    for (size_t i = 0; i < trial->n; i++) {
        const int32_t row = (int32_t)dvt_draw_below(draw, rows);
        memcpy(index + 4 * i, &row, 4);
    }
    return index;
}

static dvt_try aligned(const dvt_try *trial, size_t width)
{
    dvt_try moved = *trial;
    if (trial->slack != DVT_AT_START)
        moved.slack = trial->slack / width * width;
    return moved;
}

/* Return whether a level has written the output of scalar on page 4, and nothing around it. */
static const char *compare(dv_level level, const dvt_try *trial, const uint8_t *got,
                           const uint8_t *want, size_t nbytes)
{
    if (memcmp(got, want, nbytes) != 0)
        return dvt_differs(level, trial, "rows");
    return dvt_is_clean(4, got, nbytes) ? NULL : dvt_differs(level, trial, "bytes outside");
}

const char *dvt_check_GATHER(DVT_CALL_GATHER, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    const char *differs = NULL;
    dvt_try trial;
    for (size_t i = 0; !differs && dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t n = trial.n, rows = 1 + dvt_draw_below(&draw, SOURCE_MAX);
        const dvt_try to = aligned(&trial, dst_width);
        const uint8_t *src = draw_bytes(0, &trial, rows * src_width, &draw);
        const uint8_t *index = draw_index(&trial, rows, &draw);
        uint8_t *want = dvt_allocate(3, &to, n * dst_width);
        call(here.scalar, want, src, index, n);
        if (!dvt_is_clean(3, want, n * dst_width))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; !differs && k < here.n; k++) {
            uint8_t *got = dvt_allocate(4, &to, n * dst_width);
            call(here.table[k], got, src, index, n);
            differs = compare(here.level[k], &trial, got, want, n * dst_width);
        }
    }
    return differs;
}

/* --- Text ------------------------------------------------------------------------------------- */

/* Valid ends of some rows on page 0, some of them NA; the first row starts at `first`. */
typedef struct texts {
    const uint8_t *ends;
    size_t rows, nbytes; /* nbytes: bytes up to the last end */
    int32_t first;
} texts;

/* scale: the longest text has scale * TEXT_MAX bytes. */
static texts draw_texts(const dvt_try *trial, size_t scale, dvt_draw *draw)
{
    const size_t rows = 1 + dvt_draw_below(draw, SOURCE_MAX);
    const size_t longest = 1 + dvt_draw_below(draw, TEXT_MAX);
    uint8_t *ends = dvt_allocate(0, trial, 4 * rows);
    const int32_t first = (int32_t)dvt_draw_below(draw, 50);
    uint32_t end = (uint32_t)first;
    for (size_t i = 0; i < rows; i++) {
        const bool is_na = dvt_draw_once_in(draw, 8);
        end += is_na ? 0 : (uint32_t)(scale * dvt_draw_below(draw, longest));
        const uint32_t word = end | (uint32_t)is_na << 31;
        memcpy(ends + 4 * i, &word, 4);
    }
    return (texts){ends, rows, end, first};
}

/* Some ends reach 2^31 - 1 and more. */
const char *dvt_check_GATHER_ENDS(DVT_CALL_GATHER_ENDS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    const char *differs = NULL;
    dvt_try trial;
    (void)src_width;
    for (size_t i = 0; !differs && dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const texts t = draw_texts(&trial, dvt_draw_once_in(&draw, 2) ? 1 : 60000, &draw);
        const dvt_try to = aligned(&trial, dst_width);
        const uint8_t *index = draw_index(&trial, t.rows, &draw);
        const int32_t at = dvt_draw_once_in(&draw, 3) ? INT32_MAX - (int32_t)t.nbytes / 2 : t.first;
        int32_t want_last = -1, last = -1;
        uint8_t *want = dvt_allocate(3, &to, trial.n * dst_width);
        const size_t good =
            call(here.scalar, want, t.ends, t.first, index, trial.n, at, &want_last);
        if (!dvt_is_clean(3, want, trial.n * dst_width))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; !differs && k < here.n; k++) {
            uint8_t *got = dvt_allocate(4, &to, trial.n * dst_width);
            if (call(here.table[k], got, t.ends, t.first, index, trial.n, at, &last) != good ||
                last != want_last)
                return dvt_differs(here.level[k], &trial, "good ends, or the last one");
            differs = compare(here.level[k], &trial, got, want, good * dst_width);
        }
    }
    return differs;
}

/* Return the number of bytes of these texts. */
static size_t sum_lengths(const texts *t, const uint8_t *index, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t row, start = (uint32_t)t->first, end;
        memcpy(&row, index + 4 * i, 4);
        if (row > 0)
            memcpy(&start, t->ends + 4 * (row - 1), 4);
        memcpy(&end, t->ends + 4 * row, 4);
        sum += (end & INT32_MAX) - (start & INT32_MAX);
    }
    return sum;
}

const char *dvt_check_GATHER_TEXT(DVT_CALL_GATHER_TEXT, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    const char *differs = NULL;
    dvt_try trial;
    (void)dst_width;
    (void)src_width;
    for (size_t i = 0; !differs && dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const texts t = draw_texts(&trial, 1, &draw);
        const uint8_t *text = draw_bytes(2, &trial, t.nbytes, &draw);
        const uint8_t *index = draw_index(&trial, t.rows, &draw);
        const size_t n = trial.n, nbytes = sum_lengths(&t, index, n);
        if (nbytes > 60000)
            continue;
        uint8_t *want = dvt_allocate(3, &trial, nbytes);
        call(here.scalar, want, nbytes, text, t.nbytes, t.ends, t.first, index, n);
        if (!dvt_is_clean(3, want, nbytes))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; !differs && k < here.n; k++) {
            uint8_t *got = dvt_allocate(4, &trial, nbytes);
            call(here.table[k], got, nbytes, text, t.nbytes, t.ends, t.first, index, n);
            differs = compare(here.level[k], &trial, got, want, nbytes);
        }
    }
    return differs;
}

const char *dvt_check_MOVE_ENDS(DVT_CALL_MOVE_ENDS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    const char *differs = NULL;
    dvt_try trial;
    for (size_t i = 0; !differs && dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t nbytes = trial.n * dst_width;
        const dvt_try to = aligned(&trial, dst_width);
        const uint8_t *ends = draw_bytes(0, &trial, trial.n * src_width, &draw);
        const int32_t by = (int32_t)dvt_draw_bits(&draw); /* wraps in the same way at every level */
        uint8_t *want = dvt_allocate(3, &to, nbytes);
        call(here.scalar, want, ends, trial.n, by);
        if (!dvt_is_clean(3, want, nbytes))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; !differs && k < here.n; k++) {
            uint8_t *got = dvt_allocate(4, &to, nbytes);
            call(here.table[k], got, ends, trial.n, by);
            differs = compare(here.level[k], &trial, got, want, nbytes);
        }
    }
    return differs;
}
