/* SPDX-License-Identifier: MIT */
/* test_convert_killed.c: if the command is killed after any system call, the file is the complete
 * old or new one, and the next run removes temporary files. */
#include "support/file.h"
#include "support/golden_files.h"
#include "support/test.h"
#include "support/traced.h"
#include "support/written.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_MAX 20000

typedef struct scene {
    dvt_path folder, source, out;
    uint8_t *data; /* of a complete file */
    size_t nbytes;
    char *argv[12];
} scene;

static scene make_scene(const char *name)
{
    scene s = {.folder = dvt_folder_create(), .source = dvt_test_path("golden/idv/people.idv")};
    s.out = dvt_path_in(&s.folder, name);
    return s;
}

static void fill_arguments(scene *s, char *option, char *value, char *threads)
{
    static char bin[512];
    const char *name = getenv("DV_BIN");
    snprintf(bin, sizeof bin, "%s", name ? name : "dataview");
    char *const argv[] = {bin,         "convert", "--quiet",      option,      value,
                          "--threads", threads,   s->source.text, s->out.text, NULL};
    memcpy(s->argv, argv, sizeof argv);
}

static void run_whole(scene *s)
{
    int status = 0;
    const dvt_traced how = dvt_trace(s->argv, INT64_MAX, &status);
    if (how == DVT_TRACED_REFUSED)
        cr_skip_test("no process can be traced here");
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
    cr_expect_eq(dvt_folder_entries(&s->folder), 1);
}

static bool is_whole(const scene *s)
{
    return dvt_file_holds(&s->out, s->data, s->nbytes);
}

/* The number of consecutive runs that ended before they were killed. */
static int kill_once(scene *s, int64_t k, int ended, int64_t *old_out, int64_t *new_out)
{
    int status = 0;
    dvt_file_write(&s->out, "old", 3);
    const dvt_traced how = dvt_trace(s->argv, k, &status);
    const bool is_old = dvt_file_holds(&s->out, "old", 3), is_killed = how == DVT_TRACED_KILLED;
    cr_assert(is_whole(s) || (is_killed && is_old), "call %d", (int)k);
    cr_assert_leq(dvt_folder_entries(&s->folder), 2, "call %d", (int)k);
    cr_assert(is_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0), "call %d", (int)k);
    *old_out += is_old;
    *new_out += is_killed && !is_old;
    return is_killed ? 0 : ended + 1;
}

/* Threads that wait for each other vary in the number of calls: the last call was tested if this
 * many consecutive runs ended before it. */
static void kill_after_each_call(const char *out, char *threads, int last_runs)
{
    const bool is_idv = strcmp(out, "out.idv") == 0;
    scene s = make_scene(out);
    int ended = 0;
    int64_t killed_old = 0, killed_new = 0;
    if (is_idv)
        fill_arguments(&s, "--rows-per-block", "50", threads);
    else
        fill_arguments(&s, "--to-text", "dense+", threads);
    run_whole(&s);
    s.data = dvt_file_read(s.out.text, &s.nbytes);
    for (int64_t k = 1; ended < last_runs && k < CALLS_MAX; k++)
        ended = kill_once(&s, k, ended, &killed_old, &killed_new);
    cr_expect_gt(killed_old, 20, "killed too late");
    cr_expect(killed_new > 0 || last_runs > 1, "no kill after the rename");
    run_whole(&s);
    free(s.data);
    dvt_folder_remove(&s.folder);
}

Test(convert_killed, with_one_thread)
{
    kill_after_each_call("out.idv", "1", 1);
}

Test(convert_killed, with_three_threads)
{
    kill_after_each_call("out.idv", "3", 10);
}

Test(convert_killed, text)
{
    kill_after_each_call("out.txt", "1", 1);
}
