/* SPDX-License-Identifier: MIT */
/* check_sparsify.c: checks kernels that find the items of dense rows. */
#include "check_kernels.h"
#include <string.h>

#define ITEMS_MAX 4000

enum { SRC, COUNTS, INDICES, ITEMS };

/* A matrix and its layout. */
typedef struct matrix {
    const uint8_t *src;
    size_t n, width, stride, item_nbytes;
} matrix;

static const uint8_t *item_at(const matrix *m, size_t row, size_t slot)
{
    return m->src + (row * m->stride + slot) * m->item_nbytes;
}

/* trial.n slots in rows of some width, one item in 1 to 40 slots; an item may have a single bit
 * set. */
static matrix draw_matrix(const dvt_try *trial, size_t item_nbytes, dvt_draw *draw)
{
    const size_t width = 1 + dvt_draw_below(draw, dvt_draw_once_in(draw, 2) ? 9 : trial->n + 1);
    const size_t gap = dvt_draw_once_in(draw, 3) ? dvt_draw_below(draw, width + 1) : 0;
    const size_t n = trial->n / width, one_in = 1 + dvt_draw_below(draw, 40);
    const size_t slots = n > 0 ? (n - 1) * (width + gap) + width : 0;
    uint8_t *src = dvt_allocate(SRC, trial, slots * item_nbytes);
    memset(src, 0, slots * item_nbytes);
    for (size_t i = 0; i < slots; i++)
        if (dvt_draw_once_in(draw, one_in)) {
            const uint64_t bits = dvt_draw_bits(draw);
            if (dvt_draw_once_in(draw, 2))
                memcpy(src + i * item_nbytes, &bits, item_nbytes);
            else
                src[i * item_nbytes + bits % item_nbytes] = (uint8_t)(1u << (bits >> 8) % 8);
        }
    return (matrix){src, n, width, width + gap, item_nbytes};
}

/* The output has exactly the slots that are not 0, with their indices. */
static bool is_sparse(const matrix *m, const int32_t *counts, const int32_t *indices,
                      const uint8_t *items, size_t sum)
{
    static const uint8_t zero[8];
    size_t k = 0;
    for (size_t i = 0; i < m->n; i++) {
        const size_t first = k;
        for (size_t slot = 0; slot < m->width; slot++) {
            const uint8_t *item = item_at(m, i, slot);
            if (memcmp(item, zero, m->item_nbytes) == 0)
                continue;
            if (k == sum || indices[k] != (int32_t)slot ||
                memcmp(items + k * m->item_nbytes, item, m->item_nbytes) != 0)
                return false;
            k++;
        }
        if (counts[i] != (int32_t)(k - first))
            return false;
    }
    return k == sum;
}

const char *dvt_check_SPARSIFY(DVT_CALL_SPARSIFY, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const matrix m = draw_matrix(&trial, src_width, &draw);
        const dvt_try aligned = {trial.n, trial.slack / 8 * 8, trial.seed};
        const size_t room = m.n * m.width;
        for (size_t k = 0; k <= here.n; k++) {
            const dv_level level = k < here.n ? here.level[k] : DV_LEVEL_SCALAR;
            int32_t *counts = (void *)dvt_allocate(COUNTS, &aligned, 4 * m.n);
            int32_t *indices = (void *)dvt_allocate(INDICES, &aligned, 4 * room);
            uint8_t *items = dvt_allocate(ITEMS, &aligned, dst_width * room);
            const size_t sum = call(k < here.n ? here.table[k] : here.scalar, counts, indices,
                                    items, m.src, m.stride, m.width, m.n);
            if (!is_sparse(&m, counts, indices, items, sum))
                return dvt_differs(level, &trial, "items");
            if (!dvt_is_clean(COUNTS, (uint8_t *)counts, 4 * m.n) ||
                !dvt_is_clean(INDICES, (uint8_t *)indices, 4 * room) ||
                !dvt_is_clean(ITEMS, items, dst_width * room))
                return dvt_differs(level, &trial, "bytes outside");
        }
    }
    return NULL;
}
