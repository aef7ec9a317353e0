/* SPDX-License-Identifier: MIT */
/* test_map.c: every backend returns the bytes of the file, to any thread and as long as they are
 * held; anything but a regular file is refused. */
#include "base/compiler.h"
#include "io/map.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define KIB ((size_t)1 << 10)
#define WINDOW ((size_t)2 << 20)

static const dv_io both[] = {DV_IO_MMAP, DV_IO_PREAD};
static dvt_path folder;

/* These replace functions of the C library: a name that now leads to another file, a failing disk.
 */
static bool stat_says_file;
static int fstat_errno, lseek_errno;

int stat(const char *restrict path, struct stat *restrict st)
{
    const int result = (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
    DVI_WRITTEN(st, sizeof *st);
    if (stat_says_file)
        st->st_mode = S_IFREG | 0600;
    return result;
}

int fstat(int fd, struct stat *st)
{
    DVI_WRITTEN(st, sizeof *st);
    if (fstat_errno == 0)
        return (int)syscall(SYS_fstat, fd, st);
    errno = fstat_errno;
    return -1;
}

off_t lseek(int fd, off_t offset, int whence)
{
    if (lseek_errno == 0)
        return (off_t)syscall(SYS_lseek, fd, offset, whence);
    errno = lseek_errno;
    return -1;
}

static void make_folder(void)
{
    stat_says_file = false;
    fstat_errno = lseek_errno = 0;
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(map, .init = make_folder, .fini = remove_folder, .timeout = 120);

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

/* Spans that begin and end around the offsets where something changes. */
static void expect_all(dvi_map *map, dv_io io, size_t nbytes)
{
    const size_t places[] = {0, 1, 4095, 4096, WINDOW - 1, WINDOW, WINDOW + 1, nbytes - 1, nbytes};
    const size_t n = sizeof places / sizeof *places;
    dvi_memory *memory = NULL;
    for (size_t i = 0; i < n * n; i++) {
        const size_t from = places[i / n], to = places[i % n];
        if (from <= to && to <= nbytes)
            expect_span(map, io, from, to - from, &memory);
    }
    dvi_memory_release(&memory);
    cr_expect_eq(dvi_map_check(map, NULL), DV_OK);
    cr_expect_eq(dvi_map_nbytes(map), (int64_t)nbytes);
}

static const size_t sizes[] = {1, 4095, 4096, 4097, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW + 9};

Test(map, files_by_both_backends)
{
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const dv_io io = both[i % 2];
        const dvt_path path = new_file("f", sizes[i / 2]);
        dvi_map *map = open_map(&path, io);
        cr_expect_str_eq(dvi_map_name(map), path.text);
        expect_all(map, io, sizes[i / 2]);
        dvi_map_release(&map);
        cr_expect_null(map);
    }
}

Test(map, memory_borrowed_and_copied)
{
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const dv_io io = both[i % 2];
        uint8_t *data = dvt_pattern(sizes[i / 2]);
        dvi_map *map;
        cr_assert_eq(dvi_map_open_memory(&map, data, sizes[i / 2], free, data, "m", io, NULL, NULL),
                     DV_OK);
        cr_expect_str_eq(dvi_map_name(map), "m");
        expect_all(map, io, sizes[i / 2]);
        dvi_map_advise(map, 0, 1);
        dvi_map_release(&map);
    }
}

static void expect_empty(dvi_map *map)
{
    dvi_memory *memory = NULL;
    dvi_span span;
    cr_expect_eq(dvi_map_nbytes(map), 0);
    cr_expect_eq(dvi_map_span(map, 0, 0, &memory, &span, NULL), DV_OK);
    cr_expect_eq(span.nbytes, 0);
    cr_expect_not_null(span.data);
    cr_expect_null(memory);
    cr_expect_eq(dvi_map_check(map, NULL), DV_OK);
    dvi_map_advise(map, 0, 1);
}

Test(map, an_empty_file_opens)
{
    const dvt_path path = new_file("empty", 0);
    for (int i = 0; i < 2; i++) {
        dvi_map *map = open_map(&path, both[i]);
        expect_empty(map);
        dvi_map_release(&map);
        cr_assert_eq(dvi_map_open_memory(&map, NULL, 0, NULL, NULL, "", both[i], NULL, NULL),
                     DV_OK);
        expect_empty(map);
        dvi_map_release(&map);
    }
}

/* A descriptor that is not closed changes the number of the next one. */
static int next_fd(void)
{
    const int fd = dup(0);
    close(fd);
    return fd;
}

