/* SPDX-License-Identifier: MIT */
/* test_datadings_replace.c: if a save is killed or fails, the set opens as the old table or as the
 * new one, or is refused, but never as a mixture (datadings:1.3).
 *
 * Both tables have the same number of samples with the same sizes, so that no length differs. */
#include "support/datadings_saves.h"
#include "support/faults.h"
#include "support/saved.h"
#include "support/test.h"
#include "support/written.h"
#include <dataview/open.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS 3
#define FILES 6

static const char *const old_keys[ROWS] = {"a0", "a1", "a2"}, *const new_keys[] = {"b0", "b1",
                                                                                   "b2"};
static const int64_t old_numbers[ROWS] = {1, 2, 3}, new_numbers[] = {4, 5, 6};

/* The legacy index of the old table: three samples of eleven bytes. */
static const char old_index[] = "\x83\xA2"
                                "a0\0\xA2"
                                "a1\x0B\xA2"
                                "a2\x16";

static dvt_path folder, path;
static dvt_made_table tables[2];
static dv_view *views[2];
static dvt_lines lines[2];

static dvt_made_table table_of(const char *const *keys, const int64_t *numbers)
{
    dvt_made_table table = {
        .columns = 2, .rows = ROWS, .block_rows = 2, .bad_row = -1, .name = {"key", "v"}};
    table.column[0] = dvt_texts_of(DV_KIND_TX, keys, ROWS);
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I8), numbers, ROWS);
    return table;
}

static dv_status save(dv_view *view, bool sync, dv_error *err)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.sync = sync;
    return dvt_datadings_save(view, path.text, &options, err);
}

static void make(void)
{
    tables[0] = table_of(old_keys, old_numbers);
    tables[1] = table_of(new_keys, new_numbers);
    folder = dvt_folder_create();
    path = dvt_path_in(&folder, "x.msgpack");
    for (int i = 0; i < 2; i++) {
        views[i] = dvt_made_table_open(&tables[i], NULL);
        lines[i] = dvt_lines_of(views[i]);
    }
}

static void clear(void)
{
    for (int i = 0; i < 2; i++) {
        dv_view_release(&views[i]);
        dvt_lines_free(&lines[i]);
        dvt_table_free_texts(&tables[i]);
    }
    dvt_folder_remove(&folder);
}

TestSuite(datadings_replace, .init = make, .fini = clear);

/* --- States ----------------------------------------------------------------------------------- */

typedef enum start { NOTHING, OLD, OLD_AND_INDEX, INDEX_ALONE } start;

static void make_scene(start from)
{
    static const char *const sides[] = {".offsets", ".keys", ".key_hashes", ".filter", ".md5"};
    dvt_folder_remove(&folder);
    folder = dvt_folder_create();
    path = dvt_path_in(&folder, "x.msgpack");
    const dvt_path index = dvt_path_in(&folder, "x.msgpack.index");
    if (from != NOTHING)
        cr_assert_eq(save(views[0], false, NULL), DV_OK);
    for (size_t i = 0; i < 5 && from == INDEX_ALONE; i++) {
        char name[32];
        snprintf(name, sizeof name, "x.msgpack%s", sides[i]);
        cr_assert_eq(unlink(dvt_path_in(&folder, name).text), 0);
    }
    if (from >= OLD_AND_INDEX)
        dvt_file_write(&index, old_index, sizeof old_index - 1);
}

typedef enum found { REFUSED, AS_OLD, AS_NEW, MIXED } found;

/* Open the set and read all rows; REFUSED: missing or incomplete. */
static found read_set(void)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_open(&view, path.text, NULL, &err);
    if (status != DV_OK)
        return status == DV_ERR_CORRUPT || err.os_code == ENOENT ? REFUSED : MIXED;
    dvt_lines all = dvt_lines_of(view);
    found is = MIXED;
    for (int i = 0; i < 2; i++)
        if (!*dvt_lines_difference(&all, &lines[i]))
            is = i == 0 ? AS_OLD : AS_NEW;
    dvt_lines_free(&all);
    dv_view_release(&view);
    return is;
}

static void check_next_save(int64_t k)
{
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(save(views[1], false, &err), DV_OK, "%s", err.message);
    cr_expect_eq(read_set(), AS_NEW, "after %" PRId64, k);
    cr_expect_eq(dvt_folder_entries(&folder), FILES, "after %" PRId64, k);
}

/* --- Killed ----------------------------------------------------------------------------------- */

