/* SPDX-License-Identifier: MIT */
/* test_mix_view.c: a mix has the rows of the model, however it is read (mix.h). */
#include "support/many_rows.h"
#include "support/mixed.h"
#include "support/resumed.h"
#include "support/test.h"
#include <dataview/epoch.h>
#include <dataview/feed.h>
#include <dataview/transform.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST 30000
#define COUNT(array) (sizeof(array) / sizeof *(array))
#ifdef DVT_SANITIZED
#define ROUNDS 15
#else
#define ROUNDS 150
#endif

static int32_t want[MOST], got[MOST];

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)n);
}

/* --- Drawn mixes ------------------------------------------------------------------------------ */

static double drawn_weight(uint64_t *state)
{
    switch (below(state, 4)) {
    case 0:
        return 1;
    case 1:
        return (double)(1 + below(state, 9));
    case 2:
        return (double)(1 + below(state, 100)) / 100;
    default: /* of no common whole */
        return exp((double)below(state, 5000) / 1000);
    }
}

static void draw_mix(dvt_mix *m, int64_t *counts, double *weights, dvt_mixed_kind kind,
                     uint64_t *state)
{
    *m = (dvt_mix){.n = (int32_t)(1 + below(state, 6)), .counts = counts};
    m->options = (dv_mix_options)DV_MIX_OPTIONS_INIT;
    m->options.stop = (dv_mix_stop)below(state, 3);
    m->options.order = (dv_mix_order)below(state, 2);
    m->options.shuffle = kind == DVT_MIXED_BLOCKS && below(state, 2);
    m->options.seed = dvt_draw(state);
    m->options.rows = below(state, 2) ? 1 + below(state, 9000) : 0;
    for (int32_t i = 0; i < m->n; i++) {
        const bool is_large = below(state, 4) == 0;
        counts[i] = below(state, is_large ? 6000 : 300) + (m->options.stop == DV_MIX_REPEAT);
        weights[i] = drawn_weight(state);
    }
    m->options.weights = below(state, 4) ? weights : NULL;
}

/* Rows that the view should report. */
static int64_t rows_of(const dvt_mix *m, bool is_counted, int64_t n)
{
    if (m->options.stop == DV_MIX_REPEAT)
        return m->options.rows > 0 ? m->options.rows : DV_ROWS_UNKNOWN;
    return is_counted ? n : DV_ROWS_UNKNOWN;
}

/* Read the rows from some row on, in some manner. */
static void expect_rows(const dvt_mix *m, dv_view *view, int64_t n, int64_t epoch, uint64_t *state)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.epoch = epoch == 0 && below(state, 2) ? -1 : epoch;
    options.batch_rows = below(state, 3) ? 1 + below(state, 700) : 0;
    options.first_row = n > 0 && below(state, 2) ? below(state, n) : 0;
    options.end_row = m->options.stop == DV_MIX_REPEAT ? n : -1;
    options.threads = (int32_t)below(state, 4);
    const int64_t rows = n - options.first_row;
    const int64_t found = dvt_mixed_read(got, MOST, view, &options, &err);
    cr_assert_eq(found, rows, "%d rows, not %d: %s", (int)found, (int)rows, err.message);
    for (int64_t i = 0; i < rows; i++)
        cr_assert_eq(got[i], want[options.first_row + i], "row %d of %d from row %d on: %d, not %d",
                     (int)i, (int)n, (int)options.first_row, (int)got[i],
                     (int)want[options.first_row + i]);
}

