/* SPDX-License-Identifier: MIT */
/* arrow_format.h: reads the format strings of the Arrow C data interface. */
#ifndef DVI_INTEROP_ARROW_FORMAT_H
#define DVI_INTEROP_ARROW_FORMAT_H

#include <dataview/status.h>
#include <stdbool.h>
#include <stdint.h>

/* How the values of an array lie in its buffers. */
typedef enum dvi_arrow_storage {
    DVI_ARROW_NULLS, /* no buffers: every value is null */
    DVI_ARROW_BOOL,  /* a bit each */
    DVI_ARROW_I1,
    DVI_ARROW_I2,
    DVI_ARROW_I4,
    DVI_ARROW_I8,
    DVI_ARROW_U1,
    DVI_ARROW_U2,
    DVI_ARROW_U4,
    DVI_ARROW_U8,
    DVI_ARROW_HALF,
    DVI_ARROW_R4,
    DVI_ARROW_R8,
    DVI_ARROW_TEXT_4,      /* bytes, int32 offsets */
    DVI_ARROW_TEXT_8,      /* bytes, int64 offsets */
    DVI_ARROW_TEXT_VIEW,   /* views of 16 bytes into any number of buffers */
    DVI_ARROW_FIXED_BYTES, /* `width` bytes each */
    DVI_ARROW_DECIMAL,     /* whole numbers of `width` bytes, times 10^-scale */
    DVI_ARROW_STRUCT,
    DVI_ARROW_FIXED_LIST, /* `width` slots each */
    DVI_ARROW_LIST_4,     /* int32 offsets */
    DVI_ARROW_LIST_8,
    DVI_ARROW_LIST_VIEW_4, /* int32 offsets and sizes, in any order */
    DVI_ARROW_LIST_VIEW_8
} dvi_arrow_storage;

/* What the values mean. */
typedef enum dvi_arrow_meaning {
    DVI_ARROW_PLAINLY, /* what they are stored as */
    DVI_ARROW_UTF8,    /* text; else texts are bytes */
    DVI_ARROW_DATE,    /* a time since 1970, by the clock of no zone */
    DVI_ARROW_INSTANT, /* a time since 1970, in UTC */
    DVI_ARROW_SPAN     /* a span of time */
} dvi_arrow_meaning;

typedef struct dvi_arrow_format {
    dvi_arrow_storage storage;
    dvi_arrow_meaning meaning;
    int64_t width;   /* bytes, or slots */
    int32_t scale;   /* of decimals: digits after the point */
    int64_t ticks;   /* of times: those of a unit; 0: nanoseconds, 100 to a tick */
    int32_t buffers; /* that an array has; of DVI_ARROW_TEXT_VIEW at least these */
    char name[24];   /* "int32", for messages */
} dvi_arrow_format;

/* DV_OK; DV_ERR_UNSUPPORTED: a type that has no place here, with what to do; DV_ERR_CORRUPT: no
 * format. */
dv_status dvi_arrow_format_read(dvi_arrow_format *format_out, const char *text, dv_error *err);

/* Parts of the list above. */
bool dvi_arrow_is_integer(const dvi_arrow_format *format); /* a number, not a time */
bool dvi_arrow_is_number(const dvi_arrow_format *format);  /* an integer, a real, a bool */
bool dvi_arrow_is_time(const dvi_arrow_format *format);
bool dvi_arrow_is_text(const dvi_arrow_format *format); /* text or bytes of any storage */
bool dvi_arrow_is_list(const dvi_arrow_format *format);

/* Bytes of a value in buffer 1; 0: it has no such values. */
int64_t dvi_arrow_value_width(const dvi_arrow_format *format);

#endif
