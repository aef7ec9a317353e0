/* SPDX-License-Identifier: MIT */
/* image_augment.h: draws by lot how a picture is shown in an epoch of training.
 *
 * A draw depends on the seed, the epoch and the id of the row alone: it is the same in any batch,
 * thread and process, in any order of the rows, and after a resume. */
#ifndef DVI_IMAGE_AUGMENT_H
#define DVI_IMAGE_AUGMENT_H

#include "image/picture.h"
#include <dataview/step.h>

/* What is drawn. */
typedef struct dvi_augment {
    double area;   /* the least share of the picture that is shown; 1: all of it */
    int32_t shift; /* pixels by which the frame is moved, at most */
    bool flips;
    int64_t seed, epoch;
} dvi_augment;

/* DV_OK; DV_ERR_ARGUMENT: an area that is not above 0 and at most 1. */
dv_status dvi_augment_of(dvi_augment *augment_out, const dv_step *step, dv_error *err);

/* What came out for a picture. */
typedef struct dvi_lot {
    bool has_part; /* only x..x+width-1, y..y+height-1 of it is shown, drawn out */
    int32_t x, y, width, height;
    int32_t right, down; /* the picture moves in its frame */
    bool is_mirrored;    /* left and right are exchanged, after all else */
} dvi_lot;

dvi_lot dvi_lot_of(const dvi_augment *augment, dv_u128 id, int32_t width, int32_t height);

#endif
