/* SPDX-License-Identifier: MIT */
/* datadings_put.c: messages on their way to the writer, and through MD5. */
#include "format/datadings/datadings_put.h"
#include "base/alloc.h"
#include <string.h>

/* So much that the writer takes a full chunk as it is, though the last run did not fit. */
#define CHUNK_NBYTES (((size_t)1 << 20) + DVI_DATADINGS_ROOM)

static uint8_t *chunk_of(const dvi_datadings_put *put, int64_t number)
{
    return put->chunks + (size_t)(number & 1) * CHUNK_NBYTES;
}

static void start_chunk(dvi_datadings_put *put)
{
    put->p = chunk_of(put, put->flushed);
    put->end = put->p + CHUNK_NBYTES;
}

/* --- Digesting ----------------------------------------------------------------------------------
 */

static void digest(void *ctx, int64_t job, int32_t worker)
{
    const dvi_datadings_put *put = ctx;
    (void)worker;
    dvi_md5_add(put->md5, chunk_of(put, job), put->filled_nbytes);
}

/* Now, or while the chunk is written and the next one is made. */
static void digest_chunk(dvi_datadings_put *put, size_t n, bool is_last)
{
    if (put->threads) /* one behind the other */
        dvi_threads_give_back(put->threads, put->flushed);
    put->filled_nbytes = n;
    if (put->threads && !is_last)
        dvi_threads_allow(put->threads, put->flushed + 1);
    else if (put->md5)
        digest(put, put->flushed, 0);
}

/* --- Life ---------------------------------------------------------------------------------------
 */

dv_status dvi_datadings_put_open(dvi_datadings_put *put, dvi_writer *writer, bool has_md5,
                                 int32_t threads, const dv_allocator *allocator, dv_error *err)
{
    void *chunks;
    *put = (dvi_datadings_put){.writer = writer, .allocator = dvi_allocator_of(allocator)};
    DVI_TRY(dvi_alloc(&put->allocator, &chunks, 2 * CHUNK_NBYTES, err));
    put->chunks = chunks;
    start_chunk(put);
    if (has_md5)
        DVI_TRY(dvi_md5_create(&put->md5, err));
    if (has_md5 && threads > 1)
        DVI_TRY(dvi_threads_create(&put->threads, 1, 2, 0, digest, put, &put->allocator, err));
    return DV_OK;
}

void dvi_datadings_put_close(dvi_datadings_put *put)
{
    dvi_threads_free(&put->threads);
    dvi_md5_free(&put->md5);
    dvi_free(&put->allocator, put->chunks, 2 * CHUNK_NBYTES);
    put->chunks = NULL;
}

/* --- Bytes --------------------------------------------------------------------------------------
 */

static dv_status flush(dvi_datadings_put *put, bool is_last, dv_error *err)
{
    const uint8_t *chunk = chunk_of(put, put->flushed);
    const size_t n = (size_t)(put->p - chunk);
    digest_chunk(put, n, is_last);
    put->flushed++;
    start_chunk(put);
    return dvi_writer_write(put->writer, chunk, n, err);
}

dv_status dvi_datadings_put_flush(dvi_datadings_put *put, dv_error *err)
{
    return flush(put, false, err);
}

dv_status dvi_datadings_put_end(dvi_datadings_put *put, dvi_md5_text *md5_out, dv_error *err)
{
    DVI_TRY(flush(put, true, err));
    if (put->md5)
        *md5_out = dvi_md5_end(put->md5);
    return DV_OK;
}

int64_t dvi_datadings_put_at(const dvi_datadings_put *put)
{
    return dvi_writer_offset(put->writer) + (put->p - chunk_of(put, put->flushed));
}

/* src NULL: zeros. */
static dv_status put_run(dvi_datadings_put *put, const uint8_t *src, size_t n, dv_error *err)
{
    while (n > 0) {
        DVI_TRY(dvi_datadings_put_room(put, 1, err));
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

dv_status dvi_datadings_put_bytes(dvi_datadings_put *put, const void *src, size_t n, dv_error *err)
{
    return put_run(put, src, n, err);
}

dv_status dvi_datadings_put_zeros(dvi_datadings_put *put, size_t n, dv_error *err)
{
    return put_run(put, NULL, n, err);
}
