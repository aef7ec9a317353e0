/* SPDX-License-Identifier: MIT */
/* key_hash.c: BLAKE2s of keys: of many by a kernel, of one by the reference implementation. */
#include "codec/key_hash.h"
#include "base/attrs.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include <blake2.h>
#include <stdio.h>

/* salt NULL: zeros, which is no salt at all. */
static void digest(uint8_t out[BLAKE2S_OUTBYTES], const dvi_key_salt *salt, dv_text key)
{
    blake2s_param param = {.digest_length = BLAKE2S_OUTBYTES, .fanout = 1, .depth = 1};
    blake2s_state state;
    if (salt)
        memcpy(param.salt, salt->bytes, sizeof param.salt);
    DVI_READ(key.data, (size_t)key.nbytes);
    blake2s_init_param(&state, &param);
    if (key.nbytes > 0)
        blake2s_update(&state, (const uint8_t *)key.data, (size_t)key.nbytes);
    blake2s_final(&state, out, BLAKE2S_OUTBYTES);
    DVI_WRITTEN(out, BLAKE2S_OUTBYTES);
}

uint64_t dvi_key_hash(const dvi_key_salt *salt, dv_text key)
{
    uint8_t out[BLAKE2S_OUTBYTES];
    digest(out, salt, key);
    return dvi_load_u64_be(out);
}

dvi_key_probe dvi_key_probe_of(dv_text key)
{
    uint8_t out[BLAKE2S_OUTBYTES];
    digest(out, NULL, key);
    return (dvi_key_probe){dvi_load_u64_be(out), dvi_load_u64_be(out + 8)};
}

void dvi_key_probes(dvi_key_probe *dst, const dvi_key_salt *salt, const dv_text *keys, size_t n)
{
    _Static_assert(sizeof *dst == 2 * sizeof dst->first, "two numbers, as the kernel writes them");
    dvi_kernels()->keys_hash(&dst->first, keys, n, salt);
}

dvi_key_salt dvi_key_salt_of(int32_t t)
{
    char number[16];
    uint8_t out[BLAKE2S_OUTBYTES];
    dvi_key_salt salt;
    const int n = snprintf(number, sizeof number, "%d", t);
    digest(out, NULL, (dv_text){number, n});
    memcpy(salt.bytes, out, sizeof salt.bytes);
    return salt;
}
