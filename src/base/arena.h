/* SPDX-License-Identifier: MIT */
/* arena.h: many small things that are freed together. */
#ifndef DVI_BASE_ARENA_H
#define DVI_BASE_ARENA_H

#include <dataview/buffer.h>
#include <dataview/type.h>

typedef struct dvi_arena_chunk dvi_arena_chunk;

/* Zero is not an arena: dvi_arena_init first.  Nothing moves once given out. */
typedef struct dvi_arena {
    dv_allocator allocator;
    dvi_arena_chunk *chunks;
} dvi_arena;

void dvi_arena_init(dvi_arena *arena, const dv_allocator *allocator);
void dvi_arena_free(dvi_arena *arena); /* all of it; the arena is then empty */

/* Memory for any type, zeroed; DV_ERR_MEMORY leaves NULL. */
dv_status dvi_arena_alloc(dvi_arena *arena, void **memory_out, size_t nbytes, dv_error *err);
/* A copy of text, with a NUL after it that is not counted. */
dv_status dvi_arena_text(dvi_arena *arena, dv_text *copy_out, dv_text text, dv_error *err);

#endif
