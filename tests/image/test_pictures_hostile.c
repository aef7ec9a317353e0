/* SPDX-License-Identifier: MIT */
/* test_pictures_hostile.c: damaged pictures are missing values, or errors if that is asked for;
 * memory that is refused is an error, and nothing leaks. */
#include "image/picture.h"
#include "support/allocator.h"
#include "support/pictures.h"
#include "support/test.h"
#include <dataview/image.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"j420.jpg",        "jprogressive.jpg", "jcmyk.jpg",
                                    "jturned6.jpg",    "pcolor.png",       "ppalette3.png",
                                    "pinterlaced.png", "palpha16.png"};
#define NAMES (sizeof names / sizeof *names)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char to_reals[] = "image X:F width=9 height=6 orient+";
static const char in_steps[] =
    "decode P:F orient+; resize P width=9 height=6; gray Q:P; pixels X:Q";
static const char in_part[] = "image X:F width=9 height=6 partial+ order=rgba";

/* One file; the numbers are R4, of which a missing picture has only NA. */
static dv_status status_of(const char *pipeline, const void *data, size_t nbytes, bool *is_na)
{
    dvt_made_pixels made;
    dvt_pictures pictures = {0};
    dvt_pictures_add(&pictures, data, nbytes);
    const dv_status status = dvt_pictures_pipe(&made, &pictures, pipeline, 0, NULL, NULL);
    size_t na = 0;
    for (size_t i = 0; status == DV_OK && i < made.nbytes; i += 4) {
        uint32_t bits;
        memcpy(&bits, made.data + i, sizeof bits);
        na += bits == DV_R4_NA_BITS;
    }
    cr_assert(status < 0 || na == 0 || na * 4 == made.nbytes, "a picture is missing in part");
    *is_na = na > 0;
    dvt_pictures_free(&pictures);
    free(made.data);
    return status;
}

Test(pictures_hostile, cut_files_are_missing)
{
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    for (size_t f = 0; f < NAMES; f++) {
        size_t nbytes;
        bool is_na;
        uint8_t *data = dvt_golden_picture(names[f], &nbytes);
        cr_assert_eq(status_of(to_reals, data, nbytes, &is_na), DV_OK);
        cr_assert(!is_na);
        for (size_t n = 0; n < nbytes; n += n < 700 ? 1 : 13) {
            cr_assert_eq(status_of(to_reals, data, n, &is_na), DV_OK);
            cr_assert(is_na || n >= nbytes - 16, "%s, %zu bytes", names[f], n); /* PNG: IEND */
            cr_assert_eq(status_of(in_part, data, n, &is_na), DV_OK);
        }
        cr_assert_eq(status_of(in_part, data, nbytes / 4 * 3, &is_na), DV_OK);
        cr_assert(!is_na, "%s: nothing of it came", names[f]);
        free(data);
    }
}

/* The decoder of a cursor reads one file after the other: what is wrong with one is not seen by the
 * next, and neither are its tables. */
Test(pictures_hostile, damage_stays_in_its_row)
{
    size_t good_nbytes;
    uint8_t *good = dvt_golden_picture("j420.jpg", &good_nbytes);
    dvt_made_pixels alone, made;
    dvt_pictures one = {0};
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    dvt_pictures_add(&one, good, good_nbytes);
    cr_assert_eq(dvt_pictures_pipe(&alone, &one, to_reals, 0, NULL, NULL), DV_OK);
    for (size_t f = 0; f < NAMES; f++) {
        size_t nbytes;
        uint8_t *data = dvt_golden_picture(names[f], &nbytes);
        for (size_t at = 0; at < nbytes && at < 700; at++) {
            dvt_pictures files = {0};
            data[at] ^= 0xff;
            dvt_pictures_add(&files, data, at % 2 ? nbytes : at);
            dvt_pictures_add(&files, good, good_nbytes);
            cr_assert_eq(dvt_pictures_pipe(&made, &files, to_reals, 0, NULL, NULL), DV_OK);
            cr_assert(made.nbytes == 2 * alone.nbytes &&
                          memcmp(made.data + alone.nbytes, alone.data, alone.nbytes) == 0,
                      "after %s, damaged at %zu", names[f], at);
            free(made.data);
            dvt_pictures_free(&files);
            data[at] ^= 0xff;
        }
        free(data);
    }
    dvt_pictures_free(&one);
    free(alone.data);
    free(good);
}