static void expect_refused(const char *path, int os_code, const char *word)
{
    const int before = next_fd();
    for (int i = 0; i < 2; i++) {
        dv_error err = DV_ERROR_INIT;
        dvi_map *map = (dvi_map *)&err;
        cr_expect_eq(dvi_map_open(&map, path, both[i], NULL, &err), DV_ERR_IO);
        cr_expect_null(map);
        cr_expect_eq(err.os_code, os_code, "%s", err.message);
        cr_expect_eq(err.offset, -1);
        cr_expect_str_not_empty(err.file);
        cr_expect_not_null(strstr(err.message, word), "%s", err.message);
        cr_expect_eq(dvi_map_open(&map, path, both[i], NULL, NULL), DV_ERR_IO);
    }
    cr_expect_eq(next_fd(), before);
}

static dvt_path new_socket(void)
{
    const dvt_path path = dvt_path_in(&folder, "socket");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    cr_assert_lt(strlen(path.text), sizeof address.sun_path);
    strcpy(address.sun_path, path.text);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    return path;
}

Test(map, what_is_no_file_is_refused)
{
    const dvt_path fifo = dvt_path_in(&folder, "fifo"), loop = dvt_path_in(&folder, "loop");
    cr_assert_eq(mkfifo(fifo.text, 0600), 0);
    cr_assert_eq(symlink("loop", loop.text), 0);
    expect_refused(folder.text, EISDIR, "a directory: name a file in it");
    expect_refused(fifo.text, ESPIPE, "a pipe: save it into a file first");
    expect_refused(new_socket().text, ESPIPE, "a socket: save what it sends into a file first");
    expect_refused("/dev/null", ENODEV, "a device: copy it into a file first");
    expect_refused(loop.text, ELOOP, "cannot be opened");
    expect_refused(dvt_path_in(&folder, "missing").text, ENOENT, "No such file");
    expect_refused(dvt_path_in(&loop, "x").text, ELOOP, "cannot be opened");
    const dvt_path file = new_file("file", 1);
    expect_refused(dvt_path_in(&file, "x").text, ENOTDIR, "cannot be opened");
}

Test(map, without_permission_there_is_nothing)
{
    const dvt_path path = new_file("secret", 10);
    cr_assert_eq(chmod(folder.text, 0755) + chmod(path.text, 0), 0);
    const uid_t before = geteuid();
    if (before == 0 && seteuid(65534) != 0) {
        remove_folder();
        cr_skip_test("permissions do not stop this user");
    }
    expect_refused(path.text, EACCES, "Permission denied");
    if (before == 0)
        cr_expect_eq(seteuid(0), 0);
}

/* Between the check and the opening, the name may come to lead to another file; a pipe must not
 * block. */
Test(map, an_opened_file_is_checked_again)
{
    const dvt_path fifo = dvt_path_in(&folder, "fifo"), path = new_file("f", 10);
    cr_assert_eq(mkfifo(fifo.text, 0600), 0);
    stat_says_file = true;
    expect_refused(fifo.text, ESPIPE, "a pipe");
    expect_refused(folder.text, EISDIR, "a directory");
    fstat_errno = EIO;
    expect_refused(path.text, EIO, "cannot be opened");
}

Test(map, other_programs_do_not_inherit_it)
{
    const dvt_path path = new_file("f", 10);
    for (int i = 0; i < 2; i++) {
        const int fd = next_fd();
        dvi_map *map = open_map(&path, both[i]);
        cr_expect_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
        dvi_map_release(&map);
    }
}

static bool is_mapped(const dvt_path *path)
{
    char line[1024];
    bool is_there = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        is_there = is_there || strstr(line, path->text);
    if (maps)
        fclose(maps);
    return is_there;
}

Test(map, closing_gives_the_address_space_back)
{
    const dvt_path path = new_file("f", 10);
    dvi_map *map = open_map(&path, DV_IO_MMAP);
    dvi_span span;
    cr_expect_not(is_mapped(&path)); /* before its first span */
    cr_assert_eq(dvi_map_span(map, 0, 10, NULL, &span, NULL), DV_OK);
    cr_expect(is_mapped(&path));
    dvi_map_release(&map);
    cr_expect_not(is_mapped(&path));
}

