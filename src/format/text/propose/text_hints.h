/* SPDX-License-Identifier: MIT */
/* text_hints.h: what the first bytes of a file say of all of it, before lines are compared. */
#ifndef DVI_FORMAT_TEXT_HINTS_H
#define DVI_FORMAT_TEXT_HINTS_H

#include "io/map.h"
#include "format/text/propose/text_given.h"

/* All return DV_OK, DV_ERR_MEMORY or DV_ERR_IO; a line that is too long says nothing. */

/* The number of lines at the start that look like comments, with the empty ones between. */
dv_status dvi_text_count_comments(int32_t *count_out, dvi_map *map, const dvi_text_given *given,
                                  dv_error *err);

/* The separator that a first line such as sep=; names, as an option; NULL: none. */
dv_status dvi_text_find_named(const char **option_out, dvi_map *map, const dvi_text_given *given,
                              dv_error *err);

/* Is there a CR that no LF follows among the first bytes? */
bool dvi_text_has_bare_cr(const uint8_t *head, size_t n);

#endif
