/* SPDX-License-Identifier: MIT */
/* sample_sets.h: sets of samples for tests: the data file and the files beside it. */
#ifndef DVT_SAMPLE_SETS_H
#define DVT_SAMPLE_SETS_H

#include "format/datadings/index/datadings_files_priv.h"
#include "support/file.h"

/* A file of a set; data NULL: the file does not exist. */
typedef struct dvt_bytes {
    uint8_t *data; /* malloc */
    size_t n, cap;
} dvt_bytes;

/* A set in memory and, once written, in its own folder. */
typedef struct dvt_samples {
    dvt_bytes data, side[DVI_DATADINGS_FILES];
    char name[32];
    dvt_path folder, path; /* of the data file */
} dvt_samples;

/* The worked example of datadings:7, with all side files and with .index: tiny.msgpack. */
dvt_samples dvt_samples_tiny(void);
/* n samples {key: "k<i>", v: i}, as datadings:7 has a thousand of them, with an .index. */
dvt_samples dvt_samples_numbered(int n);
void dvt_samples_free(dvt_samples *set); /* and its folder */

/* Replace a file, NULL: by none; the bytes at `at`; all from `n` on by nothing; and add some. */
void dvt_bytes_set(dvt_bytes *bytes, const void *data, size_t n);
void dvt_bytes_patch(dvt_bytes *bytes, size_t at, const void *data, size_t n);
void dvt_bytes_cut(dvt_bytes *bytes, size_t n);
void dvt_bytes_append(dvt_bytes *bytes, const void *data, size_t n);

/* Write all files to the folder, which is created if needed; files that are no longer in the set
 * are removed. */
void dvt_samples_write(dvt_samples *set);

/* Open it from its folder, or from memory; `status` of what failed. */
dv_status dvt_samples_open(dvi_datadings_set **set_out, const dvt_samples *set,
                           const dv_open_options *options, bool scan, dv_error *err);
dv_status dvt_samples_open_memory(dvi_datadings_set **set_out, const dvt_samples *set,
                                  const dv_open_options *options, bool scan, dv_error *err);

/* Offsets, keys and look-ups of all rows, up to the first failure: all that reading a set needs of
 * its side files. */
dv_status dvt_samples_read(dvi_datadings_set *set, dv_error *err);

#endif
