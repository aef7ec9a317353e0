/* SPDX-License-Identifier: MIT */
/* interrupt.h: signals that end the command, and the terminal that they leave. */
#ifndef DVI_CLI_INTERRUPT_H
#define DVI_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on, a signal that ends the command (Ctrl-C and the like) first restores the terminal: it
 * turns colours on standard output off.  Signals that are ignored stay ignored. */
void dvi_interrupt_prepare(bool has_colour);

/* From now on until dvi_interrupt_resume, the first signal is only recorded, so that the work can
 * stop in an orderly way; a second one ends the command. */
void dvi_interrupt_defer(void);
/* Whether a signal was recorded. */
bool dvi_interrupt_waits(void);
/* Signals end the command again; a recorded one does so now. */
void dvi_interrupt_resume(void);

/* Whether standard error shows a progress line, which the signal then clears too. */
void dvi_interrupt_line(bool is_shown);

#endif
