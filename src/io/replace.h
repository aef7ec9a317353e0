/* SPDX-License-Identifier: MIT */
/* replace.h: how do several files take their places, so that whoever looks never mistakes half of
 * them for all? */
#ifndef DVI_IO_REPLACE_H
#define DVI_IO_REPLACE_H

#include "io/temp_file.h"

/* A place, and what takes it; temp.fd -1: nothing, and only what is there goes (of the first part:
 * it stays). */
typedef struct dvi_part {
    dvi_target target;
    dvi_temp_file temp;
} dvi_part;

/* The first of the n parts is the file itself, the others are files beside it, none of which means
 * anything without it.  All are brought to the disk.  Then the old ones beside it go, the last
 * first; then the file is replaced; then the others come, the first of them first (datadings.md
 * 1.3).  So who finds them all finds old ones or new ones.  Of several savers of the same files one
 * does this after the other: the last one's stay, all of them.  With `sync` each of these steps is
 * on the disk before the next begins.
 *
 * DV_OK; DV_ERR_IO: all is as it was, or the message says what is there now.  A part that is to
 * blame is named. */
dv_status dvi_parts_replace(dvi_part *const *parts, int n, bool sync, dv_error *err);

#endif
