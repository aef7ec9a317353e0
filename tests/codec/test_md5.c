/* SPDX-License-Identifier: MIT */
/* test_md5.c: digests are those of RFC 1321, however the bytes come; and libcrypto may refuse. */
#include "codec/md5.h"
#include "support/faults.h"
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
    cr_assert_eq(dvi_md5_create(&md5, NULL), DV_OK);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        for (size_t piece = 1; piece < 100; piece += 7) {
            const size_t n = strlen(vectors[i].text);
            for (size_t at = 0; at < n; at += piece)
                dvi_md5_add(md5, vectors[i].text + at, n - at < piece ? n - at : piece);
            cr_expect_str_eq(dvi_md5_end(md5).digits, vectors[i].digits, "%zu by %zu", i, piece);
        }
    dvi_md5_free(&md5);
    cr_expect_null(md5);
    dvi_md5_free(&md5);
}

static dv_status create_with(const char *failing_call)
{
    dvi_md5 *md5;
    dv_error err = DV_ERROR_INIT;
    dvt_faults_start_at(failing_call, 1, DVT_FAULT_ERROR, 0);
    const dv_status status = dvi_md5_create(&md5, &err);
    dvt_faults_stop();
    cr_expect_null(md5);
    cr_expect_eq(err.status, status);
    return status;
}

Test(md5, libcrypto_may_refuse)
{
    cr_expect_eq(create_with("EVP_MD_CTX_new"), DV_ERR_MEMORY);
    cr_expect_eq(create_with("EVP_DigestInit_ex"), DV_ERR_UNSUPPORTED);
}
