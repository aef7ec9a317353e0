/* SPDX-License-Identifier: MIT */
/* utf.h: where do texts laid end to end have their ends, in bytes and in UTF-16 units? */
#ifndef DVI_CODEC_UTF_H
#define DVI_CODEC_UTF_H

#include <stddef.h>
#include <stdint.h>

/* Boundaries of n texts laid end to end, sound as kernel ends_check has it, become byte offsets in
 * dst (bit 31 is kept) where ends_map stops: at the two halves of a surrogate pair.  Each half
 * becomes U+FFFD (idv:5.4), so the text is written anew.  A first call with text_dst and dst
 * NULL tells how long it becomes; *splits_out is the number of pairs split. */
void dvi_utf_split_ends(const void *text, const void *ends, size_t n, uint8_t *text_dst,
                        int32_t *dst, size_t *nbytes_out, size_t *splits_out);

/* The inverse of kernel ends_map: n ends in bytes, sound as kernel ends_check has it, of valid
 * UTF-8 that starts at byte `first` and goes on to the last of them, become ends in UTF-16 units
 * counted from there; bit 31 is kept.  The result: the number of good ones before the first that
 * lies inside a character. */
size_t dvi_utf_unit_ends(int32_t *dst, const void *text, const void *ends, size_t n, int32_t first);

#endif
