/* SPDX-License-Identifier: MIT */
/* picture.h: pictures in memory, and the limits of their sizes. */
#ifndef DVI_PICTURE_H
#define DVI_PICTURE_H

#include "image/picture_memory.h"
#include <dataview/image.h>

#define DVI_PICTURE_SIDE_MAX 65535
#define DVI_PICTURE_PIXELS_MAX (INT64_C(1) << 28)
#define DVI_PICTURE_NBYTES_MAX (INT64_C(1) << 30) /* of the pixels in a file */

/* A picture in memory that is used again. */
typedef struct dvi_canvas {
    dvi_room room;
    int32_t width, height, channels;
} dvi_canvas;

/* Its pixels are undefined.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_canvas_fit(dvi_canvas *canvas, int32_t width, int32_t height, int32_t channels,
                         dv_error *err);
size_t dvi_canvas_nbytes(const dvi_canvas *canvas);
dv_picture dvi_canvas_show(const dvi_canvas *canvas); /* valid as long as the canvas */

/* Make it the part of a picture from (x, y) on, which has that size.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_canvas_cut(dvi_canvas *canvas, const dv_picture *picture, int32_t x, int32_t y,
                         int32_t width, int32_t height, dv_error *err);
/* Exchange left and right. */
void dvi_canvas_mirror(dvi_canvas *canvas);

/* The picture as a value that owns its pixels, a block, which the type gives back; the canvas has
 * no memory then. */
dv_picture dvi_canvas_take(dvi_canvas *canvas);

dv_status dvi_picture_register(dv_error *err);

#endif
