/* SPDX-License-Identifier: MIT */
/* picture.c: cuts and mirrors pictures in memory, and adds their type. */
#include "image/picture.h"
#include <dataview/open_type.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

dv_status dvi_canvas_fit(dvi_canvas *canvas, int32_t width, int32_t height, int32_t channels,
                         dv_error *err)
{
    canvas->width = width;
    canvas->height = height;
    canvas->channels = channels;
    return dvi_room_fit(&canvas->room, dvi_canvas_nbytes(canvas), err);
}

size_t dvi_canvas_nbytes(const dvi_canvas *canvas)
{
    return (size_t)canvas->width * (size_t)canvas->height * (size_t)canvas->channels;
}

dv_picture dvi_canvas_show(const dvi_canvas *canvas)
{
    return (dv_picture){canvas->room.data, canvas->width, canvas->height, canvas->channels};
}

dv_status dvi_canvas_cut(dvi_canvas *canvas, const dv_picture *picture, int32_t x, int32_t y,
                         int32_t width, int32_t height, dv_error *err)
{
    const dv_status status = dvi_canvas_fit(canvas, width, height, picture->channels, err);
    const size_t row = (size_t)width * (size_t)picture->channels;
    for (int32_t i = 0; status == DV_OK && i < height; i++) {
        const int64_t pixel = (int64_t)(y + i) * picture->width + x;
        memcpy(canvas->room.data + (size_t)i * row, picture->pixels + pixel * picture->channels,
               row);
    }
    return status;
}

void dvi_canvas_mirror(dvi_canvas *canvas)
{
    uint8_t kept[4];
    const size_t c = (size_t)canvas->channels, row = (size_t)canvas->width * c;
    for (int32_t y = 0; y < canvas->height; y++) {
        uint8_t *left = canvas->room.data + (size_t)y * row, *right = left + row - c;
        for (; left < right; left += c, right -= c) {
            memcpy(kept, left, c);
            memcpy(left, right, c);
            memcpy(right, kept, c);
        }
    }
}

dv_picture dvi_canvas_take(dvi_canvas *canvas)
{
    const dv_picture picture = dvi_canvas_show(canvas);
    canvas->room.data = NULL;
    canvas->room.nbytes = 0;
    return picture;
}

/* --- The type --------------------------------------------------------------------------------- */

static void destroy(void *values, int64_t n)
{
    const dv_picture *pictures = values;
    for (int64_t i = n; i-- > 0;) /* the next batch takes that of its first row first */
        dvi_block_free((void *)(uintptr_t)pictures[i].pixels); /* dvi_canvas_take gave it */
}

/* "500x375 RGB", nothing for NA. */
static bool write(const void *value, const dv_sink *sink)
{
    static const char *const names[] = {"", "gray", "", "RGB", "RGBA"};
    char text[64];
    dv_picture picture;
    memcpy(&picture, value, sizeof picture);
    if (!picture.pixels)
        return true;
    const int n = snprintf(text, sizeof text, "%" PRId32 "x%" PRId32 " %s", picture.width,
                           picture.height, names[picture.channels]);
    return sink->write(sink->ctx, text, (size_t)n);
}

dv_status dvi_picture_register(dv_error *err)
{
    static const dv_open_type type = {.size = sizeof type,
                                      .name = DV_PICTURE,
                                      .width = sizeof(dv_picture),
                                      .destroy = destroy,
                                      .write = write};
    return dv_open_type_register(&type, err);
}
