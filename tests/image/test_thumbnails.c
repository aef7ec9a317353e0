/* SPDX-License-Identifier: MIT */
/* test_thumbnails.c: `dataview head --thumbnails` shows the pictures that the steps make, in the
 * ways of terminals, which are read back here. */
#include "cli/run.h"
#include "support/file.h"
#include "support/pictures.h"
#include "support/pipe.h"
#include <dataview/image.h>
#include <string.h>

enum { SIDE = 64, GAP = 4, TAKEN = 3, WIDTH = TAKEN * (SIDE + GAP) };

typedef struct pixels {
    int width, height;
    uint8_t rgba[WIDTH * SIDE * 4];
} pixels;

static const char *const files[TAKEN] = {"pcolor.png", "none.png", "jcmyk.jpg"};

/* `head` of a list of these files, loaded as column `a "b"`, with one more option. */
static dvt_run run_head(const char *option)
{
    char path[] = "/tmp/dv_thumbnails_XXXXXX.csv", pipe[1200];
    const int fd = mkstemps(path, 4);
    cr_assert(fd >= 0);
    dprintf(fd, "File,N\n");
    for (int i = 0; i < TAKEN; i++)
        dprintf(fd, "%s,%d\n", files[i], i);
    close(fd);
    snprintf(pipe, sizeof pipe, "loadbytes \"a \\\"b\\\"\":File folder=\"%s\"",
             dvt_file("golden/image"));
    dvt_run run = DVT_RUN("head", path, "-n3", "--pipe", pipe, option);
    unlink(path);
    return run;
}

/* What the step makes of the files, side by side. */
static void expect(pixels *p)
{
    *p = (pixels){.width = WIDTH, .height = SIDE};
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    for (int i = 0; i < TAKEN; i += 2) {
        dvt_made_pixels made;
        dvt_pictures pictures = {0};
        dvt_pictures_add_golden(&pictures, files[i]);
        cr_assert_eq(dvt_pictures_pipe(&made, &pictures,
                                       "image X:F width=64 height=64 fit=pad type=U1 order=rgba "
                                       "layout=interleaved strict+",
                                       0, NULL, NULL),
                     DV_OK);
        for (int y = 0; y < SIDE; y++)
            memcpy(p->rgba + (y * WIDTH + i * (SIDE + GAP)) * 4, made.data + y * SIDE * 4,
                   SIDE * 4);
        free(made.data);
        dvt_pictures_free(&pictures);
    }
}

/* --- kitty ------------------------------------------------------------------------------------ */

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    cr_assert(c && at, "a character that is not base64: %d", c);
    return (int)(at - digits);
}

/* Read the parts of a picture from `text` on; returns what follows it. */
static const char *read_kitty(pixels *p, const char *text)
{
    int more = 1, n = 0;
    size_t at = 0, missing = 0; /* of the last three bytes */
    cr_assert_eq(sscanf(text, "\033_Ga=T,f=32,q=2,s=%d,v=%d,m=%d;", &p->width, &p->height, &more),
                 3);
    for (;;) {
        uint32_t bits = 0;
        text = strchr(text, ';') + 1;
        const char *end = strchr(text, '\033');
        cr_assert(end && end - text <= 4096 && (end - text) % 4 == 0);
        for (; text < end; text++) {
            missing += *text == '=';
            bits = bits << 6 | (uint32_t)(*text == '=' ? 0 : digit(*text));
            if (++n % 4 > 0)
                continue;
            for (int i = 0; i < 3 && at < sizeof p->rgba; i++)
                p->rgba[at++] = (uint8_t)(bits >> (16 - 8 * i));
        }
        cr_assert_eq(strncmp(text, "\033\\", 2), 0);
        text += 2;
        if (!more)
            break;
        cr_assert_eq(sscanf(text, "\033_Gm=%d;", &more), 1);
    }
    cr_assert_eq(at - missing, (size_t)p->width * (size_t)p->height * 4);
    return text;
}

Test(thumbnails, kitty_shows_the_pixels)
{
    static pixels want, got;
    expect(&want);
    dvt_run run = run_head("--thumbnails=kitty");
    cr_assert_eq(run.status, 0, "%s", dvt_text_of(&run.err));
    const char *text = strstr(dvt_text_of(&run.out), "\n\na \"b\"\n");
    cr_assert(text);
    text = read_kitty(&got, text + strlen("\n\na \"b\"\n"));
    cr_assert_str_eq(text, "\n");
    cr_assert(got.width == WIDTH && got.height == SIDE);
    cr_assert_arr_eq(got.rgba, want.rgba, sizeof want.rgba);
    dvt_run_free(&run);
}