static void expect_mix(dvt_mixed_kind kind, uint64_t seed)
{
    int64_t counts[DVT_MIXED_SOURCES];
    double weights[DVT_MIXED_SOURCES];
    dvt_mixed mixed;
    dvt_mix m;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    uint64_t state = seed;
    draw_mix(&m, counts, weights, kind, &state);
    dvt_mixed_open(&mixed, counts, m.n, 1 + below(&state, 2000), kind, NULL);
    cr_assert_eq(dv_view_mix(&view, mixed.view, m.n, &m.options, NULL, &err), DV_OK, "%s",
                 err.message);
    for (int64_t epoch = 0; epoch < 3; epoch++) {
        const int64_t most = m.options.stop == DV_MIX_REPEAT ? 9000 : MOST;
        const int64_t n = dvt_mixed_truth(want, most, &m, epoch);
        cr_assert_lt(n, MOST, "seed %llu", (unsigned long long)seed);
        cr_expect_eq(dv_view_rows(view), rows_of(&m, kind != DVT_MIXED_UNKNOWN, n),
                     "seed %llu: %lld", (unsigned long long)seed, (long long)dv_view_rows(view));
        expect_rows(&m, view, n, epoch, &state);
    }
    dv_view_release(&view);
    dvt_mixed_close(&mixed);
}

Test(mix_view, rows_by_number)
{
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        expect_mix(DVT_MIXED_BLOCKS, seed);
}

Test(mix_view, counted_rows_in_sequence)
{
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        expect_mix(DVT_MIXED_COUNTED, seed);
}

Test(mix_view, uncounted_rows_in_sequence)
{
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        expect_mix(DVT_MIXED_UNKNOWN, seed);
}

/* --- What the orders promise ------------------------------------------------------------------ */

/* A view of sources that are large enough, and its first n numbers. */
static void read_mix(int32_t *out, int64_t n, const dv_mix_options *options, int32_t sources,
                     int64_t epoch)
{
    static const int64_t counts[] = {9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000};
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dvt_mixed mixed;
    dv_view *view;
    cursor.epoch = epoch;
    cursor.take = n;
    dvt_mixed_open(&mixed, counts, sources, 64, DVT_MIXED_BLOCKS, NULL);
    cr_assert_eq(dv_view_mix(&view, mixed.view, sources, options, NULL, NULL), DV_OK);
    cr_assert_eq(dvt_mixed_read(out, n, view, &cursor, NULL), n);
    dv_view_release(&view);
    dvt_mixed_close(&mixed);
}

/* Equal weights take turns; whole proportions are exact after each period. */
Test(mix_view, exact_proportions)
{
    static const int32_t turns[] = {0, 1, 2, 0, 1, 2};
    static const int32_t tenths[] = {0, 0, 1, 0, 0, 2, 0, 0, 1, 0};
    static const double weights[] = {0.7, 0.2, 0.1};
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    read_mix(got, COUNT(turns), &options, 3, 0);
    for (size_t i = 0; i < COUNT(turns); i++)
        cr_expect_eq(got[i] / DVT_MIXED_EACH, turns[i]);
    options.weights = weights;
    read_mix(got, 1000, &options, 3, 0);
    for (size_t i = 0; i < 1000; i++)
        cr_expect_eq(got[i] / DVT_MIXED_EACH, tenths[i % COUNT(tenths)]);
}

/* After any number of rows each source has its share, but for 1.1 rows. */
Test(mix_view, shares_are_never_far_off)
{
    for (uint64_t state = 7, round = 0; round < 20; round++) {
        double weights[DVT_MIXED_SOURCES], sum = 0;
        int64_t taken[DVT_MIXED_SOURCES] = {0};
        dv_mix_options options = DV_MIX_OPTIONS_INIT;
        options.weights = weights;
        for (int i = 0; i < DVT_MIXED_SOURCES; i++)
            sum += weights[i] = (double)(1 + below(&state, 1000));
        read_mix(got, 4000, &options, DVT_MIXED_SOURCES, 0);
        for (int p = 0; p < 4000; p++) {
            taken[got[p] / DVT_MIXED_EACH]++;
            for (int i = 0; i < DVT_MIXED_SOURCES; i++)
                cr_assert_leq(fabs((double)taken[i] - weights[i] / sum * (p + 1)), 1.1);
        }
    }
}

