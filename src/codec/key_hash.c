/* SPDX-License-Identifier: MIT */
/* key_hash.c: hashes keys by BLAKE2s, with a kernel. */
#include "codec/key_hash.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include <stdio.h>

void dvi_key_probes(dvi_key_probe *dst, const dvi_key_salt *salt, const dv_text *keys, size_t n)
{
    _Static_assert(sizeof *dst == 2 * sizeof dst->first, "two numbers, as the kernel writes them");
    dvi_kernels()->keys_hash(&dst->first, keys, n, salt);
}

dvi_key_salt dvi_key_salt_of(int32_t t)
{
    char number[16];
    dvi_key_probe probe;
    dvi_key_salt salt;
    const dv_text text = {number, snprintf(number, sizeof number, "%d", t)};
    dvi_key_probes(&probe, NULL, &text, 1);
    dvi_store_u64_be(salt.bytes, probe.first);
    return salt;
}
