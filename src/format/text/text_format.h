/* SPDX-License-Identifier: MIT */
/* text_format.h: delimited text, as open.c sees it. */
#ifndef DVI_FORMAT_TEXT_FORMAT_H
#define DVI_FORMAT_TEXT_FORMAT_H

#include "view/format.h"

extern const dvi_format dvi_format_text;

#endif
