/* SPDX-License-Identifier: MIT */
/* alloc.h: memory from the caller's allocator. */
#ifndef DVI_BASE_ALLOC_H
#define DVI_BASE_ALLOC_H

#include <dataview/buffer.h>

/* Of every allocation: a cache line, and the widest register. */
#define DVI_ALIGNMENT ((size_t)64)

/* The caller's allocator, or malloc when NULL. */
dv_allocator dvi_allocator_of(const dv_allocator *allocator);

/* memory_out = nbytes of memory (1 when 0), zeroed or not; DV_ERR_MEMORY leaves NULL there. */
dv_status dvi_alloc(const dv_allocator *allocator, void **memory_out, size_t nbytes, dv_error *err);
dv_status dvi_alloc_zeroed(const dv_allocator *allocator, void **memory_out, size_t nbytes,
                           dv_error *err);
/* nbytes as it was asked for; NULL is fine. */
void dvi_free(const dv_allocator *allocator, void *memory, size_t nbytes);

/* Make room for at least `need` items in an array that keeps its content, doubling it. */
dv_status dvi_array_reserve(const dv_allocator *allocator, void **array, size_t *cap, size_t need,
                            size_t item_nbytes, dv_error *err);

#endif
