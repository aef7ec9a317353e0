/* SPDX-License-Identifier: MIT */
/* image_augment.c: draws parts, shifts and mirrors of pictures. */
#include "image/image_augment.h"
#include <dataview/digest.h>
#include <math.h>

dv_status dvi_augment_of(dvi_augment *augment_out, const dv_step *step, dv_error *err)
{
    *augment_out = (dvi_augment){.area = dv_step_number(step, "area"),
                                 .shift = (int32_t)dv_step_integer(step, "shift"),
                                 .flips = dv_step_integer(step, "flip") != 0,
                                 .seed = dv_step_integer(step, "seed"),
                                 .epoch = dv_step_integer(step, "epoch")};
    if (augment_out->area > 0 && augment_out->area <= 1)
        return DV_OK;
    return dv_error_set(err, DV_ERR_ARGUMENT, "area is above 0, and at most 1");
}

/* --- Draws ------------------------------------------------------------------------------------ */

/* Draw number `draw` of a row; `draws` counts up.  Little-endian, as all that the library reads. */
typedef struct draws {
    uint64_t key[4]; /* id, epoch, draw */
    uint64_t seed;
} draws;

/* 0..1, without 1: a multiple of 2^-53. */
static double next(draws *d)
{
    const dv_u128 hash = dv_digest_16(d->key, sizeof d->key, d->seed);
    d->key[3]++;
    return (double)(hash.lo >> 11) * 0x1p-53;
}

/* 0..n-1 */
static int32_t next_below(draws *d, int32_t n)
{
    return (int32_t)(next(d) * n);
}

/* A part of at least `area` of the picture, with sides as 3 to 4 at most.  Only +, *, / and square
 * roots are used, which every machine rounds alike.  After ten parts that do not fit in, all of it
 * is taken. */
static void draw_part(dvi_lot *lot, draws *d, double area, int32_t width, int32_t height)
{
    for (int i = 0; i < 10; i++) {
        const double pixels = (area + (1 - area) * next(d)) * ((double)width * height);
        const double narrow = 0.75 + 0.25 * next(d);
        const double ratio = next(d) < 0.5 ? narrow : 1 / narrow;
        const double w = floor(sqrt(pixels * ratio) + 0.5), h = floor(sqrt(pixels / ratio) + 0.5);
        if (w < 1 || h < 1 || w > width || h > height)
            continue;
        lot->has_part = true;
        lot->width = (int32_t)w;
        lot->height = (int32_t)h;
        lot->x = next_below(d, width - lot->width + 1);
        lot->y = next_below(d, height - lot->height + 1);
        return;
    }
}

dvi_lot dvi_lot_of(const dvi_augment *augment, dv_u128 id, int32_t width, int32_t height)
{
    dvi_lot lot = {.width = width, .height = height};
    draws d = {{id.lo, id.hi, (uint64_t)augment->epoch, 0}, (uint64_t)augment->seed};
    lot.is_mirrored = augment->flips && next(&d) < 0.5;
    if (augment->shift > 0) {
        lot.right = next_below(&d, 2 * augment->shift + 1) - augment->shift;
        lot.down = next_below(&d, 2 * augment->shift + 1) - augment->shift;
    }
    if (augment->area < 1)
        draw_part(&lot, &d, augment->area, width, height);
    return lot;
}
