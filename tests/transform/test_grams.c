/* SPDX-License-Identifier: MIT */
/* test_grams.c: the grams of rows in their order (semantics:7.9), dictionaries that are merged, and
 * tables of them. */
#include "support/allocator.h"
#include "support/lines.h"
#include "support/many_rows.h"
#include "support/test.h"
#include "transform/grams.h"
#include <dataview/table.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Order ------------------------------------------------------------------------------------ */

static void put_gram(void *ctx, const uint32_t *gram, int32_t length)
{
    for (int32_t i = 0; i < length; i++)
        dvt_lines_print(ctx, i > 0 ? " %u" : "%u", (unsigned)gram[i]);
    dvt_lines_print(ctx, "; ");
}

Test(grams, come_in_order)
{
    static const uint32_t row[] = {1, 2, 3, 4};
    static const struct {
        dvi_gram_shape shape;
        const char *want;
    } cases[] = {
        {{3, 0, true}, "1; 1 2; 1 2 3; 2; 2 3; 2 3 4; 3; 3 4; 4; "},
        {{2, 1, true}, "1; 1 2; 1 3; 2; 2 3; 2 4; 3; 3 4; 4; "},
        {{3, 1, true}, "1; 1 2; 1 2 3; 1 2 4; 1 3; 1 3 4; 2; 2 3; 2 3 4; 2 4; 3; 3 4; 4; "},
        {{3, 1, false}, "1 2 3; 1 2 4; 1 3 4; 2 3 4; "},
        {{5, 0, false}, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        dvt_lines lines = {0};
        dvt_lines_print(&lines, "%s", "");
        for (int32_t at = 0; at < 4; at++)
            dvi_gram_each(&cases[i].shape, row, 4, at, put_gram, &lines);
        cr_expect_str_eq(lines.data ? lines.data : "", cases[i].want);
        dvt_lines_free(&lines);
    }
    cr_expect_eq(dvi_gram_shape_starts(&(dvi_gram_shape){3, 1, true}), 1 + 2 + 3);
    cr_expect_eq(dvi_gram_shape_starts(&(dvi_gram_shape){6, 4, true}), 252);
}

Test(grams, refused_shapes)
{
    static const dvi_gram_shape shapes[] = {
        {0, 0, true}, {11, 0, true}, {6, 5, true}, {1, 1, true}};
    for (size_t i = 0; i < COUNT(shapes); i++)
        cr_expect_eq(dvi_gram_shape_check(&shapes[i], NULL), DV_ERR_ARGUMENT);
    const dvi_gram_options many = {.shape = {2, 0, true}, .most = {INT32_MAX, INT32_MAX}};
    dvi_grams *grams;
    cr_expect_eq(dvi_grams_create(&grams, &many, NULL, NULL), DV_ERR_ARGUMENT);
}

/* --- Dictionaries ----------------------------------------------------------------------------- */

static const dvi_gram_options rare = {
    .shape = {2, 0, true}, .most = {3, 2}, .weight = DVI_GRAM_IDF};

static dvi_grams *learn(const uint32_t (*rows)[3], const int64_t *places, size_t n)
{
    dvi_grams *grams;
    cr_assert_eq(dvi_grams_create(&grams, &rare, NULL, NULL), DV_OK);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(dvi_grams_learn(grams, rows[i], 3, places[i], NULL), DV_OK);
    return grams;
}

static void expect_same(const dvi_grams *a, const dvi_grams *b)
{
    cr_assert_eq(dvi_grams_count(a), dvi_grams_count(b));
    for (int64_t i = 0; i < dvi_grams_count(a); i++) {
        const uint32_t *first, *second;
        const int32_t length = dvi_grams_at(a, i, &first);
        cr_expect_eq(length, dvi_grams_at(b, i, &second));
        cr_expect_eq(memcmp(first, second, 4 * (size_t)length), 0);
        cr_expect_eq(dvi_grams_idf(a, i), dvi_grams_idf(b, i));
        cr_expect_eq(dvi_grams_find(b, first, length), i);
    }
}

/* Keys, small and large ones, in an order in which the array of single keys grows behind them: each
 * is found by its number, and no other is. */
Test(grams, single_keys_of_any_size)
{
    enum { ROWS = 6000, LARGE = 1 << 20 };
    static bool has_come[LARGE];
    const uint32_t *known;
    for (int32_t n = 1; n <= 2; n++) {
        const dvi_gram_options options = {.shape = {n, 0, true}, .most = {LARGE, LARGE}};
        dvi_grams *grams;
        uint64_t state = 5;
        memset(has_come, 0, sizeof has_come);
        cr_assert_eq(dvi_grams_create(&grams, &options, NULL, NULL), DV_OK);
        for (int64_t i = 0; i < ROWS; i++) {
            const uint64_t draw = dvt_draw(&state);
            const uint32_t row[2] = {(uint32_t)(draw >> 8) % (draw % 3 ? 2000 : LARGE), 7};
            cr_assert_eq(dvi_grams_learn(grams, row, n, i, NULL), DV_OK);
            has_come[row[0]] = true;
            has_come[row[n - 1]] = true;
        }
        for (int64_t i = 0; i < dvi_grams_count(grams); i++) {
            const int32_t length = dvi_grams_at(grams, i, &known);
            cr_assert_eq(dvi_grams_find(grams, known, length), i);
        }
        for (uint32_t key = 0; key < LARGE; key++) {
            const int64_t found = dvi_grams_find(grams, &key, 1);
            cr_assert_eq(found >= 0, has_come[key], "key %u", (unsigned)key);
            cr_assert(found < 0 || (dvi_grams_at(grams, found, &known) == 1 && *known == key));
        }
        dvi_grams_free(&grams);
    }
}

/* The most memory that the pairs of many keys take, which are found again. */
static int64_t take_pairs(bool all)
{
    const dvi_gram_options options = {.shape = {2, 0, all}, .most = {0, 10000}};
    dvt_allocator counted;
    dvi_grams *grams;
    dvt_allocator_init(&counted, 0);
    cr_assert_eq(dvi_grams_create(&grams, &options, &counted.allocator, NULL), DV_OK);
    for (uint32_t i = 0; i < 5000; i++) {
        const uint32_t row[2] = {i, 3 * i};
        cr_assert_eq(dvi_grams_learn(grams, row, 2, i, NULL), DV_OK);
        cr_assert_eq(dvi_grams_find(grams, row, 2), i);
        cr_assert_eq(dvi_grams_find(grams, row, 1), -1);
    }
    dvi_grams_free(&grams);
    cr_assert_eq(counted.live, 0);
    return counted.highest;
}

/* Where no gram has a single key, there is no array of such keys: 4 bytes for each of 16,384. */
Test(grams, single_keys_that_never_come)
{
    cr_expect_gt(take_pairs(true) - take_pairs(false), 4 * 16383);
}

/* Two learn from every other row: each meets other grams first, and limits cut what comes last. */
Test(grams, merged_as_alone)
{
    static const uint32_t rows[][3] = {{1, 2, 1}, {3, 2, 1}, {4, 1, 2}, {4, 3, 2}, {9, 9, 9}};
    static const uint32_t even[][3] = {{1, 2, 1}, {4, 1, 2}, {9, 9, 9}};
    static const uint32_t odd[][3] = {{3, 2, 1}, {4, 3, 2}};
    static const int64_t all[] = {0, 1, 2, 3, 4}, evens[] = {0, 2, 4}, odds[] = {1, 3};
    dvi_grams *alone = learn(rows, all, 5), *merged;
    dvi_grams *parts[] = {learn(odd, odds, 2), learn(even, evens, 3)};
    cr_assert_eq(dvi_grams_merge(&merged, parts, 2, NULL), DV_OK);
    cr_assert_eq(dvi_grams_finish(&alone, NULL), DV_OK);
    cr_assert_eq(dvi_grams_finish(&merged, NULL), DV_OK);
    cr_expect_eq(dvi_grams_count(alone), 5);
    expect_same(alone, merged);
    dvi_grams_free(&alone);
    dvi_grams_free(&merged);
    dvi_grams_free(&parts[0]);
    dvi_grams_free(&parts[1]);
}

/* --- Tables ----------------------------------------------------------------------------------- */

typedef struct bad_table {
    int32_t lengths[2];
    uint32_t keys[2][2];
    double idf[2];
    const char *rule;
} bad_table;

static dv_status open_table(dvi_grams **grams_out, const bad_table *t, int64_t rows, dv_error *err)
{
    dv_view *view;
    const dv_table_column columns[] = {
        {"Length", dv_type_of(DV_KIND_I4), t->lengths, NULL},
        {"Keys", dv_type_vector(dv_type_of(DV_KIND_U4), 2), t->keys, NULL},
        {"Idf", dv_type_of(DV_KIND_R8), t->idf, NULL}};
    cr_assert_eq(dv_table_create(&view, columns, t->rule[2] == '6' ? 2 : 3, rows, NULL, NULL),
                 DV_OK);
    const dv_status status = dvi_grams_from_table(grams_out, view, &rare, 9, NULL, err);
    dv_view_release(&view);
    return status;
}

Test(grams, from_tables)
{
    static const bad_table good = {{1, 2}, {{7, 0}, {7, 9}}, {0, 1.5}, "   "};
    static const bad_table bad[] = {
        {{1, 2}, {{7, 0}, {7, 9}}, {0, 0}, "PT6"},  {{0, 2}, {{7, 0}, {7, 9}}, {0, 0}, "PT7"},
        {{1, 3}, {{7, 0}, {7, 9}}, {0, 0}, "PT7"},  {{1, 2}, {{7, 1}, {7, 9}}, {0, 0}, "PT7"},
        {{1, 2}, {{7, 0}, {7, 10}}, {0, 0}, "PT7"}, {{2, 2}, {{7, 9}, {7, 9}}, {0, 0}, "PT8"},
        {{1, 2}, {{7, 0}, {7, 9}}, {0, -1}, "PT9"},
    };
    dvi_grams *grams;
    cr_assert_eq(open_table(&grams, &good, 2, NULL), DV_OK);
    cr_expect_eq(dvi_grams_find(grams, good.keys[1], 2), 1);
    cr_expect_eq(dvi_grams_find(grams, good.keys[1], 1), 0);
    cr_expect_eq(dvi_grams_idf(grams, 1), 1.5);
    dvi_grams_free(&grams);
    for (size_t i = 0; i < COUNT(bad); i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(open_table(&grams, &bad[i], 2, &err), DV_ERR_CORRUPT);
        cr_expect_null(grams);
        cr_expect(strstr(err.rule, bad[i].rule), "%s: %s", bad[i].rule, err.message);
    }
}
