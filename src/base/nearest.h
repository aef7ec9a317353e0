/* SPDX-License-Identifier: MIT */
/* nearest.h: adds to a message the name that was probably meant. */
#ifndef DVI_BASE_NEAREST_H
#define DVI_BASE_NEAREST_H

#include <dataview/names.h>

/* Add "did you mean NAME?" to the message. Nothing happens if none is near, or err is NULL. */
void dvi_nearest_advise(const dv_nearest *best, dv_error *err);

#endif
