/* SPDX-License-Identifier: MIT */
/* test_writer.c: a file appears complete, at its path, with the bytes written (writer.h). */
#include "io/writer.h"
#include "support/test.h"
#include "support/written.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(writer, .init = make_folder, .fini = remove_folder);

static dvt_path in(const char *name)
{
    return dvt_path_in(&folder, name);
}

/* --- Bytes ------------------------------------------------------------------------------------ */

Test(writer, a_file_appears_at_commit)
{
    const dvt_path path = in("out.bin");
    dv_error err = DV_ERROR_INIT;
    dvi_writer *writer;
    cr_assert_eq(dvi_writer_create(&writer, path.text, true, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dvi_writer_offset(writer), 0);
    cr_expect_eq(dvi_writer_write(writer, "abcdef", 6, &err), DV_OK);
    cr_expect_eq(dvi_writer_pad(writer, 2, &err), DV_OK);
    cr_expect_eq(dvi_writer_write(writer, NULL, 0, &err), DV_OK);
    cr_expect_eq(dvi_writer_write_at(writer, 1, "XY", 2, &err), DV_OK);
    cr_expect_eq(dvi_writer_write_at(writer, 8, NULL, 0, &err), DV_OK);
    cr_expect_eq(dvi_writer_offset(writer), 8);
    cr_expect_neq(access(path.text, F_OK), 0);
    cr_expect_eq(dvi_writer_commit(writer, &err), DV_OK, "%s", err.message);
    dvi_writer_close(&writer);
    cr_expect_null(writer);
    dvi_writer_close(&writer);
    cr_expect(dvt_file_holds(&path, "aXYdef\0", 8));
}

Test(writer, an_empty_file_is_a_file)
{
    dv_error err;
    cr_expect_eq(dvt_written(in("out.bin").text, "", &err), DV_OK);
    const dvt_path path = in("out.bin");
    cr_expect(dvt_file_holds(&path, "", 0));
}

Test(writer, nothing_is_left_without_commit)
{
    const dvt_path path = in("out.bin");
    dvi_writer *writer;
    dvt_file_write(&path, "old", 3);
    cr_assert_eq(dvi_writer_create(&writer, path.text, true, NULL, NULL), DV_OK);
    cr_expect_eq(dvt_folder_entries(&folder), 2);
    cr_expect_eq(dvi_writer_write(writer, "new", 3, NULL), DV_OK);
    dvi_writer_close(&writer);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    cr_expect(dvt_file_holds(&path, "old", 3));
}

/* Writes of every length around that of the gathered bytes, and replacements before, in and across
 * these, in a file and in memory. */
static void write_runs(dvi_writer *writer, const uint8_t *data, size_t *n_out)
{
    static const size_t runs[] = {1, 1000, MIB - 1001, 1,     MIB - 1, MIB, 5, MIB + 1,
                                  3, 0,    2 * MIB,    12345, MIB - 3, 1,   2, 777};
    static const size_t places[] = {0, 10, 5000};
    size_t n = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        uint8_t *spoiled = malloc(runs[i] + 1);
        memset(spoiled, 0xEE, runs[i]);
        cr_expect_eq(dvi_writer_write(writer, spoiled, runs[i], NULL), DV_OK);
        free(spoiled);
        for (size_t at = n, end = n + runs[i]; at < end;) {
            const size_t count = end - at < 300000 ? end - at : 300000;
            cr_expect_eq(dvi_writer_write_at(writer, (int64_t)at, data + at, count, NULL), DV_OK);
            at += count;
        }
        n += runs[i];
        for (size_t k = 0; k < 3; k++)
            if (places[k] + 100 <= n)
                cr_expect_eq(dvi_writer_write_at(writer, (int64_t)(n - 100 - places[k]),
                                                 data + (n - 100 - places[k]), 100, NULL),
                             DV_OK);
    }
    cr_expect_eq(dvi_writer_offset(writer), (int64_t)n);
    *n_out = n;
}

Test(writer, writes_of_every_length_arrive)
{
    const dvt_path path = in("out.bin");
    uint8_t *data = dvt_pattern(16 * MIB);
    dvi_writer *writer;
    dv_buffer buffer;
    size_t n;
    cr_assert_eq(dvi_writer_create(&writer, path.text, false, NULL, NULL), DV_OK);
    write_runs(writer, data, &n);
    cr_expect_eq(dvi_writer_commit(writer, NULL), DV_OK);
    dvi_writer_close(&writer);
    cr_expect(dvt_file_holds(&path, data, n));

    cr_assert_eq(dvi_writer_create_memory(&writer, INT64_MAX, "limit", NULL, NULL), DV_OK);
    write_runs(writer, data, &n);
    cr_expect_eq(dvi_writer_commit(writer, NULL), DV_OK);
    dvi_writer_take(writer, &buffer);
    dvi_writer_close(&writer);
    cr_expect(buffer.nbytes == n && memcmp(buffer.data, data, n) == 0);
    cr_expect_not(buffer.is_borrowed);
    dv_buffer_release(&buffer);
    free(data);
}

