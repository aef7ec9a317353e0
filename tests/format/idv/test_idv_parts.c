/* SPDX-License-Identifier: MIT */
/* test_idv_parts.c: does every range of rows or columns of a golden file match the expected
 * table? */
#include "support/golden_files.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <inttypes.h>
#include <stdlib.h>

#define FILES_MIN 100 /* fewer: the golden files were not found */

/* A golden file, open in one way. */
typedef struct opened {
    const dvt_golden *golden;
    dv_view *view;
    int64_t rows, rows_per_block;
    int32_t threads;
} opened;

static void expect_part(const opened *o, const dvt_part *part, const dvt_lines *lines,
                        const char *what)
{
    char message[DVT_MESSAGE_NBYTES];
    cr_expect(dvt_golden_same(o->golden, part, dvt_lines_text(lines), message),
              "%s, %s, rows %" PRId64 ":%" PRId64 ", %d threads: %s", o->golden->path, what,
              part->first_row, part->end_row, o->threads, message);
}

/* Check that the options deliver this range of the expected table, each time by another way of
 * reading. */
static void check_part(const opened *o, const dv_cursor_options *asked, const dvt_part *part,
                       const char *what)
{
    static dvt_producer *const ways[] = {dvt_produce_by_layout, dvt_produce_by_value,
                                         dvt_produce_by_getter};
    static unsigned turn;
    dv_error err = DV_ERROR_INIT;
    dvt_lines lines = {0};
    dv_cursor_options options = *asked;
    options.threads = o->threads;
    const dv_status status = ways[turn++ % 3](&lines, o->view, &options, &err);
    cr_expect_eq(status, DV_OK, "%s, %s: %s", o->golden->path, what, err.message);
    if (status == DV_OK)
        expect_part(o, part, &lines, what);
    dvt_lines_free(&lines);
}

/* Call check with the file mapped and read by one thread, then copied and read by four. */
static void check_opened(const dvt_golden *golden, void (*check)(const opened *o))
{
    for (int32_t i = 0; i < 2; i++) {
        dv_error err = DV_ERROR_INIT;
        opened o = {golden, NULL, 0, 0, i == 0 ? 1 : 4};
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.io = i == 0 ? DV_IO_MMAP : DV_IO_PREAD;
        cr_expect_eq(dv_open(&o.view, golden->path, &options, &err), DV_OK, "%s", err.message);
        if (!o.view)
            return;
        dv_facts *facts = NULL;
        cr_expect_eq(dv_inspect(&facts, o.view, &err), DV_OK, "%s", err.message);
        o.rows = dv_view_rows(o.view);
        o.rows_per_block = facts ? facts->rows_per_block : 0;
        dv_facts_free(&facts);
        check(&o);
        dv_view_release(&o.view);
    }
}

/* --- Rows ------------------------------------------------------------------------------------- */

static void check_range(const opened *o, int64_t first_row, int64_t end_row)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = first_row < 0 ? 0 : first_row;
    options.end_row = end_row < 0 ? 0 : end_row;
    const dvt_part part = {options.first_row, options.end_row, NULL, 0};
    check_part(o, &options, &part, "range");
}

static void check_ranges(const opened *o)
{
    const int64_t rows = o->rows, middle = rows / 2;
    check_range(o, 0, 1);
    check_range(o, middle, middle + 1);
    check_range(o, middle - 2, middle + 5);
    check_range(o, rows - 1, rows);
    check_range(o, rows - 1, rows + 7);
    check_range(o, rows, rows);
    check_range(o, rows + 3, rows + 9);
    check_range(o, rows + 3, INT64_MAX);
    check_range(o, middle, middle);
    check_range(o, middle + 1, middle);
    check_range(o, 1, rows - 1);
    for (int64_t b = o->rows_per_block; b > 0 && b < rows; b += o->rows_per_block) {
        check_range(o, b - 1, b + 1);
        check_range(o, b, b + 2);
        check_range(o, b - 2, b);
    }
    if (o->rows_per_block > 0) /* across several blocks */
        check_range(o, o->rows_per_block - 1, 3 * o->rows_per_block + 1);
}

static void check_ranges_of(const dvt_golden *golden)
{
    check_opened(golden, check_ranges);
}

Test(idv_parts, row_ranges_are_slices)
{
    cr_expect_gt(dvt_golden_each(check_ranges_of), FILES_MIN);
}

static int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Skip and take count inside the range. */
static void check_skip(const opened *o, int64_t first_row, int64_t skip, int64_t take)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = first_row;
    options.end_row = first_row > 0 && o->rows > 1 ? o->rows - 1 : -1;
    options.skip = skip;
    options.take = take;
    const int64_t end = options.end_row < 0 ? o->rows : options.end_row;
    const int64_t first = min_i64(first_row, end) + min_i64(skip, o->rows);
    const dvt_part part = {first, take < 0 ? end : min_i64(end, first + min_i64(take, o->rows)),
                           NULL, 0};
    check_part(o, &options, &part, "skip and take");
}

