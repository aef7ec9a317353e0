/* SPDX-License-Identifier: MIT */
/* test_random.c: the numbers drawn are those of ML.NET (semantics:5.7). */
#include "base/random.h"
#include "support/golden_lines.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

/* --- Vectors of the specification ------------------------------------------------------------- */

static void expect_state(dvi_random r, uint32_t z1, uint32_t z2, uint32_t z3, uint32_t z4)
{
    cr_expect(r.z1 == z1 && r.z2 == z2 && r.z3 == z3 && r.z4 == z4, "%08x %08x %08x %08x", r.z1,
              r.z2, r.z3, r.z4);
}

Test(random, vectors_of_the_specification)
{
    static const uint32_t of_42[] = {0x987bf496, 0x969fdd15, 0xc0f10f19,
                                     0xf7ad2577, 0xedfa1ba4, 0x2bf359f3};
    static const uint32_t of_1[] = {0xd053ba79, 0xcdc3281a, 0x25263dd5, 0x7566e52a, 0xd817bd89};
    static const uint32_t below_10[] = {5, 5, 7, 9, 9, 1, 1, 8, 4, 4, 2, 3};
    static const uint32_t singles[] = {0x3f187bf4, 0x3f169fdc, 0x3f40f10e, 0x3f77ad24, 0x3f6dfa1a};
    static const uint32_t permutation[] = {8, 0, 3, 6, 9, 1, 4, 2, 7, 5};
    expect_state(dvi_random_of(0), 0x00000000, 0xe6546b64, 0xa9737b56, 0x136a954a);
    expect_state(dvi_random_of(42), 0x0000002a, 0x0eb74dd6, 0x8d30ca70, 0x3a4bdc00);
    dvi_random a = dvi_random_of(42), b = dvi_random_of(1), c = dvi_random_of(42);
    dvi_random d = dvi_random_of(42), e = dvi_random_of(42), f = dvi_random_of(1);
    for (size_t i = 0; i < 6; i++)
        cr_expect_eq(dvi_random_u4(&a), of_42[i]);
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(dvi_random_u4(&b), of_1[i]);
    for (size_t i = 0; i < 12; i++)
        cr_expect_eq(dvi_random_below(&c, 10), below_10[i]);
    for (size_t i = 0; i < 5; i++) {
        const float drawn = dvi_random_r4(&d);
        cr_expect_eq(memcmp(&drawn, &singles[i], 4), 0);
    }
    dvi_random child = dvi_random_child(&e);
    expect_state(child, 0x987b969f, 0xc0f1f7ad, 0xedfa2bf3, 0x2f7ce20b);
    cr_expect_eq(dvi_random_u4(&child), 0x9b6f0d34);
    uint32_t order[10];
    dvi_random_permute(&f, order, 10);
    cr_expect_eq(memcmp(order, permutation, sizeof order), 0);
}

/* A draw from an empty range gives 0, and takes a step. */
Test(random, below_zero)
{
    dvi_random a = dvi_random_of(3), b = a;
    cr_expect_eq(dvi_random_below(&a, 0), 0);
    dvi_random_u4(&b);
    expect_state(a, b.z1, b.z2, b.z3, b.z4);
}

/* A register below 128 is drawn again; here it is z1. */
Test(random, a_child_has_no_register_below_128)
{
    uint32_t seed = 0;
    for (;; seed++) {
        dvi_random r = dvi_random_of(seed);
        if (dvi_random_below(&r, 65536) == 0 && dvi_random_below(&r, 65536) < 128)
            break;
        cr_assert_lt(seed, 40000000);
    }
    dvi_random r = dvi_random_of(seed), later = r;
    dvi_random_u4(&later);
    dvi_random_u4(&later);
    const dvi_random child = dvi_random_child(&r), same = dvi_random_child(&later);
    expect_state(child, same.z1, same.z2, same.z3, same.z4);
    cr_expect_geq(child.z1, 128);
}

/* --- golden/random/rng.jsonl ------------------------------------------------------------------ */

