/* SPDX-License-Identifier: MIT */
/* unpack.h: unpacks a file of gzip members or zstd frames from start to end, in bounded memory. */
#ifndef DVI_IO_UNPACK_H
#define DVI_IO_UNPACK_H

#include "io/map.h"

/* How a file that begins so is packed. */
dvi_packing dvi_packing_of(const uint8_t *head, size_t n);
/* "gzip", "zstd"; what unpacks it on the command line: "gzip -dc", "zstd -dc". */
const char *dvi_packing_name(dvi_packing packing);
const char *dvi_packing_command(dvi_packing packing);

typedef struct dvi_unpacker dvi_unpacker;

/* Create an unpacker at the first byte of `stored`, to which it holds a reference.
 *
 * window_nbytes  the most memory for bytes that are referred to later (zstd; gzip needs 32 KiB),
 *                rounded down to a power of two, at least 1 KiB
 *
 * DV_OK; DV_ERR_MEMORY; DV_ERR_UNSUPPORTED: this build lacks the library. */
dv_status dvi_unpacker_create(dvi_unpacker **unpacker_out, dvi_map *stored, dvi_packing packing,
                              int64_t window_nbytes, dv_error *err);
void dvi_unpacker_free(dvi_unpacker **unpacker); /* sets NULL; NULL is fine */

/* Write the next bytes, at most cap > 0, to dst. *got_out: how many; 0: the end.
 * DV_OK; DV_ERR_CORRUPT: broken, cut off, or followed by other bytes; err->offset is that in the
 * packed file; DV_ERR_LIMIT: the window (window_nbytes); DV_ERR_UNSUPPORTED: it needs a dictionary;
 * DV_ERR_MEMORY; DV_ERR_IO. The call may be repeated; what the library reported stays. */
dv_status dvi_unpacker_read(dvi_unpacker *unpacker, uint8_t *dst, size_t cap, size_t *got_out,
                            dv_error *err);

#endif
