/* SPDX-License-Identifier: MIT */
/* kept_blocks.c: a hash table of blocks under a lock. Blocks form a list, the oldest first, which
 * the clock algorithm goes through when there is no room: it evicts those that were not used since
 * it last looked at them. Readers hold references, and memory is freed outside the lock. */
#include "gather/kept_blocks.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/compiler.h"
#include "base/size.h"
#include "view/view.h"
#include <dataview/digest.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define BUCKETS_FIRST 64

struct dvi_block_key {
    dv_owner owner;
    dv_allocator allocator;
    uint64_t digest;
    int64_t epoch;
    bool ids;
    int32_t n;
    int32_t columns[];
};

typedef struct entry {
    struct entry *chained; /* in its bucket, or in a list of those to be freed */
    struct entry *older, *newer;
    dvi_block_key *key;
    int64_t number;
    dvi_kept_block *block;
    bool is_used; /* since the clock's hand passed */
} entry;

struct dvi_kept_blocks {
    dv_owner owner; /* the view has the only reference */
    dv_allocator allocator;
    pid_t process;
    int64_t budget;
    pthread_mutex_t lock;
    entry **buckets;
    size_t buckets_count; /* a power of two */
    entry *oldest, *newest;
    dvi_kept_count count;
};

/* --- Keys ------------------------------------------------------------------------------------- */

static size_t key_nbytes(int32_t n)
{
    return sizeof(dvi_block_key) + (size_t)n * sizeof(int32_t);
}

static void release_key(dv_owner *owner)
{
    dvi_block_key *key = (dvi_block_key *)owner;
    const dv_allocator allocator = key->allocator;
    dvi_free(&allocator, key, key_nbytes(key->n));
}

dv_status dvi_block_key_create(dvi_block_key **key_out, const dv_view *view,
                               const dv_cursor_request *request, dv_error *err)
{
    void *made;
    const dv_allocator *allocator = dvi_view_allocator(view);
    const int32_t n = request->columns_count;
    const size_t nbytes = (size_t)n * sizeof(int32_t);
    *key_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, key_nbytes(n), err));
    dvi_block_key *key = made;
    dvi_owner_init(&key->owner, release_key);
    key->allocator = dvi_allocator_of(allocator);
    key->epoch = dvi_view_depth(view) > 0 ? request->epoch : -1;
    key->ids = request->ids;
    key->n = n;
    if (n > 0)
        memcpy(key->columns, request->columns, nbytes);
    key->digest = dv_digest_8(key->columns, nbytes, (uint64_t)key->epoch * 2 + key->ids);
    *key_out = key;
    return DV_OK;
}

void dvi_block_key_release(dvi_block_key **key)
{
    if (*key)
        dvi_owner_release(&(*key)->owner);
    *key = NULL;
}

static bool is_equal(const dvi_block_key *a, const dvi_block_key *b)
{
    return a == b || (a->digest == b->digest && a->epoch == b->epoch && a->ids == b->ids &&
                      a->n == b->n && memcmp(a->columns, b->columns, (size_t)a->n * 4) == 0);
}

/* --- The table -------------------------------------------------------------------------------- */

static entry **bucket_of(const dvi_kept_blocks *kept, const dvi_block_key *key, int64_t number)
{
    const uint64_t mixed = (key->digest + (uint64_t)number) * UINT64_C(0x9E3779B97F4A7C15);
    return &kept->buckets[(mixed >> 32) & (kept->buckets_count - 1)];
}

static entry *find(const dvi_kept_blocks *kept, const dvi_block_key *key, int64_t number)
{
    entry *e = *bucket_of(kept, key, number);
    while (e && !(e->number == number && is_equal(e->key, key)))
        e = e->chained;
    return e;
}

static void link_newest(dvi_kept_blocks *kept, entry *e)
{
    e->newer = NULL;
    e->older = kept->newest;
    *(kept->newest ? &kept->newest->newer : &kept->oldest) = e;
    kept->newest = e;
}

static void unlink_entry(dvi_kept_blocks *kept, entry *e)
{
    *(e->newer ? &e->newer->older : &kept->newest) = e->older;
    *(e->older ? &e->older->newer : &kept->oldest) = e->newer;
}

