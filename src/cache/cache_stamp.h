/* SPDX-License-Identifier: MIT */
/* cache_stamp.h: the stamp that ties a cache file to its source, and shows whether it is whole.
 *
 * The stamp stands in the header of the .idv file, in bytes that readers ignore (idv:2):
 *
 *   64  8  "dvcache1"
 *   72  8  bytes of the file
 *   80 16  identity of the source, with times
 *   96 16  XXH3 128 of all bytes, those of the header as zeros
 *  112  8  XXH3 64 of the header's bytes before this one */
#ifndef DVI_CACHE_STAMP_H
#define DVI_CACHE_STAMP_H

#include "io/map.h"
#include <dataview/digest.h>

#define DVI_CACHE_HEADER_NBYTES 256
#define DVI_CACHE_STAMP_OFFSET 64
#define DVI_CACHE_STAMP_NBYTES 56

typedef struct dvi_cache_stamp {
    int64_t nbytes;
    dv_u128 identity, digest;
} dvi_cache_stamp;

/* Write the stamp into the 256 bytes of a header. */
void dvi_cache_stamp_write(uint8_t *header, const dvi_cache_stamp *stamp);

/* Read the stamp of an open file.
 * DV_OK; DV_NOT_FOUND: the file is empty, or has a stamp and is not as it was written;
 * DV_ERR_ARGUMENT: it has no stamp; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_cache_stamp_read(dvi_cache_stamp *stamp_out, dvi_map *map, dv_error *err);

/* Compare all bytes with the stamp.  DV_OK; DV_NOT_FOUND: they differ; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_cache_stamp_check(const dvi_cache_stamp *stamp, dvi_map *map, dv_error *err);

#endif
