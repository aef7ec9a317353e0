/* SPDX-License-Identifier: MIT */
/* arena.c: small allocations that are freed together. */
#include "base/arena.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include <stdalign.h>
#include <string.h>

/* The first chunk is small, since a table may be of thousands of files that have two arenas each;
 * each further one is twice the one before, up to the larger size. */
#define LEAST_CHUNK_NBYTES ((size_t)1 << 10)
#define CHUNK_NBYTES ((size_t)16 << 10)

struct dvi_arena_chunk {
    dvi_arena_chunk *next;
    size_t used, cap; /* header included */
};

/* In a chunk. */
struct dvi_arena_guest {
    dvi_arena_guest *before;
    void (*release)(void *what);
    void *what;
};

#define HEADER_NBYTES                                                                              \
    ((sizeof(dvi_arena_chunk) + alignof(max_align_t) - 1) / alignof(max_align_t) *                 \
     alignof(max_align_t))

void dvi_arena_init(dvi_arena *arena, const dv_allocator *allocator)
{
    *arena = (dvi_arena){dvi_allocator_of(allocator), NULL, NULL};
}

void dvi_arena_free(dvi_arena *arena)
{
    for (const dvi_arena_guest *guest = arena->guests; guest; guest = guest->before)
        guest->release(guest->what);
    arena->guests = NULL;
    for (dvi_arena_chunk *next, *chunk = arena->chunks; chunk; chunk = next) {
        next = chunk->next;
        dvi_free(&arena->allocator, chunk, chunk->cap);
    }
    arena->chunks = NULL;
}

static size_t next_cap(const dvi_arena_chunk *last)
{
    if (!last)
        return LEAST_CHUNK_NBYTES;
    return last->cap < CHUNK_NBYTES / 2 ? 2 * last->cap : CHUNK_NBYTES;
}

dv_status dvi_arena_alloc(dvi_arena *arena, void **memory_out, size_t nbytes, dv_error *err)
{
    const size_t step = alignof(max_align_t);
    *memory_out = NULL;
    size_t need;
    if (!dvi_size_add(nbytes, HEADER_NBYTES + step, &need))
        return dvi_fail_memory(err, nbytes);
    const size_t padded = (nbytes + step - 1) / step * step;

    dvi_arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->cap - chunk->used < padded) {
        const size_t usual = next_cap(chunk), cap = need > usual ? need : usual;
        void *made;
        DVI_TRY(dvi_alloc(&arena->allocator, &made, cap, err));
        chunk = made;
        *chunk = (dvi_arena_chunk){arena->chunks, HEADER_NBYTES, cap};
        arena->chunks = chunk;
    }
    *memory_out = (char *)chunk + chunk->used;
    chunk->used += padded;
    memset(*memory_out, 0, padded);
    return DV_OK;
}

dv_status dvi_arena_text(dvi_arena *arena, dv_text *copy_out, dv_text text, dv_error *err)
{
    void *copy;
    const size_t n = text.nbytes > 0 ? (size_t)text.nbytes : 0;
    *copy_out = (dv_text){NULL, 0};
    DVI_TRY(dvi_arena_alloc(arena, &copy, n + 1, err));
    if (n)
        memcpy(copy, text.data, n);
    *copy_out = (dv_text){copy, text.nbytes};
    return DV_OK;
}

dv_status dvi_arena_append(dvi_arena *arena, void *list, int64_t n, const void *item, size_t nbytes,
                           dv_error *err)
{
    void *wider, *before;
    memcpy(&before, list, sizeof before);
    if ((n & (n - 1)) == 0) {
        const size_t room = n > 0 ? 2 * (size_t)n : 1;
        DVI_TRY(dvi_arena_alloc(arena, &wider, room * nbytes, err));
        if (n > 0)
            memcpy(wider, before, (size_t)n * nbytes);
        memcpy(list, &wider, sizeof wider);
        before = wider;
    }
    memcpy((char *)before + (size_t)n * nbytes, item, nbytes);
    return DV_OK;
}

dv_status dvi_arena_own(dvi_arena *arena, void (*release)(void *what), void *what, dv_error *err)
{
    void *made;
    const dv_status status = dvi_arena_alloc(arena, &made, sizeof(dvi_arena_guest), err);
    if (status < 0) {
        release(what);
        return status;
    }
    dvi_arena_guest *guest = made;
    *guest = (dvi_arena_guest){arena->guests, release, what};
    arena->guests = guest;
    return DV_OK;
}
