/* SPDX-License-Identifier: MIT */
/* line_format.h: a format of the test suite, to test saving without a real one: eight bytes with
 * the number of rows, which are written last; then each row as a line of JSON values. */
#ifndef DVT_LINE_FORMAT_H
#define DVT_LINE_FORMAT_H

#include "save/save.h"

/* It cannot hold text (DV_LOSS_COLUMNS) or metadata (DV_LOSS_METADATA), and DZ not at all.  With
 * these losses allowed all of it is written anyway.  A value of BL that is NA needs DV_LOSS_NA. */
extern const dvi_format dvt_line_format;

#endif
