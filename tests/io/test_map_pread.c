/* SPDX-License-Identifier: MIT */
/* test_map_pread.c: are copies whole, or an error, whatever the system does in between? */
#include "io/map.h"
#include "support/file.h"
#include "support/test.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static dvt_path folder;

/* The system, where a test needs it to misbehave: these stand before the C library's functions. */
static struct {
    int populate_errno, populate_times; /* so often, populating fails so */
    int pread_errno, pread_times;
    size_t pread_most; /* a longer read is cut short; 0: none is */
    mode_t fstat_mode; /* what fstat finds instead */
    int fstat_errno;
    atomic_int populates, preads; /* calls */
    size_t pread_longest;
    uintptr_t advised, advised_end; /* the last MADV_WILLNEED */
} os;

static bool is_failing(int *times, int os_code)
{
    if (*times == 0)
        return false;
    errno = os_code;
    --*times;
    return true;
}

static bool is_failing(int *times, int os_code)
{
    if (*times == 0)
        return false;
    errno = os_code;
    --*times;
    return true;
}

ssize_t pread(int fd, void *dst, size_t nbytes, off_t offset)
{
    atomic_fetch_add(&os.preads, 1);
    if (nbytes > os.pread_longest)
        os.pread_longest = nbytes;
    if (is_failing(&os.pread_times, os.pread_errno))
        return -1;
    const size_t n = os.pread_most && nbytes > os.pread_most ? os.pread_most : nbytes;
    return syscall(SYS_pread64, fd, dst, n, offset);
}

static void make_folder(void)
{
    memset(&os, 0, sizeof os);
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    memset(&os, 0, sizeof os);
    dvt_folder_remove(&folder);
}

TestSuite(map_pread, .init = make_folder, .fini = remove_folder, .timeout = 120);

static dvt_path new_file(const char *name, size_t nbytes)
{
    const dvt_path path = dvt_path_in(&folder, name);
    dvt_file_pattern(&path, nbytes);
    return path;
}

static dvi_map *open_map(const dvt_path *path, dv_io io)
{
    dvi_map *map;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_map_open(&map, path->text, io, NULL, &err), DV_OK, "%s", err.message);
    return map;
}

static void expect_span(dvi_map *map, dv_io io, size_t offset, size_t nbytes, dvi_memory **memory)
{
    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_map_span(map, (int64_t)offset, nbytes, memory, &span, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(span.nbytes, nbytes);
    cr_assert_eq(span.offset, (int64_t)offset);
    cr_assert_not_null(span.data);
    cr_assert_not_null(span.owner);
    cr_assert(nbytes == 0 || span.is_borrowed == (io == DV_IO_MMAP));
    cr_assert(dvt_is_pattern(span.data, nbytes, offset), "%zu bytes at %zu", nbytes, offset);
}

/* The file was nbytes, and now ends at `now`: what does a call say? */
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

/* Cut the file to `now`; is_touched: after all of it was spanned. */
static void expect_cut(dv_io io, size_t nbytes, size_t now, bool is_touched)
{
    const dvt_path path = new_file("cut", nbytes);
    dvi_map *map = open_map(&path, io);
    dvi_memory *memory = NULL;
    dvi_span span;
    if (is_touched)
        expect_span(map, io, 0, nbytes, &memory);
    dvt_file_resize(&path, (int64_t)now);

    dv_error whole = DV_ERROR_INIT, last = DV_ERROR_INIT, check = DV_ERROR_INIT;
    expect_shrank(dvi_map_span(map, 0, nbytes, &memory, &span, &whole), &whole, nbytes, now);
    cr_assert_null(span.data);
    const dv_status status = dvi_map_span(map, (int64_t)nbytes - 1, 1, &memory, &span, &last);
    cr_assert_eq(status, DV_ERR_IO);
    cr_assert_str_not_empty(last.file);
    expect_shrank(dvi_map_check(map, &check), &check, nbytes, now);
    dvi_memory_release(&memory);
    dvi_map_release(&map);
}

Test(map, a_file_that_shrank_is_an_error)
{
    static const size_t cuts[] = {0, 1, 4096, 5000, WINDOW - 1, WINDOW, WINDOW + 4097};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        for (int k = 0; k < 4; k++)
            expect_cut(both[k % 2], WINDOW + 8192, cuts[i], k >= 2);
    for (int k = 0; k < 4; k++) { /* within the last page: reading there would give zeros */
        expect_cut(both[k % 2], 100, 99, k >= 2);
        expect_cut(both[k % 2], WINDOW + 10, WINDOW + 9, k >= 2);
    }
}

Test(map, interrupted_calls_are_made_again)
{
    const dvt_path path = new_file("f", 10000);
    os.populate_errno = os.pread_errno = EINTR;
    os.populate_times = os.pread_times = 3;
    os.pread_most = 999; /* and cut short */
    for (int i = 0; i < 2; i++) {
        dvi_map *map = open_map(&path, both[i]);
        expect_all(map, both[i], 10000);
        dvi_map_release(&map);
    }
    cr_expect_eq(os.populate_times + os.pread_times, 0);
}

Test(map, copies_come_in_pieces)
{
    const dvt_path path = new_file("f", 2 * WINDOW + 9);
    dvi_map *map = open_map(&path, DV_IO_PREAD);
    dvi_memory *memory = NULL;
    expect_span(map, DV_IO_PREAD, 1, 2 * WINDOW + 8, &memory);
    cr_expect_eq(os.pread_longest, 1024 * KIB);
    cr_expect_eq(os.preads, 5);

    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    os.pread_errno = EIO;
    os.pread_times = 1;
    cr_expect_eq(dvi_map_span(map, 0, 10, &memory, &span, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, EIO);
    cr_expect_str_not_empty(err.file);
    dvi_memory_release(&memory); /* still ours to release */
    dvi_map_release(&map);
}

Test(map, a_hint_stays_in_the_file)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), nbytes = 3 * page;
    const dvt_path path = new_file("f", nbytes);
    for (int i = 0; i < 2; i++) {
        dvi_map *map = open_map(&path, both[i]);
        dvi_span span;
        dvi_memory *memory = NULL;
        cr_assert_eq(dvi_map_span(map, 0, nbytes, &memory, &span, NULL), DV_OK);
        const uintptr_t start = (uintptr_t)span.data;
        dvi_map_advise(map, (int64_t)page + 1, INT64_MAX);
        if (i == 0)
            cr_expect(os.advised == start + page && os.advised_end == start + nbytes);
        os.advised = 0;
        dvi_map_advise(map, -1, 10);
        dvi_map_advise(map, (int64_t)nbytes, 10);
        dvi_map_advise(map, INT64_MAX, INT64_MAX);
        dvi_map_advise(map, 0, 0);
        dvi_map_advise(map, 0, -5);
        cr_expect_eq(os.advised, 0);
        dvi_memory_release(&memory);
        dvi_map_release(&map);
    }
}
