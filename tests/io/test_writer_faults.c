/* SPDX-License-Identifier: MIT */
/* test_writer_faults.c: the file is the old or the new one after any call fails or is the last one
 * (writer.h). */
#include "io/writer.h"
#include "support/allocator.h"
#include "support/faults.h"
#include "support/file.h"
#include "support/saves.h"
#include "support/test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MIB ((size_t)1 << 20)

/* A header, small and large writes, and the header again. */
static dv_status write_parts(dvi_writer *writer, const uint8_t *data, size_t n, dv_error *err)
{
    const size_t large = MIB + 77;
    dvi_writer_pad(writer, 100, err);
    for (size_t at = 100; at < n;) {
        const size_t count = at == 100 + 64 * 1000 ? large : 1000;
        const size_t left = n - at;
        dvi_writer_write(writer, data + at, count < left ? count : left, err);
        at += count < left ? count : left;
    }
    dvi_writer_write_at(writer, 0, data, 100, err);
    return dvi_writer_commit(writer, err);
}

typedef struct job {
    const uint8_t *data;
    size_t nbytes;
    bool sync;
} job;

static dv_status save(void *ctx, const char *path, dv_error *err)
{
    const job *j = ctx;
    dvi_writer *writer;
    const dv_status created = dvi_writer_create(&writer, path, j->sync, NULL, err);
    if (created != DV_OK)
        return created;
    const dv_status status = write_parts(writer, j->data, j->nbytes, err);
    dvi_writer_close(&writer);
    return status;
}

static void check_each(bool sync, dvt_fault fault, int os_code)
{
    const size_t nbytes = MIB + 300000;
    uint8_t *data = dvt_pattern(nbytes);
    job j = {data, nbytes, sync};
    const dvt_saves saves = {save, &j, data, nbytes};
    int64_t last;
    const char *wrong = fault == DVT_FAULT_KILL
                            ? dvt_saves_check_kills(&saves, &last)
                            : dvt_saves_check_faults(&saves, fault, os_code, &last);
    cr_expect_null(wrong, "%s", wrong);
    cr_expect_gt(last, 20, "%d", (int)last);
    free(data);
}

/* Each entry is a test: its name, the fault, errno. */
#define FAULT_LIST(X)                                                                              \
    X(failing_disk, DVT_FAULT_ERROR, EIO)                                                          \
    X(full_disk, DVT_FAULT_ERROR, ENOSPC)                                                          \
    X(quota, DVT_FAULT_ERROR, EDQUOT)                                                              \
    X(no_permission, DVT_FAULT_ERROR, EACCES)                                                      \
    X(dead_disk, DVT_FAULT_FROM, EIO)                                                              \
    X(interrupted, DVT_FAULT_ERROR, EINTR)                                                         \
    X(half_a_write, DVT_FAULT_SHORT, 0)                                                            \
    X(killed, DVT_FAULT_KILL, 0)

#define FAULT_TEST(name, fault, os_code)                                                           \
    Test(writer_faults, name)                                                                      \
    {                                                                                              \
        check_each(true, fault, os_code);                                                          \
        check_each(false, fault, os_code);                                                         \
    }
FAULT_LIST(FAULT_TEST)

/* --- One call --------------------------------------------------------------------------------- */

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(writer_call, .init = make_folder, .fini = remove_folder);

/* Save a few bytes to `out.bin`, with a fault in call number `at` of the function `call`. */
static dv_status save_spoiled(bool sync, const char *call, int64_t at, dvt_fault fault, int os_code,
                              int64_t *calls_out, dv_error *err)
{
    const dvt_path path = dvt_path_in(&folder, "out.bin");
    uint8_t data[1000] = {7};
    job j = {data, sizeof data, sync};
    *err = (dv_error)DV_ERROR_INIT;
    dvt_faults_start_at(call, at, fault, os_code);
    const dv_status status = save(&j, path.text, err);
    *calls_out = dvt_faults_stop();
    return status;
}

