/* SPDX-License-Identifier: MIT */
/* test_idv_limits.c: which files exceed an option, the format, or 32 bits; and what happens to a
 * view whose file is truncated?
 *
 * Large files are sparse and take hardly any disk space if the file system supports that. */
#include "support/golden_files.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Options --- */

/* All metadata and all visible rows of a file of tests/. */
static dv_error read_file(const char *name, const dv_open_options *how)
{
    const dvt_path path = dvt_test_path(name);
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dvt_lines lines = {0};
    if (dv_open(&view, path.text, how, &err) == DV_OK)
        dvt_produce_by_layout(&lines, view, NULL, &err);
    dv_view_release(&view);
    dvt_lines_free(&lines);
    return err;
}

static void expect_error(const dv_error *err, dv_status status, const char *rule, int64_t offset)
{
    cr_expect_eq(err->status, status, "%s: %s", rule, err->message);
    cr_expect_str_eq(err->rule, rule, "%s", err->message);
    cr_expect_eq(err->offset, offset, "%s", err->message);
    cr_expect(*err->expected && *err->found && *err->message, "%s", err->message);
}

/* A file that exceeds an option set to `least - 1`, and can be read if it is `least`. */
typedef struct limit_case {
    const char *file, *option;
    int64_t least, offset;
} limit_case;

