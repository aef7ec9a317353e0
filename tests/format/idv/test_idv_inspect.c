/* SPDX-License-Identifier: MIT */
/* test_idv_inspect.c: checks the reported facts against the tables of the file.
 *
 * The tables of valid golden files are parsed here a second time, as idv:2 to idv:4 describe. */
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <dataview/schema.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MIN 100 /* fewer: the golden files were not found */
#define COLUMNS_MAX 64
#define VERSION(last) (UINT64_C(0x0001000100010000) | (last))

/* --- Reading tables --- */

/* A position in the file. */
typedef struct position {
    const uint8_t *data;
    size_t at;
} position;

static int64_t read_int(position *p, size_t nbytes)
{
    int64_t value = 0;
    memcpy(&value, p->data + p->at, nbytes);
    p->at += nbytes;
    return value;
}

static uint64_t read_leb(position *p)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        const uint8_t byte = p->data[p->at++];
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
}

static dv_text read_str(position *p)
{
    const size_t n = read_leb(p);
    p->at += n;
    return (dv_text){(const char *)p->data + p->at - n, (int64_t)n};
}

static bool is_one_of(dv_text name, const char *const *list)
{
    for (; *list; list++)
        if (dv_text_equal(name, dv_text_of(*list)))
            return true;
    return false;
}

/* How the blocks of a column store its values (idv:5.8). */
typedef enum shape { SHAPE_DEAD, SHAPE_BITS, SHAPE_VALUES, SHAPE_WORDS, SHAPE_ZONED } shape;

static shape of_vector(shape items)
{
    return items == SHAPE_DEAD || items == SHAPE_BITS ? items : SHAPE_WORDS;
}

/* A codec definition (idv:4): the shape of its blocks; width: of a value. */
static shape read_codec(position *p, int64_t *width)
{
    static const char *const one[] = {"SByte", "Byte", NULL};
    static const char *const two[] = {"Int16", "UInt16", NULL};
    static const char *const four[] = {"Int32", "UInt32", "Single", NULL};
    static const char *const eight[] = {"Int64",      "UInt64",        "Double", "TimeSpan",
                                        "DvTimeSpan", "DateTime",      "RowId",  "DvDateTime",
                                        "UInt128",    "DataViewRowId", NULL};
    static const char *const bits[] = {"Boolean", "DvBool", NULL};
    static const char *const zoned[] = {"DateTimeOffset", "DvDateTimeZone", NULL};
    static const char *const keys[] = {"Key", "Key2", NULL};
    const dv_text name = read_str(p);
    const size_t end = (size_t)read_leb(p) + p->at;
    shape s = SHAPE_VALUES;
    if (is_one_of(name, keys))
        s = read_codec(p, width);
    else if (dv_text_equal(name, dv_text_of("VBuffer")))
        s = of_vector(read_codec(p, width));
    else if (dv_text_equal(name, dv_text_of("TextSpan")))
        s = SHAPE_WORDS;
    else if (is_one_of(name, bits))
        s = SHAPE_BITS;
    else if (is_one_of(name, zoned))
        s = SHAPE_ZONED;
    else if (is_one_of(name, one) || is_one_of(name, two))
        *width = is_one_of(name, one) ? 1 : 2;
    else if (is_one_of(name, four) || is_one_of(name, eight))
        *width = is_one_of(name, four) ? 4 : 8;
    else
        s = SHAPE_DEAD;
    p->at = end;
    return s;
}

/* --- The facts that tables hold --- */

typedef struct expected {
    int64_t rows, rpb, blocks;
    int32_t columns, dead;
    dv_column_facts column[COLUMNS_MAX];
} expected;

static bool is_aligned(shape s, int64_t width, int64_t offset, int64_t n)
{
    switch (s) {
    case SHAPE_WORDS:
        return offset % 4 == 0;
    case SHAPE_ZONED: /* offsets of two bytes each, then ticks */
        return (offset + 2 * n) % 8 == 0 && offset % 2 == 0;
    default:
        return offset % width == 0;
    }
}

static void add_blocks(expected *e, const uint8_t *data, int64_t lookup, dv_column_facts *facts,
                       shape s, int64_t width)
{
    position p = {data, (size_t)lookup};
    for (int64_t k = 0; k < e->blocks; k++) {
        const int64_t n = k == e->blocks - 1 ? e->rows - k * e->rpb : e->rpb;
        const int64_t offset = read_int(&p, 8);
        facts->stored_nbytes += read_int(&p, 4);
        facts->inflated_nbytes += read_int(&p, 4);
        if (s == SHAPE_BITS || strcmp(facts->compression, "none") != 0)
            continue;
        facts->in_place_blocks++;
        facts->aligned_blocks += is_aligned(s, width, offset, n);
    }
}

