/* SPDX-License-Identifier: MIT */
/* image.h: pictures: steps of pipelines that load and decode them, change their size and make
 * pixels of them (docs/images.md).
 *
 * This is an optional component, a library of its own: link dataview-image too.  It is built on
 * public headers alone: open_type.h, step.h, kernels.h and what they include. */
#ifndef DATAVIEW_IMAGE_H
#define DATAVIEW_IMAGE_H

#include <dataview/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of the type of pictures: dv_open_type_find(DV_PICTURE). */
#define DV_PICTURE "Picture"

/* The metadata of a column of pictures that all have one size: V<I4,2>, height and width. */
#define DV_PICTURE_SIZE "PictureSize"

/* The names of the steps, in the order of the lists that users see. */
#define DV_IMAGE_STEP_LIST(X) X(loadbytes) X(image) X(decode) X(resize) X(gray) X(pixels)

/* A value of that type.  The column owns the pixels; they never change.
 *
 * pixels  height rows of width pixels, from the top and the left, without a gap; a pixel is
 *         `channels` bytes.  NULL: NA, and the numbers are 0
 */
typedef struct dv_picture {
    const uint8_t *pixels;
    int32_t width, height; /* 1..65,535; at most 2^28 pixels */
    int32_t channels;      /* 1: gray; 3: red, green, blue; 4: and alpha, not multiplied in */
} dv_picture;

/* Add the type and the steps for the life of the process.  Later calls do nothing.  Any thread.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a name of them is taken
 * DV_ERR_MEMORY */
DV_API dv_status dv_image_register(dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
