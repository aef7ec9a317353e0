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

/* --- What the content needs ------------------------------------------------------------------- */

typedef struct dvi_keeps {
    size_t n, cap;
    dv_owner *owners[];
} keeps;

static size_t keeps_nbytes(size_t cap)
{
    return sizeof(keeps) + cap * sizeof(dv_owner *);
}

static void drop_keeps(dvi_memory *memory)
{
    keeps *k = memory->keeps;
    if (!k)
        return;
    memory->keeps = NULL;
    for (size_t i = 0; i < k->n; i++)
        dvi_owner_release(k->owners[i]);
    dvi_free(&memory->allocator, k, keeps_nbytes(k->cap));
}

/* Make room for `more` further ones. */
static dv_status widen_keeps(dvi_memory *memory, size_t more, dv_error *err)
{
    void *made;
    keeps *k = memory->keeps;
    const size_t n = k ? k->n : 0, cap = n + more < 8 ? 8 : 2 * (n + more);
    if (k && n + more <= k->cap)
        return DV_OK;
    DVI_TRY(dvi_alloc(&memory->allocator, &made, keeps_nbytes(cap), err));
    keeps *wider = made;
    wider->n = n;
    wider->cap = cap;
    if (k) {
        memcpy(wider->owners, k->owners, n * sizeof *k->owners);
        dvi_free(&memory->allocator, k, keeps_nbytes(k->cap));
    }
    memory->keeps = wider;
    return DV_OK;
}

dv_status dvi_memory_keep(dvi_memory *memory, dv_owner *owner, dv_error *err)
{
    keeps *k = memory->keeps;
    if (!owner || (k && k->n > 0 && k->owners[k->n - 1] == owner))
        return DV_OK;
    DVI_TRY(widen_keeps(memory, 1, err));
    dvi_owner_retain(owner);
    memory->keeps->owners[memory->keeps->n++] = owner;
    return DV_OK;
}

/* Let `to` keep what `from` keeps. */
static dv_status share_keeps(dvi_memory *to, const dvi_memory *from, dv_error *err)
{
    const keeps *k = from->keeps;
    if (!k)
        return DV_OK;
    DVI_TRY(widen_keeps(to, k->n, err));
    for (size_t i = 0; i < k->n; i++) {
        dvi_owner_retain(k->owners[i]);
        to->keeps->owners[to->keeps->n++] = k->owners[i];
    }
    return DV_OK;
}

/* --- Memory ----------------------------------------------------------------------------------- */

static void release_memory(dv_owner *owner)
{
    dvi_memory *memory = (dvi_memory *)owner;
    const dv_allocator allocator = memory->allocator;
    drop_keeps(memory);
    dvi_free(&allocator, memory, HEADER_NBYTES + memory->cap);
}

size_t dvi_owner_nbytes(const dv_owner *owner)
{
    return owner->release == release_memory ? ((const dvi_memory *)owner)->cap : 0;
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
    memory->keeps = NULL;
    *memory_out = memory;
    return DV_OK;
}

dv_status dvi_memory_reserve(dvi_memory **memory, const dv_allocator *allocator, size_t nbytes,
                             dv_error *err)
{
    const size_t held = *memory ? (*memory)->cap : 0;
    const bool is_far_too_large = held > KEEP_NBYTES && held / 8 > nbytes;
    if (held >= nbytes && *memory && !is_far_too_large && dvi_owner_is_sole(&(*memory)->owner)) {
        drop_keeps(*memory);
        return DV_OK;
    }
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
    if (*memory && (*memory)->cap >= nbytes && dvi_owner_is_sole(&(*memory)->owner)) {
        if (used == 0)
            drop_keeps(*memory);
        return DV_OK;
    }
    dvi_memory *wider = NULL;
    DVI_TRY(dvi_memory_reserve(&wider, allocator, nbytes, err));
    if (*memory && used > 0) {
        const dv_status status = share_keeps(wider, *memory, err);
        if (status < 0)
            dvi_memory_release(&wider);
        DVI_TRY(status);
        memcpy(wider->data, (*memory)->data, used);
    }
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