Test(writer, memory_has_a_limit)
{
    dv_error err = DV_ERROR_INIT;
    dv_buffer buffer;
    dvi_writer *writer;
    cr_assert_eq(dvi_writer_create_memory(&writer, 10, "ten", NULL, NULL), DV_OK);
    dvi_writer_take(writer, &buffer);
    cr_expect_eq(buffer.nbytes, 0);
    cr_expect_eq(dvi_writer_write(writer, "0123456789", 10, &err), DV_OK);
    cr_expect_eq(dvi_writer_write(writer, "", 0, &err), DV_OK);
    cr_expect_eq(dvi_writer_write(writer, "x", 1, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "ten");
    cr_expect_str_empty(err.file);
    cr_expect_eq(dvi_writer_commit(writer, &err), DV_ERR_LIMIT);
    dvi_writer_close(&writer);
}

#ifdef NDEBUG
Test(writer, only_what_was_written_can_be_replaced)
{
    dv_error err = DV_ERROR_INIT;
    dvi_writer *writer;
    cr_assert_eq(dvi_writer_create_memory(&writer, 100, "limit", NULL, NULL), DV_OK);
    cr_expect_eq(dvi_writer_write(writer, "0123", 4, &err), DV_OK);
    cr_expect_eq(dvi_writer_write_at(writer, 3, "xy", 2, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dvi_writer_write_at(writer, -1, "x", 1, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dvi_writer_write_at(writer, 5, "", 0, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dvi_writer_write(writer, "4", 1, &err), DV_OK);
    dvi_writer_close(&writer);
}
#endif

/* --- No room ---------------------------------------------------------------------------------- */

/* Bytes that do not compress into the limits below. */
static dv_status save_large(const dvt_path *path, dv_error *err)
{
    uint8_t *data = dvt_pattern(4 * MIB);
    dvi_writer *writer;
    *err = (dv_error)DV_ERROR_INIT;
    dv_status status = dvi_writer_create(&writer, path->text, true, NULL, err);
    for (size_t at = 0; at < 4 * MIB && status == DV_OK; at += 1000)
        status = dvi_writer_write(writer, data + at, 1000, err);
    if (status == DV_OK)
        status = dvi_writer_commit(writer, err);
    dvi_writer_close(&writer);
    free(data);
    return status;
}

Test(writer, a_full_disk_keeps_the_old_file)
{
    dv_error err;
    if (!dvt_mount_small(&folder, "size=2m"))
        cr_skip_test("a small disk cannot be mounted here");
    const dvt_path path = in("out.bin");
    cr_expect(dvt_is_written(path.text));
    cr_expect_eq(save_large(&path, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOSPC);
    cr_expect(strstr(err.message, "make room"), "%s", err.message);
    cr_expect(dvt_file_holds(&path, "new", 3));
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    cr_expect(dvt_is_written(path.text));
    cr_expect_eq(umount(folder.text), 0);
}

Test(writer, a_disk_of_read_only_files_is_refused)
{
    if (!dvt_mount_small(&folder, "size=2m"))
        cr_skip_test("a small disk cannot be mounted here");
    const dvt_path path = in("out.bin");
    dvt_file_write(&path, "old", 3);
    cr_assert_eq(mount("none", folder.text, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    cr_expect(dvt_is_refused(path.text, EROFS));
    cr_expect(dvt_is_refused(in("new.bin").text, EROFS));
    cr_expect_eq(umount(folder.text), 0);
}

/* The same without privileges: a limit on the length of files. */
Test(writer, a_limit_of_file_size_keeps_the_old_file)
{
    struct rlimit before, less;
    dv_error err;
    const dvt_path path = in("out.bin");
    cr_expect(dvt_is_written(path.text));
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    less = before;
    less.rlim_cur = 2 * MIB;
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &less), 0);
    const dv_status status = save_large(&path, &err);
    cr_expect_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    cr_expect_eq(status, DV_ERR_IO);
    cr_expect_eq(err.os_code, EFBIG);
    cr_expect(strstr(err.message, "ulimit -f"), "%s", err.message);
    cr_expect(dvt_file_holds(&path, "new", 3));
    cr_expect_eq(dvt_folder_entries(&folder), 1);
}
