/* SPDX-License-Identifier: MIT */
/* screen.c: asks the system and the environment about a terminal. */
#include "cli/terminal/screen.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_MAX 10000

static int32_t width_from_environment(void)
{
    const char *text = getenv("COLUMNS");
    const long width = text ? strtol(text, NULL, 10) : 0;
    return width > 0 && width <= WIDTH_MAX ? (int32_t)width : 0;
}

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(no_colour && *no_colour) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

dvi_screen dvi_screen_of(int fd)
{
    dvi_screen screen = {.is_terminal = isatty(fd) == 1};
    struct winsize size;
    if (screen.is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0)
        screen.width = size.ws_col;
    if (!screen.width)
        screen.width = width_from_environment();
    if (!screen.width && screen.is_terminal)
        screen.width = 80;
    screen.has_colour = screen.is_terminal && wants_colour();
    return screen;
}
