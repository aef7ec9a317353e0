/* SPDX-License-Identifier: MIT */
/* test_map_posix.c: reading a truncated mapped file is an error, never a signal, on any kernel. */
#include "base/compiler.h"
#include "io/map.h"
#include "support/file.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WINDOW ((size_t)2 << 20)
#define SMALL ((size_t)64 << 10)
#define POPULATE_READ 22 /* MADV_POPULATE_READ, which older headers lack */

static dvt_path folder;

/* Failures of the system: the functions below replace those of the C library. */
static struct {
    int populate_errno, pread_errno; /* how a call fails, */
    int populate_fails, pread_fails; /* and how often; -1: always */
    int populates, preads;           /* calls */
    size_t populate_longest;
    uintptr_t dropped, dropped_end; /* MADV_DONTNEED, from the first call to the last, */
    off_t forgotten, forgotten_end; /* and POSIX_FADV_DONTNEED; before: 0, and -1 */
} os;

static bool is_failing(int *times, int os_code)
{
    if (*times == 0)
        return false;
    errno = os_code;
    --*times;
    return true;
}

static int populate(void *address, size_t nbytes)
{
    os.populates++;
    if (nbytes > os.populate_longest)
        os.populate_longest = nbytes;
    if (is_failing(&os.populate_fails, os.populate_errno))
        return -1;
    return (int)syscall(SYS_madvise, address, nbytes, POPULATE_READ);
}

int madvise(void *address, size_t nbytes, int advice)
{
    if (advice == POPULATE_READ)
        return populate(address, nbytes);
    if (advice == MADV_DONTNEED) {
        os.dropped = os.dropped ? os.dropped : (uintptr_t)address;
        os.dropped_end = (uintptr_t)address + nbytes;
    }
    return (int)syscall(SYS_madvise, address, nbytes, advice);
}

int posix_fadvise(int fd, off_t offset, off_t nbytes, int advice)
{
    (void)fd;
    if (advice == POSIX_FADV_SEQUENTIAL)
        return 0;
    cr_expect_eq(advice, POSIX_FADV_DONTNEED);
    os.forgotten = os.forgotten >= 0 ? os.forgotten : offset;
    os.forgotten_end = offset + nbytes;
    return 0;
}

ssize_t pread(int fd, void *dst, size_t nbytes, off_t offset)
{
    os.preads++;
    if (is_failing(&os.pread_fails, os.pread_errno))
        return -1;
    DVI_WRITTEN(dst, nbytes);
    return syscall(SYS_pread64, fd, dst, nbytes, offset);
}

static void make_folder(void)
{
    memset(&os, 0, sizeof os);
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(map_posix, .init = make_folder, .fini = remove_folder, .timeout = 120);

static dvt_path new_file(const char *name, size_t nbytes)
{
    const dvt_path path = dvt_path_in(&folder, name);
    dvt_file_pattern(&path, nbytes);
    return path;
}

static dvi_map *open_map(const dvt_path *path)
{
    dvi_map *map;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_map_open(&map, path->text, DV_IO_MMAP, NULL, &err), DV_OK, "%s", err.message);
    return map;
}

static void expect_span(dvi_map *map, size_t offset, size_t nbytes)
{
    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_map_span(map, (int64_t)offset, nbytes, NULL, &span, &err), DV_OK, "%s",
                 err.message);
    cr_assert(dvt_is_pattern(span.data, nbytes, offset), "%zu bytes at %zu", nbytes, offset);
}

static void expect_failed_span(dvi_map *map, int os_code)
{
    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_map_span(map, 0, 1, NULL, &span, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, os_code);
    cr_expect_str_not_empty(err.file);
    cr_expect_null(span.data);
}

/* The file had nbytes and now ends at `now`: check the error of a call. */
static void expect_shrank(dv_status status, const dv_error *err, size_t nbytes, size_t now)
{
    char expected[32], found[32];
    snprintf(expected, sizeof expected, "%zu bytes", nbytes);
    snprintf(found, sizeof found, "%zu", now);
    cr_assert_eq(status, DV_ERR_IO, "%zu of %zu", now, nbytes);
    cr_assert_eq(err->status, DV_ERR_IO);
    cr_assert_eq(err->os_code, 0);
    cr_assert_eq(err->offset, (int64_t)now);
    cr_assert_str_eq(err->expected, expected);
    cr_assert_str_eq(err->found, found);
    cr_assert_not_null(strstr(err->message, "shrank"), "%s", err->message);
    cr_assert_str_not_empty(err->file);
}

