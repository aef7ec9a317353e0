/* SPDX-License-Identifier: MIT */
/* md5_openssl.c: MD5 by libcrypto, built in place of md5.c with DV_MD5=openssl.
 *
 * These functions allocate nothing and cannot fail.  Those of openssl/evp.h, which libcrypto
 * recommends, first load its providers: some thousand allocations, and libcrypto 3.0 crashes when
 * one of them fails. */
#define OPENSSL_API_COMPAT 0x10101000L /* before these functions were deprecated */
#include "base/alloc.h"
#include "base/check.h"
#include "codec/md5.h"
#include <openssl/md5.h>

_Static_assert(MD5_DIGEST_LENGTH == 16, "dvi_md5_text_of takes 16 bytes");

struct dvi_md5 {
    dv_allocator allocator;
    MD5_CTX state;
};

dv_status dvi_md5_create(dvi_md5 **md5_out, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *md5_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_md5), err));
    dvi_md5 *md5 = made;
    md5->allocator = dvi_allocator_of(allocator);
    MD5_Init(&md5->state);
    *md5_out = md5;
    return DV_OK;
}

void dvi_md5_free(dvi_md5 **md5)
{
    if (*md5) {
        const dv_allocator allocator = (*md5)->allocator;
        dvi_free(&allocator, *md5, sizeof **md5);
    }
    *md5 = NULL;
}

void dvi_md5_add(dvi_md5 *md5, const void *src, size_t n)
{
    MD5_Update(&md5->state, src, n);
}

dvi_md5_text dvi_md5_end(dvi_md5 *md5)
{
    uint8_t digest[MD5_DIGEST_LENGTH];
    MD5_Final(digest, &md5->state);
    MD5_Init(&md5->state);
    return dvi_md5_text_of(digest);
}
