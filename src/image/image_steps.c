/* SPDX-License-Identifier: MIT */
/* image_steps.c: the single steps: decode, resize, gray and pixels. */
#include "image/image_steps.h"
#include <dataview/open_type.h>
#include <dataview/value.h>
#include <string.h>

/* --- Columns of pictures ---------------------------------------------------------------------- */

static bool is_picture(const dv_step_binding *b)
{
    const dv_type picture = dv_open_type_find(DV_PICTURE);
    return dv_type_equal(&dv_schema_column(b->schema, b->sources[0])->type, &picture);
}

static dv_status needs_pictures(const dv_step_binding *b, dv_error *err)
{
    return is_picture(b) ? DV_OK
                         : dv_error_set(err, DV_ERR_ARGUMENT,
                                        "it takes pictures: put the step decode before it");
}

/* The memory of a step that makes pictures begins with it.  Each row takes what the canvas has. */
typedef struct maker {
    dvi_pool *pool;
    dvi_canvas canvas;
} maker;

static void release_maker(maker *m)
{
    dvi_room_free(&m->canvas.room);
    dvi_pool_close(&m->pool);
}

/* Makes the picture of one row on the canvas of its memory; DV_NOT_FOUND: it is NA. */
typedef dv_status make_picture(const dv_value *source, const dv_step_filling *f, dv_error *err);

static dv_status fill_pictures(dv_column_view *values_out, const dv_step_filling *f,
                               make_picture *make, dv_error *err)
{
    void *values;
    maker *m = f->memory;
    dv_status status = dvi_pool_begin(&m->pool, f->binding->allocator, err);
    if (status != DV_OK)
        return status;
    m->canvas.room.pool = m->pool;
    dv_buffer *buffer = &values_out->as.fixed.values;
    status = dv_open_values_create(buffer, &values, f->type, f->rows, f->binding->allocator, err);
    if (status != DV_OK)
        return status;
    values_out->layout = DV_LAYOUT_FIXED;
    dv_picture *pictures = values;
    dv_value source = dv_value_first(f->sources[0]);
    for (int64_t i = 0; status >= 0 && i < f->rows; i++, dv_value_next(&source)) {
        dv_error inner = DV_ERROR_INIT;
        status = make(&source, f, &inner);
        if (status < 0)
            dvi_fail_row(err, f->first_row + i, &inner);
        if (status == DV_OK)
            pictures[i] = dvi_canvas_take(&m->canvas);
        else
            dvi_room_free(&m->canvas.room); /* a zero is NA */
    }
    if (status < 0)
        dv_buffer_release(buffer);
    return status < 0 ? status : DV_OK;
}

static dv_picture picture_at(const dv_value *value)
{
    dv_picture picture;
    const char *values = value->column->as.fixed.values.data;
    memcpy(&picture, values + value->row * (int64_t)sizeof picture, sizeof picture);
    return picture;
}

/* --- decode ----------------------------------------------------------------------------------- */

typedef struct decode_memory {
    maker made;
    dvi_decoder decoder;
} decode_memory;

static void release_decode(void *of)
{
    decode_memory *m = of;
    dvi_decoder_free(&m->decoder);
    release_maker(&m->made);
}

static dv_status type_decode(dv_type *type_out, const dv_step_binding *b, void *learned,
                             dv_error *err)
{
    (void)learned;
    const dv_type bytes = dv_type_of(DV_KIND_BY);
    *type_out = dv_open_type_find(DV_PICTURE);
    if (dv_type_equal(&dv_schema_column(b->schema, b->sources[0])->type, &bytes))
        return DV_OK;
    return dv_error_set(err, DV_ERR_ARGUMENT,
                        "decode takes the bytes of files, BY: put the step loadbytes before it");
}

static dv_status decode(const dv_value *source, const dv_step_filling *f, dv_error *err)
{
    decode_memory *m = f->memory;
    dvi_picture_head head;
    const dv_text file = dv_value_tx(source);
    const dvi_decode_how how = dvi_decode_how_of(f->binding->step);
    m->decoder.allocator = f->binding->allocator;
    dv_status status = dvi_picture_look(&head, file, &how, &m->decoder, err);
    if (status == DV_OK)
        status = dvi_picture_decode(&m->made.canvas, &head, file, 0, 0, &how, &m->decoder, err);
    const bool is_strict = dv_step_integer(f->binding->step, "strict") != 0;
    return dvi_is_of_value(status) && !is_strict ? DV_NOT_FOUND : status;
}

static dv_status fill_decode(dv_column_view *values_out, const dv_step_filling *f, dv_error *err)
{
    return fill_pictures(values_out, f, decode, err);
}

/* --- resize ----------------------------------------------------------------------------------- */

typedef struct resize_memory {
    maker made;
    dvi_resizer resizer;
} resize_memory;

static void release_resize(void *of)
{
    resize_memory *m = of;
    dvi_resizer_free(&m->resizer);
    release_maker(&m->made);
}

