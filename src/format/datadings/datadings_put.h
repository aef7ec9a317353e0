/* SPDX-License-Identifier: MIT */
/* datadings_put.h: messages on their way to the writer, and through MD5.
 *
 * MD5 is slower than a disk can be, and takes one byte after the other: when there is much, a
 * second thread does it, behind the thread that makes the messages. */
#ifndef DVI_FORMAT_DATADINGS_PUT_H
#define DVI_FORMAT_DATADINGS_PUT_H

#include "base/check.h"
#include "base/threads.h"
#include "io/writer.h"
#include "codec/md5.h"

#define DVI_DATADINGS_ROOM ((size_t)64 << 10)

/* Two chunks: one is being filled, p - chunk bytes so far; the other may still be digested. */
typedef struct dvi_datadings_put {
    uint8_t *p, *end;
    dvi_writer *writer;
    dv_allocator allocator;
    uint8_t *chunks;      /* both */
    size_t filled_nbytes; /* of the chunk that is digested */
    int64_t flushed;      /* chunks; the next one is in place flushed % 2 */
    dvi_md5 *md5;         /* NULL: nobody asks */
    dvi_threads *threads; /* NULL: this thread does it */
} dvi_datadings_put;

/* Also after a failure it is freed by dvi_datadings_put_close.  DV_OK; DV_ERR_UNSUPPORTED: no MD5;
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_put_open(dvi_datadings_put *put, dvi_writer *writer, bool has_md5,
                                 int32_t threads, const dv_allocator *allocator, dv_error *err);
void dvi_datadings_put_close(dvi_datadings_put *put);

/* Make room: for DVI_DATADINGS_ROOM bytes at least.  DV_OK, and what the writer says. */
dv_status dvi_datadings_put_flush(dvi_datadings_put *put, dv_error *err);
/* The same, that is all there is; *md5_out: of all.  Without MD5 it may be NULL. */
dv_status dvi_datadings_put_end(dvi_datadings_put *put, dvi_md5_text *md5_out, dv_error *err);

/* Room for n bytes, DVI_DATADINGS_ROOM at most: at put->p, which whoever writes them moves. */
static inline dv_status dvi_datadings_put_room(dvi_datadings_put *put, size_t n, dv_error *err)
{
    return DVI_UNLIKELY((size_t)(put->end - put->p) < n) ? dvi_datadings_put_flush(put, err)
                                                         : DV_OK;
}

/* Bytes as they are, and n zeros; any number of them. */
dv_status dvi_datadings_put_bytes(dvi_datadings_put *put, const void *src, size_t n, dv_error *err);
dv_status dvi_datadings_put_zeros(dvi_datadings_put *put, size_t n, dv_error *err);

/* Where the next byte goes in the file. */
int64_t dvi_datadings_put_at(const dvi_datadings_put *put);

#endif