static bool kill_after(int64_t k, bool sync)
{
    int how;
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        dvt_faults_start(k, DVT_FAULT_KILL, 0);
        _exit(save(views[1], sync, NULL) == DV_OK ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &how, 0), child);
    cr_assert(WIFSIGNALED(how) || WEXITSTATUS(how) == 0, "%d", how);
    return WIFSIGNALED(how);
}

/* With each later kill the set is the old one, then refused, then the new one. */
static void kill_after_each(start from, bool sync)
{
    bool was_killed = true;
    int seen[MIXED + 1] = {0};
    found before = from == NOTHING ? REFUSED : AS_OLD;
    for (int64_t k = 1; was_killed; k++) {
        make_scene(from);
        was_killed = kill_after(k, sync);
        const found is = read_set();
        cr_expect_neq(is, MIXED, "after call %" PRId64, k);
        cr_expect(is == before || (is == REFUSED && before == AS_OLD) || is == AS_NEW,
                  "after call %" PRId64 ": %d after %d", k, is, before);
        cr_expect(was_killed || is == AS_NEW);
        seen[is]++;
        before = is;
        if (k % 8 == 0)
            check_next_save(k);
    }
    cr_expect(from == NOTHING || seen[AS_OLD] > 20);
    cr_expect(seen[REFUSED] > 0 && seen[AS_NEW] > 1);
}

Test(datadings_replace, by_a_killed_process)
{
    kill_after_each(NOTHING, false);
    kill_after_each(OLD, true);
}

Test(datadings_replace, with_a_legacy_index_by_a_killed_process)
{
    kill_after_each(OLD_AND_INDEX, false);
    kill_after_each(INDEX_ALONE, false);
}

/* --- Failing calls ---------------------------------------------------------------------------- */

static void fail_each(dvt_fault fault, int os_code, bool sync)
{
    bool was_hit = true;
    for (int64_t k = 1; was_hit; k++) {
        dv_error err = DV_ERROR_INIT;
        make_scene(OLD_AND_INDEX);
        dvt_faults_start(k, fault, os_code);
        const dv_status status = save(views[1], sync, &err);
        dvt_faults_stop();
        const char *call = dvt_faults_hit();
        const found is = read_set();
        was_hit = *call;
        cr_expect_neq(is, MIXED, "call %" PRId64 ", %s", k, call);
        if (status == DV_OK || strstr(err.message, "saved, but"))
            cr_expect_eq(is, AS_NEW, "call %" PRId64 ", %s", k, call);
        else if (!strstr(err.message, "save again"))
            cr_expect_eq(is, AS_OLD, "call %" PRId64 ", %s: %s", k, call, err.message);
        cr_expect(status != DV_ERR_IO || strstr(err.file, "x.msgpack"), "%s", err.message);
        if (k % 8 == 0)
            check_next_save(k);
    }
}

Test(datadings_replace, while_calls_fail)
{
    fail_each(DVT_FAULT_ERROR, EIO, true);
    fail_each(DVT_FAULT_ERROR, ENOSPC, false);
    fail_each(DVT_FAULT_FROM, EIO, false);
    fail_each(DVT_FAULT_SHORT, 0, false);
}

/* --- A full disk ------------------------------------------------------------------------------ */

/* Room for the old set, and less than a page for each file of the new one. */
Test(datadings_replace, on_a_full_disk)
{
    dv_error err = DV_ERROR_INIT;
    if (!dvt_mount_small(&folder, "size=40k"))
        cr_skip_test("a small disk cannot be mounted here");
    cr_assert_eq(save(views[0], true, &err), DV_OK, "%s", err.message);
    const dvt_path rest = dvt_path_in(&folder, "rest");
    dvt_file_write(&rest, path.text, 1);
    cr_expect_eq(save(views[1], true, &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOSPC);
    cr_expect(strstr(err.message, "make room"), "%s", err.message);
    cr_expect_eq(read_set(), AS_OLD);
    cr_expect_eq(dvt_folder_entries(&folder), FILES + 1);
    cr_expect_eq(umount(folder.text), 0);
}

/* --- The set that is read --------------------------------------------------------------------- */

/* A view that is open keeps the whole old set. */
Test(datadings_replace, the_set_that_is_open)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    make_scene(OLD);
    cr_assert_eq(dv_open(&view, path.text, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(save(views[1], true, &err), DV_OK, "%s", err.message);
    dvt_lines all = dvt_lines_of(view);
    cr_expect_str_empty(dvt_lines_difference(&all, &lines[0]));
    dvt_lines_free(&all);
    cr_expect_eq(save(view, true, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    cr_expect_eq(read_set(), AS_OLD);
}
