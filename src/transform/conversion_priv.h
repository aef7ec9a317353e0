/* SPDX-License-Identifier: MIT */
/* conversion_priv.h: what the ways of conversion share. */
#ifndef DVI_TRANSFORM_CONVERSION_PRIV_H
#define DVI_TRANSFORM_CONVERSION_PRIV_H

#include "transform/conversion.h"

/* Let a conversion from text, or into text, know how; its run stays NULL when there is no way. */
void dvi_conversion_use_parser(dvi_conversion *conversion);
void dvi_conversion_use_printer(dvi_conversion *conversion);

/* Room for n values; what is there is lost. */
dv_status dvi_conversion_reserve(dvi_memory **memory, int64_t n, size_t width,
                                 const dv_allocator *allocator, dv_error *err);

/* Where the last text of a column ends that starts at byte 0. */
size_t dvi_conversion_text_nbytes(const dv_column_view *column);

#endif
