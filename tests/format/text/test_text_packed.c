/* SPDX-License-Identifier: MIT */
/* test_text_packed.c: text packed by gzip or zstd gives the rows of the text itself. */
#include "support/allocator.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/packed.h"
#include "support/pipe.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/inspect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MIB (INT64_C(1) << 20)

/* Where the bytes are. */
typedef enum place { MEMORY, MAPPED, READ, PIPED, PLACES } place;

typedef struct opened {
    dv_view *view;
    dvt_path folder;
    dvt_pipe pipe;
    bool has_pipe;
} opened;

static dv_status open_at(opened *o, place where, const char *name, const dvt_lines *bytes,
                         const char *text, const dv_open_options *how, dv_error *err)
{
    dv_open_options options = how ? *how : (dv_open_options)DV_OPEN_OPTIONS_INIT;
    *o = (opened){.view = NULL};
    *err = (dv_error)DV_ERROR_INIT;
    options.text = text;
    options.io = where == READ ? DV_IO_PREAD : DV_IO_AUTO;
    if (where == MEMORY)
        return dv_open_memory(&o->view, bytes->data, bytes->nbytes, NULL, NULL, name, &options,
                              err);
    if (where == PIPED) {
        o->has_pipe = true;
        o->pipe = dvt_pipe_of(bytes->data, bytes->nbytes, 9973);
        return dv_open(&o->view, o->pipe.path, &options, err);
    }
    o->folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&o->folder, name);
    dvt_file_write(&path, bytes->data, bytes->nbytes);
    return dv_open(&o->view, path.text, &options, err);
}

static void close_at(opened *o)
{
    dv_view_release(&o->view);
    if (o->has_pipe)
        dvt_pipe_close(&o->pipe);
    dvt_folder_remove(&o->folder);
}

static const char *name_of(dvt_packing packing)
{
    return packing == DVT_GZIP ? "x.csv.gz" : "x.csv.zst";
}

static dvt_lines pack(dvt_packing packing, const void *data, size_t nbytes)
{
    dvt_lines packed = {0};
    dvt_pack(&packed, packing, data, nbytes);
    return packed;
}

static void expect_rows(dv_view *view, const char *want)
{
    dvt_lines got = {0};
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvt_text_rows(&got, view, NULL, &err), DV_END, "%s", err.message);
    cr_expect_str_eq(got.data ? got.data : "", want);
    dvt_lines_free(&got);
}

/* --- The same rows ---------------------------------------------------------------------------- */

static const struct {
    const char *text, *file;
    size_t nbytes; /* 0: to the NUL */
} tables[] = {
    {"col=A:I4:0 col=B:TX:1", "1\ta\n2\tb\n3\tc", 0},
    {"sep=comma header+ multilines+ col=A:R4:0-* ", "a,b\n1,2\n\"3\n\",4\n5,6\n", 0},
    {"", "#@ Text{ sep=comma col=A:TX:0 col=B:R4:1-** }\nx,1,2\ny\nz,3\n", 0},
    {"col=A:TX:0",
     "\xFF\xFE"
     "a\0\n\0b\0",
     8},
    {"col=A:TX:0", "\n\r\n# nothing\n", 0},
    {NULL, "id,name\n1,a\n2,b\n", 0},
    {"auto narrow+", "id,name\n1,a\n2,b\n", 0},
};

