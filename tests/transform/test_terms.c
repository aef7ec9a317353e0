/* SPDX-License-Identifier: MIT */
/* test_terms.c: dictionaries of random values against a list that is searched from its beginning.
 */
#include "base/owner.h"
#include "base/random.h"
#include "view/column.h"
#include "support/allocator.h"
#include "support/test.h"
#include "transform/terms.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 3000
#define TEXT_NBYTES ((size_t)1 << 20)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const dv_kind kinds[] = {DV_KIND_I1, DV_KIND_U1, DV_KIND_I2, DV_KIND_U2, DV_KIND_I4,
                                DV_KIND_U4, DV_KIND_I8, DV_KIND_U8, DV_KIND_R4, DV_KIND_R8,
                                DV_KIND_TS, DV_KIND_UG, DV_KIND_BL, DV_KIND_DT};

/* A column whose row i stands for number[i] % many; -1 is NA, or 0 where there is none. */
typedef struct made {
    dv_column_view view;
    uint8_t values[16 * ROWS];
    char utf8[16 * ROWS];
    int32_t ends[ROWS];
    int64_t number[ROWS];
} made;

static void store(made *m, int64_t i, dv_kind kind, size_t width)
{
    const int64_t x = m->number[i];
    const double real = x < 0 ? (double)NAN : (double)x;
    const float single = (float)real;
    const uint64_t bits = (uint64_t)(x < 0 ? INT64_MIN : x);
    uint8_t *at = m->values + width * (size_t)i;
    memset(at, 0, width);
    if (kind == DV_KIND_R4)
        memcpy(at, &single, 4);
    else if (kind == DV_KIND_R8)
        memcpy(at, &real, 8);
    else if (x >= 0)
        memcpy(at, &bits, width < 8 ? width : 8);
    else
        at[width - 1] = 0x80; /* the least number */
}

static void make(made *m, dv_type type, int64_t many, dvi_random *random)
{
    const size_t width = dvi_width_of(&type);
    int32_t used = 0;
    m->view = (dv_column_view){.type = type, .layout = dvi_layout_of(&type), .rows = ROWS};
    for (int64_t i = 0; i < ROWS; i++) {
        m->number[i] = (int64_t)dvi_random_below(random, (uint32_t)many) - 1;
        if (type.kind != DV_KIND_TX) {
            store(m, i, type.kind, width);
            continue;
        }
        if (m->number[i] >= 0)
            used += snprintf(m->utf8 + used, 16, "t%lld", (long long)m->number[i]);
        m->ends[i] = used;
        if (m->number[i] < 0 && i % 2)
            m->ends[i] |= INT32_MIN;
    }
    const dv_buffer values = {m->values, sizeof m->values, NULL, false, true};
    if (type.kind == DV_KIND_TX)
        m->view.as.text = (dv_text_layout){{m->utf8, sizeof m->utf8, NULL, false, true},
                                           {m->ends, sizeof m->ends, NULL, false, true},
                                           0};
    else
        m->view.as.fixed.values = values;
}

/* Are numbers below 0 no terms? Types without NA have a value there. */
static bool lacks_na(dv_kind kind)
{
    return kind == DV_KIND_U1 || kind == DV_KIND_U2 || kind == DV_KIND_U4 || kind == DV_KIND_U8 ||
           kind == DV_KIND_UG;
}

/* The list: numbers in the order in which they came, at most `most`. */
static int64_t list_terms(const made *m, int64_t most, int64_t *list)
{
    int64_t n = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t k = 0;
        while (k < n && list[k] != m->number[i])
            k++;
        if (k == n && n < most && (m->number[i] >= 0 || lacks_na(m->view.type.kind)))
            list[n++] = m->number[i];
    }
    return n;
}

