/* SPDX-License-Identifier: MIT */
/* map.h: which bytes does the file hold at this place?  One interface over a mapped file, a file
 * that is read by copies, and memory. */
#ifndef DVI_IO_MAP_H
#define DVI_IO_MAP_H

#include "base/owner.h"
#include <dataview/open.h>

/* An open file.  Reference-counted through its owner; any thread. */
typedef struct dvi_map dvi_map;

/* A run of bytes of the file. */
typedef struct dvi_span {
    const uint8_t *data;
    size_t nbytes;
    int64_t offset;   /* in the file */
    dv_owner *owner;  /* whoever holds the bytes: the map, or the memory given to dvi_map_span */
    bool is_borrowed; /* the mapped file itself (or the caller's memory), no copy */
} dvi_span;

/* Open a regular file.  path is copied for error messages.
 * DV_OK; DV_ERR_IO: the system's error; a directory (EISDIR), a pipe or socket (ESPIPE) or a device
 * (ENODEV), none of which blocks or is read; DV_ERR_MEMORY. */
dv_status dvi_map_open(dvi_map **map_out, const char *path, dv_io io, const dv_allocator *allocator,
                       dv_error *err);

/* Open a pipe, which may block until a process writes to it. Spans are copies; each byte can be
 * read once, in order (dvi_map_begin_reading). DV_OK; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_map_open_stream(dvi_map **map_out, const char *path, const dv_allocator *allocator,
                              dv_error *err);
bool dvi_map_is_stream(const dvi_map *map);

/* Bytes in memory as a file; released with the last reference (release may be NULL).  With
 * DV_IO_PREAD spans are copies, so that tests see the other path too. */
dv_status dvi_map_open_memory(dvi_map **map_out, const void *data, size_t nbytes,
                              void (*release)(void *ctx), void *ctx, const char *name, dv_io io,
                              const dv_allocator *allocator, dv_error *err);

void dvi_map_retain(dvi_map *map);
void dvi_map_release(dvi_map **map); /* sets NULL; NULL is fine */

/* Is it a regular file that was opened by its name, and no bytes in memory or from a pipe? */
bool dvi_map_is_file(const dvi_map *map);
/* Does that name still lead to this file?  DV_OK; DV_ERR_IO: to another, or nowhere. */
dv_status dvi_map_check_name(const dvi_map *map, dv_error *err);

/* When the file was changed last, and when its inode was, in ns; 0 of what is no regular file.
 * DV_OK; DV_ERR_IO. */
dv_status dvi_map_times(const dvi_map *map, int64_t times_out[2], dv_error *err);

int64_t dvi_map_nbytes(const dvi_map *map); /* when it was opened, or last reached for */
const char *dvi_map_name(const dvi_map *map);
const dv_allocator *dvi_map_allocator(const dvi_map *map);

/* Is there more than so many bytes?  A pipe is waited for, the length of a file that grew asked
 * again.  *nbytes_out: more than that; or no more, and then it is the file's length.
 * DV_OK; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_map_reach(dvi_map *map, int64_t nbytes, int64_t *nbytes_out, dv_error *err);

/* From now on spans rise, but for the last MiB: what a pipe has before may go.  Any number of
 * walks over a file is DV_OK; of a pipe only the first, a second is DV_ERR_IO. */
dv_status dvi_map_begin_reading(dvi_map *map, dv_error *err);

/* The bytes offset..offset+nbytes-1, which must lie in the file as far as is known (asserted;
 * DV_ERR_ARGUMENT in release).  data is never NULL.
 *
 * Mapped: a borrowed span, prefaulted, good as long as the map; memory may be NULL.  Otherwise the
 * bytes, and those by which a mapped file grew, are copied into *memory (reserved as needed, see
 * dvi_memory_reserve), good until it is used again; after a failure it is still there to be
 * released.  The span adds no reference.
 *
 * DV_OK; DV_ERR_MEMORY; DV_ERR_IO: the system's error in err->os_code, or the file shrank: then
 * os_code is 0, since no call failed, and err->offset is the first byte that is gone.  A mapped
 * file that shrank gives no span at all any more; a copied one, those that are still there. */
dv_status dvi_map_span(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                       dvi_span *span_out, dv_error *err);

/* The same for one of several spans: whether the file shrank is not asked, so the bytes must not be
 * touched before a dvi_map_span or dvi_map_check that follows has said that it did not. */
dv_status dvi_map_span_unchecked(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                                 dvi_span *span_out, dv_error *err);

/* Is the file still as long as it was?  DV_ERR_IO when not.  Once per batch. */
dv_status dvi_map_check(dvi_map *map, dv_error *err);

/* Tell the system that these bytes will be wanted soon.  A hint: never fails. */
void dvi_map_advise(dvi_map *map, int64_t offset, int64_t nbytes);

#endif
