/* SPDX-License-Identifier: MIT */
/* nd_items.h: converts items of numpy arrays to items of columns (datadings:12).
 *
 * dtype->kind is the kind of the column's items. It must not be DV_KIND_NONE. */
#ifndef DVI_CODEC_ND_ITEMS_H
#define DVI_CODEC_ND_ITEMS_H

#include "codec/nd_map.h"

/* Whether the bytes of n items, at any address, are those of a column without conversion; of bools
 * only if they are 0 or 1. */
bool dvi_nd_is_in_place(const dvi_nd_dtype *dtype, const uint8_t *src, size_t n);

/* Convert n items of fixed width, which are all but S and U; a bool is true if it is not 0. dst is
 * aligned to the column's item, src need not be. false: a time is outside the range of DT or TS. */
bool dvi_nd_copy(void *dst, const dvi_nd_dtype *dtype, const uint8_t *src, size_t n);

/* Can a column hold each of n items? Not times outside the range of DT or TS, nor U+D800..U+DFFF or
 * what is above U+10FFFF in U. */
bool dvi_nd_fits(const dvi_nd_dtype *dtype, const uint8_t *src, size_t n);

/* Convert one item of S or U, without the NULs at its end; U becomes UTF-8. dst has room for
 * dtype->width bytes. false: U+D800..U+DFFF, or above U+10FFFF. */
bool dvi_nd_copy_text(uint8_t *dst, size_t *nbytes_out, const dvi_nd_dtype *dtype,
                      const uint8_t *src);

/* The first item of an array of integers; of u8 its bits. */
int64_t dvi_nd_integer(const dvi_nd_map *nd);

#endif
