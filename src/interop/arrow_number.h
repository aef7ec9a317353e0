/* SPDX-License-Identifier: MIT */
/* arrow_number.h: reads numbers of any storage, a chunk at a time. */
#ifndef DVI_INTEROP_ARROW_NUMBER_H
#define DVI_INTEROP_ARROW_NUMBER_H

#include "interop/arrow_format.h"
#include <stddef.h>

#define DVI_ARROW_CHUNK 256

/* Numbers in the widest type of their class. */
typedef enum dvi_arrow_class {
    DVI_ARROW_SIGNED,
    DVI_ARROW_UNSIGNED,
    DVI_ARROW_REAL
} dvi_arrow_class;
typedef union dvi_arrow_wide {
    int64_t i[DVI_ARROW_CHUNK];
    uint64_t u[DVI_ARROW_CHUNK];
    double r[DVI_ARROW_CHUNK];
} dvi_arrow_wide;

dvi_arrow_class dvi_arrow_class_of(dvi_arrow_storage storage);

/* Load n numbers, at most a chunk, from number `first` of a buffer on. */
void dvi_arrow_load(dvi_arrow_wide *wide, dvi_arrow_storage storage, const void *buffer,
                    int64_t first, size_t n);

#endif
