/* SPDX-License-Identifier: MIT */
/* densify.c: finds the kernel that makes sparse rows dense. */
#include "simd/densify.h"
#include "simd/kinds.h"

#define RUN(name)                                                                                  \
    static void run_##name(const dvi_kernel_table *table, void *dst, size_t stride, size_t width,  \
                           const dv_sparse *rows, dvi_store store)                                 \
    {                                                                                              \
        table->densify_##name(dst, stride, width, rows, store);                                    \
    }
#define RUN_AS(X, level, from, to) RUN(from##_##to)
RUN(1)
RUN(2)
RUN(4)
RUN(8)
DVI_DENSIFY_LIST(RUN_AS, _, _)

static const dvi_densify_kernel same[] = {
    {run_1, 1, 1}, {run_2, 2, 2}, {run_4, 4, 4}, {run_8, 8, 8}};

static const struct {
    dv_kind stored, item;
    dvi_densify_kernel kernel;
} converted[] = {
#define ENTRY(X, level, from, to)                                                                  \
    {DVI_KIND_##from,                                                                              \
     DVI_KIND_##to,                                                                                \
     {run_##from##_##to, sizeof(DVI_ITEM_##from), sizeof(DVI_ITEM_##to)}},
    DVI_DENSIFY_LIST(ENTRY, _, _)
#undef ENTRY
};

/* The bytes of a value of each kind; 0: not fixed. */
static const uint8_t widths[] = {
#define WIDTH(NAME, name, number, width, ctype, na, aliases) [number] = width,
    DV_TYPE_LIST(WIDTH)
#undef WIDTH
        [DV_KIND_R2] = 2,
    [DV_KIND_B2] = 2,
};

const dvi_densify_kernel *dvi_densify_find(dv_kind stored, dv_kind item)
{
    const size_t nbytes = (size_t)item < sizeof widths ? widths[item] : 0;
    for (size_t i = 0; stored == item && i < sizeof same / sizeof *same; i++)
        if (same[i].item_nbytes == nbytes)
            return &same[i];
    for (size_t i = 0; i < sizeof converted / sizeof *converted; i++)
        if (converted[i].stored == stored && converted[i].item == item)
            return &converted[i].kernel;
    return NULL;
}
