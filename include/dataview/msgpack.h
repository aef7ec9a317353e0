/* SPDX-License-Identifier: MIT */
/* msgpack.h: reads a value of msgpack piece by piece, without a copy: the values of columns with
 * the metadata MsgpackOpaque, and whole messages (datadings:3.2, datadings:3.3).
 *
 *     dv_msgpack_reader reader;
 *     dv_msgpack_item item;
 *     dv_msgpack_start(&reader, text.data, (size_t)text.nbytes);
 *     while ((status = dv_msgpack_next(&reader, &item, &err)) == DV_OK)
 *         ...
 *
 * A reader is the caller's, on its stack, and owns nothing: there is nothing to free.  What it
 * gives points into the bytes, which must outlive it and stay as they are.  Nothing here allocates.
 * One thread at a time per reader.
 */
#ifndef DATAVIEW_MSGPACK_H
#define DATAVIEW_MSGPACK_H

#include <dataview/type.h>
#include <dataview/value.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DV_MSGPACK_NESTING 1024 /* most containers around a value */
#define DV_MSGPACK_RANK 64      /* most dimensions of an array of numpy */

typedef enum dv_msgpack_kind {
    DV_MSGPACK_NIL = 0,
    DV_MSGPACK_BOOL = 1,  /* integer: 0 or 1 */
    DV_MSGPACK_INT = 2,   /* integer */
    DV_MSGPACK_UINT = 3,  /* above 2^63 - 1: bits */
    DV_MSGPACK_F4 = 4,    /* real; bits: the 32 bits, also of a NaN */
    DV_MSGPACK_F8 = 5,    /* real; bits: the 64 bits */
    DV_MSGPACK_STR = 6,   /* bytes: UTF-8, not ended by a NUL */
    DV_MSGPACK_BIN = 7,   /* bytes */
    DV_MSGPACK_ARRAY = 8, /* count values follow */
    DV_MSGPACK_MAP = 9,   /* count pairs follow, each a key, which is no container, and a value */
    DV_MSGPACK_EXT = 10,  /* bytes, of ext_type, 0..127 */
    DV_MSGPACK_TIME = 11  /* integer: seconds since 1970; nanoseconds: 0..999,999,999 */
} dv_msgpack_kind;

/* One piece.  Members that a kind does not name are 0. */
typedef struct dv_msgpack_item {
    dv_msgpack_kind kind;
    int8_t ext_type;
    uint32_t count, nanoseconds;
    int64_t integer;
    uint64_t bits;
    double real;
    dv_text bytes;
} dv_msgpack_item;

/* Its members are the library's. */
typedef struct dv_msgpack_reader {
    const uint8_t *at, *end, *start;
} dv_msgpack_reader;

/* Begin at the first of the bytes, which hold one value or several, one after the other. */
DV_API void dv_msgpack_start(dv_msgpack_reader *reader, const void *data, size_t nbytes);

/* Read the next piece; after a container the values in it come next.  The reader does not count
 * containers: check bytes of others by dv_msgpack_skip on a copy of the reader, before a function
 * of yours calls itself for each container.
 *
 * DV_OK
 * DV_END          there is none: all bytes were read
 * DV_ERR_CORRUPT  err->offset is the offset of the wrong piece from the start: rows 24 to 29 and 45
 *                 of datadings:8.  A false length costs neither time nor memory.  The reader stays
 *                 there */
DV_API dv_status dv_msgpack_next(dv_msgpack_reader *reader, dv_msgpack_item *item_out,
                                 dv_error *err);

/* Move after the next value with all that it holds, and check it: what this accepts, the package
 * msgpack of Python decodes.
 *
 * DV_OK, DV_END, DV_ERR_CORRUPT  as dv_msgpack_next
 * DV_ERR_LIMIT  more than DV_MSGPACK_NESTING containers around a value */
DV_API dv_status dv_msgpack_skip(dv_msgpack_reader *reader, dv_error *err);

/* An array, scalar or complex number of numpy or Python, which msgpack-numpy writes as a map. */
typedef struct dv_msgpack_numpy {
    bool is_scalar;  /* rank is 0, and items 1 */
    bool is_complex; /* a complex number of Python: only `complex` is set */
    bool is_swapped; /* items are big-endian */
    char letter;   /* of the type, as numpy has it: b i u f c S U V M m; 0: a structure; O: objects,
                      whose data are a pickle, which nobody should read */
    dv_text dtype; /* "<f4"; of a structure the msgpack of its fields: an array of [name, type] or
                      [name, type, shape], where a type may be such an array; NA of objects */
    uint32_t item_nbytes; /* 0 of objects, and of a structure without fields */
    int32_t rank;
    int64_t dims[DV_MSGPACK_RANK];
    int64_t items; /* the product of the dims */
    dv_text data;  /* items * item_nbytes bytes, row by row, at any address; of objects the pickle.
                      Of a masked array those of its data: the mask is not in the file */
    double complex[2];
} dv_msgpack_numpy;

/* Read the next value if it is one of these.
 *
 * DV_OK           the reader is after it
 * DV_NOT_FOUND    it is another value; the reader stays
 * DV_END          there is none
 * DV_ERR_CORRUPT  as dv_msgpack_next; or a map of this form that is wrong: rows 32 to 40 of
 *                 datadings:8
 * DV_ERR_LIMIT    as dv_msgpack_skip */
DV_API dv_status dv_msgpack_read_numpy(dv_msgpack_reader *reader, dv_msgpack_numpy *numpy_out,
                                       dv_error *err);

/* Write one value as JSON, nested as it is, as `dataview cat --format jsonl` does (docs/cli.md):
 * bytes, exts, times and complex numbers are objects whose key begins with '$', arrays of numpy
 * nested lists, maps that only look like arrays the maps that they are.  No value: null.
 *
 * DV_OK
 * DV_ERR_STOPPED  the sink stopped
 * DV_ERR_CORRUPT, DV_ERR_LIMIT  as dv_msgpack_skip; or bytes after the value.  Nothing has been
 *                               written */
DV_API dv_status dv_msgpack_write_json(const void *data, size_t nbytes, const dv_sink *sink,
                                       dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
