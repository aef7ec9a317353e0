/* SPDX-License-Identifier: MIT */
/* test_slot_statistics.c: extremes of whole columns are those of their values one by one. */
#include "support/test.h"
#include "transform/slot_statistics.h"
#include <math.h>
#include <string.h>

enum { ROWS = 700, SLOTS = 300, VALUES = ROWS * SLOTS, BATCHES = 4 };

static uint64_t state;

static uint64_t below(uint64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % n;
}

/* Values of which many are alike, so that -0 and 0 are often extremes. */
static double draw_value(uint64_t most)
{
    static const double values[] = {0, -0.0, NAN, 1, -1, 5e-324, INFINITY, -INFINITY, 1e30, -3};
    return values[below(most)];
}

typedef struct batch {
    float r4[VALUES];
    double r8[VALUES];
    int32_t counts[ROWS], indices[VALUES];
    dv_column_view items, column;
} batch;

static dv_buffer buffer_of(const void *data, size_t nbytes)
{
    return (dv_buffer){.data = data, .nbytes = nbytes};
}

/* Some rows of n slots; with_holes: a third of them have one item, in any slot. */
static void draw_batch(batch *b, bool is_r4, int32_t n, bool with_holes)
{
    const dv_type item = dv_type_of(is_r4 ? DV_KIND_R4 : DV_KIND_R8);
    const int64_t rows = (int64_t)below((uint64_t)(VALUES / n < ROWS ? VALUES / n : ROWS));
    const uint64_t most = 1 + below(10);
    size_t values = 0, indices = 0;
    for (int64_t row = 0; row < rows; row++) {
        const bool is_sparse = with_holes && below(3) == 0;
        b->counts[row] = is_sparse ? 1 : -1;
        if (is_sparse)
            b->indices[indices++] = (int32_t)below((uint64_t)n);
        for (int32_t i = 0; i < (is_sparse ? 1 : n); i++, values++) {
            b->r8[values] = draw_value(most);
            b->r4[values] = (float)b->r8[values];
        }
    }
    const dv_buffer data = is_r4 ? buffer_of(b->r4, 4 * values) : buffer_of(b->r8, 8 * values);
    b->items = (dv_column_view){.type = item, .layout = DV_LAYOUT_FIXED, .rows = (int64_t)values};
    b->items.as.fixed.values = data;
    b->column = b->items;
    if (n == 1)
        return;
    b->column =
        (dv_column_view){.type = dv_type_vector(item, n), .layout = DV_LAYOUT_VECTOR, .rows = rows};
    b->column.as.vector.length = n;
    b->column.as.vector.items = &b->items;
    b->column.as.vector.counts = buffer_of(b->counts, 4 * (size_t)rows);
    b->column.as.vector.indices = buffer_of(b->indices, 4 * indices);
}

/* Bits, so that -0 is not 0. */
static void expect_same(const dvi_extremes *got, const dvi_extremes *want, int32_t n, uint64_t seed)
{
    for (int32_t i = 0; i < n; i++)
        cr_expect(memcmp(&got[i], &want[i], sizeof *got) == 0,
                  "seed %d, slot %d of %d: %g to %g, %d items; want %g to %g, %d", (int)seed,
                  (int)i, (int)n, got[i].least, got[i].most, (int)got[i].items, want[i].least,
                  want[i].most, (int)want[i].items);
}

Test(slot_statistics, extremes_are_those_of_the_values)
{
    static batch b;
    static const int32_t slots[] = {1, 1, 2, 3, 10, 100, 255, 256, 257, SLOTS};
    for (uint64_t seed = 0; seed < 200; seed++) {
        dvi_extremes got[SLOTS], want[SLOTS];
        state = seed;
        const int32_t n = slots[seed % 10];
        const bool is_r4 = below(2) == 0;
        int64_t row = 0;
        dvi_extremes_init(got, n);
        dvi_extremes_init(want, n);
        for (int i = 0; i < BATCHES; i++, row += b.column.rows) {
            draw_batch(&b, is_r4, n, n > 1 && below(3) == 0);
            cr_assert_eq(dvi_extremes_see(got, &b.column, row, NULL), DV_OK);
            cr_assert_eq(dvi_slot_values_each(&b.column, row, dvi_extremes_take, want, NULL),
                         DV_OK);
            expect_same(got, want, n, seed);
        }
    }
}
