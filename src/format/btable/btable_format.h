/* SPDX-License-Identifier: MIT */
/* btable_format.h: the record of BTables for open.c. */
#ifndef DVI_BTABLE_FORMAT_H
#define DVI_BTABLE_FORMAT_H

#include "view/format.h"

extern const dvi_format dvi_format_btable;

#endif
