/* SPDX-License-Identifier: MIT */
/* conversion.h: how does a value of one type become one of another?  (semantics:4) */
#ifndef DVI_TRANSFORM_CONVERSION_H
#define DVI_TRANSFORM_CONVERSION_H

#include "base/owner.h"
#include "codec/convert.h"
#include <dataview/value.h>

/* A way from one type to another, neither of them a vector.  Found once; a plain value. */
typedef struct dvi_conversion dvi_conversion;

/* Where converted values lie: used again and again, left to whoever holds a column of them. */
typedef struct dvi_converted {
    dvi_memory *first, *second; /* values · ticks and minutes · utf8 and ends */
} dvi_converted;

struct dvi_conversion {
    dv_type from, to;
    bool is_identity; /* the bits of values are the same: there is nothing to run */
    dv_status (*run)(const dvi_conversion *conversion, dvi_converted *memory,
                     const dv_column_view *src, int64_t first, int64_t n,
                     const dv_allocator *allocator, dv_error *err);
    dvi_convert *map;                                           /* items of fixed width */
    size_t (*print)(char *dst, const dv_value *value);          /* into text */
    void (*parse)(void *dst, dv_text text, const dv_type *key); /* text into fixed width */
};

/* Those of semantics:4.1: standard ones, the identity of every type, key to unsigned, and what
 * Convert adds: a number is true unless it is 0, and values become text as Convert prints them (R4
 * in 7 digits, R8 in 17, False, True; NA is NA).
 * DV_OK; DV_NOT_FOUND: there is none, and *conversion_out is empty. */
dv_status dvi_conversion_find(dvi_conversion *conversion_out, const dv_type *from,
                              const dv_type *to);

/* Convert rows first..first+n-1 of a column of type `from`, n >= 0, into memory, and let *dst_out
 * be a column of n rows of type `to` that points there; it adds no reference.  Not for the
 * identity. DV_OK; DV_ERR_LIMIT: over 2^31-1 bytes of text; DV_ERR_MEMORY: may be repeated. */
dv_status dvi_conversion_run(const dvi_conversion *conversion, dvi_converted *memory,
                             dv_column_view *dst_out, const dv_column_view *src, int64_t first,
                             int64_t n, const dv_allocator *allocator, dv_error *err);

void dvi_converted_free(dvi_converted *memory);

#endif
