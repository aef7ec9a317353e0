/* SPDX-License-Identifier: MIT */
/* image_options.c: reads the options of steps for pictures. */
#include "image/image_options.h"
#include <dataview/value.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

dvi_decode_how dvi_decode_how_of(const dv_step *step)
{
    return (dvi_decode_how){.alpha = dv_step_integer(step, "alpha") != 0,
                            .turns = dv_step_integer(step, "orient") != 0,
                            .takes_partial = dv_step_integer(step, "partial") != 0,
                            .pixels_max = dv_step_integer(step, "pixels")};
}

dv_status dvi_frame_of(dvi_frame *frame_out, const dv_step *step, dv_error *err)
{
    if (!dv_step_is_given(step, "width") || !dv_step_is_given(step, "height"))
        return dv_error_set(err, DV_ERR_ARGUMENT, "width=N and height=N are needed");
    *frame_out = (dvi_frame){.width = (int32_t)dv_step_integer(step, "width"),
                             .height = (int32_t)dv_step_integer(step, "height"),
                             .fit = (dvi_fit)dv_step_integer(step, "fit"),
                             .anchor = (dvi_anchor)dv_step_integer(step, "anchor"),
                             .filter = (dvi_filter)dv_step_integer(step, "filter")};
    if ((int64_t)frame_out->width * frame_out->height > DVI_PICTURE_PIXELS_MAX)
        return dv_error_set(err, DV_ERR_ARGUMENT, "width x height is more than 2^28 pixels");
    return DV_OK;
}

dvi_drawing dvi_frame_drawing(const dvi_frame *frame, int32_t width, int32_t height)
{
    return dvi_drawing_of(width, height, frame->width, frame->height, frame->fit, frame->anchor);
}

/* Read a list of one number for each channel; without it they stay. */
static dv_status read_numbers(float *numbers, int32_t n, const dv_step *step, const char *option,
                              dv_error *err)
{
    char text[96];
    const dv_type type = dv_type_of(DV_KIND_R4);
    const int64_t given = dv_step_texts(step, option);
    bool is_sound = given == 0 || given == n;
    for (int32_t i = 0; is_sound && i < given; i++) {
        dv_scalar number;
        is_sound =
            dv_value_parse(&number, &type, dv_step_text(step, option, i)) && isfinite(number.r4);
        numbers[i] = is_sound ? number.r4 : 0;
    }
    if (is_sound)
        return DV_OK;
    snprintf(text, sizeof text, "%s is a list of %" PRId32 " numbers, one for each channel", option,
             n);
    return dv_error_set(err, DV_ERR_ARGUMENT, text);
}

static bool is_given_any(const dv_step *step)
{
    return dv_step_is_given(step, "offset") || dv_step_is_given(step, "scale") ||
           dv_step_is_given(step, "mean") || dv_step_is_given(step, "std");
}

dv_status dvi_pixel_form_of(dvi_pixel_form *form_out, const dv_step *step, dv_error *err)
{
    *form_out = (dvi_pixel_form){.order = (int32_t)dv_step_integer(step, "order"),
                                 .interleaved = dv_step_integer(step, "layout") == 1,
                                 .is_r4 = dv_step_integer(step, "type") == 0,
                                 .offset = (float)dv_step_number(step, "offset"),
                                 .scale = (float)dv_step_number(step, "scale"),
                                 .deviation = {1, 1, 1, 1}};
    const int32_t n = dvi_pixel_channels(form_out);
    if (!form_out->is_r4 && is_given_any(step))
        return dv_error_set(err, DV_ERR_ARGUMENT, "offset, scale, mean and std are for type=R4");
    if (form_out->is_r4 && dv_step_integer(step, "black") != 0)
        return dv_error_set(err, DV_ERR_ARGUMENT, "black is for type=U1: R4 has NA");
    dv_status status = read_numbers(form_out->mean, n, step, "mean", err);
    if (status == DV_OK)
        status = read_numbers(form_out->deviation, n, step, "std", err);
    for (int32_t i = 0; status == DV_OK && i < n; i++)
        if (form_out->deviation[i] == 0)
            status = dv_error_set(err, DV_ERR_ARGUMENT, "a number of std is 0");
    return status;
}

bool dvi_may_be_missing(const dvi_pixel_form *form, const dv_step *step)
{
    return form->is_r4 || dv_step_integer(step, "black") != 0;
}

/* --- Failures --------------------------------------------------------------------------------- */

bool dvi_is_of_value(dv_status status)
{
    return status == DV_NOT_FOUND || status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED ||
           status == DV_ERR_LIMIT;
}

static dv_status fail_row(dv_error *err, int64_t row, const dv_error *inner, const char *hint)
{
    char text[sizeof inner->message + 96];
    snprintf(text, sizeof text, "row %" PRId64 ": %s%s", row, inner->message, hint);
    dv_error_set(err, inner->status, text);
    if (err)
        err->os_code = inner->os_code;
    return inner->status;
}

dv_status dvi_fail_row(dv_error *err, int64_t row, const dv_error *inner)
{
    return fail_row(err, row, inner, "");
}

dv_status dvi_fail_missing(dv_error *err, int64_t row, const dv_error *inner)
{
    return fail_row(err, row, inner, " (U1 has no NA; with the option black its pixels are 0)");
}
