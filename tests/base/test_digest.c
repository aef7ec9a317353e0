/* SPDX-License-Identifier: MIT */
/* test_digest.c: digests equal XXH3's own test vectors, however the bytes are divided. */
#include "support/test.h"

#include "support/allocator.h"
#include "support/page.h"
#include <dataview/digest.h>
#include <string.h>

#define PRIME32 UINT64_C(2654435761)
#define PRIME64 UINT64_C(11400714785074694797)
enum { VECTOR_NBYTES = 2367 };

/* The bytes of xxHash's sanity test, right before a guard page. */
static const uint8_t *input(size_t n)
{
    uint8_t bytes[VECTOR_NBYTES];
    uint64_t state = PRIME32;
    for (size_t i = 0; i < sizeof bytes; i++, state *= PRIME64)
        bytes[i] = (uint8_t)(state >> 56);
    return dvt_page_copy_end(dvt_shared_page(0), bytes, n);
}

Test(digest, of_64_bits_is_that_of_the_vectors)
{
    static const struct {
        size_t n;
        uint64_t plain, seeded; /* by PRIME64 */
    } vectors[] = {
        {0, UINT64_C(0x2D06800538D394C2), UINT64_C(0xA8A6B918B2F0364A)},
        {1, UINT64_C(0xC44BDFF4074EECDB), UINT64_C(0x032BE332DD766EF8)},
        {6, UINT64_C(0x27B56A84CD2D7325), UINT64_C(0x84589C116AB59AB9)},
        {12, UINT64_C(0xA713DAF0DFBB77E7), UINT64_C(0xE7303E1B2336DE0E)},
        {24, UINT64_C(0xA3FE70BF9D3510EB), UINT64_C(0x850E80FC35BDD690)},
        {48, UINT64_C(0x397DA259ECBA1F11), UINT64_C(0xADC2CBAA44ACC616)},
        {80, UINT64_C(0xBCDEFBBB2C47C90A), UINT64_C(0xC6DD0CB699532E73)},
        {195, UINT64_C(0xCD94217EE362EC3A), UINT64_C(0xBA68003D370CB3D9)},
        {403, UINT64_C(0xCDEB804D65C6DEA4), UINT64_C(0x6259F6ECFD6443FD)},
        {512, UINT64_C(0x617E49599013CB6B), UINT64_C(0x3CE457DE14C27708)},
        {2048, UINT64_C(0xDD59E2C3A5F038E0), UINT64_C(0x66F81670669ABABC)},
        {2240, UINT64_C(0x6E73A90539CF2948), UINT64_C(0x757BA8487D1B5247)},
        {2367, UINT64_C(0xCB37AEB9E5D361ED), UINT64_C(0xD2DB3415B942B42A)},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const size_t n = vectors[i].n;
        cr_expect_eq(dv_digest_8(input(n), n, 0), vectors[i].plain, "%zu bytes", n);
        cr_expect_eq(dv_digest_8(input(n), n, PRIME64), vectors[i].seeded, "%zu bytes", n);
    }
    cr_expect_eq(dv_digest_8(NULL, 0, 0), vectors[0].plain);
}

