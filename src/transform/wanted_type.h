/* SPDX-License-Identifier: MIT */
/* wanted_type.h: refuses a column whose type a step does not take. */
#ifndef DVI_TRANSFORM_WANTED_TYPE_H
#define DVI_TRANSFORM_WANTED_TYPE_H

#include <dataview/type.h>

/* Is it an integer, and no key? */
bool dvi_is_integer(const dv_type *type);

/* The real kind that values of a number or BL become, those of I8 and U8 up to 2^53 without loss;
 * DV_KIND_NONE: of another type. */
dv_kind dvi_real_of(const dv_type *type);

/* DV_ERR_ARGUMENT for a step that takes reals: what the values are, the types that it takes, and
 * the type that was found. Of a type whose values become reals without loss, those of I8 and U8 up
 * to 2^53, the message says how. */
dv_status dvi_fail_reals(dv_error *err, const char *rule, const char *what, const char *expected,
                         const dv_type *found);

#endif
