/* SPDX-License-Identifier: MIT */
/* slot_names.h: the names of the slots of a vector. */
#ifndef DVI_CLI_SLOT_NAMES_H
#define DVI_CLI_SLOT_NAMES_H

#include "cli/terminal/clip.h"
#include "cli/terminal/say.h"
#include <dataview/schema.h>
#include <dataview/value.h>

/* The names of one column at a time.  Start from {.column = -1}. */
typedef struct dvi_slot_names {
    int32_t column, count; /* count: of slots; 0: they have no names */
    const dv_batch *batch; /* keeps `names`; NULL: there are none */
    dv_value names;
} dvi_slot_names;

/* Read the names of a column, a vector of known size, unless they are there.  DVI_EXIT_DONE, or
 * another status after a message. */
dvi_exit dvi_slot_names_read(dvi_slot_names *names, const dv_schema *schema, int32_t column);
void dvi_slot_names_free(dvi_slot_names *names);

/* The name of a slot; NA: it has none. */
dv_text dvi_slot_names_of(const dvi_slot_names *names, int32_t slot);
/* Add "Features[3] age" to a clip. */
void dvi_slot_names_write(const dvi_slot_names *names, const dv_column_info *info, int32_t slot,
                          dvi_clip *clip);

#endif
