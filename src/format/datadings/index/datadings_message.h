/* SPDX-License-Identifier: MIT */
/* datadings_message.h: is this one message, and what may be wrong with it?  (datadings:3,
 * datadings:8) */
#ifndef DVI_DATADINGS_MESSAGE_H
#define DVI_DATADINGS_MESSAGE_H

#include "codec/msgpack.h"

#define DVI_DATADINGS_LEVELS 64 /* maps that lie deeper are not taken apart */

/* Does the reader stand on a map?  Row 30. */
dv_status dvi_datadings_check_map(const dvi_msgpack_reader *r, dv_error *err);
/* Has the reader, which passed a message, come to its end?  Row 25. */
dv_status dvi_datadings_check_end(const dvi_msgpack_reader *r, dv_error *err);

/* All of a message, whatever columns there are: rows 24 to 29 and 41 of datadings:8, and in the
 * first DVI_DATADINGS_LEVELS maps in each other rows 32 to 40.  strict: rows 30 and 34 too. DV_OK,
 * DV_ERR_CORRUPT, DV_ERR_LIMIT. */
dv_status dvi_datadings_check_message(dvi_msgpack_reader message, bool strict, dv_error *err);

#endif
