/* SPDX-License-Identifier: MIT */
/* test_stats.c: statistics are correct, and every failure is reported. */
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/own_table.h"
#include "support/stats_truth.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- True ------------------------------------------------------------------------------------- */

static void check_truth(const char *name, dv_view *view)
{
    char message[256] = "";
    dv_cursor_options cursor = dvt_all_columns(view);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    options.cursor = &cursor;
    options.exact_values = options.exact_distinct = 2000000;
    dv_stats *stats = dvt_stats_of(view, &options);
    cr_expect(dvt_stats_agree(stats, view, &cursor, message), "%s: %s", name, message);
    dv_stats_free(&stats);
    dvt_all_columns_free(&cursor);
}

static void check_golden(const dvt_golden *golden)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open(&view, golden->path, NULL, &err), DV_OK, "%s", err.message);
    check_truth(golden->path, view);
    dv_view_release(&view);
}

Test(stats, of_every_golden_file_are_those_of_brute_force)
{
    dvt_golden_each(check_golden);
}

Test(stats, of_an_own_table_are_those_of_brute_force)
{
    dvt_own_table table = {0};
    dv_view *view;
    for (int unknown = 0; unknown < 2; unknown++) {
        table.rows_unknown = unknown;
        cr_assert_eq(dvt_own_table_open(&view, &table, NULL, NULL), DV_OK);
        check_truth("own table", view);
        dv_view_release(&view);
    }
}

Test(stats, of_many_rows_are_those_of_brute_force)
{
    dvt_many_rows *m = dvt_many_rows_create(40001, 1000);
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    check_truth("many rows, in order", view);
    m->table.in_blocks = true;
    check_truth("many rows, in runs", view);
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

/* Computed by hand: the library and the brute force above could share an error. */
Test(stats, by_hand)
{
    static const float values[] = {4, -0.0F, NAN, 1, 0, 3, INFINITY, 2};
    dvt_made_table table = {.columns = 1, .rows = 8, .block_rows = 3, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), values, 8);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_stats *stats = dvt_stats_of(view, NULL);
    const dv_column_stats *c = stats->column;
    cr_expect_eq(stats->rows, 8);
    cr_expect(c->values == 8 && c->na == 1 && c->defaults == 2 && c->ordered == 7);
    cr_expect(c->form == DV_STATS_R8 && c->positive_infinities == 1 && c->distinct == -1);
    cr_expect(c->min.u8 == 0 && isinf(c->max.r8) && c->quantile[DV_STATS_MEDIAN].r8 == 2);
    cr_expect(isinf(c->mean) && c->mean > 0 && isnan(c->sd));
    cr_expect(c->bin_low.r8 == 0 && c->bin_high.r8 == 4 && c->rank_error == 0);
    cr_expect(c->bin[0] == 2 && c->bin[2] == 1 && c->bin[5] == 1 && c->bin[7] == 1);
    cr_expect(c->bin[9] == 1 && c->vector_length.least == -1 && c->top_count == 0);
    dv_stats_free(&stats);

    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    options.cursor = &cursor;
    cursor.first_row = 2; /* NaN 1 0 3 */
    cursor.end_row = 6;
    stats = dvt_stats_of(view, &options);
    c = stats->column;
    cr_expect(stats->rows == 4 && c->mean == 4 / 3.0 && fabs(c->sd * c->sd - 7 / 3.0) < 1e-15);
    dv_stats_free(&stats);
    cr_expect_null(stats);
    dv_stats_free(&stats); /* NULL is accepted */
    dv_view_release(&view);
}

