/* SPDX-License-Identifier: MIT */
/* test_pictures.c: pictures become the numbers that others make of them, in one step or in several.
 */
#include "support/pictures.h"
#include "support/test.h"
#include <dataview/image.h>
#include <dataview/pipeline.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns what the pipeline makes of one golden file. */
static dvt_made_pixels made_of(const char *name, const char *pipeline)
{
    dvt_made_pixels made;
    dvt_pictures pictures = {0};
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    dvt_pictures_add_golden(&pictures, name);
    const dv_status status = dvt_pictures_pipe(&made, &pictures, pipeline, 0, NULL, &err);
    cr_assert_eq(status, DV_OK, "%s, %s: %s", name, pipeline, err.message);
    dvt_pictures_free(&pictures);
    return made;
}

static void check_same(const dvt_made_pixels *made, const char *expected, const char *pipeline)
{
    size_t nbytes;
    uint8_t *raw = dvt_golden_picture(expected, &nbytes);
    cr_assert_eq(made->nbytes, nbytes, "%s: %zu bytes, not %zu", expected, made->nbytes, nbytes);
    for (size_t i = 0; i < nbytes; i++)
        cr_assert_eq(made->data[i], raw[i], "%s, %s: byte %zu is %d, not %d", expected, pipeline, i,
                     made->data[i], raw[i]);
    free(raw);
}

/* The pixels of `name`, in one step and in three, are those of the golden file. */
static void check_pixels(const char *name, int width, int height, const char *filter,
                         const char *decode, const char *expected)
{
    char pipelines[2][256];
    snprintf(pipelines[0], sizeof pipelines[0],
             "image X:F width=%d height=%d fit=fill filter=%s exact+ strict+ type=U1 "
             "layout=interleaved %s",
             width, height, filter, decode);
    snprintf(pipelines[1], sizeof pipelines[1],
             "decode P:F strict+ %s; resize P width=%d height=%d fit=fill filter=%s; "
             "pixels X:P type=U1 layout=interleaved",
             decode, width, height, filter);
    for (int i = 0; i < 2; i++) {
        dvt_made_pixels made = made_of(name, pipelines[i]);
        check_same(&made, expected, pipelines[i]);
        free(made.data);
    }
}

#define WIDTH 33 /* of the golden files, as make_pictures.py has it */
#define HEIGHT 21

Test(pictures, are_decoded_as_djpeg_and_pillow_do)
{
    static const char *const names[] = {
        "j444.jpg",     "j422.jpg",     "j420.jpg",        "jprogressive.jpg", "jgray.jpg",
        "jcmyk.jpg",    "jscans.jpg",   "pcolor.png",      "pgray.png",        "palpha.png",
        "ppalette.png", "pbits.png",    "pinterlaced.png", "pcolor16.png",     "pgray16.png",
        "palpha16.png", "ppalette3.png"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "%s.%dx%d.raw", names[i], WIDTH, HEIGHT);
        check_pixels(names[i], WIDTH, HEIGHT, "bilinear", "", expected);
    }
}

Test(pictures, are_turned_as_exif_says)
{
    for (int orientation = 1; orientation <= 8; orientation++) {
        char name[32], expected[64];
        const bool lies = orientation >= 5;
        const int width = lies ? HEIGHT : WIDTH, height = lies ? WIDTH : HEIGHT;
        snprintf(name, sizeof name, "jturned%d.jpg", orientation);
        snprintf(expected, sizeof expected, "%s.%dx%d.raw", name, width, height);
        check_pixels(name, width, height, "bilinear", "orient+", expected);
    }
    check_pixels("jturned6.jpg", WIDTH, HEIGHT, "bilinear", "", "jturned1.jpg.33x21.raw");
}

Test(pictures, are_resized_as_pillow_does)
{
    static const char *const filters[] = {"nearest", "bilinear", "bicubic", "lanczos"};
    static const int sizes[][2] = {{8, 5}, {50, 40}, {33, 10}, {12, 21}};
    for (size_t f = 0; f < 4; f++)
        for (size_t s = 0; s < 4; s++) {
            char expected[64];
            snprintf(expected, sizeof expected, "pcolor.png.%s.%dx%d.raw", filters[f], sizes[s][0],
                     sizes[s][1]);
            check_pixels("pcolor.png", sizes[s][0], sizes[s][1], filters[f], "", expected);
        }
}

/* --- Frames ----------------------------------------------------------------------------------- */

