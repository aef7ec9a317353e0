/* SPDX-License-Identifier: MIT */
/* check_kernels.c: one check per line of the kernel list, and what the drivers of shapes share. */
#include "check_kernels.h"
#include "support/page.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CANARY 0xA5
#define NEIGHBOURS ((size_t)256)

dvt_draw dvt_draw_from(uint64_t seed)
{
    return (dvt_draw){seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
}

uint64_t dvt_draw_bits(dvt_draw *draw)
{
    uint64_t z = draw->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

size_t dvt_draw_below(dvt_draw *draw, size_t n)
{
    return (size_t)((dvt_draw_bits(draw) >> 32) * n >> 32); /* a division is slow in emulation */
}

bool dvt_draw_once_in(dvt_draw *draw, size_t n)
{
    return dvt_draw_below(draw, n) == 0;
}

/* Where all trials take too long, one in so many is made.  With a number that has no divisor in
 * common with DVT_SLACKS, all lengths and all slacks are still there, if not together. */
static size_t step(void)
{
    static size_t once_in;
    const char *asked = getenv("DV_TRIALS_ONCE_IN");
    if (once_in == 0)
        once_in = asked ? strtoul(asked, NULL, 10) : 1;
    return once_in > 0 ? once_in : 1;
}

bool dvt_try_at(dvt_try *trial, size_t i, size_t longest)
{
    const size_t shorts = DVT_LENGTHS * DVT_SLACKS;
    i *= step();
    *trial = (dvt_try){i / DVT_SLACKS, i % DVT_SLACKS, i};
    if (i < shorts)
        return true;
    dvt_draw draw = dvt_draw_from(i);
    trial->n = DVT_LENGTHS + dvt_draw_below(&draw, longest - DVT_LENGTHS);
    trial->slack = dvt_draw_below(&draw, DVT_SLACKS);
    return i < shorts + DVT_LONG;
}

static uint8_t *place(dvt_page page, const dvt_try *trial, size_t nbytes)
{
    return trial->slack == DVT_AT_START ? dvt_page_start(page, nbytes)
                                        : dvt_page_end(page, nbytes + trial->slack);
}

/* Bytes of the page before and behind what was placed, as far as a stray store would go. */
static size_t before(dvt_page page, const uint8_t *data)
{
    const size_t n = (size_t)(data - page.data);
    return n < NEIGHBOURS ? n : NEIGHBOURS;
}

static size_t behind(dvt_page page, const uint8_t *data, size_t nbytes)
{
    const size_t n = page.nbytes - (size_t)(data - page.data) - nbytes;
    return n < NEIGHBOURS ? n : NEIGHBOURS;
}

uint8_t *dvt_place(int number, const dvt_try *trial, size_t nbytes)
{
    const dvt_page page = dvt_shared_page(number);
    uint8_t *data = place(page, trial, nbytes);
    const size_t n = before(page, data);
    memset(data - n, CANARY, n + nbytes + behind(page, data, nbytes));
    return data;
}

static bool is_canary(const uint8_t *data, size_t n)
{
    /* The first is right, and each equals the next. */
    return n == 0 || (data[0] == CANARY && memcmp(data, data + 1, n - 1) == 0);
}

bool dvt_is_clean(int number, const uint8_t *data, size_t nbytes)
{
    const dvt_page page = dvt_shared_page(number);
    const size_t n = before(page, data);
    return is_canary(data - n, n) && is_canary(data + nbytes, behind(page, data, nbytes));
}

/* Of the kernel that is being checked: do two levels have different ones? */
static bool (*differs)(const dv_kernels *a, const dv_kernels *b);

dvt_levels dvt_levels_here(void)
{
    dvt_levels here = {.scalar = dv_kernels_at(DV_LEVEL_SCALAR)};
    const dv_kernels *lower = here.scalar;
    for (int level = DV_LEVEL_SCALAR + 1; level < DV_LEVELS; level++) {
        const dv_kernels *table = dv_kernels_at((dv_level)level);
        if (!table || !differs(table, lower))
            continue;
        here.table[here.n] = lower = table;
        here.level[here.n++] = (dv_level)level;
    }
    return here;
}

const char *dvt_differs(dv_level level, const dvt_try *trial, const char *what)
{
    static char text[200];
    snprintf(text, sizeof text, "%s: %s, n %zu, slack %zu, seed %zu", dv_level_name(level), what,
             trial->n, trial->slack, trial->seed);
    return text;
}

/* --- One check per kernel --------------------------------------------------------------------- */

#define CALLER_UTF8(name)                                                                          \
    static size_t call_##name(const dv_kernels *k, const void *text, size_t n, size_t *units)      \
    {                                                                                              \
        return k->name(text, n, units);                                                            \
    }
#define CALLER_ENDS(name)                                                                          \
    static size_t call_##name(const dv_kernels *k, const void *ends, size_t n, int32_t first,      \
                              int32_t *last)                                                       \
    {                                                                                              \
        return k->name(ends, n, first, last);                                                      \
    }
#define CALLER_MAP_ENDS(name)                                                                      \
    static size_t call_##name(const dv_kernels *k, void *dst, const void *text, size_t nbytes,     \
                              const void *ends, size_t n)                                          \
    {                                                                                              \
        return k->name(dst, text, nbytes, ends, n);                                                \
    }
#define CALLER_COUNTS(name)                                                                        \
    static size_t call_##name(const dv_kernels *k, const dv_sparse *rows, int32_t spare,           \
                              int64_t *sums)                                                       \
    {                                                                                              \
        return k->name(rows, spare, sums);                                                         \
    }
