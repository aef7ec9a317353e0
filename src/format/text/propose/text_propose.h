/* SPDX-License-Identifier: MIT */
/* text_propose.h: with which options could this text be read? */
#ifndef DVI_FORMAT_TEXT_PROPOSE_H
#define DVI_FORMAT_TEXT_PROPOSE_H

#include "io/map.h"

/* A string for the option `text`, with a NUL behind it that is not counted: what the first lines
 * look like.  DV_OK: the buffer holds one reference; DV_NOT_FOUND: there are no lines, or the file
 * names its columns itself; DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_text_propose(dv_buffer *text_out, dvi_map *map, dv_error *err);

#endif
