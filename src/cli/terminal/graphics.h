/* SPDX-License-Identifier: MIT */
/* graphics.h: pictures on terminals that can show them. */
#ifndef DVI_CLI_GRAPHICS_H
#define DVI_CLI_GRAPHICS_H

#include "cli/terminal/out.h"

typedef enum dvi_graphics {
    DVI_GRAPHICS_NONE,
    DVI_GRAPHICS_SIXEL, /* 216 colours, dithered */
    DVI_GRAPHICS_KITTY  /* the pixels as they are */
} dvi_graphics;

/* What the terminal that the environment names (TERM) can show. */
dvi_graphics dvi_graphics_of_terminal(void);

/* Pixels of the terminal's width; 8 for each of `columns` if it does not tell. */
int32_t dvi_graphics_width(const dvi_out *out, int32_t columns);

/* Write a picture of red, green, blue and alpha, and go to the next line.  What has an alpha below
 * 128 stays as the terminal is.  Returns false when writing has failed. */
bool dvi_graphics_show(dvi_graphics how, const uint8_t *rgba, int32_t width, int32_t height,
                       dvi_out *out);

#endif
