/* SPDX-License-Identifier: MIT */
/* test_writer_set.c: files that belong together appear together, whatever fails (writer.h,
 * replace.h). */
#include "io/writer.h"
#include "support/allocator.h"
#include "support/faults.h"
#include "support/test.h"
#include "support/written.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The main file, the side files in the order in which they appear, and one that is only removed. */
#define NAMES 7
#define FORGOTTEN 5
static const char *const suffixes[NAMES] = {"",        ".offsets", ".keys", ".hashes",
                                            ".filter", ".index",   ".md5"};
#define LARGE 2 /* one that does not stay in memory until the end */
#define LARGE_NBYTES (((size_t)1 << 20) + 77)

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(writer_set, .init = make_folder, .fini = remove_folder);

static dvt_path name_of(int i)
{
    char name[32];
    snprintf(name, sizeof name, "out.bin%s", suffixes[i]);
    return dvt_path_in(&folder, name);
}

/* --- A save of all ---------------------------------------------------------------------------- */

/* The content of the new file. */
static void write_new(dvi_writer *writer, int i, dv_error *err)
{
    dvi_writer_write(writer, "new", 3, err);
    if (i == LARGE)
        dvi_writer_pad(writer, LARGE_NBYTES, err);
    dvi_writer_write(writer, suffixes[i], strlen(suffixes[i]), err);
}

static dv_status write_set(dvi_writer *writer, dv_error *err)
{
    dvi_writer *side = NULL;
    for (int i = 1; i < NAMES; i++) {
        const dv_status status = i == FORGOTTEN
                                     ? dvi_writer_forget(writer, suffixes[i], err)
                                     : dvi_writer_attach(writer, suffixes[i], &side, err);
        cr_expect_eq(i == FORGOTTEN || (status == DV_OK) == (side != NULL), true);
        if (status != DV_OK)
            return status;
        if (i != FORGOTTEN)
            write_new(side, i, err);
    }
    write_new(writer, 0, err);
    return dvi_writer_commit(writer, err);
}

static dv_status save(bool sync, const dv_allocator *allocator, dv_error *err)
{
    dvi_writer *writer;
    const dvt_path path = name_of(0);
    dv_status status = dvi_writer_create(&writer, path.text, sync, allocator, err);
    if (status == DV_OK)
        status = write_set(writer, err);
    dvi_writer_close(&writer);
    return status;
}

/* --- The state of the folder ------------------------------------------------------------------ */

/* A letter for each name: o old, n new, - missing, ? anything else. */
typedef struct state {
    char text[NAMES + 1];
} state;

static const state nothing = {"-------"}, old = {"ooooooo"}, final = {"nnnnn-n"};

static char look(int i)
{
    const dvt_path path = name_of(i);
    if (access(path.text, F_OK) != 0)
        return '-';
    size_t nbytes;
    uint8_t *data = dvt_file_read(path.text, &nbytes);
    const size_t n = 3 + strlen(suffixes[i]) + (i == LARGE ? LARGE_NBYTES : 0);
    const bool is_whole = nbytes == n && memcmp(data + n - strlen(suffixes[i]), suffixes[i],
                                                strlen(suffixes[i])) == 0;
    const char letter = nbytes == 3 && memcmp(data, "old", 3) == 0 ? 'o'
                        : is_whole && memcmp(data, "new", 3) == 0  ? 'n'
                                                                   : '?';
    free(data);
    return letter;
}

static state look_at_all(void)
{
    state found = {""};
    for (int i = 0; i < NAMES; i++)
        found.text[i] = look(i);
    return found;
}

static bool is_same(state a, state b)
{
    return strcmp(a.text, b.text) == 0;
}

/* Advance to the state after the next step of a save; false: there are no more steps. */
static bool step(state *s)
{
    if (s->text[0] != 'n') {
        for (int i = NAMES - 1; i > 0; i--)
            if (s->text[i] == 'o') {
                s->text[i] = '-';
                return true;
            }
        s->text[0] = 'n';
        return true;
    }
    for (int i = 1; i < NAMES; i++)
        if (s->text[i] == '-' && i != FORGOTTEN) {
            s->text[i] = 'n';
            return true;
        }
    return false;
}

static bool is_on_the_way(state from, state found)
{
    do
        if (is_same(from, found))
            return true;
    while (step(&from));
    return false;
}

static int count_files(state s)
{
    int n = 0;
    for (int i = 0; i < NAMES; i++)
        n += s.text[i] != '-';
    return n;
}