/* Whether the next draw of that kind has the value. */
static bool check_draw(dvi_random *r, const dvt_json *line, const char *draw, const dvt_json *value)
{
    uint64_t bits = 0;
    if (strcmp(draw, "single") == 0) {
        const float drawn = dvi_random_r4(r);
        memcpy(&bits, &drawn, sizeof drawn);
        return bits == strtoull(value->text.data + 3, NULL, 16);
    }
    if (strcmp(draw, "double") == 0) {
        const double drawn = dvi_random_r8(r);
        memcpy(&bits, &drawn, sizeof drawn);
        return bits == strtoull(value->text.data + 3, NULL, 16);
    }
    const int64_t wanted = dvt_json_int(value);
    if (strcmp(draw, "signed32") == 0 || strcmp(draw, "child") == 0)
        return (int32_t)dvi_random_u4(r) == wanted;
    if (strcmp(draw, "next31") == 0)
        return (dvi_random_u4(r) & INT32_MAX) == wanted;
    if (strcmp(draw, "bytes") == 0)
        return (dvi_random_u4(r) & 255) == wanted;
    if (strcmp(draw, "next(n)") == 0) {
        const uint32_t n = (uint32_t)dvt_json_int(dvt_json_member(line, "n"));
        return dvi_random_below(r, n) == wanted;
    }
    if (strcmp(draw, "next(min,max)") == 0) {
        const int64_t min = dvt_json_int(dvt_json_member(line, "min"));
        const int64_t max = dvt_json_int(dvt_json_member(line, "max"));
        return min + dvi_random_below(r, (uint32_t)(max - min)) == wanted;
    }
    cr_assert_eq(strncmp(draw, "poisson(", 8), 0, "%s", draw);
    return dvi_random_poisson(r, draw[8] == '1' ? 1 : 4.5) == wanted;
}

static void expect_states(dvi_random r, const dvt_json *values)
{
    const uint32_t z[] = {r.z1, r.z2, r.z3, r.z4};
    for (int i = 0; i < 4; i++)
        cr_expect_eq(z[i], strtoul(dvt_json_item(values, i)->text.data, NULL, 16));
}

static void expect_permutation(dvi_random r, const dvt_json *values, int64_t n)
{
    uint32_t order[100];
    cr_assert_leq(n, 100);
    dvi_random_permute(&r, order, (uint32_t)n);
    for (int64_t i = 0; i < n; i++)
        cr_expect_eq(order[i], dvt_json_int(dvt_json_item(values, i)));
}

static void check_line(const dvt_json *line)
{
    char draw[32];
    const dvt_json *values = dvt_json_member(line, "values");
    const dv_text name = dvt_json_member(line, "draw")->text;
    cr_assert_lt(name.nbytes, (int64_t)sizeof draw);
    memcpy(draw, name.data, (size_t)name.nbytes);
    draw[name.nbytes] = 0;
    dvi_random r = dvi_random_of((uint32_t)dvt_json_int(dvt_json_member(line, "seed")));
    if (strcmp(draw, "child") == 0) {
        const dvi_random child = dvi_random_child(&r);
        expect_states(r, dvt_json_member(line, "parentStateAfter"));
        expect_states(child, dvt_json_member(line, "childState"));
        r = child;
    }
    for (int i = 0; strcmp(draw, "stateAfter64") == 0 && i < 64; i++)
        dvi_random_u4(&r);
    if (strncmp(draw, "state", 5) == 0)
        expect_states(r, values);
    else if (strcmp(draw, "permutation") == 0)
        expect_permutation(r, values, values->count);
    else
        for (int64_t i = 0; i < values->count; i++)
            cr_expect(check_draw(&r, line, draw, dvt_json_item(values, i)), "%.*s: value %d", 60,
                      line->source.data, (int)i);
}

Test(random, as_the_reference)
{
    cr_expect_geq(dvt_golden_json("random/rng.jsonl", check_line), 49);
}
