/* SPDX-License-Identifier: MIT */
/* zip.h: the entries of a zip file, which may come from anyone (modelzip:1).
 *
 * Only the directory at the end is believed; what the file has before each entry must agree with
 * it. No two entries share a byte, so a small file cannot say much by saying it often. */
#ifndef DVI_MLNET_ZIP_H
#define DVI_MLNET_ZIP_H

#include "base/hashtab.h"
#include "base/owner.h"
#include "io/map.h"
#include "codec/deflate.h"

enum {
    DVI_ZIP_ENTRIES = 65535,  /* at most */
    DVI_ZIP_NBYTES = 1 << 30, /* of the file, and of all its entries when inflated */
    DVI_ZIP_DEPTH = 16        /* of folders */
};

typedef struct dvi_zip_entry {
    dv_text name;           /* folders are divided by / */
    int64_t offset, header; /* of the stored bytes, and of the header before them */
    uint32_t stored_nbytes, nbytes, crc;
    bool is_deflated;
} dvi_zip_entry;

/* A zip file in memory. Initialize with dvi_zip_open. */
typedef struct dvi_zip {
    dv_allocator allocator;
    dvi_memory *file, *names;
    dvi_hashtab numbers; /* of entries by name */
    dvi_zip_entry *entries;
    size_t entries_cap;
    int32_t count;
    dvi_inflater *inflater;
} dvi_zip;

/* Does the file begin as a zip file does? DV_OK: it does; DV_NOT_FOUND; DV_ERR_IO, DV_ERR_MEMORY.
 */
dv_status dvi_zip_recognize(dvi_map *map, dv_error *err);

/* Read the directory of a file. The bytes are copied, so a file that changes does no harm; the zip
 * keeps no reference to the map.
 *
 * DV_OK
 * DV_ERR_CORRUPT      the file is damaged, or no zip file
 * DV_ERR_UNSUPPORTED  entries that are encrypted, in parts, or packed in another way
 * DV_ERR_LIMIT        over one of the limits above
 * DV_ERR_IO, DV_ERR_MEMORY
 *
 * Close it after a failure too. */
dv_status dvi_zip_open(dvi_zip *zip_out, dvi_map *map, dv_error *err);
void dvi_zip_close(dvi_zip *zip);

/* The entry of a name; NULL: there is none. */
const dvi_zip_entry *dvi_zip_find(const dvi_zip *zip, dv_text name);

/* Inflate an entry, and check its CRC. DV_OK: entry->nbytes bytes, which the caller releases;
 * DV_ERR_CORRUPT, DV_ERR_MEMORY. */
dv_status dvi_zip_read(dvi_zip *zip, const dvi_zip_entry *entry, dvi_memory **bytes_out,
                       dv_error *err);

#endif
