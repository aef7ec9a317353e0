/* SPDX-License-Identifier: MIT */
/* datadings_message.h: checks messages (datadings:3, datadings:8). */
#ifndef DVI_DATADINGS_MESSAGE_H
#define DVI_DATADINGS_MESSAGE_H

#include "codec/msgpack.h"

#define DVI_DATADINGS_LEVELS 64 /* the entries of maps nested deeper are not read */

/* Check that the value at the reader is a map (row 30 of datadings:8). */
dv_status dvi_datadings_check_map(const dvi_msgpack_reader *r, dv_error *err);
/* Check that the reader is at the end of the message (row 25). */
dv_status dvi_datadings_check_end(const dvi_msgpack_reader *r, dv_error *err);

/* Check a whole message: rows 24 to 29 and 41 of datadings:8, and down to DVI_DATADINGS_LEVELS
 * nested maps rows 32 to 40. strict: rows 30 and 34, too. DV_OK, DV_ERR_CORRUPT, DV_ERR_LIMIT. */
dv_status dvi_datadings_check_message(dvi_msgpack_reader message, bool strict, dv_error *err);

#endif