/* Large whole numbers do not pass through a double. */
Test(stats, whole_numbers_of_64_bits_keep_all_their_bits)
{
    static const int64_t i8[] = {INT64_MAX, INT64_MIN + 1, INT64_MAX - 1, INT64_MIN};
    static const uint64_t u8[] = {UINT64_MAX, UINT64_MAX - 1, 1, 1};
    dvt_made_table table = {.columns = 2, .rows = 4, .block_rows = 4, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), i8, 4);
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_U8), u8, 4);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_stats *stats = dvt_stats_of(view, NULL);
    const dv_column_stats *a = stats->column, *b = a + 1;
    cr_expect(a->min.i8 == INT64_MIN + 1 && a->max.i8 == INT64_MAX && a->na == 1);
    cr_expect(a->quantile[DV_STATS_MEDIAN].i8 == INT64_MAX - 1 && a->distinct == 3);
    cr_expect(b->min.u8 == 1 && b->max.u8 == UINT64_MAX && b->distinct == 3);
    cr_expect(b->top_count == 3 && b->top[0].count == 2 && b->top[0].value.u8 == 1);
    cr_expect(b->top[1].value.u8 == UINT64_MAX - 1 && b->bin[0] == 2 && b->bin[9] == 2);
    dv_stats_free(&stats);
    dv_view_release(&view);
}

/* The mean was once lost if the sum exceeded the largest double. */
Test(stats, numbers_near_the_largest_have_a_mean)
{
    static const double same[] = {1.5e308, 1.5e308, 1.7e308}, apart[] = {-1.5e308, 1.5e308, 1e308};
    dvt_made_table table = {.columns = 2, .rows = 3, .block_rows = 3, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R8), same, 3);
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_R8), apart, 3);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_stats *stats = dvt_stats_of(view, NULL);
    cr_expect(stats->column[0].mean > 1.56e308 && stats->column[0].mean < 1.57e308);
    cr_expect(stats->column[1].mean > 3.3e307 && stats->column[1].mean < 3.4e307);
    cr_expect(isinf(stats->column[1].sd));
    dv_stats_free(&stats);
    dv_view_release(&view);
}

Test(stats, frequent_texts_are_cut_between_characters)
{
    static char utf8[] = "xxxxxxxxxx"
                         "xxxxxxxxxx"
                         "xxxxxxxxxx"
                         "xxxxx\xC3\xA9."
                         "xxxxxxxxxx"
                         "xxxxxxxxxx"
                         "xxxxxxxxxx"
                         "xxxxx\xC3\xA9.b";
    static const int32_t ends[] = {38, 76, 76, 77, INT32_MIN + 77};
    dvt_made_table table = {.columns = 2, .rows = 5, .block_rows = 2, .bad_row = -1};
    table.column[0] = dvt_made_text(DV_KIND_TX, utf8, ends, 5);
    table.column[1] = dvt_made_text(DV_KIND_BY, utf8, ends, 5);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_stats *stats = dvt_stats_of(view, NULL);
    for (int32_t k = 0; k < 2; k++) {
        const dv_column_stats *c = &stats->column[k];
        cr_expect(c->distinct == 3 && c->top_count == 3 && c->top[0].count == 2);
        cr_expect_eq(c->top[0].text_nbytes, 38);
        cr_expect_eq(c->top[0].text.nbytes, k == 0 ? 35 : 36);
        cr_expect_eq(c->text_nbytes.most, 38);
        cr_expect_eq(c->form, DV_STATS_NONE);
    }
    dv_stats_free(&stats);
    dv_view_release(&view);
}

Test(stats, of_nothing)
{
    static const float na[] = {NAN, NAN}, one[] = {7};
    static const int64_t rows[] = {0, 2, 1};
    for (size_t i = 0; i < COUNT(rows); i++) {
        dvt_made_table table = {.columns = 1, .rows = rows[i], .block_rows = 2, .bad_row = -1};
        table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), i == 2 ? one : na, rows[i]);
        dv_view *view = dvt_made_table_open(&table, NULL);
        dv_stats *stats = dvt_stats_of(view, NULL);
        const dv_column_stats *c = stats->column;
        cr_expect(stats->rows == rows[i] && c->values == rows[i] && isnan(c->sd));
        cr_expect(c->na == (i == 1 ? 2 : 0) && c->ordered == (i == 2));
        cr_expect(i == 2 ? c->mean == 7 && c->max.r8 == 7 && c->bin[0] == 1 : isnan(c->mean));
        dv_stats_free(&stats);
        dv_cursor_options none = DV_CURSOR_OPTIONS_INIT;
        none.columns_count = 0;
        dv_stats_options options = DV_STATS_OPTIONS_INIT;
        options.cursor = &none;
        stats = dvt_stats_of(view, &options);
        cr_expect(stats->rows == rows[i] && stats->columns == 0);
        dv_stats_free(&stats);
        dv_view_release(&view);
    }
}

