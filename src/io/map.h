/* SPDX-License-Identifier: MIT */
/* map.h: random access to the bytes of a file: one interface to a mapped file, a file that is read
 * into memory span by span, a pipe, bytes in memory, and what the caller reads. */
#ifndef DVI_IO_MAP_H
#define DVI_IO_MAP_H

#include "base/owner.h"
#include "io/piece_cache.h"
#include <dataview/open.h>

/* An open file.  Reference-counted through its owner; any thread. */
typedef struct dvi_map dvi_map;

/* Consecutive bytes of the file. */
typedef struct dvi_span {
    const uint8_t *data;
    size_t nbytes;
    int64_t offset;   /* in the file */
    dv_owner *owner;  /* of the bytes: the map, or the memory passed to dvi_map_span */
    bool is_borrowed; /* the mapped file itself or the caller's memory, not a copy */
} dvi_span;

/* Open a regular file. `path` is copied for error messages. DV_IO_AUTO: map it, unless its file
 * system is one of dvi_file_system_network.
 * DV_OK; DV_ERR_IO: the system's error; or the path is a directory (EISDIR), a pipe or socket
 * (ESPIPE) or a device (ENODEV), which is neither waited for nor read; DV_ERR_MEMORY. */
dv_status dvi_map_open(dvi_map **map_out, const char *path, dv_io io, const dv_allocator *allocator,
                       dv_error *err);

/* What files that one call opens one after the other have in common. Zeroed at first. */
typedef struct dvi_map_common {
    uint64_t device;         /* of the last file */
    const char *file_system; /* dvi_file_system_of; NULL: no device yet */
    int descriptors;         /* dvi_descriptor_most; 0: not asked yet */
    dvi_memory *memory;      /* for the bytes that a map holds; NULL: none */
} dvi_map_common;
void dvi_map_common_free(dvi_map_common *common);

/* The same, for opening a format, which reads several small ranges, some of them twice: until
 * dvi_map_settle, which is called before other threads use it, the map holds its descriptor, and
 * the bytes around those that were read last. */
dv_status dvi_map_open_held(dvi_map **map_out, const char *path, dv_io io, dvi_map_common *common,
                            const dv_allocator *allocator, dv_error *err);
void dvi_map_settle(dvi_map *map, dvi_map_common *common);

/* Open a pipe, which may block until a process writes to it. Spans are copies; each byte can be
 * read once, in order (dvi_map_begin_reading). DV_OK; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_map_open_stream(dvi_map **map_out, const char *path, const dv_allocator *allocator,
                              dv_error *err);

/* How the bytes of a file are packed. */
typedef enum dvi_packing { DVI_PACKING_NONE, DVI_PACKING_GZIP, DVI_PACKING_ZSTD } dvi_packing;

/* Open what is packed in `stored`, a file, bytes in memory or a pipe, to which the map holds a
 * reference. It is read as a pipe is, from start to end, and has the name of `stored`; but unless
 * `stored` is a pipe, it can be read any number of times. window_nbytes: as dvi_unpacker_create.
 * The bytes must have been recognized (dvi_packing_of). DV_OK; DV_ERR_UNSUPPORTED: this build lacks
 * the library; DV_ERR_MEMORY; DV_ERR_IO. Reading: also the statuses of dvi_unpacker_read. */
dv_status dvi_map_open_packed(dvi_map **map_out, dvi_map *stored, dvi_packing packing,
                              int64_t window_nbytes, dv_error *err);

/* Read a pipe, or what is packed, to its end into a temporary file without a name, and replace *map
 * by that file, which can be read in any order and any number of times. Nothing may have begun to
 * read it (dvi_map_begin_reading). Without a stream nothing happens. limit: the most bytes.
 * DV_OK; DV_ERR_LIMIT (spool_nbytes); DV_ERR_IO: also, the temporary file cannot be made or
 * written; DV_ERR_MEMORY; statuses of dvi_unpacker_read. After a failure the map can only be
 * released. */
