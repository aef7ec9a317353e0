/* SPDX-License-Identifier: MIT */
/* owner.c: counts references to bytes. */
#include "base/owner.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include <string.h>

void dvi_owner_init(dv_owner *owner, void (*release)(dv_owner *owner))
{
    atomic_init(&owner->refs, 1);
    owner->release = release;
    owner->stays = false;
}

void dvi_owner_retain(dv_owner *owner)
{
    if (owner)
        atomic_fetch_add_explicit(&owner->refs, 1, memory_order_relaxed);
}

void dvi_owner_release(dv_owner *owner)
{
    if (owner && atomic_fetch_sub_explicit(&owner->refs, 1, memory_order_acq_rel) == 1)
        owner->release(owner);
}

bool dvi_owner_is_sole(const dv_owner *owner)
{
    return atomic_load_explicit(&owner->refs, memory_order_acquire) == 1;
}

/* Memory and its header are one allocation: the bytes start at the second cache line. */
#define HEADER_NBYTES (2 * DVI_ALIGNMENT)
_Static_assert(sizeof(dvi_memory) <= HEADER_NBYTES, "the header fits before the bytes");

#define KEEP_NBYTES ((size_t)1 << 20) /* less is never freed early */

static void release_memory(dv_owner *owner)
{
    dvi_memory *memory = (dvi_memory *)owner;
    const dv_allocator allocator = memory->allocator;
    dvi_free(&allocator, memory, HEADER_NBYTES + memory->cap);
}

dv_status dvi_memory_create(dvi_memory **memory_out, const dv_allocator *allocator, size_t nbytes,
                            dv_error *err)
{
    size_t whole;
    void *made;
    *memory_out = NULL;
    if (!dvi_size_add(nbytes, HEADER_NBYTES, &whole))
        return dvi_fail_memory(err, nbytes);
    DVI_TRY(dvi_alloc(allocator, &made, whole, err));
    dvi_memory *memory = made;
    dvi_owner_init(&memory->owner, release_memory);
    memory->allocator = dvi_allocator_of(allocator);
    memory->data = (uint8_t *)made + HEADER_NBYTES;
    memory->cap = nbytes;
    *memory_out = memory;
    return DV_OK;
}

dv_status dvi_memory_reserve(dvi_memory **memory, const dv_allocator *allocator, size_t nbytes,
                             dv_error *err)
{
    const size_t held = *memory ? (*memory)->cap : 0;
    const bool is_far_too_large = held > KEEP_NBYTES && held / 8 > nbytes;
    if (held >= nbytes && *memory && !is_far_too_large && dvi_owner_is_sole(&(*memory)->owner))
        return DV_OK;
    const size_t before = is_far_too_large ? 0 : held;
    dvi_memory_release(memory);

    /* A quarter more, so that blocks of similar size soon need no allocation. */
    size_t cap;
    if (!dvi_size_add(nbytes, nbytes / 4, &cap))
        return dvi_fail_memory(err, nbytes);
    return dvi_memory_create(memory, allocator, cap < before ? before : cap, err);
}

dv_status dvi_memory_extend(dvi_memory **memory, size_t used, size_t nbytes,
                            const dv_allocator *allocator, dv_error *err)
{
    if (*memory && (*memory)->cap >= nbytes && dvi_owner_is_sole(&(*memory)->owner))
        return DV_OK;
    dvi_memory *wider = NULL;
    DVI_TRY(dvi_memory_reserve(&wider, allocator, nbytes, err));
    if (*memory && used > 0)
        memcpy(wider->data, (*memory)->data, used);
    dvi_memory_release(memory);
    *memory = wider;
    return DV_OK;
}

void dvi_memory_release(dvi_memory **memory)
{
    if (*memory)
        dvi_owner_release(&(*memory)->owner);
    *memory = NULL;
}

dv_buffer dvi_memory_buffer(dvi_memory *memory, size_t at, size_t nbytes, size_t width)
{
    const uint8_t *data = memory->data + at;
    const bool is_aligned = width <= 1 || (uintptr_t)data % width == 0;
    return (dv_buffer){nbytes ? data : NULL, nbytes, &memory->owner, false, is_aligned};
}