/* --- Statuses --------------------------------------------------------------------------------- */

static void expect_argument(dv_view *view, const dv_stats_options *options)
{
    dv_error err = DV_ERROR_INIT;
    dv_stats *stats;
    cr_expect_eq(dv_stats_create(&stats, view, options, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(err.status, DV_ERR_ARGUMENT);
    cr_expect_null(stats);
}

Test(stats, wrong_options)
{
    const dv_stats_options start = DV_STATS_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    const int32_t none[] = {99};
    dv_view *view = dvt_golden_open("idv/people.idv", NULL);
    dv_stats_options options = start;
    options.size = 0;
    expect_argument(view, &options);
    options.size = sizeof options + 1;
    expect_argument(view, &options);
    options = start;
    options.exact_values = -1;
    expect_argument(view, &options);
    options.exact_values = INT64_C(1) << 31;
    expect_argument(view, &options);
    options = start;
    options.exact_distinct = -1;
    expect_argument(view, &options);
    options.exact_distinct = INT64_C(1) << 31;
    expect_argument(view, &options);
    options = start;
    options.memory_nbytes = -1;
    expect_argument(view, &options);
    options = start;
    options.cursor = &cursor;
    cursor.skip = -1;
    expect_argument(view, &options);
    cursor.skip = 0;
    cursor.columns = none;
    cursor.columns_count = 1;
    expect_argument(view, &options);
    dv_view_release(&view);
}

typedef struct watch {
    int64_t calls, stop_at, done, all;
} watch;

static bool look(void *ctx, int64_t done, int64_t all)
{
    watch *w = ctx;
    cr_expect_geq(done, w->done);
    w->done = done;
    w->all = all;
    return ++w->calls != w->stop_at;
}

Test(stats, progress_goes_up_to_all_and_can_stop)
{
    dvt_many_rows *m = dvt_many_rows_create(50000, 1000);
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    options.cursor = &cursor;
    for (int32_t threads = 1; threads < 4; threads++) {
        watch w = {0};
        dv_stats *stats;
        m->table.in_blocks = threads > 1; /* else in order */
        options.progress = (dv_progress){look, &w};
        cursor.threads = threads;
        stats = dvt_stats_of(view, &options);
        dv_stats_free(&stats);
        cr_expect(w.done == 50000 && w.all == 50000 && w.calls > 3);
        for (int64_t stop_at = 1; stop_at < 4; stop_at++) {
            w = (watch){.stop_at = stop_at};
            cr_expect_eq(dv_stats_create(&stats, view, &options, NULL), DV_ERR_STOPPED);
            cr_expect(!stats && w.calls == stop_at);
        }
    }
    m->table.rows_unknown = true;
    watch w = {0};
    options.progress = (dv_progress){look, &w};
    dv_stats *stats = dvt_stats_of(view, &options);
    cr_expect(w.done == 50000 && w.all == -1);
    dv_stats_free(&stats);
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

/* The error of the first run that fails is reported, whichever thread was first. */
Test(stats, what_cannot_be_read)
{
    dvt_many_rows *m = dvt_many_rows_create(50000, 1000);
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    for (int32_t threads = 1; threads < 5; threads++)
        for (int64_t row = 0; row < 50000; row += 16661) {
            dv_stats *stats;
            dv_error err = DV_ERROR_INIT;
            dv_stats_options options = DV_STATS_OPTIONS_INIT;
            dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
            cursor.threads = threads;
            options.cursor = &cursor;
            m->table.in_blocks = threads > 2;
            m->table.bad_row = row;
            cr_expect_eq(dv_stats_create(&stats, view, &options, &err), DV_ERR_CORRUPT);
            cr_expect_eq(err.status, DV_ERR_CORRUPT);
            cr_expect_null(stats);
        }
    dv_view_release(&view);
    dvt_many_rows_free(m);

    dvt_own_table table = {.open_status = DV_ERR_IO};
    dv_stats *stats;
    cr_assert_eq(dvt_own_table_open(&view, &table, NULL, NULL), DV_OK);
    cr_expect_eq(dv_stats_create(&stats, view, NULL, NULL), DV_ERR_IO);
    dv_view_release(&view);
}

static bool lose_rows(void *ctx, int64_t done, int64_t all)
{
    (void)done, (void)all;
    ((dvt_many_rows *)ctx)->table.rows = 40000;
    return true;
}

/* Statistics of some of the rows would not be those that were asked for. */
Test(stats, fewer_rows_than_the_view_said)
{
    dvt_many_rows *m = dvt_many_rows_create(50000, 1000);
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dv_stats *stats;
    cursor.threads = 1;
    options.cursor = &cursor;
    options.progress = (dv_progress){lose_rows, m};
    m->table.in_blocks = true;
    cr_expect_eq(dv_stats_create(&stats, view, &options, NULL), DV_ERR_ARGUMENT);
    cr_expect_null(stats);
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Allocation k fails, for every k: an error, no leak, and the call can be repeated. */
static void check_failing(dv_view *view, dvt_allocator *counted, const dv_stats_options *options)
{
    dvt_lines want = {0};
    dv_stats *stats = dvt_stats_of(view, options);
    dvt_stats_print(&want, stats);
    dv_stats_free(&stats);
    const int64_t live = counted->live;
    int64_t failed = 0;
    for (int64_t k = 1, done = 0; !done; k += DVT_FAIL_STEP) {
        dv_error err = DV_ERROR_INIT;
        counted->fail_at = counted->asked + k;
        const dv_status status = dv_stats_create(&stats, view, options, &err);
        done = counted->asked < counted->fail_at;
        counted->fail_at = 0;
        cr_expect(status == DV_OK || (status == DV_ERR_MEMORY && err.status == DV_ERR_MEMORY));
        cr_expect_eq(status == DV_OK, stats != NULL);
        failed += status != DV_OK;
        if (stats) {
            dvt_lines lines = {0};
            dvt_stats_print(&lines, stats);
            cr_expect_str_eq(lines.data, want.data);
            dvt_lines_free(&lines);
        }
        dv_stats_free(&stats);
        cr_expect_eq(counted->live, live, "allocation %d: a leak", (int)k);
    }
    cr_expect_gt(failed, 30 / DVT_FAIL_STEP);
    dvt_lines_free(&want);
}

Test(stats, each_allocation_may_fail)
{
    for (int32_t threads = 1; threads < 6; threads += 2) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, 0);
        dvt_many_rows *m = dvt_many_rows_create(17500, 9000);
        dv_stats_options options = DV_STATS_OPTIONS_INIT;
        dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
        cursor.threads = threads;
        options.cursor = &cursor;
        options.exact_values = options.exact_distinct = threads == 1 ? 3000 : 1;
        m->table.in_blocks = threads < 5;
        dv_view *view = dvt_made_table_open(&m->table, &counted.allocator);
        check_failing(view, &counted, &options);
        dv_view_release(&view);
        dvt_many_rows_free(m);
    }
}

Test(stats, each_allocation_may_fail_in_a_file)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    open.allocator = &counted.allocator;
    dv_view *view = dvt_golden_open("idv/people.idv", &open);
    check_failing(view, &counted, &options);
    dv_view_release(&view);
    cr_expect_eq(counted.live, 0);
}

/* memory_nbytes makes groups, and memory stays near it. */
static void check_bounded(bool in_blocks)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvt_many_rows *m = dvt_many_rows_create(200000, 4096);
    dv_view *view = dvt_made_table_open(&m->table, &counted.allocator);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.threads = 2;
    options.cursor = &cursor;
    options.exact_values = options.exact_distinct = 5000;
    m->table.in_blocks = in_blocks;
    for (int64_t most = INT64_C(4) << 20; most <= INT64_C(64) << 20; most *= 4) {
        options.memory_nbytes = most;
        counted.highest = 0;
        dv_stats *stats = dvt_stats_of(view, &options);
        cr_expect_leq(counted.highest, most + (1 << 20), "%d of %d", (int)counted.highest,
                      (int)most);
        dv_stats_free(&stats);
    }
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

Test(stats, memory_is_bounded)
{
    check_bounded(true);
}

Test(stats, memory_is_bounded_in_order)
{
    check_bounded(false);
}

/* The number of text rows is unknown, so each column seemed to need memory for any number of them:
 * 50,000 columns of one row were read 5,000 times. */
Test(stats, rows_in_order_are_read_once_if_memory_allows)
{
    static const struct {
        int64_t memory_nbytes, readings;
    } cases[] = {{4 << 20, 1}, {0, 4}};
    dvt_many_rows *m = dvt_many_rows_create(9000, 1000);
    dvt_lines want = {0};
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        m->table.rows_unknown = i / COUNT(cases);
        dv_view *view = dvt_made_table_open(&m->table, NULL);
        dv_stats_options options = DV_STATS_OPTIONS_INIT;
        watch w = {0};
        dvt_lines lines = {0};
        options.memory_nbytes = cases[i % COUNT(cases)].memory_nbytes;
        options.progress = (dv_progress){look, &w};
        dv_stats *stats = dvt_stats_of(view, &options);
        dvt_stats_print(i ? &lines : &want, stats);
        cr_expect(i == 0 || strcmp(lines.data, want.data) == 0, "%s\nnot:\n%s", lines.data,
                  want.data);
        cr_expect_eq(w.done, 9000 * cases[i % COUNT(cases)].readings, "%d", (int)w.done);
        cr_expect_eq(w.all, m->table.rows_unknown ? -1 : w.done);
        dvt_lines_free(&lines);
        dv_stats_free(&stats);
        dv_view_release(&view);
    }
    dvt_lines_free(&want);
    dvt_many_rows_free(m);
}

