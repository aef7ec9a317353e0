/* SPDX-License-Identifier: MIT */
/* alloc.h: allocates memory with the caller's allocator, or with malloc. */
#ifndef DVI_BASE_ALLOC_H
#define DVI_BASE_ALLOC_H

#include <dataview/buffer.h>

/* The alignment of every allocation but small structs: a cache line, and the widest vector
 * register. */
#define DVI_ALIGNMENT ((size_t)64)

/* A copy of the caller's allocator, or that of malloc if NULL. */
dv_allocator dvi_allocator_of(const dv_allocator *allocator);

/* Allocate nbytes, or 1 if nbytes is 0; the second zeroes them. DV_OK; DV_ERR_MEMORY: *memory_out
 * is NULL. */
dv_status dvi_alloc(const dv_allocator *allocator, void **memory_out, size_t nbytes, dv_error *err);
dv_status dvi_alloc_zeroed(const dv_allocator *allocator, void **memory_out, size_t nbytes,
                           dv_error *err);
/* The same, zeroed, for a small struct, which needs no such alignment: asking for less takes a
 * third of the time. */
dv_status dvi_alloc_struct(const dv_allocator *allocator, void **memory_out, size_t nbytes,
                           dv_error *err);
/* Allocate n zeroed items. list_out: the address of a pointer to them, which is NULL after a
 * failure. DV_OK; DV_ERR_MEMORY, also if their size exceeds size_t. */
dv_status dvi_alloc_items(const dv_allocator *allocator, void *list_out, size_t n,
                          size_t item_nbytes, dv_error *err);
/* The same for a typed pointer: dvi_thing *things; DVI_NEW(allocator, &things, n, err). */
#define DVI_NEW(allocator, list_out, n, err)                                                       \
    dvi_alloc_items(allocator, list_out, n, sizeof **(list_out), err)
/* nbytes: as passed to the allocation. NULL is fine. */
void dvi_free(const dv_allocator *allocator, void *memory, size_t nbytes);

/* Make room for at least `need` items in an array, whose content is kept. If it grows, *cap at
 * least doubles. DV_OK; DV_ERR_MEMORY: the array did not change. */
dv_status dvi_array_reserve(const dv_allocator *allocator, void **array, size_t *cap, size_t need,
                            size_t item_nbytes, dv_error *err);

#endif
