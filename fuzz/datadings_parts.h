/* SPDX-License-Identifier: MIT */
/* datadings_parts.h: all files of a set in one run of bytes, for a fuzzer that knows only one; and
 * what docs/spec/datadings.md says of them, written from the page, not from src. */
#ifndef DVT_DATADINGS_PARTS_H
#define DVT_DATADINGS_PARTS_H

#include "format/datadings/index/datadings_index.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that is a part of the bytes; data NULL: there is none. */
typedef struct dvt_part {
    const uint8_t *data;
    size_t n;
} dvt_part;

/* A byte of flags; for each side file 16 bits, little-endian: 0, or its length and 1; these files;
 * the rest is D. */
#define DVT_PARTS_HEAD (1 + 2 * DVI_DATADINGS_FILES)

typedef struct dvt_parts {
    uint8_t flags;
    dvt_part side[DVI_DATADINGS_FILES], data;
} dvt_parts;

/* false: not even a head.  Lengths beyond the bytes mean all that are left. */
bool dvt_parts_read(dvt_parts *parts_out, const uint8_t *data, size_t n);
/* The bytes of parts, at most `most` of them (then the last are cut off); dst is apart from them.
 */
size_t dvt_parts_write(uint8_t *dst, size_t most, const dvt_parts *parts);

/* What the page says of a set of .offsets, .keys and, where they are there, .key_hashes and
 * .filter, all others left out. */
typedef struct dvt_parts_model {
    bool opens;    /* what is checked when it is opened is right */
    bool is_sound; /* so is everything else */
    bool has_nd;   /* some message may have a msgpack-numpy map, which is not looked into */
    int64_t rows;
} dvt_parts_model;

dvt_parts_model dvt_parts_model_of(const dvt_parts *parts);

#endif
