/* SPDX-License-Identifier: MIT */
/* conversion_priv.h: what the files of conversions share. */
#ifndef DVI_TRANSFORM_CONVERSION_PRIV_H
#define DVI_TRANSFORM_CONVERSION_PRIV_H

#include "transform/conversion.h"

/* Set the functions of a conversion from text, or to text; `run` stays NULL if there is none. */
void dvi_conversion_use_parser(dvi_conversion *conversion);
void dvi_conversion_use_printer(dvi_conversion *conversion);

/* Reserve memory for n values; the old contents are lost. */
dv_status dvi_conversion_reserve(dvi_memory **memory, int64_t n, size_t width,
                                 const dv_allocator *allocator, dv_error *err);

/* The number of bytes of all texts of a column whose texts start at byte 0. */
size_t dvi_conversion_text_nbytes(const dv_column_view *column);

#endif
