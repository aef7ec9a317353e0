/* SPDX-License-Identifier: MIT */
/* reference_hash.c: BLAKE2s of a key, by its reference implementation. */
#include "support/reference_hash.h"
#include "base/compiler.h"
#include "base/load.h"
#include <blake2.h>
#include <string.h>

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

uint64_t dvt_key_hash(const dvi_key_salt *salt, dv_text key)
{
    uint8_t out[BLAKE2S_OUTBYTES];
    digest(out, salt, key);
    return dvi_load_u64_be(out);
}

dvi_key_probe dvt_key_probe_of(dv_text key)
{
    uint8_t out[BLAKE2S_OUTBYTES];
    digest(out, NULL, key);
    return (dvi_key_probe){dvi_load_u64_be(out), dvi_load_u64_be(out + 8)};
}
