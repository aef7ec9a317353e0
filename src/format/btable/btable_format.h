/* SPDX-License-Identifier: MIT */
/* btable_format.h: the format record of BTables. */
#ifndef DVI_BTABLE_FORMAT_H
#define DVI_BTABLE_FORMAT_H

#include "save/format.h"

extern const dvi_format dvi_format_btable;

#endif