static int64_t *option_of(dv_open_options *how, const char *name)
{
#define RETURN_IF_NAMED(option)                                                                    \
    if (strcmp(name, #option) == 0)                                                                \
        return &how->option;
    RETURN_IF_NAMED(columns)
    RETURN_IF_NAMED(metadata_nbytes)
    RETURN_IF_NAMED(metadata_toc_nbytes)
    RETURN_IF_NAMED(block_nbytes)
    RETURN_IF_NAMED(cursor_nbytes)
    RETURN_IF_NAMED(rows_without_columns)
    abort();
}

static void expect_limit(const limit_case *c)
{
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.io = (dv_io)io;
        int64_t *option = option_of(&how, c->option);
        *option = c->least;
        dv_error err = read_file(c->file, &how);
        cr_expect_eq(err.status, DV_OK, "%s %" PRId64 ": %s", c->option, c->least, err.message);
        *option = c->least - 1;
        err = read_file(c->file, &how);
        expect_error(&err, DV_ERR_LIMIT, c->option, c->offset);
    }
}

#define CRAFTED "golden/idv-crafted/"

/* Metadata: uncompressed, compressed, and the pairs of 1.1.1.3: 21 bytes, and 4 for each slot.
 * Blocks: as long as the table says, and 65 Booleans, which need a byte each. */
Test(idv_limits, each_option_is_provoked)
{
    static const limit_case cases[] = {
        {CRAFTED "version-1115.idv", "columns", 2, 48},
        {"golden/idv/metadata-raw.idv", "metadata_nbytes", 60, 524},
        {"malformed/idv/metadata_compression_1.OK.idv", "metadata_nbytes", 12, 276},
        {CRAFTED "version-1113-slotnames.idv", "metadata_nbytes", 21, 340},
        {"golden/idv/metadata-raw.idv", "metadata_toc_nbytes", 577, 1624},
        {CRAFTED "version-1115.idv", "metadata_toc_nbytes", 32, 412},
        {CRAFTED "version-1115.idv", "block_nbytes", 16, 326 + 12},
        {"golden/idv/bool-65.idv", "block_nbytes", 65, 256},
        {CRAFTED "no-columns.idv", "rows_without_columns", 5, 40},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_limit(&cases[i]);
}

/* strict_text is a flag, not a limit: it refuses what breaks a rule that the caller chose. */
Test(idv_limits, strict_text_refuses_cut_characters)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = read_file("malformed/idv/text_split_pair.OK.idv", &how);
    cr_expect_eq(err.status, DV_OK, "%s", err.message);
    how.strict_text = true;
    err = read_file("malformed/idv/text_split_pair.OK.idv", &how);
    expect_error(&err, DV_ERR_CORRUPT, "idv:5.4", 260);
}

static bool count_limits(void *ctx, const dv_error *what)
{
    *(int *)ctx += what->status == DV_ERR_LIMIT;
    return true;
}

/* One of 20 columns has blocks of 112 bytes, 14 of them and a shorter one. */
Test(idv_limits, verify_continues_after_a_limit)
{
    const dvt_path path = dvt_test_path("golden/idv/scalar-all-raw-rpb7.idv");
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.block_nbytes = 100;
    int limits = 0;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_limits;
    options.ctx = &limits;
    dv_view *view;
    cr_assert_eq(dv_open(&view, path.text, &how, NULL), DV_OK);
    cr_expect_eq(dv_verify(view, &options, NULL), DV_OK);
    cr_expect_eq(limits, 14, "blocks of 7 row ids");
    dv_view_release(&view);
}

Test(idv_limits, a_limit_below_1_is_no_option)
{
    static const char *const names[] = {"columns",      "metadata_nbytes", "metadata_toc_nbytes",
                                        "block_nbytes", "cursor_nbytes",   "rows_without_columns"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        *option_of(&how, names[i]) = 0;
        const dv_error err = read_file(CRAFTED "version-1115.idv", &how);
        cr_expect_eq(err.status, DV_ERR_ARGUMENT, "%s: %s", names[i], err.message);
    }
}

/* --- Large files --- */

/* A file of one raw column "x" of Int64, whose value in row r is 3 * r + 7; its parts lie where
 * they are wanted, all else is a hole.  Metadata "K": one Int64, 42, if metadata > 0. */
typedef struct large {
    int64_t rows, rpb; /* rpb at most 127 */
    int64_t lookup, toc, metadata, tail;
    int64_t blocks; /* blocks that are written; the other entries of the table are zero */
    int64_t first_block, distance;
} large;

#define VALUE_OF(row) (3 * (row) + 7)
#define GIB ((int64_t)1 << 30)
#define MIB ((int64_t)1 << 20)

static int fd = -1;
static dvt_path folder, path;

static void start(void)
{
    folder = dvt_folder_create();
    path = dvt_path_in(&folder, "large.idv");
}

static void stop(void)
{
    if (fd >= 0)
        close(fd);
    fd = -1;
    dvt_folder_remove(&folder);
}

static void put(int64_t at, const void *bytes, size_t n)
{
    cr_assert_eq(pwrite(fd, bytes, n, at), (ssize_t)n, "%s: %s", path.text, strerror(errno));
}

static void put_words(int64_t at, const int64_t *words, size_t n)
{
    put(at, words, n * sizeof *words);
}

static void put_block(const large *f, int64_t k)
{
    const int64_t first = k * f->rpb, left = f->rows - first, n = left < f->rpb ? left : f->rpb;
    const int64_t at = f->first_block + k * f->distance, nbytes = 8 * n;
    const int64_t entry[2] = {at, nbytes | nbytes << 32};
    int64_t values[127];
    for (int64_t i = 0; i < n; i++)
        values[i] = VALUE_OF(first + i);
    put_words(at, values, (size_t)n);
    put_words(f->lookup + 16 * k, entry, 2);
}

static void put_tables(const large *f)
{
    const int64_t version = INT64_C(0x0001000100010006);
    const int64_t header[] = {0x00425644004C4D43, version, version, f->toc, f->tail, f->rows, 1};
    put_words(0, header, 7);
    put(f->toc, "\1x\5Int64\0\0", 10);
    put(f->toc + 10, &(uint8_t){(uint8_t)f->rpb}, 1);
    put_words(f->toc + 11, (const int64_t[]){f->lookup, f->metadata}, 2);
    put(f->tail, "\0BVD\0LMC", 8);
    if (f->metadata == 0)
        return;
    put(f->metadata, "\1\1K\5Int64\0\0", 11);
    put_words(f->metadata + 11, (const int64_t[]){f->metadata + 64}, 1);
    put(f->metadata + 19, "\10", 1);
    put_words(f->metadata + 64, (const int64_t[]){42}, 1);
}

/* Skip the test if the disk cannot hold the file. */
static void make(const large *f)
{
    fd = open(path.text, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0, "%s: %s", path.text, strerror(errno));
    if (ftruncate(fd, f->tail + 8) != 0)
        cr_skip_test("%s: %" PRId64 " GiB: %s", path.text, f->tail / GIB, strerror(errno));
    for (int64_t k = 0; k < f->blocks; k++)
        put_block(f, k);
    put_tables(f);
}

static dv_view *open_large(dv_io io)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    cr_assert_eq(dv_open(&view, path.text, &how, &err), DV_OK, "%s", err.message);
    return view;
}

