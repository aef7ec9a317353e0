/* SPDX-License-Identifier: MIT */
/* test_cache_stamp.c: whatever happens to the process or its system calls while a cache file is
 * written, the file then has the rows of the source, or is not there (cache.h). */
#include "support/faults.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/same_table.h"
#include "support/test.h"
#include "support/write_count.h"
#include <dataview/cache.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct scene {
    dvt_path folder, path;
    dv_view *before, *source; /* whose rows the file has at first, and must have then */
} scene;

static scene make_scene(bool is_stale)
{
    scene s = {.folder = dvt_folder_create()};
    dv_view *view;
    s.path = dvt_path_in(&s.folder, "rows.cache");
    s.before = dvt_golden_open("idv/vector-TX-raw.idv", NULL);
    s.source = dvt_golden_open("idv/people.idv", NULL);
    if (is_stale) {
        cr_assert_eq(dv_view_cache_disk(&view, s.before, s.path.text, NULL, NULL, NULL), DV_OK);
        dv_view_release(&view);
    }
    return s;
}

static void end_scene(scene *s)
{
    dv_view_release(&s->before);
    dv_view_release(&s->source);
    dvt_folder_remove(&s->folder);
}

static void expect_cached(const scene *s, dv_view *source, int64_t k)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_view_cache_disk(&view, source, s->path.text, NULL, NULL, &err), DV_OK,
                 "call %d: %s", (int)k, err.message);
    const char *wrong = dvt_table_difference(source, view, 0);
    cr_expect_null(wrong, "call %d: %s", (int)k, wrong);
    dv_view_release(&view);
}

/* An undisturbed call: the rows are right.  The next file removes what a crash left. */
static void expect_rows(const scene *s, int64_t k)
{
    expect_cached(s, s->source, k);
    cr_expect_leq(dvt_folder_entries(&s->folder), 3, "call %d", (int)k);
    expect_cached(s, s->before, k);
    expect_cached(s, s->source, k);
    cr_expect_eq(dvt_folder_entries(&s->folder), 1, "call %d leaves something", (int)k);
}

/* The k-th system call fails.  Returns how many there were. */
static int64_t try_call(bool is_stale, int64_t k, dvt_fault fault, int os_code)
{
    scene s = make_scene(is_stale);
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dvt_faults_start(k, fault, os_code);
    const dv_status status = dv_view_cache_disk(&view, s.source, s.path.text, NULL, NULL, &err);
    const int64_t calls = dvt_faults_stop();
    cr_expect(status == DV_OK || (status == DV_ERR_IO && fault == DVT_FAULT_ERROR),
              "call %d, %s: %s", (int)k, dvt_faults_hit(), err.message);
    if (status == DV_OK) { /* the rows are read with the fault over */
        const char *wrong = dvt_table_difference(s.source, view, 0);
        cr_expect_null(wrong, "call %d, %s: %s", (int)k, dvt_faults_hit(), wrong);
    }
    dv_view_release(&view);
    expect_rows(&s, k);
    end_scene(&s);
    return calls;
}

/* Each system call fails in turn. */
static void check_faults(bool is_stale, dvt_fault fault, int os_code)
{
    const int64_t calls = try_call(is_stale, 1, DVT_FAULT_NONE, 0);
    cr_expect_gt(calls, 20);
    for (int64_t k = 1; k <= calls; k++)
        try_call(is_stale, k, fault, os_code);
}

Test(cache_stamp, while_calls_fail)
{
    check_faults(false, DVT_FAULT_ERROR, EIO);
    check_faults(true, DVT_FAULT_ERROR, ENOSPC);
    check_faults(true, DVT_FAULT_SHORT, 0);
}

/* A process is killed after each of its system calls: the file is the old one, or the new one. */
static void check_kills(bool is_stale)
{
    bool is_over = false;
    int64_t k = 0;
    while (!is_over) {
        scene s = make_scene(is_stale);
        const pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            dv_view *view;
            dvt_faults_start(++k, DVT_FAULT_KILL, 0);
            dv_view_cache_disk(&view, s.source, s.path.text, NULL, NULL, NULL);
            _exit(0);
        }
        k++;
        int status;
        cr_assert_eq(waitpid(child, &status, 0), child);
        is_over = WIFEXITED(status);
        cr_expect(is_over || WTERMSIG(status) == SIGKILL);
        expect_rows(&s, k);
        end_scene(&s);
    }
    cr_expect_gt(k, 20);
}

Test(cache_stamp, by_a_killed_process)
{
    check_kills(false);
    check_kills(true);
}

/* Several at once: one writes, all have the rows. */
Test(cache_stamp, by_several_processes)
{
    enum { PROCESSES = 5 };
    scene s = make_scene(true);
    pid_t children[PROCESSES];
    int writes = 0;
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        cr_assert_geq(children[i], 0);
        if (children[i] == 0) {
            dv_view *view;
            dvt_write_count count = {0, -1};
            dv_cache_options options = DV_CACHE_OPTIONS_INIT;
            options.progress = (dv_progress){dvt_count_write, &count};
            const dv_status status =
                dv_view_cache_disk(&view, s.source, s.path.text, &options, NULL, NULL);
            const bool is_same = status == DV_OK && !dvt_table_difference(s.source, view, 0);
            _exit(is_same ? count.writes : 9);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) <= 1, "%d", status);
        writes += WEXITSTATUS(status);
    }
    cr_expect_eq(writes, 1);
    expect_rows(&s, 0);
    end_scene(&s);
}
