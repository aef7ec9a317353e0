/* SPDX-License-Identifier: MIT */
/* arena.h: small allocations that are freed together. */
#ifndef DVI_BASE_ARENA_H
#define DVI_BASE_ARENA_H

#include <dataview/buffer.h>
#include <dataview/type.h>

typedef struct dvi_arena_chunk dvi_arena_chunk;
typedef struct dvi_arena_guest dvi_arena_guest;

/* Initialize with dvi_arena_init; a zeroed struct is not an arena. Allocations never move. */
typedef struct dvi_arena {
    dv_allocator allocator;
    dvi_arena_chunk *chunks;
    dvi_arena_guest *guests;
} dvi_arena;

void dvi_arena_init(dvi_arena *arena, const dv_allocator *allocator);
void dvi_arena_free(dvi_arena *arena); /* frees all allocations; the arena is then empty */

/* Have the arena own something that is not in it: release(what) is called when the arena is freed,
 * before its allocations are; what was added last is released first. DV_OK; DV_ERR_MEMORY: it was
 * released at once. */
dv_status dvi_arena_own(dvi_arena *arena, void (*release)(void *what), void *what, dv_error *err);

/* Allocate zeroed memory, aligned for any type. DV_OK; DV_ERR_MEMORY: *memory_out is NULL. */
dv_status dvi_arena_alloc(dvi_arena *arena, void **memory_out, size_t nbytes, dv_error *err);
/* Copy a text; a NUL follows the copy, and is not counted. NA stays NA. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_arena_text(dvi_arena *arena, dv_text *copy_out, dv_text text, dv_error *err);
/* Append an item of nbytes to a list of n, which moves when n is a power of two. list: the address
 * of a pointer to the first item, which is NULL while there is none. DV_OK; DV_ERR_MEMORY: the list
 * did not change. */
dv_status dvi_arena_append(dvi_arena *arena, void *list, int64_t n, const void *item, size_t nbytes,
                           dv_error *err);

#endif
