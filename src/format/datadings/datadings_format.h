/* SPDX-License-Identifier: MIT */
/* datadings_format.h: the record for open.c. */
#ifndef DVI_FORMAT_DATADINGS_FORMAT_H
#define DVI_FORMAT_DATADINGS_FORMAT_H

#include "view/format.h"

extern const dvi_format dvi_format_datadings;

#endif
