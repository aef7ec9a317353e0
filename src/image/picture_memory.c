/* SPDX-License-Identifier: MIT */
/* picture_memory.c: memory for pixels, which is used again. */
#include "image/picture_memory.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- Blocks ----------------------------------------------------------------------------------- */

#define ALIGNMENT 64 /* of blocks: a line of the cache */
#define NBYTES_MOST (SIZE_MAX / 2)

/* Stands before a block. */
typedef struct head {
    dv_allocator allocator; /* a copy: a block may outlive the step; without functions: malloc */
    size_t nbytes;          /* with the head */
    dvi_pool *pool;         /* NULL: none */
    struct head *next;      /* of those that a pool keeps */
} head;

static head *head_of(void *block)
{
    return (head *)(void *)((uint8_t *)block - ALIGNMENT);
}

static void *block_of(head *h)
{
    return (uint8_t *)h + ALIGNMENT;
}

void *dvi_block_create(size_t nbytes, const dv_allocator *allocator)
{
    _Static_assert(sizeof(head) <= ALIGNMENT, "room for the head");
    if (nbytes > NBYTES_MOST)
        return NULL;
    head h = {.nbytes = (nbytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT};
    if (allocator)
        h.allocator = *allocator;
    head *made = h.allocator.allocate ? h.allocator.allocate(h.allocator.ctx, h.nbytes, ALIGNMENT)
                                      : aligned_alloc(ALIGNMENT, h.nbytes);
    if (!made)
        return NULL;
    *made = h;
    return block_of(made);
}

static void free_head(head *h)
{
    const dv_allocator allocator = h->allocator;
    if (allocator.release)
        allocator.release(allocator.ctx, h, h->nbytes);
    else
        free(h);
}

/* --- Pools ------------------------------------------------------------------------------------ */

/* It is a block itself, and lives until it is closed and all its blocks have come back. */
struct dvi_pool {
    pthread_mutex_t lock; /* guards all below */
    head *kept;           /* the last to come back first: it may be in the cache */
    size_t kept_nbytes;
    size_t taken, taken_before; /* bytes, for this batch and for the one before */
    size_t out;                 /* blocks that have not come back */
    bool is_closed;
};

/* Take out the first kept block of at least nbytes, unless half of it would be idle, of the first
 * so many: a batch may have a million rows of sizes that the one before did not have.  NULL: none.
 */
static head *find_kept(dvi_pool *pool, size_t nbytes)
{
    enum { LOOKED_AT = 64 };
    head **at = &pool->kept;
    for (int i = 0; *at && i < LOOKED_AT; i++, at = &(*at)->next) {
        head *h = *at;
        if (h->nbytes < nbytes || h->nbytes / 2 > nbytes)
            continue;
        *at = h->next;
        pool->kept_nbytes -= h->nbytes;
        return h;
    }
    return NULL;
}

/* Take out blocks until `most` bytes are left: a list, to be freed. */
static head *drop_kept(dvi_pool *pool, size_t most)
{
    head *dropped = NULL;
    while (pool->kept_nbytes > most) {
        head *h = pool->kept;
        pool->kept = h->next;
        pool->kept_nbytes -= h->nbytes;
        h->next = dropped;
        dropped = h;
    }
    return dropped;
}

static void free_heads(head *list)
{
    while (list) {
        head *next = list->next;
        free_head(list);
        list = next;
    }
}

static void free_pool(dvi_pool *pool)
{
    pthread_mutex_destroy(&pool->lock);
    dvi_block_free(pool);
}

dv_status dvi_pool_begin(dvi_pool **at, const dv_allocator *allocator, dv_error *err)
{
    if (!*at) {
        dvi_pool *made = dvi_block_create(sizeof *made, allocator);
        if (!made)
            return dv_error_set(err, DV_ERR_MEMORY, "no memory for a batch of pictures");
        *made = (dvi_pool){.kept = NULL};
        pthread_mutex_init(&made->lock, NULL);
        *at = made;
    }
    dvi_pool *pool = *at;
    pthread_mutex_lock(&pool->lock);
    pool->taken_before = pool->taken;
    pool->taken = 0;
    head *dropped = drop_kept(pool, pool->taken_before);
    pthread_mutex_unlock(&pool->lock);
    free_heads(dropped);
    return DV_OK;
}

void *dvi_pool_take(dvi_pool *pool, size_t nbytes)
{
    if (nbytes > NBYTES_MOST)
        return NULL;
    pthread_mutex_lock(&pool->lock);
    head *h = find_kept(pool, nbytes + ALIGNMENT);
    pthread_mutex_unlock(&pool->lock);
    if (!h) {
        void *block = dvi_block_create(nbytes, &head_of(pool)->allocator);
        if (!block)
            return NULL;
        h = head_of(block);
        h->pool = pool;
    }
    pthread_mutex_lock(&pool->lock);
    pool->taken += h->nbytes;
    pool->out++;
    pthread_mutex_unlock(&pool->lock);
    return block_of(h);
}

static void give_back(dvi_pool *pool, head *h)
{
    pthread_mutex_lock(&pool->lock);
    const size_t most = pool->taken > pool->taken_before ? pool->taken : pool->taken_before;
    const bool is_kept = !pool->is_closed && h->nbytes <= most - pool->kept_nbytes;
    if (is_kept) {
        h->next = pool->kept;
        pool->kept = h;
        pool->kept_nbytes += h->nbytes;
    }
    pool->out--;
    const bool is_last = pool->is_closed && pool->out == 0;
    pthread_mutex_unlock(&pool->lock);
    if (!is_kept)
        free_head(h);
    if (is_last)
        free_pool(pool);
}

void dvi_pool_close(dvi_pool **at)
{
    dvi_pool *pool = *at;
    *at = NULL;
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->is_closed = true;
    head *dropped = drop_kept(pool, 0);
    const bool is_last = pool->out == 0;
    pthread_mutex_unlock(&pool->lock);
    free_heads(dropped);
    if (is_last)
        free_pool(pool);
}

void dvi_block_free(void *block)
{
    if (!block)
        return;
    head *h = head_of(block);
    if (h->pool)
        give_back(h->pool, h);
    else
        free_head(h);
}

/* --- Rooms ------------------------------------------------------------------------------------ */

void dvi_room_free(dvi_room *room)
{
    dvi_block_free(room->data);
    room->data = NULL;
    room->nbytes = 0;
}

dv_status dvi_room_fit(dvi_room *room, size_t nbytes, dv_error *err)
{
    enum { KEPT = 16 << 20 }; /* more than that is kept only while a fourth of it is needed */
    if (nbytes <= room->nbytes && (room->nbytes <= KEPT || nbytes >= room->nbytes / 4))
        return DV_OK;
    dvi_room_free(room);
    room->data =
        room->pool ? dvi_pool_take(room->pool, nbytes) : dvi_block_create(nbytes, room->allocator);
    if (!room->data)
        return dv_error_set(err, DV_ERR_MEMORY, "no memory for a picture");
    room->nbytes = nbytes;
    return DV_OK;
}
