/* SPDX-License-Identifier: MIT */
/* datadings_output.h: messages on their way to the writer, and through MD5. */
#ifndef DVI_FORMAT_DATADINGS_OUTPUT_H
#define DVI_FORMAT_DATADINGS_OUTPUT_H

#include "base/check.h"
#include "io/writer.h"
#include "codec/md5_queue.h"

#define DVI_DATADINGS_ROOM ((size_t)64 << 10)
#define DVI_DATADINGS_CHUNKS 4

/* One chunk is being filled, p - chunk bytes so far; the others may still be digested. */
typedef struct dvi_datadings_output {
    uint8_t *p, *chunk, *end;
    dvi_writer *writer;
    dv_allocator allocator;
    uint8_t *chunks;
    int64_t places;  /* of chunks */
    int64_t flushed; /* chunks: number k was in place k % places, and in the queue is number */
    int64_t numbers[DVI_DATADINGS_CHUNKS];
    dvi_md5_queue *md5; /* the caller's; NULL: nobody asks */
} dvi_datadings_output;

/* md5 must be waited for, or be freed, before it is closed, as it is also after a failure.  DV_OK,
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_output_open(dvi_datadings_output *put, dvi_writer *writer,
                                    dvi_md5_queue *md5, const dv_allocator *allocator,
                                    dv_error *err);
void dvi_datadings_output_close(dvi_datadings_output *put);

/* Make room: for DVI_DATADINGS_ROOM bytes at least.  DV_OK, and what the writer says. */
dv_status dvi_datadings_output_flush(dvi_datadings_output *put, dv_error *err);
/* The same, that is all there is; *md5_out as in dvi_md5_queue_end.  Without MD5 it may be NULL. */
dv_status dvi_datadings_output_end(dvi_datadings_output *put, dvi_md5_text *md5_out, dv_error *err);

/* Room for n bytes, DVI_DATADINGS_ROOM at most: at put->p, which whoever writes them moves. */
static inline dv_status dvi_datadings_output_room(dvi_datadings_output *put, size_t n,
                                                  dv_error *err)
{
    return DVI_UNLIKELY((size_t)(put->end - put->p) < n) ? dvi_datadings_output_flush(put, err)
                                                         : DV_OK;
}

/* Bytes as they are, and n zeros; any number of them. */
dv_status dvi_datadings_output_bytes(dvi_datadings_output *put, const void *src, size_t n,
                                     dv_error *err);
dv_status dvi_datadings_output_zeros(dvi_datadings_output *put, size_t n, dv_error *err);

/* Where the next byte goes in the file. */
int64_t dvi_datadings_output_at(const dvi_datadings_output *put);

#endif
