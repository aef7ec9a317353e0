/* SPDX-License-Identifier: MIT */
/* md5.c: MD5 by libcrypto. */
#include "codec/md5.h"
#include "base/check.h"
#include <openssl/evp.h>
#include <stdint.h>

/* What is handed out as a dvi_md5 is libcrypto's own object. */
static EVP_MD_CTX *context_of(dvi_md5 *md5)
{
    return (EVP_MD_CTX *)md5;
}

dv_status dvi_md5_create(dvi_md5 **md5_out, dv_error *err)
{
    *md5_out = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context)
        return dvi_fail_memory(err, 0);
    DVI_UNSEEN_BEGIN(); /* the first one reads libcrypto's settings */
    const int is_ready = EVP_DigestInit_ex(context, EVP_md5(), NULL);
    DVI_UNSEEN_END();
    if (is_ready != 1) {
        EVP_MD_CTX_free(context);
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "datadings.md 1.2", -1, "MD5",
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
    DVI_READ(src, n);
    EVP_DigestUpdate(context_of(md5), src, n);
}

dvi_md5_text dvi_md5_end(dvi_md5 *md5)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[EVP_MAX_MD_SIZE] = {0};
    dvi_md5_text text = {""};
    EVP_DigestFinal_ex(context_of(md5), digest, NULL);
    EVP_DigestInit_ex(context_of(md5), NULL, NULL);
    DVI_WRITTEN(digest, sizeof digest);
    for (size_t i = 0; i < 16; i++) {
        text.digits[2 * i] = digits[digest[i] >> 4];
        text.digits[2 * i + 1] = digits[digest[i] & 15];
    }
    return text;
}
