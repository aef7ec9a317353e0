/* SPDX-License-Identifier: MIT */
/* screen.h: who reads what we write: a terminal, how wide, in colour? */
#ifndef DVI_CLI_SCREEN_H
#define DVI_CLI_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dvi_screen {
    bool is_terminal, has_colour;
    int32_t width; /* columns; 0: neither a terminal nor COLUMNS tells */
} dvi_screen;

/* A terminal's width is the system's word, else COLUMNS, else 80.  Colour is for terminals only,
 * and not with NO_COLOR or TERM=dumb. */
dvi_screen dvi_screen_of(int fd);

#endif
