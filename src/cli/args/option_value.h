/* SPDX-License-Identifier: MIT */
/* option_value.h: parses the values of options. */
#ifndef DVI_CLI_OPTION_VALUE_H
#define DVI_CLI_OPTION_VALUE_H

#include "cli/terminal/say.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parse digits as a number of at least 0. */
bool dvi_parse_count(const char *text, size_t nbytes, int64_t *value_out);

/* These return DVI_EXIT_DONE, or DVI_EXIT_USAGE after a message that begins with `option`, such as
 * "--take". */
dvi_exit dvi_set_count(const char *option, const char *text, int64_t most, int64_t *value_out);
/* The same, with an optional minus sign. */
dvi_exit dvi_set_number(const char *option, const char *text, int64_t *value_out);
/* A count with an optional suffix K, M or G for powers of 1024. */
dvi_exit dvi_set_nbytes(const char *option, const char *text, int64_t *value_out);
/* One of the names, which end with NULL; *name_out points into that list. */
dvi_exit dvi_set_name(const char *option, const char *text, const char *const *known,
                      const char **name_out);

#endif