/* A random order has the same rows in each block of 4096; and epochs differ, as do seeds.  With
 * FIRST all epochs have the same order of sources, and so as many rows. */
Test(mix_view, random_blocks_have_the_same_rows)
{
    static const double weights[] = {3, 2, 1};
    static int32_t other[MOST];
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    int64_t a[3] = {0}, b[3] = {0};
    int same = 0, moved = 0;
    options.weights = weights;
    read_mix(want, 12288, &options, 3, 0);
    options.order = DV_MIX_RANDOM;
    options.stop = DV_MIX_LAST;
    read_mix(got, 12288, &options, 3, 0);
    read_mix(other, 12288, &options, 3, 1);
    for (int p = 0; p < 12288; p++) {
        a[want[p] / DVT_MIXED_EACH]++;
        b[got[p] / DVT_MIXED_EACH]++;
        moved += want[p] != got[p];
        same += got[p] == other[p];
        for (int i = 0; p % 4096 == 4095 && i < 3; i++)
            cr_expect_eq(a[i], b[i], "source %d after %d rows", i, p + 1);
    }
    cr_expect_gt(moved, 6000);
    cr_expect_lt(same, 6000);
    options.seed = 1;
    read_mix(other, 12288, &options, 3, 0);
    cr_expect_neq(memcmp(got, other, 12288 * sizeof *got), 0);
    options.stop = DV_MIX_FIRST;
    options.shuffle = true;
    read_mix(got, 12288, &options, 3, 0);
    read_mix(want, 12288, &options, 3, 1);
    for (int p = 0; p < 12288; p++) {
        cr_assert_eq(got[p] / DVT_MIXED_EACH, other[p] / DVT_MIXED_EACH);
        cr_assert_eq(got[p] / DVT_MIXED_EACH, want[p] / DVT_MIXED_EACH);
    }
    cr_expect_neq(memcmp(got, want, 12288 * sizeof *got), 0);
}

/* Each pass over a short source has all of its rows, in an order of its own. */
Test(mix_view, passes_have_all_rows)
{
    static const int64_t counts[] = {700, 50};
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    int32_t pass[4][50], at = 0;
    dvt_mixed mixed;
    dv_view *view;
    options.shuffle = true;
    options.stop = DV_MIX_REPEAT;
    options.rows = 100;
    dvt_mixed_open(&mixed, counts, 2, 10, DVT_MIXED_BLOCKS, NULL);
    cr_assert_eq(dv_view_mix(&view, mixed.view, 2, &options, NULL, NULL), DV_OK);
    for (cursor.epoch = 0; cursor.epoch < 4; cursor.epoch++) {
        cr_assert_eq(dvt_mixed_read(got, MOST, view, &cursor, NULL), 100);
        for (int i = 0; i < 100; i++)
            if (got[i] >= DVT_MIXED_EACH)
                pass[at / 50][at % 50] = got[i], at++;
    }
    cr_assert_eq(at, 200);
    for (int p = 0; p < 4; p++) {
        bool has[50] = {false};
        for (int i = 0; i < 50; i++)
            has[pass[p][i] - DVT_MIXED_EACH] = true;
        for (int i = 0; i < 50; i++)
            cr_expect(has[i], "pass %d, row %d", p, i);
        cr_expect(p == 0 || memcmp(pass[p], pass[p - 1], sizeof pass[p]) != 0);
    }
    dv_view_release(&view);
    dvt_mixed_close(&mixed);
}

/* --- Far away, and many ----------------------------------------------------------------------- */

