/* SPDX-License-Identifier: MIT */
/* rowid.c: derives the ids of rows from each other.  Murmur hash rounds, modulo 2^64. */
#include <dataview/rowid.h>

#define C1 UINT64_C(0x87c37b91114253d5)
#define C2 UINT64_C(0x4cf5ad432745937f)

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* Mix a and b into the halves of an id. */
static dv_u128 mix(dv_u128 id, uint64_t a, uint64_t b)
{
    const uint64_t lo = (rotate(id.lo ^ a, 27) + id.hi) * 5 + 0x52dce729;
    const uint64_t hi = (rotate(id.hi ^ b, 31) + lo) * 5 + 0x38495ab5;
    return (dv_u128){lo, hi};
}

dv_u128 dv_rowid_next(dv_u128 id)
{
    return mix(id, 0, 0);
}

dv_u128 dv_rowid_fork(dv_u128 id)
{
    const dv_u128 next = dv_rowid_next(id);
    return (dv_u128){next.lo ^ rotate(C1, 31) * C2, next.hi};
}

dv_u128 dv_rowid_combine(dv_u128 id, dv_u128 other)
{
    const dv_u128 f = dv_rowid_fork(other);
    return mix(id, rotate(f.lo * C1, 31) * C2, rotate(f.hi * C2, 33) * C1);
}
