/* SPDX-License-Identifier: MIT */
/* test_counts.c: counts of values are exact up to a limit, and beyond it within their bound. */
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/counts.h>
#include <dataview/open.h>
#include <dataview/value.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_view *open_column(dvt_made_table *table, dv_column_view column)
{
    *table = (dvt_made_table){
        .columns = 1, .rows = column.rows, .block_rows = 3, .in_blocks = true, .bad_row = -1};
    table->column[0] = column;
    return dvt_made_table_open(table, NULL);
}

static dv_counts *counts_of(dv_view *view, const dv_counts_options *options)
{
    dv_counts *counts;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_counts_create(&counts, view, 0, options, &err), DV_OK, "%s", err.message);
    return counts;
}

/* --- Exact ------------------------------------------------------------------------------------ */

Test(counts, equally_frequent_values_are_in_the_order_of_rows)
{
    static const int32_t values[] = {7, -2, 5, -2, INT32_MIN, 7, 9, 0};
    dvt_made_table table;
    dv_view *view = open_column(&table, dvt_made_fixed(dv_type_of(DV_KIND_I4), values, 8));
    dv_counts *c = counts_of(view, NULL);
    cr_expect(c->rows == 8 && c->values == 8 && c->na == 1 && c->distinct == 5);
    cr_assert(c->n == 5 && c->missed_most == 0);
    static const int32_t want[] = {7, -2, 5, 9, 0};
    dv_value value = dv_value_first(&c->value);
    for (size_t i = 0; i < COUNT(want); i++, dv_value_next(&value)) {
        cr_expect_eq(dv_value_i4(&value), want[i], "%zu", i);
        cr_expect_eq(c->count[i], i < 2 ? 2 : 1, "%zu", i);
    }
    dv_counts_free(&c);
    cr_expect_null(c);
    dv_counts_free(&c);
    dv_counts_options options = DV_COUNTS_OPTIONS_INIT;
    options.most = 1;
    c = counts_of(view, &options);
    cr_expect(c->n == 1 && c->count[0] == 2 && c->distinct == 5);
    dv_counts_free(&c);
    options.most = 0;
    c = counts_of(view, &options);
    cr_expect(c->n == 0 && c->distinct == 5);
    dv_counts_free(&c);
    dv_view_release(&view);
}

/* Zeros are equal whatever their sign; no NaN is a value. */
Test(counts, of_reals)
{
    static const double wide[] = {0.0, -0.0, 1.5, NAN, 0.0, INFINITY};
    static const float narrow[] = {0.0f, -0.0f, 1.5f, NAN, 0.0f, INFINITY};
    for (int i = 0; i < 2; i++) {
        dvt_made_table table;
        dv_view *view = open_column(&table, i ? dvt_made_fixed(dv_type_of(DV_KIND_R8), wide, 6)
                                              : dvt_made_fixed(dv_type_of(DV_KIND_R4), narrow, 6));
        dv_counts *c = counts_of(view, NULL);
        cr_expect(c->n == 3 && c->distinct == 3 && c->na == 1 && c->count[0] == 3);
        const dv_value first = dv_value_first(&c->value);
        cr_expect(i ? dv_value_r8(&first) == 0 && !signbit(dv_value_r8(&first))
                    : dv_value_r4(&first) == 0 && !signbit(dv_value_r4(&first)));
        dv_counts_free(&c);
        dv_view_release(&view);
    }
}

/* Long texts that differ only at their end are different values, and are listed whole. */
Test(counts, of_texts)
{
    char utf8[401];
    static const int32_t ends[] = {100, 200, 200, 300, INT32_MIN + 300, 400, 400};
    memset(utf8, 'x', sizeof utf8);
    utf8[199] = 'y';
    dvt_made_table table;
    dv_view *view = open_column(&table, dvt_made_text(DV_KIND_TX, utf8, ends, 7));
    dv_counts *c = counts_of(view, NULL);
    cr_assert(c->n == 3 && c->distinct == 3 && c->na == 1);
    cr_expect(c->count[0] == 3 && c->count[1] == 2 && c->count[2] == 1);
    dv_value value = dv_value_first(&c->value);
    cr_expect(dv_text_equal(dv_value_tx(&value), (dv_text){utf8, 100}));
    dv_value_next(&value);
    cr_expect(dv_value_tx(&value).nbytes == 0);
    dv_value_next(&value);
    cr_expect(dv_text_equal(dv_value_tx(&value), (dv_text){utf8 + 100, 100}));
    dv_counts_free(&c);
    dv_view_release(&view);
}

