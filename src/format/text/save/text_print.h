/* SPDX-License-Identifier: MIT */
/* text_print.h: writes a value as a field. (semantics:4.4, semantics:6.6) */
#ifndef DVI_FORMAT_TEXT_PRINT_H
#define DVI_FORMAT_TEXT_PRINT_H

#include <dataview/type.h>

/* Room for the longest field other than text, with an index and a separator. */
#define DVI_TEXT_PRINT_NBYTES 128

/* For whom a text file is written. */
typedef enum dvi_text_style {
    DVI_TEXT_TYPED, /* readers of the options in its first lines, or of the same given by a caller
                     */
    DVI_TEXT_MLNET, /* the bytes of ML.NET, whatever a reader makes of them */
    DVI_TEXT_CSV,   /* other programs: RFC 4180 */
    DVI_TEXT_STYLES
} dvi_text_style;

/* Values of a column, and properties of their type. */
typedef struct dvi_text_values {
    const uint8_t *main;   /* values, ticks, or all texts from byte 0 on */
    const uint8_t *beside; /* minutes, or ends of texts */
    int32_t first;         /* offset of text 0 */
    uint64_t key_min;
    uint64_t key_most; /* the largest representation of a value */
} dvi_text_values;

/* Write value i at dst, NA as a blank field, and return the end. */
typedef char *dvi_text_print(char *dst, const dvi_text_values *values, int64_t i);

/* The function for a type; NULL: texts. Times have quotes except in a CSV, where BL is a word. As
 * ML.NET writes it, NA of reals is `?`, that of integers and of TS in a vector is a number, and R8
 * has 17 digits. */
dvi_text_print *dvi_text_print_of(const dv_type *item, dvi_text_style style, bool in_vector);

/* How many of n values from i on are not the default. */
typedef int64_t dvi_text_count(const dvi_text_values *values, int64_t i, int64_t n);
dvi_text_count *dvi_text_count_of(const dv_type *item);

/* The default of the type, as a field. */
const char *dvi_text_print_default(const dv_type *item, dvi_text_style style);

/* The largest representation of a key that is written as a number. */
uint64_t dvi_text_key_most(const dv_type *key);

#endif
