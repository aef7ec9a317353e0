/* SPDX-License-Identifier: MIT */
/* map_priv.h: the functions of a backend of a map, and what map.c provides for backends. */
#ifndef DVI_IO_MAP_PRIV_H
#define DVI_IO_MAP_PRIV_H

#include "io/descriptor.h"
#include "io/map.h"

_Static_assert(sizeof(size_t) == 8, "files over 4 GiB are mapped as a whole");

/* The page cache of Linux holds a file in pages of up to so many bytes, at multiples of them. */
#define DVI_MAP_WINDOW_NBYTES (INT64_C(2) << 20)

/* A backend.
 *
 * span    nbytes > 0, within map->nbytes. Borrowed bytes may be missing until `check` succeeds.
 * advise  the same range.
 * leave   drops the pages of a window, or of what the file has of it. NULL: there are none.
 * copy    reads the range into *memory. DV_NOT_FOUND: `span` is better now. NULL: always.
 * settle  gives back its descriptor, if all maps keep more than so many. NULL: it has none.
 * close   releases all but the struct, also of a map that was not opened completely.
 * reach   makes map->nbytes more than nbytes, if the file has more. NULL: it never has.
 * begin   begins to read from start to end; *reading_out: a reference to the map that is read.
 *         NULL: the map itself, any number of times.
 * beside  opens the file whose name has the suffix too. DV_NOT_FOUND: there is none, also if NULL.
 */
typedef struct dvi_map_backend {
    dv_status (*span)(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                      dvi_span *span_out, dv_error *err);
    dv_status (*copy)(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                      dvi_span *span_out, dv_error *err);
    void (*settle)(dvi_map *map, int descriptors);
    dv_status (*check)(dvi_map *map, dv_error *err);
    void (*advise)(dvi_map *map, int64_t offset, int64_t nbytes);
    void (*leave)(dvi_map *map, int64_t offset, int64_t nbytes);
    void (*close)(dvi_map *map);
    dv_status (*reach)(dvi_map *map, int64_t nbytes, dv_error *err);
    dv_status (*begin)(dvi_map *map, bool is_ahead, dvi_map **reading_out, dv_error *err);
    const dvi_descriptor *(*file)(const dvi_map *map); /* of a regular file; NULL: not a file */
    dv_status (*beside)(const dvi_map *map, const char *suffix, dvi_map **map_out, dv_error *err);
} dvi_map_backend;

/* The first member of each backend's own struct. Constant once open. */
struct dvi_map {
    dv_owner owner; /* first: a reference to it keeps the bytes */
    dv_allocator allocator;
    const dvi_map_backend *backend;
    atomic_int_fast64_t nbytes; /* known length of the file; never decreases */
    const char *name;           /* after the struct, in the same allocation */
    const char *file_system;    /* because of which it is not mapped; static text; "": none */
    bool is_copied;             /* spans are */
    bool is_spooled;            /* a temporary file without a name */
    bool drops_behind;          /* dvi_map_leave drops pages */
    bool is_named;              /* its name led to it when it was opened */
    bool is_held;               /* between dvi_map_open_held and dvi_map_settle */
    dvi_memory *held;           /* while it is held, the bytes that were read last; NULL: none */
    int64_t held_at, held_nbytes;
    atomic_uchar *left; /* of each window, the parts that were left; NULL: none are dropped */
    size_t windows;
    size_t whole_nbytes; /* of that allocation */
};

/* Read a range before it is asked for, if the file is held and the range is small. Never fails. */
void dvi_map_hold(dvi_map *map, const dvi_range *range);

/* Allocate a zeroed struct of struct_nbytes and set its first member. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_map_create(dvi_map **map_out, size_t struct_nbytes, const dvi_map_backend *backend,
                         int64_t file_nbytes, const char *name, const dv_allocator *allocator,
                         dv_error *err);

/* Open a regular file. With DV_OK the map owns fd. */
dv_status dvi_map_open_posix(dvi_map **map_out, int fd, int64_t file_nbytes, const char *path,
                             const dv_allocator *allocator, dv_error *err);
dv_status dvi_map_open_pread(dvi_map **map_out, int fd, int64_t file_nbytes, const char *path,
                             const dv_allocator *allocator, dv_error *err);

/* Where a stream takes its bytes from.
 *
 * read   writes the next bytes, at most cap > 0, to dst; *got_out: how many; 0: the end.
 * close  releases the source.
 * again  opens another stream of what is packed in `stored`. NULL: the bytes come once.
 */
typedef struct dvi_stream_source {
    dv_status (*read)(void *self, uint8_t *dst, size_t cap, size_t *got_out, dv_error *err);
    void (*close)(void *self);
    dv_status (*again)(void *self, dvi_map *stored, bool is_ahead, dvi_map **map_out,
                       dv_error *err);
} dvi_stream_source;

/* Create a stream of the bytes of a source. stored: the file in which they are packed, to which the
 * map holds a reference; NULL: none. With DV_OK the map owns the source. */
dv_status dvi_map_create_stream(dvi_map **map_out, const dvi_stream_source *source, void *self,
                                dvi_map *stored, const char *name, const dv_allocator *allocator,
                                dv_error *err);

/* `reach` of a file: reads its length from the system. */
dv_status dvi_map_reach_length(dvi_map *map, const dvi_descriptor *file, dv_error *err);

/* Check that the file has at least file_nbytes. DV_ERR_IO: it shrank, or the system's error. */
dv_status dvi_map_check_length(const dvi_descriptor *file, int64_t file_nbytes, dv_error *err);

/* Read exactly nbytes at offset, in as many calls as it takes. DV_ERR_IO as above. */
dv_status dvi_map_read(const dvi_descriptor *file, int64_t file_nbytes, int64_t offset,
                       uint8_t *dst, size_t nbytes, dv_error *err);

/* Drop whole pages of the file from the page cache, those that are not mapped. */
void dvi_map_forget(const dvi_descriptor *file, int64_t offset, int64_t nbytes);

/* The failure of a file that now ends at found_nbytes. No call failed, so err->os_code is 0;
 * err->offset is the first missing byte. */
dv_status dvi_map_fail_shrank(dv_error *err, int64_t file_nbytes, int64_t found_nbytes);

#endif
