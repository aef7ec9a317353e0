/* SPDX-License-Identifier: MIT */
/* text_marks.h: finds texts with bytes that need quotes. */
#ifndef DVI_FORMAT_TEXT_MARKS_H
#define DVI_FORMAT_TEXT_MARKS_H

#include "simd/kernel.h"
#include <stdbool.h>

#define DVI_TEXT_MARKS 64

/* A cursor over consecutive texts, which searches for marked bytes some at a time. A plain
 * value. */
typedef struct dvi_text_marks {
    const uint8_t *text;
    int64_t mark; /* the next known one; INT64_MAX: none */
    int64_t base, seen,
        end; /* positions are relative to base; bytes up to `seen` of `end` were searched */
    size_t next, n;
    uint32_t positions[DVI_TEXT_MARKS];
} dvi_text_marks;

/* Start on bytes first..end-1 of text. */
void dvi_text_marks_start(dvi_text_marks *marks, const uint8_t *text, int64_t first, int64_t end);

/* Is there a marked byte in from..end-1? from: not before that of the last call. */
bool dvi_text_marks_seek(dvi_text_marks *marks, const dvi_ascii_set *set, int64_t from,
                         int64_t end);

static inline bool dvi_text_marks_in(dvi_text_marks *marks, const dvi_ascii_set *set, int64_t from,
                                     int64_t end)
{
    return end > marks->mark && dvi_text_marks_seek(marks, set, from, end);
}

#endif