dv_status dvi_map_spool(dvi_map **map, int64_t limit, dv_error *err);

/* Whether it is read from start to end: a pipe, or what is packed. */
bool dvi_map_is_stream(const dvi_map *map);
/* Whether its bytes came, or come, through a pipe or out of what is packed. */
bool dvi_map_was_stream(const dvi_map *map);
/* Whether its bytes come once: a pipe, or what is packed in one. */
bool dvi_map_is_once(const dvi_map *map);
/* The file as it is stored: the map itself unless it is packed. */
dvi_map *dvi_map_stored(dvi_map *map);

/* Open bytes in memory as a file. The last reference calls `release`, which may be NULL. With
 * DV_IO_PREAD spans are copies, so that tests cover that path too. */
dv_status dvi_map_open_memory(dvi_map **map_out, const void *data, size_t nbytes,
                              void (*release)(void *ctx), void *ctx, const char *name, dv_io io,
                              const dv_allocator *allocator, dv_error *err);

/* Open what the caller reads; the pieces lie in the cache, which the map keeps. The source is
 * released after a failure too, unless it is of unknown size. DV_OK; DV_ERR_ARGUMENT,
 * DV_ERR_MEMORY; statuses of `length`. */
dv_status dvi_map_open_source(dvi_map **map_out, const dv_source *source, dvi_piece_cache *cache,
                              const dv_allocator *allocator, dv_error *err);
bool dvi_map_is_source(const dvi_map *map);
/* The cost of a source so far; zeros if it is not a source. */
dvi_piece_counts dvi_map_counts(const dvi_map *map);
/* dv_source.version; NULL also if it is no source. */
const char *dvi_map_version(const dvi_map *map);

/* Open the file beside a file or a source whose name has the suffix too. DV_OK; DV_NOT_FOUND: there
 * is none; statuses of dvi_map_open and dvi_map_open_source. */
dv_status dvi_map_open_beside(dvi_map **map_out, const dvi_map *map, const char *suffix, dv_io io,
                              const dv_allocator *allocator, dv_error *err);
/* DV_OK: there is such a file, which may be unreadable. DV_NOT_FOUND: there is none; statuses of
 * dvi_map_open_beside where that cannot be found out. */
dv_status dvi_map_has_beside(const dvi_map *map, const char *suffix, dv_error *err);
/* Whether files can lie beside it at all: beside a file, or a source that can open them. */
bool dvi_map_has_name(const dvi_map *map);

void dvi_map_retain(dvi_map *map);
void dvi_map_release(dvi_map **map); /* sets NULL; NULL is fine */

/* Whether it is a regular file, opened by its name: not memory, not a pipe, not spooled. */
bool dvi_map_is_file(const dvi_map *map);
/* Check that the name still leads to the open file. DV_OK; DV_ERR_IO: it does not. */
dv_status dvi_map_check_name(const dvi_map *map, dv_error *err);

/* The times of the last change to the file (mtime) and to its inode (ctime), in ns; both are 0 if
 * it is not a regular file. DV_OK; DV_ERR_IO. */
dv_status dvi_map_times(const dvi_map *map, int64_t times_out[2], dv_error *err);

/* The length of the file when it was opened, or at the last dvi_map_reach. */
int64_t dvi_map_nbytes(const dvi_map *map);
const char *dvi_map_name(const dvi_map *map);
/* Are spans copies in any case? */
bool dvi_map_is_copied(const dvi_map *map);
/* The network file system because of which DV_IO_AUTO reads the file: "NFS"; else "". */
const char *dvi_map_file_system(const dvi_map *map);
/* "a file that is read by copies", as what an error found. */
typedef struct dvi_map_reason {
    char text[64];
} dvi_map_reason;
dvi_map_reason dvi_map_why_copied(const dvi_map *map);
const dv_allocator *dvi_map_allocator(const dvi_map *map);

