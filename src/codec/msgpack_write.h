/* SPDX-License-Identifier: MIT */
/* msgpack_write.h: writes values as msgpack (datadings:3.2, datadings:3.3).
 *
 * Always in the shortest form, as the reference does. Each function writes to dst, which has room
 * for DVI_MSGPACK_HEAD bytes, and returns the end of the bytes written. */
#ifndef DVI_CODEC_MSGPACK_WRITE_H
#define DVI_CODEC_MSGPACK_WRITE_H

#include "base/load.h"
#include <stdbool.h>
#include <stddef.h>

#define DVI_MSGPACK_HEAD ((size_t)9)
/* The most bytes of a str or bin, values of an array and pairs of a map. */
#define DVI_MSGPACK_MOST INT64_C(0xFFFFFFFF)

uint8_t *dvi_msgpack_put_nil(uint8_t *dst);
uint8_t *dvi_msgpack_put_bool(uint8_t *dst, bool value);
uint8_t *dvi_msgpack_put_uint(uint8_t *dst, uint64_t value);
uint8_t *dvi_msgpack_put_int(uint8_t *dst, int64_t value);
uint8_t *dvi_msgpack_put_f4(uint8_t *dst, uint32_t bits);
uint8_t *dvi_msgpack_put_f8(uint8_t *dst, uint64_t bits);

/* The heads of n bytes, n values and n pairs. */
uint8_t *dvi_msgpack_put_str(uint8_t *dst, uint32_t n);
uint8_t *dvi_msgpack_put_bin(uint8_t *dst, uint32_t n);
uint8_t *dvi_msgpack_put_array(uint8_t *dst, uint32_t n);
uint8_t *dvi_msgpack_put_map(uint8_t *dst, uint32_t n);

/* A str with its bytes, for which dst has room. */
uint8_t *dvi_msgpack_put_text(uint8_t *dst, const char *text, uint32_t n);

/* The head of a numpy array, which precedes its items: nbytes of items, of a plain dtype such as
 * "<f4" (at most 15 characters). dst has room for DVI_ND_HEAD(rank) bytes. */
#define DVI_ND_HEAD(rank) (64 + 5 * (size_t)(rank))
uint8_t *dvi_nd_put_head(uint8_t *dst, const char *dtype, const int32_t *dims, int32_t rank,
                         uint32_t nbytes);

#endif
