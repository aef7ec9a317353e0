/* SPDX-License-Identifier: MIT */
/* text_propose.h: proposes options for reading a text file. */
#ifndef DVI_FORMAT_TEXT_PROPOSE_H
#define DVI_FORMAT_TEXT_PROPOSE_H

#include "io/map.h"

/* Propose a string for the option `text` from the first lines. A NUL follows the string and is not
 * counted. DV_OK: the buffer holds one reference; DV_NOT_FOUND: there are no lines, or the file
 * names its columns itself; DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_text_propose(dv_buffer *text_out, dvi_map *map, dv_error *err);

#endif
