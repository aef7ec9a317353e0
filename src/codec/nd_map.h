/* SPDX-License-Identifier: MIT */
/* nd_map.h: reads the maps of msgpack-numpy (datadings:3.3, datadings:8).
 *
 * msgpack-numpy writes arrays, scalars and complex numbers as maps whose keys are bin. These
 * functions parse and check such a map; its items are not copied. */
#ifndef DVI_CODEC_ND_MAP_H
#define DVI_CODEC_ND_MAP_H

#include "codec/msgpack.h"

#define DVI_ND_RANK 64    /* most dimensions, as in numpy */
#define DVI_ND_NESTING 32 /* most nested structures */

typedef enum dvi_nd_what {
    DVI_ND_PLAIN, /* an ordinary map */
    DVI_ND_ARRAY,
    DVI_ND_SCALAR,
    DVI_ND_COMPLEX /* Python's own */
} dvi_nd_what;

/* The type of items. kind is DV_KIND_NONE if columns have no such items: floats of 12 and 16 bytes,
 * complex numbers, void, structures, texts without room, times whose unit is not a whole number of
 * ticks, and objects (a pickle, which is never parsed).
 *
 *   b     one byte each: BL
 *   i, u  I1..I8, U1..U8
 *   f     2 and 4 bytes: R4; 8: R8
 *   S     BY, with NULs after the bytes
 *   U     TX, in UCS-4, with NULs after the characters
 *   M, m  DT, TS, in units of `ticks`
 *
 * A masked array, whose data are another array, has items of no kind, and no data.
 */
typedef struct dvi_nd_dtype {
    char letter; /* 0: a structure */
    dv_kind kind;
    bool is_swapped; /* big-endian */
    uint32_t width;  /* bytes of one item; 0: objects, structures without fields, U0, S0, V0 */
    int64_t ticks;
} dvi_nd_dtype;

typedef struct dvi_nd_map {
    dvi_nd_what what;
    dvi_nd_dtype dtype;
    int32_t rank;
    int64_t dims[DVI_ND_RANK]; /* the first `rank` of them */
    int64_t items;             /* their product; 1 of a scalar */
    const uint8_t *data;       /* items * dtype.width bytes; of objects, bytes of any number; NULL
                                  of a masked array */
    uint32_t data_nbytes;      /* of all data: more than the items need if the map is not strict */
    double complex[2];
} dvi_nd_map;

/* Read the map at the reader, which dvi_msgpack_skip has accepted before. This reads the whole map,
 * so a caller that reads maps inside maps must limit their depth.
 * strict: bytes after the items are refused too (row 34).
 * DV_OK; DV_ERR_CORRUPT: rows 32 to 40 of datadings:8; err->offset is that of the wrong value. */
dv_status dvi_nd_read(const dvi_msgpack_reader *map, bool strict, dvi_nd_map *nd_out,
                      dv_error *err);

/* The same, with the type as it is written, the bytes of a text or the msgpack of fields, and the
 * data of a masked array, whose dtype is that of its items.  type_out: NA unless it is an array or
 * scalar that has one. */
dv_status dvi_nd_describe(const dvi_msgpack_reader *map, dvi_nd_map *nd_out, dv_text *type_out,
                          dv_error *err);

/* Parse "<f4", "|b1", "<M8[ms]". false: row 35. */
bool dvi_nd_parse_dtype(dvi_nd_dtype *dtype_out, const char *text, size_t n);

/* Parse Python's repr of a complex number: "(1-2j)", "1j", "(nan+infj)". false: it is not one. */
bool dvi_nd_parse_complex(double complex_out[2], const char *text, size_t n);

#endif
