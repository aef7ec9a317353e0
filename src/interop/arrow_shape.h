/* SPDX-License-Identifier: MIT */
/* arrow_shape.h: copies the schema of a producer, and checks that arrays have its shape. */
#ifndef DVI_INTEROP_ARROW_SHAPE_H
#define DVI_INTEROP_ARROW_SHAPE_H

#include "base/arena.h"
#include "interop/arrow_format.h"
#include <dataview/arrow.h>

#define DVI_ARROW_DEPTH 64 /* of schemas, at most */

/* Metadata of a schema: a key and its value. */
typedef struct dvi_arrow_pair {
    dv_text key, value;
} dvi_arrow_pair;

/* A schema, checked and copied. Its memory is the arena's. */
typedef struct dvi_arrow_shape {
    dv_text name;
    dvi_arrow_format format;
    int32_t pairs_count, children_count;
    const dvi_arrow_pair *pairs;
    struct dvi_arrow_shape *children;
    const struct dvi_arrow_shape *dictionary; /* NULL: there is none */
} dvi_arrow_shape;

/* Copy a schema. DV_OK; DV_ERR_CORRUPT, DV_ERR_UNSUPPORTED: see arrow_format.h; DV_ERR_MEMORY. */
dv_status dvi_arrow_shape_read(dvi_arrow_shape *shape_out, const struct ArrowSchema *schema,
                               dvi_arena *arena, dv_error *err);

/* The value of a key of the metadata; NA: there is none. */
dv_text dvi_arrow_shape_find(const dvi_arrow_shape *shape, const char *key);

/* Whether the shape is the storage of the extension type of that name. */
bool dvi_arrow_is_extension(const dvi_arrow_shape *shape, const char *name);

/* Whether a value of an array, whose format has a bitmap, is null. */
bool dvi_arrow_has_nulls(const struct ArrowArray *array);

/* Check an array, its children and its dictionary against the shape: lengths, offsets, null counts,
 * buffers and children that must be there. Values, and what offsets point to, are checked when they
 * are read. DV_OK, DV_ERR_CORRUPT. */
dv_status dvi_arrow_shape_check(const dvi_arrow_shape *shape, const struct ArrowArray *array,
                                dv_error *err);

#endif
