/* SPDX-License-Identifier: MIT */
/* test_bag.c: rows of counted slots, few and many of them, beside a plain array of counts. */
#include "base/load.h"
#include "support/many_rows.h"
#include "support/test.h"
#include "transform/bag.h"
#include <stdlib.h>
#include <string.h>

#define ROWS 300
#define ADDED_MOST 400 /* slots in a row, some of them the same */

static const int32_t sizes[] = {0,      1, 63, 64, 65, 4096, 4097, 70000, 1 << 18, (1 << 18) + 1,
                                1 << 22};

/* Add slots of a row to a bag and to counts; few are drawn often. */
static void add_row(dvi_bag *bag, uint32_t *counts, int32_t size, uint64_t *state)
{
    uint32_t slots[ADDED_MOST];
    const int n = size > 0 ? (int)(dvt_draw(state) % (ADDED_MOST + 1)) : 0;
    const uint64_t most = dvt_draw(state) % 2 ? (uint64_t)size : (uint64_t)size / 8 + 1;
    dvi_bag_begin(bag);
    for (int i = 0; i < n; i++) {
        slots[i] = (uint32_t)(dvt_draw(state) % most);
        counts[slots[i]]++;
    }
    const int ones = n > 0 ? (int)(dvt_draw(state) % (uint64_t)n) : 0;
    cr_assert_eq(dvi_bag_reserve(bag, (size_t)n, NULL, NULL), DV_OK);
    dvi_bag_add_all(bag, slots + ones, n - ones);
    for (int i = 0; i < ones; i++)
        dvi_bag_add(bag, slots[i]);
}

/* What slot s has when it came `count` times: its weight is 0 for every fifth slot. */
static float weighed(const dvi_bag_weights *w, int32_t s, uint32_t count)
{
    count = count < w->most ? count : w->most;
    return w->by_slot ? (float)((w->once ? count > 0 : count) * w->by_slot[s]) : (float)count;
}

typedef struct place {
    size_t items, indices;
} place;

/* Compare the last row, from *at on, with the counts, which become 0 again. */
static void expect_row(const dvi_bag_vectors *v, place *at, uint32_t *counts, int32_t size,
                       const dvi_bag_weights *w)
{
    const float *items = (const float *)(const void *)v->items->data;
    const uint32_t *indices = (const uint32_t *)(const void *)v->indices->data;
    const int32_t count = dvi_load_i32(v->counts->data + 4 * (v->rows - 1));
    int32_t distinct = 0;
    cr_assert_eq(dvi_load_i32(v->lengths->data + 4 * (v->rows - 1)), size);
    for (int32_t s = 0; s < size; s++) {
        const float want = weighed(w, s, counts[s]);
        distinct += counts[s] > 0;
        counts[s] = 0;
        if (count >= 0 && want == 0)
            continue;
        cr_assert(count < 0 || indices[at->indices++] == (uint32_t)s, "slot %d of %d", s, size);
        cr_assert_eq(items[at->items++], want, "slot %d of %d", s, size);
    }
    cr_assert_eq(at->items, v->items_count);
    cr_assert_eq(at->indices, v->indices_count);
    cr_assert_eq(count < 0, distinct >= size / 2, "%d of %d slots", distinct, size);
}

static void expect_counts(int32_t size, const dvi_bag_weights *w, uint64_t seed, int64_t rows)
{
    dvi_bag bag = {.used = 0};
    dvi_bag_vectors vectors = {.rows = 0};
    place at = {0, 0};
    uint64_t state = seed;
    uint32_t *counts = calloc((size_t)size + 1, sizeof *counts);
    cr_assert_eq(dvi_bag_vectors_start(&vectors, rows, NULL, NULL, NULL), DV_OK);
    for (int64_t i = 0; i < rows; i++) {
        if (i % 3 == 0) /* as each batch does */
            cr_assert_eq(dvi_bag_start(&bag, size, NULL, NULL), DV_OK);
        add_row(&bag, counts, size, &state);
        if (i % 7 == 6) { /* a batch ends early */
            memset(counts, 0, (size_t)size * sizeof *counts);
            cr_assert_eq(dvi_bag_start(&bag, size, NULL, NULL), DV_OK);
            add_row(&bag, counts, size, &state);
        }
        cr_assert_eq(dvi_bag_vectors_add(&vectors, &bag, size, w, NULL, NULL), DV_OK);
        expect_row(&vectors, &at, counts, size, w);
    }
    free(counts);
    dvi_bag_free(&bag);
    dvi_bag_vectors_free(&vectors);
}

Test(bag, counts_and_weights)
{
    static double by_slot[1 << 22];
    for (int32_t s = 0; s < 1 << 22; s++)
        by_slot[s] = s % 5 / 3.0;
    const dvi_bag_weights all[] = {{.most = UINT32_MAX},
                                   {.most = 3},
                                   {.by_slot = by_slot, .most = UINT32_MAX},
                                   {.by_slot = by_slot, .once = true, .most = UINT32_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            expect_counts(sizes[i], &all[k], 31 * i + k, sizes[i] > 100000 ? 12 : ROWS);
}

/* One long row, first or after short ones, is no reason to make room for others like it. */
Test(bag, room_after_a_long_row)
{
    enum { LONG = 100000, BATCH = 64, SIZE = 1 << 22 };
    const dvi_bag_weights plain = {.most = UINT32_MAX};
    for (int64_t at = 0; at < 8; at += 7) {
        dvi_bag bag = {.used = 0};
        dvi_bag_vectors vectors = {.rows = 0};
        cr_assert_eq(dvi_bag_start(&bag, SIZE, NULL, NULL), DV_OK);
        cr_assert_eq(dvi_bag_vectors_start(&vectors, BATCH, NULL, NULL, NULL), DV_OK);
        for (int64_t row = 0; row < BATCH; row++) {
            const uint32_t n = row == at ? LONG : 1;
            dvi_bag_begin(&bag);
            cr_assert_eq(dvi_bag_reserve(&bag, n, NULL, NULL), DV_OK);
            for (uint32_t s = 0; s < n; s++)
                dvi_bag_add(&bag, s);
            cr_assert_eq(dvi_bag_vectors_add(&vectors, &bag, SIZE, &plain, NULL, NULL), DV_OK);
        }
        cr_assert_eq(vectors.items_count, LONG + BATCH - 1);
        cr_expect_leq(vectors.items->cap, 2 * 4 * (LONG + BATCH));
        cr_expect_leq(vectors.indices->cap, 2 * 4 * (LONG + BATCH));
        dvi_bag_free(&bag);
        dvi_bag_vectors_free(&vectors);
    }
}
