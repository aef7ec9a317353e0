/* SPDX-License-Identifier: MIT */
/* interrupt.c: handles the signals that end the command. */
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#define COLOURS_OFF "\x1b[0m"

/* Read by the handler, in whatever thread it runs. */
static volatile sig_atomic_t line_is_shown, colour_is_used, is_deferred, waiting;

static void write_quietly(int fd, const char *text, size_t nbytes)
{
    const ssize_t written = write(fd, text, nbytes);
    (void)written; /* the command ends anyway */
}

/* The action of the signal is the default again: raised now, it ends the command, and the parent
 * sees which signal did.  A second signal does so even while writing to a stopped terminal blocks.
 */
static void put_right(int number)
{
    if (is_deferred && !waiting) {
        waiting = number;
        return;
    }
    if (line_is_shown)
        write_quietly(STDERR_FILENO, DVI_PROGRESS_CLEAR, sizeof DVI_PROGRESS_CLEAR - 1);
    if (colour_is_used)
        write_quietly(STDOUT_FILENO, COLOURS_OFF, sizeof COLOURS_OFF - 1);
    raise(number);
}

void dvi_interrupt_prepare(bool has_colour)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const int flags = (int)SA_RESETHAND | SA_NODEFER | SA_RESTART;
    const struct sigaction action = {.sa_handler = put_right, .sa_flags = flags};
    struct sigaction before;
    colour_is_used = has_colour;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

void dvi_interrupt_line(bool is_shown)
{
    line_is_shown = is_shown;
}

void dvi_interrupt_defer(void)
{
    is_deferred = true;
}

bool dvi_interrupt_waits(void)
{
    return waiting != 0;
}

void dvi_interrupt_resume(void)
{
    is_deferred = false;
    if (waiting)
        put_right((int)waiting);
}
