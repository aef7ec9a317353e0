/* SPDX-License-Identifier: MIT */
/* interrupt.h: what is left on the terminal when somebody stops us? */
#ifndef DVI_CLI_INTERRUPT_H
#define DVI_CLI_INTERRUPT_H

#include <stdbool.h>

/* From here on a signal that ends the command (Ctrl-C and the like) first puts the terminal right:
 * colours of standard output off, when it has any.  What was ignored stays so. */
void dvi_interrupt_prepare(bool has_colour);

/* There is, or there is no longer, a line of progress on standard error to be taken away too. */
void dvi_interrupt_line(bool is_shown);

#endif