/* One entry of the TOC (idv:3.1). */
static void add_column(expected *e, position *p, uint64_t version)
{
    static const char *const compressions[] = {"none", "deflate", "zlib"};
    int64_t width = 1;
    read_str(p);
    const shape s = read_codec(p, &width);
    const uint64_t compression = (uint64_t)read_int(p, 1);
    e->rpb = (int64_t)read_leb(p);
    e->blocks = e->rows > 0 && e->rpb > 0 ? (e->rows - 1) / e->rpb + 1 : 0;
    const int64_t lookup = read_int(p, 8);
    if (version == VERSION(3) && read_int(p, 8) > 0)
        p->at += 12;
    if (version > VERSION(3))
        p->at += 8;
    if (s == SHAPE_DEAD || compression > 2) {
        e->dead++;
        return;
    }
    cr_assert_lt(e->columns, COLUMNS_MAX);
    dv_column_facts *facts = &e->column[e->columns++];
    *facts = (dv_column_facts){.blocks = e->blocks, .compression = compressions[compression]};
    add_blocks(e, p->data, lookup, facts, s, width);
}

static void read_tables(expected *e, const uint8_t *data)
{
    position p = {data, 8};
    *e = (expected){0};
    const uint64_t version = (uint64_t)read_int(&p, 8);
    p.at = 24;
    const size_t toc = (size_t)read_int(&p, 8);
    p.at = 40;
    e->rows = read_int(&p, 8);
    const int64_t columns = read_int(&p, 4);
    p.at = toc;
    for (int64_t i = 0; i < columns; i++)
        add_column(e, &p, version);
}

/* --- Golden files --- */

/* Open a file and return its facts. The caller frees them. */
static dv_facts *inspect(const char *path, dv_io io)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_facts *facts;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    cr_assert_eq(dv_open(&view, path, &how, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    return facts;
}

static void expect_column(const char *path, int32_t i, const dv_column_facts *is,
                          const dv_column_facts *want)
{
    cr_expect_eq(is->blocks, want->blocks, "%s, column %d", path, i);
    cr_expect_eq(is->stored_nbytes, want->stored_nbytes, "%s, column %d", path, i);
    cr_expect_eq(is->inflated_nbytes, want->inflated_nbytes, "%s, column %d", path, i);
    cr_expect_eq(is->in_place_blocks, want->in_place_blocks, "%s, column %d", path, i);
    cr_expect_eq(is->aligned_blocks, want->aligned_blocks, "%s, column %d", path, i);
    cr_expect_str_eq(is->compression, want->compression, "%s, column %d", path, i);
}

static int64_t in_place, aligned; /* blocks seen; the test fails if there are none */

static void check_golden(const dvt_golden *golden)
{
    static expected want;
    size_t nbytes;
    uint8_t *bytes = dvt_file_read(golden->path, &nbytes);
    read_tables(&want, bytes);
    free(bytes);
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_facts *facts = inspect(golden->path, (dv_io)io);
        cr_expect_str_eq(facts->format, "idv");
        cr_expect_eq(facts->file_nbytes, (int64_t)nbytes, "%s", golden->path);
        cr_expect_eq(facts->rows, want.rows, "%s", golden->path);
        cr_expect_eq(facts->rows_per_block, want.rpb, "%s", golden->path);
        cr_expect_eq(facts->blocks_per_column, want.blocks, "%s", golden->path);
        cr_expect_eq(facts->dead_columns, want.dead, "%s", golden->path);
        cr_expect_geq(facts->warnings, want.dead, "%s", golden->path);
        cr_assert_eq(facts->columns, want.columns, "%s", golden->path);
        for (int32_t i = 0; i < want.columns; i++) {
            expect_column(golden->path, i, &facts->column[i], &want.column[i]);
            in_place += facts->column[i].in_place_blocks;
            aligned += facts->column[i].aligned_blocks;
        }
        dv_facts_free(&facts);
        cr_expect_null(facts);
    }
}

Test(idv_inspect, facts_are_those_of_the_tables)
{
    cr_expect_gt(dvt_golden_each(check_golden), FILES_MIN);
    cr_expect(aligned > 100 && in_place - aligned > 100, "%d of %d blocks are aligned",
              (int)aligned, (int)in_place);
}

/* --- Files known byte by byte --- */

static dv_facts *inspect_crafted(const char *name)
{
    const dvt_path folder = dvt_test_path("golden/idv-crafted"), path = dvt_path_in(&folder, name);
    return inspect(path.text, DV_IO_MMAP);
}

