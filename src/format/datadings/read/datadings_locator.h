/* SPDX-License-Identifier: MIT */
/* datadings_locator.h: finds the values of the requested fields in a message. */
#ifndef DVI_DATADINGS_LOCATOR_H
#define DVI_DATADINGS_LOCATOR_H

#include "format/datadings/read/datadings_priv.h"

/* A requested field, or a map that contains one. */
typedef struct dvi_datadings_cell {
    int32_t field;
    bool is_map;
    int32_t first, count;    /* of a map: the cells in it */
    int64_t stamp;           /* of the last message with a value for it */
    const uint8_t *at, *end; /* the bytes of that value */
    dvi_msgpack token;       /* its first token */
} dvi_datadings_cell;

/* A value that does not fit the type of its column. */
typedef struct dvi_datadings_mismatch {
    int32_t field;
    const uint8_t *at;
    char found[48];
} dvi_datadings_mismatch;

/* Reads message after message. Keys are predicted: the key that followed in the last message is
 * expected to follow again; at first, the key that followed during inference. */
typedef struct dvi_datadings_locator {
    int64_t stamp; /* number of the last message */
    const dvi_datadings_fields *fields;
    dvi_datadings_cell *cells; /* cell 0 is the message */
    int32_t cells_count;
    bool has_maps;    /* some cell besides cell 0 is a map */
    int32_t *cell_of; /* by field; -1: not requested */
    int32_t *follows; /* [2 * field]: the field predicted after it; [2 * field + 1]: first in it */
    dv_allocator allocator;
} dvi_datadings_locator;

/* requested: n fields, none of them a map. */
dv_status dvi_datadings_locator_create(dvi_datadings_locator *locator,
                                       const dvi_datadings_fields *fields, const int32_t *requested,
                                       int32_t n, const dv_allocator *allocator, dv_error *err);
void dvi_datadings_locator_free(dvi_datadings_locator *locator);

/* Find the values of a message, at whose end the reader is after DV_OK. Then the cells with the
 * stamp of the locator have a value.
 * DV_OK; DV_NOT_FOUND: *mismatch_out describes a value that should be a map: the fields in it are
 * missing; DV_ERR_CORRUPT: rows 24 to 30, 41 of datadings:8; DV_ERR_LIMIT: nesting. */
dv_status dvi_datadings_locator_find(dvi_datadings_locator *locator, dvi_msgpack_reader *message,
                                     dvi_datadings_mismatch *mismatch_out, dv_error *err);

#endif
