/* SPDX-License-Identifier: MIT */
/* saves.c: checks that a file is the old or the new one, complete, whatever interrupts the save. */
#include "support/saves.h"
#include "support/file.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_MAX 100000 /* of a save: it must end */

static const char old_bytes[] = "the old file";
static char complaint_text[1024];

static const char *complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(complaint_text, sizeof complaint_text, format, args);
    va_end(args);
    return complaint_text;
}

/* A folder with the old file, and what a crash left beside it. */
typedef struct scene {
    dvt_path folder, path, left;
} scene;

static scene make_scene(void)
{
    scene s = {.folder = dvt_folder_create()};
    s.path = dvt_path_in(&s.folder, "out.bin");
    s.left = dvt_path_in(&s.folder, ".out.bin.dv-Left");
    dvt_file_write(&s.path, old_bytes, sizeof old_bytes);
    dvt_file_write(&s.left, "?", 1);
    return s;
}

static bool holds(const dvt_path *path, const void *data, size_t n)
{
    size_t nbytes;
    uint8_t *found = dvt_file_read(path->text, &nbytes);
    const bool is_same = nbytes == n && memcmp(found, data, n) == 0;
    free(found);
    return is_same;
}

static bool is_old(const scene *s)
{
    return holds(&s->path, old_bytes, sizeof old_bytes);
}

static bool is_new(const scene *s, const dvt_saves *saves)
{
    return holds(&s->path, saves->data, saves->nbytes);
}

static int open_files(void)
{
    const dvt_path folder = {"/proc/self/fd"};
    return dvt_folder_entries(&folder);
}

/* An undisturbed save leaves its file and nothing else. */
static const char *check_next_save(const scene *s, const dvt_saves *saves)
{
    dv_error err = DV_ERROR_INIT;
    if (saves->save(saves->ctx, s->path.text, &err) != DV_OK)
        return complain("the next save: %s", err.message);
    if (!is_new(s, saves))
        return "the next save: other bytes";
    const int entries = dvt_folder_entries(&s->folder);
    return entries == 1 ? NULL : complain("the next save left %d files", entries);
}

/* --- Failing calls ---------------------------------------------------------------------------- */

/* Calls that are made again when a signal interrupts them. */
static bool is_repeated(const char *call)
{
    static const char *const names[] = {"open", "openat", "flock", "fsync", "pwrite", "pread"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(call, names[i]) == 0)
            return true;
    return false;
}

/* Calls without which nothing can be saved. */
static bool is_vital(const char *call)
{
    return strcmp(call, "pwrite") == 0 || strcmp(call, "renameat") == 0 ||
           strcmp(call, "fsync") == 0;
}

/* The status of the save must match its effect. */
static const char *check_result(const scene *s, const dvt_saves *saves, dvt_fault fault,
                                int os_code, dv_status status, const dv_error *err)
{
    const char *call = dvt_faults_hit();
    const bool must_work = fault == DVT_FAULT_SHORT || fault == DVT_FAULT_NONE ||
                           (os_code == EINTR && is_repeated(call));
    if (must_work && status != DV_OK)
        return complain("failed: %s", err->message);
    if (status == DV_OK)
        return is_vital(call) && !must_work ? "the failure was not reported"
               : is_new(s, saves)           ? NULL
                                            : "not new";
    if (status == DV_ERR_IO && !*err->file)
        return complain("no file is named: %s", err->message);
    if (status == DV_ERR_IO && fault == DVT_FAULT_ERROR && err->os_code != os_code)
        return complain("os_code %d: %s", err->os_code, err->message);
    if (strstr(err->message, "saved, but"))
        return is_new(s, saves) ? NULL : "said to be saved, but is not";
    return is_old(s) ? NULL : "the old file is gone";
}

static const char *check_fault(const scene *s, const dvt_saves *saves, int64_t k, dvt_fault fault,
                               int os_code)
{
    dv_error err = DV_ERROR_INIT;
    const int before = open_files();
    dvt_faults_start(k, fault, os_code);
    const dv_status status = saves->save(saves->ctx, s->path.text, &err);
    dvt_faults_stop();
    const char *wrong = check_result(s, saves, fault, os_code, status, &err);
    if (!wrong && open_files() != before)
        wrong = "a descriptor is left open";
    const int left = (access(s->left.text, F_OK) == 0) + (fault == DVT_FAULT_FROM);
    if (!wrong && dvt_folder_entries(&s->folder) > 1 + left)
        wrong = "a temporary file is left";
    return wrong ? wrong : check_next_save(s, saves);
}

const char *dvt_saves_check_faults(const dvt_saves *saves, dvt_fault fault, int os_code,
                                   int64_t *last_out)
{
    static char text[1200];
    const char *wrong = NULL;
    bool was_hit = true;
    int64_t k = 1;
    for (; !wrong && was_hit && k < CALLS_MAX; k++) {
        scene s = make_scene();
        wrong = check_fault(&s, saves, k, fault, os_code);
        was_hit = *dvt_faults_hit() != '\0';
        if (wrong)
            snprintf(text, sizeof text, "call %" PRId64 ", %s: %s", k, dvt_faults_hit(), wrong);
        dvt_folder_remove(&s.folder);
    }
    if (last_out)
        *last_out = k - 2;
    return wrong ? text : NULL;
}

/* --- Killed processes ------------------------------------------------------------------------- */

/* true: it was killed after call k; false: it ended before, and well. */
static const char *kill_after(const scene *s, const dvt_saves *saves, int64_t k,
                              bool *was_killed_out)
{
    int how;
    const pid_t child = fork();
    if (child < 0)
        return "no process";
    if (child == 0) {
        dvt_faults_start(k, DVT_FAULT_KILL, 0);
        _exit(saves->save(saves->ctx, s->path.text, NULL) == DV_OK ? 0 : 1);
    }
    if (waitpid(child, &how, 0) != child)
        return "no process to wait for";
    *was_killed_out = WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL;
    return *was_killed_out || (WIFEXITED(how) && WEXITSTATUS(how) == 0)
               ? NULL
               : complain("the process ended with %d", how);
}

static const char *check_kill(const scene *s, const dvt_saves *saves, int64_t k,
                              bool *was_killed_out)
{
    const char *wrong = kill_after(s, saves, k, was_killed_out);
    if (wrong)
        return wrong;
    if (!is_new(s, saves) && (!*was_killed_out || !is_old(s)))
        return "the file is neither old nor new";
    const int entries = dvt_folder_entries(&s->folder);
    if (entries > 2 + (access(s->left.text, F_OK) == 0))
        return complain("%d files are left", entries);
    return check_next_save(s, saves);
}

const char *dvt_saves_check_kills(const dvt_saves *saves, int64_t *last_out)
{
    static char text[1200];
    const char *wrong = NULL;
    bool was_killed = true;
    int64_t k = 1;
    for (; !wrong && was_killed && k < CALLS_MAX; k++) {
        scene s = make_scene();
        wrong = check_kill(&s, saves, k, &was_killed);
        if (wrong)
            snprintf(text, sizeof text, "killed after call %" PRId64 ": %s", k, wrong);
        dvt_folder_remove(&s.folder);
    }
    if (last_out)
        *last_out = k - 2;
    return wrong ? text : NULL;
}
