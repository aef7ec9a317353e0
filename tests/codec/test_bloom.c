/* SPDX-License-Identifier: MIT */
/* test_bloom.c: filters have the sizes and the bytes that the format page lists (datadings:2.4).
 */
#include "codec/bloom.h"
#include "codec/md5.h"
#include "support/page.h"
#include "support/reference_hash.h"
#include "support/sha256.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As datadings makes them. */
static dvi_bloom bloom_for(uint64_t elements)
{
    dvi_bloom bloom;
    cr_assert(dvi_bloom_of(&bloom, elements, 1.0 / (double)elements));
    return bloom;
}

Test(bloom, has_the_sizes_of_the_specification)
{
    static const uint64_t sizes[][4] = {
        {2, 8, 3, 33},
        {3, 8, 2, 33},
        {4, 16, 3, 34},
        {5, 24, 3, 35},
        {8, 40, 3, 37},
        {10, 48, 3, 38},
        {16, 96, 4, 44},
        {100, 960, 7, 152},
        {1000, 14384, 10, 1830},
        {10000, 191704, 13, 23995},
        {100000, 2396272, 17, 299566},
        {1000000, 28755176, 20, 3594429},
        {1281167, 37500888, 20, 4687643},
        {10000000, 335477048, 23, 41934663},
        {100000000, 3834023352, 27, 479252951},
        {UINT32_MAX, 198282496552, 32, 24785312101},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const dvi_bloom bloom = bloom_for(sizes[i][0]);
        cr_expect_eq(bloom.bits, sizes[i][1], "bits for %zu", (size_t)sizes[i][0]);
        cr_expect_eq(bloom.probes, sizes[i][2], "probes for %zu", (size_t)sizes[i][0]);
        cr_expect_eq(dvi_bloom_nbytes(&bloom), sizes[i][3], "bytes for %zu", (size_t)sizes[i][0]);
    }
}

