/* SPDX-License-Identifier: MIT */
/* files.h: expands directories and patterns of the command line to paths. */
#ifndef DVI_CLI_FILES_H
#define DVI_CLI_FILES_H

#include "cli/args/words.h"
#include "cli/terminal/say.h"
#include <dataview/open.h>

/* Append the paths that each word stands for, in the order of the words: a directory stands for its
 * files of a known format, a pattern for what it matches unless a file has that name, any other
 * word for itself.  Directories and patterns give their files in the byte order of the names.  The
 * list owns the paths.  DVI_EXIT_DONE, or another status after a message. */
dvi_exit dvi_files_find(dvi_words *paths, const dvi_words *words, const dv_open_options *open);

#endif