/* Find out whether the file has more than `nbytes` bytes: read that far into a pipe; read the
 * length of a file again, which may have grown. *nbytes_out: the known length. If it is not more
 * than nbytes, the file ends there. DV_OK; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_map_reach(dvi_map *map, int64_t nbytes, int64_t *nbytes_out, dv_error *err);

/* Begin to read the file from start to end: a later span starts at most 1 MiB before an earlier
 * one, so a pipe may drop older bytes. *reading_out is the map to read from, which the caller
 * releases: the map itself; or, if it is packed, another one that starts again. is_ahead: that one
 * may unpack in a thread of its own, ahead of the spans. A pipe can be read once: the second call
 * returns DV_ERR_IO. DV_ERR_MEMORY. */
dv_status dvi_map_begin_reading(dvi_map *map, bool is_ahead, dvi_map **reading_out, dv_error *err);

/* Get the bytes offset..offset+nbytes-1. They must lie within dvi_map_nbytes (asserted;
 * DV_ERR_ARGUMENT in release). span_out->data is never NULL.
 *
 * Mapped: a borrowed span, prefaulted, valid as long as the map; `memory` may be NULL. Otherwise,
 * for bytes by which a mapped file grew, and of a small file that is held, the bytes are copied
 * into *memory, which is reserved as needed (dvi_memory_reserve); they are valid until it is used
 * again. After a failure the caller still releases *memory. The span adds no reference.
 *
 * DV_OK; DV_ERR_MEMORY; DV_ERR_IO: the system's error in err->os_code; or the file shrank: then
 * os_code is 0, since no call failed, and err->offset is the first missing byte. A mapped file that
 * shrank gives no more spans; one that is copied gives those that still exist. */
dv_status dvi_map_span(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                       dvi_span *span_out, dv_error *err);

/* The same, always copied into *memory: for bytes that are read more than once, and must not change
 * meanwhile.  A map that is held may put memory of its own there, in which the bytes are not
 * aligned. */
dv_status dvi_map_copy(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                       dvi_span *span_out, dv_error *err);

/* The same as dvi_map_span for one of several spans, without checking whether the file shrank: the
 * bytes must not be read before a later dvi_map_span or dvi_map_check returns DV_OK. */
dv_status dvi_map_span_unchecked(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                                 dvi_span *span_out, dv_error *err);

/* Check that the file did not shrink: DV_ERR_IO if it did. Call it once per batch. */
dv_status dvi_map_check(dvi_map *map, dv_error *err);

/* Advise the system that these bytes will be read soon. Never fails. */
void dvi_map_advise(dvi_map *map, int64_t offset, int64_t nbytes);

/* For `least` of dvi_map_leave: enough that the calls cost nothing beside reading. */
#define DVI_LEAVE_NBYTES (INT64_C(2) << 20)
/* Let dvi_map_leave drop pages. Call it before the first span. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_map_drop_behind(dvi_map *map, dv_error *err);
/* The caller has read the bytes from *left to `at`, and is done with them: once these are at least
 * `least` bytes, their pages are dropped from memory and from the page cache, and *left becomes
 * `at`; a window of 2 MiB goes once all of it was left, by any callers. *left 0, or after `at`: the
 * caller comes from elsewhere, and *left becomes `at`. Pages that are read again come back. Without
 * dvi_map_drop_behind nothing happens. Never fails. Any thread. */
void dvi_map_leave(dvi_map *map, int64_t *left, int64_t at, int64_t least);

/* A source is slow: how many bytes to announce before they are read. Otherwise 0. */
int64_t dvi_map_ahead(const dvi_map *map);
/* Announce ranges that will be read: those of a source are fetched, and of a file that is held a
 * single small one is read; otherwise nothing happens. They must lie within the file. Never fails.
 */
void dvi_map_announce(dvi_map *map, const dvi_range *ranges, size_t n);
/* The same for the bytes that are read first, in most formats. */
void dvi_map_announce_ends(dvi_map *map);

#endif
