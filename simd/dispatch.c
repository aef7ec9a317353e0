/* SPDX-License-Identifier: MIT */
/* dispatch.c: fills the table of each level that can run here, and picks the one in use. */
#include "simd/dispatch.h"
#include "simd/cpu.h"
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* cmake/isa.cmake defines which levels are built. */
#ifdef DVI_HAS_AVX2
#define FILL_AVX2 dvi_fill_avx2
#else
#define FILL_AVX2 NULL
#endif
#ifdef DVI_HAS_AVX512
#define FILL_AVX512 dvi_fill_avx512
#else
#define FILL_AVX512 NULL
#endif
#ifdef DVI_HAS_NEON
#define FILL_NEON dvi_fill_neon
#else
#define FILL_NEON NULL
#endif
#define FILL_SCALAR dvi_fill_scalar

#define NAME_OF(NAME, name, needs) #name,
#define FILL_OF(NAME, name, needs) FILL_##NAME,
static const char *const names[DV_LEVELS] = {DV_LEVEL_LIST(NAME_OF)};
static void (*const fills[DV_LEVELS])(dvi_kernel_table *) = {DV_LEVEL_LIST(FILL_OF)};

/* Written once, under `once`; then only read. */
static dvi_kernel_table tables[DV_LEVELS];
static bool is_there[DV_LEVELS];
static dv_level best;
static dvi_kernel_table in_use; /* of level `best`, or as choice.h says */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The level that DATAVIEW_SIMD names, or the highest. */
static dv_level cap(void)
{
    const char *name = getenv("DATAVIEW_SIMD");
    for (int level = 0; name && level < DV_LEVELS; level++)
        if (strcmp(name, names[level]) == 0)
            return (dv_level)level;
    return (dv_level)(DV_LEVELS - 1);
}

void dvi_choose(dvi_kernel_table *table, const dvi_kernel_table *avx2, dvi_make make)
{
#define TAKE(MAKE, name)                                                                           \
    if (make == DVI_MAKE_##MAKE)                                                                   \
        table->name = avx2->name;
    DVI_AVX2_WINS_LIST(TAKE)
#undef TAKE
}

/* Each level starts from the table of the level below.  Levels of another architecture are missing,
 * so one order serves every machine. */
static void publish(void)
{
    const dv_level highest = cap();
    dvi_kernel_table table;
    for (int level = 0; level < DV_LEVELS; level++) {
        is_there[level] = fills[level] && dvi_cpu_allows((dv_level)level);
        if (!is_there[level])
            continue;
        fills[level](&table);
        tables[level] = table;
        if ((dv_level)level <= highest)
            best = (dv_level)level;
    }
    in_use = tables[best];
    if (best == DV_LEVEL_AVX512 && is_there[DV_LEVEL_AVX2])
        dvi_choose(&in_use, &tables[DV_LEVEL_AVX2], dvi_cpu_make());
}

const dvi_kernel_table *dvi_kernels(void)
{
    pthread_once(&once, publish);
    return &in_use;
}

const dvi_kernel_table *dvi_kernels_at(dv_level level)
{
    pthread_once(&once, publish);
    return level >= 0 && level < DV_LEVELS && is_there[level] ? &tables[level] : NULL;
}

dv_level dv_level_in_use(void)
{
    pthread_once(&once, publish);
    return best;
}

bool dv_level_is_available(dv_level level)
{
    return dvi_kernels_at(level) != NULL;
}

const char *dv_level_name(dv_level level)
{
    return level >= 0 && level < DV_LEVELS ? names[level] : "?";
}

/* Where each kernel is in a table. */
static const size_t members[] = {
#define MEMBER(level, shape, name, D, S, contract) offsetof(dvi_kernel_table, name),
    DVI_KERNEL_LIST(MEMBER, _)
#undef MEMBER
};

static bool is_same(const dvi_kernel_table *a, const dvi_kernel_table *b, size_t member)
{
    return memcmp((const uint8_t *)a + member, (const uint8_t *)b + member,
                  sizeof(void (*)(void))) == 0;
}

/* A level that has no code for a kernel has that of the level below, so the lowest one counts. */
dv_level dv_kernel_level(size_t kernel)
{
    dv_level level = DV_LEVEL_SCALAR;
    if (kernel >= sizeof members / sizeof *members)
        return DV_LEVELS;
    while (!dvi_kernels_at(level) ||
           !is_same(dvi_kernels_at(level), dvi_kernels(), members[kernel]))
        level = (dv_level)(level + 1);
    return level;
}