Test(mix_view, starts_anywhere_at_once)
{
    static const int64_t counts[] = {7, 11, 13}, far = INT64_C(1000000000000000);
    static const double weights[] = {5, 4, 3};
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dvt_mixed mixed;
    dv_view *view;
    options.weights = weights;
    options.stop = DV_MIX_REPEAT;
    dvt_mixed_open(&mixed, counts, 3, 2, DVT_MIXED_BLOCKS, NULL);
    cr_assert_eq(dv_view_mix(&view, mixed.view, 3, &options, NULL, NULL), DV_OK);
    const dvt_mix m = {3, counts, options};
    dvt_mixed_truth(want, 24, &m, 0);
    cursor.first_row = far * 12; /* a whole number of periods */
    cursor.take = 24;
    cr_assert_eq(dvt_mixed_read(got, MOST, view, &cursor, NULL), 24);
    for (int64_t i = 0; i < 24; i++) {
        const int32_t s = want[i] / DVT_MIXED_EACH;
        const int64_t before = far * (int64_t)weights[s];
        int64_t k = 0; /* rows of the source among the 24 before this one */
        for (int64_t j = 0; j < i; j++)
            k += want[j] / DVT_MIXED_EACH == s;
        cr_expect_eq(got[i], s * DVT_MIXED_EACH + (before + k) % counts[s], "%d", (int)i);
    }
    dv_view_release(&view);
    dvt_mixed_close(&mixed);
}