Test(map, beyond_4_gib)
{
    const dvt_path path = new_file("big", 0);
    const size_t nbytes = ((size_t)5 << 30) + 77;
    if (truncate(path.text, (off_t)nbytes) != 0) {
        remove_folder(); /* a skipped test does not run .fini */
        cr_skip_test("this disk has no sparse files of 5 GiB");
    }
    const int fd = open(path.text, O_WRONLY);
    const size_t places[] = {nbytes - 10, ((size_t)1 << 32) - 5};
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pwrite(fd, "0123456789", 10, (off_t)places[i]), 10);
    close(fd);
    for (int i = 0; i < 4; i++) {
        dvi_map *map = open_map(&path, both[i % 2]);
        dvi_memory *memory = NULL;
        dvi_span span;
        dvi_map_advise(map, (int64_t)places[i / 2], INT64_MAX);
        cr_assert_eq(dvi_map_span(map, (int64_t)places[i / 2], 10, &memory, &span, NULL), DV_OK);
        cr_expect_arr_eq(span.data, "0123456789", 10);
        cr_expect_eq(dvi_map_nbytes(map), (int64_t)nbytes);
        dvi_memory_release(&memory);
        dvi_map_release(&map);
    }
}

Test(map, a_file_may_grow)
{
    for (int i = 0; i < 2; i++) {
        const dvt_path path = new_file("grows", 5000);
        dvi_map *map = open_map(&path, both[i]);
        dvt_file_resize(&path, 9000);
        cr_expect_eq(dvi_map_check(map, NULL), DV_OK);
        expect_all(map, both[i], 5000);
        dvi_map_release(&map);
    }
}

Test(map, a_failing_length_is_the_systems_error)
{
    const dvt_path path = new_file("f", 10);
    for (int i = 0; i < 2; i++) {
        dvi_map *map = open_map(&path, both[i]);
        dv_error err = DV_ERROR_INIT;
        lseek_errno = ESTALE;
        cr_expect_eq(dvi_map_check(map, &err), DV_ERR_IO);
        lseek_errno = 0;
        cr_expect_eq(err.os_code, ESTALE);
        cr_expect_str_not_empty(err.file);
        dvi_map_release(&map);
    }
}

static const struct {
    int64_t offset;
    size_t nbytes;
} outside[] = {{-1, 1}, {-1, 0},       {11, 0},        {10, 1},       {0, 11},
               {9, 2},  {1, SIZE_MAX}, {INT64_MAX, 1}, {INT64_MIN, 0}};

#ifdef NDEBUG
Test(map, a_span_outside_is_the_callers_mistake)
{
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        dvi_map *map;
        dvi_memory *memory = NULL;
        dvi_span span;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(
            dvi_map_open_memory(&map, "0123456789", 10, NULL, NULL, "ten", both[i % 2], NULL, NULL),
            DV_OK);
        cr_expect_eq(dvi_map_span(map, outside[i].offset, outside[i].nbytes, &memory, &span, &err),
                     DV_ERR_ARGUMENT);
        cr_expect_str_eq(err.file, "ten");
        cr_expect_null(span.data);
        dvi_map_release(&map);
    }
}
#else
Test(map, a_span_outside_is_the_callers_mistake, .signal = SIGABRT)
{
    dvi_map *map;
    dvi_memory *memory = NULL;
    dvi_span span;
    remove_folder(); /* an aborted test does not run .fini */
    dvi_map_open_memory(&map, "0123456789", 10, NULL, NULL, "ten", DV_IO_MMAP, NULL, NULL);
    dvi_map_span(map, outside[0].offset, outside[0].nbytes, &memory, &span, NULL);
}
#endif

static void count_release(void *ctx)
{
    atomic_fetch_add((atomic_int *)ctx, 1);
}

/* Open with one of four backends. */
static dv_status open_any(int way, dvi_map **map_out, const dvt_path *path, atomic_int *released,
                          const dv_allocator *allocator, dv_error *err)
{
    if (way < 2)
        return dvi_map_open(map_out, path->text, both[way], allocator, err);
    return dvi_map_open_memory(map_out, "0123456789", 10, count_release, released, "m",
                               both[way - 2], allocator, err);
}

Test(map, bytes_stay_while_they_are_held)
{
    const dvt_path path = new_file("f", 10);
    for (int way = 0; way < 4; way++) {
        const int before = next_fd();
        atomic_int released = 0;
        dvt_allocator counted;
        dvt_allocator_init(&counted, 0);
        dvi_map *map;
        dvi_memory *memory = NULL;
        dvi_span span;
        cr_assert_eq(open_any(way, &map, &path, &released, &counted.allocator, NULL), DV_OK);
        cr_expect_not_null(dvi_map_allocator(map)->allocate);
        cr_assert_eq(dvi_map_span(map, 2, 8, &memory, &span, NULL), DV_OK);
        dvi_owner_retain(span.owner);
        uint8_t copy[8];
        memcpy(copy, span.data, 8);
        dvi_map_retain(map);
        dvi_map *second = map;
        dvi_map_release(&map);
        dvi_map_release(&second);
        dvi_memory_release(&memory);
        dvi_map_release(&second); /* NULL is fine */
        cr_expect_arr_eq(span.data, copy, 8);
        cr_expect_eq(counted.live, 1);
        cr_expect_eq(released, way == 3);
        dvi_owner_release(span.owner);
        cr_expect_eq(counted.live, 0);
        cr_expect_eq(released, way >= 2);
        cr_expect_eq(next_fd(), before);
    }
}