/* The file of idv:9.4; its version is 1.1.1.5. */
Test(idv_inspect, facts_of_the_worked_example)
{
    dv_facts *facts = inspect_crafted("version-1115.idv");
    const dv_column_facts x = {2, 12, 12, 2, 2, "none"}, s = {2, 26, 26, 2, 2, "none"};
    cr_expect_str_eq(facts->version, "1.1.1.5");
    cr_expect_eq(facts->file_nbytes, 458);
    cr_expect_eq(facts->rows, 3);
    cr_expect_eq(facts->rows_per_block, 2);
    cr_expect_eq(facts->blocks_per_column, 2);
    cr_expect(facts->columns == 2 && facts->dead_columns == 0 && facts->warnings == 0);
    expect_column("version-1115.idv", 0, &facts->column[0], &x);
    expect_column("version-1115.idv", 1, &facts->column[1], &s);
    dv_facts_free(&facts);
}

Test(idv_inspect, version_of_a_file_for_older_readers)
{
    dv_facts *facts = inspect_crafted("version-9999-compat-1114.idv");
    cr_expect_str_eq(facts->version, "9.9.9.9 (readable since 1.1.1.4)");
    dv_facts_free(&facts);
}

Test(idv_inspect, aligned_blocks_where_a_writer_took_care)
{
    dv_facts *facts = inspect_crafted("layout-aligned-4096.idv");
    for (int32_t i = 0; i < facts->columns; i++)
        cr_expect_eq(facts->column[i].aligned_blocks, facts->column[i].blocks, "column %d", i);
    dv_facts_free(&facts);
}

Test(idv_inspect, rows_without_columns)
{
    dv_facts *facts = inspect_crafted("no-columns.idv");
    cr_expect(facts->rows == 5 && facts->columns == 0 && facts->dead_columns == 0);
    cr_expect(facts->rows_per_block == 0 && facts->blocks_per_column == 0);
    dv_facts_free(&facts);
}

/* --- Warnings --- */

Test(idv_inspect, metadata_that_cannot_be_read)
{
    dv_facts *facts = inspect_crafted("dead-metadata.idv");
    cr_expect(facts->dead_columns == 0 && facts->dead_metadata == 1 && facts->warnings == 1);
    dv_facts_free(&facts);
    facts = inspect_crafted("dead-inner.idv");
    cr_expect(facts->dead_columns == 1 && facts->dead_metadata == 0);
    dv_facts_free(&facts);
}

static void expect_warning(const char *name, int32_t dead, int32_t i, const char *first,
                           const char *second)
{
    dv_facts *facts = inspect_crafted(name);
    cr_expect_eq(facts->dead_columns, dead, "%s", name);
    cr_assert_gt(facts->warnings, i, "%s", name);
    cr_expect(strstr(facts->warning[i], first) && strstr(facts->warning[i], second), "%s: %s", name,
              facts->warning[i]);
    dv_facts_free(&facts);
}

Test(idv_inspect, warnings_name_what_is_skipped)
{
    expect_warning("dead-codec.idv", 2, 0, "\"d\"", "codec \"Mystery\"");
    expect_warning("dead-codec.idv", 2, 1, "\"e\"", "codec \"Mystery2\"");
    expect_warning("dead-inner.idv", 1, 0, "\"d\"", "codec \"Mystery\"");
    expect_warning("dead-compression.idv", 1, 0, "\"d\"", "compression 77");
    expect_warning("dead-metadata.idv", 0, 0, "\"B\"", "\"x\"");
}

/* Regression: ML.NET dropped the old names of the row id codec and skips such a column. We read it
 * without a warning, so two readers saw different tables. */
Test(idv_inspect, warnings_name_what_others_skip)
{
    expect_warning("old-rowid.idv", 0, 0, "old name of the row id codec", "ML.NET");
    expect_warning("old-uint128.idv", 0, 0, "old name of the row id codec", "ML.NET");
}

/* A file without rows whose columns cannot be read, byte for byte. */
static size_t make_dead(uint8_t *file, uint32_t columns)
{
    static const uint8_t entry[] = "\1d\4Nope\0\0\1" /* codec, compression, rpb; offsets: */
                                   "\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const size_t nbytes = sizeof entry - 1, toc = 256, tail = toc + columns * nbytes;
    const uint64_t words[] = {
        UINT64_C(0x00425644004C4D43), VERSION(6), VERSION(6), toc, tail, 0, columns};
    memset(file, 0, toc);
    memcpy(file, words, sizeof words);
    for (size_t i = 0; i < columns; i++)
        memcpy(file + toc + i * nbytes, entry, nbytes);
    for (size_t i = 0; i < 8; i++)
        file[tail + i] = file[7 - i];
    return tail + 8;
}

static bool count_defect(void *ctx, const dv_error *what)
{
    int *defects = ctx;
    *defects += what->status == DV_ERR_UNSUPPORTED;
    return true;
}