/* The sum of all counts and NA is the number of values, for every kind of column. */
Test(counts, of_every_kind)
{
    static const char *const files[] = {"idv/people.idv", "idv/scalar-all-raw-rpb7.idv",
                                        "idv/vector-wide-sparse.idv", "idv/random-16.idv",
                                        "btable/unicode-labels.btable"};
    for (size_t f = 0; f < COUNT(files); f++) {
        dv_view *view = dvt_golden_open(files[f], NULL);
        for (int32_t k = 0; k < dv_schema_columns(dv_view_schema(view)); k++) {
            dv_counts *c;
            dv_counts_options options = DV_COUNTS_OPTIONS_INIT;
            options.most = options.exact_distinct;
            cr_assert_eq(dv_counts_create(&c, view, k, &options, NULL), DV_OK);
            int64_t sum = c->na;
            for (int64_t i = 0; i < c->n; i++)
                sum += c->count[i];
            cr_expect_eq(sum, c->values, "%s, column %d", files[f], (int)k);
            cr_expect_eq(c->n, c->distinct);
            dv_counts_free(&c);
        }
        dv_view_release(&view);
    }
}

/* --- Beyond the limits ------------------------------------------------------------------------ */

/* How often the values of a list truly occur: number i has i / 3 + 1 rows. */
static dv_column_view many_values(bool is_text, int64_t *rows_out)
{
    enum { DIFFERENT = 3000 };
    static int64_t values[DIFFERENT * (DIFFERENT / 3 + 2) / 2 + DIFFERENT];
    static char utf8[20 * COUNT(values)];
    static int32_t ends[COUNT(values)];
    int64_t n = 0;
    for (int64_t round = 0; round <= DIFFERENT / 3; round++)
        for (int64_t i = 3 * round; i < DIFFERENT; i++) {
            snprintf(utf8 + 20 * n, 21, "%020lld", (long long)i);
            values[n++] = i;
            ends[n - 1] = (int32_t)(20 * n);
        }
    *rows_out = n;
    return is_text ? dvt_made_text(DV_KIND_TX, utf8, ends, n)
                   : dvt_made_fixed(dv_type_of(DV_KIND_I8), values, n);
}

static int64_t number_of(const dv_value *value)
{
    if (value->column->layout != DV_LAYOUT_TEXT)
        return dv_value_i8(value);
    char text[32] = "";
    const dv_text t = dv_value_tx(value);
    memcpy(text, t.data, (size_t)t.nbytes);
    return strtoll(text, NULL, 10);
}

static void expect_bound(const dv_counts *c, int64_t rows, int64_t limit)
{
    char is_listed[3000] = {0};
    cr_expect(c->distinct == -1 && c->missed_most > 0);
    cr_expect_leq(c->missed_most, rows / (limit / 2));
    dv_value value = dv_value_first(&c->value);
    for (int64_t i = 0; i < c->n; i++, dv_value_next(&value)) {
        const int64_t number = number_of(&value), truth = number / 3 + 1;
        cr_expect(c->count[i] <= truth && c->count[i] + c->missed_most >= truth);
        cr_expect(i == 0 || c->count[i] <= c->count[i - 1]);
        is_listed[number] = 1;
    }
    for (int64_t i = 0; i < 3000; i++)
        cr_expect(is_listed[i] || i / 3 + 1 <= c->missed_most, "%d is missing", (int)i);
}

Test(counts, beyond_the_limit_are_within_their_bound)
{
    for (int is_text = 0; is_text < 2; is_text++) {
        int64_t rows;
        dvt_made_table table;
        dv_view *view = open_column(&table, many_values(is_text, &rows));
        dv_counts_options options = DV_COUNTS_OPTIONS_INIT;
        options.most = options.exact_distinct = 3000;
        dv_counts *c = counts_of(view, &options);
        cr_expect(c->distinct == 3000 && c->missed_most == 0 && c->count[0] == 1000);
        dv_counts_free(&c);
        options.most = options.exact_distinct = 2000;
        c = counts_of(view, &options);
        expect_bound(c, rows, 2000);
        dv_counts_free(&c);
        if (is_text) { /* as many texts as 2000 of 20 bytes */
            options.exact_distinct = 3000;
            options.memory_nbytes = 40000;
            c = counts_of(view, &options);
            expect_bound(c, rows, 2000);
            dv_counts_free(&c);
        }
        dv_view_release(&view);
    }
}