Test(writer_call, syncs_the_file_before_the_rename_and_the_folder_after)
{
    dv_error err;
    int64_t calls;
    cr_expect_eq(save_spoiled(false, "fsync", 1, DVT_FAULT_NONE, 0, &calls, &err), DV_OK);
    cr_expect_eq(calls, 0);
    cr_expect_eq(save_spoiled(true, "fsync", 1, DVT_FAULT_NONE, 0, &calls, &err), DV_OK);
    cr_expect_eq(calls, 2);

    dvt_folder_remove(&folder);
    folder = dvt_folder_create();
    cr_expect_eq(save_spoiled(true, "fsync", 1, DVT_FAULT_ERROR, EIO, &calls, &err), DV_ERR_IO);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    cr_expect_eq(save_spoiled(true, "fsync", 2, DVT_FAULT_ERROR, EIO, &calls, &err), DV_ERR_IO);
    cr_expect(strstr(err.message, "out.bin: saved, but"), "%s", err.message);
    cr_expect_eq(err.os_code, EIO);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    /* A file system that does not sync folders need not. */
    cr_expect_eq(save_spoiled(true, "fsync", 2, DVT_FAULT_ERROR, EINVAL, &calls, &err), DV_OK);
}

/* Names are swapped only without sync, and if an old file exists. If that fails, or the old file
 * then cannot be removed, it is replaced by a rename. */
Test(writer_call, swaps_names_without_sync)
{
    dv_error err;
    int64_t calls;
    cr_expect_eq(save_spoiled(false, "dvi_os_swap_names", 1, DVT_FAULT_NONE, 0, &calls, &err),
                 DV_OK);
    cr_expect_eq(calls, 0);
    cr_expect_eq(save_spoiled(false, "dvi_os_swap_names", 1, DVT_FAULT_NONE, 0, &calls, &err),
                 DV_OK);
    cr_expect_eq(calls, 1);
    cr_expect_eq(save_spoiled(false, "renameat", 1, DVT_FAULT_NONE, 0, &calls, &err), DV_OK);
    cr_expect_eq(calls, 0);
    cr_expect_eq(save_spoiled(true, "dvi_os_swap_names", 1, DVT_FAULT_NONE, 0, &calls, &err),
                 DV_OK);
    cr_expect_eq(calls, 0);

    cr_expect_eq(save_spoiled(false, "dvi_os_swap_names", 1, DVT_FAULT_ERROR, EINVAL, &calls, &err),
                 DV_OK);
    cr_expect_eq(save_spoiled(false, "unlinkat", 1, DVT_FAULT_ERROR, EIO, &calls, &err), DV_OK);
    cr_expect_eq(calls, 1);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
}

Test(writer_call, a_close_that_loses_bytes_fails_without_sync_too)
{
    dv_error err;
    int64_t calls;
    for (int64_t at = 1; at <= 5; at++) {
        const dv_status status =
            save_spoiled(false, "close", at, DVT_FAULT_ERROR, ENOSPC, &calls, &err);
        if (status != DV_OK) {
            cr_expect_eq(status, DV_ERR_IO);
            cr_expect_eq(err.os_code, ENOSPC);
            cr_expect_eq(dvt_folder_entries(&folder), at == 1 ? 0 : 1);
            return;
        }
        cr_expect_neq(calls, at - 1, "no close failed the save");
    }
    cr_expect_fail("no close failed the save");
}