static const struct {
    size_t n;
    dv_u128 digest;
} wide[] = {
    {0, {UINT64_C(0x6001C324468D497F), UINT64_C(0x99AA06D3014798D8)}},
    {1, {UINT64_C(0xC44BDFF4074EECDB), UINT64_C(0xA6CD5E9392000F6A)}},
    {6, {UINT64_C(0x3E7039BDDA43CFC6), UINT64_C(0x082AFE0B8162D12A)}},
    {12, {UINT64_C(0x061A192713F69AD9), UINT64_C(0x6E3EFD8FC7802B18)}},
    {24, {UINT64_C(0x1E7044D28B1B901D), UINT64_C(0x0CE966E4678D3761)}},
    {48, {UINT64_C(0xF942219AED80F67B), UINT64_C(0xA002AC4E5478227E)}},
    {81, {UINT64_C(0x5E8BAFB9F95FB803), UINT64_C(0x4952F58181AB0042)}},
    {222, {UINT64_C(0xF1AEBD597CEC6B3A), UINT64_C(0x337E09641B948717)}},
    {403, {UINT64_C(0xCDEB804D65C6DEA4), UINT64_C(0x1B6DE21E332DD73D)}},
    {512, {UINT64_C(0x617E49599013CB6B), UINT64_C(0x18D2D110DCC9BCA1)}},
    {2048, {UINT64_C(0xDD59E2C3A5F038E0), UINT64_C(0xF736557FD47073A5)}},
    {2240, {UINT64_C(0x6E73A90539CF2948), UINT64_C(0xCCB134FBFA7CE49D)}},
    {2367, {UINT64_C(0xCB37AEB9E5D361ED), UINT64_C(0xE89C0F6FF369B427)}},
};
enum { WIDE = sizeof wide / sizeof *wide };

static void expect_digest(dv_u128 got, dv_u128 want, size_t n, size_t step)
{
    cr_expect(got.lo == want.lo && got.hi == want.hi, "%zu bytes, %zu at a time", n, step);
}

Test(digest, of_128_bits_is_that_of_the_vectors)
{
    for (size_t i = 0; i < WIDE; i++)
        expect_digest(dv_digest_16(input(wide[i].n), wide[i].n, 0), wide[i].digest, wide[i].n, 0);
    const dv_u128 plain = dv_digest_16(input(100), 100, 0);
    const dv_u128 seeded = dv_digest_16(input(100), 100, 1);
    cr_expect(plain.lo != seeded.lo && plain.hi != seeded.hi);
}

/* Add `step` bytes at a time; 0: all at once. */
static dv_u128 digest_in_steps(const uint8_t *src, size_t n, size_t step)
{
    dv_digester *digester;
    cr_assert_eq(dv_digester_create(&digester, NULL, NULL), DV_OK);
    for (size_t at = 0, k; at < n; at += k) {
        k = step && step < n - at ? step : n - at;
        dv_digester_add(digester, src + at, k);
    }
    dv_digester_add(digester, NULL, 0);
    const dv_u128 result = dv_digester_result(digester);
    const dv_u128 again = dv_digester_result(digester);
    expect_digest(again, result, n, step);
    dv_digester_free(&digester);
    cr_expect_null(digester);
    return result;
}

Test(digest, does_not_depend_on_the_steps)
{
    static const size_t steps[] = {0, 1, 7, 64, 255, 256, 257, 1024};
    for (size_t i = 0; i < WIDE; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
            expect_digest(digest_in_steps(input(wide[i].n), wide[i].n, steps[k]), wide[i].digest,
                          wide[i].n, steps[k]);
}

Test(digest, result_may_be_read_between_additions)
{
    dv_digester *digester;
    cr_assert_eq(dv_digester_create(&digester, NULL, NULL), DV_OK);
    for (size_t i = 0; i < WIDE; i++) {
        const size_t before = i > 0 ? wide[i - 1].n : 0, n = wide[i].n;
        dv_digester_add(digester, input(n) + before, n - before);
        expect_digest(dv_digester_result(digester), wide[i].digest, n, n - before);
    }
    dv_digester_free(&digester);
}

Test(digest, allocator_is_used_and_may_fail)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 1);
    dv_digester *digester;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_digester_create(&digester, &counted.allocator, &err), DV_ERR_MEMORY);
    cr_expect_eq(err.status, DV_ERR_MEMORY);
    cr_expect_null(digester);

    dvt_allocator_init(&counted, 0);
    cr_assert_eq(dv_digester_create(&digester, &counted.allocator, &err), DV_OK);
    dv_digester_add(digester, input(2048), 2048);
    dv_digester_free(&digester);
    dv_digester_free(&digester);
    cr_expect_eq(counted.asked, 1);
    cr_expect_eq(counted.live, 0);
}
