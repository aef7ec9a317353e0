/* SPDX-License-Identifier: MIT */
/* image_fused.c: the step `image`, from the bytes of files to numbers: what loadbytes, decode,
 * resize and pixels do, row by row in memory that is used again, without pictures in between. */
#include "image/image_augment.h"
#include "image/image_load.h"
#include "image/image_paths.h"
#include "image/image_steps.h"
#include <dataview/value.h>
#include <string.h>

/* All of it that is the same for each row. */
typedef struct plan {
    bool loads, is_strict, is_exact, may_be_missing;
    dvi_decode_how how;
    dvi_frame frame;
    dvi_pixel_form form;
    dvi_augment augment;
    dvi_pixel_numbers numbers;
} plan;

typedef struct memory {
    dvi_loader loader;
    dvi_decoder decoder;
    dvi_resizer resizer;
    dvi_canvas decoded, part, drawn;
    dvi_pixel_rows rows;
} memory;

static void release(void *of)
{
    memory *m = of;
    dvi_loader_close(&m->loader);
    dvi_decoder_free(&m->decoder);
    dvi_resizer_free(&m->resizer);
    dvi_room_free(&m->decoded.room);
    dvi_room_free(&m->part.room);
    dvi_room_free(&m->drawn.room);
    dvi_pool_close(&m->rows.pool);
}

static void start(memory *m, const dv_allocator *allocator)
{
    m->loader.room.allocator = m->decoder.allocator = allocator;
    m->decoded.room.allocator = m->part.room.allocator = allocator;
    m->drawn.room.allocator = allocator;
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
    if (status == DV_OK)
        status = dvi_augment_of(&p->augment, b->step, err);
    p->may_be_missing = status == DV_OK && dvi_may_be_missing(&p->form, b->step);
    p->how.alpha = status == DV_OK && dvi_pixel_has_alpha(&p->form);
    return status;
}

static dv_status type_image(dv_type *type_out, const dv_step_binding *b, void *learned,
                            dv_error *err)
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

/* The side that a decoded picture needs, so that `of` of its `whole` pixels are at least `drawn`.
 */
static int32_t least_side(int32_t drawn, int32_t whole, int32_t of)
{
    const int64_t least = ((int64_t)drawn * whole + of - 1) / of;
    return least < whole ? (int32_t)least : whole;
}

/* A place in a side of `whole` pixels, in a copy that has `side`. */
static int32_t scaled(int32_t at, int32_t whole, int32_t side)
{
    return (int32_t)((int64_t)at * side / whole);
}

/* Cut out the part that is shown; it may have been decoded smaller. */
static dv_status take_part(dv_picture *picture, memory *m, const dvi_lot *lot,
                           const dvi_picture_head *head, dv_error *err)
{
    const int32_t x = scaled(lot->x, head->width, picture->width);
    const int32_t y = scaled(lot->y, head->height, picture->height);
    const int32_t right = scaled(lot->x + lot->width, head->width, picture->width);
    const int32_t bottom = scaled(lot->y + lot->height, head->height, picture->height);
    const dv_status status = dvi_canvas_cut(&m->part, picture, x, y, right > x ? right - x : 1,
                                            bottom > y ? bottom - y : 1, err);
    *picture = dvi_canvas_show(&m->part);
    return status;
}

static dvi_drawing drawing_of(const plan *p, const dvi_lot *lot)
{
    dvi_frame frame = p->frame;
    if (lot->has_part)
        frame.fit = DVI_FIT_FILL;
    dvi_drawing d = dvi_frame_drawing(&frame, lot->width, lot->height);
    d.left += lot->right;
    d.top += lot->down;
    return d;
}

static bool is_drawn_already(const dv_picture *picture, const dvi_drawing *d)
{
    return picture->width == d->width && picture->height == d->height &&
           d->drawn_width == d->width && d->drawn_height == d->height && d->left == 0 &&
           d->top == 0;
}

/* Show the picture of a file in the frame.  `into` has the room of the frame, and takes what is
 * shown if that is drawn into it, or decoded there in its size; NULL: none. */
