/* SPDX-License-Identifier: MIT */
/* picture_pixels.h: makes numbers of the pixels of pictures (semantics:7.19, ExtractPixels). */
#ifndef DVI_PICTURE_PIXELS_H
#define DVI_PICTURE_PIXELS_H

#include "image/picture.h"

/* The channels of a pixel, in the order of their numbers; words of the option `order`. */
#define DVI_ORDER_WORDS "rgb|bgr|gray|rgba|bgra|argb|abgr"

/* What numbers are made. */
typedef struct dvi_pixel_form {
    int32_t order;    /* the place of its word */
    bool interleaved; /* the channels of a pixel one after the other; else in planes */
    bool is_r4;       /* R4, each ((v - offset) * scale - mean) / deviation; else U1, as they are */
    float offset, scale;
    float mean[4], deviation[4]; /* of each channel in `order` */
} dvi_pixel_form;

int32_t dvi_pixel_channels(const dvi_pixel_form *form);
bool dvi_pixel_has_alpha(const dvi_pixel_form *form);
/* Are the numbers of a picture with as many channels its bytes? */
bool dvi_pixels_are_bytes(const dvi_pixel_form *form);

/* The number of each value of each channel. */
typedef struct dvi_pixel_numbers {
    float r4[4][256];
} dvi_pixel_numbers;

void dvi_pixel_numbers_make(dvi_pixel_numbers *numbers, const dvi_pixel_form *form);

/* Write width * height * dvi_pixel_channels numbers at `to`, which is aligned to them.  If they are
 * the bytes of the picture, these may lie there already.  A picture
 * that is NA makes NA, of U1 0; `width` and `height` are then those of the others. */
void dvi_pixels_write(void *to, const dv_picture *picture, int32_t width, int32_t height,
                      const dvi_pixel_form *form, const dvi_pixel_numbers *numbers);

/* A picture of one channel: 0.3 red + 0.59 green + 0.11 blue, rounded.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_picture_gray(dvi_canvas *canvas, const dv_picture *picture, dv_error *err);

#endif
