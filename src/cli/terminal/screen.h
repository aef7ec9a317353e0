/* SPDX-License-Identifier: MIT */
/* screen.h: whether output goes to a terminal, its width and colours. */
#ifndef DVI_CLI_SCREEN_H
#define DVI_CLI_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dvi_screen {
    bool is_terminal, has_colour;
    int32_t width; /* columns; 0: unknown */
} dvi_screen;

/* The width is that of the terminal, else COLUMNS, else 80 on a terminal.  Colour is for terminals
 * only, and not with NO_COLOR or TERM=dumb. */
dvi_screen dvi_screen_of(int fd);

#endif