/* A frame that crops shows a part of the whole as it is drawn out: 21x21 of 33x21, 12 cut off. */
Test(pictures, are_cropped_and_padded_at_their_anchor)
{
    static const struct {
        const char *anchor;
        int cut;
    } crops[] = {{"start", 0}, {"center", 6}, {"end", 12}};
    size_t nbytes;
    uint8_t *whole = dvt_golden_picture("pcolor.png.33x21.raw", &nbytes);
    for (size_t i = 0; i < 3; i++) {
        char pipeline[160];
        snprintf(pipeline, sizeof pipeline,
                 "image X:F width=21 height=21 anchor=%s type=U1 layout=interleaved",
                 crops[i].anchor);
        dvt_made_pixels crop = made_of("pcolor.png", pipeline);
        cr_assert_eq(crop.nbytes, 21 * 21 * 3);
        for (int y = 0; y < HEIGHT; y++)
            cr_assert_arr_eq(crop.data + y * 63, whole + (y * WIDTH + crops[i].cut) * 3, 63);
        free(crop.data);

        snprintf(pipeline, sizeof pipeline,
                 "image X:F width=33 height=33 fit=pad anchor=%s type=U1 layout=interleaved",
                 crops[i].anchor);
        dvt_made_pixels pad = made_of("pcolor.png", pipeline);
        cr_assert_eq(pad.nbytes, 33 * 33 * 3);
        cr_assert_arr_eq(pad.data + crops[i].cut * 99, whole, nbytes);
        for (int y = 0; y < 33; y++)
            for (int x = 0; x < 99 && (y < crops[i].cut || y >= crops[i].cut + HEIGHT); x++)
                cr_assert_eq(pad.data[y * 99 + x], 0);
        free(pad.data);
    }
    free(whole);
}

static bool is_black(const uint8_t *row, size_t nbytes)
{
    size_t i = 0;
    while (i < nbytes && row[i] == 0)
        i++;
    return i == nbytes;
}

/* 33x21 in 25x25 are 25 x 15.909: 15 rows are drawn, and 9.09 are left. */
Test(pictures, are_placed_before_their_size_is_cut)
{
    static const struct {
        const char *anchor;
        size_t top;
    } pads[] = {{"start", 0}, {"center", 4}, {"end", 9}};
    for (size_t i = 0; i < 3; i++) {
        char pipeline[160];
        snprintf(pipeline, sizeof pipeline,
                 "image X:F width=25 height=25 fit=pad anchor=%s type=U1 layout=interleaved",
                 pads[i].anchor);
        dvt_made_pixels pad = made_of("pcolor.png", pipeline);
        cr_assert_eq(pad.nbytes, 25 * 25 * 3);
        for (size_t y = 0; y < 25; y++)
            cr_assert_eq(is_black(pad.data + y * 75, 75), y < pads[i].top || y >= pads[i].top + 15,
                         "%s, row %zu", pads[i].anchor, y);
        free(pad.data);
    }
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* Which byte of an RGB pixel each channel of an order is; 3: opaque alpha. */
static const struct {
    const char *order;
    int channels, place[4];
} orders[] = {{"rgb", 3, {0, 1, 2, 0}},  {"bgr", 3, {2, 1, 0, 0}},  {"rgba", 4, {0, 1, 2, 3}},
              {"bgra", 4, {2, 1, 0, 3}}, {"argb", 4, {3, 0, 1, 2}}, {"abgr", 4, {3, 2, 1, 0}}};

Test(pictures, have_their_channels_in_order)
{
    const int n = WIDTH * HEIGHT;
    size_t nbytes;
    uint8_t *whole = dvt_golden_picture("pcolor.png.33x21.raw", &nbytes);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
        for (int planes = 0; planes < 2; planes++) {
            char pipeline[160];
            const int c = orders[o].channels;
            snprintf(pipeline, sizeof pipeline, "image X:F width=33 height=21 type=U1 order=%s %s",
                     orders[o].order, planes ? "" : "layout=interleaved");
            dvt_made_pixels made = made_of("pcolor.png", pipeline);
            cr_assert_eq(made.nbytes, (size_t)(n * c));
            for (int i = 0; i < n * c; i++) {
                const int place = orders[o].place[i % c];
                const int at = planes ? i % c * n + i / c : i;
                cr_assert_eq(made.data[at], place == 3 ? 255 : whole[i / c * 3 + place]);
            }
            free(made.data);
        }
    free(whole);
}

Test(pictures, keep_alpha)
{
    dvt_made_pixels colors = made_of("palpha.png", "image X:F width=33 height=21 type=U1"),
                    all = made_of("palpha.png", "image X:F width=33 height=21 type=U1 order=rgba"),
                    steps = made_of("palpha.png", "decode P:F alpha+; resize P width=33 height=21; "
                                                  "pixels X:P type=U1 order=rgba");
    const size_t n = WIDTH * HEIGHT;
    cr_assert_arr_eq(all.data, colors.data, 3 * n);
    cr_assert_arr_eq(all.data, steps.data, 4 * n);
    for (size_t i = 0; i < n; i++) { /* as make_pictures.py draws it, but for its noise */
        const int x = (int)i % WIDTH, y = (int)i / WIDTH;
        const int alpha = x * y / 2 + 60 * (x > y), found = all.data[3 * n + i];
        cr_assert(abs((alpha > 255 ? 255 : alpha) - found) <= 20, "%zu: %d, not %d", i, found,
                  alpha);
    }
    free(colors.data);
    free(all.data);
    free(steps.data);
}

Test(pictures, become_gray)
{
    size_t nbytes;
    uint8_t *whole = dvt_golden_picture("pcolor.png.33x21.raw", &nbytes);
    dvt_made_pixels one = made_of("pcolor.png", "image X:F width=33 height=21 type=U1 order=gray"),
                    steps =
                        made_of("pcolor.png", "decode P:F; resize P width=33 height=21; gray P; "
                                              "pixels X:P type=U1");
    const size_t n = WIDTH * HEIGHT;
    cr_assert_eq(one.nbytes, n);
    cr_assert_eq(steps.nbytes, 3 * n);
    for (size_t i = 0; i < n; i++) {
        const double gray = 0.3 * whole[3 * i] + 0.59 * whole[3 * i + 1] + 0.11 * whole[3 * i + 2];
        cr_assert(fabs(one.data[i] - gray) <= 0.5 + 1e-9);
        for (size_t c = 0; c < 3; c++)
            cr_assert_eq(steps.data[c * n + i], one.data[i]);
    }
    free(whole);
    free(one.data);
    free(steps.data);
}

Test(pictures, become_scaled_reals)
{
    static const float mean[] = {0.485F, 0.456F, 0.406F}, deviation[] = {0.229F, 0.224F, 0.225F};
    const size_t n = WIDTH * HEIGHT;
    size_t nbytes;
    uint8_t *whole = dvt_golden_picture("pcolor.png.33x21.raw", &nbytes);
    dvt_made_pixels made =
        made_of("pcolor.png", "image X:F width=33 height=21 offset=2 scale=0.0039215688 "
                              "mean=[0.485 0.456 0.406] std=[0.229 0.224 0.225]");
    cr_assert_eq(made.nbytes, 3 * n * sizeof(float));
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < n; i++) {
            float value;
            const float scaled = ((float)whole[3 * i + c] - 2.0F) * 0.0039215688F;
            const float expected = (scaled - mean[c]) / deviation[c];
            memcpy(&value, made.data + (c * n + i) * sizeof value, sizeof value);
            cr_assert_eq(value, expected);
        }
    free(whole);
    free(made.data);
}

