/* SPDX-License-Identifier: MIT */
/* at_file.h: which words does a file of options hold? */
#ifndef DVI_CLI_AT_FILE_H
#define DVI_CLI_AT_FILE_H

#include "cli/say.h"
#include "cli/words.h"

/* Read the words of a file: divided by blanks and line ends; '..' and ".." hold a word together; \
 * takes the next character as it is, not within '..'; # at the start of a word leaves out the rest
 * of the line.  The words point into the text, which the caller frees in any case.  DVI_EXIT_DONE,
 * or another status when told what is wrong. */
dvi_exit dvi_at_file_read(dvi_words *words, char **text_out, const char *path);

#endif
