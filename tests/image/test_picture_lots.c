/* SPDX-License-Identifier: MIT */
/* test_picture_lots.c: what is drawn by lot for a picture depends on the id of its row, the seed
 * and the epoch, and on nothing else. */
#include "support/pictures.h"
#include "support/test.h"
#include <dataview/feed.h>
#include <dataview/image.h>
#include <dataview/pipeline.h>
#include <dataview/table.h>
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

/* --- Epochs of a feed ------------------------------------------------------------------------- */

enum { BATCH = 10, BATCHES = (ROWS + BATCH - 1) / BATCH };

/* ROWS times the picture, with what these options draw. */
static dv_view *view_with(const char *options)
{
    size_t nbytes;
    char pipeline[256];
    dv_view *source, *view;
    dv_text files[ROWS];
    dv_error err = DV_ERROR_INIT;
    uint8_t *file = dvt_golden_picture("pcolor.png", &nbytes);
    const dv_table_column column = {"F", dv_type_of(DV_KIND_BY), NULL, files};
    for (int i = 0; i < ROWS; i++)
        files[i] = (dv_text){(const char *)file, (int64_t)nbytes};
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    cr_assert_eq(dv_table_create(&source, &column, 1, ROWS, NULL, &err), DV_OK);
    snprintf(pipeline, sizeof pipeline,
             "image X:F width=33 height=21 type=U1 layout=interleaved filter=nearest %s; select X",
             options);
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of(pipeline), NULL, NULL, &err), DV_OK, "%s",
                 err.message);
    dv_view_release(&source);
    free(file);
    return view;
}

static bool is_row(const float *row, const uint8_t *expected)
{
    for (int i = 0; i < NBYTES; i++)
        if (row[i] != (float)expected[i])
            return false;
    return true;
}

/* Each batch has the rows of its epoch, which are where their ids say. */
static void check_batch(const dv_feed_batch *batch, const dvt_made_pixels *epochs)
{
    for (int64_t i = 0; i < batch->rows; i++) {
        const uint64_t row = batch->ids[i].lo;
        cr_assert_lt(row, ROWS);
        cr_assert(is_row((const float *)batch->matrices[0].items + i * NBYTES,
                         epochs[batch->epoch].data + row * NBYTES),
                  "row %d of epoch %d", (int)row, (int)batch->epoch);
    }
}

/* Read `most` batches, or all; returns how many came. */
static int64_t check_feed(dv_feed *feed, const dvt_made_pixels *epochs, int64_t most)
{
    int64_t n = 0;
    const dv_feed_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    for (; n < most && (status = dv_feed_next(feed, &batch, &err)) == DV_OK; n++)
        check_batch(batch, epochs);
    cr_assert(status == DV_OK || status == DV_END, "%s", err.message);
    return n;
}

static dv_feed *feed_of(dv_view *view, const dv_feed_options *options)
{
    dv_feed *feed;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_feed_open(&feed, view, options, &err), DV_OK, "%s", err.message);
    return feed;
}

Test(picture_lots, are_those_of_the_epoch_of_a_feed)
{
    dvt_made_pixels epochs[] = {made_with("", "area=0.2 shift=5 flip+ seed=7 epoch=0", 0),
                                made_with("", "area=0.2 shift=5 flip+ seed=7 epoch=1", 0)};
    dv_view *view = view_with("area=0.2 shift=5 flip+ seed=7");
    cr_assert_leq(same_rows(&epochs[0], &epochs[1]), 2);
    for (int how = 0; how < 8; how++) {
        dv_token token = {0};
        dv_feed_options options = DV_FEED_OPTIONS_INIT;
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        order.shuffle = how & 1 ? DV_SHUFFLE_UNIFORM : DV_SHUFFLE_NONE;
        order.seed = 3;
        options.order = &order;
        options.batch_rows = BATCH;
        options.epochs = 2;
        options.ids = true;
        options.threads = how & 2 ? 3 : 1;
        options.prefetch = how & 4 ? 2 : 0;
        dv_feed *feed = feed_of(view, &options);
        cr_assert_eq(check_feed(feed, epochs, BATCHES + 2), BATCHES + 2);
        cr_assert_eq(dv_feed_token(feed, &token, NULL), DV_OK);
        dv_feed_close(&feed);
        options.token = token.text;
        feed = feed_of(view, &options);
        cr_assert_eq(check_feed(feed, epochs, INT64_MAX), BATCHES - 2);
        dv_feed_close(&feed);
    }
    dv_view_release(&view);
    free(epochs[0].data);
    free(epochs[1].data);
}

Test(picture_lots, are_those_of_the_option_if_it_is_given)
{
    dvt_made_pixels third = made_with("", all_lots, 0), epochs[] = {third, third};
    dv_view *view = view_with(all_lots);
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    options.batch_rows = BATCH;
    options.epochs = 2;
    options.ids = true;
    dv_feed *feed = feed_of(view, &options);
    cr_assert_eq(check_feed(feed, epochs, INT64_MAX), 2 * BATCHES);
    dv_feed_close(&feed);
    dv_view_release(&view);
    free(third.data);
}