Test(text_packed, rows_are_those_of_the_text)
{
    for (size_t i = 0; i < COUNT(tables); i++) {
        const size_t n = tables[i].nbytes ? tables[i].nbytes : strlen(tables[i].file);
        dv_error err = DV_ERROR_INIT;
        dvt_lines want = {0};
        dv_view *plain = dvt_text_open(tables[i].text, tables[i].file, n, NULL, &err);
        cr_assert_not_null(plain, "%s", err.message);
        cr_assert_eq(dvt_text_rows(&want, plain, NULL, NULL), DV_END);
        for (int k = 0; k < (int)DVT_PACKINGS * (int)PLACES; k++) {
            const dvt_packing packing = (dvt_packing)(k % DVT_PACKINGS);
            const place where = (place)(k / DVT_PACKINGS);
            dvt_lines packed = pack(packing, tables[i].file, n), got = {0};
            opened o;
            if (dvt_can_unpack(packing)) {
                cr_assert_eq(
                    open_at(&o, where, name_of(packing), &packed, tables[i].text, NULL, &err),
                    DV_OK, "table %zu, %d: %s", i, k, err.message);
                cr_expect_eq(dv_view_rows(o.view), DV_ROWS_UNKNOWN);
                cr_expect_eq(dvt_text_rows(&got, o.view, NULL, &err), DV_END, "%s", err.message);
                cr_expect(dv_text_equal(dvt_lines_text(&got), dvt_lines_text(&want)),
                          "table %zu, %d: %s", i, k, got.data);
                cr_expect_eq(dv_view_rows(o.view), dv_view_rows(plain));
                const char *proposal = dv_view_proposal(plain), *own = dv_view_proposal(o.view);
                cr_expect_str_eq(own ? own : "", proposal ? proposal : "");
                close_at(&o);
            }
            dvt_lines_free(&packed);
            dvt_lines_free(&got);
        }
        dv_view_release(&plain);
        dvt_lines_free(&want);
    }
}

/* A file is read from its start by every cursor; a pipe once. */
Test(text_packed, a_file_is_read_any_number_of_times)
{
    static const char text[] = "1\n2\n3\n";
    dvt_lines packed = pack(DVT_GZIP, text, strlen(text));
    for (place where = MEMORY; where < PLACES && dvt_can_unpack(DVT_GZIP); where++) {
        opened o;
        dv_error err;
        dvt_lines again = {0};
        cr_assert_eq(open_at(&o, where, "x", &packed, "col=A:I4:0", NULL, &err), DV_OK, "%s",
                     err.message);
        expect_rows(o.view, "1\n2\n3\n");
        cr_expect_eq(dvt_text_rows(&again, o.view, NULL, &err), where == PIPED ? DV_ERR_IO : DV_END,
                     "%s", err.message);
        dvt_lines_free(&again);
        close_at(&o);
    }
    dvt_lines_free(&packed);
}

/* A token names a row of the text, and the file that is packed. */
Test(text_packed, a_token_leads_back_to_its_row)
{
    static const char text[] = "1\n2\n3\n4\n";
    dvt_lines packed = pack(DVT_GZIP, text, strlen(text)), rest = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_token token;
    opened o;
    dv_error err;
    if (!dvt_can_unpack(DVT_GZIP))
        cr_skip_test("this build lacks zlib");
    cr_assert_eq(open_at(&o, MAPPED, "x.txt.gz", &packed, "col=A:I4:0", NULL, &err), DV_OK);
    options.batch_rows = 3;
    cr_assert_eq(dv_cursor_open(&cursor, o.view, &options, &err), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_assert_eq(dv_cursor_token(cursor, &token, &err), DV_OK, "%s", err.message);
    dv_cursor_close(&cursor);
    options.token = token.text;
    cr_expect_eq(dvt_text_rows(&rest, o.view, &options, &err), DV_END, "%s", err.message);
    cr_expect_str_eq(rest.data, "4\n");
    close_at(&o);
    dvt_lines_free(&rest);
    dvt_lines_free(&packed);
}

/* --- Members ---------------------------------------------------------------------------------- */

Test(text_packed, several_members_and_zeros_after_them)
{
    static const char *const parts[] = {"1\n2", "", "3\n4\n", "5\n"};
    for (int packing = 0; packing < DVT_PACKINGS; packing++) {
        dvt_lines packed = {0};
        opened o;
        dv_error err;
        for (size_t i = 0; i < COUNT(parts); i++)
            dvt_pack(&packed, (dvt_packing)packing, parts[i], strlen(parts[i]));
        if (packing == DVT_GZIP)
            dvt_lines_add(&packed, "\0\0\0\0\0\0\0\0\0\0\0\0", 12); /* as on a tape */
        else
            dvt_lines_add(&packed, "\x5A\x2A\x4D\x18\x03\0\0\0abc", 11); /* to be skipped */
        if (dvt_can_unpack((dvt_packing)packing)) {
            cr_assert_eq(open_at(&o, MEMORY, "x", &packed, "col=A:I4:0", NULL, &err), DV_OK);
            expect_rows(o.view, "1\n23\n4\n5\n");
            close_at(&o);
        }
        dvt_lines_free(&packed);
    }
}

/* Read all that can be read; the status at the end. */
static dv_status read_whole(const dvt_lines *packed, size_t n, dvt_lines *rows, dv_error *err)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_view *view;
    options.text = "col=A:TX:0";
    options.format = "text";
    *err = (dv_error)DV_ERROR_INIT;
    dv_status status = dv_open_memory(&view, packed->data, n, NULL, NULL, "x.gz", &options, err);
    if (status == DV_OK)
        status = dvt_text_rows(rows, view, NULL, err);
    dv_view_release(&view);
    return status;
}

