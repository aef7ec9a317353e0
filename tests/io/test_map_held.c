/* SPDX-License-Identifier: MIT */
/* test_map_held.c: a map that is held reads each page once, and gives the bytes of the file. */
#include "base/compiler.h"
#include "io/map.h"
#include "support/file.h"
#include "support/test.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define LARGE (9 * PAGE + 5)

static const dv_io both[] = {DV_IO_MMAP, DV_IO_PREAD};
static dvt_path folder;
static int preads; /* calls */

ssize_t pread(int fd, void *dst, size_t nbytes, off_t offset)
{
    preads++;
    DVI_WRITTEN(dst, nbytes);
    return syscall(SYS_pread64, fd, dst, nbytes, offset);
}

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(map_held, .init = make_folder, .fini = remove_folder, .timeout = 60);

static dvi_map *hold(size_t nbytes, dv_io io, dvi_map_common *common)
{
    dvi_map *map;
    dv_error err = DV_ERROR_INIT;
    const dvt_path path = dvt_path_in(&folder, "f");
    dvt_file_pattern(&path, nbytes);
    cr_assert_eq(dvi_map_open_held(&map, path.text, io, common, NULL, &err), DV_OK, "%s",
                 err.message);
    preads = 0;
    return map;
}

typedef dv_status get(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                      dvi_span *span_out, dv_error *err);

/* The bytes are right, and lie in memory that others cannot change; how many calls they took. */
static int expect(get *get_bytes, dvi_map *map, size_t offset, size_t nbytes)
{
    dvi_span span;
    dvi_memory *memory = NULL;
    dv_error err = DV_ERROR_INIT;
    const int before = preads;
    cr_assert_eq(get_bytes(map, (int64_t)offset, nbytes, &memory, &span, &err), DV_OK, "%s",
                 err.message);
    cr_expect_eq(span.nbytes, nbytes);
    cr_expect(dvt_is_pattern(span.data, nbytes, offset), "%zu bytes at %zu", nbytes, offset);
    cr_expect(span.is_borrowed || span.owner == &memory->owner);
    dvi_memory_release(&memory);
    return preads - before;
}

Test(map_held, what_was_read_is_not_read_again)
{
    for (int i = 0; i < 2; i++) {
        dvi_map_common common = {.device = 0};
        dvi_map *map = hold(LARGE, both[i], &common);
        cr_expect_eq(expect(dvi_map_copy, map, 0, 512), 1);
        cr_expect_eq(expect(dvi_map_copy, map, 0, 512), 0);
        cr_expect_eq(expect(dvi_map_copy, map, 256, PAGE - 256), 0);
        cr_expect_eq(expect(dvi_map_copy, map, 256, PAGE - 255), 1, "one byte more");
        cr_expect_eq(expect(dvi_map_copy, map, 255, 2), 1, "and one before");
        cr_expect_eq(expect(dvi_map_copy, map, LARGE - 8, 8), 1);
        cr_expect_eq(expect(dvi_map_copy, map, LARGE - 1, 1), 0);
        cr_expect_eq(expect(dvi_map_copy, map, LARGE, 0), 0);
        cr_expect_eq(expect(dvi_map_copy, map, 0, PAGE + 1), 1);
        cr_expect_eq(expect(dvi_map_copy, map, 0, PAGE + 1), 1, "too much to be held");
        dvi_map_release(&map);
        dvi_map_common_free(&common);
    }
}

