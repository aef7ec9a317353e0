/* SPDX-License-Identifier: MIT */
/* text_format.h: the format record of delimited text. */
#ifndef DVI_FORMAT_TEXT_FORMAT_H
#define DVI_FORMAT_TEXT_FORMAT_H

#include "save/format.h"

extern const dvi_format dvi_format_text;

#endif
