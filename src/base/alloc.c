/* SPDX-License-Identifier: MIT */
/* alloc.c: allocates memory with the caller's allocator, or with malloc. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* From here on memory is asked for in huge pages, as NumPy does: entering pages of 4 KiB takes
 * longer than the work on them. It is aligned with them, and the rest after the last whole one has
 * small pages: no more memory is used. */
#define HUGE_NBYTES ((size_t)2 << 20)

static void *allocate_malloc(void *ctx, size_t nbytes, size_t alignment)
{
    (void)ctx;
    void *memory = NULL;
    const bool is_huge = nbytes >= HUGE_NBYTES;
    if (posix_memalign(&memory, is_huge ? HUGE_NBYTES : alignment, nbytes) != 0)
        return NULL;
    if (is_huge) /* only advice */
        dvi_os_want_huge_pages(memory, nbytes - nbytes % HUGE_NBYTES);
    return memory;
}

static void release_malloc(void *ctx, void *memory, size_t nbytes)
{
    (void)ctx;
    (void)nbytes;
    free(memory);
}

dv_allocator dvi_allocator_of(const dv_allocator *allocator)
{
    return allocator ? *allocator : (dv_allocator){allocate_malloc, release_malloc, NULL};
}

static dv_status allocate(const dv_allocator *allocator, void **memory_out, size_t nbytes,
                          size_t alignment, dv_error *err)
{
    const dv_allocator a = dvi_allocator_of(allocator);
    *memory_out = a.allocate(a.ctx, nbytes ? nbytes : 1, alignment);
    return *memory_out ? DV_OK : dvi_fail_memory(err, nbytes);
}

dv_status dvi_alloc(const dv_allocator *allocator, void **memory_out, size_t nbytes, dv_error *err)
{
    return allocate(allocator, memory_out, nbytes, DVI_ALIGNMENT, err);
}

dv_status dvi_alloc_zeroed(const dv_allocator *allocator, void **memory_out, size_t nbytes,
                           dv_error *err)
{
    DVI_TRY(dvi_alloc(allocator, memory_out, nbytes, err));
    memset(*memory_out, 0, nbytes);
    return DV_OK;
}

dv_status dvi_alloc_struct(const dv_allocator *allocator, void **memory_out, size_t nbytes,
                           dv_error *err)
{
    DVI_TRY(allocate(allocator, memory_out, nbytes, alignof(max_align_t), err));
    memset(*memory_out, 0, nbytes);
    return DV_OK;
}

dv_status dvi_alloc_items(const dv_allocator *allocator, void *list_out, size_t n,
                          size_t item_nbytes, dv_error *err)
{
    void *made = NULL;
    size_t nbytes;
    const dv_status status = dvi_size_mul(n, item_nbytes, &nbytes)
                                 ? dvi_alloc_zeroed(allocator, &made, nbytes, err)
                                 : dvi_fail_memory(err, SIZE_MAX);
    memcpy(list_out, &made, sizeof made); /* whatever its type */
    return status;
}

void dvi_free(const dv_allocator *allocator, void *memory, size_t nbytes)
{
    if (!memory)
        return;
    const dv_allocator a = dvi_allocator_of(allocator);
    a.release(a.ctx, memory, nbytes ? nbytes : 1);
}

dv_status dvi_array_reserve(const dv_allocator *allocator, void **array, size_t *cap, size_t need,
                            size_t item_nbytes, dv_error *err)
{
    if (need <= *cap)
        return DV_OK;
    size_t wider = *cap > SIZE_MAX / 2 ? need : 2 * *cap;
    if (wider < need)
        wider = need;
    size_t nbytes;
    if (!dvi_size_mul(wider, item_nbytes, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    void *memory;
    DVI_TRY(dvi_alloc(allocator, &memory, nbytes, err));
    if (*array)
        memcpy(memory, *array, *cap * item_nbytes);
    dvi_free(allocator, *array, *cap * item_nbytes);
    *array = memory;
    *cap = wider;
    return DV_OK;
}
