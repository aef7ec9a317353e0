/* SPDX-License-Identifier: MIT */
/* arrow_flat.h: makes the slots of sparse rows scalars, one for each slot. */
#ifndef DVI_INTEROP_ARROW_FLAT_H
#define DVI_INTEROP_ARROW_FLAT_H

#include "interop/arrow_array.h"

/* Copy the scalars of a source whose slots are not all stored; slots without an item are the
 * default. The memory belongs to the array. flat_out: the source itself, if all are stored. DV_OK,
 * DV_ERR_MEMORY. */
dv_status dvi_arrow_flatten(dv_column_view *flat_out, const dvi_arrow_source *source,
                            struct ArrowArray *array, dv_error *err);

#endif
