/* SPDX-License-Identifier: MIT */
/* fuzz_picture.c: any bytes as a JPEG or PNG: one step makes of it what several make, with any
 * options; a batch of several is the rows one by one; nothing but missing memory is an error;
 * memory is bounded; and a strict step fails just where the others say NA.
 *
 * An input is four bytes of options, then the file.  Checksums of PNG are set right, so that what
 * is behind them is reached. */
#include "meter.h"
#include "mutate_picture.h"
#include "support/pictures.h"
#include <dataview/image.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_NBYTES = 1 << 15, /* larger inputs are not looked at */
    PIXELS = 1 << 16,      /* nor larger pictures */
    OPTIONS = 4,
    SIDE = 48, /* of a frame, at most */
    MOST_NBYTES = 64 << 20
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

typedef struct frame {
    char text[128];
} frame;

static frame read_frame(const uint8_t *o)
{
    static const char *const filters[] = {"nearest", "bilinear", "bicubic", "lanczos"};
    static const char *const fits[] = {"crop", "pad", "fill"};
    static const char *const anchors[] = {"start", "center", "end"};
    frame f;
    snprintf(f.text, sizeof f.text, "width=%d height=%d fit=%s anchor=%s filter=%s",
             1 + o[0] % SIDE, 1 + o[1] % SIDE, fits[o[2] % 3], anchors[o[2] / 3 % 3],
             filters[o[2] / 9 % 4]);
    return f;
}

/* Apply a pipeline to `count` copies of the file. */
static dv_status apply(dvt_made_pixels *made, const char *pipeline, const uint8_t *file, size_t n,
                       int count)
{
    dv_error err = DV_ERROR_INIT;
    dvt_meter meter = {.most_nbytes = MOST_NBYTES};
    const dv_allocator allocator = dvt_meter_allocator(&meter);
    dvt_pictures pictures = {0};
    for (int i = 0; i < count; i++)
        dvt_pictures_add(&pictures, file, n);
    const dv_status status = dvt_pictures_pipe(made, &pictures, pipeline, 0, &allocator, &err);
    DVT_CHECK(status == DV_OK || err.message[0] != 0);
    DVT_CHECK(meter.live_nbytes == 0);
    dvt_pictures_free(&pictures);
    return status;
}

/* Both pipelines make the same of the file. */
static void check_same(const char *one, const char *other, const uint8_t *file, size_t n)
{
    dvt_made_pixels a, b;
    DVT_CHECK(apply(&a, one, file, n, 1) == DV_OK);
    DVT_CHECK(apply(&b, other, file, n, 2) == DV_OK);
    DVT_CHECK(b.nbytes == 2 * a.nbytes && memcmp(a.data, b.data, a.nbytes) == 0 &&
              memcmp(a.data, b.data + a.nbytes, a.nbytes) == 0);
    free(a.data);
    free(b.data);
}

static void check_strict(const char *frame_text, const uint8_t *file, size_t n)
{
    char pipeline[256];
    dvt_made_pixels lenient, strict;
    snprintf(pipeline, sizeof pipeline, "image X:F %s pixels=%d", frame_text, PIXELS);
    DVT_CHECK(apply(&lenient, pipeline, file, n, 1) == DV_OK);
    snprintf(pipeline, sizeof pipeline, "image X:F %s pixels=%d strict+", frame_text, PIXELS);
    const dv_status status = apply(&strict, pipeline, file, n, 1);
    uint32_t first;
    memcpy(&first, lenient.data, sizeof first);
    DVT_CHECK(n == 0 || (first == DV_R4_NA_BITS) == (status < 0));
    free(lenient.data);
    free(strict.data);
}

/* What is drawn by lot for a row is the same, whatever comes after it. */
static void check_lots(const char *frame_text, int epoch, const uint8_t *file, size_t n)
{
    char pipeline[256];
    dvt_made_pixels a, b;
    snprintf(pipeline, sizeof pipeline,
             "image X:F area=0.05 shift=9 flip+ epoch=%d type=U1 black+ pixels=%d %s", epoch,
             PIXELS, frame_text);
    DVT_CHECK(apply(&a, pipeline, file, n, 1) == DV_OK);
    DVT_CHECK(apply(&b, pipeline, file, n, 3) == DV_OK);
    DVT_CHECK(b.nbytes == 3 * a.nbytes && memcmp(a.data, b.data, a.nbytes) == 0);
    free(a.data);
    free(b.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char one[256], several[256];
    if (n < OPTIONS || n > OPTIONS + FILE_NBYTES)
        return 0;
    DVT_CHECK(dv_image_register(NULL) == DV_OK);
    const frame f = read_frame(data);
    const char *how = data[3] & 1 ? "orient+" : "", *all = data[3] & 2 ? "partial+" : "";
    uint8_t *file = malloc(n);
    if (!file)
        return 0;
    n -= OPTIONS;
    memcpy(file, data + OPTIONS, n);
    dvt_png_set_checksums(file, n);
    snprintf(one, sizeof one, "image X:F exact+ order=rgba scale=0.5 pixels=%d %s %s %s", PIXELS,
             f.text, how, all);
    snprintf(several, sizeof several,
             "decode P:F alpha+ pixels=%d %s %s; resize P %s; pixels X:P order=rgba scale=0.5",
             PIXELS, how, all, f.text);
    check_same(one, several, file, n);
    snprintf(one, sizeof one, "image X:F type=U1 black+ order=gray pixels=%d %s %s %s", PIXELS,
             f.text, how, all);
    check_same(one, one, file, n);
    check_strict(f.text, file, n);
    check_lots(f.text, data[3], file, n);
    free(file);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    if (n <= OPTIONS || most <= OPTIONS || seed % 8 == 0)
        return LLVMFuzzerMutate(data, n, most);
    return OPTIONS + dvt_picture_mutate(data + OPTIONS, n - OPTIONS, most - OPTIONS, seed / 8);
}
