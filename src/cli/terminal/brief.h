/* SPDX-License-Identifier: MIT */
/* brief.h: values in a short form for people. */
#ifndef DVI_CLI_BRIEF_H
#define DVI_CLI_BRIEF_H

#include "cli/terminal/clip.h"

/* Write a scalar that is not NA: as DV_STYLE_TEXT, but times without a fraction of zeros.  false:
 * the clip is full or failed. */
bool dvi_brief_scalar(dvi_clip *clip, const dv_value *value);

/* Write the items of a vector that fit, each followed by DVI_ITEM_END, which counts as one column.
 * Slots come in order; a long sparse vector that starts with empty slots is written as slot:value.
 * true: all slots are written. */
bool dvi_brief_items(dvi_clip *clip, const dv_value *vector);

#define DVI_ITEM_END '\x1f' /* never part of displayable text */

/* Write the tail: the length, "784", or "784, 12 set" for a sparse vector. */
void dvi_brief_tail(dvi_clip *clip, const dv_value *vector);

#endif