static void expect_corrupt(const dvt_lines *packed, size_t n, int64_t offset, const char *message)
{
    dvt_lines rows = {0};
    dv_error err;
    cr_expect_eq(read_whole(packed, n, &rows, &err), DV_ERR_CORRUPT, "%zu: %s", n, err.message);
    cr_expect_eq(err.offset, offset, "%s", err.message);
    cr_expect_str_eq(err.file, "x.gz");
    cr_expect(strstr(err.message, message), "%s", err.message);
    dvt_lines_free(&rows);
}

Test(text_packed, cut_off_anywhere)
{
    static const char text[] = "one\ntwo\nthree\n";
    for (int packing = 0; packing < DVT_PACKINGS; packing++) {
        dvt_lines packed = pack((dvt_packing)packing, text, strlen(text));
        const size_t magic = packing == DVT_GZIP ? 3 : 4;
        for (size_t n = magic; n < packed.nbytes && dvt_can_unpack((dvt_packing)packing); n++)
            expect_corrupt(&packed, n, (int64_t)n, "found the end of the file");
        dvt_lines_free(&packed);
    }
}

/* A member has a sum of its text, so no other text comes out of it. */
Test(text_packed, every_byte_that_is_wrong)
{
    static const char text[] = "one\ntwo\nthree\nfour, five and six\n";
    static const char want[] = "\"one\"\n\"two\"\n\"three\"\n\"four, five and six\"\n";
    dvt_lines packed = pack(DVT_GZIP, text, strlen(text));
    int refused = 0;
    for (size_t i = 3; i < packed.nbytes && dvt_can_unpack(DVT_GZIP); i++) {
        dvt_lines rows = {0};
        dv_error err;
        packed.data[i] ^= 0x55;
        const dv_status status = read_whole(&packed, packed.nbytes, &rows, &err);
        cr_expect(status == DV_END || status == DV_ERR_CORRUPT, "byte %zu: %s", i, err.message);
        if (status == DV_END)
            cr_expect_str_eq(rows.data, want, "byte %zu", i);
        refused += status != DV_END;
        packed.data[i] ^= 0x55;
        dvt_lines_free(&rows);
    }
    cr_expect(refused > 20 || !dvt_can_unpack(DVT_GZIP), "%d", refused);
    dvt_lines_free(&packed);
}

Test(text_packed, other_bytes_after_the_last_member)
{
    dvt_lines packed = pack(DVT_GZIP, "1\n", 2);
    const int64_t end = (int64_t)packed.nbytes;
    if (!dvt_can_unpack(DVT_GZIP) || !dvt_can_unpack(DVT_ZSTD))
        cr_skip_test("this build lacks zlib or libzstd");
    dvt_lines_add(&packed, "garbage", 7);
    expect_corrupt(&packed, packed.nbytes, end, "expected another one, zeros, or the end");
    packed.nbytes = (size_t)end;
    dvt_lines_add(&packed, "\0\0\0x", 4);
    expect_corrupt(&packed, packed.nbytes, end + 3, "expected zeros, or the end");
    packed.nbytes = (size_t)end;
    dvt_lines_add(&packed, "\0\0\0", 3);
    dvt_pack(&packed, DVT_GZIP, "2\n", 2);
    expect_corrupt(&packed, packed.nbytes, end + 3, "expected zeros, or the end");
    packed.nbytes = (size_t)end;
    dvt_lines_add(&packed, "\x1F\x8B\x07\0\0\0", 6); /* no such method */
    expect_corrupt(&packed, packed.nbytes, end + 4, "unknown compression method");
    dvt_lines_free(&packed);

    packed = pack(DVT_ZSTD, "1\n", 2);
    const int64_t frame = (int64_t)packed.nbytes;
    dvt_lines_add(&packed, "garbage", 7);
    expect_corrupt(&packed, packed.nbytes, frame, "expected a sound frame");
    dvt_lines_free(&packed);
}