Test(bloom, refuses_invalid_sizes)
{
    dvi_bloom bloom = {7, 7, 7, 7};
    static const double rates[] = {0.0, -0.0, 1.0, -0.5, 2.0, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        cr_expect_not(dvi_bloom_of(&bloom, 10, rates[i]), "rate %g", rates[i]);
    cr_expect_not(dvi_bloom_of(&bloom, 0, 0.5));
    cr_expect_not(dvi_bloom_of(&bloom, 1, 0.5));
    cr_expect_not(dvi_bloom_of(&bloom, UINT64_MAX, 0x1p-1074)); /* over 2^63 bits */
    cr_expect_eq(bloom.elements, 7);                            /* untouched */
    cr_expect(dvi_bloom_of(&bloom, 2, 0x1p-1074));
    cr_expect_eq(bloom.probes, 1076);
}

/* With few bits for many keys a filter has no probes, and every look-up succeeds. */
Test(bloom, without_probes_has_every_key)
{
    dvi_bloom bloom;
    cr_assert(dvi_bloom_of(&bloom, 100, 0x1.fffffffffffffp-1));
    cr_expect_eq(bloom.bits, 8);
    cr_expect_eq(bloom.probes, 0);
    uint8_t *bits = dvt_page_end(dvt_shared_page(0), 1);
    *bits = 0;
    const dvi_key_probe probe = dvt_key_probe_of(dv_text_of("a"));
    dvi_bloom_add(&bloom, bits, &probe, 1);
    cr_expect_eq(*bits, 0);
    cr_expect(dvi_bloom_has(&bloom, bits, dvt_key_probe_of(dv_text_of("b"))));
}

/* A whole filter in memory, whose last byte is before a guard page. */
typedef struct filter {
    dvi_bloom bloom;
    dvt_page page;
    uint8_t *bytes;
    size_t nbytes;
} filter;

static filter filter_create(uint64_t elements)
{
    filter f = {.bloom = bloom_for(elements)};
    f.nbytes = (size_t)dvi_bloom_nbytes(&f.bloom);
    f.page = dvt_page_create(f.nbytes);
    f.bytes = dvt_page_end(f.page, f.nbytes);
    dvi_bloom_header(&f.bloom, f.bytes);
    return f;
}

static void filter_add(filter *f, dv_text key)
{
    const dvi_key_probe probe = dvt_key_probe_of(key);
    dvi_bloom_add(&f->bloom, f->bytes + DVI_BLOOM_HEADER_NBYTES, &probe, 1);
}

static bool filter_has(const filter *f, const char *key)
{
    return dvi_bloom_has(&f->bloom, f->bytes + DVI_BLOOM_HEADER_NBYTES,
                         dvt_key_probe_of(dv_text_of(key)));
}

static void add_numbered(filter *f, int n)
{
    char key[16];
    for (int i = 0; i < n; i++) {
        snprintf(key, sizeof key, "k%d", i);
        filter_add(f, dv_text_of(key));
        cr_expect(filter_has(f, key));
    }
}

Test(bloom, bytes_are_those_of_the_specification)
{
    static const uint8_t ten[] = "SIMPBLOO\0\0\0\0\0\0\0\x26\0\0\0\0\0\0\0\x0a"
                                 "\x3f\xb9\x99\x99\x99\x99\x99\x9a\x22\x44\x08\xeb\x53\x3d";
    static const uint8_t sixteen[] = "SIMPBLOO\0\0\0\0\0\0\0\x2c\0\0\0\0\0\0\0\x10"
                                     "\x3f\xb0\0\0\0\0\0\0\x5a\x44\x18\xfa\x2b\xf1"
                                     "\x7d\x41\x00\x07\xd7\xbd";
    filter f = filter_create(10);
    add_numbered(&f, 10);
    cr_assert_eq(f.nbytes, sizeof ten - 1);
    cr_expect_eq(memcmp(f.bytes, ten, f.nbytes), 0);
    dvt_page_free(&f.page);

    f = filter_create(16);
    add_numbered(&f, 16);
    cr_assert_eq(f.nbytes, sizeof sixteen - 1);
    cr_expect_eq(memcmp(f.bytes, sixteen, f.nbytes), 0);
    dvt_page_free(&f.page);
}

static void expect_md5(int n, const char *digits)
{
    dvi_md5 *md5;
    filter f = filter_create((uint64_t)n);
    add_numbered(&f, n);
    cr_assert_eq(dvi_md5_create(&md5, NULL, NULL), DV_OK);
    dvi_md5_add(md5, f.bytes, f.nbytes);
    cr_expect_str_eq(dvi_md5_end(md5).digits, digits, "%d keys", n);
    dvi_md5_free(&md5);
    dvt_page_free(&f.page);
}

Test(bloom, of_many_keys_is_that_of_the_specification)
{
    expect_md5(1000, "73fb68fb7adbea47ca1c74ac579eed4c");
    expect_md5(100000, "9434dd6440ca56dbab32dd5e08bf116d");
}

/* The two keys of the worked example in datadings:7: both stages of a look-up. */
Test(bloom, answers_as_in_the_worked_example)
{
    filter f = filter_create(3);
    filter_add(&f, dv_text_of("a"));
    cr_expect_eq(f.bytes[32], 0xC0); /* probes 7, 6 */
    filter_add(&f, dv_text_of("b/1"));
    cr_expect_eq(f.bytes[32], 0xC8); /* 6, 3 */
    cr_expect_not(filter_has(&f, "\xC3\xBC"));
    filter_add(&f, dv_text_of("\xC3\xBC"));
    cr_expect_eq(f.bytes[32], 0xE9);   /* 0, 5 */
    cr_expect(filter_has(&f, "nope")); /* 3, 3: maybe */
    dvt_page_free(&f.page);
}

/* The five files of simplebloom's own tests, whose SHA-256 the specification lists. The keys are a
 * chain of hexadecimal SHA-256 texts. */
Test(bloom, files_are_those_of_the_reference)
{
    static const char *const digests[] = {
        "529356c1af01d72561a89419dbd4c74602e6c0af93ca47fee69a57ecabc34255",
        "56d73d7ccf04343a98d4d9beb1458039268bb6e564204310da7e34983c15e261",
        "15c0b35529c9a8dc8039d4e4314fb6218443adcd60b268c95cacc645fe5dff4d",
        "7bf164e39d09472ae795007571ab34e72ea944265b82ff3bee6f15462225282a",
        "b1f901378ac685c665b2fee3b8b6cfd8e8e2816eb2a6005ca33097f466ac7366"};
    uint64_t elements = 10;
    for (size_t i = 0; i < 5; i++, elements *= 10) {
        filter f = filter_create(elements);
        char key[65], got[65];
        dvt_sha256(key, "1234567890", 10);
        for (uint64_t k = 0; k < elements; k++) {
            filter_add(&f, (dv_text){key, 64});
            dvt_sha256(key, key, 64);
        }
        dvt_sha256(got, f.bytes, f.nbytes);
        cr_expect_str_eq(got, digests[i], "%zu keys", (size_t)elements);
        dvt_page_free(&f.page);
    }
}
