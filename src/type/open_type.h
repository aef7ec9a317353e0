/* SPDX-License-Identifier: MIT */
/* open_type.h: types of callers whose values own something. */
#ifndef DVI_TYPE_OPEN_TYPE_H
#define DVI_TYPE_OPEN_TYPE_H

#include <dataview/open_type.h>

/* The type of the values or items; NULL: any other type, whose bytes may be copied. */
const dv_open_type *dvi_open_type_of(const dv_type *type);

/* Refuse values that may not be copied there. what: "an Arrow array". DV_OK, DV_ERR_ARGUMENT. */
dv_status dvi_open_type_refuse(const dv_type *type, const char *what, dv_error *err);

#endif
