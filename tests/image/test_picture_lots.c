/* SPDX-License-Identifier: MIT */
/* test_picture_lots.c: what is drawn by lot for a picture depends on the id of its row, the seed
 * and the epoch, and on nothing else. */
#include "support/pictures.h"
#include "support/test.h"
#include <dataview/image.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, WIDTH = 33, HEIGHT = 21, ROW = 3 * WIDTH, NBYTES = ROW * HEIGHT };

/* ROWS times the same picture; the frame is its size. */
static dvt_made_pixels made_with(const char *before, const char *options, int64_t batch_rows)
{
    char pipeline[256];
    dvt_made_pixels made;
    dvt_pictures pictures = {0};
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    for (int i = 0; i < ROWS; i++)
        dvt_pictures_add_golden(&pictures, "pcolor.png");
    snprintf(pipeline, sizeof pipeline,
             "%s image X:F width=33 height=21 type=U1 layout=interleaved filter=nearest %s", before,
             options);
    cr_assert_eq(dvt_pictures_pipe(&made, &pictures, pipeline, batch_rows, NULL, &err), DV_OK, "%s",
                 err.message);
    dvt_pictures_free(&pictures);
    return made;
}

static uint8_t *whole_picture(void)
{
    size_t nbytes;
    uint8_t *whole = dvt_golden_picture("pcolor.png.33x21.raw", &nbytes);
    cr_assert_eq(nbytes, NBYTES);
    return whole;
}

/* How many rows are the same. */
static int same_rows(const dvt_made_pixels *a, const dvt_made_pixels *b)
{
    int same = 0;
    cr_assert_eq(a->nbytes, b->nbytes);
    for (size_t at = 0; at < a->nbytes; at += NBYTES)
        same += memcmp(a->data + at, b->data + at, NBYTES) == 0;
    return same;
}

static const char all_lots[] = "area=0.2 shift=5 flip+ seed=7 epoch=3";

Test(picture_lots, are_of_the_row_and_the_epoch)
{
    dvt_made_pixels all = made_with("", all_lots, 0), each = made_with("", all_lots, 1),
                    epoch = made_with("", "area=0.2 shift=5 flip+ seed=7 epoch=4", 0),
                    seed = made_with("", "area=0.2 shift=5 flip+ seed=8 epoch=3", 0),
                    later = made_with("slice skip=10;", all_lots, 7);
    cr_assert_eq(all.nbytes, ROWS * NBYTES);
    cr_assert_eq(same_rows(&all, &each), ROWS);
    cr_assert_leq(same_rows(&all, &epoch), 2);
    cr_assert_leq(same_rows(&all, &seed), 2);
    cr_assert_eq(later.nbytes, (ROWS - 10) * NBYTES);
    cr_assert_arr_eq(later.data, all.data + 10 * NBYTES, later.nbytes);
    free(all.data);
    free(each.data);
    free(epoch.data);
    free(seed.data);
    free(later.data);
}

Test(picture_lots, mirror_half_of_the_pictures)
{
    int mirrored = 0;
    uint8_t *whole = whole_picture();
    dvt_made_pixels made = made_with("", "flip+", 0);
    for (int i = 0; i < ROWS; i++) {
        const uint8_t *row = made.data + i * NBYTES;
        const bool is_mirrored = memcmp(row, whole, NBYTES) != 0;
        mirrored += is_mirrored;
        for (int at = 0; is_mirrored && at < NBYTES; at++) {
            const int y = at / ROW, x = at % ROW / 3, c = at % 3;
            cr_assert_eq(row[at], whole[y * ROW + (WIDTH - 1 - x) * 3 + c]);
        }
    }
    cr_assert(mirrored > ROWS / 4 && mirrored < ROWS / 4 * 3, "%d of %d", mirrored, ROWS);
    free(made.data);
    free(whole);
}