/* Decoding at 5/8 or 6/8 would take longer than decoding in full, and give other pixels. */
Test(pictures, are_whole_unless_half_is_enough)
{
    dvt_made_pixels made = made_of("j420.jpg", "image X:F width=20 height=13 type=U1 fit=fill");
    dvt_made_pixels whole =
        made_of("j420.jpg", "image X:F width=20 height=13 type=U1 fit=fill exact+");
    dvt_made_pixels half = made_of("j420.jpg", "image X:F width=17 height=11 type=U1 fit=fill");
    dvt_made_pixels exact =
        made_of("j420.jpg", "image X:F width=17 height=11 type=U1 fit=fill exact+");
    cr_assert_arr_eq(made.data, whole.data, made.nbytes);
    cr_assert_neq(memcmp(half.data, exact.data, half.nbytes), 0);
    free(made.data);
    free(whole.data);
    free(half.data);
    free(exact.data);
}

/* Rows are the same in any batch, and a JPEG that is decoded smaller is nearly the whole one. */
Test(pictures, are_the_same_in_any_batch)
{
    dvt_made_pixels all, each, exact;
    dvt_pictures pictures = {0};
    static const char *const names[] = {"j420.jpg", "pcolor.png", "jgray.jpg", "jcmyk.jpg"};
    const char *pipeline = "image X:F width=7 height=5 type=U1";
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    for (int i = 0; i < 12; i++)
        dvt_pictures_add_golden(&pictures, names[i % 4]);
    cr_assert_eq(dvt_pictures_pipe(&all, &pictures, pipeline, 0, NULL, NULL), DV_OK);
    cr_assert_eq(dvt_pictures_pipe(&each, &pictures, pipeline, 1, NULL, NULL), DV_OK);
    cr_assert_eq(dvt_pictures_pipe(&exact, &pictures, "image X:F width=7 height=5 type=U1 exact+",
                                   5, NULL, NULL),
                 DV_OK);
    cr_assert_eq(all.nbytes, 12 * 105);
    cr_assert_eq(each.nbytes, all.nbytes);
    cr_assert_arr_eq(each.data, all.data, all.nbytes);
    for (size_t i = 0; i < all.nbytes; i++)
        cr_assert(abs(all.data[i] - exact.data[i]) <= 40, "byte %zu: %d, not %d", i, all.data[i],
                  exact.data[i]);
    dvt_pictures_free(&pictures);
    free(all.data);
    free(each.data);
    free(exact.data);
}