static dv_status draw(dv_picture *picture_out, memory *m, const plan *p, dvi_canvas *into,
                      dv_text file, dv_u128 id, dv_error *err)
{
    dvi_picture_head head;
    dv_status status = dvi_picture_look(&head, file, &p->how, &m->decoder, err);
    if (status != DV_OK)
        return status;
    const dvi_lot lot = dvi_lot_of(&p->augment, id, head.width, head.height);
    const dvi_drawing d = drawing_of(p, &lot);
    const bool is_whole = p->is_exact || p->frame.filter == DVI_FILTER_NEAREST;
    const dv_picture whole = {.width = head.width, .height = head.height};
    dvi_canvas *shown = into && !lot.has_part && is_drawn_already(&whole, &d) ? into : &m->decoded;
    status = dvi_picture_decode(shown, &head, file,
                                is_whole ? 0 : least_side(d.drawn_width, head.width, lot.width),
                                is_whole ? 0 : least_side(d.drawn_height, head.height, lot.height),
                                &p->how, &m->decoder, err);
    if (status != DV_OK)
        return status;
    *picture_out = dvi_canvas_show(shown);
    if (lot.has_part) {
        status = take_part(picture_out, m, &lot, &head, err);
        shown = &m->part;
    }
    if (status == DV_OK && !is_drawn_already(picture_out, &d)) {
        shown = into ? into : &m->drawn;
        status = dvi_picture_resize(shown, picture_out, &d, p->frame.filter, &m->resizer, err);
    }
    if (status == DV_OK && lot.is_mirrored)
        dvi_canvas_mirror(shown);
    *picture_out = dvi_canvas_show(shown);
    return status;
}

static dv_status write_row(void *to, size_t nbytes, memory *m, const plan *p,
                           const dv_step_filling *f, const dv_value *source, dv_u128 id,
                           dv_error *err)
{
    dv_picture picture = {.pixels = NULL};
    const dv_text given = dv_value_tx(source);
    dv_text file = given;
    dv_status status = DV_OK;
    if (p->loads)
        status = dvi_loader_open(&m->loader, f->binding->step, err);
    if (p->loads && status == DV_OK)
        status = dvi_loader_read(&m->loader, &file, given, err);
    /* Where the numbers are the bytes of pixels, a row is a canvas: the frame fits exactly. */
    dvi_canvas row = {.room = {.data = to, .nbytes = nbytes}};
    if (status == DV_OK)
        status = draw(&picture, m, p, dvi_pixels_are_bytes(&p->form) ? &row : NULL, file, id, err);
    const bool has_no_path = p->loads && given.nbytes <= 0; /* NA, or empty */
    if (dvi_is_of_value(status) && p->may_be_missing && (!p->is_strict || has_no_path)) {
        picture.pixels = NULL;
        status = DV_OK;
    }
    if (status == DV_OK)
        dvi_pixels_write(to, &picture, p->frame.width, p->frame.height, &p->form, &p->numbers);
    return status;
}

static dv_status fill_image(dv_column_view *values_out, const dv_step_filling *f, dv_error *err)
{
    plan p;
    void *numbers;
    memory *m = f->memory;
    dv_status status = make_plan(&p, f->binding, err);
    if (status == DV_OK)
        status = dvi_pixel_column(values_out, &m->rows, &numbers, f, err);
    if (status != DV_OK)
        return status;
    start(m, f->binding->allocator);
    if (f->epoch >= 0 && !dv_step_is_given(f->binding->step, "epoch"))
        p.augment.epoch = f->epoch;
    dvi_pixel_numbers_make(&p.numbers, &p.form);
    const size_t nbytes = (size_t)dv_type_value_count(f->type) * (p.form.is_r4 ? sizeof(float) : 1);
    dv_value source = dv_value_first(f->sources[0]);
    for (int64_t i = 0; status == DV_OK && i < f->rows; i++, dv_value_next(&source)) {
        dv_error inner = DV_ERROR_INIT;
        status = write_row((char *)numbers + (size_t)i * nbytes, nbytes, m, &p, f, &source,
                           f->ids[i], &inner);
        if (dvi_is_of_value(status) && !p.may_be_missing && !p.is_strict)
            status = dvi_fail_missing(err, f->first_row + i, &inner);
        else if (status != DV_OK)
            status = dvi_fail_row(err, f->first_row + i, &inner);
    }
    if (status != DV_OK)
        dvi_pixel_column_drop(values_out, &m->rows);
    return status;
}

static dv_status begin_image(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    dv_type type;
    const dv_status status = type_image(&type, b, NULL, err);
    return status == DV_OK ? dvi_paths_begin(learner_out, b, err) : status;
}

DVI_IMAGE_CLASS(image, .reads_ids = true, .memory = sizeof(memory), .release = release,
                DVI_PATHS_CLASS(image));
DVI_IMAGE_INFO(
    image, "",
    "Make vectors of the pixels of files, or of their paths: decode, resize and pixels in one.",
    DVI_FRAME_OPTIONS, DVI_PIXEL_OPTIONS, DVI_AUGMENT_OPTIONS, DVI_EXACT_OPTION, DVI_DECODE_OPTIONS,
    DVI_LOAD_OPTIONS, DVI_STRICT_OPTION);
