/* SPDX-License-Identifier: MIT */
/* sketch.h: how is a value drawn for people, who need not see all of it? */
#ifndef DVI_CLI_SKETCH_H
#define DVI_CLI_SKETCH_H

#include "cli/ink.h"

/* A value that is no vector and not NA: as DV_STYLE_TEXT, times without a fraction of zeros.
 * false: the ink is full or failed. */
bool dvi_sketch_scalar(dvi_ink *ink, const dv_value *value);

/* The items of a vector that there is room for, each with DVI_ITEM_END behind it, which counts as
 * one column.  Slots in order; those of a long sparse vector that starts with empty ones as
 * slot:value.  true: these are all the slots. */
bool dvi_sketch_items(dvi_ink *ink, const dv_value *vector);

#define DVI_ITEM_END '\x1f' /* cannot be in what is seen */

/* What tells about the rest: "784", or "784, 12 set" for a sparse one. */
void dvi_sketch_tail(dvi_ink *ink, const dv_value *vector);

#endif
