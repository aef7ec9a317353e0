/* SPDX-License-Identifier: MIT */
/* check_kernels.c: checks each kernel of the list by the driver of its shape. */
#include "check_kernels.h"
#include <stdio.h>

/* Whether two levels have different kernels of the name being checked. */
static bool (*differs)(const dvi_kernel_table *a, const dvi_kernel_table *b);

dvt_levels dvt_levels_here(void)
{
    dvt_levels here = {.scalar = dvi_kernels_at(DV_LEVEL_SCALAR)};
    const dvi_kernel_table *lower = here.scalar;
    for (int level = DV_LEVEL_SCALAR + 1; level < DV_LEVELS; level++) {
        const dvi_kernel_table *table = dvi_kernels_at((dv_level)level);
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
    static size_t call_##name(const dvi_kernel_table *k, const void *text, size_t n,               \
                              size_t *units)                                                       \
    {                                                                                              \
        return k->name(text, n, units);                                                            \
    }
#define CALLER_ENDS(name)                                                                          \
    static size_t call_##name(const dvi_kernel_table *k, void *dst, const void *ends, size_t n,    \
                              int32_t first, int32_t *last)                                        \
    {                                                                                              \
        return k->name(dst, ends, n, first, last);                                                 \
    }
#define CALLER_MAP_ENDS(name)                                                                      \
    static size_t call_##name(const dvi_kernel_table *k, void *dst, const void *text,              \
                              size_t nbytes, const void *ends, size_t n)                           \
    {                                                                                              \
        return k->name(dst, text, nbytes, ends, n);                                                \
    }
#define CALLER_COUNTS(name)                                                                        \
    static size_t call_##name(const dvi_kernel_table *k, const dv_sparse *rows, int32_t spare,     \
                              int64_t *sums)                                                       \
    {                                                                                              \
        return k->name(rows, spare, sums);                                                         \
    }
#define CALLER_OFFSETS(name)                                                                       \
    static void call_##name(const dvi_kernel_table *k, void *indices, void *items,                 \
                            const dv_sparse *rows)                                                 \
    {                                                                                              \
        k->name(indices, items, rows);                                                             \
    }
#define CALLER_STARTS(name)                                                                        \
    static size_t call_##name(const dvi_kernel_table *k, void *counts, const void *offsets,        \
                              size_t n, int64_t entries, int32_t length)                           \
    {                                                                                              \
        return k->name(counts, offsets, n, entries, length);                                       \
    }
#define CALLER_INDICES(name)                                                                       \
    static size_t call_##name(const dvi_kernel_table *k, const dv_sparse *rows, size_t n)          \
    {                                                                                              \
        return k->name(rows, n);                                                                   \
    }
#define CALLER_EXPAND(name)                                                                        \
    static size_t call_##name(const dvi_kernel_table *k, void *dst, const void *src, size_t n)     \
    {                                                                                              \
        return k->name(dst, src, n);                                                               \
    }
#define CALLER_PACK CALLER_EXPAND
#define CALLER_RANGE(name)                                                                         \
    static size_t call_##name(const dvi_kernel_table *k, const void *src, size_t n)                \
    {                                                                                              \
        return k->name(src, n);                                                                    \
    }
#define CALLER_DENSIFY(name)                                                                       \
    static void call_##name(const dvi_kernel_table *k, void *dst, size_t stride, size_t width,     \
                            const dv_sparse *rows, dvi_store store)                                \
    {                                                                                              \
        k->name(dst, stride, width, rows, store);                                                  \
    }
#define CALLER_DENSIFY_AS(name) CALLER_DENSIFY(name)
#define CALLER_SPARSIFY(name)                                                                      \
    static size_t call_##name(const dvi_kernel_table *k, int32_t *counts, int32_t *indices,        \
                              void *items, const void *src, size_t stride, size_t width, size_t n) \
    {                                                                                              \
        return k->name(counts, indices, items, src, stride, width, n);                             \
    }
