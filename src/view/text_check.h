/* SPDX-License-Identifier: MIT */
/* text_check.h: checks that a column of texts is as batch.h requires. Savers call it before they
 * write. */
#ifndef DVI_VIEW_TEXT_CHECK_H
#define DVI_VIEW_TEXT_CHECK_H

#include <dataview/batch.h>

/* Check a column of TX or BY whose buffers are long enough for its rows (dvi_column_check): ends
 * never decrease and stay within the bytes; TX is valid UTF-8, and no end is inside a character.
 * Returns NULL, or what was expected: "texts end to end". */
const char *dvi_text_check(const dv_column_view *texts);

#endif
