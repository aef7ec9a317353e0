/* SPDX-License-Identifier: MIT */
/* text_marks.h: in which texts are there bytes that ask for quotes? */
#ifndef DVI_FORMAT_TEXT_MARKS_H
#define DVI_FORMAT_TEXT_MARKS_H

#include <dataview/kernel.h>
#include <stdbool.h>

#define DVI_TEXT_MARKS 64

/* A walk over the bytes of texts that lie one behind the other, in which marked ones are sought
 * some at a time.  A plain value. */
typedef struct dvi_text_marks {
    const uint8_t *text;
    int64_t mark; /* the next that is known; INT64_MAX: there is none */
    int64_t base, seen,
        end; /* positions count from base; bytes up to `seen` were looked at, of `end` */
    size_t next, n;
    uint32_t positions[DVI_TEXT_MARKS];
} dvi_text_marks;

/* Begin with the bytes first..end-1 of text. */
void dvi_text_marks_start(dvi_text_marks *marks, const uint8_t *text, int64_t first, int64_t end);

/* Is there one in bytes from..end-1?  from: not before the last one's. */
bool dvi_text_marks_seek(dvi_text_marks *marks, const dv_ascii_set *set, int64_t from, int64_t end);

static inline bool dvi_text_marks_in(dvi_text_marks *marks, const dv_ascii_set *set, int64_t from,
                                     int64_t end)
{
    return end > marks->mark && dvi_text_marks_seek(marks, set, from, end);
}

#endif