static int64_t count_good(const dv_batch *batch)
{
    const char *values = dv_batch_column(batch, 0)->as.fixed.values.data;
    int64_t good = 0, value;
    for (int64_t i = 0; i < batch->rows; i++) {
        memcpy(&value, values + 8 * i, sizeof value);
        good += value == VALUE_OF(batch->first_row + i);
    }
    return good;
}

/* Read the rest of the cursor; returns the rows, all of which must be right. */
static int64_t read_cursor(dv_cursor *cursor, dv_error *err)
{
    const dv_batch *batch;
    int64_t rows = 0;
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        cr_expect_eq(count_good(batch), batch->rows);
        rows += batch->rows;
    }
    cr_expect_null(batch);
    cr_expect(status == DV_END || err->status == status, "%s", err->message);
    return rows;
}

static dv_cursor *open_cursor(dv_view *view, int64_t first_row)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = first_row;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    return cursor;
}

static int64_t read_rows(dv_view *view, int64_t first_row, dv_error *err)
{
    dv_cursor *cursor = open_cursor(view, first_row);
    const int64_t rows = read_cursor(cursor, err);
    dv_cursor_close(&cursor);
    return rows;
}

/* 2^31 blocks of one row: the lookup table has 32 GiB, none of which is read. */
Test(idv_limits, more_blocks_than_31_bits, .init = start, .fini = stop)
{
    large f = {.rows = INT64_C(1) << 31, .rpb = 1, .lookup = 256};
    f.toc = f.lookup + 16 * f.rows;
    f.tail = f.toc + 64;
    make(&f);
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.io = (dv_io)io;
        cr_expect_eq(dv_open(&view, path.text, &how, &err), DV_ERR_UNSUPPORTED);
        cr_expect_null(view);
        expect_error(&err, DV_ERR_UNSUPPORTED, "idv:L1", 40);
    }
}

/* One block less is valid: the last block is read, and the table entries of the others. */
Test(idv_limits, as_many_blocks_as_31_bits_hold, .init = start, .fini = stop)
{
    large f = {.rows = INT32_MAX, .rpb = 1, .lookup = 256, .first_block = 256};
    f.toc = f.lookup + 16 * f.rows;
    f.tail = f.toc + 64;
    make(&f);
    put_block(&f, f.rows - 1);
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = open_large((dv_io)io);
        cr_expect_eq(dv_view_rows(view), INT32_MAX);
        cr_expect_eq(read_rows(view, INT32_MAX - 1, &err), 1);
        cr_expect_eq(err.status, DV_OK, "%s", err.message);
        cr_expect_eq(read_rows(view, INT32_MAX - 2, &err), 0);
        expect_error(&err, DV_ERR_CORRUPT, "idv:L4", 256 + 16 * (int64_t)(INT32_MAX - 2));
        dv_view_release(&view);
    }
}

