/* SPDX-License-Identifier: MIT */
/* picture_resize.c: resamples pictures, first along rows, then along columns.
 *
 * A result is a weighted mean of the pixels around its place.  The filter says the weights; it is
 * widened by the factor by which the picture becomes smaller, so that each pixel counts.  Weights
 * are fixed-point numbers (kernels.h), and results are rounded to 8 bits after each direction: this
 * gives the values of Pillow, which defines resizing for most training data. */
#include "image/picture_resize.h"
#include <dataview/kernels.h>
#include <math.h>
#include <string.h>

/* --- Where it is drawn ------------------------------------------------------------------------ */

#define DRAWN_MAX (1 << 30)

/* One side of a drawing. */
typedef struct side {
    int32_t drawn, at;
} side;

/* Its place follows from the side before that is cut to pixels. */
static side side_of(int32_t source, float by, int32_t frame, dvi_fit fit, dvi_anchor anchor)
{
    const int32_t least = fit == DVI_FIT_CROP ? frame : 1; /* rounding must not bare an edge */
    const float exact = fminf((float)source * by, (float)DRAWN_MAX), rest = (float)frame - exact;
    side s = {(int32_t)exact, 0};
    if (s.drawn < least)
        s.drawn = least;
    if (anchor != DVI_ANCHOR_START)
        s.at = (int32_t)(anchor == DVI_ANCHOR_END ? rest : rest / 2);
    return s;
}

dvi_drawing dvi_drawing_of(int32_t source_width, int32_t source_height, int32_t width,
                           int32_t height, dvi_fit fit, dvi_anchor anchor)
{
    dvi_drawing drawing = {width, height, width, height, 0, 0};
    if (fit == DVI_FIT_FILL)
        return drawing;
    const float x = (float)width / (float)source_width, y = (float)height / (float)source_height;
    const float by = (x > y) == (fit == DVI_FIT_CROP) ? x : y;
    const side across = side_of(source_width, by, width, fit, anchor);
    const side down = side_of(source_height, by, height, fit, anchor);
    return (dvi_drawing){width, height, across.drawn, down.drawn, across.at, down.at};
}

static bool is_covered(const dvi_drawing *d)
{
    return d->left <= 0 && d->top <= 0 && d->left + d->drawn_width >= d->width &&
           d->top + d->drawn_height >= d->height;
}

static bool is_outside(const dvi_drawing *d)
{
    return d->left >= d->width || d->top >= d->height || d->left + d->drawn_width <= 0 ||
           d->top + d->drawn_height <= 0;
}

/* --- Weights ---------------------------------------------------------------------------------- */

static double triangle(double x)
{
    return fabs(x) < 1 ? 1 - fabs(x) : 0;
}