static void expect_capped(uint32_t columns)
{
    static uint8_t file[8192];
    const size_t nbytes = make_dead(file, columns);
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.allocator = &counted.allocator;
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_facts *facts;
    cr_assert_eq(dv_open_memory(&view, file, nbytes, NULL, NULL, "dead.idv", &how, &err), DV_OK,
                 "%s", err.message);
    dv_facts *brief;
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_inspect_briefly(&brief, view, &err), DV_OK, "%s", err.message);
    int defects = 0;
    dv_verify_options verify = DV_VERIFY_OPTIONS_INIT;
    verify.defect = count_defect;
    verify.ctx = &defects;
    cr_expect_eq(dv_verify(view, &verify, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    cr_expect_eq(defects, facts->warnings);
    cr_expect_eq(facts->dead_columns, (int32_t)columns);
    cr_expect_eq(brief->dead_columns, facts->dead_columns);
    cr_expect_eq(brief->warnings, facts->warnings);
    dv_facts_free(&brief);
    if (columns <= 64) {
        cr_expect_eq(facts->warnings, (int32_t)columns);
    } else {
        char more[16];
        snprintf(more, sizeof more, "%u more", columns - 64);
        cr_assert_eq(facts->warnings, 65);
        cr_expect(strstr(facts->warning[64], more), "%s", facts->warning[64]);
    }
    dv_facts_free(&facts);
    cr_expect_eq((int)counted.live, 0);
}

Test(idv_inspect, warnings_are_capped)
{
    expect_capped(1);
    expect_capped(64);
    expect_capped(65);
    expect_capped(200);
}

/* --- Failures --- */

static void expect_failure(const char *name, const char *rule, int64_t offset)
{
    const dvt_path folder = dvt_test_path("malformed/idv"), path = dvt_path_in(&folder, name);
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_facts *facts;
    cr_assert_eq(dv_open(&view, path.text, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_inspect(&facts, view, &err), DV_ERR_CORRUPT);
    cr_expect_null(facts);
    cr_expect_str_eq(err.rule, rule);
    cr_expect_eq(err.offset, offset);
    cr_expect(*err.expected && *err.found && *err.file && strstr(err.message, "column \"t\""), "%s",
              err.message);
    dv_view_release(&view);
}

Test(idv_inspect, a_wrong_table_is_reported)
{
    expect_failure("stored_negative.CORRUPT.L2@276.idv", "idv:L2", 276);
    expect_failure("inflated_negative.CORRUPT.L3@280.idv", "idv:L3", 280);
    expect_failure("block_negative.CORRUPT.L4@268.idv", "idv:L4", 268);
    expect_failure("inflated_1033_times.CORRUPT.6@279.idv", "idv:6", 279);
}

/* --- Brief facts --- */

static void expect_brief(dv_view *view, int64_t rows_per_block)
{
    dv_error err = DV_ERROR_INIT;
    dv_facts *facts;
    cr_assert_eq(dv_inspect_briefly(&facts, view, &err), DV_OK, "%s", err.message);
    cr_expect_eq(facts->columns, dv_schema_columns(dv_view_schema(view)));
    for (int32_t i = 0; i < facts->columns; i++) {
        cr_expect_eq(facts->column[i].blocks, -1);
        cr_expect_str_empty(facts->column[i].compression);
    }
    cr_expect_eq(facts->rows_per_block, rows_per_block);
    cr_expect_gt(facts->file_nbytes, 0);
    cr_expect_str_eq(facts->format, "idv");
    dv_facts_free(&facts);
}

/* The table of this file is wrong. */
Test(idv_inspect, brief_facts_read_no_table)
{
    const dvt_path folder = dvt_test_path("malformed/idv"),
                   path = dvt_path_in(&folder, "stored_negative.CORRUPT.L2@276.idv");
    dv_error err = DV_ERROR_INIT;
    dv_view *view, *slice, *both;
    dv_facts *facts;
    cr_assert_eq(dv_open(&view, path.text, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_slice(&slice, view, 0, 1, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_concat(&both, (dv_view *[]){view, slice}, 2, NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dv_inspect(&facts, both, &err), DV_ERR_CORRUPT);
    cr_assert_eq(dv_inspect_briefly(&facts, view, &err), DV_OK, "%s", err.message);
    const int64_t rows_per_block = facts->rows_per_block;
    dv_facts_free(&facts);
    expect_brief(view, rows_per_block);
    expect_brief(slice, rows_per_block);
    expect_brief(both, rows_per_block);
    dv_view_release(&both);
    dv_view_release(&slice);
    dv_view_release(&view);
}

Test(idv_inspect, no_facts_to_free)
{
    dv_facts *none = NULL;
    dv_facts_free(&none);
    cr_expect_null(none);
}
