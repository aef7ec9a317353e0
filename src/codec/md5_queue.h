/* SPDX-License-Identifier: MIT */
/* md5_queue.h: computes the MD5 of files in a thread, while another thread writes them.
 *
 * MD5 can be slower than the disk and cannot be divided among threads, so one thread computes it
 * while another writes. Only the writing thread may call these functions. */
#ifndef DVI_CODEC_MD5_QUEUE_H
#define DVI_CODEC_MD5_QUEUE_H

#include "codec/md5.h"
#include <dataview/buffer.h>

typedef struct dvi_md5_queue dvi_md5_queue;

/* threads: if it is below 2, or the system refuses a thread, the calls do the work themselves.
 * Statuses of dvi_md5_create. */
dv_status dvi_md5_queue_create(dvi_md5_queue **queue_out, int32_t threads,
                               const dv_allocator *allocator, dv_error *err);
/* Wait for the run in progress, and free the queue. Sets the pointer to NULL; NULL is fine. */
void dvi_md5_queue_free(dvi_md5_queue **queue);

/* Add the next bytes of a file. They must not change before dvi_md5_queue_wait returns for them.
 * Returns the number of this run of bytes; -1: it is digested already. */
int64_t dvi_md5_queue_add(dvi_md5_queue *queue, const void *src, size_t n);
/* End the file, and begin the next one. *text_out is set when a wait for all runs returns. */
void dvi_md5_queue_end(dvi_md5_queue *queue, dvi_md5_text *text_out);

/* Wait until the run with that number and all before it are digested; INT64_MAX: all runs. */
void dvi_md5_queue_wait(dvi_md5_queue *queue, int64_t number);

#endif