static dv_status type_resize(dv_type *type_out, const dv_step_binding *b, void *learned,
                             dv_error *err)
{
    dvi_frame frame;
    (void)learned;
    *type_out = dv_open_type_find(DV_PICTURE);
    const dv_status status = needs_pictures(b, err);
    return status == DV_OK ? dvi_frame_of(&frame, b->step, err) : status;
}

static dv_status describe_resize(dv_schema *schema, int32_t column, const dv_step_binding *b,
                                 void *learned, dv_error *err)
{
    dvi_frame frame;
    (void)learned;
    const dv_status status = dvi_frame_of(&frame, b->step, err);
    if (status != DV_OK)
        return status;
    return dvi_size_note(schema, column, frame.width, frame.height, b->allocator, err);
}

static dv_status resize(const dv_value *source, const dv_step_filling *f, dv_error *err)
{
    dvi_frame frame;
    resize_memory *m = f->memory;
    const dv_picture picture = picture_at(source);
    if (!picture.pixels)
        return DV_NOT_FOUND;
    const dv_status status = dvi_frame_of(&frame, f->binding->step, err);
    if (status != DV_OK)
        return status;
    dvi_resizer_start(&m->resizer, f->binding->allocator);
    const dvi_drawing drawing = dvi_frame_drawing(&frame, picture.width, picture.height);
    return dvi_picture_resize(&m->made.canvas, &picture, &drawing, frame.filter, &m->resizer, err);
}

static dv_status fill_resize(dv_column_view *values_out, const dv_step_filling *f, dv_error *err)
{
    return fill_pictures(values_out, f, resize, err);
}

/* --- gray ------------------------------------------------------------------------------------- */

static void release_gray(void *of)
{
    release_maker(of);
}

static dv_status type_gray(dv_type *type_out, const dv_step_binding *b, void *learned,
                           dv_error *err)
{
    (void)learned;
    *type_out = dv_open_type_find(DV_PICTURE);
    return needs_pictures(b, err);
}

static dv_status describe_gray(dv_schema *schema, int32_t column, const dv_step_binding *b,
                               void *learned, dv_error *err)
{
    int32_t width, height;
    (void)learned;
    const dv_status status = dvi_size_read(&width, &height, b->schema, b->sources[0], err);
    if (status == DV_NOT_FOUND)
        return DV_OK;
    if (status != DV_OK)
        return status;
    return dvi_size_note(schema, column, width, height, b->allocator, err);
}

static dv_status gray(const dv_value *source, const dv_step_filling *f, dv_error *err)
{
    maker *m = f->memory;
    const dv_picture picture = picture_at(source);
    return picture.pixels ? dvi_picture_gray(&m->canvas, &picture, err) : DV_NOT_FOUND;
}

static dv_status fill_gray(dv_column_view *values_out, const dv_step_filling *f, dv_error *err)
{
    return fill_pictures(values_out, f, gray, err);
}

/* --- pixels ----------------------------------------------------------------------------------- */

dv_status dvi_pixel_type(dv_type *type_out, int32_t *dims, const dvi_pixel_form *form,
                         int32_t width, int32_t height, dv_error *err)
{
    const int32_t channels = dvi_pixel_channels(form);
    if ((int64_t)width * height * channels > INT32_MAX)
        return dv_error_set(err, DV_ERR_ARGUMENT, "more than 2^31-1 numbers for a picture");
    dims[0] = form->interleaved ? height : channels;
    dims[1] = form->interleaved ? width : height;
    dims[2] = form->interleaved ? channels : width;
    *type_out = dv_type_tensor(dv_type_of(form->is_r4 ? DV_KIND_R4 : DV_KIND_U1), dims, 3);
    return DV_OK;
}

#define NUMBERS_MAX (INT64_C(1) << 33) /* of a batch */

dv_status dvi_pixel_column(dv_column_view *values_out, dvi_pixel_rows *rows, void **numbers_out,
                           const dv_step_filling *filling, dv_error *err)
{
    dv_column_view *items = &rows->items;
    const dv_type item = dv_type_item(filling->type);
    const int64_t slots = dv_type_value_count(filling->type);
    const size_t width = (size_t)dv_kind_width(item.kind);
    if (filling->rows > NUMBERS_MAX / slots) {
        dv_error_set(err, DV_ERR_LIMIT,
                     "the pixels of a batch are more than 2^33 numbers: set batch_rows");
        return DV_ERR_LIMIT;
    }
    *items =
        (dv_column_view){.type = item, .layout = DV_LAYOUT_FIXED, .rows = filling->rows * slots};
    values_out->layout = DV_LAYOUT_VECTOR;
    values_out->as.vector = (dv_vector_layout){.length = (int32_t)slots, .items = items};
    void *dense;
    const dv_allocator *allocator = filling->binding->allocator;
    const size_t nbytes = (size_t)filling->rows * sizeof(int32_t);
    dv_status status = dvi_pool_begin(&rows->pool, allocator, err);
    if (status == DV_OK)
        status = dvi_output_create(&values_out->as.vector.counts, &dense, nbytes, sizeof(int32_t),
                                   rows->pool, allocator, err);
    if (status != DV_OK)
        return status;
    memset(dense, 0xff, nbytes); /* -1: each row has all its slots */
    status = dvi_output_create(&items->as.fixed.values, numbers_out, (size_t)items->rows * width,
                               width, rows->pool, allocator, err);
    if (status != DV_OK)
        dv_buffer_release(&values_out->as.vector.counts);
    return status;
}

