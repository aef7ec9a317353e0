/* SPDX-License-Identifier: MIT */
/* test_btable_golden.c: every golden BTable has the values of its truth, read by one thread or
 * four, whole or in ranges, in batches of any size. */
#include "support/golden_files.h"
#include "support/page.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/open.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define FILES_MIN 20 /* fewer: the golden files are missing */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static dvt_producer *const ways[] = {dvt_produce_by_value, dvt_produce_by_getter,
                                     dvt_produce_by_layout};

/* The rows that the options select are those of the truth. */
static void check_part(const dvt_golden *golden, dv_view *view, const dv_cursor_options *options,
                       const dvt_part *part, dvt_producer *produce)
{
    dv_error err = DV_ERROR_INIT;
    dvt_lines lines = {0};
    char message[DVT_MESSAGE_NBYTES] = "";
    const dv_status status = produce(&lines, view, options, &err);
    cr_expect_eq(status, DV_OK, "%s: %s", golden->path, err.message);
    if (status == DV_OK)
        cr_expect(dvt_golden_same(golden, part, dvt_lines_text(&lines), message),
                  "%s, rows %" PRId64 ":%" PRId64 " by %" PRId64 ", %d threads: %s", golden->path,
                  part->first_row, part->end_row, options->batch_rows, options->threads, message);
    dvt_lines_free(&lines);
}

static void check_whole(const dvt_golden *golden, dv_view *view)
{
    static const dvt_part all = DVT_PART_ALL;
    cr_expect_str_eq(dv_view_kind(view), "btable");
    for (int32_t threads = 1; threads <= 4; threads += 3)
        for (size_t i = 0; i < COUNT(ways); i++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.threads = threads;
            check_part(golden, view, &options, &all, ways[i]);
        }
    cr_expect_eq(dv_view_rows(view), golden->truth->rows, "%s: read to the end, so it is known",
                 golden->path);
}

/* Open the file mapped and copied, strict and lenient, and check each. */
static void each_opening(const dvt_golden *golden, void (*check)(const dvt_golden *, dv_view *))
{
    for (int way = 0; way < 4; way++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = NULL;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.io = way % 2 ? DV_IO_PREAD : DV_IO_MMAP;
        options.lenient = way / 2;
        cr_expect_eq(dv_open(&view, golden->path, &options, &err), DV_OK, "%s", err.message);
        if (view)
            check(golden, view);
        dv_view_release(&view);
    }
}

static void check_file(const dvt_golden *golden)
{
    each_opening(golden, check_whole);
}

Test(btable_golden, has_the_values_of_its_truth)
{
    cr_expect_geq(dvt_golden_each_in("btable", check_file), FILES_MIN);
}

static void check_command(const dvt_golden *golden)
{
    static const dvt_part all = DVT_PART_ALL;
    static const char *const io_names[] = {"mmap", "pread"};
    for (size_t i = 0; i < COUNT(io_names); i++) {
        dvt_lines lines = {0};
        char message[DVT_MESSAGE_NBYTES] = "";
        const int status = dvt_produce_by_command(&lines, golden->path, io_names[i]);
        cr_expect_eq(status, 0, "%s: dataview cat exits with %d", golden->path, status);
        cr_expect(dvt_golden_same(golden, &all, dvt_lines_text(&lines), message), "%s: %s",
                  golden->path, message);
        dvt_lines_free(&lines);
    }
}

Test(btable_golden, the_command_prints_the_same)
{
    const char *program = getenv("DV_BIN");
    if (!program || access(program, X_OK) != 0)
        cr_skip_test("DV_BIN names no program");
    cr_expect_geq(dvt_golden_each_in("btable", check_command), FILES_MIN);
}

/* --- Ranges ----------------------------------------------------------------------------------- */

static void check_range(const dvt_golden *golden, dv_view *view, int64_t first, int64_t end,
                        int64_t batch_rows)
{
    static unsigned turn;
    if (first < 0 || end < 0)
        return;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = first;
    options.end_row = end;
    options.batch_rows = batch_rows;
    const dvt_part part = {first, end, NULL, 0};
    check_part(golden, view, &options, &part, ways[turn++ % COUNT(ways)]);
}

/* The first range is read before the index has any rows. */
static void check_ranges(const dvt_golden *golden, dv_view *view)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    const int64_t rows = golden->truth->rows, middle = rows / 2;
    const int64_t ranges[][2] = {
        {middle, middle + 1},  {middle - 2, middle + 5}, {0, 1},           {rows - 1, rows},
        {1, rows - 1},         {rows - 1, rows + 7},     {rows, rows + 1}, {0, rows},
        {rows + 3, INT64_MAX},
    };
    for (size_t i = 0; i < COUNT(ranges); i++)
        for (size_t j = 0; j < COUNT(sizes); j++)
            check_range(golden, view, ranges[i][0], ranges[i][1], sizes[j]);
}

static void check_ranges_of(const dvt_golden *golden)
{
    each_opening(golden, check_ranges);
}

Test(btable_golden, every_range_has_the_values_of_the_truth)
{
    cr_expect_geq(dvt_golden_each_in("btable", check_ranges_of), FILES_MIN);
}

/* --- Bytes in memory -------------------------------------------------------------------------- */

static void check_memory(const dvt_golden *golden, const uint8_t *data, size_t nbytes)
{
    for (dv_io io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = NULL;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.io = io;
        dv_open_memory(&view, data, nbytes, NULL, NULL, "bytes", &options, &err);
        cr_assert_not_null(view, "%s: %s", golden->path, err.message);
        check_whole(golden, view);
        dv_view_release(&view);
    }
}

/* Without a name the bytes are recognized by their looks. */
static void check_guarded(const dvt_golden *golden)
{
    size_t nbytes;
    uint8_t *file = dvt_file_read(golden->path, &nbytes);
    dvt_page page = dvt_page_create(nbytes + 1);
    check_memory(golden, dvt_page_copy_end(page, file, nbytes), nbytes);
    check_memory(golden, dvt_page_copy_start(page, file, nbytes), nbytes);
    memcpy(page.data + 1, file, nbytes);
    check_memory(golden, page.data + 1, nbytes);
    dvt_page_free(&page);
    free(file);
}

Test(btable_golden, reads_nothing_beside_the_file_at_any_address)
{
    cr_expect_geq(dvt_golden_each_in("btable", check_guarded), FILES_MIN);
}
