/* SPDX-License-Identifier: MIT */
/* image_fused.c: the step `image`, from the bytes of files to numbers: what loadbytes, decode,
 * resize and pixels do, row by row in memory that is used again, without pictures in between. */
#include "image/image_load.h"
#include "image/image_steps.h"
#include <dataview/value.h>
#include <string.h>

/* All of it that is the same for each row. */
typedef struct plan {
    bool loads, is_strict, is_exact;
    dvi_decode_how how;
    dvi_frame frame;
    dvi_pixel_form form;
    dvi_pixel_numbers numbers;
} plan;

typedef struct memory {
    dvi_loader loader;
    dvi_decoder decoder;
    dvi_resizer resizer;
    dvi_canvas decoded, drawn;
    dv_column_view items;
} memory;

static void release(void *of)
{
    memory *m = of;
    dvi_loader_close(&m->loader);
    dvi_decoder_free(&m->decoder);
    dvi_resizer_free(&m->resizer);
    dvi_room_free(&m->decoded.room);
    dvi_room_free(&m->drawn.room);
}

static void start(memory *m, const dv_allocator *allocator)
{
    m->loader.room.allocator = m->decoder.allocator = allocator;
    m->decoded.room.allocator = m->drawn.room.allocator = allocator;
    dvi_resizer_start(&m->resizer, allocator);
}

/* `numbers` are left out. */
static dv_status make_plan(plan *p, const dv_step_binding *b, dv_error *err)
{
    const dv_kind kind = dv_schema_column(b->schema, b->sources[0])->type.kind;
    p->loads = kind == DV_KIND_TX;
    p->is_strict = dv_step_integer(b->step, "strict") != 0;
    p->is_exact = dv_step_integer(b->step, "exact") != 0;
    p->how = dvi_decode_how_of(b->step);
    dv_status status = dvi_frame_of(&p->frame, b->step, err);
    if (status == DV_OK)
        status = dvi_pixel_form_of(&p->form, b->step, err);
    p->how.alpha = status == DV_OK && dvi_pixel_has_alpha(&p->form);
    return status;
}

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *err)
{
    static _Thread_local int32_t dims[3]; /* until the library has copied the type */
    plan p;
    const dv_type *source = &dv_schema_column(b->schema, b->sources[0])->type;
    (void)learned;
    if (dv_type_is_vector(source) ||
        (source->kind != DV_KIND_BY && (source->kind != DV_KIND_TX || source->is_key)))
        return dv_error_set(err, DV_ERR_ARGUMENT,
                            "image takes the bytes of files, BY, or their paths, TX");
    const dv_status status = make_plan(&p, b, err);
    if (status != DV_OK)
        return status;
    return dvi_pixel_type(type_out, dims, &p.form, p.frame.width, p.frame.height, err);
}

/* Show the picture of a file in the frame. */
static dv_status draw(dv_picture *picture_out, memory *m, const plan *p, dv_text file,
                      dv_error *err)
{
    dvi_picture_head head;
    dv_status status = dvi_picture_look(&head, file, &p->how, &m->decoder, err);
    if (status != DV_OK)
        return status;
    const dvi_drawing d = dvi_frame_drawing(&p->frame, head.width, head.height);
    const bool is_whole = p->is_exact || p->frame.filter == DVI_FILTER_NEAREST;
    status = dvi_picture_decode(&m->decoded, &head, file, is_whole ? 0 : d.drawn_width,
                                is_whole ? 0 : d.drawn_height, &p->how, &m->decoder, err);
    if (status != DV_OK)
        return status;
    *picture_out = dvi_canvas_show(&m->decoded);
    if (picture_out->width == d.width && picture_out->height == d.height &&
        d.drawn_width == d.width && d.drawn_height == d.height)
        return DV_OK;
    status = dvi_picture_resize(&m->drawn, picture_out, &d, p->frame.filter, &m->resizer, err);
    *picture_out = dvi_canvas_show(&m->drawn);
    return status;
}

static dv_status write_row(void *to, memory *m, const plan *p, const dv_step_filling *f,
                           const dv_value *source, dv_error *err)
{
    dv_picture picture = {.pixels = NULL};
    const dv_text given = dv_value_tx(source);
    dv_text file = given;
    dv_status status = DV_OK;
    if (p->loads)
        status = dvi_loader_open(&m->loader, f->binding->step, err);
    if (p->loads && status == DV_OK)
        status = dvi_loader_read(&m->loader, &file, given, err);
    if (status == DV_OK)
        status = draw(&picture, m, p, file, err);
    if (dvi_is_of_value(status) && (!p->is_strict || given.nbytes <= 0)) {
        picture.pixels = NULL;
        status = DV_OK;
    }
    if (status == DV_OK)
        dvi_pixels_write(to, &picture, p->frame.width, p->frame.height, &p->form, &p->numbers);
    return status;
}

static dv_status fill(dv_column_view *values_out, const dv_step_filling *f, dv_error *err)
{
    plan p;
    void *numbers;
    memory *m = f->memory;
    dv_status status = make_plan(&p, f->binding, err);
    if (status == DV_OK)
        status = dvi_pixel_column(values_out, &m->items, &numbers, f, err);
    if (status != DV_OK)
        return status;
    start(m, f->binding->allocator);
    dvi_pixel_numbers_make(&p.numbers, &p.form);
    const size_t nbytes = (size_t)dv_type_value_count(f->type) * (p.form.is_r4 ? sizeof(float) : 1);
    dv_value source = dv_value_first(f->sources[0]);
    for (int64_t i = 0; status == DV_OK && i < f->rows; i++, dv_value_next(&source)) {
        dv_error inner = DV_ERROR_INIT;
        status = write_row((char *)numbers + (size_t)i * nbytes, m, &p, f, &source, &inner);
        if (status != DV_OK)
            status = dvi_fail_row(err, f->first_row + i, &inner);
    }
    if (status != DV_OK)
        dvi_pixel_column_drop(values_out, &m->items);
    return status;
}

const dv_step_class dvi_class_image = {.size = sizeof(dv_step_class),
                                       .version = 1,
                                       .type = type,
                                       .fill = fill,
                                       .memory = sizeof(memory),
                                       .release = release};

static const dv_step_option options[] = {DVI_FRAME_OPTIONS,  DVI_PIXEL_OPTIONS, DVI_EXACT_OPTION,
                                         DVI_DECODE_OPTIONS, DVI_LOAD_OPTIONS,  DVI_STRICT_OPTION};
const dv_transform_info dvi_info_image = {
    .name = "image",
    .ml_net = "",
    .summary = "Load, decode and resize pictures, and make vectors of their pixels, in one step.",
    .columns = DV_STEP_COLUMNS_ONE,
    .options = options,
    .options_count = sizeof options / sizeof *options};
