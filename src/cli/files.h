/* SPDX-License-Identifier: MIT */
/* files.h: which files do the words of a command line mean? */
#ifndef DVI_CLI_FILES_H
#define DVI_CLI_FILES_H

#include "cli/say.h"
#include "cli/words.h"
#include <dataview/open.h>

/* The paths that each word stands for, in the order of the words: itself; the files of a directory
 * that are of a known format; what a pattern matches, when there is no file of that name.
 * Directories and patterns give their files in the order of the names' bytes.  The paths are the
 * list's own.  DVI_EXIT_DONE, or another status when told what is wrong. */
dvi_exit dvi_files_find(dvi_words *paths, const dvi_words *words, const dv_open_options *open);

#endif