Test(writer_call, a_write_that_writes_nothing_ends_the_save)
{
    dv_error err;
    int64_t calls;
    cr_expect_eq(save_spoiled(true, "pwrite", 1, DVT_FAULT_ZERO, 0, &calls, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, EIO);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
}

Test(writer_call, file_systems_without_locks_are_saved_to)
{
    static const int codes[] = {ENOSYS, EOPNOTSUPP, ENOLCK};
    dv_error err;
    int64_t calls;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        cr_expect_eq(save_spoiled(true, "flock", 1, DVT_FAULT_ERROR, codes[i], &calls, &err), DV_OK,
                     "%s", err.message);
}

/* If another saver holds the lock, or the name exists, another name is drawn. */
Test(writer_call, a_name_that_is_taken_is_drawn_again)
{
    dv_error err;
    int64_t calls;
    cr_expect_eq(save_spoiled(true, "flock", 1, DVT_FAULT_ERROR, EWOULDBLOCK, &calls, &err), DV_OK);
    cr_expect_eq(calls, 2);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    /* The first openat lists the folder, the second creates the file. */
    cr_expect_eq(save_spoiled(true, "openat", 2, DVT_FAULT_ERROR, EEXIST, &calls, &err), DV_OK);
    cr_expect_eq(calls, 3);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    cr_expect_eq(save_spoiled(true, "openat", 2, DVT_FAULT_FROM, EEXIST, &calls, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, EEXIST);
    cr_expect_eq(calls, 101, "a hundred names");
    cr_expect_eq(save_spoiled(true, "getrandom", 1, DVT_FAULT_ERROR, ENOSYS, &calls, &err), DV_OK);
}

Test(writer_call, errors_give_advice)
{
    static const struct {
        int os_code;
        const char *advice;
    } cases[] = {
        {ENOSPC, "make room"}, {EDQUOT, "quota"},     {EFBIG, "ulimit -f"},
        {EIO, "disk may"},     {EACCES, "elsewhere"}, {EROFS, "a disk that can be written"},
        {EINVAL, "Invalid"},
    };
    dv_error err;
    int64_t calls;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int os_code = cases[i].os_code;
        cr_expect_eq(save_spoiled(true, "pwrite", 1, DVT_FAULT_ERROR, os_code, &calls, &err),
                     DV_ERR_IO);
        cr_expect_eq(err.os_code, os_code);
        cr_expect(strstr(err.message, "out.bin: cannot be written"), "%s", err.message);
        cr_expect(strstr(err.message, cases[i].advice), "%s", err.message);
        cr_expect_eq(dvt_folder_entries(&folder), 0);
    }
}

/* The system writes at most 2 GiB per call. Here pwrite is simulated, and no byte is read. */
Test(writer_call, five_gigabytes_take_several_calls)
{
    const size_t nbytes = (size_t)5 << 30;
    const dvt_path path = dvt_path_in(&folder, "out.bin");
    void *data = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        cr_skip_test("no addresses for 5 GiB");
    dv_error err = DV_ERROR_INIT;
    dvi_writer *writer;
    cr_assert_eq(dvi_writer_create(&writer, path.text, true, NULL, &err), DV_OK);
    dvt_faults_start_at("pwrite", 1, DVT_FAULT_PRETEND, 0);
    cr_expect_eq(dvi_writer_write(writer, "head", 4, &err), DV_OK);
    cr_expect_eq(dvi_writer_write(writer, data, nbytes, &err), DV_OK);
    dvt_faults_stop();
    cr_expect_leq(dvt_faults_widest(), (int64_t)1 << 30);
    cr_expect_eq(dvt_faults_end(), (int64_t)nbytes + 4);
    cr_expect_eq(dvi_writer_offset(writer), (int64_t)nbytes + 4);
    dvi_writer_close(&writer);
    munmap(data, nbytes);
}

/* --- Allocations ------------------------------------------------------------------------------ */

Test(writer_faults, memory_may_run_out)
{
    const dvt_path where = dvt_folder_create();
    const dvt_path path = dvt_path_in(&where, "out.bin");
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_ERR_MEMORY;
    int64_t k = 1;
    for (; status == DV_ERR_MEMORY && k < 100; k++) {
        dvt_allocator counted;
        dvi_writer *writer;
        dvt_allocator_init(&counted, k);
        status = dvi_writer_create(&writer, path.text, true, &counted.allocator, &err);
        cr_expect_eq(status == DV_OK, writer != NULL);
        cr_expect_eq(dvt_folder_entries(&where), status == DV_OK ? 1 : 0);
        dvi_writer_close(&writer);
        cr_expect_eq(counted.live, 0);
        cr_expect_eq(dvt_folder_entries(&where), 0);
    }
    cr_expect_eq(status, DV_OK);
    cr_expect_eq(k, 4, "two allocations");
    dvt_path gone = where;
    dvt_folder_remove(&gone);
}

static dv_status fill_memory(dvt_allocator *counted, dv_error *err)
{
    dvi_writer *writer;
    uint8_t data[5000] = {1};
    dv_status status =
        dvi_writer_create_memory(&writer, INT64_MAX, "limit", &counted->allocator, err);
    for (int i = 0; i < 20 && status == DV_OK; i++)
        status = dvi_writer_write(writer, data, sizeof data, err);
    /* The first failure stays. */
    cr_expect(!writer || dvi_writer_write(writer, data, 1, err) == status);
    cr_expect(!writer || dvi_writer_pad(writer, 0, err) == status);
    cr_expect(!writer || dvi_writer_write_at(writer, 0, data, 1, err) == status);
    cr_expect(!writer || dvi_writer_commit(writer, err) == status);
    dvi_writer_close(&writer);
    return status;
}

Test(writer_faults, memory_of_a_file_in_memory_may_run_out)
{
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_ERR_MEMORY;
    int64_t k = 1;
    for (; status == DV_ERR_MEMORY && k < 100; k++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        status = fill_memory(&counted, &err);
        cr_expect_eq(counted.live, 0);
    }
    cr_expect_eq(status, DV_OK);
    cr_expect_gt(k, 4);
}
