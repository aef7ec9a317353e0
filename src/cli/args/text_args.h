/* SPDX-License-Identifier: MIT */
/* text_args.h: the options that say how text is read: --text, --sep, --header, --type. */
#ifndef DVI_CLI_TEXT_ARGS_H
#define DVI_CLI_TEXT_ARGS_H

#include "cli/args/args.h"

/* Take the value of --text; @FILE: the text of that file. */
dvi_exit dvi_text_args_set(dvi_args *args, const char *value);
dvi_exit dvi_text_args_header(dvi_args *args, const char *value);
dvi_exit dvi_text_args_bad_rows(dvi_args *args, const char *value);
extern const char *const dvi_header_names[];   /* the words of --header, ending with NULL */
extern const char *const dvi_bad_rows_names[]; /* of --bad-rows */

/* After all options: add --sep, --header and --type to --text, which has to be a proposal's. */
dvi_exit dvi_text_args_settle(dvi_args *args);

#endif
