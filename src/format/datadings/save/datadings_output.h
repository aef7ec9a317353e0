/* SPDX-License-Identifier: MIT */
/* datadings_output.h: writes messages in large buffers, and digests them meanwhile. */
#ifndef DVI_FORMAT_DATADINGS_OUTPUT_H
#define DVI_FORMAT_DATADINGS_OUTPUT_H

#include "base/check.h"
#include "io/writer.h"
#include "codec/md5_queue.h"

#define DVI_DATADINGS_ROOM ((size_t)64 << 10)
#define DVI_DATADINGS_BUFFERS 4

/* One buffer is being filled, p - buffer bytes so far. The others may still be digested. */
typedef struct dvi_datadings_output {
    uint8_t *p, *buffer, *end;
    dvi_writer *writer;
    dv_allocator allocator;
    uint8_t *buffers;
    int64_t buffers_count;
    int64_t flushed; /* buffers so far; the next one is flushed % buffers_count */
    int64_t numbers[DVI_DATADINGS_BUFFERS]; /* of the buffers in the queue */
    dvi_md5_queue *md5;                     /* owned by the caller; NULL: no digest */
} dvi_datadings_output;

/* Close the output in any case, but first wait for md5 or free it: it reads the buffers. DV_OK,
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_output_open(dvi_datadings_output *output, dvi_writer *writer,
                                    dvi_md5_queue *md5, const dv_allocator *allocator,
                                    dv_error *err);
void dvi_datadings_output_close(dvi_datadings_output *output);

/* Write the buffer and start the next one, with at least DVI_DATADINGS_ROOM bytes. Statuses as for
 * dvi_writer_write. */
dv_status dvi_datadings_output_flush(dvi_datadings_output *output, dv_error *err);
/* Write the last buffer; *md5_out as for dvi_md5_queue_end, NULL without digest. */
dv_status dvi_datadings_output_end(dvi_datadings_output *output, dvi_md5_text *md5_out,
                                   dv_error *err);

/* Make room for n bytes at output->p, at most DVI_DATADINGS_ROOM. The caller writes them, and moves
 * output->p. */
static inline dv_status dvi_datadings_output_room(dvi_datadings_output *output, size_t n,
                                                  dv_error *err)
{
    return DVI_UNLIKELY((size_t)(output->end - output->p) < n)
               ? dvi_datadings_output_flush(output, err)
               : DV_OK;
}

/* Write n bytes, or n zeros; n is not limited. */
dv_status dvi_datadings_output_bytes(dvi_datadings_output *output, const void *src, size_t n,
                                     dv_error *err);
dv_status dvi_datadings_output_zeros(dvi_datadings_output *output, size_t n, dv_error *err);

/* The offset of the next byte in the file. */
int64_t dvi_datadings_output_at(const dvi_datadings_output *output);

#endif