/* The files, and those that crashes left beside them. */
static void make_scene(state s)
{
    dvt_folder_remove(&folder);
    folder = dvt_folder_create();
    for (int i = 0; i < NAMES; i++) {
        const dvt_path path = name_of(i);
        if (s.text[i] == 'o')
            dvt_file_write(&path, "old", 3);
    }
    const dvt_path left = dvt_path_in(&folder, ".out.bin.dv-Left");
    const dvt_path beside = dvt_path_in(&folder, ".out.bin.keys.dv-Left");
    dvt_file_write(&left, "?", 1);
    dvt_file_write(&beside, "?", 1);
}

static void check_next_save(int64_t k)
{
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(save(false, NULL, &err), DV_OK, "%s", err.message);
    cr_expect(is_same(look_at_all(), final), "after %" PRId64 ": %s", k, look_at_all().text);
    cr_expect_eq(dvt_folder_entries(&folder), NAMES - 1, "after %" PRId64, k);
}

Test(writer_set, comes_together)
{
    const state starts[] = {nothing, old, {"o------"}, {"-oo-o--"}};
    for (size_t i = 0; i < 4; i++) {
        make_scene(starts[i]);
        check_next_save(0);
        check_next_save(0);
    }
}

/* --- Killed ----------------------------------------------------------------------------------- */

/* false: the save succeeded before call k. */
static bool kill_after(int64_t k, bool sync)
{
    int how;
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        dvt_faults_start(k, DVT_FAULT_KILL, 0);
        _exit(save(sync, NULL, NULL) == DV_OK ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &how, 0), child);
    cr_assert(WIFSIGNALED(how) || WEXITSTATUS(how) == 0, "%d", how);
    return WIFSIGNALED(how);
}

static void kill_after_each(state start, bool sync)
{
    bool was_killed = true;
    int changes = 0;
    state before = start;
    for (int64_t k = 1; was_killed; k++) {
        make_scene(start);
        was_killed = kill_after(k, sync);
        const state found = look_at_all();
        cr_expect(is_on_the_way(start, found), "after %" PRId64 ": %s", k, found.text);
        cr_expect(was_killed || is_same(found, final));
        changes += !is_same(found, before);
        before = found;
        check_next_save(k);
    }
    /* Each step was seen, or the test checks nothing. */
    int steps = 0;
    while (step(&start))
        steps++;
    cr_expect_eq(changes, steps);
}

Test(writer_set, is_never_mixed_by_a_killed_process)
{
    kill_after_each(nothing, false);
    kill_after_each(old, true);
    kill_after_each(old, false);
}

/* --- Failing calls ---------------------------------------------------------------------------- */

static int open_files(void)
{
    const dvt_path list = {"/proc/self/fd"};
    return dvt_folder_entries(&list);
}

/* The error must describe the state of the folder. */
static void check_result(state start, dv_status status, const dv_error *err, const char *where)
{
    const state found = look_at_all();
    cr_expect(is_on_the_way(start, found), "%s: %s", where, found.text);
    if (status == DV_OK || strstr(err->message, "saved, but")) {
        cr_expect(is_same(found, final), "%s: %s", where, found.text);
        return;
    }
    cr_expect(strstr(err->file, "out.bin"), "%s: %s", where, err->message);
    if (strstr(err->message, "the old file is there"))
        cr_expect(found.text[0] == 'o' && !is_same(found, start), "%s: %s", where, found.text);
    else if (strstr(err->message, "the new file is there"))
        cr_expect(found.text[0] == 'n' && !is_same(found, final), "%s: %s", where, found.text);
    else
        cr_expect(is_same(found, start), "%s: %s, %s", where, found.text, err->message);
}

static bool fail_call(state start, int64_t k, dvt_fault fault, int os_code, bool sync)
{
    char where[64];
    dv_error err = DV_ERROR_INIT;
    make_scene(start);
    const int before = open_files();
    dvt_faults_start(k, fault, os_code);
    const dv_status status = save(sync, NULL, &err);
    dvt_faults_stop();
    const char *call = dvt_faults_hit();
    snprintf(where, sizeof where, "call %" PRId64 ", %s", k, call);
    cr_expect(status == DV_OK || status == DV_ERR_IO, "%s: %s", where, err.message);
    cr_expect(fault != DVT_FAULT_SHORT || status == DV_OK, "%s: %s", where, err.message);
    check_result(start, status, &err, where);
    cr_expect_eq(open_files(), before, "%s", where);
    if (fault != DVT_FAULT_FROM)
        cr_expect_leq(dvt_folder_entries(&folder), count_files(look_at_all()) + 2, "%s", where);
    const bool is_vital = strcmp(call, "pwrite") == 0 || strcmp(call, "renameat") == 0;
    cr_expect(!is_vital || fault == DVT_FAULT_SHORT || os_code == EINTR || status != DV_OK, "%s",
              where);
    check_next_save(k);
    return *call != '\0';
}

