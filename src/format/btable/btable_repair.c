/* SPDX-License-Identifier: MIT */
/* btable_repair.c: repairs unsound rows in lenient mode (btable:7). */
#include "base/size.h"
#include "base/sort.h"
#include "format/btable/btable_priv.h"

/* Sort pairs by slot, and pairs of one slot by position. Drop those outside the slots; return the
 * number of the others. */
static size_t sort_pairs(uint64_t *keys, const uint8_t *pairs, int32_t n, int32_t slots)
{
    size_t kept = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t index = dvi_load_i32_be(pairs + (int64_t)DVI_BTABLE_PAIR_NBYTES * k);
        if (index >= 0 && index < slots)
            keys[kept++] = (uint64_t)index << 32 | (uint32_t)k;
    }
    dvi_sort_u64(keys, keys + n, kept);
    return kept;
}

dv_status dvi_btable_repair_row(const dvi_btable_file *file, const uint8_t *pairs, int32_t n,
                                int32_t *indices, double *items, int32_t *count_out,
                                dvi_memory **scratch, dv_error *err)
{
    const int32_t slots = file->header.slots;
    const size_t nbytes = 2 * sizeof(uint64_t) * (size_t)n;
    DVI_TRY(dvi_memory_reserve(scratch, &file->allocator, nbytes, err));
    uint64_t *keys = (uint64_t *)(void *)(*scratch)->data;
    const size_t kept = sort_pairs(keys, pairs, n, slots);
    int32_t count = 0;
    for (size_t i = 0; i < kept; i++) {
        if (i + 1 < kept && keys[i] >> 32 == keys[i + 1] >> 32)
            continue; /* the last pair of a slot counts */
        const uint8_t *pair = pairs + DVI_BTABLE_PAIR_NBYTES * (keys[i] & UINT32_MAX);
        const uint64_t bits = dvi_load_u64_be(pair + 4);
        indices[count] = (int32_t)(keys[i] >> 32);
        memcpy(&items[count++], &bits, sizeof bits);
    }
    *count_out = count == slots ? -1 : count;
    return DV_OK;
}
