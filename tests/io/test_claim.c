/* SPDX-License-Identifier: MIT */
/* test_claim.c: two open writers of a process never replace one file (claim.h).
 *
 * Two writers to one file ended without an error, and the rows of the one that committed first were
 * gone. */
#include "io/writer.h"
#include "support/faults.h"
#include "support/test.h"
#include "support/written.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
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

TestSuite(claim, .init = make_folder, .fini = remove_folder);

static dvt_path in(const char *name)
{
    return dvt_path_in(&folder, name);
}

static dvi_writer *begin(const char *name)
{
    dvi_writer *writer;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_writer_create(&writer, in(name).text, false, NULL, &err), DV_OK, "%s",
                 err.message);
    return writer;
}

static bool is_refused(const char *name)
{
    dvi_writer *writer;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dvi_writer_create(&writer, in(name).text, false, NULL, &err);
    if (status == DV_OK)
        dvi_writer_close(&writer);
    else
        cr_expect(status == DV_ERR_ARGUMENT && strstr(err.file, name), "%s", err.message);
    return status != DV_OK;
}

Test(claim, every_name_of_the_file_is_refused)
{
    cr_assert_eq(mkdir(in("a").text, 0777), 0);
    cr_assert_eq(symlink("a", in("b").text), 0);
    cr_assert_eq(symlink("a/out.bin", in("dangling").text), 0);
    cr_assert_eq(symlink("dangling", in("chain").text), 0);
    dvi_writer *writer = begin("a/out.bin");
    static const char *const same[] = {"a/out.bin",      "./a//out.bin", "b/out.bin",
                                       "b/../a/out.bin", "dangling",     "chain"};
    static const char *const others[] = {"out.bin", "a/out.bin.keys", "a/OUT.bin"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        cr_expect(is_refused(same[i]), "%s", same[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect_not(is_refused(others[i]), "%s", others[i]);
    cr_expect_eq(dvi_writer_write(writer, "first", 5, NULL), DV_OK);
    cr_expect_eq(dvi_writer_commit(writer, NULL), DV_OK);
    const dvt_path path = in("a/out.bin");
    cr_expect(dvt_file_holds(&path, "first", 5));
    cr_expect_not(is_refused("dangling"));
    dvi_writer_close(&writer);
}

/* Side files are replaced too, and old ones removed. */
Test(claim, side_files_are_refused)
{
    dvi_writer *side, *writer = begin("out"), *early = begin("out.md5");
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_writer_attach(writer, ".keys", &side, &err), DV_OK);
    cr_assert_eq(dvi_writer_forget(writer, ".index", &err), DV_OK);
    cr_expect(is_refused("out.keys"));
    cr_expect(is_refused("out.index"));
    cr_expect_eq(dvi_writer_attach(writer, ".md5", &side, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.file, "out.md5"), "%s", err.file);
    cr_expect_eq(dvi_writer_commit(writer, NULL), DV_ERR_ARGUMENT);
    cr_expect_not(is_refused("out.keys"));
    dvi_writer_close(&early);
    dvi_writer_close(&writer);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
}

/* Nothing is replaced by a writer that was closed, or that failed and is still there. */
Test(claim, a_writer_that_ends_frees_the_file)
{
    dvi_writer *writer = begin("out");
    dvi_writer_close(&writer);
    cr_expect_not(is_refused("out"));
    writer = begin("out");
    dvt_faults_start_at("pwrite", 1, DVT_FAULT_ERROR, ENOSPC);
    cr_expect_eq(dvi_writer_pad(writer, (size_t)2 << 20, NULL), DV_ERR_IO);
    dvt_faults_stop();
    cr_expect_not(is_refused("out"));
    dvi_writer_close(&writer);
}

/* A child process has none of the writers of its parent. */
Test(claim, a_child_process_may_write)
{
    int how;
    dv_error err = DV_ERROR_INIT;
    dvi_writer *writer = begin("out");
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        _exit(dvt_written(in("out").text, "child", &err) == DV_OK ? 0 : 1);
    cr_assert_eq(waitpid(child, &how, 0), child);
    cr_expect(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    cr_expect(is_refused("out"));
    dvi_writer_close(&writer);
}
