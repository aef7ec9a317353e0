/* SPDX-License-Identifier: MIT */
/* test_disk_folder.c: a folder of blocks keeps its bound, and other files stay (disk_folder.h). */
#include "io/disk_folder.h"
#include "support/kept_source.h"
#include "support/test.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB ((int64_t)1 << 20)
#define BOUND (5 * MIB)

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(disk_folder, .init = make_folder, .fini = remove_folder);

static dvt_path in(const char *name)
{
    return dvt_path_in(&folder, name);
}

static void open_kept(dvt_kept *kept, dvt_kept_counts *counts, const char *name, int64_t nbytes)
{
    cr_assert_eq(dvt_kept_open(kept, &folder, BOUND, name, "1", nbytes, counts, 0), DV_OK);
}

/* --- Which folders ---------------------------------------------------------------------------- */

static dv_status try(const char *path, dv_error *err)
{
    dvi_disk_folder *opened;
    *err = (dv_error)DV_ERROR_INIT;
    const dv_status status = dvi_disk_folder_open(&opened, path, BOUND, NULL, err);
    cr_expect_eq(opened != NULL, status == DV_OK);
    dvi_disk_folder_close(&opened);
    return status;
}

Test(disk_folder, a_folder_of_ones_own)
{
    const dvt_path made = in("made"), link = in("link"), file = in("file");
    struct stat facts;
    dv_error err;
    umask(0);
    cr_expect_eq(try(made.text, &err), DV_OK);
    cr_assert_eq(stat(made.text, &facts), 0);
    cr_expect_eq(facts.st_mode & 0777, 0700);
    cr_expect_eq(try(made.text, &err), DV_OK);
    cr_assert_eq(symlink("made", link.text), 0);
    cr_expect_eq(try(link.text, &err), DV_OK); /* the user named it */

    cr_assert_eq(chmod(made.text, 0770), 0);
    cr_expect_eq(try(made.text, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "other users may write to it"), "%s", err.message);
    cr_assert_eq(chmod(made.text, 0757), 0);
    cr_expect_eq(try(made.text, &err), DV_ERR_ARGUMENT);
    cr_assert_eq(chmod(made.text, 0755), 0);
    cr_expect_eq(try(made.text, &err), DV_OK);

    dvt_file_write(&file, "x", 1);
    cr_expect_eq(try(file.text, &err), DV_ERR_IO);
    cr_expect(strstr(err.message, "file: disk_folder"), "%s", err.message);
    cr_expect_eq(try(in("none/deep").text, &err), DV_ERR_IO);
    cr_expect_eq(try("", &err), DV_ERR_IO);
    if (geteuid() == 0) {
        cr_assert_eq(chown(made.text, 1, 1), 0);
        cr_expect_eq(try(made.text, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "belongs to another user"), "%s", err.message);
    }
}

/* --- The bound -------------------------------------------------------------------------------- */

static int64_t files_nbytes(void)
{
    int64_t blocks, others;
    dvt_kept_files(&folder, ".block", &blocks, NULL);
    dvt_kept_files(&folder, ".new", &others, NULL);
    return blocks + others;
}

Test(disk_folder, the_bound_is_kept)
{
    dvt_kept_counts counts = {0};
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 4; i++) {
            char name[8];
            dvt_kept kept;
            snprintf(name, sizeof name, "%d", i);
            open_kept(&kept, &counts, name, (i + 1) * MIB + 1000);
            for (int64_t at = 0; at < kept.nbytes; at += 100000) {
                cr_expect(dvt_kept_reads(&kept, at, 1000));
                cr_expect_leq(files_nbytes(), BOUND);
            }
            cr_expect_str_eq(dvi_disk_source_counts(kept.source).note, "");
            cr_expect(dvt_kept_close(&kept));
        }
    cr_expect_gt(files_nbytes(), BOUND / 3); /* it is used */
}

/* A sum that is wrong or gone costs a look at the folder, and no block too many. */
Test(disk_folder, a_lost_sum)
{
    const dvt_path sum = in("dv-sum");
    dvt_kept_counts counts = {0};
    for (int i = 0; i < 8; i++) {
        char name[8];
        dvt_kept kept;
        snprintf(name, sizeof name, "%d", i);
        open_kept(&kept, &counts, name, MIB);
        if (i % 2)
            dvt_file_write(&sum, "dv-sum1 and anything else", 24);
        else
            unlink(sum.text);
        cr_expect(dvt_kept_reads_all(&kept));
        cr_expect_leq(files_nbytes(), BOUND);
        cr_expect_str_eq(dvi_disk_source_counts(kept.source).note, "");
        cr_expect(dvt_kept_close(&kept));
    }
}