/* --- Limits ----------------------------------------------------------------------------------- */

Test(text_packed, the_window_has_a_limit)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dvt_lines packed = {0};
    opened o;
    dv_error err;
    if (!dvt_can_unpack(DVT_ZSTD))
        cr_skip_test("this build lacks libzstd");
    dvt_zstd_begin(&packed, 20);
    dvt_zstd_block(&packed, "1\n2\n", 4, true);
    how.window_nbytes = (1 << 20) - 1; /* rounded down to 2^19 */
    cr_expect_eq(open_at(&o, MEMORY, "x", &packed, "col=A:I4:0", &how, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "window_nbytes");
    cr_expect(strstr(err.message, "at most 524288 bytes (option window_nbytes)"), "%s",
              err.message);
    how.window_nbytes = 1 << 20;
    cr_assert_eq(open_at(&o, MEMORY, "x", &packed, "col=A:I4:0", &how, &err), DV_OK);
    expect_rows(o.view, "1\n2\n");
    close_at(&o);
    how.window_nbytes = 0;
    cr_expect_eq(open_at(&o, MEMORY, "x", &packed, "col=A:I4:0", &how, &err), DV_ERR_ARGUMENT);
    dvt_lines_free(&packed);

    /* the header of 2^31, which the default refuses; nothing of that size is allocated */
    dvt_zstd_begin(&packed, 31);
    dvt_zstd_block(&packed, "1\n", 2, true);
    cr_expect_eq(open_at(&o, MEMORY, "x", &packed, "col=A:I4:0", NULL, &err), DV_ERR_LIMIT);
    dvt_lines_free(&packed);
}

static int64_t count_rows(dv_view *view, int threads)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    int64_t rows = 0;
    dv_status status;
    options.threads = threads;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(status, DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
    return rows;
}

/* 64 MiB in 65 KB, with and without a thread that unpacks ahead, and by `narrow+`, which reads all
 * of it to find the type. */
Test(text_packed, a_bomb_takes_little_memory)
{
    const size_t n = (size_t)(64 * MIB);
    char *text = malloc(n);
    dvt_lines packed = {0};
    if (!dvt_can_unpack(DVT_GZIP))
        cr_skip_test("this build lacks zlib");
    memset(text, '7', n);
    for (size_t i = 31; i < n; i += 32)
        text[i] = '\n';
    dvt_pack(&packed, DVT_GZIP, text, n);
    free(text);
    cr_expect_lt(packed.nbytes, (size_t)MIB);
    for (int i = 0; i < 4; i++) {
        dvt_allocator counted;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        opened o;
        dv_error err;
        dvt_allocator_init(&counted, 0);
        how.allocator = &counted.allocator;
        cr_assert_eq(open_at(&o, i < 3 ? MAPPED : PIPED, "x.txt.gz", &packed,
                             i == 2 ? "auto narrow+" : "auto", &how, &err),
                     DV_OK, "%s", err.message);
        cr_expect_eq(count_rows(o.view, i == 1 ? 4 : 1), (int64_t)n / 32);
        cr_expect_lt(counted.highest, 24 * MIB);
        close_at(&o);
        cr_expect_eq(counted.live, 0);
    }
    dvt_lines_free(&packed);
}

/* 1 GiB without a line end. */
Test(text_packed, a_line_without_end)
{
    dvt_allocator counted;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dvt_lines packed = {0}, rows = {0};
    opened o;
    dv_error err;
    if (!dvt_can_unpack(DVT_ZSTD))
        cr_skip_test("this build lacks libzstd");
    dvt_zstd_begin(&packed, 17);
    for (int i = 0; i < 8192; i++)
        dvt_zstd_repeat(&packed, 'x', 128 << 10, i == 8191);
    dvt_allocator_init(&counted, 0);
    how.allocator = &counted.allocator;
    how.cursor_nbytes = 2 * MIB;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(open_at(&o, MEMORY, "x.txt.zst", &packed, "col=A:TX:0", &how, &err), DV_OK);
        cr_expect_eq(dvt_text_rows(&rows, o.view, NULL, &err), DV_ERR_LIMIT);
        cr_expect_str_eq(err.rule, i == 0 ? "cursor_nbytes" : "line_nbytes");
        close_at(&o);
        how.line_nbytes = 1 * MIB;
    }
    cr_expect_eq(open_at(&o, MEMORY, "x.txt.zst", &packed, NULL, &how, &err), DV_ERR_CORRUPT);
    cr_expect(strstr(err.message, "in lines of at most"), "%s", err.message);
    cr_expect_lt(counted.highest, 40 * MIB);
    cr_expect_eq(counted.live, 0);
    dvt_lines_free(&packed);
}

