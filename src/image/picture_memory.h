/* SPDX-License-Identifier: MIT */
/* picture_memory.h: memory for pixels, which is used again. */
#ifndef DVI_PICTURE_MEMORY_H
#define DVI_PICTURE_MEMORY_H

#include <dataview/buffer.h>

/* --- Blocks ----------------------------------------------------------------------------------- */

/* At least nbytes, aligned to 64 bytes, which know how they are given back; NULL: no memory.
 * `allocator` may be NULL; it is copied. */
void *dvi_block_create(size_t nbytes, const dv_allocator *allocator);
void dvi_block_free(void *block); /* any thread; NULL: nothing */

/* Blocks of the batches of a column and cursor.  Those that come back are kept for the next batch,
 * as many bytes as the last one took; whoever holds a batch for longer keeps its blocks. */
typedef struct dvi_pool dvi_pool;

/* Begin a batch.  *pool is NULL before the first.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_pool_begin(dvi_pool **pool, const dv_allocator *allocator, dv_error *err);
/* As dvi_block_create.  The block goes back to the pool, or is freed after it. */
void *dvi_pool_take(dvi_pool *pool, size_t nbytes);
/* Free all that is kept.  Sets the pointer to NULL; NULL is fine. */
void dvi_pool_close(dvi_pool **pool);

/* --- Rooms ------------------------------------------------------------------------------------ */

/* Memory for one thing after another.  Start from zeros. */
typedef struct dvi_room {
    uint8_t *data;                 /* a block */
    size_t nbytes;                 /* that it has */
    const dv_allocator *allocator; /* may be NULL */
    dvi_pool *pool;                /* which it has its blocks of; NULL: the allocator */
} dvi_room;

/* Make it at least so large; what it has is lost.  What one large picture needed is not kept for
 * small ones.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_room_fit(dvi_room *room, size_t nbytes, dv_error *err);
void dvi_room_free(dvi_room *room);

#endif