/* The block that was not used for longest leaves first; reading counts as a use. */
Test(disk_folder, blocks_leave_by_last_use)
{
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    dvt_path path[4];
    for (int i = 0; i < 4; i++) {
        char name[8];
        int64_t nbytes;
        dvt_path made;
        snprintf(name, sizeof name, "%d", i);
        open_kept(&kept, &counts, name, MIB);
        cr_expect(dvt_kept_reads_all(&kept));
        cr_expect(dvt_kept_close(&kept));
        /* out of sight for a moment, so that the next one is known */
        cr_assert_eq(dvt_kept_files(&folder, ".block", &nbytes, &made), 1);
        path[i] = made;
        snprintf(made.text + strlen(made.text), sizeof made.text - strlen(made.text), "-%d", i);
        cr_assert_eq(rename(path[i].text, made.text), 0);
    }
    for (int i = 0; i < 4; i++) {
        char there[600];
        const struct timespec old[2] = {{1000000 + i, 0}, {1000000 + i, 0}};
        snprintf(there, sizeof there, "%s-%d", path[i].text, i);
        cr_assert_eq(rename(there, path[i].text), 0);
        cr_assert_eq(utimensat(AT_FDCWD, path[i].text, old, 0), 0);
    }
    open_kept(&kept, &counts, "0", MIB);
    const int64_t before = counts.nbytes;
    cr_expect(dvt_kept_reads(&kept, 5, 5)); /* block 0 is the one used last now */
    cr_expect_eq(counts.nbytes, before);
    cr_expect(dvt_kept_close(&kept));
    open_kept(&kept, &counts, "new", MIB);
    cr_expect(dvt_kept_reads_all(&kept)); /* 5 blocks and their heads are too much */
    cr_expect(dvt_kept_close(&kept));
    cr_expect_eq(access(path[0].text, F_OK), 0);
    cr_expect_neq(access(path[1].text, F_OK), 0);
    cr_expect_eq(access(path[3].text, F_OK), 0);
}

/* --- Other files ------------------------------------------------------------------------------ */

#define HEX "0123456789abcdef0123456789abcdef"

Test(disk_folder, other_files_stay)
{
    static const char *const others[] = {"rows.idv",
                                         "dv-" HEX,
                                         "dv-" HEX ".block2",
                                         "dv-" HEX "0.block",
                                         "dv-" HEX ".blocks",
                                         "Dv-" HEX ".block",
                                         "dv-" HEX ".new~",
                                         ".dv-" HEX ".new",
                                         "dv-sum2",
                                         "dv-.block",
                                         "dv-0123456789ABCDEF0123456789abcdef.block"};
    const size_t n = sizeof others / sizeof *others;
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    for (size_t i = 0; i < n; i++) {
        const dvt_path path = in(others[i]);
        dvt_file_write(&path, "mine", 4);
    }
    const dvt_path target = in("target"), link = in("dv-" HEX ".block"),
                   pipe = in("dv-" HEX ".new");
    dvt_file_write(&target, "mine", 4);
    cr_assert_eq(symlink("target", link.text), 0);
    cr_assert_eq(mkfifo(pipe.text, 0600), 0);
    open_kept(&kept, &counts, "x", 20 * MIB);
    cr_expect(dvt_kept_reads_all(&kept));
    cr_expect_leq(files_nbytes(), BOUND + 100);
    cr_expect(dvt_kept_close(&kept));
    for (size_t i = 0; i < n; i++)
        cr_expect_eq(access(in(others[i]).text, F_OK), 0, "%s", others[i]);
    cr_expect_eq(access(target.text, F_OK), 0);
    cr_expect_eq(access(link.text, F_OK), 0);
    cr_expect_eq(access(pipe.text, F_OK), 0);
}

Test(disk_folder, what_dead_processes_left_is_removed)
{
    const dvt_path left = in("dv-" HEX ".new");
    dvt_kept_counts counts = {0};
    dvt_kept kept;
    dvt_file_write(&left, "half", 4);
    open_kept(&kept, &counts, "x", 10);
    cr_expect_neq(access(left.text, F_OK), 0);
    cr_expect(dvt_kept_close(&kept));
}
