/* SPDX-License-Identifier: MIT */
/* test_map_spool.c: a pipe that is spooled can be read as a file. */
#include "io/map.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/pipe.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

static dvi_map *open_pipe(const dvt_pipe *pipe, const dv_allocator *allocator)
{
    dvi_map *map = NULL;
    cr_assert_eq(dvi_map_open_stream(&map, pipe->path, allocator, NULL), DV_OK);
    return map;
}

static void expect_bytes(dvi_map *map, int64_t at, size_t n)
{
    dvi_memory *memory = NULL;
    dvi_span span;
    cr_assert_eq(dvi_map_span(map, at, n, &memory, &span, NULL), DV_OK);
    cr_expect(dvt_is_piped(span.data, n, at), "at %d", (int)at);
    dvi_memory_release(&memory);
}

Test(map_spool, bytes_in_any_order)
{
    static const int64_t all[] = {0, 1, 65536, 3 * MIB + 5};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dvt_pipe pipe = dvt_pipe_open(all[i], 9973);
        dvi_map *map = open_pipe(&pipe, NULL);
        int64_t known;
        cr_expect(dvi_map_is_once(map));
        cr_expect_eq(dvi_map_reach(map, 100, &known, NULL),
                     DV_OK); /* its beginning was looked at */
        cr_assert_eq(dvi_map_spool(&map, all[i] + 1, NULL), DV_OK);
        cr_expect_eq(dvi_map_nbytes(map), all[i]);
        cr_expect_str_eq(dvi_map_name(map), pipe.path);
        cr_expect(!dvi_map_is_stream(map) && !dvi_map_is_once(map) && dvi_map_was_stream(map));
        cr_expect_not(dvi_map_is_file(map)); /* its name leads elsewhere */
        for (int pass = 0; pass < 2; pass++)
            for (int64_t at = all[i] - 1; at >= 0; at -= 1 + all[i] / 7)
                expect_bytes(map, at, 1);
        dvi_map *same = map;
        cr_expect_eq(dvi_map_spool(&map, 1, NULL), DV_OK); /* no stream: nothing to do */
        cr_expect_eq(map, same);
        dvi_map_release(&map);
        dvt_pipe_close(&pipe);
    }
}

Test(map_spool, the_limit)
{
    for (int i = 0; i < 2; i++) {
        dvt_pipe pipe = dvt_pipe_open(MIB, 9973);
        dvi_map *map = open_pipe(&pipe, NULL);
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dvi_map_spool(&map, MIB - i, &err), i ? DV_ERR_LIMIT : DV_OK);
        if (i) {
            cr_expect_str_eq(err.rule, "spool_nbytes");
            cr_expect_str_eq(err.file, pipe.path);
        }
        dvi_map_release(&map);
        dvt_pipe_close(&pipe);
    }
}

Test(map_spool, no_room_for_the_temporary_file)
{
    dvt_pipe pipe = dvt_pipe_open(10, 1);
    dvi_map *map = open_pipe(&pipe, NULL);
    dv_error err = DV_ERROR_INIT;
    setenv("TMPDIR", "/no/such/folder", 1);
    cr_expect_eq(dvi_map_spool(&map, MIB, &err), DV_ERR_IO);
    unsetenv("TMPDIR");
    cr_expect_eq(err.os_code, ENOENT);
    cr_expect(strstr(err.message, "/no/such/folder: a temporary file"), "%s", err.message);
    dvi_map_release(&map);
    dvt_pipe_close(&pipe);
}

Test(map_spool, survives_each_allocation_that_fails)
{
    dv_status status = DV_ERR_MEMORY;
    for (int64_t fail_at = 1; status == DV_ERR_MEMORY; fail_at++) {
        dvt_allocator counted;
        dvt_pipe pipe = dvt_pipe_open(300000, 9973);
        dvi_map *map = NULL;
        dvt_allocator_init(&counted, fail_at);
        status = dvi_map_open_stream(&map, pipe.path, &counted.allocator, NULL);
        if (status == DV_OK)
            status = dvi_map_spool(&map, MIB, NULL);
        dvi_map_release(&map);
        dvt_pipe_close(&pipe);
        cr_expect_eq(counted.live, 0);
        cr_assert(status == DV_OK || status == DV_ERR_MEMORY);
    }
}

/* --- Views ------------------------------------------------------------------------------------ */

static int64_t count_rows(dv_view *view)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t rows = 0;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        rows += batch->rows;
    dv_cursor_close(&cursor);
    return status == DV_END ? rows : status;
}

Test(map_spool, a_view_of_a_pipe_is_read_twice)
{
    static const char text[] = "id,x\n1,2\n3,4\n";
    for (dv_spool spool = DV_SPOOL_NEVER; spool <= DV_SPOOL_ALWAYS; spool++) {
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        dvt_pipe pipe = dvt_pipe_of(text, sizeof text - 1, 3);
        options.spool = spool;
        cr_assert_eq(dv_open(&view, pipe.path, &options, &err), DV_OK, "%s", err.message);
        cr_expect_eq(count_rows(view), 2);
        cr_expect_eq(count_rows(view), spool == DV_SPOOL_ALWAYS ? 2 : DV_ERR_IO);
        dv_view_release(&view);
        dvt_pipe_close(&pipe);
    }
}

/* narrow+ reads all rows before the first one; .idv is read in any order. */
Test(map_spool, where_it_is_needed)
{
    static const char text[] = "id,x\n1,2\n3,4\n";
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    size_t n;
    options.spool = DV_SPOOL_NEEDED;
    options.text = "auto narrow+";
    dvt_pipe pipe = dvt_pipe_of(text, sizeof text - 1, 3);
    cr_assert_eq(dv_open(&view, pipe.path, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(count_rows(view), 2);
    cr_expect_eq(count_rows(view), 2);
    dv_view_release(&view);
    dvt_pipe_close(&pipe);

    char path[1024];
    snprintf(path, sizeof path, "%s/golden/idv/people.idv", getenv("DV_TEST_ROOT"));
    uint8_t *idv = dvt_file_read(path, &n);
    options.text = NULL;
    for (int i = 0; i < 2; i++) {
        pipe = dvt_pipe_of(idv, n, 1000);
        options.format = i ? "idv" : NULL;
        cr_assert_eq(dv_open(&view, pipe.path, &options, &err), DV_OK, "%s", err.message);
        cr_expect_eq(dv_view_rows(view), 600);
        cr_expect_eq(count_rows(view), 600);
        dv_view_release(&view);
        dvt_pipe_close(&pipe);
    }
    options.spool = (dv_spool)3;
    cr_expect_eq(dv_open(&view, path, &options, &err), DV_ERR_ARGUMENT);
    free(idv);
}