Test(pictures_hostile, changed_bytes_do_no_harm)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    for (size_t f = 0; f < NAMES; f++) {
        size_t nbytes;
        bool is_na;
        uint8_t *data = dvt_golden_picture(names[f], &nbytes);
        const size_t step = (size_t)DVT_FAIL_STEP;
        for (size_t at = 0; at < nbytes; at += at < 700 ? step : 17 * step) {
            const uint8_t kept = data[at];
            for (size_t v = 0; v < COUNT(values); v++) {
                data[at] = values[v];
                cr_assert_eq(status_of(v % 2 ? in_steps : to_reals, data, nbytes, &is_na), DV_OK);
                cr_assert_eq(status_of(in_part, data, nbytes, &is_na), DV_OK);
            }
            data[at] = kept;
        }
        free(data);
    }
}

/* --- What a head claims ----------------------------------------------------------------------- */

static void put(uint8_t *at, uint32_t number, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = (uint8_t)(number >> 8 * (n - 1 - i));
}

/* The frame of a JPEG: height and width are 2 bytes each from `at + 5` on. */
static uint8_t *frame_of(uint8_t *data, size_t nbytes)
{
    for (size_t i = 2; i + 9 < nbytes; i += 2 + (size_t)(data[i + 2] << 8 | data[i + 3]))
        if (data[i + 1] >= 0xc0 && data[i + 1] <= 0xc2)
            return data + i;
    return NULL;
}

/* No memory is taken for pixels that the bytes cannot hold. */
Test(pictures_hostile, sizes_are_not_believed)
{
    static const char *const of[] = {"j420.jpg", "jprogressive.jpg", "pcolor.png"};
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    for (size_t f = 0; f < COUNT(of); f++) {
        size_t nbytes;
        dvt_made_pixels made;
        dvt_allocator counted;
        dvt_pictures pictures = {0};
        uint8_t *data = dvt_golden_picture(of[f], &nbytes);
        if (f < 2) {
            put(frame_of(data, nbytes) + 5, 16000, 2);
            put(frame_of(data, nbytes) + 7, 16000, 2);
        } else {
            put(data + 16, 16000, 4);
            put(data + 20, 16000, 4);
        }
        dvt_allocator_init(&counted, 0);
        dvt_pictures_add(&pictures, data, nbytes);
        cr_assert_eq(dvt_pictures_pipe(&made, &pictures, "image X:F width=16000 height=1 exact+", 0,
                                       &counted.allocator, NULL),
                     DV_OK);
        cr_assert_lt(counted.highest, 2 << 20);
        cr_assert_eq(counted.live, 0);
        free(made.data);
        free(data);
        dvt_pictures_free(&pictures);
    }
}

/* A golden PNG with bytes after its first chunk, which ends at byte 33. */
static uint8_t *png_with(const char *bytes, size_t n, size_t *nbytes_out)
{
    enum { HEAD = 33 };
    size_t nbytes;
    uint8_t *png = dvt_golden_picture("pcolor.png", &nbytes);
    uint8_t *made = malloc(nbytes + n);
    cr_assert(made);
    memcpy(made, png, HEAD);
    memcpy(made + HEAD, bytes, n);
    memcpy(made + HEAD + n, png + HEAD, nbytes - HEAD);
    free(png);
    *nbytes_out = nbytes + n;
    return made;
}

/* A text of 1 GiB - 1 bytes: it is not read, and no memory is taken for it. */
Test(pictures_hostile, chunks_are_not_believed)
{
    size_t nbytes;
    dvt_made_pixels made;
    dvt_allocator counted;
    dvt_pictures pictures = {0};
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    uint8_t *data = png_with("\x3f\xff\xff\xffiTXt", 8, &nbytes);
    dvt_allocator_init(&counted, 0);
    dvt_pictures_add(&pictures, data, nbytes);
    cr_assert_eq(dvt_pictures_pipe(&made, &pictures, to_reals, 0, &counted.allocator, NULL), DV_OK);
    cr_assert_lt(counted.highest, 2 << 20);
    free(made.data);
    free(data);
    dvt_pictures_free(&pictures);
}

/* What libpng only warns of is damage; what it says of chunks that change no pixel is not seen. */
Test(pictures_hostile, warnings_of_png_are_damage)
{
    static const char good[] = "\0\0\0\0tEXt\x96\x42\xc5\x85"; /* a text without its name */
    static const char bad[] = "\0\0\0\0tEXt\0\0\0\0";          /* a wrong checksum */
    size_t nbytes;
    bool is_na;
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    uint8_t *data = png_with(good, sizeof good - 1, &nbytes);
    cr_assert_eq(status_of("image X:F width=9 height=6 strict+", data, nbytes, &is_na), DV_OK);
    free(data);
    data = png_with(bad, sizeof bad - 1, &nbytes);
    cr_assert_eq(status_of("image X:F width=9 height=6 strict+", data, nbytes, &is_na),
                 DV_ERR_CORRUPT);
    cr_assert_eq(status_of(to_reals, data, nbytes, &is_na), DV_OK);
    cr_assert(is_na);
    cr_assert_eq(status_of(in_part, data, nbytes, &is_na), DV_OK);
    cr_assert(!is_na);
    free(data);
}

