/* SPDX-License-Identifier: MIT */
/* image_options.h: the one list of the options of the steps for pictures, and what they say. */
#ifndef DVI_IMAGE_OPTIONS_H
#define DVI_IMAGE_OPTIONS_H

#include "image/picture_decode.h"
#include "image/picture_pixels.h"
#include "image/picture_resize.h"
#include <dataview/step.h>

/* --- The list --------------------------------------------------------------------------------- */

#define DVI_FLAG(called, means)                                                                    \
    {                                                                                              \
        .name = (called), .initial = "-", .summary = (means), .kind = DV_STEP_OPTION_FLAG          \
    }
#define DVI_INTEGER(called, holds, from, to, means)                                                \
    {                                                                                              \
        .name = (called), .initial = (holds), .summary = (means), .kind = DV_STEP_OPTION_INTEGER,  \
        .least = (from), .most = (to)                                                              \
    }
#define DVI_NUMBER(called, holds, means)                                                           \
    {                                                                                              \
        .name = (called), .initial = (holds), .summary = (means), .kind = DV_STEP_OPTION_NUMBER    \
    }
#define DVI_WORD(called, holds, list, means)                                                       \
    {                                                                                              \
        .name = (called), .initial = (holds), .summary = (means), .kind = DV_STEP_OPTION_WORD,     \
        .words = (list)                                                                            \
    }
#define DVI_TEXT(called, holds, means)                                                             \
    {                                                                                              \
        .name = (called), .initial = (holds), .summary = (means), .kind = DV_STEP_OPTION_TEXT      \
    }
#define DVI_TEXTS(called, means)                                                                   \
    {                                                                                              \
        .name = (called), .initial = "", .summary = (means), .kind = DV_STEP_OPTION_TEXTS          \
    }

#define DVI_STRICT_OPTION                                                                          \
    DVI_FLAG("strict", "a value that cannot be used is an error; else it is missing")
#define DVI_LOAD_OPTIONS                                                                           \
    DVI_TEXT("folder", ".", "paths lie below this folder"),                                        \
        DVI_FLAG("follow", "go through symbolic links, wherever they lead"),                       \
        DVI_INTEGER("nbytes", "67108864", 1, 1 << 30, "the most bytes of a file")
#define DVI_DECODE_OPTIONS                                                                         \
    DVI_FLAG("orient", "turn a JPEG as its EXIF orientation says"),                                \
        DVI_FLAG("partial", "of a damaged file take what came of it"),                             \
        DVI_INTEGER("pixels", "67108864", 1, DVI_PICTURE_PIXELS_MAX,                               \
                    "the most pixels of a picture in a file")
#define DVI_ALPHA_OPTION DVI_FLAG("alpha", "pictures have a fourth channel, alpha")
#define DVI_FRAME_OPTIONS                                                                          \
    DVI_INTEGER("width", "", 1, DVI_PICTURE_SIDE_MAX, "of the new pictures"),                      \
        DVI_INTEGER("height", "", 1, DVI_PICTURE_SIDE_MAX, "of the new pictures"),                 \
        DVI_WORD("fit", "crop", DVI_FIT_WORDS,                                                     \
                 "cut off what is outside, pad with black, or draw out"),                          \
        DVI_WORD("anchor", "center", DVI_ANCHOR_WORDS,                                             \
                 "what stays of the side that does not fit"),                                      \
        DVI_WORD("filter", "bilinear", DVI_FILTER_WORDS, "how pixels are weighted")
#define DVI_PIXEL_OPTIONS                                                                          \
    DVI_WORD("type", "R4", "R4|U1", "of the numbers"),                                             \
        DVI_WORD("order", "rgb", DVI_ORDER_WORDS, "the channels of a pixel"),                      \
        DVI_WORD("layout", "planes", "planes|interleaved",                                         \
                 "channel by channel, or pixel by pixel"),                                         \
        DVI_FLAG("black", "U1: a missing picture is 0; else it is an error, as U1 has no NA"),     \
        DVI_NUMBER("offset", "0", "R4: subtracted from each value"),                               \
        DVI_NUMBER("scale", "1", "R4: each value is then multiplied by it"),                       \
        DVI_TEXTS("mean", "R4: then subtracted, one for each channel"),                            \
        DVI_TEXTS("std", "R4: each value is then divided by it, one for each channel")
#define DVI_EXACT_OPTION DVI_FLAG("exact", "decode a JPEG in full, even if it becomes much smaller")

#define DVI_AUGMENT_OPTIONS                                                                        \
    DVI_NUMBER("area", "1", "show a part by lot, of at least this share of the picture"),          \
        DVI_INTEGER("shift", "0", 0, DVI_PICTURE_SIDE_MAX,                                         \
                    "move pictures in their frames by lot, by at most so many pixels"),            \
        DVI_FLAG("flip", "exchange left and right by lot, in half of the pictures"),               \
        DVI_INTEGER("seed", "0", 0, INT64_MAX, "of what is drawn by lot"),                         \
        DVI_INTEGER("epoch", "0", 0, INT64_MAX,                                                    \
                    "each has other lots; not given: that of the reader")

/* --- What they say ---------------------------------------------------------------------------- */

dvi_decode_how dvi_decode_how_of(const dv_step *step);

/* Whether numbers of that form can say that a picture is missing. */
bool dvi_may_be_missing(const dvi_pixel_form *form, const dv_step *step);

/* A frame: the size of pictures, and how they are brought to it. */
typedef struct dvi_frame {
    int32_t width, height;
    dvi_fit fit;
    dvi_anchor anchor;
    dvi_filter filter;
} dvi_frame;

/* DV_OK; DV_ERR_ARGUMENT: a side is not given, or there are too many pixels. */
dv_status dvi_frame_of(dvi_frame *frame_out, const dv_step *step, dv_error *err);
dvi_drawing dvi_frame_drawing(const dvi_frame *frame, int32_t width, int32_t height);

/* DV_OK; DV_ERR_ARGUMENT: a mean or deviation that is no number, or not one for each channel; a
 * deviation of 0; one of them, offset or scale without R4; `black` with it. */
dv_status dvi_pixel_form_of(dvi_pixel_form *form_out, const dv_step *step, dv_error *err);

/* Whether a failure is of a value, which becomes NA without `strict`; not of the machine. */
bool dvi_is_of_value(dv_status status);

/* Write what failed in row `row`, of which `inner` tells.  Returns its status. */
dv_status dvi_fail_row(dv_error *err, int64_t row, const dv_error *inner);
/* The same of a picture that is missing where that cannot be said. */
dv_status dvi_fail_missing(dv_error *err, int64_t row, const dv_error *inner);

#endif
