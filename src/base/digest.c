/* SPDX-License-Identifier: MIT */
/* digest.c: XXH3 of bytes. */
#include "base/alloc.h"
#include "base/check.h"
#include <dataview/digest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct dv_digester {
    XXH3_state_t state;
    dv_allocator allocator; /* of this struct */
};

_Static_assert(_Alignof(dv_digester) <= DVI_ALIGNMENT, "memory of dvi_alloc is aligned enough");

uint64_t dv_digest_8(const void *src, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(src, n, seed);
}

static dv_u128 number_of(XXH128_hash_t hash)
{
    return (dv_u128){hash.low64, hash.high64};
}

dv_u128 dv_digest_16(const void *src, size_t n, uint64_t seed)
{
    return number_of(XXH3_128bits_withSeed(src, n, seed));
}

dv_status dv_digester_create(dv_digester **digester_out, const dv_allocator *allocator,
                             dv_error *err)
{
    void *memory;
    *digester_out = NULL;
    DVI_TRY(dvi_alloc(allocator, &memory, sizeof **digester_out, err));
    dv_digester *digester = memory;
    XXH3_128bits_reset(&digester->state);
    digester->allocator = dvi_allocator_of(allocator);
    *digester_out = digester;
    return DV_OK;
}

void dv_digester_free(dv_digester **digester)
{
    if (!*digester)
        return;
    const dv_allocator allocator = (*digester)->allocator;
    dvi_free(&allocator, *digester, sizeof **digester);
    *digester = NULL;
}

void dv_digester_add(dv_digester *digester, const void *src, size_t n)
{
    if (n > 0)
        XXH3_128bits_update(&digester->state, src, n);
}

dv_u128 dv_digester_result(const dv_digester *digester)
{
    return number_of(XXH3_128bits_digest(&digester->state));
}
