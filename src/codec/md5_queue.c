/* SPDX-License-Identifier: MIT */
/* md5_queue.c: computes the MD5 of files in a thread. */
#include "codec/md5_queue.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/tasks.h"

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
    dvi_md5 *md5;     /* used only by the worker once it has a run */
    dvi_tasks *tasks; /* each a run; NULL: no thread may help */
    bool is_handed;   /* the worker has a run, so it must do all later ones, in order */
    int64_t count;    /* runs passed to the worker */
};

static void digest(dvi_md5 *md5, const run *r)
{
    if (r->text_out)
        *r->text_out = dvi_md5_end(md5);
    else
        dvi_md5_add(md5, r->src, r->n);
}

static dv_status digest_task(void *ctx, const dvi_task *task, dv_error *err)
{
    const dvi_md5_queue *queue = ctx;
    (void)err;
    digest(queue->md5, task->place);
    return DV_OK;
}

dv_status dvi_md5_queue_create(dvi_md5_queue **queue_out, int32_t threads,
                               const dv_allocator *allocator, dv_error *err)
{
    dvi_md5_queue *queue;
    *queue_out = NULL;
    DVI_TRY(DVI_NEW(allocator, &queue, 1, err));
    queue->allocator = dvi_allocator_of(allocator);
    const dvi_tasks_how how = {.ctx = queue,
                               .run = digest_task,
                               .place_nbytes = sizeof(run),
                               .workers = 1,
                               .window = QUEUED,
                               .runs_once = true,
                               .in_order = true};
    dv_status status = dvi_md5_create(&queue->md5, allocator, err);
    if (status == DV_OK && threads > 1)
        status = dvi_tasks_create(&queue->tasks, &how, allocator, err);
    if (status < 0)
        dvi_md5_queue_free(&queue);
    *queue_out = queue;
    return status;
}

void dvi_md5_queue_free(dvi_md5_queue **queue)
{
    dvi_md5_queue *q = *queue;
    *queue = NULL;
    if (!q)
        return;
    const dv_allocator allocator = q->allocator;
    dvi_tasks_free(&q->tasks);
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
    *(run *)dvi_tasks_place(q->tasks, number) = *r;
    dvi_tasks_allow(q->tasks, q->count);
    return number;
}

int64_t dvi_md5_queue_add(dvi_md5_queue *q, const void *src, size_t n)
{
    q->is_handed |= q->tasks && n >= HANDED_NBYTES;
    return take(q, &(run){src, n, NULL});
}

void dvi_md5_queue_end(dvi_md5_queue *q, dvi_md5_text *text_out)
{
    take(q, &(run){NULL, 0, text_out});
}

void dvi_md5_queue_wait(dvi_md5_queue *q, int64_t number)
{
    if (q->is_handed)
        dvi_tasks_give_back(q->tasks, number < q->count ? number + 1 : q->count);
}
