/* SPDX-License-Identifier: MIT */
/* test_mersenne.c: the numbers drawn are those of CPython (datadings:5.3). */
#include "base/mersenne.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* With the bound 2^31 each draw takes 32 bits, and is discarded if the highest is 1. */
static uint32_t next_below_2_31(dvi_mersenne *m)
{
    return (uint32_t)dvi_mersenne_below(m, UINT64_C(1) << 31);
}

/* random.seed(10): the first outputs, of which those from 2^31 on are discarded. */
Test(mersenne, first_outputs)
{
    static const uint32_t outputs[] = {0x924770d3, 0x08577eb1, 0x6dcbac50, 0x7b89296c};
    dvi_mersenne m;
    dvi_mersenne_seed(&m, 10);
    for (size_t i = 0; i < COUNT(outputs); i++)
        if (outputs[i] >> 31 == 0)
            cr_expect_eq(next_below_2_31(&m), outputs[i], "output %zu", i);
}

/* random.seed(s); [random.randrange(n) for _ in range(4)], as printed by CPython 3.11. */
Test(mersenne, as_randrange)
{
    static const struct {
        uint64_t seed, n, want[4];
    } cases[] = {
        {0u, 10u, {6u, 6u, 0u, 4u}},
        {0u, 1099511640121u, {849735321549u, 87705687125u, 1067347797602u, 788025983492u}},
        {1u, 1u, {0u, 0u, 0u, 0u}},
        {1u, 10u, {2u, 9u, 1u, 4u}},
        {1u, 2147483648u, {577090037u, 271041745u, 1095513148u, 506456969u}},
        {1u, 4294967295u, {577090037u, 2444712010u, 3639700191u, 3445702192u}},
        {1u, 4294967296u, {3280387012u, 1095513148u, 1930549411u, 2798570523u}},
        {1u, 1099511640121u, {140719340484u, 258793550908u, 1037017667747u, 836022225947u}},
        {1u,
         9223372036854775807u,
         {5249979066121302517u, 7399589116837456607u, 582057716445789124u, 1087608058291172412u}},
        {1u,
         18446744073709551615u,
         {10499958131665514997u, 14799178230035213023u, 1164115433906158532u,
          2175216119781798972u}},
        {4294967295u, 10u, {9u, 3u, 3u, 9u}},
        {4294967295u,
         1099511640121u,
         {473319139649u, 778590199395u, 1094776149296u, 139201789749u}},
        {4294967296u, 10u, {1u, 5u, 6u, 0u}},
        {4294967296u, 1099511640121u, {769284452823u, 47316264731u, 32005304388u, 163801826810u}},
        {18364758544493064720u, 10u, {4u, 5u, 1u, 1u}},
        {18364758544493064720u,
         1099511640121u,
         {795795211608u, 180703875045u, 51698012624u, 921625884817u}},
        {18446744073709551615u, 10u, {0u, 3u, 5u, 9u}},
        {18446744073709551615u,
         1099511640121u,
         {545554587262u, 1001637773393u, 208800376259u, 119153246635u}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        dvi_mersenne m;
        dvi_mersenne_seed(&m, cases[i].seed);
        for (int k = 0; k < 4; k++)
            cr_expect_eq(dvi_mersenne_below(&m, cases[i].n), cases[i].want[k], "case %zu, draw %d",
                         i, k);
    }
}

/* After the first 624 words, when the state is renewed: three draws of random.seed(1) below 1000,
 * after 1,400 others, as printed by CPython. */
Test(mersenne, after_the_first_round)
{
    static const uint64_t want[] = {434, 941, 678};
    dvi_mersenne m;
    dvi_mersenne_seed(&m, 1);
    for (int i = 0; i < 1400; i++)
        dvi_mersenne_below(&m, 1000);
    for (size_t i = 0; i < COUNT(want); i++)
        cr_expect_eq(dvi_mersenne_below(&m, 1000), want[i], "draw %zu", 1400 + i);
}
