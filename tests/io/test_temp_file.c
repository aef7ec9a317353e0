/* SPDX-License-Identifier: MIT */
/* test_temp_file.c: files left by crashes are removed, files of other savers stay (writer.h). */
#include "io/writer.h"
#include "support/test.h"
#include "support/written.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(temp_file, .init = make_folder, .fini = remove_folder);

static dvt_path in(const char *name)
{
    return dvt_path_in(&folder, name);
}

/* --- Files left by a crash -------------------------------------------------------------------- */

Test(temp_file, only_files_of_crashes_are_removed)
{
    static const char *const left[] = {".out.bin.dv-abcd", ".out.bin.dv-0Zz9"};
    static const char *const others[] = {
        ".out.bin.dv-abcde", ".out.bin.dv-abc",   ".out.bin.dv-ab_d",
        ".out.bin2.dv-abcd", "out.bin.dv-abcd",   ".out.bin.dv.abcd",
        ".out.bin.dv-abcd.", "..out.bin.dv-abcd", ".other.dv-abcd"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        const dvt_path path = in(left[i]);
        dvt_file_write(&path, "half", 4);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const dvt_path path = in(others[i]);
        dvt_file_write(&path, "mine", 4);
    }
    cr_assert_eq(mkdir(in(".out.bin.dv-dddd").text, 0777), 0);
    cr_assert_eq(mkfifo(in(".out.bin.dv-pppp").text, 0666), 0);
    cr_assert_eq(symlink(".other.dv-abcd", in(".out.bin.dv-llll").text), 0);
    const int others_count = (int)(sizeof others / sizeof *others) + 3;
    cr_expect_eq(dvt_folder_entries(&folder), others_count + 2);

    cr_expect(dvt_is_written(in("out.bin").text));
    cr_expect_eq(dvt_folder_entries(&folder), others_count + 1);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        cr_expect_neq(access(in(left[i]).text, F_OK), 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect_eq(access(in(others[i]).text, F_OK), 0, "%s", others[i]);
}

Test(temp_file, files_of_other_savers_stay)
{
    const dvt_path path = in("out.bin");
    int how;
    dv_error err = DV_ERROR_INIT;
    dvi_writer *first;
    cr_assert_eq(dvi_writer_create(&first, path.text, true, NULL, NULL), DV_OK);
    cr_expect_eq(dvi_writer_write(first, "first", 5, NULL), DV_OK);
    const pid_t other = fork();
    cr_assert_geq(other, 0);
    if (other == 0)
        _exit(dvt_written(path.text, "second", &err) == DV_OK ? 0 : 1);
    cr_assert_eq(waitpid(other, &how, 0), other);
    cr_expect(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    cr_expect(dvt_file_holds(&path, "second", 6));
    cr_expect_eq(dvt_folder_entries(&folder), 2);
    cr_expect_eq(dvi_writer_commit(first, NULL), DV_OK);
    cr_expect(dvt_file_holds(&path, "first", 5));
    dvi_writer_close(&first);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
}

/* A file that cannot be opened is not removed, and a save succeeds nevertheless. */
Test(temp_file, a_file_that_cannot_be_removed_stays)
{
    const dvt_path left = in(".out.bin.dv-abcd");
    const bool was_root = dvt_become_nobody(&folder);
    dvt_file_write(&left, "half", 4);
    chmod(left.text, 0);
    cr_expect(dvt_is_written(in("out.bin").text));
    cr_expect_eq(dvt_folder_entries(&folder), 2);
    if (was_root)
        dvt_become_root();
}

/* A folder of more entries than one listing holds. */
Test(temp_file, many_files_are_looked_through)
{
    char name[40];
    const int64_t most = 9000;
    for (int64_t i = 0; i < most; i++) {
        snprintf(name, sizeof name, ".out.bin.dv-%04d", (int)i);
        const int fd = open(in(name).text, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
        cr_assert_geq(fd, 0);
        close(fd);
    }
    cr_expect(dvt_is_written(in("out.bin").text));
    cr_expect_eq(dvt_folder_entries(&folder), 1);
}

/* --- Changes during a save -------------------------------------------------------------------- */

/* Begin to replace a file, without sync. */
static dvi_writer *begin(const dvt_path *path)
{
    dvi_writer *writer;
    dvt_file_write(path, "old", 3);
    cr_assert_eq(dvi_writer_create(&writer, path->text, false, NULL, NULL), DV_OK);
    cr_expect_eq(dvi_writer_write(writer, "fresh", 5, NULL), DV_OK);
    return writer;
}

Test(temp_file, a_target_that_went_is_made)
{
    const dvt_path path = in("out.bin");
    dvi_writer *writer = begin(&path);
    cr_assert_eq(unlink(path.text), 0);
    cr_expect_eq(dvi_writer_commit(writer, NULL), DV_OK);
    cr_expect(dvt_file_holds(&path, "fresh", 5));
    dvi_writer_close(&writer);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
}

/* Readers that have the old file open keep it. */
Test(temp_file, an_old_file_stays_with_its_readers)
{
    const dvt_path path = in("out.bin");
    char text[8] = "";
    dvi_writer *writer = begin(&path);
    const int fd = open(path.text, O_RDONLY | O_CLOEXEC);
    cr_expect_eq(dvi_writer_commit(writer, NULL), DV_OK);
    cr_expect(dvt_file_holds(&path, "fresh", 5));
    cr_expect_eq(read(fd, text, sizeof text), 3);
    cr_expect_str_eq(text, "old");
    close(fd);
    dvi_writer_close(&writer);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
}

/* A folder could swap its name with a file, but must not. */
Test(temp_file, a_folder_made_meanwhile_stays)
{
    const dvt_path path = in("out.bin");
    dvi_writer *writer = begin(&path);
    struct stat st;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(unlink(path.text), 0);
    cr_assert_eq(mkdir(path.text, 0777), 0);
    cr_expect_eq(dvi_writer_commit(writer, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, EISDIR);
    cr_expect(stat(path.text, &st) == 0 && S_ISDIR(st.st_mode));
    dvi_writer_close(&writer);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
}