/* Truncate the file to `now`; is_touched: after spans of all of it. Then every span is refused,
 * also of bytes that still exist. */
static void expect_cut(size_t nbytes, size_t now, bool is_touched)
{
    const dvt_path path = new_file("cut", nbytes);
    dvi_map *map = open_map(&path);
    if (is_touched)
        expect_span(map, 0, nbytes);
    dvt_file_resize(&path, (int64_t)now);

    const size_t places[] = {0, now / 2, now, nbytes - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const size_t at = places[i];
        dvi_span span;
        dv_error err = DV_ERROR_INIT;
        expect_shrank(dvi_map_span(map, (int64_t)at, nbytes - at, NULL, &span, &err), &err, nbytes,
                      now);
        cr_assert_null(span.data);
        expect_shrank(dvi_map_span(map, (int64_t)at, 1, NULL, &span, &err), &err, nbytes, now);
    }
    dv_error err = DV_ERROR_INIT;
    expect_shrank(dvi_map_check(map, &err), &err, nbytes, now);
    dvi_map_release(&map);
}

static void expect_cuts(void)
{
    static const size_t cuts[] = {0, 1, 4096, 5000, WINDOW - 1, WINDOW, WINDOW + 4097};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        for (int is_touched = 0; is_touched < 2; is_touched++)
            expect_cut(WINDOW + 8192, cuts[i], is_touched);
    for (int is_touched = 0; is_touched < 2; is_touched++) {
        expect_cut(100, 99, is_touched); /* within the last page: reading there would give zeros */
        expect_cut(WINDOW + 10, WINDOW + 9, is_touched);
    }
}

Test(map_posix, a_file_that_shrank_is_an_error)
{
    expect_cuts();
}

Test(map_posix, what_cannot_be_mapped_says_so)
{
#ifdef DVT_SANITIZED
    remove_folder(); /* a skipped test does not run .fini */
    cr_skip_test("a sanitizer needs address space of its own");
#endif
    const dvt_path path = new_file("f", 10);
    struct rlimit before, none;
    getrlimit(RLIMIT_AS, &before);
    none = (struct rlimit){1, before.rlim_max};
    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    dvi_map *map = open_map(&path);
    setrlimit(RLIMIT_AS, &none);
    const dv_status status = dvi_map_span(map, 0, 10, NULL, &span, &err);
    setrlimit(RLIMIT_AS, &before);
    cr_expect_eq(status, DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOMEM);
    cr_expect_not_null(strstr(err.message, "io = pread"), "%s", err.message);
    expect_span(map, 0, 10); /* later it can */
    dvi_map_release(&map);
}

/* A file of which only a header and tables are read is not mapped. */
Test(map_posix, a_copy_needs_no_map)
{
    const dvt_path path = new_file("f", 3 * SMALL);
    dvi_map *map = open_map(&path);
    dvi_span span;
    dvi_memory *memory = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_map_copy(map, 100, SMALL, &memory, &span, &err), DV_OK, "%s", err.message);
    cr_expect(dvt_is_pattern(span.data, SMALL, 100));
    cr_expect(!span.is_borrowed);
    cr_expect_eq(os.preads, 1);
    cr_expect_eq(os.populates, 0);
    expect_span(map, 0, 3 * SMALL);
    const int populates = os.populates;
    cr_assert_eq(dvi_map_copy(map, 100, SMALL, &memory, &span, &err), DV_OK, "%s", err.message);
    cr_expect(dvt_is_pattern(span.data, SMALL, 100));
    cr_expect(!span.is_borrowed);
    cr_expect_eq(os.preads, 1);
    cr_expect_eq(os.populates, populates);
    dvi_map_release(&map);

    map = open_map(&path);
    dvt_file_resize(&path, 150);
    expect_shrank(dvi_map_copy(map, 100, SMALL, &memory, &span, &err), &err, 3 * SMALL, 150);
    dvi_memory_release(&memory);
    dvi_map_release(&map);
}

