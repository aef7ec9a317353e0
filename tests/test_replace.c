/* SPDX-License-Identifier: MIT */
/* test_replace.c: in every format that can be written, a replaced file is the complete old or new
 * one, whatever fails (save.h). */
#include "support/allocator.h"
#include "support/faults.h"
#include "support/golden_files.h"
#include "support/saved.h"
#include "support/saves.h"
#include "support/test.h"
#include "support/written.h"
#include <dataview/save.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

/* A file opened, and saved with these options. */
typedef struct job {
    dvt_path source;
    dv_open_options open;
    dv_save_options save;
} job;

static dv_status open_and_save(void *ctx, const char *path, dv_error *err)
{
    const job *j = ctx;
    dv_view *view;
    const dv_status opened = dv_open(&view, j->source.text, &j->open, err);
    if (opened != DV_OK)
        return opened;
    const dv_status status = dv_save(view, path, &j->save, err);
    dv_view_release(&view);
    return status;
}

static job make_job(const char *format, const char *source, dv_io io, int32_t threads)
{
    job j = {.source = dvt_test_path(source),
             .open = DV_OPEN_OPTIONS_INIT,
             .save = DV_SAVE_OPTIONS_INIT};
    j.open.io = io;
    j.save.format = format;
    j.save.threads = threads;
    j.save.rows_per_block = 100;
    return j;
}