/* --- Sixels ----------------------------------------------------------------------------------- */

static const char *read_sixel(pixels *p, const char *text)
{
    int palette[256][3] = {{0}}, color = 0, x = 0, y = 0, n = 0;
    memset(p, 0, sizeof *p);
    cr_assert_eq(sscanf(text, "\033P0;1q\"1;1;%d;%d%n", &p->width, &p->height, &n), 2);
    cr_assert(p->width == WIDTH && p->height == SIDE);
    for (text += n; *text != '\033'; text += n) {
        int repeats = 1, *to;
        n = 0;
        if (*text == '$' || *text == '-') {
            y += *text == '-' ? 6 : 0;
            x = 0;
            n = 1;
            continue;
        }
        if (*text == '#') {
            cr_assert_eq(sscanf(text, "#%d%n", &color, &n), 1);
            cr_assert(color >= 0 && color < 256);
            to = palette[color];
            if (text[n] == ';') {
                int more = 0;
                cr_assert_eq(sscanf(text + n, ";2;%d;%d;%d%n", &to[0], &to[1], &to[2], &more), 3);
                n += more;
            }
            continue;
        }
        if (*text == '!')
            cr_assert_eq(sscanf(text, "!%d%n", &repeats, &n), 1);
        const int bits = text[n] - '?';
        cr_assert(bits >= 0 && bits < 64 && x + repeats <= WIDTH, "%.20s", text);
        for (int i = 0; i < repeats; i++, x++)
            for (int k = 0; k < 6; k++) {
                if (!(bits >> k & 1))
                    continue;
                cr_assert_lt(y + k, SIDE);
                uint8_t *pixel = p->rgba + ((y + k) * WIDTH + x) * 4;
                cr_assert_eq(pixel[3], 0, "a pixel that is written twice");
                for (int c = 0; c < 3; c++)
                    pixel[c] = (uint8_t)(palette[color][c] * 255 / 100);
                pixel[3] = 255;
            }
        n++;
    }
    return text;
}

/* A level is 51 apart from the next; on the average, no level is off. */
Test(thumbnails, sixels_show_the_pixels_dithered)
{
    static pixels want, got;
    expect(&want);
    dvt_run run = run_head("--thumbnails=sixel");
    cr_assert_eq(run.status, 0, "%s", dvt_text_of(&run.err));
    const char *text = strstr(dvt_text_of(&run.out), "\n\na \"b\"\n");
    cr_assert(text);
    text = read_sixel(&got, text + strlen("\n\na \"b\"\n"));
    cr_assert_str_eq(text, "\033\\\n");
    int64_t sums[2] = {0, 0}, n = 0;
    for (size_t i = 0; i < sizeof want.rgba; i += 4) {
        cr_assert_eq(got.rgba[i + 3], want.rgba[i + 3]);
        for (size_t c = i; want.rgba[i + 3] && c < i + 3; c++, n++) {
            cr_assert_lt(abs(got.rgba[c] - want.rgba[c]), 51);
            sums[0] += got.rgba[c];
            sums[1] += want.rgba[c];
        }
    }
    cr_assert_lt(llabs(sums[0] - sums[1]), n, "%f levels off",
                 (double)(sums[0] - sums[1]) / (double)n);
    dvt_run_free(&run);
}

/* The rows are read twice, also where the pipeline has learned from others. */
Test(thumbnails, are_those_of_a_pipe)
{
    static const char text[] = "File,N\npcolor.png,1\n";
    static pixels got;
    char path[] = "/tmp/dv_thumbnails_XXXXXX.csv", steps[1200];
    const int fd = mkstemps(path, 4);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    snprintf(steps, sizeof steps, "loadbytes X:File folder=\"%s\"", dvt_file("golden/image"));
    dvt_pipe pipe = dvt_pipe_of(text, sizeof text - 1, 7);
    dup2(pipe.fd, STDIN_FILENO);
    dvt_run run = DVT_RUN("head", "-n1", "--pipe", steps, "--fit-on", path, "--quiet",
                          "--thumbnails", "kitty", "-");
    dvt_pipe_close(&pipe);
    unlink(path);
    cr_assert_eq(run.status, 0, "%s", dvt_text_of(&run.err));
    const char *picture = strstr(dvt_text_of(&run.out), "\033_G");
    cr_assert(picture);
    read_kitty(&got, picture);
    cr_assert(got.width == SIDE + GAP && got.height == SIDE);
    dvt_run_free(&run);
}

