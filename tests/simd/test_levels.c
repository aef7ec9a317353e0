/* SPDX-License-Identifier: MIT */
/* test_levels.c: which levels there are, which is in use, and which kernels of others it takes. */
#include "simd/cpu.h"
#include "simd/dispatch.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The features of the CPU according to Linux, independently of the library: the words of a line of
 * /proc/cpuinfo. */
static bool linux_lists(const char *words)
{
    char line[8192] = "", word[32];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line - 1, f) && strncmp(line, "flags", 5) != 0)
        ;
    if (f)
        fclose(f);
    strcpy(line + strcspn(line, "\n"), " ");
    for (int n; sscanf(words, "%30s%n", word + 1, &n) == 1; words += n) {
        word[0] = ' ';
        strcat(word, " ");
        if (!strstr(line, word))
            return false;
    }
    return true;
}

#define AVX2_WORDS "popcnt bmi1 bmi2 avx2 abm"
static bool cpu_has(dv_level level)
{
    switch (level) {
    case DV_LEVEL_SCALAR:
        return true;
    case DV_LEVEL_AVX2:
        return linux_lists(AVX2_WORDS);
    case DV_LEVEL_AVX512:
        return linux_lists(AVX2_WORDS
                           " avx512f avx512dq avx512bw avx512vl avx512_vbmi2 avx512_vnni");
    default:
        break;
    }
#ifdef __aarch64__
    return true;
#else
    return false;
#endif
}

static bool is_built(dv_level level)
{
    return strstr(" scalar " DVT_LEVELS " ", dv_level_name(level)) != NULL;
}

/* A level that is built may be missing only if the CPU lacks a feature, which is then named. */
static void expect_level(dv_level level, const char *needs)
{
    const bool has = cpu_has(level);
    cr_expect_eq(dvi_kernels_at(level) != NULL, is_built(level) && has, "%s", dv_level_name(level));
    if (is_built(level) && !has)
        cr_skip_test("kernels of level %s: this CPU lacks some of %s", dv_level_name(level), needs);
}

#define X(NAME, name, needs)                                                                       \
    Test(levels, name)                                                                             \
    {                                                                                              \
        expect_level(DV_LEVEL_##NAME, needs);                                                      \
    }
DV_LEVEL_LIST(X)
#undef X

Test(levels, the_best_is_the_highest_that_is_allowed)
{
    const char *name = getenv("DATAVIEW_SIMD");
    dv_level want = DV_LEVEL_SCALAR;
    for (int level = 0; level < DV_LEVELS; level++) {
        if (dvi_kernels_at((dv_level)level))
            want = (dv_level)level;
        if (name && strcmp(name, dv_level_name((dv_level)level)) == 0)
            break;
    }
    cr_expect_eq(dv_level_in_use(), want);
    dvi_kernel_table table = *dvi_kernels_at(want);
    if (want == DV_LEVEL_AVX512)
        dvi_choose(&table, dvi_kernels_at(DV_LEVEL_AVX2), dvi_cpu_make());
    cr_expect_eq(memcmp(dvi_kernels(), &table, sizeof table), 0);
}

/* Exactly the listed kernels are taken, and on that make only. */
Test(levels, the_winners_of_a_make_are_chosen)
{
    const dvi_kernel_table *scalar = dvi_kernels_at(DV_LEVEL_SCALAR);
    dvi_kernel_table other = {0}, table = {0};
    dvi_choose(&table, scalar, DVI_MAKE_UNKNOWN);
    cr_expect_eq(memcmp(&table, &other, sizeof table), 0);
    dvi_choose(&table, scalar, DVI_MAKE_ZEN4);
#define EXPECT_TAKEN(MAKE, kernel)                                                                 \
    cr_expect_eq(table.kernel, scalar->kernel);                                                    \
    table.kernel = NULL;
    DVI_AVX2_WINS_LIST(EXPECT_TAKEN)
#undef EXPECT_TAKEN
    cr_expect_eq(memcmp(&table, &other, sizeof table), 0);
}

/* Each kernel is that of the level that dv_kernel_level names; gather_4 has no other than scalar's.
 */
Test(levels, the_level_of_each_kernel)
{
    size_t i = 0;
#define EXPECT_LEVEL(level, shape, kernel, D, S, contract)                                         \
    cr_expect_eq(dvi_kernels_at(dv_kernel_level(i))->kernel, dvi_kernels()->kernel, #kernel);      \
    cr_expect(dv_kernel_level(i) == DV_LEVEL_SCALAR ||                                             \
                  dvi_kernels_at(DV_LEVEL_SCALAR)->kernel != dvi_kernels()->kernel,                \
              #kernel);                                                                            \
    if (strcmp(#kernel, "gather_4") == 0)                                                          \
        cr_expect_eq(dv_kernel_level(i), DV_LEVEL_SCALAR);                                         \
    i++;
    DVI_KERNEL_LIST(EXPECT_LEVEL, _)
#undef EXPECT_LEVEL
}

Test(levels, a_number_that_is_none_has_no_table)
{
    cr_expect_null(dvi_kernels_at(DV_LEVELS));
    cr_expect_null(dvi_kernels_at((dv_level)-1));
    cr_expect_str_eq(dv_level_name(DV_LEVELS), "?");
}
