/* SPDX-License-Identifier: MIT */
/* arrow_number.h: reads numbers of any storage, a chunk at a time. */
#ifndef DVI_INTEROP_ARROW_NUMBER_H
#define DVI_INTEROP_ARROW_NUMBER_H

#include "interop/arrow_read.h"
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

/* The outcome of a conversion. */
typedef enum dvi_arrow_fit {
    DVI_ARROW_FITS,
    DVI_ARROW_IS_NA,  /* it is the value that stands for NA */
    DVI_ARROW_ROUNDS, /* digits are lost */
    DVI_ARROW_OUTSIDE
} dvi_arrow_fit;

dvi_arrow_class dvi_arrow_class_of(dvi_arrow_storage storage);

/* Load n numbers, at most a chunk, from number `first` of a buffer on. */
void dvi_arrow_load(dvi_arrow_wide *wide, dvi_arrow_storage storage, const void *buffer,
                    int64_t first, size_t n);

/* The bits that a type has for number i. */
dvi_arrow_fit dvi_arrow_bits_of(uint64_t *bits_out, const dv_type *type, const dvi_arrow_wide *wide,
                                dvi_arrow_class class, size_t i);

/* Whether the options allow that; DV_ERR_LOSS at value `at`, which is `number`. */
bool dvi_arrow_is_allowed(const dvi_arrow_reading *r, dvi_arrow_fit found);
dv_status dvi_arrow_fail_fit(const dvi_arrow_reading *r, dvi_arrow_fit found, const char *number,
                             int64_t at, dv_error *err);

#endif
