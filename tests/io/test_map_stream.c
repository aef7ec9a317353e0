/* SPDX-License-Identifier: MIT */
/* test_map_stream.c: the bytes of a pipe arrive as written, once, in bounded memory. */
#include "io/map.h"
#include "support/allocator.h"
#include "support/pipe.h"
#include "support/test.h"
#include <errno.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

static dvi_map *open_pipe(const dvt_pipe *pipe, const dv_allocator *allocator)
{
    dvi_map *map = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_map_open_stream(&map, pipe->path, allocator, &err), DV_OK, "%s", err.message);
    cr_expect(dvi_map_is_stream(map));
    cr_expect_str_eq(dvi_map_name(map), pipe->path);
    return map;
}

/* A pipe, or a file, is read itself. */
static dv_status begin(dvi_map *map, dv_error *err)
{
    dvi_map *reading;
    const dv_status status = dvi_map_begin_reading(map, true, &reading, err);
    cr_expect_eq(reading, status == DV_OK ? map : NULL);
    dvi_map_release(&reading);
    return status;
}

/* Read span after span to the end; returns the number of bytes. */
static int64_t read_all(dvi_map *map, int64_t each)
{
    dvi_memory *memory = NULL;
    int64_t at = 0, end;
    for (;; at += each) {
        dvi_span span;
        cr_assert_eq(dvi_map_reach(map, at + each, &end, NULL), DV_OK);
        cr_assert_geq(end, at);
        const int64_t n = end - at < each ? end - at : each;
        cr_assert_eq(dvi_map_span(map, at, (size_t)n, &memory, &span, NULL), DV_OK);
        cr_expect_not(span.is_borrowed && n > 0);
        cr_assert(dvt_is_piped(span.data, span.nbytes, at), "at %d", (int)at);
        if (end <= at + each)
            break;
    }
    dvi_memory_release(&memory);
    return end;
}

Test(map_stream, bytes_come_however_they_were_written)
{
    static const struct {
        int64_t nbytes;
        size_t step;
    } all[] = {{0, 1}, {1, 1}, {3000, 1}, {100000, 7}, {65536, 65536}, {300000, 70001}};
    static const int64_t each[] = {1, 100, 65536, 1000000};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = all[i].nbytes > 3000; k < sizeof each / sizeof *each; k++) {
            dvt_pipe pipe = dvt_pipe_open(all[i].nbytes, all[i].step);
            dvi_map *map = open_pipe(&pipe, NULL);
            cr_expect_eq(dvi_map_nbytes(map), 0);
            cr_expect_eq(begin(map, NULL), DV_OK);
            cr_expect_eq(read_all(map, each[k]), all[i].nbytes);
            cr_expect_eq(dvi_map_nbytes(map), all[i].nbytes);
            cr_expect_eq(dvi_map_check(map, NULL), DV_OK);
            dvi_map_advise(map, 0, 1);
            dvi_map_release(&map);
            dvt_pipe_close(&pipe);
        }
}

/* Before dvi_map_begin_reading bytes can be read repeatedly, after it once. */
Test(map_stream, bytes_stay_until_reading_begins)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvt_pipe pipe = dvt_pipe_open(64 * MIB, 1 << 16);
    dvi_map *map = open_pipe(&pipe, &counted.allocator);
    dvi_memory *memory = NULL;
    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    int64_t end;
    cr_expect_eq(dvi_map_reach(map, 10 * MIB, &end, NULL), DV_OK);
    for (int64_t at = 10 * MIB - 10; at >= 0; at -= MIB) {
        cr_assert_eq(dvi_map_span(map, at, 10, &memory, &span, NULL), DV_OK);
        cr_expect(dvt_is_piped(span.data, 10, at));
    }
    dvi_memory_release(&memory);
    cr_expect_eq(begin(map, NULL), DV_OK);
    cr_expect_eq(read_all(map, MIB), 64 * MIB);
    cr_expect_lt(counted.highest, 40 * MIB);
    cr_expect_eq(dvi_map_span(map, 0, 1, &memory, &span, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ESPIPE);
    cr_expect(strstr(err.message, "first bytes are gone: save it into a file first"), "%s",
              err.message);
    err = (dv_error)DV_ERROR_INIT;
    cr_expect_eq(begin(map, &err), DV_ERR_IO);
    cr_expect(strstr(err.message, pipe.path), "%s", err.message);
    dvi_memory_release(&memory);
    dvi_map_release(&map);
    dvt_pipe_close(&pipe);
    cr_expect_eq(counted.live, 0);
}

Test(map_stream, a_file_is_read_any_number_of_times)
{
    dvi_map *map;
    int64_t end;
    cr_assert_eq(dvi_map_open_memory(&map, "abc", 3, NULL, NULL, "m", DV_IO_MMAP, NULL, NULL),
                 DV_OK);
    cr_expect_not(dvi_map_is_stream(map));
    cr_expect_eq(begin(map, NULL), DV_OK);
    cr_expect_eq(begin(map, NULL), DV_OK);
    cr_expect_eq(dvi_map_reach(map, 100, &end, NULL), DV_OK);
    cr_expect_eq(end, 3);
    dvi_map_release(&map);
}

/* A call that failed for lack of memory can be repeated. */
Test(map_stream, survives_each_allocation_that_fails)
{
    for (int64_t k = 1, failed = 1; failed > 0; k++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        dvt_pipe pipe = dvt_pipe_open(200000, 5000);
        dvi_map *map;
        dvi_memory *memory = NULL;
        dvi_span span;
        int64_t end = 0;
        failed = 0;
        while (dvi_map_open_stream(&map, pipe.path, &counted.allocator, NULL) == DV_ERR_MEMORY)
            failed++;
        while (dvi_map_reach(map, 200000, &end, NULL) == DV_ERR_MEMORY)
            failed++;
        while (dvi_map_span(map, 0, (size_t)end, &memory, &span, NULL) == DV_ERR_MEMORY)
            failed++;
        cr_expect_eq(end, 200000);
        cr_expect(dvt_is_piped(span.data, span.nbytes, 0));
        cr_expect(failed == 1 || counted.asked < k);
        dvi_memory_release(&memory);
        dvi_map_release(&map);
        dvt_pipe_close(&pipe);
        cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
    }
}

Test(map_stream, failures_of_the_system)
{
    dvi_map *map;
    int64_t end;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_map_open_stream(&map, "no-such", NULL, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOENT);
    cr_expect_null(map);
    err = (dv_error)DV_ERROR_INIT;
    cr_assert_eq(dvi_map_open_stream(&map, "/", NULL, NULL), DV_OK); /* cannot be read */
    cr_expect_eq(dvi_map_reach(map, 1, &end, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, EISDIR);
    cr_expect_eq(end, 0);
    dvi_map_release(&map);
}
