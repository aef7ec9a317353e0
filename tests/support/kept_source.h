/* SPDX-License-Identifier: MIT */
/* kept_source.h: a source of a pattern whose blocks a folder keeps, and that counts, waits and
 * fails. */
#ifndef DVT_KEPT_SOURCE_H
#define DVT_KEPT_SOURCE_H

#include "io/disk_source.h"
#include "support/allocator.h"
#include "support/file.h"

/* Counts that processes may share.  Zeroed: nothing waits or fails. */
typedef struct dvt_kept_counts {
    atomic_int_fast64_t requests, nbytes;
    int64_t delay_ns; /* before each answer */
    int status;       /* every request returns it */
    bool is_closing;  /* waiting ends */
} dvt_kept_counts;

/* A source whose bytes depend on its name, version and length. */
typedef struct dvt_kept {
    dvt_allocator counted;
    dvt_kept_counts *counts;
    dvi_disk_folder *folder;
    dvi_disk_source *source;
    int64_t nbytes;
    uint8_t salt;
} dvt_kept;

/* DV_OK, or the failure, after which nothing is left.  fail_at: as dvt_allocator_init. */
dv_status dvt_kept_open(dvt_kept *kept, const dvt_path *folder, int64_t disk_nbytes,
                        const char *name, const char *version, int64_t nbytes,
                        dvt_kept_counts *counts, int64_t fail_at);
/* Whether nothing was leaked. */
bool dvt_kept_close(dvt_kept *kept);

/* Whether n bytes from the offset on are read and right. */
bool dvt_kept_reads(dvt_kept *kept, int64_t offset, int64_t n);
/* The same of all bytes, in parts. */
bool dvt_kept_reads_all(dvt_kept *kept);
/* The same, with the status. */
dv_status dvt_kept_read(dvt_kept *kept, int64_t offset, int64_t n, bool *is_right_out);

/* Files of the folder with the suffix, and their bytes together; *path_out, which may be NULL: one
 * of them. */
int dvt_kept_files(const dvt_path *folder, const char *suffix, int64_t *nbytes_out,
                   dvt_path *path_out);

#endif
