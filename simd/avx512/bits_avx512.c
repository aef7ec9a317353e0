/* SPDX-License-Identifier: MIT */
/* bits_avx512.c: unpacks Booleans of one or two bits into bytes, and packs bytes into bits, 64 at a
 * time. */
#include "base/load.h"
#include "simd/dispatch.h"
#include <dataview/type.h>
#include <immintrin.h>

static inline __m512i from_bits(uint64_t bits)
{
    return _mm512_maskz_mov_epi8(bits, _mm512_set1_epi8(1));
}

size_t dvi_bits_expand_avx512(int8_t *restrict dst, const void *restrict src, size_t n)
{
    const uint8_t *p = src;
    size_t i = 0;
    for (; n - i >= 64; i += 64)
        _mm512_storeu_si512(dst + i, from_bits(dvi_load_u64(p + i / 8)));
    const uint32_t left = (uint32_t)(n - i);
    if (left > 0) {
        const __mmask16 bytes = (__mmask16)_bzhi_u32(0xFFFF, (left + 7) / 8);
        const __m128i bits = _mm_maskz_loadu_epi8(bytes, p + i / 8);
        const __mmask64 items = _bzhi_u64(UINT64_MAX, left);
        _mm512_mask_storeu_epi8(dst + i, items, from_bits((uint64_t)_mm_cvtsi128_si64(bits)));
    }
    return n;
}

/* Unpack 16 bytes.  *bad_out: the mask of the invalid items. */
static inline __m512i from_pairs(__m128i bytes, __mmask64 *bad_out)
{
    const __m512i from =
        _mm512_setr_epi32(0, 0x01010101, 0x02020202, 0x03030303, 0x04040404, 0x05050505, 0x06060606,
                          0x07070707, 0x08080808, 0x09090909, 0x0A0A0A0A, 0x0B0B0B0B, 0x0C0C0C0C,
                          0x0D0D0D0D, 0x0E0E0E0E, 0x0F0F0F0F);
    const __m512i low = _mm512_set1_epi32(0x40100401), high = _mm512_slli_epi32(low, 1);
    const __m512i pairs = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(bytes), from);
    const __mmask64 is_one = _mm512_test_epi8_mask(pairs, low);
    const __mmask64 is_na = _mm512_test_epi8_mask(pairs, high);
    *bad_out = is_one & is_na;
    return _mm512_mask_mov_epi8(from_bits(is_one), is_na, _mm512_set1_epi8(DV_BL_NA));
}

size_t dvi_pairs_expand_avx512(int8_t *restrict dst, const void *restrict src, size_t n)
{
    const uint8_t *p = src;
    __mmask64 bad = 0;
    size_t i = 0;
    for (; n - i >= 64; i += 64) {
        const __m128i bytes = _mm_loadu_si128((const void *)(p + i / 4));
        _mm512_storeu_si512(dst + i, from_pairs(bytes, &bad));
        if (bad)
            return i + _tzcnt_u64(bad);
    }
    const uint32_t left = (uint32_t)(n - i);
    if (left > 0) {
        const __mmask16 there = (__mmask16)_bzhi_u32(0xFFFF, (left + 3) / 4);
        const __m128i bytes = _mm_maskz_loadu_epi8(there, p + i / 4);
        const __mmask64 items = _bzhi_u64(UINT64_MAX, left);
        _mm512_mask_storeu_epi8(dst + i, items, from_pairs(bytes, &bad));
        bad &= items; /* unused bits of the last byte are ignored */
    }
    return bad ? i + _tzcnt_u64(bad) : n;
}

size_t dvi_bits_pack_avx512(uint8_t *restrict dst, const void *restrict src, size_t n)
{
    if (n < 64)
        return dvi_bits_pack_scalar(dst, src, n);
    const __m512i one = _mm512_set1_epi8(1);
    const uint8_t *p = src;
    size_t i = 0, others = 0;
    for (; n - i >= 64; i += 64) {
        const __m512i v = _mm512_loadu_si512(p + i);
        others += (size_t)__builtin_popcountll(_mm512_cmpgt_epu8_mask(v, one));
        dvi_store_u64(dst + i / 8, _mm512_cmpeq_epi8_mask(v, one));
    }
    return others + dvi_bits_pack_scalar(dst + i / 8, p + i, n - i);
}
