/* SPDX-License-Identifier: MIT */
/* disk_source.h: bytes of a source through the blocks of it that a folder keeps. */
#ifndef DVI_IO_DISK_SOURCE_H
#define DVI_IO_DISK_SOURCE_H

#include "io/disk_folder.h"
#include <stdatomic.h>

/* Where missing bytes come from.
 *
 * fetch  as dv_source.read_at
 * rest   waits a little; false: the source is being released */
typedef struct dvi_disk_below {
    dv_status (*fetch)(void *ctx, int64_t offset, void *dst, size_t nbytes, dv_error *err);
    bool (*rest)(void *ctx);
    void *ctx;
} dvi_disk_below;

typedef struct dvi_disk_source dvi_disk_source;

/* The use of the folder so far. */
typedef struct dvi_disk_counts {
    int64_t read_nbytes; /* of blocks that were there */
    int64_t kept_nbytes; /* of blocks that were added */
    const char *note;    /* why blocks are not kept: static text; "": they are */
} dvi_disk_counts;

/* folder outlives it; name and version are copied; version NULL: no block can be kept.  DV_OK,
 * DV_ERR_MEMORY. */
dv_status dvi_disk_source_create(dvi_disk_source **source_out, const dvi_disk_folder *folder,
                                 const char *name, const char *version, int64_t nbytes,
                                 const dvi_disk_below *below, const dv_allocator *allocator,
                                 dv_error *err);
void dvi_disk_source_free(dvi_disk_source **source); /* sets NULL; NULL is fine */

/* Copy bytes that lie within the length to dst.  Blocks that the folder lacks are fetched whole,
 * those in a row together, and kept.  If another process is fetching one, it is awaited for a
 * while. If anything is wrong with the folder, the bytes are fetched.  Any thread. DV_OK;
 * DV_ERR_MEMORY; DV_ERR_STOPPED: the source is being released; statuses of `fetch`. */
dv_status dvi_disk_source_read(dvi_disk_source *source, int64_t offset, int64_t nbytes,
                               uint8_t *dst, dv_error *err);
dvi_disk_counts dvi_disk_source_counts(const dvi_disk_source *source);

#endif