/* What the job's file holds. */
static dv_buffer bytes_of(const job *j)
{
    dv_view *view;
    dv_buffer buffer;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open(&view, j->source.text, &j->open, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_save_memory(view, &buffer, &j->save, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    return buffer;
}

/* name, format, a file that is not of that format alone, io, threads */
#define JOB_LIST(X)                                                                                \
    X(idv_mapped, "idv", "golden/idv/people.idv", DV_IO_MMAP, 1)                                   \
    X(idv_copied, "idv", "golden/idv/people.idv", DV_IO_PREAD, 1)                                  \
    X(idv_threads, "idv", "golden/idv/people.idv", DV_IO_MMAP, 3)                                  \
    X(btable, "btable", "golden/btable/random-00.btable", DV_IO_MMAP, 1)                           \
    X(text, "text", "golden/idv/people.idv", DV_IO_MMAP, 1)

static void check_faults(job j, dvt_fault fault, int os_code)
{
    dv_buffer buffer = bytes_of(&j);
    const dvt_saves saves = {open_and_save, &j, buffer.data, buffer.nbytes};
    const char *wrong = dvt_saves_check_faults(&saves, fault, os_code, NULL);
    cr_expect_null(wrong, "%s", wrong);
    dv_buffer_release(&buffer);
}

#define FAULT_TEST(name, format, source, io, threads)                                              \
    Test(replace, name##_while_calls_fail)                                                         \
    {                                                                                              \
        static const int codes[] = {EIO, ENOSPC, EINTR, EACCES};                                   \
        for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)                                  \
            check_faults(make_job(format, source, io, threads), DVT_FAULT_ERROR, codes[i]);        \
        check_faults(make_job(format, source, io, threads), DVT_FAULT_SHORT, 0);                   \
    }
JOB_LIST(FAULT_TEST)

#define KILL_TEST(name, format, source, io, threads)                                               \
    Test(replace, name##_by_a_killed_process)                                                      \
    {                                                                                              \
        job j = make_job(format, source, io, threads);                                             \
        dv_buffer buffer = bytes_of(&j);                                                           \
        const dvt_saves saves = {open_and_save, &j, buffer.data, buffer.nbytes};                   \
        int64_t last = 0;                                                                          \
        const char *wrong = dvt_saves_check_kills(&saves, &last);                                  \
        cr_expect_null(wrong, "%s", wrong);                                                        \
        cr_expect_gt(last, 20);                                                                    \
        dv_buffer_release(&buffer);                                                                \
    }
JOB_LIST(KILL_TEST)

/* --- A full disk -------------------------------------------------------------------------------
 */

static void fill_disk(const dvt_path *folder, const dvt_path *path, job *j)
{
    dv_error err = DV_ERROR_INIT;
    cr_expect(dvt_is_written(path->text));
    cr_expect_eq(open_and_save(j, path->text, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOSPC);
    cr_expect(strstr(err.message, "make room"), "%s", err.message);
    cr_expect(dvt_file_holds(path, "new", 3));
    cr_expect_eq(dvt_folder_entries(folder), 1);
}

#define FULL_TEST(name, format, source, io, threads)                                               \
    Test(replace, name##_on_a_full_disk)                                                           \
    {                                                                                              \
        dvt_path folder = dvt_folder_create();                                                     \
        const dvt_path path = dvt_path_in(&folder, "out.bin");                                     \
        job j = make_job(format, source, io, threads);                                             \
        if (!dvt_mount_small(&folder, "size=8k"))                                                  \
            cr_skip_test("a small disk cannot be mounted here");                                   \
        fill_disk(&folder, &path, &j);                                                             \
        cr_expect_eq(umount(folder.text), 0);                                                      \
        dvt_folder_remove(&folder);                                                                \
    }
JOB_LIST(FULL_TEST)

/* --- The file that the view itself is of -------------------------------------------------------
 */

static void save_onto_itself(dv_io io)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "people.idv");
    size_t nbytes;
    uint8_t *data = dvt_file_read(dvt_test_path("golden/idv/people.idv").text, &nbytes);
    dvt_file_write(&path, data, nbytes);
    free(data);

    dv_view *view, *again;
    dv_error err = DV_ERROR_INIT;
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    open.io = io;
    save.compression = DV_COMPRESSION_DEFLATE;
    save.rows_per_block = 7;
    cr_assert_eq(dv_open(&view, path.text, &open, &err), DV_OK);
    dvt_lines before = dvt_lines_of(view);
    cr_expect_eq(dv_save(view, path.text, &save, &err), DV_OK, "%s", err.message);
    dvt_lines after = dvt_lines_of(view);
    cr_expect_str_empty(dvt_lines_difference(&before, &after));
    cr_assert_eq(dv_open(&again, path.text, &open, &err), DV_OK, "%s", err.message);
    dvt_lines saved = dvt_lines_of(again);
    cr_expect_str_empty(dvt_lines_difference(&before, &saved));
    dvt_lines_free(&before);
    dvt_lines_free(&after);
    dvt_lines_free(&saved);
    dv_view_release(&view);
    dv_view_release(&again);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dvt_folder_remove(&folder);
}

Test(replace, the_file_that_is_read)
{
    save_onto_itself(DV_IO_MMAP);
    save_onto_itself(DV_IO_PREAD);
}

/* --- Which format ------------------------------------------------------------------------------
 */

Test(replace, each_way_to_name_no_format)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path odd = dvt_path_in(&folder, "out.odd"), idv = dvt_path_in(&folder, "out.idv");
    dv_view *view = dvt_golden_open("idv/people.idv", NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT, wrong = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_buffer buffer;
    cr_expect_eq(dv_save(view, odd.text, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "out.odd: which format?") && strstr(err.message, "idv"), "%s",
              err.message);
    cr_expect_eq(dv_save_check(view, odd.text, NULL, NULL, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_save_check(view, NULL, NULL, NULL, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_save_memory(view, &buffer, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_null(buffer.data);
    options.format = "odd";
    cr_expect_eq(dv_save(view, idv.text, &options, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "unknown format \"odd\""), "%s", err.message);
    wrong.size = 0;
    cr_expect_eq(dv_save(view, idv.text, &wrong, &err), DV_ERR_ARGUMENT);
    wrong.size = sizeof wrong;
    wrong.align = 3;
    cr_expect_eq(dv_save_memory(view, &buffer, &wrong, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_save_check(view, idv.text, &wrong, NULL, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dvt_folder_entries(&folder), 0);

    options.format = "idv";
    cr_expect_eq(dv_save_check(view, NULL, &options, NULL, NULL, &err), DV_OK);
    cr_expect_eq(dv_save_check(view, idv.text, NULL, NULL, NULL, &err), DV_OK);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    cr_expect_eq(dv_save(view, odd.text, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_save(view, idv.text, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dvt_folder_entries(&folder), 2);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}