/* --- What is packed must be text -------------------------------------------------------------- */

static void expect_no_text(const void *data, size_t n, const char *message)
{
    dvt_lines packed = pack(DVT_GZIP, data, n);
    opened o;
    dv_error err;
    cr_expect_eq(open_at(&o, MEMORY, "x.gz", &packed, NULL, NULL, &err), DV_ERR_UNSUPPORTED);
    cr_expect(strstr(err.message, message), "%s", err.message);
    dvt_lines_free(&packed);
}

Test(text_packed, other_files_are_named)
{
    const dvt_path idv = dvt_test_path("golden/idv/rows-1.idv");
    size_t n;
    uint8_t *data = dvt_file_read(idv.text, &n);
    dvt_lines twice = pack(DVT_GZIP, "a,b\n1,2\n", 8);
    if (!dvt_can_unpack(DVT_GZIP))
        cr_skip_test("this build lacks zlib");
    expect_no_text(data, n, "expected text, found idv, packed: unpack it");
    expect_no_text(twice.data, twice.nbytes, "found a gzip file, packed; unpack it: gzip -d FILE");
    expect_no_text("\x01\0\x02\0\x03 and so on", 16, "binary data of an unknown kind, packed");
    expect_no_text("{\"a\":1}\n{\"a\":2}\n", 16, "JSON lines, packed");
    free(data);
    dvt_lines_free(&twice);
}

/* The extension before that of the packing counts, and none is needed. */
Test(text_packed, formats_of_packed_files)
{
    static const struct {
        const char *name, *content, *format;
    } files[] = {{"x.csv.gz", "a,b\n1,2\n", "text"},
                 {"x.gz", "a,b\n1,2\n", NULL},
                 {"x.gz", "#@ Text{ col=A:TX:0 }\n1\n", "text"},
                 {"x.idv.gz", "a,b\n1,2\n", "idv"},
                 {"x.csv.gz", "%PDF-1.7 and so on", NULL}};
    for (size_t i = 0; i < COUNT(files) && dvt_can_unpack(DVT_GZIP); i++) {
        dvt_lines packed = pack(DVT_GZIP, files[i].content, strlen(files[i].content));
        dvt_path folder = dvt_folder_create();
        const dvt_path path = dvt_path_in(&folder, files[i].name);
        const char *format = "";
        dvt_file_write(&path, packed.data, packed.nbytes);
        cr_expect_eq(dv_open_format(&format, path.text, NULL, NULL),
                     files[i].format ? DV_OK : DV_NOT_FOUND, "%zu", i);
        cr_expect_str_eq(format ? format : "", files[i].format ? files[i].format : "", "%zu", i);
        dvt_file_resize(&path, 12); /* what cannot be unpacked has no known format */
        cr_expect_eq(dv_open_format(&format, path.text, NULL, NULL), DV_NOT_FOUND);
        dvt_folder_remove(&folder);
        dvt_lines_free(&packed);
    }
}

Test(text_packed, propose)
{
    static const char text[] = "id,name\n1,a\n2,b\n";
    for (int i = 0; i < 2 && dvt_can_unpack(DVT_GZIP); i++) {
        dvt_lines packed = pack(DVT_GZIP, text, strlen(text));
        dvt_path folder = dvt_folder_create();
        const dvt_path path = dvt_path_in(&folder, "x.gz");
        dvt_pipe pipe = dvt_pipe_of(packed.data, packed.nbytes, 5);
        dv_buffer proposal;
        dv_error err = DV_ERROR_INIT;
        dvt_file_write(&path, packed.data, packed.nbytes);
        cr_expect_eq(dv_open_propose(&proposal, i ? pipe.path : path.text, NULL, &err), DV_OK, "%s",
                     err.message);
        cr_expect(strstr(proposal.data, "header+ col=id:I8:0 col=name:TX:1"));
        dv_buffer_release(&proposal);
        dvt_pipe_close(&pipe);
        dvt_folder_remove(&folder);
        dvt_lines_free(&packed);
    }
}

