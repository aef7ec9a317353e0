/* SPDX-License-Identifier: MIT */
/* level_wins.c: which kernels win at level avx512 over avx2, for simd/choice.h.
 *
 *     level_wins [ROUNDS]
 *
 * Prints for each kernel the speed of avx512 in that of avx2, slowest first.  The levels take turns
 * in slices of some microseconds, which are shorter than those of the system: on a busy machine
 * most of them run undisturbed, and the tenth percentile is one of those. */
#include <dataview/kernels.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDES = 2, MOST_ROUNDS = 4000, MOST_KERNELS = 1000 };
static const dv_level sides[SIDES] = {DV_LEVEL_AVX2, DV_LEVEL_AVX512};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_of(dv_kernel_sample *sample, size_t kernel, dv_level level, int runs)
{
    const double start = now();
    for (int i = 0; i < runs; i++)
        dv_kernel_sample_run(sample, kernel, level);
    return now() - start;
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The speed of the second side in that of the first. */
static double quotient(dv_kernel_sample *sample, size_t kernel, int rounds)
{
    static double seconds[SIDES][MOST_ROUNDS];
    int runs = 1;
    while (runs < 1024 && seconds_of(sample, kernel, sides[0], runs) < 20e-6)
        runs *= 2;
    for (int round = 0; round < rounds; round++)
        for (int turn = 0; turn < SIDES; turn++) {
            const int side = (turn + round) % SIDES;
            dv_kernel_sample_run(sample, kernel, sides[side]); /* warm */
            seconds[side][round] = seconds_of(sample, kernel, sides[side], runs);
        }
    for (int side = 0; side < SIDES; side++)
        qsort(seconds[side], (size_t)rounds, sizeof *seconds[side], by_number);
    return seconds[0][rounds / 10] / seconds[1][rounds / 10];
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 301;
    const int rounds = asked < 1 ? 1 : asked > MOST_ROUNDS ? MOST_ROUNDS : asked;
    struct {
        double quotient;
        const char *name;
    } rows[MOST_KERNELS];
    size_t n;
    dv_kernel_sample *sample;
    dv_error err = DV_ERROR_INIT;
    const dv_kernel *list = dv_kernel_list(&n);
    if (!dv_level_is_available(sides[0]) || !dv_level_is_available(sides[1]) || n > MOST_KERNELS ||
        dv_kernel_sample_create(&sample, &err) != DV_OK) {
        fprintf(stderr, "level_wins: this machine lacks a level\n");
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        rows[i].quotient = quotient(sample, i, rounds);
        rows[i].name = list[i].name;
    }
    qsort(rows, n, sizeof *rows, by_number); /* a row begins with its number */
    for (size_t i = 0; i < n; i++)
        printf("%5.2f  %s\n", rows[i].quotient, rows[i].name);
    dv_kernel_sample_free(&sample);
    return 0;
}
