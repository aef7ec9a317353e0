/* SPDX-License-Identifier: MIT */
/* test_rowid.c: checks that ids of rows are those of semantics:5.4. */
#include "support/test.h"
#include <dataview/rowid.h>

static void expect_id(dv_u128 id, uint64_t hi, uint64_t lo)
{
    cr_expect_eq(id.hi, hi, "hi %016llx", (unsigned long long)id.hi);
    cr_expect_eq(id.lo, lo, "lo %016llx", (unsigned long long)id.lo);
}

static const dv_u128 zero = {0, 0}, one = {1, 0}, five = {5, 0}, ones = {UINT64_MAX, UINT64_MAX};

Test(rowid, next)
{
    expect_id(dv_rowid_next(zero), 0x00000001d699de82, 0x0000000052dce729);
    expect_id(dv_rowid_next(five), 0x00000005be99de82, 0x000000011adce729);
    expect_id(dv_rowid_next(ones), 0x00000001d699de4b, 0x0000000052dce71f);
}

Test(rowid, fork)
{
    expect_id(dv_rowid_fork(zero), 0x00000001d699de82, 0x34e09d0b39021911);
    expect_id(dv_rowid_fork(five), 0x00000005be99de82, 0x34e09d0a71021911);
    expect_id(dv_rowid_fork(ones), 0x00000001d699de4b, 0x34e09d0b39021927);
}

Test(rowid, combine)
{
    expect_id(dv_rowid_combine(zero, zero), 0x0caaf0300e06760f, 0xd1c998c375881dc3);
    expect_id(dv_rowid_combine(five, zero), 0x0caaf02c2606760f, 0xd1c998c2ad881dc3);
    expect_id(dv_rowid_combine(five, one), 0x9e0a1d30a1d51423, 0x04cd6579b79e9e51);
    expect_id(dv_rowid_combine((dv_u128){1, 2}, (dv_u128){3, 4}), 0xd6c370eb9bb089c0,
              0xcf76cc3e67f97a6c);
}

/* The definition again, step by step: the same for ids of every size. */
Test(rowid, as_the_page_spells_it_out)
{
    dv_u128 id = {7, 0}, o = {1, 9};
    for (int i = 0; i < 1000; i++) {
        const uint64_t c1 = 0x87c37b91114253d5, c2 = 0x4cf5ad432745937f;
        uint64_t fl = o.lo, fh = o.hi, l = id.lo, h = id.hi;
        fl = ((fl << 27 | fl >> 37) + fh) * 5 + 0x52dce729;
        fh = ((fh << 31 | fh >> 33) + fl) * 5 + 0x38495ab5;
        fl ^= (c1 << 31 | c1 >> 33) * c2;
        const uint64_t a = (fl * c1 << 31 | fl * c1 >> 33) * c2;
        const uint64_t b = (fh * c2 << 33 | fh * c2 >> 31) * c1;
        l ^= a;
        l = ((l << 27 | l >> 37) + h) * 5 + 0x52dce729;
        h ^= b;
        h = ((h << 31 | h >> 33) + l) * 5 + 0x38495ab5;
        const dv_u128 got = dv_rowid_combine(id, o);
        cr_assert(got.lo == l && got.hi == h);
        o = id;
        id = got;
    }
}