/* Keys' cubic, a = -1/2. */
static double cubic(double x)
{
    const double a = -0.5;
    x = fabs(x);
    if (x < 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static double sinc(double x)
{
    x *= M_PI;
    return x == 0 ? 1 : sin(x) / x;
}

static double lanczos(double x)
{
    return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
}

static const struct {
    double (*weight)(double x);
    double support; /* it is 0 beyond this */
} filters[] = {[DVI_FILTER_BILINEAR] = {triangle, 1},
               [DVI_FILTER_BICUBIC] = {cubic, 2},
               [DVI_FILTER_LANCZOS] = {lanczos, 3}};

/* Of results begin..end-1 of `drawn`. */
typedef struct axis {
    int32_t source, drawn, begin, end;
    dv_taps *taps;    /* of each result */
    int32_t *weights; /* `stride` for each */
    size_t stride;
} axis;

static double widened(const axis *a)
{
    const double scale = (double)a->source / a->drawn;
    return scale > 1 ? scale : 1;
}

/* Weights in doubles first; their sum becomes 1. */
static void weigh(const axis *a, int32_t i, dvi_filter filter, double *exact)
{
    const double scale = (double)a->source / a->drawn, wide = widened(a);
    const double support = filters[filter].support * wide, center = (i + 0.5) * scale;
    const double from = center - support + 0.5, to = center + support + 0.5;
    const int32_t first = from > 0 ? (int32_t)from : 0;
    const int32_t end = to < a->source ? (int32_t)to : a->source;
    double sum = 0;
    for (int32_t k = 0; k < end - first; k++) {
        exact[k] = filters[filter].weight((k + first - center + 0.5) * (1 / wide));
        sum += exact[k];
    }
    int32_t *weights = a->weights + (size_t)(i - a->begin) * a->stride;
    for (int32_t k = 0; k < end - first; k++) {
        const double share = (sum != 0 ? exact[k] / sum : exact[k]) * (1 << DV_WEIGHT_BITS);
        weights[k] = (int32_t)(share + (share < 0 ? -0.5 : 0.5));
    }
    memset(weights + (end - first), 0, (a->stride - (size_t)(end - first)) * sizeof *weights);
    a->taps[i - a->begin] = (dv_taps){first, end - first};
}

/* Results begin..end-1 only: those that lie in the frame. */
static axis axis_of(int32_t source, int32_t drawn, int32_t at, int32_t frame)
{
    axis a = {.source = source, .drawn = drawn};
    a.begin = at < 0 ? -at : 0;
    a.end = frame - at < drawn ? frame - at : drawn;
    return a;
}

static dv_status make_weights(axis *a, dvi_filter filter, dvi_room *room, dv_error *err)
{
    const size_t most = 2 * (size_t)ceil(filters[filter].support * widened(a)) + 1;
    const size_t n = (size_t)(a->end - a->begin), exact = most * sizeof(double);
    a->stride = (most + 3) / 4 * 4;
    const dv_status status =
        dvi_room_fit(room, exact + n * (sizeof *a->taps + a->stride * sizeof *a->weights), err);
    if (status != DV_OK)
        return status;
    a->taps = (dv_taps *)(void *)(room->data + exact);
    a->weights = (int32_t *)(void *)(a->taps + n);
    for (int32_t i = a->begin; i < a->end; i++)
        weigh(a, i, filter, (double *)(void *)room->data);
    return DV_OK;
}

/* --- Both directions -------------------------------------------------------------------------- */

static uint8_t *place(const dvi_canvas *canvas, int32_t x, int32_t y)
{
    return canvas->room.data + ((int64_t)y * canvas->width + x) * canvas->channels;
}

/* Rows first..end-1 of the picture that the results along y need. */
static void needed_rows(const axis *y, int32_t *first, int32_t *end)
{
    const dv_taps *last = &y->taps[y->end - y->begin - 1];
    *first = y->taps[0].first;
    *end = last->first + last->count;
}

static dv_status mix(dvi_canvas *canvas, const dv_picture *picture, const dvi_drawing *d,
                     dvi_filter filter, dvi_resizer *resizer, dv_error *err)
{
    axis x = axis_of(picture->width, d->drawn_width, d->left, d->width);
    axis y = axis_of(picture->height, d->drawn_height, d->top, d->height);
    const bool mixes_x = x.source != x.drawn, mixes_y = y.source != y.drawn;
    const int32_t c = picture->channels, wide = x.end - x.begin;
    const int32_t left = d->left > 0 ? d->left : 0, top = d->top > 0 ? d->top : 0;
    int32_t first = y.begin, end = y.end;
    dv_status status = DV_OK;
    if (mixes_x)
        status = make_weights(&x, filter, &resizer->weights[0], err);
    if (status == DV_OK && mixes_y)
        status = make_weights(&y, filter, &resizer->weights[1], err);
    if (status == DV_OK && mixes_y)
        needed_rows(&y, &first, &end);
    if (status == DV_OK && mixes_x && mixes_y)
        status = dvi_canvas_fit(&resizer->middle, wide, end - first, c, err);
    if (status != DV_OK)
        return status;

    const size_t stride = (size_t)picture->width * (size_t)c, n = (size_t)wide * (size_t)c;
    const uint8_t *rows = picture->pixels + (size_t)first * stride; /* where row `first` begins */
    const uint8_t *cut = rows + (size_t)x.begin * (size_t)c;
    if (mixes_x)
        status = dv_pixels_mix(mixes_y ? place(&resizer->middle, 0, 0) : place(canvas, left, top),
                               mixes_y ? n : (size_t)canvas->width * (size_t)c, rows, stride,
                               (size_t)picture->width, (size_t)(end - first), c,
                               &(dv_mix){(size_t)wide, x.taps, x.weights, x.stride}, err);
    if (status != DV_OK)
        return status;
    for (int32_t i = 0; !mixes_x && !mixes_y && i < end - first; i++)
        memcpy(place(canvas, left, top + i), cut + (size_t)i * stride, n);
    const uint8_t *from = mixes_x ? resizer->middle.room.data : cut;
    const size_t apart = mixes_x ? n : stride;
    for (int32_t i = 0; mixes_y && i < y.end - y.begin; i++)
        dv_rows_blend(place(canvas, left, top + i),
                      from + (size_t)(y.taps[i].first - first) * apart, apart, n,
                      y.weights + (size_t)i * y.stride, (size_t)y.taps[i].count);
    return DV_OK;
}

/* The source of each result is the one in which its middle lies.  Places are added up step by step,
 * which Pillow rounds like this. */
static int32_t nearest(double *at, double step, int32_t source)
{
    const int32_t found = (int32_t)*at;
    *at += step;
    return found < source ? found : source - 1;
}

static dv_status pick(dvi_canvas *canvas, const dv_picture *picture, const dvi_drawing *d,
                      dvi_resizer *resizer, dv_error *err)
{
    const axis x = axis_of(picture->width, d->drawn_width, d->left, d->width);
    const axis y = axis_of(picture->height, d->drawn_height, d->top, d->height);
    const int64_t c = picture->channels;
    const dv_status status =
        dvi_room_fit(&resizer->weights[0], (size_t)(x.end - x.begin) * sizeof(int32_t), err);
    if (status != DV_OK)
        return status;
    int32_t *columns = (int32_t *)(void *)resizer->weights[0].data;
    const double step_x = (double)x.source / x.drawn, step_y = (double)y.source / y.drawn;
    double at_x = step_x * 0.5, at_y = step_y * 0.5;
    for (int32_t i = 0; i < x.end; i++) {
        const int32_t found = nearest(&at_x, step_x, x.source);
        if (i >= x.begin)
            columns[i - x.begin] = found;
    }
    for (int32_t k = 0; k < y.end; k++) {
        const int64_t row = nearest(&at_y, step_y, y.source);
        if (k < y.begin)
            continue;
        uint8_t *to = place(canvas, d->left + x.begin, d->top + k);
        for (int32_t i = x.begin; i < x.end; i++, to += c)
            memcpy(to, picture->pixels + (row * picture->width + columns[i - x.begin]) * c,
                   (size_t)c);
    }
    return DV_OK;
}

dv_status dvi_picture_resize(dvi_canvas *canvas, const dv_picture *picture,
                             const dvi_drawing *drawing, dvi_filter filter, dvi_resizer *resizer,
                             dv_error *err)
{
    const dv_status status =
        dvi_canvas_fit(canvas, drawing->width, drawing->height, picture->channels, err);
    if (status != DV_OK)
        return status;
    if (!is_covered(drawing))
        memset(canvas->room.data, 0, dvi_canvas_nbytes(canvas));
    if (is_outside(drawing))
        return DV_OK;
    if (filter == DVI_FILTER_NEAREST)
        return pick(canvas, picture, drawing, resizer, err);
    return mix(canvas, picture, drawing, filter, resizer, err);
}

void dvi_resizer_start(dvi_resizer *resizer, const dv_allocator *allocator)
{
    for (int i = 0; i < 2; i++)
        resizer->weights[i].allocator = allocator;
    resizer->middle.room.allocator = allocator;
}

void dvi_resizer_free(dvi_resizer *resizer)
{
    for (int i = 0; i < 2; i++)
        dvi_room_free(&resizer->weights[i]);
    dvi_room_free(&resizer->middle.room);
}
