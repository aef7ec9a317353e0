/* SPDX-License-Identifier: MIT */
/* arrow_tensor.h: what arrow.fixed_shape_tensor says of a column. */
#ifndef DVI_INTEROP_ARROW_TENSOR_H
#define DVI_INTEROP_ARROW_TENSOR_H

#include "interop/arrow_read.h"

#define DVI_ARROW_DIMS 64

/* Read the metadata of the extension; *tensor_out has rank 0 if the field has none. DV_OK;
 * DV_ERR_CORRUPT; DV_ERR_UNSUPPORTED: it says something else than shape, permutation and dim_names;
 * DV_ERR_MEMORY. */
dv_status dvi_arrow_tensor_read(dvi_arrow_tensor *tensor_out, const dvi_arrow_shape *field,
                                dvi_arena *arena, dv_error *err);

/* Put the items of vectors in the order of the logical dimensions. They are of a fixed width, and a
 * row has all of its items or none. DV_OK, DV_ERR_COPY, DV_ERR_MEMORY. */
dv_status dvi_arrow_tensor_order(dv_column_view *items, const dvi_arrow_reading *r, dv_error *err);

#endif
