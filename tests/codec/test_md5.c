/* SPDX-License-Identifier: MIT */
/* test_md5.c: digests are those of RFC 1321 and of Python's hashlib, however the bytes are split.
 * The same tests run on md5_openssl.c, as test_md5_openssl, if libcrypto is installed. */
#include "codec/md5.h"
#include "support/allocator.h"
#include "support/test.h"
#include <string.h>

static const struct {
    const char *text, *digits;
} vectors[] = {
    {"", "d41d8cd98f00b204e9800998ecf8427e"},
    {"a", "0cc175b9c0f1b6a831c399e269772661"},
    {"abc", "900150983cd24fb0d6963f7d28e17f72"},
    {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
    {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
     "d174ab98d277d9f5a5611c2c9f419d9f"},
    {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
     "57edf4a22be3c955ac49da2e2107b67a"},
};

Test(md5, is_that_of_the_rfc)
{
    dvi_md5 *md5;
    cr_assert_eq(dvi_md5_create(&md5, NULL, NULL), DV_OK);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        for (size_t step = 1; step < 100; step += 7) {
            const size_t n = strlen(vectors[i].text);
            for (size_t at = 0; at < n; at += step)
                dvi_md5_add(md5, vectors[i].text + at, n - at < step ? n - at : step);
            cr_expect_str_eq(dvi_md5_end(md5).digits, vectors[i].digits, "%zu by %zu", i, step);
        }
    dvi_md5_free(&md5);
    cr_expect_null(md5);
    dvi_md5_free(&md5);
}

enum { MOST = 300 };

static const uint8_t *bytes(void)
{
    static uint8_t made[MOST];
    for (size_t i = 0; i < MOST; i++)
        made[i] = (uint8_t)(i * 167 + 13);
    return made;
}

/* Every length around one block and several, added at once and split in two at any byte. */
Test(md5, is_the_same_however_bytes_are_split)
{
    dvi_md5 *md5, *digests;
    cr_assert_eq(dvi_md5_create(&md5, NULL, NULL), DV_OK);
    cr_assert_eq(dvi_md5_create(&digests, NULL, NULL), DV_OK);
    for (size_t n = 0; n <= MOST; n++) {
        dvi_md5_add(md5, bytes(), n);
        const dvi_md5_text whole = dvi_md5_end(md5);
        for (size_t cut = 0; cut <= n; cut++) {
            dvi_md5_add(md5, bytes(), cut);
            dvi_md5_add(md5, bytes() + cut, n - cut);
            cr_assert_str_eq(dvi_md5_end(md5).digits, whole.digits, "%zu of %zu", cut, n);
        }
        dvi_md5_add(digests, whole.digits, 32);
    }
    /* hashlib.md5("".join(hashlib.md5(made[:n]).hexdigest() for n in range(301)).encode()) */
    cr_expect_str_eq(dvi_md5_end(digests).digits, "fff00b64fec52afcfec2bffd5190bccd");
    dvi_md5_free(&md5);
    dvi_md5_free(&digests);
}

/* Many blocks, added in three steps. */
Test(md5, is_the_same_in_three_steps)
{
    dvi_md5 *md5;
    cr_assert_eq(dvi_md5_create(&md5, NULL, NULL), DV_OK);
    dvi_md5_add(md5, bytes(), 150);
    const dvi_md5_text whole = dvi_md5_end(md5);
    for (size_t i = 0; i <= 150; i++)
        for (size_t j = i; j <= 150; j++) {
            dvi_md5_add(md5, bytes(), i);
            dvi_md5_add(md5, bytes() + i, j - i);
            dvi_md5_add(md5, bytes() + j, 150 - j);
            cr_assert_str_eq(dvi_md5_end(md5).digits, whole.digits, "%zu, %zu", i, j);
        }
    for (int i = 0; i < 1000; i++)
        dvi_md5_add(md5, bytes(), MOST);
    cr_expect_str_eq(dvi_md5_end(md5).digits, "8f41ba8b8193ac9475bf8c8d1b5b299b");
    dvi_md5_free(&md5);
}

Test(md5, memory_that_is_refused_is_an_error)
{
    dvt_allocator counted;
    dvi_md5 *md5;
    dv_error err = DV_ERROR_INIT;
    dvt_allocator_init(&counted, 1);
    cr_expect_eq(dvi_md5_create(&md5, &counted.allocator, &err), DV_ERR_MEMORY);
    cr_expect_eq(err.status, DV_ERR_MEMORY);
    cr_expect_null(md5);
    cr_assert_eq(dvi_md5_create(&md5, &counted.allocator, &err), DV_OK);
    cr_expect_eq(counted.asked, 2); /* none that the allocator does not see: libcrypto's own */
    dvi_md5_free(&md5);
    cr_expect_eq(counted.live, 0);
}