static void check_skips(const opened *o)
{
    const int64_t rows = o->rows, more = o->rows_per_block + 1;
    const int64_t cases[][3] = {
        /* first_row, skip, take */
        {0, 0, 0},         {0, 1, 1},    {0, rows / 2, 3},     {0, rows, 1},
        {0, rows + 5, -1}, {1, 0, more}, {1, 1, -1},           {1, rows / 2, INT64_MAX},
        {1, more, more},   {0, 3, rows}, {1, INT64_MAX, more}, {INT64_MAX, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_skip(o, cases[i][0], cases[i][1], cases[i][2]);
}

static void check_skips_of(const dvt_golden *golden)
{
    check_opened(golden, check_skips);
}

Test(idv_parts, skip_and_take_count_inside_the_range)
{
    cr_expect_gt(dvt_golden_each(check_skips_of), FILES_MIN);
}

/* --- Rows per batch --------------------------------------------------------------------------- */

static struct {
    int64_t rows; /* of every batch but the last */
    bool has_ended, is_wrong;
    void (*put)(dvt_lines *lines, const dv_batch *batch);
} exact;

static void put_exact(dvt_lines *lines, const dv_batch *batch)
{
    exact.is_wrong |= exact.has_ended || batch->rows > exact.rows;
    exact.has_ended = batch->rows < exact.rows;
    exact.put(lines, batch);
}

static void check_batch_rows(const opened *o, int64_t batch_rows, int64_t first_row)
{
    dv_error err = DV_ERROR_INIT;
    dvt_lines lines = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = exact.rows = batch_rows;
    options.first_row = first_row;
    options.threads = o->threads;
    exact.has_ended = exact.is_wrong = false;
    dvt_put_header(&lines, o->view, &options, dvt_put_metadata_by_value, NULL);
    const dv_status status = dvt_put_rows(&lines, o->view, &options, put_exact, &err);
    cr_expect_eq(status, DV_OK, "%s, batch_rows %" PRId64 ": %s", o->golden->path, batch_rows,
                 err.message);
    cr_expect_not(exact.is_wrong, "%s, batch_rows %" PRId64 ": a batch of other size",
                  o->golden->path, batch_rows);
    if (status == DV_OK)
        expect_part(o, &(dvt_part){first_row, INT64_MAX, NULL, 0}, &lines, "batch_rows");
    dvt_lines_free(&lines);
}

static void check_batches(const opened *o)
{
    const int64_t sizes[] = {1, 3, 64, o->rows_per_block + 1, 1000000, INT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const bool is_odd = (i + (size_t)o->threads) % 2;
        exact.put = is_odd ? dvt_put_batch_by_layout : dvt_put_batch_by_value;
        check_batch_rows(o, sizes[i], is_odd ? 0 : o->rows / 3);
    }
}

static void check_batches_of(const dvt_golden *golden)
{
    check_opened(golden, check_batches);
}

Test(idv_parts, batch_rows_changes_nothing_but_the_batches)
{
    cr_expect_gt(dvt_golden_each(check_batches_of), FILES_MIN);
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* Columns of the expected table by their numbers: those of the schema that are not hidden. */
static void check_some(const opened *o, const int32_t *visible, const int32_t *columns,
                       int32_t count)
{
    int32_t *asked = malloc((size_t)count * sizeof *asked + 1);
    cr_assert_not_null(asked);
    for (int32_t k = 0; k < count; k++)
        asked[k] = visible[columns[k]];
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = asked;
    options.columns_count = count;
    options.batch_rows = o->threads == 1 ? 0 : 5;
    check_part(o, &options, &(dvt_part){0, INT64_MAX, columns, count}, "columns");
    free(asked);
}

static void check_columns(const opened *o)
{
    int32_t *visible;
    const int32_t n = dvt_active_columns(dv_view_schema(o->view), NULL, &visible);
    int32_t *list = malloc(2 * (size_t)n * sizeof *list + 1);
    cr_assert_not_null(list);
    check_some(o, visible, list, 0);
    for (int32_t k = 0; k < n; k++) {
        list[0] = k;
        check_some(o, visible, list, 1);
    }
    for (int32_t k = 0; k < n; k++) /* backwards, each twice */
        list[2 * k] = list[2 * k + 1] = n - 1 - k;
    check_some(o, visible, list, 2 * n);
    for (int32_t k = 0; k < n; k++)
        list[k] = k;
    check_some(o, visible, list, n / 2);
    free(list);
    free(visible);
}

static void check_columns_of(const dvt_golden *golden)
{
    check_opened(golden, check_columns);
}

Test(idv_parts, columns_alone_none_and_repeated)
{
    cr_expect_gt(dvt_golden_each(check_columns_of), FILES_MIN);
}
