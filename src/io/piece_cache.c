/* SPDX-License-Identifier: MIT */
/* piece_cache.c: keeps pieces of sources, and copies from them. */
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include "io/piece_cache_priv.h"
#include <string.h>
#include <time.h>

#define GAP_NBYTES (INT64_C(16) << 10) /* fetched rather than asked for twice */

/* The place of the first piece that ends after the offset. */
static size_t place_of(const dvi_pieces *s, int64_t offset)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->piece[middle]->to <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool dvi_piece_must_wait(const dvi_piece *p)
{
    const dvi_pieces *s = p->of;
    const int64_t from = p->from - p->from % DVI_DISK_BLOCK_NBYTES;
    const int64_t last = p->to - 1,
                  to = last - last % DVI_DISK_BLOCK_NBYTES + DVI_DISK_BLOCK_NBYTES;
    for (size_t k = place_of(s, from); s->disk && k < s->count && s->piece[k]->from < to; k++)
        if (s->piece[k]->state == DVI_PIECE_FETCHING)
            return true;
    return false;
}

/* The piece that has the byte; NULL: none. */
static dvi_piece *find(const dvi_pieces *s, int64_t offset)
{
    const size_t k = place_of(s, offset);
    return k < s->count && s->piece[k]->from <= offset ? s->piece[k] : NULL;
}

/* Up to where all bytes from the offset on are there, or on their way. */
static int64_t covered_to(const dvi_pieces *s, int64_t offset)
{
    for (size_t k = place_of(s, offset); k < s->count && s->piece[k]->from <= offset; k++)
        offset = s->piece[k]->to;
    return offset;
}

/* --- Pieces that come and go ------------------------------------------------------------------ */

void dvi_piece_free(dvi_piece *p)
{
    dvi_piece_cache *cache = p->of->cache;
    cache->nbytes -= p->to - p->from;
    dvi_free(&cache->allocator, p->data, (size_t)(p->to - p->from));
    dvi_free(&cache->allocator, p->err, sizeof *p->err);
    dvi_free(&cache->allocator, p, sizeof *p);
}

void dvi_piece_forget(dvi_piece *p)
{
    dvi_pieces *s = p->of;
    const size_t k = place_of(s, p->from);
    memmove(&s->piece[k], &s->piece[k + 1], (s->count - k - 1) * sizeof(dvi_piece *));
    s->count--;
}

/* Let the pieces go that were not used for longest, until there is room; whether there is. */
static bool make_room(dvi_piece_cache *cache, int64_t nbytes)
{
    while (cache->nbytes + nbytes > cache->options.cache_nbytes && cache->unused.first) {
        dvi_piece *p = cache->unused.first;
        dvi_piece_take_out(&cache->unused, p);
        dvi_piece_forget(p);
        dvi_piece_free(p);
    }
    return cache->nbytes + nbytes <= cache->options.cache_nbytes;
}

/* A queued piece at place k; NULL: no memory. */
static dvi_piece *insert(dvi_pieces *s, size_t k, int64_t from, int64_t to)
{
    const dv_allocator *allocator = &s->cache->allocator;
    void *made, *data, *array = s->piece;
    if (!DVI_ATTEMPT("piece_cache.c insert",
                     dvi_array_reserve(allocator, &array, &s->cap, s->count + 1,
                                       sizeof(dvi_piece *), NULL) == DV_OK))
        return NULL;
    s->piece = array;
    if (dvi_alloc_zeroed(allocator, &made, sizeof(dvi_piece), NULL) < 0)
        return NULL;
    if (dvi_alloc(allocator, &data, (size_t)(to - from), NULL) < 0) {
        dvi_free(allocator, made, sizeof(dvi_piece));
        return NULL;
    }
    dvi_piece *p = made;
    *p = (dvi_piece){.of = s, .from = from, .to = to, .data = data};
    memmove(&s->piece[k + 1], &s->piece[k], (s->count - k) * sizeof(dvi_piece *));
    s->piece[k] = p;
    s->count++;
    s->cache->nbytes += to - from;
    dvi_piece_append(&s->cache->queue, p);
    return p;
}

/* Why bytes are fetched. */
typedef enum reason { NEEDED, AHEAD, ANNOUNCED } reason;

