/* SPDX-License-Identifier: MIT */
/* convert_priv.h: what the ways of conversion share. */
#ifndef DVI_CODEC_CONVERT_PRIV_H
#define DVI_CODEC_CONVERT_PRIV_H

#include "codec/convert.h"

typedef void map_fn(void *dst, const void *src, size_t n);

/* Let a conversion from text, or into text, know how; its run stays NULL when there is no way. */
void dvi_convert_use_parser(dvi_conversion *conversion);
void dvi_convert_use_printer(dvi_conversion *conversion);

/* Room for n values; what is there is lost. */
dv_status dvi_convert_reserve(dvi_memory **memory, int64_t n, size_t width,
                              const dv_allocator *allocator, dv_error *err);

/* Where the last text of a column ends that starts at byte 0. */
size_t dvi_convert_text_nbytes(const dv_column_view *column);

#endif