/* A text larger than all the memory allowed is missed, and said to be. */
Test(counts, a_text_without_room)
{
    static const char utf8[] = "seventeen letters.seventeen letters.ab";
    static const int32_t ends[] = {18, 36, 37, 38};
    dvt_made_table table;
    dv_view *view = open_column(&table, dvt_made_text(DV_KIND_TX, utf8, ends, 4));
    dv_counts_options options = DV_COUNTS_OPTIONS_INIT;
    options.memory_nbytes = 17;
    dv_counts *c = counts_of(view, &options);
    cr_expect(c->n == 2 && c->missed_most == 2 && c->distinct == -1 && c->count[0] == 1);
    dv_counts_free(&c);
    dv_view_release(&view);
}

/* --- Statuses --------------------------------------------------------------------------------- */

Test(counts, wrong_options)
{
    dv_view *view = dvt_golden_open("idv/people.idv", NULL);
    const dv_counts_options start = DV_COUNTS_OPTIONS_INIT;
    dv_counts_options wrong[] = {start, start, start, start, start, start, start};
    wrong[0].size = 0;
    wrong[1].exact_distinct = 0;
    wrong[2].exact_distinct = (INT64_C(1) << 30) + 1;
    wrong[3].most = -1;
    wrong[4].most = start.exact_distinct + 1;
    wrong[5].memory_nbytes = -1;
    wrong[6].memory_nbytes = INT64_C(1) << 31;
    dv_counts *c;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dv_counts_create(&c, view, 0, &wrong[i], &err), DV_ERR_ARGUMENT, "%zu", i);
        cr_expect(err.status == DV_ERR_ARGUMENT && !c);
    }
    cr_expect_eq(dv_counts_create(&c, view, -1, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_counts_create(&c, view, 5, NULL, NULL), DV_ERR_ARGUMENT);
    dv_view_release(&view);
}

static bool stop(void *ctx, int64_t done, int64_t all)
{
    (void)ctx;
    return done < all / 2;
}

Test(counts, can_be_stopped)
{
    dv_view *view = dvt_golden_open("idv/people.idv", NULL);
    dv_counts_options options = DV_COUNTS_OPTIONS_INIT;
    options.progress = (dv_progress){stop, NULL};
    dv_counts *c;
    cr_expect_eq(dv_counts_create(&c, view, 0, &options, NULL), DV_ERR_STOPPED);
    cr_expect_null(c);
    dv_view_release(&view);
}

Test(counts, each_allocation_may_fail)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    open.allocator = &counted.allocator;
    dv_view *view = dvt_golden_open("idv/people.idv", &open);
    dv_counts_options options = DV_COUNTS_OPTIONS_INIT;
    options.exact_distinct = 100; /* so that rare values are dropped, too */
    const int64_t live = counted.live;
    int64_t failed = 0;
    for (int64_t k = 1, done = 0; !done; k += DVT_FAIL_STEP) {
        dv_error err = DV_ERROR_INIT;
        dv_counts *c;
        counted.fail_at = counted.asked + k;
        const dv_status status = dv_counts_create(&c, view, 0, &options, &err);
        done = counted.asked < counted.fail_at;
        counted.fail_at = 0;
        cr_expect(status == DV_OK || (status == DV_ERR_MEMORY && err.status == DV_ERR_MEMORY));
        cr_expect_eq(status == DV_OK, c != NULL);
        cr_expect(!c || (c->n == 10 && c->missed_most > 0));
        failed += status != DV_OK;
        dv_counts_free(&c);
        cr_expect_eq(counted.live, live, "allocation %d: a leak", (int)k);
    }
    cr_expect_gt(failed, 10 / DVT_FAIL_STEP);
    dv_view_release(&view);
}
