/* SPDX-License-Identifier: MIT */
/* graphics.c: writes pictures as sixels, and as the terminal kitty takes them. */
#include "cli/terminal/graphics.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

dvi_graphics dvi_graphics_of_terminal(void)
{
    static const struct {
        const char *begins;
        dvi_graphics how;
    } terminals[] = {{"xterm-kitty", DVI_GRAPHICS_KITTY}, {"xterm-ghostty", DVI_GRAPHICS_KITTY},
                     {"foot", DVI_GRAPHICS_SIXEL},        {"mlterm", DVI_GRAPHICS_SIXEL},
                     {"contour", DVI_GRAPHICS_SIXEL},     {"yaft", DVI_GRAPHICS_SIXEL},
                     {"xterm-sixel", DVI_GRAPHICS_SIXEL}};
    const char *name = getenv("TERM");
    for (size_t i = 0; name && i < sizeof terminals / sizeof *terminals; i++)
        if (strncmp(name, terminals[i].begins, strlen(terminals[i].begins)) == 0)
            return terminals[i].how;
    return DVI_GRAPHICS_NONE;
}

int32_t dvi_graphics_width(const dvi_out *out, int32_t columns)
{
    struct winsize size;
    if (ioctl(out->fd, TIOCGWINSZ, &size) == 0 && size.ws_xpixel > 0)
        return size.ws_xpixel;
    return 8 * columns;
}

/* --- kitty ------------------------------------------------------------------------------------ */

/* Three bytes as four characters; what is missing at the end is `=`. */
static void encode(char *to, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; i++)
        bits = bits << 8 | (i < n ? bytes[i] : 0u);
    for (size_t i = 0; i < 4; i++)
        to[i] = i <= n ? digits[bits >> (18 - 6 * i) & 63] : '=';
}

/* In parts of 4,096 characters; each says whether another follows. */
static bool show_kitty(const uint8_t *rgba, int32_t width, int32_t height, dvi_out *out)
{
    enum { PART = 4096, BYTES = PART / 4 * 3 };
    char text[PART];
    const size_t nbytes = (size_t)width * (size_t)height * 4;
    for (size_t at = 0; at < nbytes; at += BYTES) {
        const size_t n = nbytes - at < BYTES ? nbytes - at : BYTES;
        if (at == 0)
            dvi_out_print(out, "\033_Ga=T,f=32,q=2,s=%d,v=%d,m=%d;", (int)width, (int)height,
                          n < nbytes);
        else
            dvi_out_print(out, "\033_Gm=%d;", at + n < nbytes);
        for (size_t i = 0; i < n; i += 3)
            encode(text + i / 3 * 4, rgba + at + i, n - i < 3 ? n - i : 3);
        dvi_out_write(out, text, (n + 2) / 3 * 4);
        dvi_out_text(out, "\033\\");
    }
    return dvi_out_text(out, "\n");
}

/* --- Sixels ----------------------------------------------------------------------------------- */

enum { LEVELS = 6, COLORS = LEVELS * LEVELS * LEVELS, CLEAR = 255, BAND = 6 };

/* The colour of a pixel, of 6 x 6 x 6; rounded up or down by its place. */
static uint8_t color_of(const uint8_t *pixel, int32_t x, int32_t y)
{
    static const uint8_t parts[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}}; /* of 16 */
    unsigned color = 0;
    if (pixel[3] < 128)
        return CLEAR;
    for (int c = 0; c < 3; c++)
        color =
            color * LEVELS +
            (pixel[c] * (LEVELS - 1u) * 16 + (2u * parts[y % 4][x % 4] + 1) * 255 / 2) / (255 * 16);
    return (uint8_t)color;
}

static void write_run(char sixel, int32_t n, dvi_out *out)
{
    if (n > 3)
        dvi_out_print(out, "!%d%c", (int)n, sixel);
    for (; n <= 3 && n > 0; n--)
        dvi_out_write(out, &sixel, 1);
}

/* The pixels of one colour in up to 6 rows: bits of a character for each column. */
static void write_color(uint8_t color, const uint8_t *colors, int32_t width, int32_t rows,
                        dvi_out *out)
{
    char before = 0;
    int32_t run = 0;
    dvi_out_print(out, "#%d", color);
    for (int32_t x = 0; x < width; x++) {
        char sixel = '?';
        for (int32_t y = 0; y < rows; y++)
            sixel = (char)(sixel + ((colors[y * width + x] == color) << y));
        if (sixel != before) {
            write_run(before, run, out);
            run = 0;
        }
        before = sixel;
        run++;
    }
    if (before != '?')
        write_run(before, run, out);
    dvi_out_text(out, "$");
}

static void write_palette(dvi_out *out)
{
    for (int i = 0; i < COLORS; i++)
        dvi_out_print(out, "#%d;2;%d;%d;%d", i, i / 36 * 20, i / 6 % 6 * 20,
                      i % 6 * 20); /* of 100 */
}

static bool show_sixel(const uint8_t *rgba, int32_t width, int32_t height, dvi_out *out)
{
    uint8_t *colors = malloc((size_t)width * BAND);
    if (!colors) {
        out->os_code = ENOMEM;
        return false;
    }
    dvi_out_print(out, "\033P0;1q\"1;1;%d;%d", (int)width, (int)height);
    write_palette(out);
    for (int32_t top = 0; top < height; top += BAND) {
        bool is_used[CLEAR + 1] = {false};
        const int32_t rows = height - top < BAND ? height - top : BAND;
        for (int32_t y = 0; y < rows; y++)
            for (int32_t x = 0; x < width; x++) {
                const int64_t at = (int64_t)(top + y) * width + x;
                const uint8_t color = color_of(rgba + 4 * at, x, y + top);
                colors[y * width + x] = color;
                is_used[color] = true;
            }
        for (int color = 0; color < COLORS; color++)
            if (is_used[color])
                write_color((uint8_t)color, colors, width, rows, out);
        dvi_out_text(out, "-");
    }
    free(colors);
    return dvi_out_text(out, "\033\\\n");
}

bool dvi_graphics_show(dvi_graphics how, const uint8_t *rgba, int32_t width, int32_t height,
                       dvi_out *out)
{
    return how == DVI_GRAPHICS_KITTY ? show_kitty(rgba, width, height, out)
                                     : show_sixel(rgba, width, height, out);
}