#define CALLER_MAP(name)                                                                           \
    static void call_##name(const dvi_kernel_table *k, void *dst, const void *src, size_t n)       \
    {                                                                                              \
        k->name(dst, src, n);                                                                      \
    }
#define CALLER_PAIRS(name)                                                                         \
    static size_t call_##name(const dvi_kernel_table *k, int32_t *counts, int32_t *indices,        \
                              void *items, const dvi_pairs *rows, dvi_pairs_end *end)              \
    {                                                                                              \
        return k->name(counts, indices, items, rows, end);                                         \
    }
#define CALLER_NA(name)                                                                            \
    static size_t call_##name(const dvi_kernel_table *k, const void *src, size_t n,                \
                              const dvi_na *na)                                                    \
    {                                                                                              \
        return k->name(src, n, na);                                                                \
    }
#define CALLER_NA_MASK(name)                                                                       \
    static size_t call_##name(const dvi_kernel_table *k, void *dst, const void *src, size_t n,     \
                              const dvi_na *na, int na_bit)                                        \
    {                                                                                              \
        return k->name(dst, src, n, na, na_bit);                                                   \
    }
#define CALLER_NA_REPLACE(name)                                                                    \
    static void call_##name(const dvi_kernel_table *k, void *dst, const void *src, size_t n,       \
                            const dvi_na *na, uint64_t value)                                      \
    {                                                                                              \
        k->name(dst, src, n, na, (DVT_ITEM_##name)value);                                          \
    }
#define DVT_ITEM_na_replace_1 uint8_t
#define DVT_ITEM_na_replace_2 uint16_t
#define DVT_ITEM_na_replace_4 uint32_t
#define DVT_ITEM_na_replace_8 uint64_t
#define CALLER_MINMAX(name)                                                                        \
    static void call_##name(const dvi_kernel_table *k, void *ends, const void *src, size_t n)      \
    {                                                                                              \
        k->name(src, n, ends);                                                                     \
    }
#define CALLER_SUM(name)                                                                           \
    static dvi_sum call_##name(const dvi_kernel_table *k, const void *src, size_t n)               \
    {                                                                                              \
        return k->name(src, n);                                                                    \
    }
#define CALLER_SUM_REAL(name)                                                                      \
    static double call_##name(const dvi_kernel_table *k, const void *src, size_t n)                \
    {                                                                                              \
        return k->name(src, n);                                                                    \
    }
#define CALLER_TRANSPOSE(name)                                                                     \
    static void call_##name(const dvi_kernel_table *k, void *dst, size_t stride,                   \
                            const void *const *columns, size_t width, size_t n)                    \
    {                                                                                              \
        k->name(dst, stride, columns, width, n);                                                   \
    }
#define CALLER_ROWS(name)                                                                          \
    static void call_##name(const dvi_kernel_table *k, void *dst, size_t dst_pitch,                \
                            const void *src, size_t src_pitch, size_t width, size_t n,             \
                            dvi_store store)                                                       \
    {                                                                                              \
        k->name(dst, dst_pitch, src, src_pitch, width, n, store);                                  \
    }
#define CALLER_GATHER(name)                                                                        \
    static void call_##name(const dvi_kernel_table *k, void *dst, const void *src,                 \
                            const void *index, size_t n)                                           \
    {                                                                                              \
        k->name(dst, src, index, n);                                                               \
    }
#define CALLER_GATHER_ENDS(name)                                                                   \
    static size_t call_##name(const dvi_kernel_table *k, void *dst, const void *ends,              \
                              int32_t first, const void *index, size_t n, int32_t at,              \
                              int32_t *last)                                                       \
    {                                                                                              \
        return k->name(dst, ends, first, index, n, at, last);                                      \
    }
