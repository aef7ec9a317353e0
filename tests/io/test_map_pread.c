/* SPDX-License-Identifier: MIT */
/* test_map_pread.c: a copied span is complete or an error, however system calls fail. */
#include "base/compiler.h"
#include "io/map.h"
#include "support/file.h"
#include "support/test.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static dvt_path folder;

/* Failures of the system: pread below replaces that of the C library. */
static struct {
    int os_code, fails; /* the error of a failing call, and the number of failures */
    size_t most;        /* longer reads are cut to this; 0: none */
    int calls;
    size_t longest;
} os;

ssize_t pread(int fd, void *dst, size_t nbytes, off_t offset)
{
    os.calls++;
    if (nbytes > os.longest)
        os.longest = nbytes;
    if (os.fails > 0) {
        os.fails--;
        errno = os.os_code;
        return -1;
    }
    DVI_WRITTEN(dst, nbytes);
    return syscall(SYS_pread64, fd, dst, os.most && nbytes > os.most ? os.most : nbytes, offset);
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

TestSuite(map_pread, .init = make_folder, .fini = remove_folder, .timeout = 120);

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
    cr_assert_eq(dvi_map_open(&map, path->text, DV_IO_PREAD, NULL, &err), DV_OK, "%s", err.message);
    return map;
}

static void expect_span(dvi_map *map, size_t offset, size_t nbytes, dvi_memory **memory)
{
    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_map_span(map, (int64_t)offset, nbytes, memory, &span, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(span.data, (*memory)->data);
    cr_assert_eq(span.owner, &(*memory)->owner);
    cr_assert(dvt_is_pattern(span.data, nbytes, offset), "%zu bytes at %zu", nbytes, offset);
}

Test(map_pread, copies_take_several_calls)
{
    const dvt_path path = new_file("f", 4 * MIB + 9);
    dvi_map *map = open_map(&path);
    dvi_memory *memory = NULL;
    expect_span(map, 1, 4 * MIB + 8, &memory);
    cr_expect_eq(os.longest, MIB);
    cr_expect_eq(os.calls, 5);
    dvi_memory_release(&memory);
    dvi_map_release(&map);
}

Test(map_pread, interrupted_and_short_reads_are_made_again)
{
    const dvt_path path = new_file("f", 10000);
    dvi_map *map = open_map(&path);
    dvi_memory *memory = NULL;
    os.os_code = EINTR;
    os.fails = 3;
    os.most = 999;
    expect_span(map, 0, 10000, &memory);
    cr_expect_eq(os.calls, 3 + 11);
    dvi_memory_release(&memory);
    dvi_map_release(&map);
}

Test(map_pread, a_failing_device_is_an_error)
{
    const dvt_path path = new_file("f", 10);
    dvi_map *map = open_map(&path);
    dvi_memory *memory = NULL;
    dvi_span span;
    dv_error err = DV_ERROR_INIT;
    os.os_code = EIO;
    os.fails = 1;
    cr_expect_eq(dvi_map_span(map, 0, 10, &memory, &span, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, EIO);
    cr_expect_str_not_empty(err.file);
    cr_expect_null(span.data);
    expect_span(map, 0, 10, &memory); /* the device may recover */
    os.fails = 1;
    cr_expect_eq(dvi_map_span(map, 0, 10, &memory, &span, NULL), DV_ERR_IO);
    dvi_memory_release(&memory); /* still ours to release */
    dvi_map_release(&map);
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

/* Bytes that still exist can be read; dvi_map_check reports the truncation. */
static void expect_cut(size_t nbytes, size_t now)
{
    const dvt_path path = new_file("cut", nbytes);
    dvi_map *map = open_map(&path);
    dvi_memory *memory = NULL;
    dvi_span span;
    dvt_file_resize(&path, (int64_t)now);
    dv_error err = DV_ERROR_INIT;
    expect_shrank(dvi_map_span(map, 0, nbytes, &memory, &span, &err), &err, nbytes, now);
    cr_assert_null(span.data);
    expect_shrank(dvi_map_check(map, &err), &err, nbytes, now);
    if (now > 0)
        expect_span(map, 0, now, &memory);
    dvi_memory_release(&memory);
    dvi_map_release(&map);
}

Test(map_pread, a_file_that_shrank_is_an_error)
{
    static const size_t cuts[] = {0, 1, 4096, 5000, MIB, 2 * MIB - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        expect_cut(2 * MIB, cuts[i]);
    expect_cut(10, 9);
}

Test(map_pread, a_copy_that_another_holds_is_left_alone)
{
    const dvt_path path = new_file("f", 200);
    dvi_map *map = open_map(&path);
    dvi_memory *memory = NULL;
    expect_span(map, 0, 100, &memory);
    const uint8_t *kept = memory->data;
    dv_owner *owner = &memory->owner;
    dvi_owner_retain(owner);
    expect_span(map, 100, 100, &memory);
    cr_expect_neq(memory->data, kept);
    cr_expect(dvt_is_pattern(kept, 100, 0));
    dvi_owner_release(owner);
    dvi_memory_release(&memory);
    dvi_map_release(&map);
}

Test(map_pread, a_hint_reads_nothing)
{
    const dvt_path path = new_file("f", 200);
    dvi_map *map = open_map(&path);
    dvi_map_advise(map, 0, INT64_MAX);
    dvi_map_advise(map, 200, 1);
    dvi_map_advise(map, -1, 1);
    cr_expect_eq(os.calls, 0);
    dvi_map_release(&map);
}
