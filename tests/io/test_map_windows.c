/* SPDX-License-Identifier: MIT */
/* test_map_windows.c: what a mapped file tells the system before it reads a window: small or large
 * pages, which window is next, and that they come in order. */
#include "base/os.h"
#include "io/map.h"
#include "support/file.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WINDOW ((size_t)2 << 20)
#define SMALL ((size_t)64 << 10)
#define POPULATE_READ 22 /* MADV_POPULATE_READ, which older headers lack */

static dvt_path folder;

/* What the system was told, and what it says: the functions below replace those of the C library,
 * and one of ours. */
static struct {
    int populates, populate_fails; /* calls; how many of them fail */
    size_t populate_longest;
    bool populates_nothing;
    uintptr_t advised, advised_end; /* the last MADV_WILLNEED, */
    uintptr_t large, large_end;     /* and MADV_HUGEPAGE, */
    int larges;                     /* and how many of those */
    int in_order;                   /* calls with POSIX_FADV_SEQUENTIAL */
    int cached;                     /* bytes found in memory before one that is not */
    bool is_unknown;                /* what is in memory */
} os;

static int populate(void *address, size_t nbytes)
{
    os.populates++;
    os.populate_longest = nbytes > os.populate_longest ? nbytes : os.populate_longest;
    errno = EFAULT;
    if (os.populate_fails > 0 && os.populate_fails-- > 0)
        return -1;
    return os.populates_nothing ? 0 : (int)syscall(SYS_madvise, address, nbytes, POPULATE_READ);
}

int madvise(void *address, size_t nbytes, int advice)
{
    const uintptr_t from = (uintptr_t)address;
    if (advice == POPULATE_READ)
        return populate(address, nbytes);
    if (advice == MADV_WILLNEED) {
        os.advised = from;
        os.advised_end = from + nbytes;
    }
    if (advice == MADV_HUGEPAGE) {
        os.larges++;
        os.large = from;
        os.large_end = from + nbytes;
    }
    return (int)syscall(SYS_madvise, address, nbytes, advice);
}

int posix_fadvise(int fd, off_t offset, off_t nbytes, int advice)
{
    (void)fd, (void)offset, (void)nbytes;
    os.in_order += advice == POSIX_FADV_SEQUENTIAL;
    return 0;
}

