/* SPDX-License-Identifier: MIT */
/* md5_queue.h: which MD5 have these files, while somebody else makes and writes them?
 *
 * MD5 is slower than a disk can be and takes one byte after the other, so a thread of its own does
 * it, after the one that has the bytes.  All functions are for that one alone. */
#ifndef DVI_CODEC_MD5_QUEUE_H
#define DVI_CODEC_MD5_QUEUE_H

#include "codec/md5.h"
#include <dataview/buffer.h>

typedef struct dvi_md5_queue dvi_md5_queue;

/* threads: below 2, or where the system gives none, each call does the work itself.  Fails as
 * dvi_md5_create does. */
dv_status dvi_md5_queue_create(dvi_md5_queue **queue_out, int32_t threads,
                               const dv_allocator *allocator, dv_error *err);
/* What is under way is finished before it is freed.  Sets the pointer to NULL; NULL is fine. */
void dvi_md5_queue_free(dvi_md5_queue **queue);

/* The next bytes of a file, which must stay as they are until dvi_md5_queue_wait says so.  Returns
 * the number of this run of bytes; -1: it is digested already. */
int64_t dvi_md5_queue_add(dvi_md5_queue *queue, const void *src, size_t n);
/* That was all of the file; *text_out is written before the end of a wait for all.  The next file
 * follows. */
void dvi_md5_queue_end(dvi_md5_queue *queue, dvi_md5_text *text_out);

/* Wait until the run of that number is digested, and all before it; INT64_MAX: all of them. */
void dvi_md5_queue_wait(dvi_md5_queue *queue, int64_t number);

#endif
