/* SPDX-License-Identifier: MIT */
/* md5_queue.c: computes the MD5 of files in a thread. */
#include "codec/md5_queue.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/threads.h"

#define QUEUED 16                         /* runs at most */
#define HANDED_NBYTES ((size_t)256 << 10) /* less takes less time than starting a thread */

/* Bytes of a file; or, with text_out, the end of a file. */
typedef struct run {
    const void *src;
    size_t n;
    dvi_md5_text *text_out;
} run;

struct dvi_md5_queue {
    dv_allocator allocator;
    dvi_md5 *md5;         /* used only by the worker once it has a run */
    dvi_threads *threads; /* NULL: none */
    bool is_handed;       /* the worker has a run, so it must do all later ones, in order */
    run runs[QUEUED];     /* number k in slot k % QUEUED */
    int64_t count;        /* runs passed to the worker */
};

static void digest(dvi_md5 *md5, const run *r)
{
    if (r->text_out)
        *r->text_out = dvi_md5_end(md5);
    else
        dvi_md5_add(md5, r->src, r->n);
}

static void digest_job(void *ctx, int64_t job, int32_t worker)
{
    dvi_md5_queue *queue = ctx;
    (void)worker;
    digest(queue->md5, &queue->runs[job % QUEUED]);
}

dv_status dvi_md5_queue_create(dvi_md5_queue **queue_out, int32_t threads,
                               const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *queue_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_md5_queue), err));
    dvi_md5_queue *queue = made;
    queue->allocator = dvi_allocator_of(allocator);
    dv_status status = dvi_md5_create(&queue->md5, allocator, err);
    if (status == DV_OK && threads > 1)
        status =
            dvi_threads_create(&queue->threads, 1, QUEUED, 0, digest_job, queue, allocator, err);
    if (status < 0) {
        dvi_md5_queue_free(&queue);
        return status;
    }
    if (queue->threads)
        dvi_threads_keep_order(queue->threads);
    *queue_out = queue;
    return DV_OK;
}

void dvi_md5_queue_free(dvi_md5_queue **queue)
{
    dvi_md5_queue *q = *queue;
    *queue = NULL;
    if (!q)
        return;
    const dv_allocator allocator = q->allocator;
    dvi_threads_free(&q->threads);
    dvi_md5_free(&q->md5);
    dvi_free(&allocator, q, sizeof *q);
}

/* Pass a run to the worker and return its number; -1: it is done already. */
static int64_t take(dvi_md5_queue *q, const run *r)
{
    if (!q->is_handed) {
        digest(q->md5, r);
        return -1;
    }
    const int64_t number = q->count++;
    dvi_md5_queue_wait(q, number - QUEUED); /* which has the same slot */
    q->runs[number % QUEUED] = *r;
    dvi_threads_allow(q->threads, q->count);
    return number;
}

int64_t dvi_md5_queue_add(dvi_md5_queue *q, const void *src, size_t n)
{
    q->is_handed |= q->threads && n >= HANDED_NBYTES;
    return take(q, &(run){src, n, NULL});
}

void dvi_md5_queue_end(dvi_md5_queue *q, dvi_md5_text *text_out)
{
    take(q, &(run){NULL, 0, text_out});
}

void dvi_md5_queue_wait(dvi_md5_queue *q, int64_t number)
{
    if (q->is_handed)
        dvi_threads_give_back(q->threads, number < q->count ? number + 1 : q->count);
}
