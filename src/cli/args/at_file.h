/* SPDX-License-Identifier: MIT */
/* at_file.h: reads the words of an option file, @FILE. */
#ifndef DVI_CLI_AT_FILE_H
#define DVI_CLI_AT_FILE_H

#include "cli/args/words.h"
#include "cli/terminal/say.h"

/* Read the words of a file.  Blanks and line ends separate words; '..' and ".." keep one together;
 * \ makes the next character literal, except within '..'; # at the start of a word begins a
 * comment.  The words point into the text, which the caller frees in any case.  DVI_EXIT_DONE, or
 * another status after a message. */
dvi_exit dvi_at_file_read(dvi_words *words, char **text_out, const char *path);

/* Read all text of a file of at most 64 MiB, which the caller frees in any case. */
dvi_exit dvi_at_file_text(char **text_out, const char *path);

#endif
