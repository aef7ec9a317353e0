/* SPDX-License-Identifier: MIT */
/* reword.h: how does a sentence of the library read to who uses the command? */
#ifndef DVI_CLI_REWORD_H
#define DVI_CLI_REWORD_H

#include <stddef.h>

/* Write the sentence into dst, cap >= 1 bytes with the final 0, with the options of the library as
 * those of the command.  What stands in quotes is somebody's name and stays. */
void dvi_reword(char *dst, size_t cap, const char *sentence);

#endif