/* Threads share the columns of large batches. Which columns are dropped when memory runs out, and
 * so how often the rows are read, does not depend on them. */
Test(stats, threads_share_the_columns_of_a_batch)
{
    dvt_many_rows *m = dvt_many_rows_create(40000, 20000);
    dvt_lines want = {0};
    int64_t readings = 0, most = 0;
    for (int64_t nbytes = 1 << 24; nbytes > 100000; nbytes = nbytes / 8 * 5) {
        int64_t done = -1;
        for (int32_t threads = 1; threads < 6; threads += 2) {
            dv_view *view = dvt_made_table_open(&m->table, NULL);
            dv_stats_options options = DV_STATS_OPTIONS_INIT;
            dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
            watch w = {0};
            dvt_lines lines = {0};
            cursor.threads = threads;
            options.cursor = &cursor;
            options.memory_nbytes = nbytes;
            options.progress = (dv_progress){look, &w};
            dv_stats *stats = dvt_stats_of(view, &options);
            dvt_stats_print(want.data ? &lines : &want, stats);
            cr_expect(!lines.data || strcmp(lines.data, want.data) == 0, "%d threads", threads);
            cr_expect(done < 0 || w.done == done, "%d threads: %d rows, not %d", threads,
                      (int)w.done, (int)done);
            done = w.done;
            dvt_lines_free(&lines);
            dv_stats_free(&stats);
            dv_view_release(&view);
        }
        readings += done != most;
        most = done;
    }
    cr_expect_gt(readings, 2);
    dvt_lines_free(&want);
    dvt_many_rows_free(m);
}
