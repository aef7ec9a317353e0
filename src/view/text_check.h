/* SPDX-License-Identifier: MIT */
/* text_check.h: is a column of texts what batch.h promises?  For savers, who write it down. */
#ifndef DVI_VIEW_TEXT_CHECK_H
#define DVI_VIEW_TEXT_CHECK_H

#include <dataview/batch.h>

/* Of a column of TX or BY whose buffers are as long as its rows ask (dvi_column_check): ends that
 * do not fall, nor reach beyond the bytes; and of TX, valid UTF-8 that no end cuts.  NULL, or what
 * should be: "texts end to end". */
const char *dvi_text_check(const dv_column_view *texts);

#endif
