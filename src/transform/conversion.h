/* SPDX-License-Identifier: MIT */
/* conversion.h: conversions from one type to another, run on rows of a column (semantics:4). */
#ifndef DVI_TRANSFORM_CONVERSION_H
#define DVI_TRANSFORM_CONVERSION_H

#include "base/owner.h"
#include "simd/convert.h"
#include "codec/date_order.h"
#include "codec/scalar.h"

/* A conversion between two types that are not vectors. A plain value: nothing to free. */
typedef struct dvi_conversion dvi_conversion;

/* Memory of converted values. Reused; while others hold a column in it, it is replaced instead. */
typedef struct dvi_converted {
    dvi_memory *first, *second; /* values; or ticks and minutes; or utf8 and ends */
} dvi_converted;

struct dvi_conversion {
    dv_type from, to;
    bool is_identity; /* values have the same bits: nothing to run */
    bool is_strict;   /* what is lost is a failure: dvi_conversion_check */
    bool empty_is_na; /* the empty text is NA, not 0 */
    bool has_dates;   /* `dates` decides how texts are read as dates; else semantics:4.3 does */
    dvi_date_rule dates;
    dv_status (*run)(const dvi_conversion *conversion, dvi_converted *memory,
                     const dv_column_view *src, int64_t first, int64_t n,
                     const dv_allocator *allocator, dv_error *err);
    dvi_convert *map;        /* items of fixed width */
    dvi_scalar_print *print; /* to text */
};

/* Find a conversion of semantics:4.1: the standard ones, the identity of every type, key to
 * unsigned, and those that Convert adds. For these a number is true unless it is 0, and text has
 * the form that Convert prints (R4 with 7 digits, R8 with 17, False, True; NA stays NA). DV_OK;
 * DV_NOT_FOUND: there is none, and *conversion_out is zeroed. */
dv_status dvi_conversion_find(dvi_conversion *conversion_out, const dv_type *from,
                              const dv_type *to);

/* Is it from text to DT or DZ? */
bool dvi_conversion_is_date(const dvi_conversion *conversion);

/* Convert rows first..first+n-1 of a column of type `from`, n >= 0, into memory. *dst_out becomes a
 * column of n rows of type `to` that points there, without a reference. Not for the identity.
 * DV_OK; DV_ERR_LIMIT: more than 2^31-1 bytes of text; DV_ERR_MEMORY: call again. */
dv_status dvi_conversion_run(const dvi_conversion *conversion, dvi_converted *memory,
                             dv_column_view *dst_out, const dv_column_view *src, int64_t first,
                             int64_t n, const dv_allocator *allocator, dv_error *err);

/* Does `map` alone make values, and is none of them a failure? */
bool dvi_conversion_is_map(const dvi_conversion *conversion);

/* Does the new type lack NA, so that what it cannot hold becomes 0? */
bool dvi_conversion_hides(const dvi_conversion *conversion);

/* Are there values that become 0 in such a type, or NA, without being 0 or NA? */
bool dvi_conversion_may_lose(const dvi_conversion *conversion);

/* Check that values are NA only where NA was converted, or the empty text; of a type without NA,
 * that they are 0 only where 0 was converted, or the empty text. dst: n rows made of those of src
 * from `first` on. DV_OK; DV_ERR_LOSS: err names the value. */
dv_status dvi_conversion_check(const dvi_conversion *conversion, const dv_column_view *dst,
                               const dv_column_view *src, int64_t first, int64_t n, dv_error *err);

void dvi_converted_free(dvi_converted *memory);

#endif
