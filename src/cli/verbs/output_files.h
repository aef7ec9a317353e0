/* SPDX-License-Identifier: MIT */
/* output_files.h: checks that each file that a verb writes is a file of its own. */
#ifndef DVI_CLI_OUTPUT_FILES_H
#define DVI_CLI_OUTPUT_FILES_H

#include "cli/args/args.h"

/* Refuse outputs that are one file, under whatever names, or that are the file of --cache; an
 * output that a directory or pattern of the input matches; and one whose side files would replace a
 * file that is read.  Nothing is written.  DVI_EXIT_DONE, or another status after a message. */
dvi_exit dvi_output_files_check(const dvi_args *args, const char *const *paths, int n);

/* Refuse to replace a file that the verb reads by one that holds no rows.  As above. */
dvi_exit dvi_output_files_keep_inputs(const dvi_args *args, const char *path);

#endif