static void expect_list(const dvi_terms *terms, const made *m, const int64_t *list, int64_t n,
                        const char *what)
{
    static uint32_t keys[ROWS];
    cr_assert_eq(dvi_terms_count(terms), n, "%s %s", dv_kind_name(m->view.type.kind), what);
    dvi_terms_find(terms, &m->view, 0, ROWS, keys);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t k = 0;
        while (k < n && list[k] != m->number[i])
            k++;
        cr_assert_eq(keys[i], k < n ? (uint32_t)k + 1 : 0, "%s %s, row %d",
                     dv_kind_name(m->view.type.kind), what, (int)i);
    }
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void check(const made *m, int64_t most, int32_t threads, dvi_random *random)
{
    static int64_t list[ROWS];
    dvi_terms *parts[4], *merged, *sorted;
    const int64_t n = list_terms(m, most, list);
    for (int32_t k = 0; k < threads; k++)
        cr_assert_eq(dvi_terms_create(&parts[k], &m->view.type, most, TEXT_NBYTES, NULL, NULL),
                     DV_OK);
    for (int64_t i = 0, chunk = 0; i < ROWS; chunk++) {
        const int64_t some = 1 + dvi_random_below(random, 200),
                      rows = i + some > ROWS ? ROWS - i : some;
        dvi_terms *part = parts[dvi_random_below(random, (uint32_t)threads)];
        cr_assert_eq(dvi_terms_begin_chunk(part, chunk, NULL), DV_OK);
        cr_assert_eq(dvi_terms_add(part, &m->view, i, rows, NULL), DV_OK);
        i += rows;
    }
    cr_assert_eq(dvi_terms_merge(&merged, parts, threads, NULL, NULL), DV_OK);
    expect_list(merged, m, list, n, "in order");
    if (m->view.type.kind != DV_KIND_TX && !lacks_na(m->view.type.kind)) {
        cr_assert_eq(dvi_terms_sort(&sorted, merged, NULL, NULL), DV_OK);
        qsort(list, (size_t)n, sizeof *list, compare);
        expect_list(sorted, m, list, n, "sorted");
        dvi_terms_free(&sorted);
    }
    dvi_terms_free(&merged);
    for (int32_t k = 0; k < threads; k++)
        dvi_terms_free(&parts[k]);
}

static void check_type(dv_type type, int64_t values, dvi_random *random)
{
    static made m;
    for (int64_t many = 3; many <= values; many = 4 * many) {
        make(&m, type, many, random);
        for (int32_t threads = 1; threads <= 4; threads++)
            for (int64_t most = 1; most < 4 * many; most = 7 * most)
                check(&m, most, threads, random);
    }
}

Test(terms, as_a_list)
{
    dvi_random random = dvi_random_of(7);
    for (size_t i = 0; i < COUNT(kinds); i++)
        check_type(dv_type_of(kinds[i]), kinds[i] == DV_KIND_BL ? 3 : 128, &random);
    check_type(dv_type_of(DV_KIND_I4), 4000, &random);
    check_type(dv_type_of(DV_KIND_TX), 4000, &random);
}

/* --- Large tables ----------------------------------------------------------------------------- */

#define MANY 300000

/* Value i of twice as many, all different. */
static void make_many(dv_column_view *column, dv_kind kind)
{
    static uint64_t numbers[2 * MANY];
    static char utf8[16 * 2 * MANY];
    static int32_t ends[2 * MANY];
    int32_t used = 0;
    const dv_type type = dv_type_of(kind);
    *column = (dv_column_view){.type = type, .layout = dvi_layout_of(&type), .rows = 2 * MANY};
    for (int64_t i = 0; i < 2 * MANY; i++) {
        numbers[i] = (uint64_t)(i + 1) * UINT64_C(0x9E3779B97F4A7C15);
        used += snprintf(utf8 + used, 16, "%d", (int)i);
        ends[i] = used;
    }
    if (kind == DV_KIND_TX)
        column->as.text = (dv_text_layout){
            {utf8, sizeof utf8, NULL, false, true}, {ends, sizeof ends, NULL, false, true}, 0};
    else
        column->as.fixed.values = (dv_buffer){numbers, sizeof numbers, NULL, false, true};
}

/* The first half, and then nothing else. */
static void expect_half(const dvi_terms *terms, const dv_column_view *column)
{
    static uint32_t keys[2 * MANY];
    dvi_terms_find(terms, column, 0, 2 * MANY, keys);
    for (uint32_t i = 0; i < 2 * MANY; i++)
        cr_assert_eq(keys[i], i < MANY ? i + 1 : 0, "value %u has %u", i, keys[i]);
}