/* The facts are those of the file; so is its size. */
Test(text_packed, facts)
{
    dvt_lines packed = pack(DVT_GZIP, "1\nx\n", 4);
    dv_facts *facts;
    opened o;
    dv_error err;
    if (!dvt_can_unpack(DVT_GZIP))
        cr_skip_test("this build lacks zlib");
    cr_assert_eq(open_at(&o, MAPPED, "x.txt.gz", &packed, "col=A:I4:0", NULL, &err), DV_OK);
    cr_assert_eq(dv_inspect(&facts, o.view, &err), DV_OK);
    cr_expect_eq(facts->rows, 2);
    cr_expect_eq(facts->file_nbytes, (int64_t)packed.nbytes);
    cr_expect_str_eq(facts->io, "mmap");
    cr_expect_eq(facts->warnings, 1);
    dv_facts_free(&facts);
    close_at(&o);
    dvt_lines_free(&packed);
}

/* A build without a library names it, and says what to do. */
Test(text_packed, a_library_that_is_missing)
{
    for (int packing = 0; packing < DVT_PACKINGS; packing++) {
        dvt_lines packed = pack((dvt_packing)packing, "1\n", 2);
        opened o;
        dv_error err;
        if (!dvt_can_unpack((dvt_packing)packing)) {
            cr_expect_eq(
                open_at(&o, MAPPED, name_of((dvt_packing)packing), &packed, NULL, NULL, &err),
                DV_ERR_UNSUPPORTED);
            cr_expect(strstr(err.message, packing == DVT_GZIP ? "a build with zlib, found one "
                                                                "without: unpack the file (gzip -d"
                                                              : "a build with libzstd"),
                      "%s", err.message);
            close_at(&o);
        }
        dvt_lines_free(&packed);
    }
}

/* --- Allocations ------------------------------------------------------------------------------ */

/* Each allocation fails in turn.  A cursor that is asked again goes on. */
Test(text_packed, survives_each_allocation_that_fails)
{
    dvt_lines lines = {0}, want = {0};
    for (int i = 0; i < 20000; i++)
        dvt_lines_print(&lines, "%d,name %d\n", i, i % 7);
    dvt_lines packed = pack(DVT_GZIP, lines.data, lines.nbytes);
    if (!dvt_can_unpack(DVT_GZIP))
        cr_skip_test("this build lacks zlib");
    for (int64_t fail_at = 0, last = 1; fail_at <= last; fail_at += fail_at ? DVT_FAIL_STEP : 1) {
        dvt_allocator counted;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options rows = DV_CURSOR_OPTIONS_INIT;
        dvt_lines got = {0};
        opened o;
        dv_error err;
        dvt_allocator_init(&counted, fail_at);
        how.allocator = &counted.allocator;
        rows.threads = 2;
        dv_status status =
            open_at(&o, MAPPED, "x.csv.gz", &packed, "sep=, col=A:I4:0 col=B:TX:1", &how, &err);
        if (status == DV_OK)
            status = dvt_text_rows(&got, o.view, &rows, &err);
        if (status == DV_ERR_MEMORY)
            cr_expect_gt(fail_at, 0);
        else
            cr_expect_eq(status, DV_END, "%d: %s", (int)fail_at, err.message);
        if (fail_at == 0)
            want = got;
        else if (status == DV_END)
            cr_expect_eq(dvt_lines_hash(&got), dvt_lines_hash(&want), "%d", (int)fail_at);
        last = fail_at == 0 ? counted.asked : last;
        if (fail_at > 0)
            dvt_lines_free(&got);
        close_at(&o);
        cr_expect_eq(counted.live, 0, "%d", (int)fail_at);
    }
    dvt_lines_free(&want);
    dvt_lines_free(&lines);
    dvt_lines_free(&packed);
}
