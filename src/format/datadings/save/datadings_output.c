/* SPDX-License-Identifier: MIT */
/* datadings_output.c: writes messages in large buffers, and digests them meanwhile. */
#include "format/datadings/save/datadings_output.h"
#include "base/alloc.h"
#include <string.h>

/* A buffer is flushed with at most DVI_DATADINGS_ROOM unused bytes, and the writer does not copy
 * 1 MiB or more. */
#define BUFFER_NBYTES (((size_t)1 << 20) + DVI_DATADINGS_ROOM)

static uint8_t *buffer_of(const dvi_datadings_output *output, int64_t number)
{
    return output->buffers + (size_t)(number % output->buffers_count) * BUFFER_NBYTES;
}

static void start_buffer(dvi_datadings_output *output)
{
    output->p = output->buffer = buffer_of(output, output->flushed);
    output->end = output->p + BUFFER_NBYTES;
}

dv_status dvi_datadings_output_open(dvi_datadings_output *output, dvi_writer *writer,
                                    dvi_md5_queue *md5, const dv_allocator *allocator,
                                    dv_error *err)
{
    void *buffers;
    *output = (dvi_datadings_output){.writer = writer,
                                     .allocator = dvi_allocator_of(allocator),
                                     .buffers_count = md5 ? DVI_DATADINGS_BUFFERS : 1,
                                     .md5 = md5};
    DVI_TRY(dvi_alloc(&output->allocator, &buffers, (size_t)output->buffers_count * BUFFER_NBYTES,
                      err));
    output->buffers = buffers;
    start_buffer(output);
    return DV_OK;
}

void dvi_datadings_output_close(dvi_datadings_output *output)
{
    dvi_free(&output->allocator, output->buffers, (size_t)output->buffers_count * BUFFER_NBYTES);
    output->buffers = NULL;
}

/* --- Bytes ------------------------------------------------------------------------------------ */

/* The buffer is digested while it is written and the next ones are filled. */
dv_status dvi_datadings_output_flush(dvi_datadings_output *output, dv_error *err)
{
    const uint8_t *buffer = output->buffer;
    const size_t n = (size_t)(output->p - buffer);
    if (output->md5)
        output->numbers[output->flushed % output->buffers_count] =
            dvi_md5_queue_add(output->md5, buffer, n);
    DVI_TRY(dvi_writer_write(output->writer, buffer, n, err));
    output->flushed++;
    if (output->md5 && output->flushed >= output->buffers_count)
        dvi_md5_queue_wait(output->md5, output->numbers[output->flushed % output->buffers_count]);
    start_buffer(output);
    return DV_OK;
}

dv_status dvi_datadings_output_end(dvi_datadings_output *output, dvi_md5_text *md5_out,
                                   dv_error *err)
{
    DVI_TRY(dvi_datadings_output_flush(output, err));
    if (output->md5)
        dvi_md5_queue_end(output->md5, md5_out);
    return DV_OK;
}

int64_t dvi_datadings_output_at(const dvi_datadings_output *output)
{
    return dvi_writer_offset(output->writer) + (output->p - output->buffer);
}

/* Write n bytes; src NULL: zeros. */
static dv_status write_run(dvi_datadings_output *output, const uint8_t *src, size_t n,
                           dv_error *err)
{
    while (n > 0) {
        DVI_TRY(dvi_datadings_output_room(output, 1, err));
        const size_t room = (size_t)(output->end - output->p), here = n < room ? n : room;
        if (src)
            memcpy(output->p, src, here);
        else
            memset(output->p, 0, here);
        src = src ? src + here : NULL;
        output->p += here;
        n -= here;
    }
    return DV_OK;
}

dv_status dvi_datadings_output_bytes(dvi_datadings_output *output, const void *src, size_t n,
                                     dv_error *err)
{
    return write_run(output, src, n, err);
}

dv_status dvi_datadings_output_zeros(dvi_datadings_output *output, size_t n, dv_error *err)
{
    return write_run(output, NULL, n, err);
}