/* Blocks on both sides of 2 and 4 GiB, tables and metadata after them. */
Test(idv_limits, tables_after_four_gib, .init = start, .fini = stop)
{
    const large f = {.rows = 995,
                     .rpb = 100,
                     .lookup = 6 * GIB + 1,
                     .toc = 6 * GIB + 1003,
                     .metadata = 6 * GIB + 2005,
                     .tail = 6 * GIB + 4007,
                     .blocks = 10,
                     .first_block = 300 * MIB + 3,
                     .distance = 600 * MIB};
    make(&f);
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = open_large((dv_io)io);
        cr_expect_eq(read_rows(view, 0, &err), f.rows);
        cr_expect_eq(err.status, DV_OK, "%s", err.message);
        cr_expect_eq(read_rows(view, 950, &err), f.rows - 950);

        const dv_batch *value;
        cr_assert_eq(dv_schema_metadata_value(dv_view_schema(view), 0, 0, &value, &err), DV_OK,
                     "%s", err.message);
        const dv_value k = dv_value_first(dv_batch_column(value, 0));
        cr_expect_eq(dv_value_i8(&k), 42);
        dv_batch_release(&value);
        dv_view_release(&view);
    }
}

/* --- A file that is truncated while its view is open --- */

/* Tables first; each block on its own pages, in a range of the map that no other block needs. */
static const large cuttable = {.rows = 300,
                               .rpb = 100,
                               .lookup = 256,
                               .toc = 512,
                               .metadata = 1024,
                               .tail = 16 * MIB,
                               .blocks = 3,
                               .first_block = 4 * MIB,
                               .distance = 4 * MIB};

/* Lengths after truncation: one byte less, inside the last block, before it, before all, empty. */
static const int64_t cuts[] = {16 * MIB + 7, 12 * MIB + 400, 9 * MIB, 4096, 100, 0};
#define CUTS (sizeof cuts / sizeof *cuts)
#define BLOCKS_END (12 * MIB + 800)
#define METADATA_END (1024 + 64 + 8)

/* A file, its view, and the length that it will be truncated to. */
typedef struct scene {
    dv_view *view;
    dv_io io;
    int64_t cut;
} scene;

/* Call check with a new scene, for each way of reading and each length. */
static void each_cut(void (*check)(const scene *s))
{
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++)
        for (size_t i = 0; i < CUTS; i++) {
            make(&cuttable);
            scene s = {open_large((dv_io)io), (dv_io)io, cuts[i]};
            check(&s);
            dv_view_release(&s.view);
            close(fd);
            fd = -1;
        }
}

static void cut_file(int64_t nbytes)
{
    cr_assert_eq(ftruncate(fd, nbytes), 0);
}

/* A mapped view notices every truncation; copies are still valid if the bytes up to `end` exist. */
static void expect_shrank(const scene *s, int64_t end, const dv_error *err)
{
    if (s->io == DV_IO_PREAD && s->cut >= end && err->status == DV_OK)
        return;
    cr_expect_eq(err->status, DV_ERR_IO, "cut to %" PRId64 ": %s", s->cut, err->message);
    cr_expect(*err->message && strstr(err->file, "large.idv"), "%s", err->message);
}

/* Truncate, then read on. An error is permanent. */
static void cut_and_read(const scene *s, dv_cursor *cursor)
{
    dv_error err = DV_ERROR_INIT;
    cut_file(s->cut);
    const int64_t rows = read_cursor(cursor, &err);
    cr_expect(rows == 0 || s->io == DV_IO_PREAD, "cut to %" PRId64, s->cut);
    expect_shrank(s, BLOCKS_END, &err);
    for (int again = 0; again < 2 && err.status != DV_OK; again++) {
        err = (dv_error)DV_ERROR_INIT;
        cr_expect_eq(read_cursor(cursor, &err), 0);
        cr_expect_eq(err.status, DV_ERR_IO);
    }
}

static void check_untouched(const scene *s)
{
    dv_cursor *cursor = open_cursor(s->view, 0);
    cut_and_read(s, cursor);
    dv_cursor_close(&cursor);
}

