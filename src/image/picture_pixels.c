/* SPDX-License-Identifier: MIT */
/* picture_pixels.c: makes numbers of pixels. */
#include "image/picture_pixels.h"
#include <dataview/kernels.h>
#include <dataview/type.h>
#include <string.h>

/* The channels of each word of DVI_ORDER_WORDS. */
static const char *const orders[] = {"rgb", "bgr", "g", "rgba", "bgra", "argb", "abgr"};
#define GRAY 2

int32_t dvi_pixel_channels(const dvi_pixel_form *form)
{
    return (int32_t)strlen(orders[form->order]);
}

bool dvi_pixel_has_alpha(const dvi_pixel_form *form)
{
    return strchr(orders[form->order], 'a') != NULL;
}

bool dvi_pixels_are_bytes(const dvi_pixel_form *form)
{
    return !form->is_r4 && form->interleaved && orders[form->order][0] == 'r';
}

void dvi_pixel_numbers_make(dvi_pixel_numbers *numbers, const dvi_pixel_form *form)
{
    for (int32_t c = 0; c < dvi_pixel_channels(form); c++)
        for (int v = 0; v < 256; v++) {
            const float scaled = ((float)v - form->offset) * form->scale;
            numbers->r4[c][v] = (scaled - form->mean[c]) / form->deviation[c];
        }
}

/* --- Channels --------------------------------------------------------------------------------- */

static uint8_t gray_of(const uint8_t *pixel)
{
    return (uint8_t)((30 * pixel[0] + 59 * pixel[1] + 11 * pixel[2] + 50) / 100);
}

/* Where the values of a channel are: at `values`, `step` bytes apart; step 0: it is one value. */
typedef struct channel {
    const uint8_t *values;
    int32_t step;
} channel;

static channel channel_of(const dv_picture *picture, char name)
{
    static const uint8_t opaque = 255;
    static const char places[] = "rgba";
    const int32_t place = (int32_t)(strchr(places, name) - places);
    if (place < picture->channels)
        return (channel){picture->pixels + place, picture->channels};
    if (name == 'a')
        return (channel){&opaque, 0};
    return (channel){picture->pixels, picture->channels}; /* gray: all are the same */
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* n numbers of a channel, `apart` from each other. */
static void write_r4(float *to, size_t apart, channel from, size_t n, const float *numbers)
{
    for (size_t i = 0; i < n; i++, from.values += from.step)
        to[i * apart] = numbers[*from.values];
}

/* Planes of colours, red first or last. */
static void write_planes(float *to, const dv_picture *picture, size_t n, const dvi_pixel_form *form)
{
    dv_pixel_scale how = {.offset = form->offset, .scale = form->scale};
    float *planes[3];
    for (int c = 0; c < 3; c++) {
        const int plane = orders[form->order][0] == 'r' ? c : 2 - c;
        planes[c] = to + (size_t)plane * n;
        how.mean[c] = form->mean[plane];
        how.deviation[c] = form->deviation[plane];
    }
    (void)dv_pixels_planes(planes, picture->pixels, n, picture->channels, &how, NULL); /* 3 or 4 */
}

static void write_u1(uint8_t *to, size_t apart, channel from, size_t n)
{
    for (size_t i = 0; i < n; i++, from.values += from.step)
        to[i * apart] = *from.values;
}

static void write_na(void *to, size_t n, bool is_r4)
{
    static const uint32_t na = DV_R4_NA_BITS;
    if (!is_r4)
        memset(to, 0, n);
    for (size_t i = 0; is_r4 && i < n; i++)
        memcpy((float *)to + i, &na, sizeof na);
}

static void write_gray(void *to, const dv_picture *picture, size_t n, bool is_r4,
                       const float *numbers)
{
    const uint8_t *pixel = picture->pixels;
    for (size_t i = 0; i < n; i++, pixel += picture->channels) {
        const uint8_t value = picture->channels == 1 ? *pixel : gray_of(pixel);
        if (is_r4)
            ((float *)to)[i] = numbers[value];
        else
            ((uint8_t *)to)[i] = value;
    }
}

void dvi_pixels_write(void *to, const dv_picture *picture, int32_t width, int32_t height,
                      const dvi_pixel_form *form, const dvi_pixel_numbers *numbers)
{
    const size_t n = (size_t)width * (size_t)height;
    const int32_t channels = dvi_pixel_channels(form);
    const size_t apart = form->interleaved ? (size_t)channels : 1;
    if (!picture->pixels) {
        write_na(to, n * (size_t)channels, form->is_r4);
        return;
    }
    if (form->order == GRAY) {
        write_gray(to, picture, n, form->is_r4, numbers->r4[0]);
        return;
    }
    if (dvi_pixels_are_bytes(form) && channels == picture->channels) {
        if (picture->pixels != to)
            memcpy(to, picture->pixels, n * (size_t)channels);
        return;
    }
    if (form->is_r4 && channels == 3 && picture->channels >= 3 && !form->interleaved) {
        write_planes(to, picture, n, form);
        return;
    }
    for (int32_t c = 0; c < channels; c++) {
        const channel from = channel_of(picture, orders[form->order][c]);
        const size_t at = form->interleaved ? (size_t)c : (size_t)c * n;
        if (form->is_r4)
            write_r4((float *)to + at, apart, from, n, numbers->r4[c]);
        else
            write_u1((uint8_t *)to + at, apart, from, n);
    }
}

dv_status dvi_picture_gray(dvi_canvas *canvas, const dv_picture *picture, dv_error *err)
{
    const dv_status status = dvi_canvas_fit(canvas, picture->width, picture->height, 1, err);
    if (status == DV_OK)
        write_gray(canvas->room.data, picture, dvi_canvas_nbytes(canvas), false, NULL);
    return status;
}