#define CALLER_GATHER_TEXT(name)                                                                   \
    static void call_##name(const dvi_kernel_table *k, void *dst, size_t nbytes, const void *text, \
                            size_t text_nbytes, const void *ends, int32_t first,                   \
                            const void *index, size_t n)                                           \
    {                                                                                              \
        k->name(dst, nbytes, text, text_nbytes, ends, first, index, n);                            \
    }
#define CALLER_MOVE_ENDS(name)                                                                     \
    static void call_##name(const dvi_kernel_table *k, void *dst, const void *ends, size_t n,      \
                            int32_t by)                                                            \
    {                                                                                              \
        k->name(dst, ends, n, by);                                                                 \
    }
#define CALLER_FIND(name)                                                                          \
    static size_t call_##name(const dvi_kernel_table *k, void *dst, size_t room, const void *src,  \
                              size_t n, const dvi_ascii_set *set)                                  \
    {                                                                                              \
        return k->name(dst, room, src, n, set);                                                    \
    }
#define CALLER_HASH(name)                                                                          \
    static void call_##name(const dvi_kernel_table *k, void *dst, const dv_text *keys, size_t n,   \
                            const void *salt)                                                      \
    {                                                                                              \
        k->name(dst, keys, n, salt);                                                               \
    }
#define CALLER_CELLS(name)                                                                         \
    static void call_##name(const dvi_kernel_table *k, void *dst, uint64_t first, uint64_t step,   \
                            size_t n, const dvi_rectangle *rectangle)                              \
    {                                                                                              \
        k->name(dst, first, step, n, rectangle);                                                   \
    }
#define CALLER_MURMUR(name)                                                                        \
    static void call_##name(const dvi_kernel_table *k, void *dst, const void *src, size_t n,       \
                            const void *slots, const dvi_murmur *how)                              \
    {                                                                                              \
        k->name(dst, src, n, slots, how);                                                          \
    }

#define CALLER_AFFINE(name)                                                                        \
    static void call_##name(const dvi_kernel_table *k, void *dst, const void *src, size_t n,       \
                            const void *offset, const void *scale, bool plus)                      \
    {                                                                                              \
        k->name(dst, src, n, offset, scale, plus);                                                 \
    }
#define CALLER_BINS(name)                                                                          \
    static void call_##name(const dvi_kernel_table *k, void *dst, const void *src, size_t n,       \
                            const void *bounds, size_t bounds_n)                                   \
    {                                                                                              \
        k->name(dst, src, n, bounds, bounds_n);                                                    \
    }

#define CALLER_MIX(name)                                                                           \
    static void call_##name(const dvi_kernel_table *k, void *dst, size_t dst_pitch,                \
                            const void *src, size_t src_pitch, size_t nbytes, size_t rows,         \
                            const dv_mix *mix)                                                     \
    {                                                                                              \
        k->name(dst, dst_pitch, src, src_pitch, nbytes, rows, mix);                                \
    }
#define CALLER_BLEND(name)                                                                         \
    static void call_##name(const dvi_kernel_table *k, void *dst, const void *src, size_t pitch,   \
                            size_t n, const int32_t *weights, size_t count)                        \
    {                                                                                              \
        k->name(dst, src, pitch, n, weights, count);                                               \
    }
#define CALLER_PLANES(name)                                                                        \
    static void call_##name(const dvi_kernel_table *k, float *const dst[3], const void *src,       \
                            size_t n, const dv_pixel_scale *how)                                   \
    {                                                                                              \
        k->name(dst, src, n, how);                                                                 \
    }

#define CHECK(level, shape, name, D, S, contract)                                                  \
    CALLER_##shape(name) static bool differs_##name(const dvi_kernel_table *a,                     \
                                                    const dvi_kernel_table *b)                     \
    {                                                                                              \
        return a->name != b->name;                                                                 \
    }                                                                                              \
    const char *dvt_check_##name(void)                                                             \
    {                                                                                              \
        differs = differs_##name;                                                                  \
        return dvt_check_##shape(call_##name, sizeof(D), sizeof(S));                               \
    }
DVI_KERNEL_LIST(CHECK, _)
