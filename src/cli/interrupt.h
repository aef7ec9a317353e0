/* SPDX-License-Identifier: MIT */
/* interrupt.h: what is left on the terminal when somebody stops us? */
#ifndef DVI_CLI_INTERRUPT_H
#define DVI_CLI_INTERRUPT_H

#include <stdbool.h>

/* From here on a signal that ends the command (Ctrl-C and the like) first puts the terminal right:
 * colours of standard output off, when it has any.  What was ignored stays so. */
void dvi_interrupt_prepare(bool has_colour);

/* From here on, until the next call, the first signal only waits, for work that can be stopped in
 * an orderly way; a second one ends the command as ever. */
void dvi_interrupt_defer(void);
/* Does one wait? */
bool dvi_interrupt_waits(void);
/* Signals end the command again; one that waits does so now. */
void dvi_interrupt_resume(void);

/* There is, or there is no longer, a line of progress on standard error to be taken away too. */
void dvi_interrupt_line(bool is_shown);

#endif
