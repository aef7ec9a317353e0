/* SPDX-License-Identifier: MIT */
/* datadings_locator.h: where in a message do the values of some fields lie? */
#ifndef DVI_DATADINGS_LOCATOR_H
#define DVI_DATADINGS_LOCATOR_H

#include "format/datadings/read/datadings_priv.h"

/* A field whose value is wanted, or a map in which one is. */
typedef struct dvi_datadings_cell {
    int32_t field;
    bool is_map;
    int32_t first, count;    /* of a map: the cells that are in it */
    int64_t stamp;           /* of the last message that has a value there */
    const uint8_t *at, *end; /* where the value starts, and what is after it */
    dvi_msgpack token;       /* its first token */
} dvi_datadings_cell;

/* A value that is not what the columns say. */
typedef struct dvi_datadings_misfit {
    int32_t field;
    const uint8_t *at;
    char found[48];
} dvi_datadings_misfit;

/* Over one message after the other.  Keys are guessed: after a key comes the one that came there
 * the last time, and at first the one that the samples had there. */
typedef struct dvi_datadings_locator {
    int64_t stamp; /* of the message that was passed last */
    const dvi_datadings_fields *fields;
    dvi_datadings_cell *cells; /* cell 0 is the message */
    int32_t cells_count;
    bool has_maps;    /* besides the message */
    int32_t *cell_of; /* of a field; -1: not wanted */
    int32_t *follows; /* the field after a field, or first in it when it is a map: [2 * field] */
    dv_allocator allocator;
} dvi_datadings_locator;

/* wanted: n fields, none a map. */
dv_status dvi_datadings_locator_create(dvi_datadings_locator *walk,
                                       const dvi_datadings_fields *fields, const int32_t *wanted,
                                       int32_t n, const dv_allocator *allocator, dv_error *err);
void dvi_datadings_locator_free(dvi_datadings_locator *walk);

/* Find the values of a message: afterwards a cell that has the walk's stamp has one.
 * DV_OK; DV_NOT_FOUND: the misfit tells a value that should be a map, and those in it are missing;
 * DV_ERR_CORRUPT: rows 24 to 30, 41 of datadings:8; DV_ERR_LIMIT: nesting. */
dv_status dvi_datadings_locator_find(dvi_datadings_locator *walk, const dvi_msgpack_reader *message,
                                     dvi_datadings_misfit *misfit_out, dv_error *err);

#endif
