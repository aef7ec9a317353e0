/* SPDX-License-Identifier: MIT */
/* line_format.h: a format of this test suite's own, to save in without any real one: eight bytes
 * that are filled in last, the number of rows; then each row as a line of JSON values. */
#ifndef DVT_LINE_FORMAT_H
#define DVT_LINE_FORMAT_H

#include "save/save.h"

/* It has no place for text (DV_LOSS_COLUMNS), none for metadata (DV_LOSS_METADATA), and none at all
 * for DZ.  With these losses allowed all of it is written anyway.  A value of BL that is NA needs
 * DV_LOSS_NA. */
extern const dvi_format dvt_line_format;

#endif
