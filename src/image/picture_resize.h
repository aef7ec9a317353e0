/* SPDX-License-Identifier: MIT */
/* picture_resize.h: makes pictures of another size. */
#ifndef DVI_PICTURE_RESIZE_H
#define DVI_PICTURE_RESIZE_H

#include "image/picture.h"

/* In the order of the words of the option `filter`. */
typedef enum dvi_filter {
    DVI_FILTER_NEAREST,
    DVI_FILTER_BILINEAR,
    DVI_FILTER_BICUBIC,
    DVI_FILTER_LANCZOS
} dvi_filter;
#define DVI_FILTER_WORDS "nearest|bilinear|bicubic|lanczos"

/* How a picture is brought to a size, in the order of the words of the option `fit`. */
typedef enum dvi_fit {
    DVI_FIT_CROP, /* it covers the frame, and what is outside is cut off */
    DVI_FIT_PAD,  /* it fits into the frame, and the rest is black */
    DVI_FIT_FILL  /* it is drawn out */
} dvi_fit;
#define DVI_FIT_WORDS "crop|pad|fill"

/* Where it lies along the side that does not fit. */
typedef enum dvi_anchor { DVI_ANCHOR_CENTER, DVI_ANCHOR_START, DVI_ANCHOR_END } dvi_anchor;
#define DVI_ANCHOR_WORDS "center|start|end"

/* A picture as it is drawn: made drawn_width x drawn_height, and laid at (left, top) of a frame,
 * which may be outside. */
typedef struct dvi_drawing {
    int32_t width, height; /* of the frame */
    int32_t drawn_width, drawn_height, left, top;
} dvi_drawing;

/* The drawing of a picture of source_width x source_height (semantics:7.19, ResizeImage). */
dvi_drawing dvi_drawing_of(int32_t source_width, int32_t source_height, int32_t width,
                           int32_t height, dvi_fit fit, dvi_anchor anchor);

/* What resizing uses again; one thread at a time.  Start from zeros and set the allocators. */
typedef struct dvi_resizer {
    dvi_room weights[2]; /* along x, along y */
    dvi_canvas middle;
} dvi_resizer;

void dvi_resizer_start(dvi_resizer *resizer, const dv_allocator *allocator);
void dvi_resizer_free(dvi_resizer *resizer);

/* Draw a picture into a canvas, which becomes the frame.  The drawing may be of another picture,
 * of which this is a smaller copy.  With four channels, alpha and colours are each taken by
 * themselves.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_picture_resize(dvi_canvas *canvas, const dv_picture *picture,
                             const dvi_drawing *drawing, dvi_filter filter, dvi_resizer *resizer,
                             dv_error *err);

#endif
