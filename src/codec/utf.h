/* SPDX-License-Identifier: MIT */
/* utf.h: converts the ends of adjacent texts between UTF-16 units and bytes. */
#ifndef DVI_CODEC_UTF_H
#define DVI_CODEC_UTF_H

#include <stddef.h>
#include <stdint.h>

/* Convert the ends of n adjacent texts, accepted by kernel ends_check, from UTF-16 units to bytes,
 * where kernel ends_map stops because an end splits a surrogate pair. Each half of a pair becomes
 * U+FFFD (idv:5.4), so the text is written to text_dst, and the ends to dst; bit 31 is kept. Call
 * first with text_dst and dst NULL to get the new length, *nbytes_out; *splits_out is the number of
 * pairs split. */
void dvi_utf_split_ends(const void *text, const void *ends, size_t n, uint8_t *text_dst,
                        int32_t *dst, size_t *nbytes_out, size_t *splits_out);

/* The inverse of kernel ends_map: convert n ends in bytes, accepted by kernel ends_check, to ends
 * in UTF-16 units; bit 31 is kept. The text is valid UTF-8 from byte `first` to the last end, and
 * units are counted from `first`. Returns the number of ends before the first that lies inside a
 * character. */
size_t dvi_utf_unit_ends(int32_t *dst, const void *text, const void *ends, size_t n, int32_t first);

#endif