/* Each value comes first in its place, and some come again. */
static void add_half(dvi_terms *terms, const dv_column_view *column, dvi_random *random)
{
    for (int64_t i = 0; i < MANY;) {
        const int64_t some = 1 + dvi_random_below(random, 5000);
        const int64_t n = some < MANY - i ? some : MANY - i;
        const int64_t again = dvi_random_below(random, (uint32_t)(i + 1));
        cr_assert_eq(dvi_terms_add(terms, column, i, n, NULL), DV_OK);
        cr_assert_eq(dvi_terms_add(terms, column, again, i - again < n ? i - again : n, NULL),
                     DV_OK);
        i += n;
        cr_assert_eq(dvi_terms_count(terms), i);
    }
}

Test(terms, many_values)
{
    static const dv_kind wide_and_not[] = {DV_KIND_I8, DV_KIND_TX};
    dvi_random random = dvi_random_of(5);
    for (size_t i = 0; i < COUNT(wide_and_not); i++) {
        dvi_terms *terms;
        dv_column_view column;
        make_many(&column, wide_and_not[i]);
        cr_assert_eq(dvi_terms_create(&terms, &column.type, INT32_MAX - 1, INT32_MAX, NULL, NULL),
                     DV_OK);
        add_half(terms, &column, &random);
        expect_half(terms, &column);
        dvi_terms_free(&terms);
    }
}

/* --- Limits and failures ---------------------------------------------------------------------- */

Test(terms, keys_above_the_count_are_missing)
{
    static const uint16_t numbers[] = {0, 3, 4, 2, 3};
    uint32_t keys[COUNT(numbers)];
    dvi_terms *terms;
    const dv_type type = dv_type_key(DV_KIND_U2, 0, 3);
    dv_column_view column = {.type = type, .layout = DV_LAYOUT_FIXED, .rows = COUNT(numbers)};
    column.as.fixed.values = (dv_buffer){numbers, sizeof numbers, NULL, false, true};
    cr_assert_eq(dvi_terms_create(&terms, &type, 9, TEXT_NBYTES, NULL, NULL), DV_OK);
    cr_assert_eq(dvi_terms_add(terms, &column, 0, column.rows, NULL), DV_OK);
    dvi_terms_find(terms, &column, 0, column.rows, keys);
    static const uint32_t expected[] = {0, 1, 0, 2, 1};
    cr_expect_arr_eq(keys, expected, sizeof keys);
    dvi_terms_free(&terms);
}

Test(terms, too_much_text_is_a_limit)
{
    static made m;
    dvi_terms *terms;
    dvi_random random = dvi_random_of(1);
    dv_error err = DV_ERROR_INIT;
    make(&m, dv_type_of(DV_KIND_TX), 500, &random);
    cr_assert_eq(dvi_terms_create(&terms, &m.view.type, 1000, 100, NULL, NULL), DV_OK);
    cr_expect_eq(dvi_terms_add(terms, &m.view, 0, ROWS, &err), DV_ERR_LIMIT);
    cr_expect(strstr(err.message, "at most 100"), "%s", err.message);
    dvi_terms_free(&terms);
}

Test(terms, a_call_that_failed_may_be_repeated)
{
    static made m;
    static int64_t list[ROWS];
    dvi_terms *terms = NULL;
    dvi_random random = dvi_random_of(3);
    make(&m, dv_type_of(DV_KIND_TX), 900, &random);
    const int64_t n = list_terms(&m, ROWS, list);
    int failed = 0;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    cr_assert_eq(
        dvi_terms_create(&terms, &m.view.type, ROWS, TEXT_NBYTES, &counted.allocator, NULL), DV_OK);
    for (int64_t i = 0; i < ROWS; i += 100) {
        counted.fail_at = atomic_load(&counted.asked) + 1;
        while (dvi_terms_add(terms, &m.view, i, 100, NULL) == DV_ERR_MEMORY)
            counted.fail_at = atomic_load(&counted.asked) + ++failed % 3;
        counted.fail_at = 0;
    }
    cr_expect_gt(failed, 3);
    expect_list(terms, &m, list, n, "after failures");
    dvi_terms_free(&terms);
    cr_expect_eq(atomic_load(&counted.live), 0);
}
