/* SPDX-License-Identifier: MIT */
/* test_map_posix.c: is what a mapped file lost an error, never a signal, on any kernel? */
#include "io/map.h"
#include "support/file.h"
#include "support/test.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WINDOW ((size_t)2 << 20)

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

int madvise(void *address, size_t nbytes, int advice)
{
    if (advice == 22) { /* MADV_POPULATE_READ */
        atomic_fetch_add(&os.populates, 1);
        if (nbytes > WINDOW)
            abort();
        if (is_failing(&os.populate_times, os.populate_errno))
            return -1;
    }
    if (advice == MADV_WILLNEED) {
        os.advised = (uintptr_t)address;
        os.advised_end = os.advised + nbytes;
    }
    return (int)syscall(SYS_madvise, address, nbytes, advice);
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

TestSuite(map_posix, .init = make_folder, .fini = remove_folder, .timeout = 120);

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

Test(map, what_cannot_be_mapped_says_so)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    cr_skip_test("a sanitizer needs address space of its own");
#endif
    const dvt_path path = new_file("f", 10);
    struct rlimit before, none;
    getrlimit(RLIMIT_AS, &before);
    none = (struct rlimit){1, before.rlim_max};
    dvi_map *map;
    dv_error err = DV_ERROR_INIT;
    setrlimit(RLIMIT_AS, &none);
    const dv_status status = dvi_map_open(&map, path.text, DV_IO_MMAP, NULL, &err);
    setrlimit(RLIMIT_AS, &before);
    cr_expect_eq(status, DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOMEM);
    cr_expect_not_null(strstr(err.message, "io = pread"), "%s", err.message);
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

/* Part of a window is gone: none of it is handed out, even where bytes are left. */
Test(map, a_window_that_lost_a_part_is_an_error)
{
    const dvt_path path = new_file("cut", 2 * WINDOW);
    dvi_map *map = open_map(&path, DV_IO_MMAP);
    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    dvt_file_resize(&path, (int64_t)WINDOW + 4096);
    expect_shrank(dvi_map_span(map, (int64_t)WINDOW, 1, NULL, &span, &err), &err, 2 * WINDOW,
                  WINDOW + 4096);
    dvi_map_release(&map);
}

Test(map, a_window_is_populated_once)
{
    const dvt_path path = new_file("f", 2 * WINDOW + 5);
    dvi_map *map = open_map(&path, DV_IO_MMAP);
    expect_span(map, DV_IO_MMAP, WINDOW, 1, NULL);
    cr_expect_eq(os.populates, 1);
    expect_span(map, DV_IO_MMAP, 2 * WINDOW - 1, 2, NULL);
    cr_expect_eq(os.populates, 2);
    for (int i = 0; i < 3; i++)
        expect_span(map, DV_IO_MMAP, 0, 2 * WINDOW + 5, NULL);
    cr_expect_eq(os.populates, 3);
    dvi_map_release(&map);
}

/* Without MADV_POPULATE_READ, a byte of each page is read through a call that can fail. */
Test(map, an_older_kernel_reads_a_byte_of_each_page)
{
    const dvt_path path = new_file("f", WINDOW + 3);
    const int pages = (int)(WINDOW / (size_t)sysconf(_SC_PAGESIZE)) + 1;
    os.populate_errno = EINVAL;
    os.populate_times = -1;
    dvi_map *map = open_map(&path, DV_IO_MMAP);
    expect_all(map, DV_IO_MMAP, WINDOW + 3);
    cr_expect_eq(os.preads, pages);
    dvi_map_release(&map);

    map = open_map(&path, DV_IO_MMAP);
    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    os.pread_errno = EIO;
    os.pread_times = 1;
    cr_expect_eq(dvi_map_span(map, 0, 1, NULL, &span, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, EIO);
    dvi_map_release(&map);
    for (int k = 0; k < 4; k++)
        expect_cut(both[k % 2], WINDOW + 8192, 5000, k >= 2);
}

Test(map, a_failing_device_is_an_error)
{
    static const int found[][2] = {{EFAULT, EIO}, {ENOMEM, ENOMEM}, {EHWPOISON, EHWPOISON}};
    const dvt_path path = new_file("f", 10);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        dvi_map *map = open_map(&path, DV_IO_MMAP);
        dvi_span span;
        dv_error err = DV_ERROR_INIT;
        os.populate_errno = found[i][0];
        os.populate_times = 1;
        cr_expect_eq(dvi_map_span(map, 0, 1, NULL, &span, &err), DV_ERR_IO);
        cr_expect_eq(err.os_code, found[i][1]);
        cr_expect_str_not_empty(err.file);
        expect_span(map, DV_IO_MMAP, 0, 10, NULL); /* it may get better */
        dvi_map_release(&map);
    }
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
