/* SPDX-License-Identifier: MIT */
/* picture_decode.c: tells files apart, and turns pictures upright. */
#include "image/picture_decode.h"
#include <string.h>

void dvi_decoder_free(dvi_decoder *decoder)
{
    if (decoder->jpeg)
        dvi_jpeg_free(decoder->jpeg);
    decoder->jpeg = NULL;
    dvi_room_free(&decoder->stored.room);
}

static bool begins_with(dv_text file, const char *bytes, int64_t n)
{
    return file.nbytes >= n && memcmp(file.data, bytes, (size_t)n) == 0;
}

/* Can so few bytes make so many pixels?  Deflate makes at most 1,032 bytes of one; Huffman codes
 * take at least a bit for 64 values of the component with the finest samples, and no component need
 * be fine along both sides. */
static bool can_hold(const dvi_picture_head *head, int64_t pixels, int64_t nbytes)
{
    enum { PIXELS_OF_A_BYTE = 8 * 64 * 4, BYTES_OF_A_BYTE = 1032 };
    if (head->is_jpeg)
        return pixels / PIXELS_OF_A_BYTE <= nbytes;
    return pixels * head->bits / 8 / BYTES_OF_A_BYTE <= nbytes;
}

/* Before memory is taken for the pixels that a head claims, and time. */
static dv_status check_size(const dvi_picture_head *head, const dvi_decode_how *how, int64_t nbytes,
                            dv_error *err)
{
    enum { SCANS = 16 }; /* of a picture with all the pixels that are allowed */
    if (head->width > DVI_PICTURE_SIDE_MAX || head->height > DVI_PICTURE_SIDE_MAX)
        return dv_error_set(err, DV_ERR_LIMIT, "a side of the picture has more than 65,535 pixels");
    const int64_t pixels = (int64_t)head->width * head->height;
    if (pixels > how->pixels_max)
        return dv_error_set(err, DV_ERR_LIMIT, "the picture has more pixels than `pixels` allows");
    if (head->scans > SCANS && pixels > how->pixels_max * SCANS / head->scans)
        return dv_error_set(err, DV_ERR_LIMIT,
                            "the JPEG has more scans than `pixels` allows for its size");
    if (pixels > DVI_PICTURE_NBYTES_MAX * 8 / (head->bits > 0 ? head->bits : 8))
        return dv_error_set(err, DV_ERR_LIMIT, "the pixels of the PNG have more than 2^30 bytes");
    return can_hold(head, pixels, nbytes)
               ? DV_OK
               : dv_error_set(err, DV_ERR_CORRUPT, "too few bytes for a picture of its size");
}

static bool lies_down(int32_t orientation)
{
    return orientation >= 5;
}

static void swap_sides(int32_t *width, int32_t *height)
{
    const int32_t kept = *width;
    *width = *height;
    *height = kept;
}

dv_status dvi_picture_look(dvi_picture_head *head_out, dv_text file, const dvi_decode_how *how,
                           dvi_decoder *decoder, dv_error *err)
{
    dv_status status;
    *head_out = (dvi_picture_head){.orientation = 1};
    if (begins_with(file, "\xff\xd8\xff", 3))
        status = dvi_jpeg_look(head_out, file, decoder, err);
    else if (begins_with(file, "\x89PNG\r\n\x1a\n", 8))
        status = dvi_png_look(head_out, file, err);
    else
        status = dv_error_set(err, DV_ERR_UNSUPPORTED,
                              file.nbytes <= 0 ? "there are no bytes" : "neither JPEG nor PNG");
    if (status != DV_OK)
        return status;
    if (!how->turns)
        head_out->orientation = 1;
    if (lies_down(head_out->orientation))
        swap_sides(&head_out->width, &head_out->height);
    return check_size(head_out, how, file.nbytes, err);
}

/* --- Orientation ------------------------------------------------------------------------------ */

/* Orientations as EXIF numbers them: is the picture mirrored along x, along y, and then are rows
 * columns? */
static const struct {
    bool x, y, swaps;
} turns[] = {[1] = {false, false, false}, [2] = {true, false, false}, [3] = {true, true, false},
             [4] = {false, true, false},  [5] = {false, false, true}, [6] = {false, true, true},
             [7] = {true, true, true},    [8] = {true, false, true}};

/* Pixel (x, y) of dst is that of src which lies there when it is seen upright. */
static void turn(dvi_canvas *dst, const dvi_canvas *src, int32_t orientation)
{
    const int64_t c = src->channels, row = src->width * c;
    const bool swaps = turns[orientation].swaps;
    const int64_t along_x = turns[orientation].x ? -c : c;
    const int64_t along_y = turns[orientation].y ? -row : row;
    const int64_t start = (turns[orientation].x ? (src->width - 1) * c : 0) +
                          (turns[orientation].y ? (src->height - 1) * row : 0);
    const int64_t right = swaps ? along_y : along_x, down = swaps ? along_x : along_y;
    uint8_t *to = dst->room.data;
    for (int32_t y = 0; y < dst->height; y++) {
        const uint8_t *from = src->room.data + start + y * down;
        for (int32_t x = 0; x < dst->width; x++, to += c)
            memcpy(to, from + x * right, (size_t)c);
    }
}

static dv_status decode_turned(dvi_canvas *canvas, const dvi_picture_head *head, dv_text file,
                               int32_t least_width, int32_t least_height, const dvi_decode_how *how,
                               dvi_decoder *decoder, dv_error *err)
{
    dvi_picture_head as_stored = *head;
    dvi_canvas *made = &decoder->stored;
    const bool lies = lies_down(head->orientation);
    made->room.allocator = decoder->allocator;
    if (lies) {
        swap_sides(&as_stored.width, &as_stored.height);
        swap_sides(&least_width, &least_height);
    }
    dv_status status =
        dvi_jpeg_decode(made, &as_stored, file, least_width, least_height, how, decoder, err);
    if (status == DV_OK)
        status = dvi_canvas_fit(canvas, lies ? made->height : made->width,
                                lies ? made->width : made->height, made->channels, err);
    if (status == DV_OK)
        turn(canvas, made, head->orientation);
    return status;
}

dv_status dvi_picture_decode(dvi_canvas *canvas, const dvi_picture_head *head, dv_text file,
                             int32_t least_width, int32_t least_height, const dvi_decode_how *how,
                             dvi_decoder *decoder, dv_error *err)
{
    if (!head->is_jpeg)
        return dvi_png_decode(canvas, head, file, how, decoder->allocator, err);
    if (head->orientation == 1)
        return dvi_jpeg_decode(canvas, head, file, least_width, least_height, how, decoder, err);
    return decode_turned(canvas, head, file, least_width, least_height, how, decoder, err);
}
