/* SPDX-License-Identifier: MIT */
/* map_packed.c: what is packed in a file, as the source of a stream.
 *
 * A thread may unpack ahead: job k fills slot k % SLOTS, and the jobs run in order.  After a
 * failure they do nothing, and the consumer, which has taken all bytes before it, goes on without
 * them: so a call that is repeated goes on where it failed. */
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/threads.h"
#include "io/map_priv.h"
#include "io/unpack.h"
#include <string.h>

#define SLOTS 4
#define SLOT_NBYTES ((size_t)256 << 10)

typedef struct packed {
    dv_allocator allocator;
    dvi_packing packing;
    int64_t window_nbytes;
    dvi_unpacker *unpacker; /* of the jobs, while there are threads */

    dvi_threads *threads; /* NULL: nothing is unpacked ahead */
    dvi_memory *slots;
    size_t filled[SLOTS]; /* by job k; less than a slot: the end or a failure follows */
    bool has_stopped;     /* of the jobs */
    int64_t job;          /* from which bytes are taken */
    size_t taken;
} packed;

static uint8_t *slot_of(const packed *p, int64_t job)
{
    return p->slots->data + (size_t)(job % SLOTS) * SLOT_NBYTES;
}

/* Fill a slot as far as possible. */
static void run_job(void *ctx, int64_t job, int32_t worker)
{
    packed *p = ctx;
    size_t *filled = &p->filled[job % SLOTS], got = 1;
    (void)worker;
    for (*filled = 0; *filled < SLOT_NBYTES && !p->has_stopped; *filled += got)
        p->has_stopped =
            !DVI_ATTEMPT("map_packed.c run_job",
                         dvi_unpacker_read(p->unpacker, slot_of(p, job) + *filled,
                                           SLOT_NBYTES - *filled, &got, NULL) == DV_OK) ||
            got == 0;
}

/* Take bytes that were unpacked ahead; none: the jobs have stopped. */
static size_t take(packed *p, uint8_t *dst, size_t cap)
{
    for (;;) {
        dvi_threads_wait(p->threads, p->job);
        const size_t filled = p->filled[p->job % SLOTS], left = filled - p->taken;
        if (left > 0) {
            const size_t n = left < cap ? left : cap;
            memcpy(dst, slot_of(p, p->job) + p->taken, n);
            p->taken += n;
            return n;
        }
        if (filled < SLOT_NBYTES)
            return 0;
        dvi_threads_give_back(p->threads, ++p->job);
        p->taken = 0;
    }
}

static dv_status read_packed(void *self, uint8_t *dst, size_t cap, size_t *got_out, dv_error *err)
{
    packed *p = self;
    *got_out = p->threads ? take(p, dst, cap) : 0;
    if (*got_out > 0)
        return DV_OK;
    dvi_threads_free(&p->threads);
    return dvi_unpacker_read(p->unpacker, dst, cap, got_out, err);
}

static void close_packed(void *self)
{
    packed *p = self;
    const dv_allocator allocator = p->allocator;
    dvi_threads_free(&p->threads);
    dvi_unpacker_free(&p->unpacker);
    dvi_memory_release(&p->slots);
    dvi_free(&allocator, p, sizeof *p);
}

static dv_status open_again(void *self, dvi_map *stored, bool is_ahead, dvi_map **map_out,
                            dv_error *err);

static const dvi_stream_source packed_source = {read_packed, close_packed, open_again};

static dv_status start_ahead(packed *p, dv_error *err)
{
    DVI_TRY(dvi_memory_create(&p->slots, &p->allocator, SLOTS * SLOT_NBYTES, err));
    DVI_TRY(dvi_threads_create(&p->threads, 1, SLOTS, INT64_MAX, run_job, p, &p->allocator, err));
    dvi_threads_keep_order(p->threads);
    return DV_OK;
}

/* From a pipe the packed bytes are read once, like the others. */
static dv_status set_up(packed *p, dvi_map *stored, bool is_ahead, dv_error *err)
{
    dvi_map *reading;
    DVI_TRY(dvi_map_begin_reading(stored, false, &reading, err));
    const dv_status status =
        dvi_unpacker_create(&p->unpacker, reading, p->packing, p->window_nbytes, err);
    dvi_map_release(&reading);
    DVI_TRY(status);
    return is_ahead ? start_ahead(p, err) : DV_OK;
}

static dv_status open_packed(dvi_map **map_out, dvi_map *stored, const packed *like, bool is_ahead,
                             dv_error *err)
{
    void *made;
    *map_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&like->allocator, &made, sizeof(packed), err));
    packed *p = made;
    p->allocator = like->allocator;
    p->packing = like->packing;
    p->window_nbytes = like->window_nbytes;
    dv_status status = set_up(p, stored, is_ahead, err);
    if (status == DV_OK)
        status = dvi_map_create_stream(map_out, &packed_source, p, stored, dvi_map_name(stored),
                                       &p->allocator, err);
    if (status != DV_OK) {
        dvi_error_set_file(err, dvi_map_name(stored));
        close_packed(p);
    }
    return status;
}

static dv_status open_again(void *self, dvi_map *stored, bool is_ahead, dvi_map **map_out,
                            dv_error *err)
{
    return open_packed(map_out, stored, self, is_ahead, err);
}

dv_status dvi_map_open_packed(dvi_map **map_out, dvi_map *stored, dvi_packing packing,
                              int64_t window_nbytes, dv_error *err)
{
    const packed like = {.allocator = *dvi_map_allocator(stored),
                         .packing = packing,
                         .window_nbytes = window_nbytes};
    return open_packed(map_out, stored, &like, false, err);
}