dvi_page dvi_os_page(int fd, int64_t offset)
{
    (void)fd, (void)offset;
    if (os.is_unknown)
        return DVI_PAGE_UNKNOWN;
    return os.cached-- > 0 ? DVI_PAGE_THERE : DVI_PAGE_MISSING;
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

TestSuite(map_windows, .init = make_folder, .fini = remove_folder, .timeout = 120);

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

static void forget_advice(int cached)
{
    os.advised = os.advised_end = os.large = os.large_end = 0;
    os.cached = cached;
}

/* A window is read in large pages if none of it is in memory; the rest of one that has begun, as a
 * small file, in those that the system likes. */
Test(map_windows, a_window_is_announced_before_it_is_read)
{
    static const struct {
        size_t nbytes, at, length;
        int cached;
        bool is_large, is_advised;
    } cases[] = {
        {3 * WINDOW + 5, WINDOW, WINDOW, 0, true, false},
        {3 * WINDOW + 5, WINDOW + 9, SMALL + 1, 0, true, false},
        {3 * WINDOW + 5, WINDOW, WINDOW, 1, false, true},
        {3 * WINDOW + 5, WINDOW, WINDOW, 2, false, false},
        {2 * WINDOW - 5, WINDOW, WINDOW - 5, 0, true, false},
        {WINDOW + 5, WINDOW, 5, 0, false, true},
        {WINDOW + 5, WINDOW, 5, 1, false, true},
        {WINDOW + 5, WINDOW, 5, 2, false, false},
        {SMALL, 0, SMALL, 0, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dvt_path path = new_file("f", cases[i].nbytes);
        const size_t window = cases[i].at - cases[i].at % WINDOW, left = cases[i].nbytes - window,
                     nbytes = left < WINDOW ? left : WINDOW;
        for (int drops = 0; drops < 2; drops++) {
            dvi_map *map = open_map(&path);
            dvi_span span;
            if (drops)
                cr_assert_eq(dvi_map_drop_behind(map, NULL), DV_OK);
            forget_advice(cases[i].cached);
            cr_assert_eq(
                dvi_map_span(map, (int64_t)cases[i].at, cases[i].length, NULL, &span, NULL), DV_OK);
            const uintptr_t from = (uintptr_t)span.data - cases[i].at + window;
            cr_expect_eq(os.large, cases[i].is_large ? from : 0, "case %zu", i);
            cr_expect_eq(os.large_end, cases[i].is_large ? from + nbytes : 0, "case %zu", i);
            cr_expect_eq(os.advised, cases[i].is_advised ? from : 0, "case %zu", i);
            cr_expect_eq(os.advised_end, cases[i].is_advised ? from + nbytes : 0, "case %zu", i);
            forget_advice(1); /* nor is the next one */
            expect_span(map, cases[i].at, cases[i].length);
            cr_expect_eq(os.large, 0, "announced once: case %zu", i);
            dvi_map_release(&map);
        }
    }
}

/* Where the system does not say what is in memory, as of files of others, all may be missing. */
Test(map_windows, a_window_of_which_nothing_is_known_comes_in_large_pages)
{
    const dvt_path path = new_file("f", 2 * WINDOW + 5);
    dvi_map *map = open_map(&path);
    os.is_unknown = true;
    expect_span(map, 0, WINDOW);
    expect_span(map, WINDOW, WINDOW);
    cr_expect_eq(os.larges, 2);
    cr_expect_eq(os.advised, 0);
    expect_span(map, 2 * WINDOW, 5);
    cr_expect_neq(os.advised, 0); /* the end, which has no room for one */
    dvi_map_release(&map);
}

/* The rest of a window that is on its way in small pages is not waited for alone: the next window
 * begins first.  But who reads one span waits for no more than that. */
Test(map_windows, the_next_window_begins_before_the_rest_is_waited_for)
{
    const dvt_path path = new_file("f", 3 * WINDOW + 5);
    for (int fails = 0; fails < 2; fails++) {
        dvi_map *map = open_map(&path);
        dvi_span span;
        forget_advice(1);
        os.populates = 0, os.populate_longest = 0;
        cr_assert_eq(dvi_map_span(map, 0, SMALL + 1, NULL, &span, NULL), DV_OK);
        const uintptr_t start = (uintptr_t)span.data;
        cr_expect_eq(os.advised_end, start + WINDOW);
        cr_expect_eq(os.large, 0);
        cr_expect_eq(os.populates, 1);
        cr_expect_eq(os.populate_longest, SMALL + 1);

        forget_advice(0);
        os.populate_fails = fails;
        expect_span(map, SMALL, WINDOW - SMALL);
        cr_expect_eq(os.large, start + WINDOW);
        cr_expect_eq(os.large_end, start + 2 * WINDOW);
        cr_expect_eq(os.populates, 3, "the next one, and this one");
        cr_expect_eq(os.populate_fails, 0);

        forget_advice(2);
        expect_span(map, WINDOW, WINDOW);
        cr_expect_eq(os.populates, 3 + fails);
        expect_span(map, 0, 2 * WINDOW);
        cr_expect_eq(os.populates, 3 + fails);
        dvi_map_release(&map);
    }
}

/* A span of several windows needs the next one anyway; and what is in memory is not begun. */
Test(map_windows, a_long_span_begins_its_next_window_first)
{
    const dvt_path path = new_file("f", 3 * WINDOW + 5);
    dvi_map *map = open_map(&path);
    dvi_span span;
    forget_advice(1);
    os.larges = os.populates = 0;
    cr_assert_eq(dvi_map_span(map, 9, 2 * WINDOW, NULL, &span, NULL), DV_OK);
    cr_expect_eq(os.advised_end, (uintptr_t)span.data - 9 + WINDOW);
    cr_expect_eq(os.larges, 2); /* the first one is in small pages */
    cr_expect_eq(os.populates, 3);
    dvi_map_release(&map);
}

/* Said once; and not of windows apart from each other. */
Test(map_windows, windows_in_order_are_announced_to_the_system)
{
    const dvt_path path = new_file("f", 6 * WINDOW);
    static const struct {
        int windows[4], in_order;
    } cases[] = {{{0, 1, 2, 3}, 1}, {{2, 3, 4, 5}, 1}, {{0, 2, 4, 2}, 0},
                 {{3, 2, 1, 0}, 0}, {{0, 0, 0, 0}, 0}, {{5, 2, 0, 3}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int cached = 0; cached < 2; cached++) { /* files in memory may leave it */
            dvi_map *map = open_map(&path);
            os.in_order = 0;
            for (size_t k = 0; k < 4; k++) {
                forget_advice(cached ? INT_MAX : 0);
                expect_span(map, (size_t)cases[i].windows[k] * WINDOW, WINDOW);
            }
            cr_expect_eq(os.in_order, cases[i].in_order, "case %zu", i);
            dvi_map_release(&map);
        }
}

/* Areas of memory of a process: the lines of a file of the system. */
static int areas(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    int c, n = 0;
    cr_assert_not_null(file);
    while ((c = getc(file)) != EOF)
        n += c == '\n';
    fclose(file);
    return n;
}

/* Windows of a large file in any order must not use up the areas that a process may have. */
Test(map_windows, windows_apart_are_announced_as_far_as_areas_go)
{
    enum { MOST = 16384, WINDOWS = 2 * MOST + 200 };
    const dvt_path path = new_file("f", 1);
    dvi_span span;
    dvt_file_resize(&path, (int64_t)(WINDOWS * WINDOW));
    for (int round = 0; round < 2; round++) { /* closing gives them back */
        dvi_map *map = open_map(&path);
        os.larges = os.cached = 0;
        os.populates_nothing = true;
        for (int64_t k = 0; k < WINDOWS; k += 2)
            cr_assert_eq(dvi_map_span(map, k * (int64_t)WINDOW, WINDOW, NULL, &span, NULL), DV_OK);
        cr_expect_eq(os.larges, MOST);
        cr_expect_lt(areas(), 2 * MOST + 4000);
        cr_assert_eq(dvi_map_span(map, (int64_t)WINDOW, WINDOW, NULL, &span, NULL), DV_OK);
        cr_expect_eq(os.larges, MOST + 1);                     /* it joins two */
        for (int64_t k = WINDOWS - 1; k > WINDOWS - 5; k -= 2) /* so one more may be apart */
            cr_assert_eq(dvi_map_span(map, k * (int64_t)WINDOW, WINDOW, NULL, &span, NULL), DV_OK);
        cr_expect_eq(os.larges, MOST + 2);
        dvi_map_release(&map);
    }
}

/* Not those around them, of which the system likes to read many. */
Test(map_windows, pages_of_a_small_span_are_asked_for)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const dvt_path path = new_file("f", WINDOW);
    dvi_map *map = open_map(&path);
    dvi_span span;
    cr_assert_eq(dvi_map_span(map, (int64_t)page + 1, page, NULL, &span, NULL), DV_OK);
    cr_expect_eq(os.advised, (uintptr_t)span.data - 1);
    cr_expect_eq(os.advised_end, (uintptr_t)span.data + page);
    cr_expect_eq(os.large, 0);
    dvi_map_release(&map);
}

/* What follows a large window is asked for; what is read before it would be in small pages. */
Test(map_windows, a_hint_stays_in_the_file)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), nbytes = WINDOW + 3 * page;
    const int64_t next = (int64_t)WINDOW;
    const dvt_path path = new_file("f", nbytes);
    dvi_map *map = open_map(&path);
    dvi_span span;
    dvi_map_advise(map, next, 10);
    cr_expect_eq(os.advised, 0);
    cr_assert_eq(dvi_map_span(map, 0, nbytes, NULL, &span, NULL), DV_OK);
    forget_advice(0);
    dvi_map_advise(map, next + (int64_t)page + 1, INT64_MAX);
    cr_expect_eq(os.advised, (uintptr_t)span.data + WINDOW + page); /* from a page's start */
    cr_expect_eq(os.advised_end, (uintptr_t)span.data + nbytes);

    static const struct {
        int cached;
        bool is_advised;
    } ends[] = {{0, true}, {1, true}, {2, false}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        forget_advice(ends[i].cached);
        dvi_map_advise(map, next, 10);
        cr_expect_eq(os.advised != 0, ends[i].is_advised, "%d cached", ends[i].cached);
    }

    forget_advice(0);
    os.is_unknown = true;
    dvi_map_advise(map, next, 10);
    cr_expect_eq(os.advised, 0, "it costs much where all is in memory");
    os.is_unknown = false;
    static const int64_t none[][2] = {
        {-1, 10}, {INT64_MAX, INT64_MAX}, {(int64_t)WINDOW, 0}, {(int64_t)WINDOW, -5}, {0, 10}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        dvi_map_advise(map, none[i][0], none[i][1]);
    dvi_map_advise(map, (int64_t)nbytes, 10);
    cr_expect_eq(os.advised, 0);
    dvi_map_release(&map);
}
