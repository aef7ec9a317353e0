/* SPDX-License-Identifier: MIT */
/* text_format.h: delimited text, as open.c sees it. */
#ifndef DVI_FORMAT_TEXT_FORMAT_H
#define DVI_FORMAT_TEXT_FORMAT_H

#include "view/format.h"

extern const dvi_format dvi_format_text;

/* Option rows of a view of text; INT64_MAX: it has none, or is of another format. */
int64_t dvi_text_most_rows(dv_view *view);

#endif