Test(map_posix, a_window_is_populated_once)
{
    const dvt_path path = new_file("f", 2 * WINDOW + 5);
    dvi_map *map = open_map(&path);
    expect_span(map, WINDOW, SMALL + 1);
    cr_expect_eq(os.populates, 1);
    expect_span(map, 2 * WINDOW - SMALL, SMALL + 1);
    cr_expect_eq(os.populates, 2);
    for (int i = 0; i < 3; i++)
        expect_span(map, 0, 2 * WINDOW + 5);
    cr_expect_eq(os.populates, 3);
    cr_expect_eq(os.populate_longest, WINDOW);
    cr_expect_eq(os.preads, 0);
    dvi_map_release(&map);
}

/* Opening a long file must not read windows of 2 MiB for a header and a table. */
Test(map_posix, the_first_small_spans_of_a_window_are_populated_alone)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const dvt_path path = new_file("f", 2 * WINDOW + 5);
    dvi_map *map = open_map(&path);
    for (size_t i = 0; i < 4; i++)
        expect_span(map, WINDOW + 100 * i * page + 1, 1);
    cr_expect_eq(os.populates, 4);
    cr_expect_leq(os.populate_longest, page);
    expect_span(map, 2 * WINDOW - 1, 2); /* the fifth there, the first in the next */
    cr_expect_eq(os.populates, 6);
    cr_expect_eq(os.populate_longest, WINDOW);
    expect_span(map, WINDOW, WINDOW);
    cr_expect_eq(os.populates, 6);
    dvi_map_release(&map);
}

Test(map_posix, a_small_file_is_populated_as_far_as_it_goes)
{
    const dvt_path path = new_file("f", 4097);
    dvi_map *map = open_map(&path);
    expect_span(map, 1, 4096);
    cr_expect_eq(os.populate_longest, 4097);
    dvi_map_release(&map);
}

/* At once: a call for each span would cost more than the pages. */
Test(map_posix, a_file_as_small_as_a_small_span_is_populated_once)
{
    for (size_t more = 0; more < 2; more++) {
        const dvt_path path = new_file("f", SMALL + more);
        os.populates = 0;
        dvi_map *map = open_map(&path);
        for (size_t i = 0; i < 4; i++)
            expect_span(map, i * SMALL / 4, 1);
        cr_expect_eq(os.populates, more ? 4 : 1);
        dvi_map_release(&map);
    }
}

/* Without MADV_POPULATE_READ, a byte of each page is read by a call that can fail. */
Test(map_posix, an_older_kernel_reads_a_byte_of_each_page)
{
    const dvt_path path = new_file("f", WINDOW + 3);
    os.populate_errno = EINVAL;
    os.populate_fails = -1;
    dvi_map *map = open_map(&path);
    for (int i = 0; i < 2; i++)
        expect_span(map, 0, WINDOW + 3);
    cr_expect_eq(os.preads, (int)(WINDOW / (size_t)sysconf(_SC_PAGESIZE)) + 1);
    dvi_map_release(&map);

    map = open_map(&path);
    os.pread_errno = EIO;
    os.pread_fails = 1;
    expect_failed_span(map, EIO);
    expect_span(map, 0, WINDOW + 3);
    dvi_map_release(&map);
    expect_cuts();
}

Test(map_posix, a_failing_device_is_an_error)
{
    static const int found[][2] = {{EFAULT, EIO}, {ENOMEM, ENOMEM}, {EHWPOISON, EHWPOISON}};
    const dvt_path path = new_file("f", 10);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        dvi_map *map = open_map(&path);
        os.populate_errno = found[i][0];
        os.populate_fails = 1;
        expect_failed_span(map, found[i][1]);
        expect_span(map, 0, 10); /* the device may recover */
        dvi_map_release(&map);
    }
}

Test(map_posix, an_interrupted_call_is_made_again)
{
    const dvt_path path = new_file("f", 10);
    dvi_map *map = open_map(&path);
    os.populate_errno = EINTR;
    os.populate_fails = 3;
    expect_span(map, 0, 10);
    cr_expect_eq(os.populates, 4);
    dvi_map_release(&map);
}