void dvi_pixel_column_drop(dv_column_view *values, dvi_pixel_rows *rows)
{
    dv_buffer_release(&values->as.vector.counts);
    dv_buffer_release(&rows->items.as.fixed.values);
}

static void release_pixels(void *of)
{
    dvi_pixel_rows *rows = of;
    dvi_pool_close(&rows->pool);
}

static dv_status type_pixels(dv_type *type_out, const dv_step_binding *b, void *learned,
                             dv_error *err)
{
    static _Thread_local int32_t dims[3]; /* until the library has copied the type */
    int32_t width, height;
    dvi_pixel_form form;
    (void)learned;
    dv_status status = needs_pictures(b, err);
    if (status == DV_OK)
        status = dvi_size_read(&width, &height, b->schema, b->sources[0], err);
    if (status == DV_NOT_FOUND)
        return dv_error_set(err, DV_ERR_ARGUMENT,
                            "it takes pictures of one size: put the step resize before it");
    if (status == DV_OK)
        status = dvi_pixel_form_of(&form, b->step, err);
    return status == DV_OK ? dvi_pixel_type(type_out, dims, &form, width, height, err) : status;
}

static dv_status fill_pixels(dv_column_view *values_out, const dv_step_filling *f, dv_error *err)
{
    void *numbers;
    dvi_pixel_rows *rows = f->memory;
    dvi_pixel_form form;
    dvi_pixel_numbers of_values;
    dv_status status = dvi_pixel_form_of(&form, f->binding->step, err);
    if (status == DV_OK)
        status = dvi_pixel_column(values_out, rows, &numbers, f, err);
    if (status != DV_OK)
        return status;
    dvi_pixel_numbers_make(&of_values, &form);
    const int32_t *dims = f->type->dims;
    const int32_t height = dims[form.interleaved ? 0 : 1], width = dims[form.interleaved ? 1 : 2];
    const size_t nbytes = (size_t)dv_type_value_count(f->type) * (form.is_r4 ? sizeof(float) : 1);
    const bool may_be_missing = dvi_may_be_missing(&form, f->binding->step);
    for (int64_t i = 0; status == DV_OK && i < f->rows; i++) {
        dv_error inner = DV_ERROR_INIT;
        const dv_value source = {.column = f->sources[0], .row = i};
        const dv_picture picture = picture_at(&source);
        if (picture.pixels && (picture.width != width || picture.height != height)) {
            dv_error_set(&inner, DV_ERR_ARGUMENT, "the picture is not of the size of its column");
            status = dvi_fail_row(err, f->first_row + i, &inner);
        } else if (!picture.pixels && !may_be_missing) {
            dv_error_set(&inner, DV_ERR_ARGUMENT, "the picture is missing");
            status = dvi_fail_missing(err, f->first_row + i, &inner);
        } else
            dvi_pixels_write((char *)numbers + (size_t)i * nbytes, &picture, width, height, &form,
                             &of_values);
    }
    if (status != DV_OK)
        dvi_pixel_column_drop(values_out, rows);
    return status;
}

/* --- What they are ---------------------------------------------------------------------------- */

DVI_IMAGE_CLASS(decode, .memory = sizeof(decode_memory), .release = release_decode);
DVI_IMAGE_CLASS(resize, .memory = sizeof(resize_memory), .release = release_resize,
                .describe = describe_resize);
DVI_IMAGE_CLASS(gray, .memory = sizeof(maker), .release = release_gray, .describe = describe_gray);
DVI_IMAGE_CLASS(pixels, .memory = sizeof(dvi_pixel_rows), .release = release_pixels);

DVI_IMAGE_INFO(decode, "LoadImages",
               "Decode JPEG and PNG files to pictures, which resize, gray and pixels take.",
               DVI_ALPHA_OPTION, DVI_DECODE_OPTIONS, DVI_STRICT_OPTION);
DVI_IMAGE_INFO(resize, "ResizeImages", "Bring pictures, as decode makes them, to one size.",
               DVI_FRAME_OPTIONS);
DVI_IMAGE_INFO(pixels, "ExtractPixels", "Make vectors of the pixels of pictures of one size.",
               DVI_PIXEL_OPTIONS);
const dv_transform_info dvi_info_gray = {.name = "gray",
                                         .ml_net = "ConvertToGrayscale",
                                         .summary = "Make pictures gray.",
                                         .columns = DV_STEP_COLUMNS_ONE};
