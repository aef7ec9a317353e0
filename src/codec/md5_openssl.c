/* SPDX-License-Identifier: MIT */
/* md5_openssl.c: MD5 by libcrypto, built in place of md5.c with DV_MD5=openssl. */
#include "base/check.h"
#include "codec/md5.h"
#include <openssl/evp.h>

/* A dvi_md5 is libcrypto's own object under another type name. */
static EVP_MD_CTX *context_of(dvi_md5 *md5)
{
    return (EVP_MD_CTX *)md5;
}

/* libcrypto accepts no allocator for a single object. */
dv_status dvi_md5_create(dvi_md5 **md5_out, const dv_allocator *allocator, dv_error *err)
{
    (void)allocator;
    *md5_out = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context)
        return dvi_fail_memory(err, 0);
    if (EVP_DigestInit_ex(context, EVP_md5(), NULL) != 1) {
        EVP_MD_CTX_free(context);
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "datadings:1.2", -1, "MD5",
                        "a libcrypto that has it|one that refuses it");
    }
    *md5_out = (dvi_md5 *)context;
    return DV_OK;
}

void dvi_md5_free(dvi_md5 **md5)
{
    EVP_MD_CTX_free(context_of(*md5));
    *md5 = NULL;
}

void dvi_md5_add(dvi_md5 *md5, const void *src, size_t n)
{
    EVP_DigestUpdate(context_of(md5), src, n);
}

dvi_md5_text dvi_md5_end(dvi_md5 *md5)
{
    uint8_t digest[EVP_MAX_MD_SIZE] = {0};
    EVP_DigestFinal_ex(context_of(md5), digest, NULL);
    EVP_DigestInit_ex(context_of(md5), NULL, NULL);
    return dvi_md5_text_of(digest);
}