static void fail_each(state start, dvt_fault fault, int os_code, bool sync)
{
    int64_t k = 1;
    while (fail_call(start, k, fault, os_code, sync))
        k++;
    cr_expect_gt(k, 60);
}

Test(writer_set, is_never_mixed_by_calls_that_fail)
{
    fail_each(nothing, DVT_FAULT_ERROR, EIO, false);
    fail_each(old, DVT_FAULT_ERROR, EIO, true);
    fail_each(old, DVT_FAULT_ERROR, ENOSPC, false);
}

Test(writer_set, is_never_mixed_by_calls_that_stop_working)
{
    fail_each(old, DVT_FAULT_FROM, EIO, false);
    fail_each(old, DVT_FAULT_ERROR, EINTR, true);
    fail_each(old, DVT_FAULT_SHORT, 0, false);
}

/* --- One call --------------------------------------------------------------------------------- */

Test(writer_set, a_side_that_is_no_file_fails_before_any_removal)
{
    dv_error err = DV_ERROR_INIT;
    make_scene(old);
    const dvt_path keys = name_of(2), index = name_of(FORGOTTEN);
    cr_assert_eq(unlink(keys.text), 0);
    cr_assert_eq(mkdir(keys.text, 0777), 0);
    cr_expect_eq(save(true, NULL, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, EISDIR);
    cr_expect(strstr(err.file, "out.bin.keys"), "%s", err.message);
    cr_assert_eq(rmdir(keys.text), 0);
    cr_assert_eq(unlink(index.text), 0);
    cr_assert_eq(mkfifo(index.text, 0666), 0);
    err = (dv_error)DV_ERROR_INIT;
    cr_expect_eq(save(true, NULL, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ESPIPE);
    cr_expect_eq(look(0), 'o');
    cr_assert_eq(unlink(index.text), 0);
    check_next_save(0);
}

Test(writer_set, links_are_refused_or_replaced)
{
    dv_error err = DV_ERROR_INIT;
    struct stat st;
    const dvt_path path = name_of(0), other = dvt_path_in(&folder, "other"), keys = name_of(2);
    dvt_file_write(&other, "old", 3);
    cr_assert_eq(symlink("other", path.text), 0);
    cr_expect_eq(save(true, NULL, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ELOOP);
    cr_expect(strstr(err.message, "symbolic link"), "%s", err.message);
    cr_expect_eq(dvt_folder_entries(&folder), 2);

    cr_assert_eq(unlink(path.text), 0);
    cr_assert_eq(symlink("other", keys.text), 0);
    cr_expect_eq(save(true, NULL, &err), DV_OK);
    cr_expect_eq(lstat(keys.text, &st), 0);
    cr_expect(S_ISREG(st.st_mode));
    cr_expect(dvt_file_holds(&other, "old", 3));
    cr_expect(is_same(look_at_all(), final));
}

/* The side files of a private file are private too. */
Test(writer_set, all_get_the_mode_of_the_old_file)
{
    struct stat st;
    dv_error err;
    make_scene((state){"o------"});
    const dvt_path path = name_of(0);
    cr_assert_eq(chmod(path.text, 0640), 0);
    cr_expect_eq(save(true, NULL, &err), DV_OK);
    for (int i = 0; i < NAMES; i++) {
        const dvt_path side = name_of(i);
        cr_expect(i == FORGOTTEN || (stat(side.text, &st) == 0 && (st.st_mode & 0777) == 0640));
    }
}

Test(writer_set, a_side_that_may_not_be_written_keeps_all)
{
    dv_error err = DV_ERROR_INIT;
    make_scene(old);
    const dvt_path path = name_of(0);
    if (!dvt_become_nobody(&folder))
        cr_skip_test("only root can become another user");
    dvt_become_root();
    cr_assert_eq(chown(path.text, DVT_NOBODY, DVT_NOBODY), 0);
    dvt_become_nobody(&folder);
    const dv_status status = save(true, NULL, &err);
    dvt_become_root();
    cr_expect_eq(status, DV_ERR_IO);
    cr_expect_eq(err.os_code, EACCES);
    cr_expect(strstr(err.file, "out.bin.offsets"), "%s", err.message);
    cr_expect(is_same(look_at_all(), old));
}

/* A failure of the main file is repeated; a failure of a side file fails the set. */
Test(writer_set, a_side_that_failed_fails_all)
{
    dv_error err = DV_ERROR_INIT;
    dvi_writer *writer, *side;
    make_scene(old);
    const dvt_path path = name_of(0);
    cr_assert_eq(dvi_writer_create(&writer, path.text, true, NULL, &err), DV_OK);
    cr_expect_str_eq(dvi_writer_name(writer), "out.bin");
    cr_assert_eq(dvi_writer_attach(writer, ".keys", &side, &err), DV_OK);
    cr_expect_str_eq(dvi_writer_name(side), "out.bin.keys");
    dvt_faults_start_at("pwrite", 1, DVT_FAULT_ERROR, ENOSPC);
    cr_expect_eq(dvi_writer_pad(side, LARGE_NBYTES, NULL), DV_ERR_IO);
    dvt_faults_stop();
    cr_expect_eq(dvi_writer_commit(writer, &err), DV_ERR_IO);
    cr_expect(strstr(err.file, "out.bin.keys"), "%s", err.message);
    cr_expect_eq(dvi_writer_attach(writer, ".more", &side, &err), DV_ERR_IO);
    cr_expect_null(side);
    dvi_writer_close(&writer);
    cr_expect(is_same(look_at_all(), old));
}

Test(writer_set, memory_has_no_sides)
{
    dv_error err = DV_ERROR_INIT;
    dvi_writer *writer, *side;
    cr_assert_eq(dvi_writer_create_memory(&writer, 100, "limit", NULL, &err), DV_OK);
    cr_expect_null(dvi_writer_name(writer));
    cr_expect_eq(dvi_writer_attach(writer, ".keys", &side, &err), DV_ERR_UNSUPPORTED);
    cr_expect_null(side);
    cr_expect_eq(dvi_writer_forget(writer, ".keys", &err), DV_ERR_UNSUPPORTED);
    cr_expect_eq(dvi_writer_write(writer, "x", 1, &err), DV_OK);
    cr_expect_eq(dvi_writer_commit(writer, &err), DV_OK);
    dvi_writer_close(&writer);
}

Test(writer_set, names_that_are_too_long_are_refused)
{
    char name[256];
    dv_error err = DV_ERROR_INIT;
    dvi_writer *writer, *side;
    memset(name, 'a', 250);
    name[250] = 0;
    const dvt_path path = dvt_path_in(&folder, name);
    cr_assert_eq(dvi_writer_create(&writer, path.text, true, NULL, &err), DV_OK);
    cr_expect_eq(dvi_writer_attach(writer, ".md5", &side, &err), DV_OK);
    cr_expect_eq(dvi_writer_attach(writer, ".offsets", &side, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ENAMETOOLONG);
    cr_expect_eq(dvi_writer_commit(writer, &err), DV_ERR_IO);
    dvi_writer_close(&writer);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
}

#ifdef NDEBUG
Test(writer_set, has_seven_sides)
{
    dv_error err = DV_ERROR_INIT;
    dvi_writer *writer, *side;
    const dvt_path path = name_of(0);
    cr_assert_eq(dvi_writer_create(&writer, path.text, true, NULL, &err), DV_OK);
    for (int i = 0; i < 7; i++)
        cr_expect_eq(dvi_writer_forget(writer, &".......keys"[i], &err), DV_OK);
    cr_expect_eq(dvi_writer_attach(writer, ".md5", &side, &err), DV_ERR_ARGUMENT);
    dvi_writer_close(&writer);
}
#endif

Test(writer_set, memory_may_run_out)
{
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_ERR_MEMORY;
    int64_t k = 1;
    for (; status == DV_ERR_MEMORY && k < 100; k++) {
        dvt_allocator counted;
        make_scene(old);
        dvt_allocator_init(&counted, k);
        status = save(true, &counted.allocator, &err);
        cr_expect_eq(counted.live, 0);
        cr_expect(is_same(look_at_all(), status == DV_OK ? final : old));
    }
    cr_expect_eq(status, DV_OK);
    cr_expect_eq(k, 2 * (NAMES - 1) + 1 + 2, "two each, one for a removed side file");
}
