/* SPDX-License-Identifier: MIT */
/* utf.h: is this UTF-8, how long is it in UTF-16, and where do UTF-16 boundaries fall in it? */
#ifndef DVI_CODEC_UTF_H
#define DVI_CODEC_UTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the well-formed start of text: n when all of it is UTF-8, else the offset of the
 * first byte that is not.  *units_out: UTF-16 code units of that start. */
size_t dvi_utf8_valid_prefix(const void *text, size_t n, size_t *units_out);

/* Is every byte below 0x80? */
bool dvi_is_ascii(const void *text, size_t n);

/* Boundaries of n texts laid end to end, counted in UTF-16 units (int32 at any address, bit 31 is
 * kept), become byte offsets in dst.  The boundaries do not decrease and the last is the text's
 * length; the text is valid UTF-8.  Returns n, or the first text that ends between the two halves
 * of a surrogate pair: then dst is not complete, and dvi_utf_split_ends must be used. */
size_t dvi_utf_map_ends(const void *text, const void *ends, size_t n, int32_t *dst);

/* The same where pairs are split: each half becomes U+FFFD (idv.md 5.4), so the text is written
 * anew.  A first call with text_dst and dst NULL tells how long it becomes; *splits_out is the
 * number of pairs split. */
void dvi_utf_split_ends(const void *text, const void *ends, size_t n, uint8_t *text_dst,
                        int32_t *dst, size_t *nbytes_out, size_t *splits_out);

#endif
