/* SPDX-License-Identifier: MIT */
/* reword.h: turns option names of the library into those of the command. */
#ifndef DVI_CLI_REWORD_H
#define DVI_CLI_REWORD_H

#include <stddef.h>

/* Copy the sentence to dst, of cap >= 1 bytes, with the options of the library replaced by those of
 * the command.  Text in double quotes is a name and stays.  dst ends with a 0. */
void dvi_reword(char *dst, size_t cap, const char *sentence);

#endif
