/* SPDX-License-Identifier: MIT */
/* nd_items.h: how do numpy's items become those of a column?  (datadings:12)
 *
 * dtype->kind is the column's kind of items: none of these may be asked when it is DV_KIND_NONE. */
#ifndef DVI_CODEC_ND_ITEMS_H
#define DVI_CODEC_ND_ITEMS_H

#include "codec/nd_map.h"

/* Are the bytes of n items a column's, as they are?  (At any address.)  Of bools only 0 and 1 are.
 */
bool dvi_nd_is_in_place(const dvi_nd_dtype *dtype, const uint8_t *src, size_t n);

/* n items of fixed width (any but S and U); of bools anything but 0 is true.  dst is aligned to the
 * column's item, src is not. false: a time that no DT or TS can say. */
bool dvi_nd_copy(void *dst, const dvi_nd_dtype *dtype, const uint8_t *src, size_t n);

/* One item of S or U without the NULs after it; of U as UTF-8.  At dst is room for dtype->width
 * bytes.  false: U+D800..U+DFFF, or above U+10FFFF. */
bool dvi_nd_copy_text(uint8_t *dst, size_t *nbytes_out, const dvi_nd_dtype *dtype,
                      const uint8_t *src);

/* The first item of integers; of u8 its bits. */
int64_t dvi_nd_integer(const dvi_nd_map *nd);

#endif