/* Queue what is missing of from..to - 1, as far as there is room and memory; if it is needed, the
 * first piece without room too. */
static void cover(dvi_pieces *s, int64_t from, int64_t to, reason why)
{
    bool is_needed = why == NEEDED;
    const dv_source_options *o = &s->cache->options;
    from -= from % o->piece_nbytes;
    to = dvi_min_i64(s->nbytes, (to + o->piece_nbytes - 1) / o->piece_nbytes * o->piece_nbytes);
    for (size_t k = place_of(s, from); from < to; k++) {
        if (k < s->count && s->piece[k]->from <= from) {
            from = s->piece[k]->to;
            continue;
        }
        const int64_t next = k < s->count ? s->piece[k]->from : s->nbytes;
        const int64_t end = dvi_min_i64(dvi_min_i64(to, next), from + o->request_nbytes);
        if (!make_room(s->cache, end - from) && !is_needed)
            return;
        k = place_of(s, from); /* pieces have left */
        dvi_piece *p = insert(s, k, from, end);
        if (!p)
            return;
        p->is_announced = why == ANNOUNCED;
        is_needed = false;
        from = end;
    }
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Few bytes, which nothing announced, are fetched with their neighbours: those after them, at the
 * end of the source those before. */
static void cover_around(dvi_pieces *s, int64_t from, int64_t to)
{
    const int64_t least = s->cache->options.least_nbytes;
    if (to - from >= least)
        return;
    to = dvi_min_i64(s->nbytes, from + least);
    cover(s, dvi_min_i64(from, dvi_max_i64(0, to - least)), to, AHEAD);
}

/* The piece that has the byte, kept for the caller; NULL: none. */
static dvi_piece *keep(dvi_pieces *s, int64_t offset)
{
    dvi_piece *p = find(s, offset);
    if (p && p->users++ == 0 && p->state == DVI_PIECE_READY)
        dvi_piece_take_out(&s->cache->unused, p);
    return p;
}

/* Keep the piece that has the byte at `at`, and queue those up to `to`, as far as requests reach,
 * and those ahead.  NULL: no memory. */
static dvi_piece *prepare(dvi_pieces *s, int64_t at, int64_t to, int64_t ahead)
{
    const int64_t wanted = dvi_min_i64(to, at + dvi_piece_cache_ahead(s->cache));
    dvi_piece *p = keep(s, at);
    if (!p) {
        if (ahead == 0)
            cover_around(s, at, wanted);
        cover(s, at, wanted, NEEDED);
        p = keep(s, at);
    }
    cover(s, at, wanted, AHEAD);
    /* once half of what is ahead is gone, so that requests are large */
    const int64_t there = dvi_max_i64(wanted, covered_to(s, wanted));
    if (ahead > 0 && wanted == to && there - to < ahead / 2)
        cover(s, there, dvi_min_i64(s->nbytes, to + ahead), AHEAD);
    dvi_piece_cache_fetch(s->cache);
    return p;
}

/* A piece that somebody waits for is fetched next. */
static void hurry(dvi_piece *p)
{
    if (p->state != DVI_PIECE_QUEUED)
        return;
    dvi_piece_take_out(&p->of->cache->queue, p);
    dvi_piece_prepend(&p->of->cache->queue, p);
}

/* The last user of a piece lets it go. */
static void leave(dvi_piece *p)
{
    if (--p->users > 0)
        return;
    if (p->state == DVI_PIECE_FAILED)
        dvi_piece_free(p);
    else if (p->state == DVI_PIECE_READY)
        dvi_piece_append(&p->of->cache->unused, p);
}

static dv_status fail_read(const dvi_piece *p, dv_error *err)
{
    if (!p->err)
        return dvi_fail_memory(err, sizeof *p->err);
    if (err)
        *err = *p->err;
    if (err && err->status >= 0) /* read_at did not say what was wrong */
        dv_source_fail(err, p->status, "it could not be read");
    return p->status;
}

/* Wait for a piece that the caller keeps, and copy what it has from `at` to `end`; the lock is held
 * before and after. */
static dv_status copy_piece(dvi_piece *p, int64_t at, int64_t end, uint8_t *dst, dv_error *err)
{
    dvi_pieces *s = p->of;
    const bool is_ready = p->state == DVI_PIECE_READY;
    hurry(p);
    pthread_mutex_unlock(&s->cache->lock);
    const bool is_over = is_ready || dvi_pieces_wait(s, p);
    pthread_mutex_lock(&s->cache->lock);
    if (p->state == DVI_PIECE_FAILED)
        return fail_read(p, err);
    if (p->state != DVI_PIECE_READY && !is_over)
        return dvi_fail(err, DV_ERR_STOPPED, "", -1, "not read", "%s", "stopped on request");
    pthread_mutex_unlock(&s->cache->lock); /* it stays as it is while it is kept */
    memcpy(dst, p->data + (at - p->from), (size_t)(dvi_min_i64(end, p->to) - at));
    pthread_mutex_lock(&s->cache->lock);
    return DV_OK;
}

/* How far to fetch ahead of bytes that are read: who announces what it needs needs no more. */
static int64_t ahead_of(dvi_pieces *s, int64_t offset, int64_t end)
{
    const dvi_piece *p = find(s, offset);
    if (p && p->is_announced)
        return 0;
    return dvi_piece_readers_ahead(&s->readers, offset, end, s->cache->options.least_nbytes,
                                   dvi_piece_cache_ahead(s->cache));
}

/* Copy bytes from `at` up to *next_out, where a piece ends.  If the request for it was on its way
 * already, and fails, the piece is fetched again. */
static dv_status read_piece(dvi_pieces *s, int64_t at, int64_t end, int64_t ahead, uint8_t *dst,
                            int64_t *next_out, dv_error *err)
{
    for (bool is_again = false;; is_again = true) {
        dvi_piece *p = prepare(s, at, end, ahead);
        if (!p)
            return dvi_fail_memory(err, (size_t)s->cache->options.request_nbytes);
        const bool is_joined = p->state == DVI_PIECE_FETCHING && !is_again;
        dv_error own = DV_ERROR_INIT;
        *next_out = p->to;
        const dv_status status = copy_piece(p, at, end, dst, &own);
        const bool has_failed = p->state == DVI_PIECE_FAILED;
        leave(p);
        if (has_failed && is_joined)
            continue;
        if (status < 0 && err)
            *err = own;
        return status;
    }
}

dv_status dvi_pieces_read(dvi_pieces *s, int64_t offset, size_t nbytes, uint8_t *dst, dv_error *err)
{
    const int64_t end = offset + (int64_t)nbytes;
    dv_status status = DV_OK;
    pthread_mutex_lock(&s->cache->lock);
    const int64_t ahead = ahead_of(s, offset, end);
    for (int64_t at = offset, next; status == DV_OK && at < end; at = next) {
        status = read_piece(s, at, end, ahead, dst + (at - offset), &next, err);
        next = status == DV_OK ? next : end;
    }
    pthread_mutex_unlock(&s->cache->lock);
    return status;
}

void dvi_pieces_advise(dvi_pieces *s, const dvi_range *ranges, size_t n)
{
    pthread_mutex_lock(&s->cache->lock);
    for (size_t i = 0; i < n;) {
        const int64_t from = ranges[i].offset;
        int64_t to = from + ranges[i].nbytes;
        int64_t asked = ranges[i].nbytes;
        for (i++; i < n && ranges[i].offset >= to &&
                  ranges[i].offset - to <=
                      dvi_max_i64(s->cache->options.piece_nbytes, dvi_min_i64(GAP_NBYTES, asked));
             i++) {
            to = ranges[i].offset + ranges[i].nbytes;
            asked += ranges[i].nbytes;
        }
        cover(s, from, to, ANNOUNCED);
    }
    dvi_piece_cache_fetch(s->cache);
    pthread_mutex_unlock(&s->cache->lock);
}

/* --- Life ------------------------------------------------------------------------------------- */

int64_t dvi_piece_cache_ahead(const dvi_piece_cache *cache)
{
    const dv_source_options *o = &cache->options;
    return dvi_min_i64(o->requests * o->request_nbytes, o->cache_nbytes / 2);
}

static size_t cache_nbytes(const dvi_piece_cache *cache)
{
    return sizeof *cache + (size_t)cache->options.requests * sizeof *cache->thread;
}

dv_status dvi_piece_cache_create(dvi_piece_cache **cache_out, const dv_source_options *options,
                                 const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *cache_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made,
                             cache_nbytes(&(dvi_piece_cache){.options = *options}), err));
    dvi_piece_cache *cache = made;
    cache->allocator = dvi_allocator_of(allocator);
    cache->options = *options;
    cache->refs = 1;
    pthread_mutex_init(&cache->lock, NULL);
    dvi_os_condition_init(&cache->changed);
    const dv_status status = options->disk_folder
                                 ? dvi_disk_folder_open(&cache->folder, options->disk_folder,
                                                        options->disk_nbytes, allocator, err)
                                 : DV_OK;
    if (status < 0)
        dvi_piece_cache_release(&cache);
    *cache_out = cache;
    return status;
}

