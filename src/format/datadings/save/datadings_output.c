/* SPDX-License-Identifier: MIT */
/* datadings_output.c: messages on their way to the writer, and through MD5. */
#include "format/datadings/save/datadings_output.h"
#include "base/alloc.h"
#include <string.h>

/* So much that the writer takes a full chunk as it is, though the last run did not fit. */
#define CHUNK_NBYTES (((size_t)1 << 20) + DVI_DATADINGS_ROOM)

static uint8_t *chunk_of(const dvi_datadings_output *put, int64_t number)
{
    return put->chunks + (size_t)(number % put->places) * CHUNK_NBYTES;
}

static void start_chunk(dvi_datadings_output *put)
{
    put->p = put->chunk = chunk_of(put, put->flushed);
    put->end = put->p + CHUNK_NBYTES;
}

dv_status dvi_datadings_output_open(dvi_datadings_output *put, dvi_writer *writer,
                                    dvi_md5_queue *md5, const dv_allocator *allocator,
                                    dv_error *err)
{
    void *chunks;
    *put = (dvi_datadings_output){.writer = writer,
                                  .allocator = dvi_allocator_of(allocator),
                                  .places = md5 ? DVI_DATADINGS_CHUNKS : 1,
                                  .md5 = md5};
    DVI_TRY(dvi_alloc(&put->allocator, &chunks, (size_t)put->places * CHUNK_NBYTES, err));
    put->chunks = chunks;
    start_chunk(put);
    return DV_OK;
}

void dvi_datadings_output_close(dvi_datadings_output *put)
{
    dvi_free(&put->allocator, put->chunks, (size_t)put->places * CHUNK_NBYTES);
    put->chunks = NULL;
}

/* --- Bytes --------------------------------------------------------------------------------------
 */

/* The chunk is digested while it is written and the next ones are made. */
dv_status dvi_datadings_output_flush(dvi_datadings_output *put, dv_error *err)
{
    const uint8_t *chunk = put->chunk;
    const size_t n = (size_t)(put->p - chunk);
    if (put->md5)
        put->numbers[put->flushed % put->places] = dvi_md5_queue_add(put->md5, chunk, n);
    DVI_TRY(dvi_writer_write(put->writer, chunk, n, err));
    put->flushed++;
    if (put->md5 && put->flushed >= put->places)
        dvi_md5_queue_wait(put->md5, put->numbers[put->flushed % put->places]);
    start_chunk(put);
    return DV_OK;
}

dv_status dvi_datadings_output_end(dvi_datadings_output *put, dvi_md5_text *md5_out, dv_error *err)
{
    DVI_TRY(dvi_datadings_output_flush(put, err));
    if (put->md5)
        dvi_md5_queue_end(put->md5, md5_out);
    return DV_OK;
}

int64_t dvi_datadings_output_at(const dvi_datadings_output *put)
{
    return dvi_writer_offset(put->writer) + (put->p - put->chunk);
}

/* src NULL: zeros. */
static dv_status put_run(dvi_datadings_output *put, const uint8_t *src, size_t n, dv_error *err)
{
    while (n > 0) {
        DVI_TRY(dvi_datadings_output_room(put, 1, err));
        const size_t room = (size_t)(put->end - put->p), piece = n < room ? n : room;
        if (src)
            memcpy(put->p, src, piece);
        else
            memset(put->p, 0, piece);
        src = src ? src + piece : NULL;
        put->p += piece;
        n -= piece;
    }
    return DV_OK;
}

dv_status dvi_datadings_output_bytes(dvi_datadings_output *put, const void *src, size_t n,
                                     dv_error *err)
{
    return put_run(put, src, n, err);
}

dv_status dvi_datadings_output_zeros(dvi_datadings_output *put, size_t n, dv_error *err)
{
    return put_run(put, NULL, n, err);
}
