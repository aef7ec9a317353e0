/* SPDX-License-Identifier: MIT */
/* text_print.h: how is a value written as a field?  (semantics:4.4, semantics:6.6) */
#ifndef DVI_FORMAT_TEXT_PRINT_H
#define DVI_FORMAT_TEXT_PRINT_H

#include <dataview/type.h>

/* What the longest field needs that is no text, an index and a separator included. */
#define DVI_TEXT_PRINT_NBYTES 128

/* Values of a column, one behind the other, and what their type says. */
typedef struct dvi_text_values {
    const uint8_t *main;   /* values, ticks, or all texts from byte 0 on */
    const uint8_t *beside; /* minutes, or ends of texts */
    int32_t first;         /* where text 0 starts */
    uint64_t key_min;
    uint64_t key_most; /* the largest representation that is a value */
} dvi_text_values;

/* Write value i at dst, NA as nothing (blank), and return the end of it. */
typedef char *dvi_text_print(char *dst, const dvi_text_values *values, int64_t i);

/* For values of that type; NULL: texts.  mlnet: as ML.NET writes it, where NA of reals is `?`, that
 * of integers a number, and R8 has 17 digits. */
dvi_text_print *dvi_text_print_of(const dv_type *item, bool mlnet);

/* How many of n values from i on are written otherwise than the default is. */
typedef int64_t dvi_text_count(const dvi_text_values *values, int64_t i, int64_t n);
dvi_text_count *dvi_text_count_of(const dv_type *item);

/* The default of the type, as a field. */
const char *dvi_text_print_default(const dv_type *item);

/* The largest representation of a key that is written as a number. */
uint64_t dvi_text_key_most(const dv_type *key);

#endif
