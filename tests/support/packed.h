/* SPDX-License-Identifier: MIT */
/* packed.h: bytes as members of gzip and frames of zstd. */
#ifndef DVT_PACKED_H
#define DVT_PACKED_H

#include "support/lines.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum dvt_packing { DVT_GZIP, DVT_ZSTD, DVT_PACKINGS } dvt_packing;

/* ".gz", ".zst". */
const char *dvt_packing_extension(dvt_packing packing);
/* Can this build unpack it? */
bool dvt_can_unpack(dvt_packing packing);

/* Append a member that libdeflate makes; or a frame of blocks that are stored, with the window
 * 2^window_log.  A frame may also have blocks that repeat one byte. */
void dvt_pack(dvt_lines *packed, dvt_packing packing, const void *data, size_t nbytes);
void dvt_zstd_begin(dvt_lines *packed, int window_log);
void dvt_zstd_block(dvt_lines *packed, const void *data, size_t nbytes, bool is_last);
void dvt_zstd_repeat(dvt_lines *packed, char byte, size_t nbytes, bool is_last);

#endif