Test(map, in_steady_state_nothing_is_allocated)
{
    const dvt_path path = new_file("f", WINDOW);
    for (int i = 0; i < 2; i++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, 0);
        dvi_map *map;
        dvi_memory *memory = NULL;
        cr_assert_eq(dvi_map_open(&map, path.text, both[i], &counted.allocator, NULL), DV_OK);
        expect_span(map, both[i], 0, 70 * KIB, &memory);
        const int64_t before = counted.asked;
        for (size_t k = 0; k < 20; k++) {
            expect_span(map, both[i], k * 64 * KIB, 70 * KIB - k, &memory);
            cr_expect_eq(dvi_map_check(map, NULL), DV_OK);
        }
        cr_expect_eq(counted.asked, before);
        dvi_memory_release(&memory);
        dvi_map_release(&map);
        cr_expect_eq(counted.live, 0);
    }
}

/* Open and read; returns DV_OK or the failure. */
static dv_status use_once(int way, const dvt_path *path, dvt_allocator *counted, dv_error *err)
{
    atomic_int released = 0;
    dvi_map *map;
    dvi_memory *memory = NULL;
    dvi_span span;
    dv_status status = open_any(way, &map, path, &released, &counted->allocator, err);
    cr_assert_eq(status == DV_OK, map != NULL);
    const bool is_opened = status == DV_OK;
    if (is_opened)
        status = dvi_map_span(map, 0, 10, &memory, &span, err);
    dvi_memory_release(&memory);
    dvi_map_release(&map);
    cr_assert_eq(released, is_opened && way >= 2);
    return status;
}

Test(map, survives_every_failed_allocation)
{
    const dvt_path path = new_file("f", 10);
    const int before = next_fd();
    for (int way = 0; way < 4; way++)
        for (int64_t k = 1;; k++) {
            dvt_allocator counted;
            dvt_allocator_init(&counted, k);
            dv_error err = DV_ERROR_INIT;
            const dv_status status = use_once(way, &path, &counted, &err);
            cr_assert_eq(counted.live, 0);
            cr_assert_eq(next_fd(), before);
            if (status == DV_OK) {
                cr_expect_geq(k, 2);
                break;
            }
            cr_assert_eq(status, DV_ERR_MEMORY);
            cr_assert_str_not_empty(err.file);
        }
}

typedef struct reading {
    dvi_map *map;
    size_t nbytes, step;
    bool is_wrong;
} reading;

static void *read_in_steps(void *ctx)
{
    reading *r = ctx;
    dvi_memory *memory = NULL;
    dvi_span span;
    const size_t n = 100 * KIB;
    for (size_t i = 0, at = 0; i < 150; i++, at = (at + r->step) % (r->nbytes - n)) {
        if (dvi_map_span(r->map, (int64_t)at, n, &memory, &span, NULL) != DV_OK ||
            dvi_map_check(r->map, NULL) != DV_OK || !dvt_is_pattern(span.data, 3, at) ||
            !dvt_is_pattern(span.data + (n - 3), 3, at + n - 3))
            r->is_wrong = true;
        dvi_map_advise(r->map, (int64_t)at, (int64_t)n);
    }
    dvi_memory_release(&memory);
    dvi_map_release(&r->map);
    return NULL;
}

Test(map, any_thread_may_read)
{
    enum { THREADS = 8 };
    const size_t nbytes = 20 * WINDOW + 12345;
    const dvt_path path = new_file("f", nbytes);
    for (int i = 0; i < 2; i++) {
        dvi_map *map = open_map(&path, both[i]);
        pthread_t threads[THREADS];
        reading readings[THREADS];
        for (size_t k = 0; k < THREADS; k++) {
            dvi_map_retain(map);
            readings[k] = (reading){map, nbytes, 1000003 * (k / 2 + 1), false};
            cr_assert_eq(pthread_create(&threads[k], NULL, read_in_steps, &readings[k]), 0);
        }
        dvi_map_release(&map);
        for (size_t k = 0; k < THREADS; k++) {
            pthread_join(threads[k], NULL);
            cr_expect_not(readings[k].is_wrong);
        }
    }
}
