/* SPDX-License-Identifier: MIT */
/* counts_neon.c: checks lengths and counts of vectors, and adds them up. */
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <arm_neon.h>

/* Four rows. */
typedef struct rows4 {
    int32x4_t length, count;
} rows4;

static inline int32x4_t load4(const void *src, size_t i)
{
    return vreinterpretq_s32_u8(vld1q_u8((const uint8_t *)src + 4 * i));
}

static inline rows4 load_rows(const dv_sparse *rows, size_t i)
{
    const int32x4_t same = vdupq_n_s32(rows->length);
    return (rows4){rows->lengths ? load4(rows->lengths, i) : same, load4(rows->counts, i)};
}

/* Indices and items of valid rows: the count for both, or 0 and the length if the row is dense. */
static inline int32x4_t indices_of(rows4 r)
{
    return vmaxq_s32(r.count, vdupq_n_s32(0));
}

static inline int32x4_t items_of(rows4 r)
{
    return vbslq_s32(vcltzq_s32(r.count), r.length, r.count);
}

/* Set all bits of a lane whose row is invalid.  spare is 0 or 1, so length - spare is at least -1
 * if length is not negative, and the count of a dense row, -1, is never above it. */
static inline uint32x4_t is_bad(rows4 r, int32_t spare)
{
    const int32x4_t most = vsubq_s32(r.length, vdupq_n_s32(spare));
    const uint32x4_t is_outside =
        vorrq_u32(vcgtq_s32(r.count, most), vcltq_s32(r.count, vdupq_n_s32(-1)));
    return vorrq_u32(is_outside, vcltzq_s32(r.length));
}

size_t dvi_counts_check_neon(const dv_sparse *rows, int32_t spare, int64_t sums_out[2])
{
    int64x2_t indices = vdupq_n_s64(0), items = vdupq_n_s64(0);
    size_t i = 0;
    for (; rows->n - i >= 8; i += 8) {
        const rows4 a = load_rows(rows, i), b = load_rows(rows, i + 4);
        if (vmaxvq_u32(vorrq_u32(is_bad(a, spare), is_bad(b, spare))) != 0)
            break;
        indices = vpadalq_s32(vpadalq_s32(indices, indices_of(a)), indices_of(b));
        items = vpadalq_s32(vpadalq_s32(items, items_of(a)), items_of(b));
    }
    const dv_sparse rest =
        dvi_sparse_from(rows, i, 0, 0); /* the eight with an invalid row, or the last 0..7 */
    const size_t good = i + dvi_counts_check_scalar(&rest, spare, sums_out);
    sums_out[0] += vaddvq_s64(indices);
    sums_out[1] += vaddvq_s64(items);
    return good;
}

/* Write the ends of four rows, the first of which starts at `start`.  Returns the last end in both
 * lanes.  The sum of two numbers that are not negative fits in 32 unsigned bits. */
static inline uint64x2_t add_up(int64_t *ends, uint64x2_t start, int32x4_t numbers)
{
    const uint64x2_t before = vshlq_n_u64(vreinterpretq_u64_s32(numbers), 32);
    const uint32x4_t in_pair = vreinterpretq_u32_s32(
        vaddq_s32(numbers, vreinterpretq_s32_u64(before))); /* a, a + b; c, c + d */
    const uint64x2_t low = vmovl_u32(vget_low_u32(in_pair));
    const uint64x2_t high = vaddw_high_u32(vdupq_laneq_u64(low, 1), in_pair);
    vst1q_s64(ends, vreinterpretq_s64_u64(vaddq_u64(start, low)));
    vst1q_s64(ends + 2, vreinterpretq_s64_u64(vaddq_u64(start, high)));
    return vaddq_u64(start, vdupq_laneq_u64(high, 1));
}

void dvi_counts_offsets_neon(int64_t *restrict indices, int64_t *restrict items,
                             const dv_sparse *rows)
{
    if (rows->n == 0)
        return; /* then indices[0] and items[0] may not exist */
    uint64x2_t indices_end = vdupq_n_u64((uint64_t)indices[0]);
    uint64x2_t items_end = vdupq_n_u64((uint64_t)items[0]);
    size_t i = 0;
    for (; rows->n - i >= 4; i += 4) {
        const rows4 r = load_rows(rows, i);
        indices_end = add_up(indices + i + 1, indices_end, indices_of(r));
        items_end = add_up(items + i + 1, items_end, items_of(r));
    }
    const dv_sparse rest = dvi_sparse_from(rows, i, 0, 0); /* the last 0..3 */
    dvi_counts_offsets_scalar(indices + i, items + i, &rest);
}