Test(pictures_hostile, strict_says_the_row_and_the_reason)
{
    static const struct {
        const char *bytes;
        size_t nbytes;
        dv_status status;
        const char *says;
    } files[] = {{"GIF89a", 6, DV_ERR_UNSUPPORTED, "row 1: neither JPEG nor PNG"},
                 {"", 0, DV_ERR_UNSUPPORTED, "row 1: there are no bytes"},
                 {"\xff\xd8\xff\xe0", 4, DV_ERR_CORRUPT, "row 1: "},
                 {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\0\0\0\0\0\1\10\2\0\0\0....", 33, DV_ERR_LIMIT,
                  "row 1: a side of the picture"},
                 {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0....", 33,
                  DV_ERR_CORRUPT, "row 1: "}};
    static const char *const strict[] = {"image X:F width=2 height=2 strict+",
                                         "decode P:F strict+; resize P width=2 height=2; "
                                         "pixels X:P"};
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    for (size_t f = 0; f < COUNT(files); f++)
        for (size_t s = 0; s < COUNT(strict); s++) {
            dvt_made_pixels made;
            dvt_pictures pictures = {0};
            dv_error err = DV_ERROR_INIT;
            dvt_pictures_add_golden(&pictures, "pcolor.png");
            dvt_pictures_add(&pictures, files[f].bytes, files[f].nbytes);
            cr_assert_eq(dvt_pictures_pipe(&made, &pictures, strict[s], 0, NULL, &err),
                         files[f].status, "%s", err.message);
            cr_assert(strstr(err.message, files[f].says), "%s", err.message);
            free(made.data);
            dvt_pictures_free(&pictures);
        }
}

/* U1 has no NA: a missing picture is an error, or black if that is asked for. */
Test(pictures_hostile, missing_pictures_are_not_black_unawares)
{
    static const struct {
        const char *pipeline;
        dv_status status;
        const char *says;
    } cases[] = {
        {"image X:F width=2 height=2 type=U1", DV_ERR_UNSUPPORTED,
         "row 1: neither JPEG nor PNG (U1 has no NA; with the option black its pixels are 0)"},
        {"image X:F width=2 height=2 type=U1 strict+", DV_ERR_UNSUPPORTED,
         "row 1: neither JPEG nor PNG"},
        {"image X:F width=2 height=2 type=U1 black+ strict+", DV_ERR_UNSUPPORTED,
         "row 1: neither JPEG nor PNG"},
        {"image X:F width=2 height=2 type=U1 black+", DV_OK, ""},
        {"decode P:F; resize P width=2 height=2; pixels X:P type=U1", DV_ERR_ARGUMENT,
         "row 1: the picture is missing (U1 has no NA; with the option black its pixels are 0)"},
        {"decode P:F; resize P width=2 height=2; pixels X:P type=U1 black+", DV_OK, ""},
        {"image X:F width=2 height=2 black+", DV_ERR_ARGUMENT, "black is for type=U1: R4 has NA"}};
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        dvt_made_pixels made;
        dvt_pictures pictures = {0};
        dv_error err = DV_ERROR_INIT;
        dvt_pictures_add_golden(&pictures, "pcolor.png");
        dvt_pictures_add(&pictures, "GIF89a", 6);
        cr_assert_eq(dvt_pictures_pipe(&made, &pictures, cases[i].pipeline, 0, NULL, &err),
                     cases[i].status, "%s: %s", cases[i].pipeline, err.message);
        const char *said = strstr(err.message, cases[i].says);
        cr_assert(said && strcmp(said, cases[i].says) == 0, "%s", err.message);
        for (size_t b = 12; cases[i].status == DV_OK && b < 24; b++)
            cr_assert_eq(made.data[b], 0);
        cr_assert(cases[i].status != DV_OK || made.nbytes == 24);
        free(made.data);
        dvt_pictures_free(&pictures);
    }
}

Test(pictures_hostile, black_may_be_refused)
{
    bool is_na;
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    cr_assert_eq(
        status_of("image X:F width=2 height=2 black-", (const uint8_t *)"GIF89a", 6, &is_na),
        DV_OK);
    cr_assert(is_na);
}

Test(pictures_hostile, limits_of_pixels_hold)
{
    bool is_na;
    size_t nbytes;
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    uint8_t *data = dvt_golden_picture("pcolor.png", &nbytes);
    cr_assert_eq(status_of("image X:F width=2 height=2 pixels=693", data, nbytes, &is_na), DV_OK);
    cr_assert(!is_na);
    cr_assert_eq(status_of("image X:F width=2 height=2 pixels=692", data, nbytes, &is_na), DV_OK);
    cr_assert(is_na);
    cr_assert_eq(status_of("image X:F width=2 height=2 pixels=692 strict+", data, nbytes, &is_na),
                 DV_ERR_LIMIT);
    free(data);
}

