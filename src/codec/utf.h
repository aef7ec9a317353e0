/* SPDX-License-Identifier: MIT */
/* utf.h: what becomes of text whose UTF-16 boundaries fall inside characters? */
#ifndef DVI_CODEC_UTF_H
#define DVI_CODEC_UTF_H

#include <stddef.h>
#include <stdint.h>

/* Boundaries of n texts laid end to end, sound as kernel ends_check has it, become byte offsets in
 * dst (bit 31 is kept) where ends_map stops: at the two halves of a surrogate pair.  Each half
 * becomes U+FFFD (idv.md 5.4), so the text is written anew.  A first call with text_dst and dst
 * NULL tells how long it becomes; *splits_out is the number of pairs split. */
void dvi_utf_split_ends(const void *text, const void *ends, size_t n, uint8_t *text_dst,
                        int32_t *dst, size_t *nbytes_out, size_t *splits_out);

#endif
