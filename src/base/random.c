/* SPDX-License-Identifier: MIT */
/* random.c: ML.NET's generator: three shift registers and a linear congruence (semantics:5.7).
 */
#include "base/random.h"
#include <math.h>

static uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

/* MurmurRound (semantics:7.5). */
static uint32_t mix(uint32_t hash, uint32_t x)
{
    x = rotate(x * UINT32_C(0xCC9E2D51), 15) * UINT32_C(0x1B873593);
    return rotate(hash ^ x, 13) * 5 + UINT32_C(0xE6546B64);
}

dvi_random dvi_random_of(uint32_t seed)
{
    dvi_random r = {.z1 = seed};
    r.z2 = mix(r.z1, seed);
    r.z3 = mix(r.z2, seed);
    r.z4 = mix(r.z3, seed);
    return r;
}

float dvi_random_r4(dvi_random *r)
{
    return (float)(dvi_random_u4(r) >> 9) * 0x1p-23f;
}

double dvi_random_r8(dvi_random *r)
{
    return dvi_random_u4(r) * 0x1p-32;
}

static uint32_t draw_halves(dvi_random *r)
{
    const uint32_t high = dvi_random_below(r, 65536);
    return high << 16 | dvi_random_below(r, 65536);
}

/* A register below 128 would soon be zero. */
static uint32_t draw_register(dvi_random *r)
{
    uint32_t drawn;
    do
        drawn = draw_halves(r);
    while (drawn < 128);
    return drawn;
}

dvi_random dvi_random_child(dvi_random *r)
{
    dvi_random child;
    child.z1 = draw_register(r);
    child.z2 = draw_register(r);
    child.z3 = draw_register(r);
    child.z4 = draw_halves(r);
    return child;
}

int32_t dvi_random_poisson(dvi_random *r, double mean)
{
    const double least = exp(-mean);
    int32_t n = 0;
    for (double product = dvi_random_r8(r); product > least; product *= dvi_random_r8(r))
        n++;
    return n;
}

void dvi_random_permute(dvi_random *r, uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = i + dvi_random_below(r, n - i), held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
}
