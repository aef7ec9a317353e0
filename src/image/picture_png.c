/* SPDX-License-Identifier: MIT */
/* picture_png.c: decodes PNG with libpng.  Its errors jump to the one function that called it,
 * which owns nothing: all it uses lies in `job`. */
#include "image/picture_decode.h"
#include <png.h>
#include <setjmp.h>
#include <string.h>

typedef struct job {
    png_structp png;
    png_infop info;
    const uint8_t *at, *end; /* of the file */
    const dvi_decode_how *how;
    const dv_allocator *allocator;
    int passes; /* over the rows: 7 if they are interlaced */
    bool lacks_memory;
    char said[64]; /* what libpng found wrong */
} job;

static uint32_t load(const char *at)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 8 | (uint8_t)at[i];
    return number;
}

/* The bits of a pixel in the file; of kinds that PNG does not know, those of one channel. */
static uint32_t bits_of(uint8_t depth, uint8_t color)
{
    static const uint8_t channels[] = {1, 1, 3, 1, 2, 1, 4};
    return depth * (color < sizeof channels ? channels[color] : 1u);
}

dv_status dvi_png_look(dvi_picture_head *head_out, dv_text file, dv_error *err)
{
    enum { WIDTH = 16, HEIGHT = 20, DEPTH = 24, COLOR = 25, END = 33 };
    if (file.nbytes < END || memcmp(file.data + 8, "\0\0\0\x0dIHDR", 8) != 0)
        return dv_error_set(err, DV_ERR_CORRUPT, "a PNG without its head");
    const uint32_t width = load(file.data + WIDTH), height = load(file.data + HEIGHT);
    if (width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX)
        return dv_error_set(err, DV_ERR_CORRUPT, "a PNG with a size that there is not");
    *head_out =
        (dvi_picture_head){.width = (int32_t)width,
                           .height = (int32_t)height,
                           .orientation = 1,
                           .bits = bits_of((uint8_t)file.data[DEPTH], (uint8_t)file.data[COLOR])};
    return DV_OK;
}

/* --- What libpng calls ------------------------------------------------------------------------ */

static void give_bytes(png_structp png, png_bytep to, size_t n)
{
    job *j = png_get_io_ptr(png);
    if ((size_t)(j->end - j->at) < n)
        png_error(png, "the file ends within the picture");
    memcpy(to, j->at, n);
    j->at += n;
}

static void fail(png_structp png, png_const_charp message)
{
    job *j = png_get_error_ptr(png);
    strncpy(j->said, message, sizeof j->said - 1);
    png_longjmp(png, 1);
}

/* Called of chunks that make the pixels, and of checksums. */
static void warn(png_structp png, png_const_charp message)
{
    const job *j = png_get_error_ptr(png);
    if (!j->how->takes_partial)
        fail(png, message);
}

static png_voidp allocate(png_structp png, png_alloc_size_t n)
{
    job *j = png_get_mem_ptr(png);
    void *block = dvi_block_create(n, j->allocator);
    j->lacks_memory = j->lacks_memory || !block;
    return block;
}

static void release(png_structp png, png_voidp memory)
{
    (void)png;
    dvi_block_free(memory);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Ask for three or four channels of 8 bits, whatever the file has.  Of 16 bits the upper 8 are
 * taken; gamma and colour profiles change nothing.  Returns the number of passes. */
static int ask(png_structp png, png_infop info, bool alpha)
{
    const int color = png_get_color_type(png, info), depth = png_get_bit_depth(png, info);
    const bool has_table = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    png_set_strip_16(png);
    if (color == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(png);
    if (color == PNG_COLOR_TYPE_GRAY && depth < 8)
        png_set_expand_gray_1_2_4_to_8(png);
    if (!(color & PNG_COLOR_MASK_COLOR))
        png_set_gray_to_rgb(png);
    if (!alpha)
        png_set_strip_alpha(png);
    else if (has_table)
        png_set_tRNS_to_alpha(png);
    else if (!(color & PNG_COLOR_MASK_ALPHA))
        png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return passes;
}

static bool read_head(job *j)
{
    if (setjmp(png_jmpbuf(j->png)))
        return false;
    png_set_read_fn(j->png, j, give_bytes);
    png_set_user_limits(j->png, DVI_PICTURE_SIDE_MAX, DVI_PICTURE_SIDE_MAX);
    /* Chunks that change no pixel are passed over: of texts and profiles libpng would take memory
     * of the length that they claim, whatever its limits are. */
    png_set_keep_unknown_chunks(j->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(j->png, j->info);
    j->passes = ask(j->png, j->info, j->how->alpha);
    return true;
}

static bool read_rows(job *j, const dvi_canvas *canvas)
{
    const size_t row = (size_t)canvas->width * (size_t)canvas->channels;
    if (setjmp(png_jmpbuf(j->png)))
        return false;
    for (int pass = 0; pass < j->passes; pass++)
        for (int32_t y = 0; y < canvas->height; y++)
            png_read_row(j->png, canvas->room.data + (size_t)y * row, NULL);
    return true;
}

static dv_status failure(const job *j, dv_error *err)
{
    return j->lacks_memory ? dv_error_set(err, DV_ERR_MEMORY, "no memory for a PNG")
                           : dv_error_set(err, DV_ERR_CORRUPT, j->said);
}

static dv_status read_picture(job *j, dvi_canvas *canvas, const dvi_picture_head *head,
                              dv_error *err)
{
    const int channels = j->how->alpha ? 4 : 3;
    if (!read_head(j))
        return failure(j, err);
    if (png_get_channels(j->png, j->info) != channels || png_get_bit_depth(j->png, j->info) != 8 ||
        png_get_image_width(j->png, j->info) != (png_uint_32)head->width ||
        png_get_image_height(j->png, j->info) != (png_uint_32)head->height)
        return dv_error_set(err, DV_ERR_CORRUPT, "a PNG with two heads");
    const dv_status status = dvi_canvas_fit(canvas, head->width, head->height, channels, err);
    if (status != DV_OK)
        return status;
    memset(canvas->room.data, 0, dvi_canvas_nbytes(canvas));
    if (!read_rows(j, canvas) && (j->lacks_memory || !j->how->takes_partial))
        return failure(j, err);
    return DV_OK;
}

dv_status dvi_png_decode(dvi_canvas *canvas, const dvi_picture_head *head, dv_text file,
                         const dvi_decode_how *how, const dv_allocator *allocator, dv_error *err)
{
    dv_status status;
    job j = {.at = (const uint8_t *)file.data, .how = how, .allocator = allocator};
    j.end = j.at + file.nbytes;
    j.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &j, fail, warn, &j, allocate, release);
    j.info = j.png ? png_create_info_struct(j.png) : NULL;
    if (j.info)
        status = read_picture(&j, canvas, head, err);
    else
        status = dv_error_set(err, DV_ERR_MEMORY, "no memory for a PNG");
    png_destroy_read_struct(&j.png, &j.info, NULL);
    return status;
}
