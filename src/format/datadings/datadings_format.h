/* SPDX-License-Identifier: MIT */
/* datadings_format.h: the record of datadings. */
#ifndef DVI_FORMAT_DATADINGS_FORMAT_H
#define DVI_FORMAT_DATADINGS_FORMAT_H

#include "save/format.h"

extern const dvi_format dvi_format_datadings;

#endif
