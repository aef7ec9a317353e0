/* SPDX-License-Identifier: MIT */
/* datadings_index.h: makes the side files of a set (datadings:1, datadings:2).
 *
 * Samples are added one by one. Then each file is written, with the bytes that the reference
 * implementation writes. */
#ifndef DVI_DATADINGS_INDEX_H
#define DVI_DATADINGS_INDEX_H

#include "io/writer.h"
#include "codec/md5_queue.h"
#include <dataview/type.h>

/* For one thread at a time. Memory: all keys, and 32 bytes per expected sample; up to twice as much
 * per other sample. */
typedef struct dvi_datadings_index dvi_datadings_index;

dv_status dvi_datadings_index_create(dvi_datadings_index **index_out, const dv_allocator *allocator,
                                     dv_error *err);
void dvi_datadings_index_free(dvi_datadings_index **index); /* sets NULL; NULL is fine */

/* Reserve memory for this many more samples; fewer or more may follow. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_datadings_index_expect(dvi_datadings_index *index, int64_t samples, dv_error *err);

/* Add a sample: its key (valid UTF-8, checked by the caller; copied) and the size of its message.
 * DV_OK
 * DV_ERR_UNSUPPORTED  there are 2^32-1 samples, or the key has 4 GiB; nothing is added
 * DV_ERR_MEMORY       nothing is added */
dv_status dvi_datadings_index_add(dvi_datadings_index *index, dv_text key, int64_t nbytes,
                                  dv_error *err);

/* Two samples with the same key, which is valid until the next sample is added; row -1: none. */
typedef struct dvi_datadings_duplicate {
    int64_t row, before;
    dv_text key;
} dvi_datadings_duplicate;

/* Hash the keys added since the last call, if there are at least `least` of them: many at once are
 * faster. The first duplicate is returned, and removed with all samples after it.
 * DV_OK
 * DV_ERR_MEMORY       call it again
 * DV_ERR_UNSUPPORTED  with each of 1,000 salts some hashes collide, which happens only on purpose;
 *                     the index must be freed */
dv_status dvi_datadings_index_hash(dvi_datadings_index *index, size_t least,
                                   dvi_datadings_duplicate *duplicate_out, dv_error *err);
#define DVI_DATADINGS_HASHED_AT_ONCE 512

/* The side files of D. The first ones are written from an index, in this order. */
typedef enum dvi_datadings_side {
    DVI_DATADINGS_OFFSETS,
    DVI_DATADINGS_KEYS,
    DVI_DATADINGS_HASHES,
    DVI_DATADINGS_FILTER,
    DVI_DATADINGS_SIDES,
    DVI_DATADINGS_MD5 = DVI_DATADINGS_SIDES, /* digests of these and of D */
    DVI_DATADINGS_LEGACY,                    /* .index, of older versions */
    DVI_DATADINGS_FILES
} dvi_datadings_side;

/* ".offsets", ...: static. */
const char *dvi_datadings_suffix(dvi_datadings_side file);

/* All bytes of one of the first DVI_DATADINGS_SIDES files; they belong to the index. All keys must
 * be hashed, and no sample may be added later. DV_OK; DV_ERR_MEMORY: of the filter. */
typedef struct dvi_datadings_bytes {
    const uint8_t *data;
    size_t nbytes;
} dvi_datadings_bytes;
dv_status dvi_datadings_index_file(dvi_datadings_index *index, dvi_datadings_side side,
                                   dvi_datadings_bytes *file_out, dv_error *err);
/* Write them; *md5_out as for dvi_md5_queue_end, so the index must live until that is set. Statuses
 * as for dvi_datadings_index_file and dvi_writer_write. */
dv_status dvi_datadings_index_write(dvi_datadings_index *index, dvi_datadings_side side,
                                    dvi_writer *writer, dvi_md5_queue *md5, dvi_md5_text *md5_out,
                                    dv_error *err);

/* Write a line of .md5; write all lines, of D and its side files. base: the name of D without
 * folders. */
dv_status dvi_datadings_write_md5_line(dvi_writer *writer, const dvi_md5_text *md5,
                                       const char *base, const char *suffix, dv_error *err);
dv_status dvi_datadings_write_md5(dvi_writer *writer, const char *base, const dvi_md5_text *data,
                                  const dvi_md5_text md5[DVI_DATADINGS_SIDES], dv_error *err);

#endif
