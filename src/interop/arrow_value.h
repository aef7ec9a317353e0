/* SPDX-License-Identifier: MIT */
/* arrow_value.h: computes what Arrow has other values for: times and keys. */
#ifndef DVI_INTEROP_ARROW_VALUE_H
#define DVI_INTEROP_ARROW_VALUE_H

#include <dataview/arrow.h>

/* Times since 1970 (is_span: spans), of n ticks at any address; NA becomes 0. Returns how many come
 * before one that does not fit: n if all do. *floored: those that lost a finer part are added. */
size_t dvi_arrow_times(int64_t *dst, const void *ticks, size_t n, bool is_span,
                       dv_arrow_times times, int64_t *floored);

/* The same of the times in UTC; `minutes` has any address too. */
size_t dvi_arrow_utc_times(int64_t *dst, const void *ticks, const void *minutes, size_t n,
                           dv_arrow_times times, int64_t *floored);

/* Write a validity bit for each; returns how many are NA. */
size_t dvi_arrow_zoned_valid(uint8_t *bits, const void *ticks, const void *minutes, size_t n);

/* first + key - 1 of n keys of `width` bytes, in items of dst_width bytes; 0 for NA, which is 0 and
 * what is above `count` (0: unknown). */
void dvi_arrow_codes(void *dst, size_t dst_width, const void *keys, size_t width, size_t n,
                     uint64_t count, uint64_t first);

#endif
