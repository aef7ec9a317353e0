/* SPDX-License-Identifier: MIT */
/* scalar.h: parses and prints scalars of every kind.
 *
 * The memory of a value: of its C type in DV_TYPE_LIST, the lowest byte first. */
#ifndef DVI_CODEC_SCALAR_H
#define DVI_CODEC_SCALAR_H

#include "codec/datetime.h"
#include "codec/number.h"
#include <dataview/value.h>

/* Bytes of the longest text of a scalar that is neither TX nor BY. */
#define DVI_SCALAR_NBYTES ((size_t)48)

/* Parse text as a scalar of a type: a key, or a standard type but TX.  (semantics:4.3)
 *
 * scalar_out  set to the value, or to NA or the default as parse.h says; the unused bytes are 0
 * point       the decimal point of reals: '.' or ','
 *
 * Returns whether the text is a value of the type. */
bool dvi_scalar_parse(dv_scalar *scalar_out, const dv_type *type, const char *src, size_t n,
                      char point);

/* The same, into the memory of one value at any address. */
bool dvi_scalar_parse_into(void *dst, const dv_type *type, const char *src, size_t n, char point);

/* Print the value at src, which is not NA, in the shortest form that parses as the same value
 * (semantics:4.4): at most DVI_SCALAR_NBYTES bytes at dst.  Returns their number. */
typedef size_t dvi_scalar_print(char *dst, const void *src);

/* The printer of a kind; NULL for TX, BY and extensions. */
dvi_scalar_print *dvi_scalar_printer(dv_kind kind);

/* Compare by hi, then lo: < 0, 0 or > 0. */
static inline int dvi_u128_compare(dv_u128 a, dv_u128 b)
{
    const int high = (a.hi > b.hi) - (a.hi < b.hi);
    return high ? high : (a.lo > b.lo) - (a.lo < b.lo);
}

/* NA of a type, or the default if it has none. */
dv_scalar dvi_scalar_na(const dv_type *type);

#endif