/* Is it the whole picture, moved by (right, down), on black? */
static bool is_moved(const uint8_t *row, const uint8_t *whole, int right, int down)
{
    for (int at = 0; at < NBYTES; at++) {
        const int y = at / ROW - down, x = at % ROW / 3 - right, c = at % 3;
        const bool is_inside = x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT;
        if (row[at] != (is_inside ? whole[y * ROW + x * 3 + c] : 0))
            return false;
    }
    return true;
}

Test(picture_lots, move_pictures_on_black)
{
    enum { MOST = 3, SIDE = 2 * MOST + 1 };
    int moves[SIDE * SIDE] = {0}, used = 0;
    uint8_t *whole = whole_picture();
    dvt_made_pixels made = made_with("", "shift=3", 0);
    for (int i = 0; i < ROWS; i++) {
        int found = -1;
        for (int k = 0; k < SIDE * SIDE; k++)
            if (is_moved(made.data + i * NBYTES, whole, k % SIDE - MOST, k / SIDE - MOST))
                found = k;
        cr_assert_geq(found, 0, "row %d is not the picture, moved", i);
        moves[found]++;
    }
    for (int k = 0; k < SIDE * SIDE; k++)
        used += moves[k] > 0;
    cr_assert_gt(used, ROWS / 3);
    free(made.data);
    free(whole);
}

/* The column or row of a part that the nearest filter takes for each of n results. */
static void nearest(int *places, int n, int start, int side)
{
    double at = (double)side / n * 0.5;
    for (int i = 0; i < n; i++, at += (double)side / n)
        places[i] = start + ((int)at < side ? (int)at : side - 1);
}

static bool is_part(const uint8_t *row, const uint8_t *whole, const int *columns, const int *rows)
{
    for (int at = 0; at < NBYTES; at++)
        if (row[at] != whole[rows[at / ROW] * ROW + columns[at % ROW / 3] * 3 + at % 3])
            return false;
    return true;
}

Test(picture_lots, show_parts_of_pictures)
{
    int columns[WIDTH], rows[HEIGHT], small = 0;
    uint8_t *whole = whole_picture();
    dvt_made_pixels made = made_with("", "area=0.25", 0);
    for (int i = 0; i < 24; i++) {
        int found = 0;
        for (int x = 0; x < WIDTH; x++)
            for (int w = 1; x + w <= WIDTH; w++) {
                nearest(columns, WIDTH, x, w);
                for (int k = 0; k < HEIGHT * HEIGHT; k++) {
                    const int y = k % HEIGHT, h = 1 + k / HEIGHT;
                    if (y + h > HEIGHT)
                        continue;
                    nearest(rows, HEIGHT, y, h);
                    if (!is_part(made.data + i * NBYTES, whole, columns, rows))
                        continue;
                    const double share = (double)(w * h) / (WIDTH * HEIGHT);
                    const bool is_whole = w == WIDTH && h == HEIGHT;
                    found++;
                    small += share < 0.6;
                    cr_assert_geq(share, 0.22); /* sides are rounded */
                    cr_assert(is_whole || (w <= 1.4 * h + 1 && h <= 1.4 * w + 1), "%d x %d", w, h);
                }
            }
        cr_assert_eq(found, 1, "row %d is a part of the picture in %d ways", i, found);
    }
    cr_assert_gt(small, 5);
    free(made.data);
    free(whole);
}

Test(picture_lots, need_an_area)
{
    dvt_made_pixels made;
    dvt_pictures pictures = {0};
    static const char *const wrong[] = {"area=0", "area=1.5", "area=-1", "area=NaN"};
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    dvt_pictures_add_golden(&pictures, "pcolor.png");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char pipeline[96];
        snprintf(pipeline, sizeof pipeline, "image X:F width=3 height=3 %s", wrong[i]);
        cr_assert_eq(dvt_pictures_pipe(&made, &pictures, pipeline, 0, NULL, NULL), DV_ERR_ARGUMENT);
        free(made.data);
    }
    dvt_pictures_free(&pictures);
}
