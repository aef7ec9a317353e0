/* SPDX-License-Identifier: MIT */
/* picture.h: pictures in memory, and the limits of their sizes. */
#ifndef DVI_PICTURE_H
#define DVI_PICTURE_H

#include <dataview/buffer.h>
#include <dataview/image.h>

#define DVI_PICTURE_SIDE_MAX 65535
#define DVI_PICTURE_PIXELS_MAX (INT64_C(1) << 28)
#define DVI_PICTURE_NBYTES_MAX (INT64_C(1) << 30) /* of the pixels in a file */

/* --- Memory ----------------------------------------------------------------------------------- */

/* At least nbytes, aligned to 64 bytes, which know how they are given back; NULL: no memory.
 * `allocator` may be NULL; it is copied. */
void *dvi_block_create(size_t nbytes, const dv_allocator *allocator);
void dvi_block_free(void *block); /* NULL: nothing */

/* Memory that is used again.  Start from zeros; `allocator` may be NULL. */
typedef struct dvi_room {
    uint8_t *data; /* a block */
    size_t nbytes; /* that it has */
    const dv_allocator *allocator;
} dvi_room;

/* Make it at least so large; what it has is lost.  What one large picture needed is not kept for
 * small ones.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_room_fit(dvi_room *room, size_t nbytes, dv_error *err);
void dvi_room_free(dvi_room *room);

/* --- Pictures --------------------------------------------------------------------------------- */

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

/* A value with pixels of its own, a block, which the type gives back.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_picture_copy(dv_picture *picture_out, const dv_picture *picture,
                           const dv_allocator *allocator, dv_error *err);

dv_status dvi_picture_register(dv_error *err);

#endif