#define CALLER_OFFSETS(name)                                                                       \
    static void call_##name(const dv_kernels *k, void *indices, void *items,                       \
                            const dv_sparse *rows)                                                 \
    {                                                                                              \
        k->name(indices, items, rows);                                                             \
    }
#define CALLER_STARTS(name)                                                                        \
    static size_t call_##name(const dv_kernels *k, void *counts, const void *offsets, size_t n,    \
                              int64_t entries, int32_t length)                                     \
    {                                                                                              \
        return k->name(counts, offsets, n, entries, length);                                       \
    }
#define CALLER_INDICES(name)                                                                       \
    static size_t call_##name(const dv_kernels *k, const dv_sparse *rows, size_t n)                \
    {                                                                                              \
        return k->name(rows, n);                                                                   \
    }
#define CALLER_EXPAND(name)                                                                        \
    static size_t call_##name(const dv_kernels *k, void *dst, const void *src, size_t n)           \
    {                                                                                              \
        return k->name(dst, src, n);                                                               \
    }
#define CALLER_PACK CALLER_EXPAND
#define CALLER_RANGE(name)                                                                         \
    static size_t call_##name(const dv_kernels *k, const void *src, size_t n)                      \
    {                                                                                              \
        return k->name(src, n);                                                                    \
    }
#define CALLER_DENSIFY(name)                                                                       \
    static void call_##name(const dv_kernels *k, void *dst, size_t stride, size_t width,           \
                            const dv_sparse *rows, dv_store store)                                 \
    {                                                                                              \
        k->name(dst, stride, width, rows, store);                                                  \
    }
#define CALLER_DENSIFY_AS(name) CALLER_DENSIFY(name)
#define CALLER_SPARSIFY(name)                                                                      \
    static size_t call_##name(const dv_kernels *k, int32_t *counts, int32_t *indices, void *items, \
                              const void *src, size_t stride, size_t width, size_t n)              \
    {                                                                                              \
        return k->name(counts, indices, items, src, stride, width, n);                             \
    }
#define CALLER_MAP(name)                                                                           \
    static void call_##name(const dv_kernels *k, void *dst, const void *src, size_t n)             \
    {                                                                                              \
        k->name(dst, src, n);                                                                      \
    }
#define CALLER_PAIRS(name)                                                                         \
    static size_t call_##name(const dv_kernels *k, int32_t *counts, int32_t *indices, void *items, \
                              const dv_pairs *rows, dv_pairs_end *end)                             \
    {                                                                                              \
        return k->name(counts, indices, items, rows, end);                                         \
    }
#define CALLER_NA(name)                                                                            \
    static size_t call_##name(const dv_kernels *k, const void *src, size_t n, const dv_na *na)     \
    {                                                                                              \
        return k->name(src, n, na);                                                                \
    }
#define CALLER_NA_MASK(name)                                                                       \
    static size_t call_##name(const dv_kernels *k, void *dst, const void *src, size_t n,           \
                              const dv_na *na, int na_bit)                                         \
    {                                                                                              \
        return k->name(dst, src, n, na, na_bit);                                                   \
    }
#define CALLER_NA_REPLACE(name)                                                                    \
    static void call_##name(const dv_kernels *k, void *dst, const void *src, size_t n,             \
                            const dv_na *na, uint64_t value)                                       \
    {                                                                                              \
        k->name(dst, src, n, na, (DVT_ITEM_##name)value);                                          \
    }
#define DVT_ITEM_na_replace_1 uint8_t
#define DVT_ITEM_na_replace_2 uint16_t
#define DVT_ITEM_na_replace_4 uint32_t
#define DVT_ITEM_na_replace_8 uint64_t
#define CALLER_MINMAX(name)                                                                        \
    static void call_##name(const dv_kernels *k, void *ends, const void *src, size_t n)            \
    {                                                                                              \
        k->name(src, n, ends);                                                                     \
    }
#define CALLER_SUM(name)                                                                           \
    static dv_sum call_##name(const dv_kernels *k, const void *src, size_t n)                      \
    {                                                                                              \
        return k->name(src, n);                                                                    \
    }
#define CALLER_SUM_REAL(name)                                                                      \
    static double call_##name(const dv_kernels *k, const void *src, size_t n)                      \
    {                                                                                              \
        return k->name(src, n);                                                                    \
    }
#define CALLER_TRANSPOSE(name)                                                                     \
    static void call_##name(const dv_kernels *k, void *dst, size_t stride,                         \
                            const void *const *columns, size_t width, size_t n)                    \
    {                                                                                              \
        k->name(dst, stride, columns, width, n);                                                   \
    }
#define CALLER_ROWS(name)                                                                          \
    static void call_##name(const dv_kernels *k, void *dst, size_t dst_pitch, const void *src,     \
                            size_t src_pitch, size_t width, size_t n, dv_store store)              \
    {                                                                                              \
        k->name(dst, dst_pitch, src, src_pitch, width, n, store);                                  \
    }

#define CHECK(level, shape, name, D, S, contract)                                                  \
    CALLER_##shape(name) static bool differs_##name(const dv_kernels *a, const dv_kernels *b)      \
    {                                                                                              \
        return a->name != b->name;                                                                 \
    }                                                                                              \
    const char *dvt_check_##name(void)                                                             \
    {                                                                                              \
        differs = differs_##name;                                                                  \
        return dvt_check_##shape(call_##name, sizeof(D), sizeof(S));                               \
    }
DV_KERNEL_LIST(CHECK, _)
