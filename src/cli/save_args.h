/* SPDX-License-Identifier: MIT */
/* save_args.h: what do the options of writers ask for? */
#ifndef DVI_CLI_SAVE_ARGS_H
#define DVI_CLI_SAVE_ARGS_H

#include "cli/say.h"
#include <dataview/save.h>

#define DVI_SAVE_FORMATS 4 /* idv, btable, text, datadings */

/* Start from {.options = DV_SAVE_OPTIONS_INIT}. */
typedef struct dvi_save_args {
    dv_save_options options; /* all but what is selected */
    /* of each format, the first option that was given for that one only; NULL: none */
    const char *only_of[DVI_SAVE_FORMATS];
} dvi_save_args;

/* All return DVI_EXIT_DONE, or DVI_EXIT_USAGE when told what is wrong. */

/* Set one of them, by its name without dashes. */
dvi_exit dvi_save_args_set(dvi_save_args *save, const char *name, const char *value);
/* Do they go together, and with the name of the file? */
dvi_exit dvi_save_args_check(const dvi_save_args *save, const char *path);

/* The format as far as the name tells: that of --to, or what is behind the last point; "": neither
 * says. */
const char *dvi_save_args_format(const dvi_save_args *save, const char *path);

/* The words that the value of one is one of, ending with NULL; NULL: anything. */
const char *const *dvi_save_args_words(const char *name);

#endif
