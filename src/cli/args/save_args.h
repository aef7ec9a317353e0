/* SPDX-License-Identifier: MIT */
/* save_args.h: the options of the verbs that write files. */
#ifndef DVI_CLI_SAVE_ARGS_H
#define DVI_CLI_SAVE_ARGS_H

#include "cli/terminal/say.h"
#include <dataview/save.h>

/* Start from {.options = DV_SAVE_OPTIONS_INIT}. */
typedef struct dvi_save_args {
    dv_save_options options; /* all but the selection of rows and columns */
    uint32_t given;          /* a bit for each that was given, in the order of save_args.c */
} dvi_save_args;

/* All return DVI_EXIT_DONE, or DVI_EXIT_USAGE after a message. */

/* Set an option by its name, without dashes. */
dvi_exit dvi_save_args_set(dvi_save_args *save, const char *name, const char *value);
/* Check that the options fit each other and the format of the file. */
dvi_exit dvi_save_args_check(const dvi_save_args *save, const char *path);

/* The format that --to or, without it, the extension of the path names; "" if neither does.
 * DVI_JSONL is a format of the command, unknown to the library. */
#define DVI_JSONL "jsonl"
const char *dvi_save_args_format(const dvi_save_args *save, const char *path);

/* Do the options and the path name JSON lines?  .gz or .zst may follow their extension. */
bool dvi_save_args_is_jsonl(const dv_save_options *options, const char *path);

/* The words that an option accepts as its value, ending with NULL; NULL: the value is free. */
const char *const *dvi_save_args_words(const char *name);

#endif