Test(map_held, what_is_announced_is_read_at_once)
{
    for (int i = 0; i < 2; i++) {
        dvi_map_common common = {.device = 0};
        dvi_map *map = hold(LARGE, both[i], &common);
        dvi_map_announce(map, &(dvi_range){LARGE - 2 * PAGE, 2 * PAGE}, 1);
        cr_expect_eq(preads, 1);
        cr_expect_eq(expect(dvi_map_copy, map, LARGE - 8, 8), 0);
        cr_expect_eq(expect(dvi_map_copy, map, LARGE - 2 * PAGE, PAGE), 0);
        dvi_map_announce(map, &(dvi_range){LARGE - PAGE, PAGE}, 1);
        dvi_map_announce(map, &(dvi_range){0, LARGE}, 1);
        dvi_map_announce(map, (const dvi_range[]){{0, 8}, {16, 8}}, 2);
        cr_expect_eq(preads, 1, "it is there; it is large; they are several");
        dvi_map_settle(map, &common);
        dvi_map_announce(map, &(dvi_range){0, 8}, 1);
        cr_expect_eq(preads, 1);
        dvi_map_release(&map);
        dvi_map_common_free(&common);
    }
}

/* Bytes that a caller keeps do not change when the map reads others, nor when the next one does. */
Test(map_held, memory_is_the_holders)
{
    for (int i = 0; i < 2; i++) {
        dvi_span first, second;
        dvi_memory *one = NULL, *two = NULL;
        dv_error err = DV_ERROR_INIT;
        dvi_map_common common = {.device = 0};
        dvi_map *map = hold(LARGE, both[i], &common);
        cr_assert_eq(dvi_map_copy(map, 3, 64, &one, &first, &err), DV_OK);
        cr_assert_eq(dvi_map_copy(map, 2 * PAGE + 1, 64, &two, &second, &err), DV_OK);
        dvi_map_settle(map, &common);
        dvi_map_release(&map);
        map = hold(PAGE, both[i], &common);
        cr_expect_eq(expect(dvi_map_copy, map, 100, 900), 1);
        cr_expect(dvt_is_pattern(first.data, 64, 3));
        cr_expect(dvt_is_pattern(second.data, 64, 2 * PAGE + 1));
        dvi_memory_release(&one);
        dvi_memory_release(&two);
        dvi_map_release(&map);
        dvi_map_common_free(&common);
    }
}

Test(map_held, a_small_file_is_read_instead_of_mapped)
{
    for (size_t nbytes = PAGE; nbytes <= PAGE + 1; nbytes++) {
        const bool is_small = nbytes == PAGE;
        dvi_map_common common = {.device = 0};
        dvi_map *map = hold(nbytes, DV_IO_MMAP, &common);
        cr_expect_eq(expect(dvi_map_span, map, 0, 3), is_small);
        cr_expect_eq(expect(dvi_map_span, map, 9, PAGE - 9), 0);
        dvi_map_settle(map, &common);
        cr_expect_eq(expect(dvi_map_span, map, 9, PAGE - 9), 0, "it is mapped");
        dvi_map_release(&map);
        dvi_map_common_free(&common);
    }
}

/* Bytes that came later, and those of a file that was cut, are looked for in the file. */
Test(map_held, a_file_that_changes)
{
    for (int i = 0; i < 2; i++) {
        dvi_span span;
        dvi_memory *memory = NULL;
        dv_error err = DV_ERROR_INIT;
        dvi_map_common common = {.device = 0};
        dvi_map *map = hold(100, both[i], &common);
        cr_expect_eq(expect(dvi_map_copy, map, 0, 100), 1);
        const dvt_path path = dvt_path_in(&folder, "f");
        dvt_file_pattern(&path, 200);
        int64_t nbytes;
        cr_assert_eq(dvi_map_reach(map, 100, &nbytes, &err), DV_OK);
        cr_expect_eq(nbytes, 200);
        cr_expect_eq(expect(dvi_map_copy, map, 0, 200), 1);
        cr_assert_eq(truncate(path.text, 150), 0);
        cr_expect_eq(expect(dvi_map_copy, map, 0, 200), 0);
        dvi_map_settle(map, &common);
        cr_expect_eq(dvi_map_copy(map, 0, 200, &memory, &span, &err), DV_ERR_IO);
        cr_expect_eq(err.offset, 150);
        dvi_memory_release(&memory);
        dvi_map_release(&map);
        dvi_map_common_free(&common);
    }
}
