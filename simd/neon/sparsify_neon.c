/* SPDX-License-Identifier: MIT */
/* sparsify_neon.c: finds the items of dense rows, eight slots at a time. */
#include "simd/bit_positions.h"
#include "simd/sparsify_tmpl.h"
#include <arm_neon.h>

/* --- Masks of the items that are not 0 -------------------------------------------------------- */

static const uint8_t bit_of[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

/* items_W: set all bits of the items at p that are not 0. */
#define DEFINE_ITEMS(W, bits, V)                                                                   \
    static inline V items_##W(const uint8_t *p)                                                    \
    {                                                                                              \
        const V v = vreinterpretq_u##bits##_u8(vld1q_u8(p));                                       \
        return vtstq_u##bits(v, v);                                                                \
    }
DEFINE_ITEMS(2, 16, uint16x8_t)
DEFINE_ITEMS(4, 32, uint32x4_t)
DEFINE_ITEMS(8, 64, uint64x2_t)

/* eight_W: return two bytes, all bits of which are set or none, for each of eight slots. */
static inline uint16x8_t eight_of_words(uint32x4_t a, uint32x4_t b)
{
    return vuzp1q_u16(vreinterpretq_u16_u32(a), vreinterpretq_u16_u32(b));
}

#define eight_2 items_2

static inline uint16x8_t eight_4(const uint8_t *p)
{
    return eight_of_words(items_4(p), items_4(p + 16));
}

static inline uint32x4_t words_8(const uint8_t *p)
{
    return vuzp1q_u32(vreinterpretq_u32_u64(items_8(p)), vreinterpretq_u32_u64(items_8(p + 16)));
}

static inline uint16x8_t eight_8(const uint8_t *p)
{
    return eight_of_words(words_8(p), words_8(p + 32));
}

/* sixteen_W: return a byte for each of sixteen slots. */
static inline uint8x16_t sixteen_1(const uint8_t *p)
{
    const uint8x16_t v = vld1q_u8(p);
    return vtstq_u8(v, v);
}

#define DEFINE_SIXTEEN(W)                                                                          \
    static inline uint8x16_t sixteen_##W(const uint8_t *p)                                         \
    {                                                                                              \
        return vuzp1q_u8(vreinterpretq_u8_u16(eight_##W(p)),                                       \
                         vreinterpretq_u8_u16(eight_##W(p + 8 * W)));                              \
    }
DEFINE_SIXTEEN(2)
DEFINE_SIXTEEN(4)
DEFINE_SIXTEEN(8)

static inline uint32_t mask_1(const uint8_t *p)
{
    const uint8x8_t v = vld1_u8(p);
    return vaddv_u8(vand_u8(vtst_u8(v, v), vld1_u8(bit_of)));
}

#define DEFINE_MASK(W)                                                                             \
    static inline uint32_t mask_##W(const uint8_t *p)                                              \
    {                                                                                              \
        return vaddvq_u16(vandq_u16(eight_##W(p), vmovl_u8(vld1_u8(bit_of))));                     \
    }
DEFINE_MASK(2)
DEFINE_MASK(4)
DEFINE_MASK(8)

/* Adding neighbors three times collects the bits of 32 bytes. */
#define DEFINE_MASKS(W)                                                                            \
    static inline uint32_t masks_##W(const uint8_t *p)                                             \
    {                                                                                              \
        const uint8x16_t bit = vld1q_u8(bit_of);                                                   \
        const uint8x16_t low = vandq_u8(sixteen_##W(p), bit);                                      \
        const uint8x16_t high = vandq_u8(sixteen_##W(p + 16 * W), bit);                            \
        const uint8x16_t pairs = vpaddq_u8(low, high), fours = vpaddq_u8(pairs, pairs);            \
        return vgetq_lane_u32(vreinterpretq_u32_u8(vpaddq_u8(fours, fours)), 0);                   \
    }
DEFINE_MASKS(1)
DEFINE_MASKS(2)
DEFINE_MASKS(4)
DEFINE_MASKS(8)

/* --- Writing the items of a mask -------------------------------------------------------------- */

static inline uint8x8_t lanes_of(uint32_t mask)
{
    return vcreate_u8(dvi_bit_positions[mask]);
}

static inline size_t put_indices(int32_t *indices, uint8x8_t lanes, size_t slot, uint32_t mask)
{
    const uint32x4_t first = vdupq_n_u32((uint32_t)slot);
    const uint16x8_t wide = vmovl_u8(lanes);
    vst1q_s32(indices, vreinterpretq_s32_u32(vaddw_u16(first, vget_low_u16(wide))));
    vst1q_s32(indices + 4, vreinterpretq_s32_u32(vaddw_high_u16(first, wide)));
    return (size_t)__builtin_popcount(mask);
}

static inline size_t put_1(int32_t *indices, void *items, const uint8_t *p, size_t slot,
                           uint32_t mask)
{
    const uint8x8_t lanes = lanes_of(mask);
    vst1_u8(items, vtbl1_u8(vld1_u8(p), lanes));
    return put_indices(indices, lanes, slot, mask);
}

static inline size_t put_2(int32_t *indices, void *items, const uint8_t *p, size_t slot,
                           uint32_t mask)
{
    const uint8x8_t lanes = lanes_of(mask);
    const uint16x8_t bytes = vmlaq_n_u16(vdupq_n_u16(0x0100), vmovl_u8(lanes), 0x0202);
    vst1q_u8(items, vqtbl1q_u8(vld1q_u8(p), vreinterpretq_u8_u16(bytes)));
    return put_indices(indices, lanes, slot, mask);
}

/* Write 16 of 32 bytes, by their places. */
static inline void put_bytes(void *dst, uint8x16x2_t from, uint8x16_t places)
{
    vst1q_u8(dst, vqtbl2q_u8(from, places));
}

static inline void put_words(void *items, uint8x16x2_t from, uint16x4_t lanes)
{
    const uint32x4_t places = vmlaq_n_u32(vdupq_n_u32(0x03020100), vmovl_u16(lanes), 0x04040404);
    put_bytes(items, from, vreinterpretq_u8_u32(places));
}

static inline size_t put_4(int32_t *indices, void *items, const uint8_t *p, size_t slot,
                           uint32_t mask)
{
    const uint8x8_t lanes = lanes_of(mask);
    const uint16x8_t wide = vmovl_u8(lanes);
    const uint8x16x2_t from = {{vld1q_u8(p), vld1q_u8(p + 16)}};
    put_words(items, from, vget_low_u16(wide));
    put_words((uint8_t *)items + 16, from, vget_high_u16(wide));
    return put_indices(indices, lanes, slot, mask);
}

/* Entry m: the places of the bytes of those of four items that mask m selects. */
#define ITEM(i) (UINT64_C(0x0706050403020100) + (i)*UINT64_C(0x0808080808080808))
#define FOUR(i, j, k, l)                                                                           \
    {                                                                                              \
        ITEM(i), ITEM(j), ITEM(k), ITEM(l)                                                         \
    }
static const uint64_t places_of_four[16][4] = {
    FOUR(0, 0, 0, 0), FOUR(0, 0, 0, 0), FOUR(1, 0, 0, 0), FOUR(0, 1, 0, 0),
    FOUR(2, 0, 0, 0), FOUR(0, 2, 0, 0), FOUR(1, 2, 0, 0), FOUR(0, 1, 2, 0),
    FOUR(3, 0, 0, 0), FOUR(0, 3, 0, 0), FOUR(1, 3, 0, 0), FOUR(0, 1, 3, 0),
    FOUR(2, 3, 0, 0), FOUR(0, 2, 3, 0), FOUR(1, 2, 3, 0), FOUR(0, 1, 2, 3)};

static inline void put_four(void *items, const uint8_t *p, uint32_t mask)
{
    const uint8x16x2_t from = {{vld1q_u8(p), vld1q_u8(p + 16)}};
    const uint64_t *const places = places_of_four[mask];
    put_bytes(items, from, vreinterpretq_u8_u64(vld1q_u64(places)));
    put_bytes((uint8_t *)items + 16, from, vreinterpretq_u8_u64(vld1q_u64(places + 2)));
}

static inline size_t put_8(int32_t *indices, void *items, const uint8_t *p, size_t slot,
                           uint32_t mask)
{
    put_four(items, p, mask & 15);
    put_four((uint8_t *)items + 8 * (size_t)__builtin_popcount(mask & 15), p + 32, mask >> 4);
    return put_indices(indices, lanes_of(mask), slot, mask);
}

DVI_SPARSIFY(1, uint8_t, neon, 8)
DVI_SPARSIFY(2, uint16_t, neon, 8)
DVI_SPARSIFY(4, uint32_t, neon, 8)
DVI_SPARSIFY(8, uint64_t, neon, 32)