Test(idv_limits, cut_before_any_block_was_read, .init = start, .fini = stop)
{
    each_cut(check_untouched);
}

static void check_between(const scene *s)
{
    dv_cursor *cursor = open_cursor(s->view, 0);
    const dv_batch *batch;
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cut_and_read(s, cursor);
    dv_cursor_close(&cursor);
}

Test(idv_limits, cut_between_two_blocks, .init = start, .fini = stop)
{
    each_cut(check_between);
}

static int64_t batch_rows; /* of the cursors of the next test */

/* Regression: rows left over from a block were delivered without checking the file again. The
 * reader, or our copy into the next batch, got SIGBUS. */
static void check_left_over(const scene *s)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = batch_rows;
    cr_assert_eq(dv_cursor_open(&cursor, s->view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(count_good(batch), batch_rows);
    cut_and_read(s, cursor);
    dv_cursor_close(&cursor);
}

Test(idv_limits, cut_with_rows_left_over, .init = start, .fini = stop)
{
    static const int64_t sizes[] = {30, 99, 150, 250}; /* inside a block, and across */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        batch_rows = sizes[i];
        each_cut(check_left_over);
    }
}

static void check_touched(const scene *s)
{
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(read_rows(s->view, 0, &err), cuttable.rows);
    check_untouched(s);
}

Test(idv_limits, cut_after_all_was_read, .init = start, .fini = stop)
{
    each_cut(check_touched);
}

static dv_status read_metadata(const scene *s, dv_error *err)
{
    const dv_batch *value;
    const dv_status status = dv_schema_metadata_value(dv_view_schema(s->view), 0, 0, &value, err);
    dv_batch_release(&value);
    return status;
}

static void check_metadata(const scene *s)
{
    dv_error err = DV_ERROR_INIT;
    cut_file(s->cut);
    cr_expect_eq(read_metadata(s, &err), err.status);
    if (err.status == DV_OK && s->cut >= METADATA_END)
        return; /* nothing of it was mapped yet, so its bytes were copied */
    expect_shrank(s, METADATA_END, &err);
}

static void check_read_metadata(const scene *s)
{
    cr_expect_eq(read_metadata(s, NULL), DV_OK);
    check_metadata(s);
}

Test(idv_limits, cut_and_metadata, .init = start, .fini = stop)
{
    each_cut(check_metadata);
    each_cut(check_read_metadata);
}

static void check_facts(const scene *s)
{
    dv_error err = DV_ERROR_INIT;
    dv_facts *facts;
    cut_file(s->cut);
    cr_expect_eq(dv_inspect(&facts, s->view, &err), err.status);
    cr_expect((facts == NULL) == (err.status != DV_OK));
    expect_shrank(s, cuttable.toc, &err);
    dv_facts_free(&facts);
}

static bool count_report(void *ctx, const dv_error *what)
{
    (void)what;
    ++*(int *)ctx;
    return true;
}

/* A system error is no defect of the bytes. */
static void check_verify(const scene *s)
{
    dv_error err = DV_ERROR_INIT;
    int reports = 0;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_report;
    options.ctx = &reports;
    cut_file(s->cut);
    cr_expect_eq(dv_verify(s->view, &options, &err), err.status);
    expect_shrank(s, BLOCKS_END, &err);
    cr_expect_eq(reports, 0);
}

Test(idv_limits, cut_and_inspected_or_verified, .init = start, .fini = stop)
{
    each_cut(check_facts);
    each_cut(check_verify);
}

/* Bytes after the tail are ignored. */
static void check_grown(const scene *s)
{
    dv_error err = DV_ERROR_INIT;
    cut_file(cuttable.tail + 8 + s->cut);
    cr_expect_eq(read_rows(s->view, 0, &err), cuttable.rows, "%s", err.message);
    cr_expect_eq(read_metadata(s, &err), DV_OK, "%s", err.message);
}

Test(idv_limits, a_file_may_grow, .init = start, .fini = stop)
{
    each_cut(check_grown);
}
