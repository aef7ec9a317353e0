/* SPDX-License-Identifier: MIT */
/* datadings_message.h: checks messages (datadings:3, datadings:8). */
#ifndef DVI_DATADINGS_MESSAGE_H
#define DVI_DATADINGS_MESSAGE_H

#include "codec/msgpack.h"
#include <dataview/type.h>

#define DVI_DATADINGS_LEVELS 64 /* the entries of maps nested deeper are not read */

/* Check that the value at the reader is a map (row 30 of datadings:8). */
dv_status dvi_datadings_check_map(const dvi_msgpack_reader *r, dv_error *err);
/* Check that the reader is at the end of the message (row 25). */
dv_status dvi_datadings_check_end(const dvi_msgpack_reader *r, dv_error *err);

/* Check a whole message: rows 24 to 29 and 41 of datadings:8, and down to DVI_DATADINGS_LEVELS
 * nested maps rows 32 to 40. strict: rows 30 and 34, too. DV_OK, DV_ERR_CORRUPT, DV_ERR_LIMIT. */
dv_status dvi_datadings_check_message(dvi_msgpack_reader message, bool strict, dv_error *err);

/* The str with the key `key` in the map at p; NA: none. false: the value is not a map, or is
 * broken. */
bool dvi_datadings_own_key(const uint8_t *p, size_t n, int32_t nesting, dv_text *key_out);
/* Compare the key in a message, which is sound, with the listed one; NULL: none is listed. A
 * message without a key, or that is no map, has the listed one. strict: it must be a map with a
 * key. DV_OK; DV_ERR_CORRUPT: rows 30 and 31. */
dv_status dvi_datadings_check_own_key(const dvi_msgpack_reader *message, const dv_text *listed,
                                      bool strict, dv_error *err);

#endif