/* Its key may be shared with others, and is counted for each of them. */
static int64_t cost_of(const dvi_block_key *key, const dvi_kept_block *block)
{
    return (int64_t)(sizeof(entry) + key_nbytes(key->n)) + block->nbytes;
}

static void insert(dvi_kept_blocks *kept, entry *e)
{
    entry **bucket = bucket_of(kept, e->key, e->number);
    e->chained = *bucket;
    *bucket = e;
    link_newest(kept, e);
    kept->count.blocks++;
    kept->count.nbytes += cost_of(e->key, e->block);
    kept->count.highest = dvi_max_i64(kept->count.highest, kept->count.nbytes);
}

/* Evict one block, and add it to the list *dropped. */
static void evict(dvi_kept_blocks *kept, entry **dropped)
{
    entry *e = kept->oldest;
    while (e->is_used) {
        e->is_used = false;
        unlink_entry(kept, e);
        link_newest(kept, e);
        e = kept->oldest;
    }
    entry **at = bucket_of(kept, e->key, e->number);
    while (*at != e) {
        DVI_KNOWN(*at); /* the block is in its bucket */
        at = &(*at)->chained;
    }
    *at = e->chained;
    unlink_entry(kept, e);
    kept->count.blocks--;
    kept->count.nbytes -= cost_of(e->key, e->block);
    e->chained = *dropped;
    *dropped = e;
}

static size_t table_nbytes(size_t buckets)
{
    return buckets * sizeof(entry *);
}

/* Is another bucket needed for each that is there? */
static bool is_crowded(const dvi_kept_blocks *kept)
{
    return (uint64_t)kept->count.blocks >= kept->buckets_count;
}

/* Double the table. */
static dv_status widen(dvi_kept_blocks *kept, dv_error *err)
{
    const size_t before = kept->buckets_count;
    entry **old = kept->buckets, **buckets;
    DVI_TRY(DVI_NEW(&kept->allocator, &buckets, 2 * before, err));
    kept->buckets = buckets;
    kept->buckets_count = 2 * before;
    for (entry *e = kept->oldest; e; e = e->newer) {
        entry **bucket = bucket_of(kept, e->key, e->number);
        e->chained = *bucket;
        *bucket = e;
    }
    kept->count.nbytes += (int64_t)table_nbytes(before);
    dvi_free(&kept->allocator, old, table_nbytes(before));
    return DV_OK;
}

/* --- Finding and adding ----------------------------------------------------------------------- */

/* Another process has forked this one: a thread that is not here may hold the lock. */
static bool is_foreign(const dvi_kept_blocks *kept)
{
    return kept->process != getpid();
}

dvi_kept_block *dvi_kept_blocks_find(dvi_kept_blocks *kept, const dvi_block_key *key,
                                     int64_t number)
{
    dvi_kept_block *block = NULL;
    if (is_foreign(kept))
        return NULL;
    pthread_mutex_lock(&kept->lock);
    entry *e = find(kept, key, number);
    if (e) {
        e->is_used = true;
        block = e->block;
        dvi_owner_retain(&block->owner);
        kept->count.found++;
    }
    pthread_mutex_unlock(&kept->lock);
    return block;
}

static void free_entries(const dvi_kept_blocks *kept, entry *e)
{
    for (entry *next; e; e = next) {
        next = e->chained;
        dvi_kept_block_release(&e->block);
        dvi_block_key_release(&e->key);
        dvi_free(&kept->allocator, e, sizeof *e);
    }
}

/* Evict blocks until there is room for nbytes. False: the budget is too small. */
static bool make_room(dvi_kept_blocks *kept, int64_t nbytes, entry **dropped)
{
    while (kept->oldest && kept->count.nbytes > kept->budget - nbytes)
        evict(kept, dropped);
    return kept->count.nbytes <= kept->budget - nbytes;
}

/* Insert *e, which becomes NULL, unless the block is there or there is no room for it. */
static dv_status add(dvi_kept_blocks *kept, entry **e, entry **dropped, dv_error *err)
{
    const int64_t need = cost_of((*e)->key, (*e)->block);
    if (find(kept, (*e)->key, (*e)->number))
        return DV_OK;
    const int64_t wider = is_crowded(kept) ? (int64_t)table_nbytes(kept->buckets_count) : 0;
    if (!make_room(kept, need + wider, dropped))
        return DV_OK;
    if (is_crowded(kept))
        DVI_TRY(widen(kept, err));
    insert(kept, *e);
    *e = NULL;
    return DV_OK;
}