/* A window goes once all of its parts were left, in any order: of a large page that is dropped in
 * parts, nothing goes. */
Test(map_posix, what_was_left_is_dropped_in_whole_windows)
{
    const int64_t window = (int64_t)WINDOW, nbytes = 9 * window + 5;
    const dvt_path path = new_file("f", (size_t)nbytes);
    static const struct {
        int64_t left, at, least; /* in 16ths of a window */
        int64_t from, to;        /* in windows; from -1: nothing is dropped */
        bool is_left;
    } calls[] = {
        {0, 40, 1, -1, -1, true},    {40, 24, 1, -1, -1, true}, {40, 40, 1, -1, -1, true},
        {40, 87, 48, -1, -1, false}, {40, 88, 48, 3, 5, true},  {17, 31, 1, -1, -1, true},
        {32, 48, 1, 2, 3, true},     {31, 32, 1, 1, 2, true},   {88, 96, 1, 5, 6, true},
        {88, 96, 1, 5, 6, true},     {48, 88, 1, 3, 5, true},   {64, 88, 1, 4, 5, true},
        {88, 96, 1, 5, 6, true},
    };
    dvi_map *map = open_map(&path);
    dvi_span span;
    int64_t left = window;
    cr_assert_eq(dvi_map_span(map, 0, (size_t)nbytes, NULL, &span, NULL), DV_OK);
    dvi_map_leave(map, &left, 3 * window, 1);
    cr_expect_eq(left, window); /* not without the option */
    cr_expect_eq(os.dropped, 0);
    dvi_map_release(&map);

    map = open_map(&path);
    cr_assert_eq(dvi_map_drop_behind(map, NULL), DV_OK);
    cr_assert_eq(dvi_map_span(map, 0, (size_t)nbytes, NULL, &span, NULL), DV_OK);
    const uintptr_t start = (uintptr_t)span.data;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        os.dropped = os.dropped_end = 0;
        os.forgotten = os.forgotten_end = -1;
        left = calls[i].left * window / 16;
        const int64_t before = left, at = calls[i].at * window / 16;
        dvi_map_leave(map, &left, at, calls[i].least * window / 16);
        cr_expect_eq(left, calls[i].is_left ? at : before, "call %zu", i);
        cr_expect_eq(os.forgotten, calls[i].from < 0 ? -1 : calls[i].from * window, "call %zu", i);
        cr_expect_eq(os.forgotten_end, calls[i].from < 0 ? -1 : calls[i].to * window, "call %zu",
                     i);
        if (calls[i].from >= 0) {
            cr_expect_eq(os.dropped, start + (uintptr_t)(calls[i].from * window), "call %zu", i);
            cr_expect_eq(os.dropped_end, start + (uintptr_t)(calls[i].to * window), "call %zu", i);
        }
    }
    left = 9 * window;
    os.dropped = 0;
    os.forgotten = -1;
    dvi_map_leave(map, &left, nbytes, 1); /* the last window, as far as it goes */
    cr_expect_eq(os.forgotten, 9 * window);
    cr_expect_eq(os.forgotten_end, nbytes);
    cr_expect_eq(os.dropped_end, start + (uintptr_t)nbytes);
    expect_span(map, 0, (size_t)nbytes); /* all is read again */
    dvi_map_release(&map);
}

/* Pages that were dropped may be gone: each span has its own read. */
Test(map_posix, a_map_that_drops_populates_each_span)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const dvt_path path = new_file("f", 2 * WINDOW);
    dvi_map *map = open_map(&path);
    cr_assert_eq(dvi_map_drop_behind(map, NULL), DV_OK);
    for (int i = 1; i <= 6; i++) {
        expect_span(map, 10, SMALL + 1);
        cr_expect_eq(os.populates, i);
        cr_expect_leq(os.populate_longest, SMALL + 2 * page);
    }
    expect_span(map, WINDOW - 1, 2);
    cr_expect_eq(os.populates, 8);
    os.populate_errno = EFAULT;
    os.populate_fails = 1;
    expect_failed_span(map, EIO);
    dvi_map_release(&map);
}