Test(mix_view, as_many_sources_as_there_may_be)
{
    static dv_view *views[DV_MIX_SOURCES_MOST + 1];
    static const int64_t counts[] = {40};
    dv_error err = DV_ERROR_INIT;
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dvt_mixed mixed;
    dv_view *view;
    options.stop = DV_MIX_LAST;
    dvt_mixed_open(&mixed, counts, 1, 7, DVT_MIXED_BLOCKS, NULL);
    for (int i = 0; i <= DV_MIX_SOURCES_MOST; i++)
        views[i] = mixed.view[0];
    cr_assert_eq(dv_view_mix(&view, views, DV_MIX_SOURCES_MOST, &options, NULL, &err), DV_OK, "%s",
                 err.message);
    const int64_t n = dvt_mixed_read(got, MOST, view, &cursor, &err);
    cr_assert_eq(n, 40 * DV_MIX_SOURCES_MOST, "%s", err.message);
    for (int64_t i = 0; i < n; i++)
        cr_assert_eq(got[i], i / DV_MIX_SOURCES_MOST);
    dv_view_release(&view);
    cr_expect_eq(dv_view_mix(&view, views, DV_MIX_SOURCES_MOST + 1, &options, NULL, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_null(view);
    dvt_mixed_close(&mixed);
}

/* --- Refusals --------------------------------------------------------------------------------- */

typedef struct refusal {
    const char *message; /* a part of it */
    double weight;
    int order, stop, rows, shuffle;
    dvt_mixed_kind kind;
    dv_status status;
} refusal;

static const refusal refusals[] = {
    {"weight 1 is 0: it must be positive", 0, 0, 0, 0, 0, DVT_MIXED_BLOCKS, DV_ERR_ARGUMENT},
    {"weight 1 is -2", -2, 0, 0, 0, 0, DVT_MIXED_BLOCKS, DV_ERR_ARGUMENT},
    {"weight 1 is inf", INFINITY, 0, 0, 0, 0, DVT_MIXED_BLOCKS, DV_ERR_ARGUMENT},
    {"nan: it must be positive", NAN, 0, 0, 0, 0, DVT_MIXED_BLOCKS, DV_ERR_ARGUMENT},
    {"order of a mix: 2", 1, 2, 0, 0, 0, DVT_MIXED_BLOCKS, DV_ERR_ARGUMENT},
    {"order of a mix: -1", 1, -1, 0, 0, 0, DVT_MIXED_BLOCKS, DV_ERR_ARGUMENT},
    {"stop of a mix: 3", 1, 0, 3, 0, 0, DVT_MIXED_BLOCKS, DV_ERR_ARGUMENT},
    {"rows is -1", 1, 0, 0, -1, 0, DVT_MIXED_BLOCKS, DV_ERR_ARGUMENT},
    {"source 2 of the mix has no rows", 1, 0, 2, 0, 0, DVT_MIXED_BLOCKS, DV_ERR_ARGUMENT},
    {"only in sequence; materialize", 1, 0, 0, 0, 1, DVT_MIXED_COUNTED, DV_ERR_ARGUMENT},
    {"only in sequence; materialize", 1, 0, 0, 0, 1, DVT_MIXED_UNKNOWN, DV_ERR_ARGUMENT},
};

Test(mix_view, refuses)
{
    static const int64_t counts[] = {5, 6, 0};
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const refusal *r = &refusals[i];
        const double weights[] = {1, r->weight, 1};
        dv_mix_options options = DV_MIX_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        dvt_mixed mixed;
        dv_view *view = (dv_view *)&mixed;
        options.weights = weights;
        options.order = (dv_mix_order)r->order;
        options.stop = (dv_mix_stop)r->stop;
        options.rows = r->rows;
        options.shuffle = r->shuffle;
        dvt_mixed_open(&mixed, counts, 3, 2, r->kind, NULL);
        cr_expect_eq(dv_view_mix(&view, mixed.view, 3, &options, NULL, &err), r->status, "%s",
                     r->message);
        cr_expect_null(view);
        cr_expect(strstr(err.message, r->message) != NULL, "%s", err.message);
        dvt_mixed_close(&mixed);
    }
}

Test(mix_view, refuses_sources)
{
    static const int64_t counts[] = {5};
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *view, *other, *pair[2];
    dvt_mixed mixed;
    const dv_column_spec renamed = {dv_text_of("a"), dv_text_of("b")};
    dvt_mixed_open(&mixed, counts, 1, 2, DVT_MIXED_BLOCKS, NULL);
    cr_assert_eq(dv_view_select(&other, mixed.view[0], &renamed, 1, DV_HIDDEN_DROP, NULL, &err),
                 DV_OK, "%s", err.message);
    pair[0] = mixed.view[0];
    pair[1] = other;
    cr_expect_eq(dv_view_mix(&view, pair, 2, NULL, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "view 1") != NULL, "%s", err.message);
    cr_expect_eq(dv_view_mix(&view, pair, 0, NULL, NULL, &err), DV_ERR_ARGUMENT);
    options.size = 3;
    cr_expect_eq(dv_view_mix(&view, pair, 1, &options, NULL, &err), DV_ERR_ARGUMENT);
    dv_view_release(&other);
    dvt_mixed_close(&mixed);
}

Test(mix_view, cursors_refuse)
{
    static const int64_t counts[] = {5, 6};
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_mixed mixed;
    dv_view *view;
    options.stop = DV_MIX_REPEAT;
    dvt_mixed_open(&mixed, counts, 2, 2, DVT_MIXED_BLOCKS, NULL);
    cr_assert_eq(dv_view_mix(&view, mixed.view, 2, &options, NULL, NULL), DV_OK);
    cursor.columns_count = 0; /* the rows of a mix without end are counted */
    cr_expect_eq(dvt_mixed_read(got, 1, view, &cursor, &err), DV_ERR_LIMIT);
    cr_expect(strstr(err.message, "no end: set `rows`") != NULL, "%s", err.message);
    cursor = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    cursor.zero_copy_only = true;
    cr_expect_eq(dvt_mixed_read(got, 1, view, &cursor, &err), DV_ERR_COPY);
    dv_view_release(&view);
    options.rows = INT64_C(1) << 40;
    cr_assert_eq(dv_view_mix(&view, mixed.view, 2, &options, NULL, NULL), DV_OK);
    cursor.zero_copy_only = false;
    for (cursor.epoch = 1 << 20; cursor.epoch < INT64_MAX / 4; cursor.epoch *= 4)
        cr_expect_eq(dvt_mixed_read(got, 1, view, &cursor, &err),
                     cursor.epoch < 1 << 22 ? 1 : DV_ERR_LIMIT, "%lld", (long long)cursor.epoch);
    cr_expect(strstr(err.message, "epoch of the mix") != NULL, "%s", err.message);
    dv_view_release(&view);
    dvt_mixed_close(&mixed);
}

/* --- Sources that fail ------------------------------------------------------------------------ */

/* The rows before the error are delivered, whatever the batches are: all before the bad one, if it
 * is read by number; else those before its batch. */
Test(mix_view, errors_come_after_the_rows_before)
{
    static const int64_t counts[] = {300, 300};
    for (int kind = 0; kind < DVT_MIXED_KINDS; kind++)
        for (int64_t batch_rows = 0; batch_rows < 90; batch_rows += 13) {
            dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
            dv_error err = DV_ERROR_INIT;
            const dv_batch *batch;
            dvt_mixed mixed;
            dv_cursor *c;
            dv_view *view;
            int64_t rows = 0;
            dv_status status;
            dvt_mixed_open(&mixed, counts, 2, 10, (dvt_mixed_kind)kind, NULL);
            mixed.table[1].bad_row = 115; /* in the batch with rows 110 to 120 */
            cr_assert_eq(dv_view_mix(&view, mixed.view, 2, NULL, NULL, NULL), DV_OK);
            cursor.batch_rows = batch_rows;
            cr_assert_eq(dv_cursor_open(&c, view, &cursor, NULL), DV_OK);
            while ((status = dv_cursor_next(c, &batch, &err)) == DV_OK)
                rows += batch->rows;
            cr_expect_eq(status, DV_ERR_CORRUPT);
            cr_expect_eq(rows, kind == DVT_MIXED_BLOCKS ? 231 : 221, "kind %d: %d", kind,
                         (int)rows);
            cr_expect(strstr(err.message, kind == DVT_MIXED_BLOCKS ? "view 1" : "source 1"), "%s",
                      err.message);
            dv_cursor_close(&c);
            dv_view_release(&view);
            dvt_mixed_close(&mixed);
        }
}

/* A source that ends before the row that it reported. */
Test(mix_view, refuses_sources_that_lack_rows)
{
    static const int64_t counts[] = {30, 30};
    for (int stop = 0; stop < 3; stop++) {
        dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
        dv_mix_options options = DV_MIX_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        dvt_mixed mixed;
        dv_view *view;
        options.stop = (dv_mix_stop)stop;
        dvt_mixed_open(&mixed, counts, 2, 10, DVT_MIXED_COUNTED, NULL);
        cr_assert_eq(dv_view_mix(&view, mixed.view, 2, &options, NULL, NULL), DV_OK);
        mixed.table[1].rows = 20;
        cr_expect_eq(dvt_mixed_read(got, 1000, view, &cursor, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "another number of rows than 30"), "%s", err.message);
        dv_view_release(&view);
        dvt_mixed_close(&mixed);
    }
}

/* A source turns out to have no rows when it is read. */
Test(mix_view, uncounted_source_without_rows)
{
    static const int64_t counts[] = {4, 0};
    static const int64_t rows[] = {1, 4, DV_ERR_ARGUMENT};
    for (int stop = 0; stop < 3; stop++) {
        dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
        dv_mix_options options = DV_MIX_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        dvt_mixed mixed;
        dv_view *view;
        options.stop = (dv_mix_stop)stop;
        dvt_mixed_open(&mixed, counts, 2, 3, DVT_MIXED_UNKNOWN, NULL);
        cr_assert_eq(dv_view_mix(&view, mixed.view, 2, &options, NULL, NULL), DV_OK);
        cr_expect_eq(dvt_mixed_read(got, MOST, view, &cursor, &err), rows[stop], "%s", err.message);
        cr_expect(stop < 2 || strstr(err.message, "source 1 of the mix has no rows to repeat"));
        dv_view_release(&view);
        dvt_mixed_close(&mixed);
    }
}
