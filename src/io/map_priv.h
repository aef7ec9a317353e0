/* SPDX-License-Identifier: MIT */
/* map_priv.h: what each way of getting bytes offers to map.c, and what map.c offers to it. */
#ifndef DVI_IO_MAP_PRIV_H
#define DVI_IO_MAP_PRIV_H

#include "io/map.h"

_Static_assert(sizeof(size_t) == 8, "files over 4 GiB are mapped as a whole");

/* One way.  span: 0 < nbytes, and the run lies in the file as it was opened; what it borrows may be
 * gone unless a check follows.  advise: the same.
 * reach: make map->nbytes more than nbytes, if the file has more; NULL: it never has.  walk: NULL:
 * as often as one likes. close lets go of everything but the struct itself; also of one that was
 * made only in part. */
typedef struct dvi_map_backend {
    dv_status (*span)(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                      dvi_span *span_out, dv_error *err);
    dv_status (*check)(dvi_map *map, dv_error *err);
    void (*advise)(dvi_map *map, int64_t offset, int64_t nbytes);
    void (*close)(dvi_map *map);
    dv_status (*reach)(dvi_map *map, int64_t nbytes, dv_error *err);
    dv_status (*begin)(dvi_map *map, dv_error *err);
    int (*descriptor)(const dvi_map *map); /* of a regular file; NULL: there is none */
} dvi_map_backend;

/* What all have in common: the first member of each way's own struct.  Constant once open. */
struct dvi_map {
    dv_owner owner; /* first: a reference to it keeps the bytes */
    dv_allocator allocator;
    const dvi_map_backend *backend;
    atomic_int_fast64_t nbytes; /* of the file; it never falls */
    const char *name;           /* after the struct, in the same allocation */
    size_t whole_nbytes;        /* of that allocation */
};

/* map_out = a zeroed struct of struct_nbytes, its first member filled.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_map_create(dvi_map **map_out, size_t struct_nbytes, const dvi_map_backend *backend,
                         int64_t file_nbytes, const char *name, const dv_allocator *allocator,
                         dv_error *err);

/* A regular file by either way.  fd is the map's own from DV_OK on. */
dv_status dvi_map_open_posix(dvi_map **map_out, int fd, int64_t file_nbytes, const char *path,
                             const dv_allocator *allocator, dv_error *err);
dv_status dvi_map_open_pread(dvi_map **map_out, int fd, int64_t file_nbytes, const char *path,
                             const dv_allocator *allocator, dv_error *err);

/* As `reach` of a file: ask the system for its length. */
dv_status dvi_map_reach_length(dvi_map *map, int fd, dv_error *err);

/* Is the file at least as long as it was?  DV_ERR_IO when not, or the system's error. */
dv_status dvi_map_check_length(int fd, int64_t file_nbytes, dv_error *err);

/* Read nbytes at offset, all of them: in pieces, whatever interrupts.  DV_ERR_IO as above. */
dv_status dvi_map_read(int fd, int64_t file_nbytes, int64_t offset, uint8_t *dst, size_t nbytes,
                       dv_error *err);

/* The failure of a file that now ends at found_nbytes.  No call failed, so err->os_code is 0;
 * err->offset is the first byte that is gone. */
dv_status dvi_map_fail_shrank(dv_error *err, int64_t file_nbytes, int64_t found_nbytes);

#endif