/* Each scan goes over all pixels: a file repeats its last one, and is refused for that. */
Test(pictures_hostile, scans_are_limited)
{
    enum { SCANS = 3, MORE = 30, SCAN = 0xda };
    bool is_na;
    size_t nbytes;
    uint8_t *data = dvt_golden_picture("jscans.jpg", &nbytes);
    size_t at = nbytes - 2;
    while (data[at] != 0xff || data[at + 1] != SCAN)
        at--;
    const size_t scan = nbytes - 2 - at; /* until the end of the picture, 2 bytes */
    uint8_t *made = malloc(nbytes + MORE * scan);
    cr_assert(made);
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    memcpy(made, data, nbytes - 2);
    for (size_t i = 0; i < MORE; i++)
        memcpy(made + nbytes - 2 + i * scan, data + at, scan);
    memcpy(made + nbytes - 2 + MORE * scan, data + nbytes - 2, 2);
    nbytes += MORE * scan; /* 693 pixels, 33 scans: as 693 x 33 / 16 pixels */
    cr_assert_eq(status_of("image X:F width=2 height=2 pixels=1430 strict+", made, nbytes, &is_na),
                 DV_OK);
    cr_assert_eq(status_of("image X:F width=2 height=2 pixels=1429 strict+", made, nbytes, &is_na),
                 DV_ERR_LIMIT);
    cr_assert_eq(status_of("image X:F width=2 height=2 pixels=1429", made, nbytes, &is_na), DV_OK);
    cr_assert(is_na);
    /* A byte before the frame hides nothing, where damage is allowed. */
    const size_t second = 4 + (size_t)made[4] * 256 + made[5]; /* segment: behind the first */
    memmove(made + second + 1, made + second, nbytes - second - 1);
    made[second] = 0;
    cr_assert_eq(
        status_of("image X:F width=2 height=2 pixels=1430 partial+ strict+", made, nbytes, &is_na),
        DV_OK);
    cr_assert_eq(
        status_of("image X:F width=2 height=2 pixels=1429 partial+ strict+", made, nbytes, &is_na),
        DV_ERR_LIMIT);
    free(made);
    free(data);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Allocation 1, 2, … fails, until none does. */
static void fail_each(const char *pipeline)
{
    dvt_made_pixels expected, made;
    dvt_pictures pictures = {0};
    for (size_t f = 0; f < NAMES; f++)
        dvt_pictures_add_golden(&pictures, names[f]);
    cr_assert_eq(dvt_pictures_pipe(&expected, &pictures, pipeline, 3, NULL, NULL), DV_OK);
    dv_status status = DV_ERR_MEMORY;
    for (int64_t k = 1; status != DV_OK; k++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        status = dvt_pictures_pipe(&made, &pictures, pipeline, 3, &counted.allocator, NULL);
        cr_assert(status == DV_ERR_MEMORY || counted.asked < k || status == DV_OK,
                  "allocation %lld: status %d", (long long)k, status);
        cr_assert_eq(counted.live, 0, "allocation %lld", (long long)k);
        if (status == DV_OK) {
            cr_assert_eq(made.nbytes, expected.nbytes);
            cr_assert_arr_eq(made.data, expected.data, made.nbytes);
        }
        free(made.data);
        if (status == DV_OK && counted.asked >= k)
            status = DV_ERR_MEMORY; /* it did without: go on */
    }
    free(expected.data);
    dvt_pictures_free(&pictures);
}

Test(pictures_hostile, memory_of_a_large_picture_is_given_back)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_room room = {.allocator = &counted.allocator};
    cr_assert_eq(dvi_room_fit(&room, 64 << 20, NULL), DV_OK);
    cr_assert_eq(dvi_room_fit(&room, 16 << 20, NULL), DV_OK);
    cr_assert_geq(room.nbytes, 64 << 20);
    cr_assert_eq(dvi_room_fit(&room, 15 << 20, NULL), DV_OK);
    cr_assert_lt(counted.nbytes, 16 << 20);
    cr_assert_eq(dvi_room_fit(&room, 1, NULL), DV_OK);
    cr_assert_geq(room.nbytes, 15 << 20);
    dvi_room_free(&room);
    cr_assert_eq(counted.live, 0);
}

Test(pictures_hostile, memory_that_is_refused_is_an_error)
{
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    fail_each(to_reals);
    fail_each(in_steps);
    fail_each(in_part);
}