void dvi_piece_cache_release(dvi_piece_cache **cache)
{
    dvi_piece_cache *c = *cache;
    *cache = NULL;
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    const bool is_last = --c->refs == 0;
    c->has_ended = is_last;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    if (!is_last)
        return;
    for (int32_t i = 0; i < c->threads; i++)
        dvi_thread_join(&c->thread[i]);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    dvi_disk_folder_close(&c->folder);
    const dv_allocator allocator = c->allocator;
    dvi_free(&allocator, c, cache_nbytes(c));
}

dv_status dvi_pieces_create(dvi_pieces **pieces_out, dvi_piece_cache *cache,
                            const dv_source *source, int64_t nbytes, dv_error *err)
{
    void *made;
    *pieces_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&cache->allocator, &made, sizeof(dvi_pieces), err));
    dvi_pieces *s = made;
    s->cache = cache;
    s->source = source;
    s->nbytes = nbytes;
    if (cache->folder) {
        const dvi_disk_below below = dvi_pieces_below(s);
        const dv_status status =
            dvi_disk_source_create(&s->disk, cache->folder, source->name, source->version, nbytes,
                                   &below, &cache->allocator, err);
        if (status < 0) {
            dvi_free(&cache->allocator, s, sizeof *s);
            return status;
        }
    }
    pthread_mutex_lock(&cache->lock);
    cache->refs++;
    pthread_mutex_unlock(&cache->lock);
    *pieces_out = s;
    return DV_OK;
}

