/* SPDX-License-Identifier: MIT */
/* datadings_index.h: what stands in the files beside the messages, for whoever writes them
 * (datadings:1 and datadings:2): gathered sample by sample, then written file by file, with the
 * bytes that the reference writes. */
#ifndef DVI_DATADINGS_INDEX_H
#define DVI_DATADINGS_INDEX_H

#include "io/writer.h"
#include "codec/md5_queue.h"
#include <dataview/type.h>

/* One thread at a time.  Memory: each key once, and 32 bytes for each sample that is expected; up
 * to twice as much for others. */
typedef struct dvi_datadings_index dvi_datadings_index;

dv_status dvi_datadings_index_create(dvi_datadings_index **index_out, const dv_allocator *allocator,
                                     dv_error *err);
void dvi_datadings_index_free(dvi_datadings_index **index); /* sets NULL; NULL is fine */

/* There will be that many samples more, or others: memory is gathered at once.  DV_OK,
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_index_expect(dvi_datadings_index *index, int64_t samples, dv_error *err);

/* One sample more: its key (valid UTF-8, which the caller checks; copied) and the bytes of its
 * message.
 * DV_OK
 * DV_ERR_LIMIT   2^32-1 samples are there, or a key of 4 GiB; nothing was added
 * DV_ERR_MEMORY  nothing was added */
dv_status dvi_datadings_index_add(dvi_datadings_index *index, dv_text key, int64_t nbytes,
                                  dv_error *err);

/* Two samples of one key, which is valid until the next is added; row -1: there are none. */
typedef struct dvi_datadings_twins {
    int64_t row, before;
    dv_text key;
} dvi_datadings_twins;

/* Hash the keys that were added since the last time, once there are `least` of them: many at once
 * are fast.  The first one that a sample has already is told, and forgotten with all after it.
 * DV_OK
 * DV_ERR_MEMORY       call it again
 * DV_ERR_UNSUPPORTED  none of 1,000 salts tells the hashes of the keys apart, which takes malice;
 *                     the index is of no more use */
dv_status dvi_datadings_index_hash(dvi_datadings_index *index, size_t least,
                                   dvi_datadings_twins *twins_out, dv_error *err);
#define DVI_DATADINGS_HASHED_AT_ONCE 512

/* The files beside D: first those that are written from an index, in this order. */
typedef enum dvi_datadings_side {
    DVI_DATADINGS_OFFSETS,
    DVI_DATADINGS_KEYS,
    DVI_DATADINGS_HASHES,
    DVI_DATADINGS_FILTER,
    DVI_DATADINGS_SIDES,
    DVI_DATADINGS_MD5 = DVI_DATADINGS_SIDES, /* of these and of D */
    DVI_DATADINGS_LEGACY,                    /* .index: what there was before all of them */
    DVI_DATADINGS_FILES
} dvi_datadings_side;

/* ".offsets", ...: static. */
const char *dvi_datadings_suffix(dvi_datadings_side file);

/* All bytes of one of the SIDES, the index's own.  Any order, as often as one likes, once all keys
 * are hashed; nothing may be added after the first.  DV_OK; DV_ERR_MEMORY: of the filter. */
typedef struct dvi_datadings_bytes {
    const uint8_t *data;
    size_t nbytes;
} dvi_datadings_bytes;
dv_status dvi_datadings_index_file(dvi_datadings_index *index, dvi_datadings_side side,
                                   dvi_datadings_bytes *file_out, dv_error *err);
/* Write them; *md5_out as in dvi_md5_queue_end, and the index must live until it is written.  As
 * above, and what the writer says. */
dv_status dvi_datadings_index_write(dvi_datadings_index *index, dvi_datadings_side side,
                                    dvi_writer *writer, dvi_md5_queue *md5, dvi_md5_text *md5_out,
                                    dv_error *err);

/* Write a line of .md5; and all that it has: the line of D and those of its side files.  base: D's
 * name without folders. */
dv_status dvi_datadings_write_md5_line(dvi_writer *writer, const dvi_md5_text *md5,
                                       const char *base, const char *suffix, dv_error *err);
dv_status dvi_datadings_write_md5(dvi_writer *writer, const char *base, const dvi_md5_text *data,
                                  const dvi_md5_text md5[DVI_DATADINGS_SIDES], dv_error *err);

#endif