/* A column of bytes that are no pictures says so. */
Test(thumbnails, a_column_without_pictures_says_so)
{
    static const char text[] = "File,N\nj420.jpg.33x21.raw,1\nabsent.png,2\n";
    char steps[1200];
    dvt_pipe pipe = dvt_pipe_of(text, sizeof text - 1, 7);
    snprintf(steps, sizeof steps, "loadbytes X:File folder=\"%s\"", dvt_file("golden/image"));
    dup2(pipe.fd, STDIN_FILENO);
    dvt_run run = DVT_RUN("head", "--pipe", steps, "--thumbnails=kitty", "-");
    dvt_pipe_close(&pipe);
    cr_assert_eq(run.status, 0, "%s", dvt_text_of(&run.err));
    const char *end = strstr(dvt_text_of(&run.out), "\n\nX\n");
    cr_assert(end, "%s", dvt_text_of(&run.out));
    cr_expect_str_eq(end, "\n\nX\nno pictures in these rows\n");
    dvt_run_free(&run);
}

/* A PNG of one pixel, which is clear. */
static const uint8_t clear_png[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00,
    0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0b, 0x49, 0x44, 0x41, 0x54, 0x78,
    0xda, 0x63, 0x60, 0x00, 0x02, 0x00, 0x00, 0x05, 0x00, 0x01, 0xe9, 0xfa, 0xdc, 0xd8,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

/* A picture that is clear all over is one. */
Test(thumbnails, a_clear_picture_is_a_picture)
{
    char steps[1200];
    static pixels got;
    dvt_path folder = dvt_folder_create();
    const dvt_path list = dvt_path_in(&folder, "list.csv"), file = dvt_path_in(&folder, "clear");
    dvt_file_write(&list, "File,N\nclear,1\n", 15);
    dvt_file_write(&file, clear_png, sizeof clear_png);
    snprintf(steps, sizeof steps, "loadbytes X:File folder=\"%s\"", folder.text);
    dvt_run run = DVT_RUN("head", "-n1", "--pipe", steps, "--thumbnails=kitty", list.text);
    dvt_folder_remove(&folder);
    cr_assert_eq(run.status, 0, "%s", dvt_text_of(&run.err));
    cr_expect(!strstr(dvt_text_of(&run.out), "no pictures"));
    const char *picture = strstr(dvt_text_of(&run.out), "\033_G");
    cr_assert(picture);
    read_kitty(&got, picture);
    for (size_t i = 0; i < (size_t)got.width * (size_t)got.height * 4; i++)
        cr_assert_eq(got.rgba[i], 0);
    dvt_run_free(&run);
}

/* --- What is refused -------------------------------------------------------------------------- */

Test(thumbnails, are_shown_where_they_can_be)
{
    const dvt_setting terminal = {DVT_STDOUT_TERMINAL, 80, true, NULL};
    dvt_expect(DVT_RUN("head", "--thumbnails", DVT_GOLDEN("people")), 2, "",
               "dataview: --thumbnails: standard output is no terminal; --thumbnails=sixel and "
               "--thumbnails=kitty write there all the same\n");
    dvt_expect(DVT_RUN_WITH(&terminal, "head", "--thumbnails", DVT_GOLDEN("people")), 2, "",
               "dataview: --thumbnails: it is not known whether this terminal (TERM=xterm) shows "
               "pictures; try --thumbnails=sixel or --thumbnails=kitty\n");
    dvt_expect(DVT_RUN("head", "--thumbnails=kitty", "-n1", DVT_GOLDEN("people")), 2, NULL,
               "dataview: --thumbnails: no column has bytes (BY) or pictures; --pipe 'loadbytes "
               "NEW:COLUMN' reads files whose paths are in a column\n");
    dvt_expect(DVT_RUN("head", "--thumbnails=kitty", "--json", DVT_GOLDEN("people")), 2, "",
               "dataview: --json and --thumbnails contradict each other\n");
    dvt_expect(DVT_RUN("head", "--thumbnails=gif", DVT_GOLDEN("people")), 2, "", "*gif");
    dvt_expect(DVT_RUN("tail", "--thumbnails", DVT_GOLDEN("people")), 2, "",
               "*is not an option of tail");
}