dvi_piece_counts dvi_pieces_counts(const dvi_pieces *s)
{
    const dvi_disk_counts disk =
        s->disk ? dvi_disk_source_counts(s->disk) : (dvi_disk_counts){0, 0, ""};
    return (dvi_piece_counts){atomic_load(&s->requests), atomic_load(&s->fetched_nbytes),
                              disk.read_nbytes, disk.kept_nbytes, disk.note};
}

/* Forget what no request is fetching; with the lock held. */
static void forget_all(dvi_pieces *s)
{
    size_t kept = 0;
    for (size_t k = 0; k < s->count; k++) {
        dvi_piece *p = s->piece[k];
        if (p->state == DVI_PIECE_FETCHING) {
            s->piece[kept++] = p;
            continue;
        }
        dvi_piece_take_out(p->state == DVI_PIECE_QUEUED ? &s->cache->queue : &s->cache->unused, p);
        dvi_piece_free(p);
    }
    s->count = kept;
}

void dvi_pieces_free(dvi_pieces **pieces)
{
    dvi_pieces *s = *pieces;
    *pieces = NULL;
    if (!s)
        return;
    dvi_piece_cache *cache = s->cache;
    pthread_mutex_lock(&cache->lock);
    forget_all(s);
    s->is_closing = true;
    pthread_cond_broadcast(&cache->changed);
    const bool is_fetching = s->fetching > 0;
    pthread_mutex_unlock(&cache->lock);
    if (is_fetching && s->source->cancel)
        s->source->cancel(s->source->ctx);
    pthread_mutex_lock(&cache->lock);
    while (s->fetching > 0) {
        pthread_mutex_unlock(&cache->lock);
        dvi_pieces_wait(s, NULL);
        pthread_mutex_lock(&cache->lock);
    }
    forget_all(s);
    pthread_mutex_unlock(&cache->lock);
    dvi_disk_source_free(&s->disk);
    dvi_free(&cache->allocator, s->piece, s->cap * sizeof(dvi_piece *));
    dvi_free(&cache->allocator, s, sizeof *s);
    dvi_piece_cache_release(&cache);
}
