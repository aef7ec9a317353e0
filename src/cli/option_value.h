/* SPDX-License-Identifier: MIT */
/* option_value.h: what does the value of an option say? */
#ifndef DVI_CLI_OPTION_VALUE_H
#define DVI_CLI_OPTION_VALUE_H

#include "cli/say.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Digits as a number of 0 or more. */
bool dvi_parse_count(const char *text, size_t nbytes, int64_t *value_out);

/* These return DVI_EXIT_DONE, or DVI_EXIT_USAGE when told what is wrong; option: "--take". */
dvi_exit dvi_set_count(const char *option, const char *text, int64_t most, int64_t *value_out);
/* The same with K, M or G behind it: times 1024, and so on. */
dvi_exit dvi_set_nbytes(const char *option, const char *text, int64_t *value_out);
/* One of the names, which end with NULL; *name_out is that of the list. */
dvi_exit dvi_set_name(const char *option, const char *text, const char *const *known,
                      const char **name_out);

#endif