dv_status dvi_kept_blocks_add(dvi_kept_blocks *kept, dvi_block_key *key, int64_t number,
                              dvi_kept_block *block, dv_error *err)
{
    entry *e, *dropped = NULL;
    if (block->held_nbytes == 0 || is_foreign(kept) || cost_of(key, block) > kept->budget)
        return DV_OK;
    DVI_TRY(DVI_NEW(&kept->allocator, &e, 1, err));
    dvi_owner_retain(&key->owner);
    dvi_owner_retain(&block->owner);
    *e = (entry){.key = key, .number = number, .block = block};
    pthread_mutex_lock(&kept->lock);
    const dv_status status = add(kept, &e, &dropped, err);
    pthread_mutex_unlock(&kept->lock);
    free_entries(kept, dropped);
    free_entries(kept, e);
    return status;
}

/* --- Life ------------------------------------------------------------------------------------- */

/* A child leaves the blocks of its parent alone, whose threads may have been at work on them. */
static void release_kept(dv_owner *owner)
{
    dvi_kept_blocks *kept = (dvi_kept_blocks *)owner;
    entry *dropped = NULL;
    if (is_foreign(kept))
        return;
    while (kept->oldest)
        evict(kept, &dropped);
    free_entries(kept, dropped);
    pthread_mutex_destroy(&kept->lock);
    const dv_allocator allocator = kept->allocator;
    dvi_free(&allocator, kept->buckets, table_nbytes(kept->buckets_count));
    dvi_free(&allocator, kept, sizeof *kept);
}

static dv_status create(dvi_kept_blocks **kept_out, const dv_view *view, dv_error *err)
{
    dvi_kept_blocks *kept;
    const dv_allocator *allocator = dvi_view_allocator(view);
    *kept_out = NULL;
    DVI_TRY(DVI_NEW(allocator, &kept, 1, err));
    const dv_status status = DVI_NEW(allocator, &kept->buckets, BUCKETS_FIRST, err);
    if (status < 0) {
        dvi_free(allocator, kept, sizeof *kept);
        return status;
    }
    dvi_owner_init(&kept->owner, release_kept);
    pthread_mutex_init(&kept->lock, NULL);
    kept->allocator = *allocator;
    kept->process = getpid();
    kept->budget = dvi_view_limits_of(view)->block_cache_nbytes;
    kept->buckets_count = BUCKETS_FIRST;
    kept->count.nbytes = kept->count.highest =
        (int64_t)(sizeof *kept + table_nbytes(BUCKETS_FIRST));
    *kept_out = kept;
    return DV_OK;
}

dv_status dvi_kept_blocks_of(dvi_kept_blocks **kept_out, dv_view *view, dv_error *err)
{
    const int64_t least = (int64_t)(sizeof(dvi_kept_blocks) + table_nbytes(BUCKETS_FIRST));
    dv_owner *before = dvi_view_kept(view, DVI_KEPT_BLOCKS);
    dvi_kept_blocks *made;
    *kept_out = NULL;
    if (dvi_view_limits_of(view)->block_cache_nbytes <= least)
        return DV_OK;
    if (!before || is_foreign((const dvi_kept_blocks *)before)) {
        DVI_TRY(create(&made, view, err));
        if (dvi_view_keep(view, DVI_KEPT_BLOCKS, &before, &made->owner))
            before = &made->owner;
        else
            dvi_owner_release(&made->owner);
    }
    *kept_out = (dvi_kept_blocks *)before;
    return DV_OK;
}

dvi_kept_count dvi_kept_blocks_count(dv_view *view)
{
    dvi_kept_blocks *kept = (dvi_kept_blocks *)dvi_view_kept(view, DVI_KEPT_BLOCKS);
    if (!kept || is_foreign(kept))
        return (dvi_kept_count){0};
    pthread_mutex_lock(&kept->lock);
    const dvi_kept_count count = kept->count;
    pthread_mutex_unlock(&kept->lock);
    return count;
}
