/* SPDX-License-Identifier: MIT */
/* test_folder.c: a path that is data opens regular files below the folder, and nothing else.
 *
 * The story: a saved pipeline of an attacker read the user's files, by `folder=/` and paths that it
 * brought itself. Now whoever applies it allows a folder, and each way out of that must fail. */
#include "base/random.h"
#include "support/file.h"
#include "support/test.h"
#include <dataview/folder.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* OUTER/secret, OUTER/in/... is the folder, OUTER/name links to it */
static dvt_path outer, inner, name;

static void add_link(const char *to, const char *file)
{
    cr_assert_eq(symlink(to, dvt_path_in(&inner, file).text), 0);
}

static void start(void)
{
    outer = dvt_folder_create();
    inner = dvt_path_in(&outer, "in");
    name = dvt_path_in(&outer, "name");
    const dvt_path secret = dvt_path_in(&outer, "secret"), one = dvt_path_in(&inner, "one"),
                   deep = dvt_path_in(&inner, "deep"), two = dvt_path_in(&deep, "two"),
                   fifo = dvt_path_in(&inner, "fifo");
    cr_assert_eq(mkdir(inner.text, 0777), 0);
    cr_assert_eq(mkdir(deep.text, 0777), 0);
    dvt_file_write(&secret, "SECRET", 6);
    dvt_file_write(&one, "1", 1);
    dvt_file_write(&two, "2", 1);
    cr_assert_eq(mkfifo(fifo.text, 0666), 0);
    cr_assert_eq(symlink("in", name.text), 0);
    add_link("one", "link");
    add_link("deep/../one", "winding");
    add_link("../secret", "out");
    add_link("..", "up");
    add_link(secret.text, "absolute");
    add_link("deep", "linked");
    add_link("/proc/self/environ", "process");
    add_link("/proc/self/root", "root");
    add_link("/dev/null", "device");
    add_link("loop", "loop");
    cr_assert_eq(chdir(outer.text), 0);
}

static void stop(void)
{
    cr_assert_eq(chdir("/"), 0);
    dvt_folder_remove(&outer);
}

TestSuite(folder, .init = start, .fini = stop);

/* The first byte of a file; 0: it cannot be opened. */
static char read_at(const dv_folder *folder, const char *path, bool follow, dv_status *status)
{
    int fd;
    char byte = 0;
    dv_error err = DV_ERROR_INIT;
    *status = dv_folder_open_file(&fd, folder, dv_text_of(path), follow, &err);
    cr_expect_eq(*status == DV_OK, fd >= 0, "%s", path);
    cr_expect_eq(*status == DV_OK, !*err.message, "%s", path);
    if (fd < 0)
        return 0;
    cr_expect_eq(read(fd, &byte, 1), 1);
    close(fd);
    return byte;
}

static dv_folder *opened(const char *path)
{
    dv_folder *folder;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_folder_open(&folder, path, NULL, &err), DV_OK, "%s", err.message);
    return folder;
}

static const struct {
    const char *path;
    char plain, followed; /* what is read; 0: nothing */
} files[] = {{"one", '1', '1'},
             {"./deep//two", '2', '2'},
             {"link", 0, '1'},
             {"winding", 0, '1'},
             {"linked/two", 0, '2'},
             {"", 0, 0},
             {"deep", 0, 0},
             {"deep/..", 0, 0},
             {"deep/../one", 0, 0},
             {"../secret", 0, 0},
             {"../in/one", 0, 0},
             {"out", 0, 0},
             {"up/secret", 0, 0},
             {"up/in/one", 0, 0},
             {"absolute", 0, 0},
             {"process", 0, 0},
             {"root/etc/passwd", 0, 0},
             {"device", 0, 0},
             {"fifo", 0, 0},
             {"loop", 0, 0},
             {"none", 0, 0},
             {"one/x", 0, 0},
             {"/etc/passwd", 0, 0}};

/* Links never lead out of an allowed folder, whatever name the pipeline has for it. */
Test(folder, nothing_leads_out_of_an_allowed_one)
{
    const char *const allowed_as[] = {inner.text, name.text, "in", "name", "./name/../in", "in/."};
    const char *const named_as[] = {inner.text, "in", "./in", "../outer/in"};
    char up[sizeof outer.text + 16];
    snprintf(up, sizeof up, "..%s/in", strrchr(outer.text, '/'));
    for (size_t a = 0; a < sizeof allowed_as / sizeof *allowed_as; a++) {
        dv_folder *allowed = opened(allowed_as[a]);
        for (size_t n = 0; n < sizeof named_as / sizeof *named_as; n++) {
            dv_folder *folder;
            dv_error err = DV_ERROR_INIT;
            const char *path = n == 3 ? up : named_as[n];
            cr_assert_eq(dv_folder_within(&folder, allowed, path, &err), DV_OK, "%s", err.message);
            for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
                dv_status status;
                cr_expect_eq(read_at(folder, files[i].path, false, &status), files[i].plain);
                cr_expect_eq(status, files[i].plain ? DV_OK : DV_NOT_FOUND, "%s", files[i].path);
                cr_expect_eq(read_at(folder, files[i].path, true, &status), files[i].followed, "%s",
                             files[i].path);
            }
            dv_folder_release(&folder);
        }
        dv_folder_release(&allowed);
    }
}

Test(folder, may_lie_below_the_one_that_a_pipeline_names)
{
    char path[sizeof inner.text + 16];
    dv_status status;
    dv_folder *folder, *allowed = opened("name");
    cr_assert_eq(dv_folder_within(&folder, allowed, "/", NULL), DV_OK);
    snprintf(path, sizeof path, "%s/./one", inner.text);
    cr_expect_eq(read_at(folder, path, false, &status), '1');
    cr_expect_eq(read_at(folder, path + 1, false, &status), '1'); /* without the first / */
    snprintf(path, sizeof path, "%s/linked/two", name.text);
    cr_expect_eq(read_at(folder, path, true, &status), '2');
    snprintf(path, sizeof path, "%s/../secret", inner.text);
    cr_expect_eq(read_at(folder, path, true, &status), 0);
    cr_expect_eq(status, DV_NOT_FOUND);
    const char *const out[] = {"/etc/passwd", "/proc/self/environ", "/dev/null", "/", "//", "."};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        cr_expect_eq(read_at(folder, out[i], true, &status), 0);
        cr_expect_eq(status, DV_ERR_IO, "%s", out[i]);
    }
    snprintf(path, sizeof path, "%s/secret", outer.text);
    cr_expect_eq(read_at(folder, path, true, &status), 0);
    cr_expect_eq(status, DV_ERR_IO);
    snprintf(path, sizeof path, "%sone", inner.text); /* a neighbour with the same prefix */
    cr_expect_eq(read_at(folder, path, true, &status), 0);
    dv_folder_release(&folder);
    cr_assert_eq(dv_folder_within(&folder, allowed, ".", NULL), DV_OK);
    cr_expect_eq(read_at(folder, "in/one", false, &status), '1');
    cr_expect_eq(read_at(folder, "secret", false, &status), 0);
    cr_expect_eq(read_at(folder, "/in/one", false, &status), 0);
    dv_folder_release(&folder);
    dv_folder_release(&allowed);
}

Test(folder, refuses_folders_that_lie_elsewhere)
{
    const struct {
        const char *path;
        dv_status status;
    } cases[] = {{"/etc", DV_ERR_ARGUMENT},       {"/proc/self", DV_ERR_ARGUMENT},
                 {"in/../../x", DV_ERR_ARGUMENT}, {"in/deep/..", DV_ERR_ARGUMENT},
                 {"in/none", DV_ERR_IO},          {"in/up", DV_ERR_IO},
                 {"in/root", DV_ERR_IO},          {"in/one", DV_ERR_IO},
                 {"inside", DV_ERR_ARGUMENT},     {"../in", DV_ERR_ARGUMENT}};
    dv_folder *folder, *allowed = opened("in");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dv_folder_within(&folder, allowed, cases[i].path, &err), cases[i].status,
                     "%s: %s", cases[i].path, err.message);
        cr_expect_null(folder);
    }
    cr_expect_eq(dv_folder_within(&folder, allowed, "in/linked", NULL), DV_OK); /* stays inside */
    dv_folder_release(&folder);
    dv_folder_release(&allowed);
    cr_expect_eq(dv_folder_open(&allowed, "in/one", NULL, NULL), DV_ERR_IO);
    cr_expect_eq(dv_folder_open(&allowed, "none", NULL, NULL), DV_ERR_IO);
}

/* The working directory, and names of the folder, are those at the time when it was allowed. */
Test(folder, stays_the_same)
{
    dv_status status;
    dv_folder *folder, *allowed = opened("in");
    const dvt_path away = dvt_path_in(&outer, "away");
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(dv_folder_within(&folder, allowed, "in", NULL), DV_OK);
    cr_assert_eq(rename(inner.text, away.text), 0);
    cr_expect_eq(read_at(folder, "one", false, &status), '1');
    cr_assert_eq(rename(away.text, inner.text), 0);
    dv_folder_release(&folder);
    dv_folder_release(&allowed);
}

/* Links lead out of a folder that the caller named, where the step asks for that. */
Test(folder, of_the_caller)
{
    dv_status status;
    dv_folder *folder = opened("name");
    cr_expect_eq(read_at(folder, "out", false, &status), 0);
    cr_expect_eq(read_at(folder, "out", true, &status), 'S');
    cr_expect_eq(read_at(folder, "../secret", true, &status), 0);
    cr_expect_eq(read_at(folder, "device", true, &status), 0);
    cr_expect_eq(read_at(folder, "fifo", true, &status), 0);
    dv_folder_release(&folder);
    dv_folder_release(&folder);
}

/* Random paths of parts that tempt: whatever opens has a real name below the folder. */
Test(folder, no_path_leads_out)
{
    static const char *const parts[] = {"in",  "..",   ".",       "one",  "deep",   "two",   "link",
                                        "out", "up",   "linked",  "root", "device", "fifo",  "name",
                                        "",    "proc", "winding", "etc",  "passwd", "secret"};
    int opened_files = 0;
    char real[PATH_MAX], link[64], path[300];
    dv_folder *allowed = opened("in");
    cr_assert_not_null(realpath("in", real));
    const size_t n = strlen(real);
    dvi_random random = dvi_random_of(43);
    for (int round = 0; round < 60000; round++) {
        dv_folder *folder;
        const char *const roots[] = {"in", ".", "/", inner.text, outer.text, "in/linked"};
        const char *root = roots[dvi_random_below(&random, 6)];
        size_t used = (size_t)snprintf(path, sizeof path, "%s",
                                       dvi_random_below(&random, 4) == 0 ? inner.text : "");
        for (uint32_t k = dvi_random_below(&random, 5); k < 5; k++)
            used += (size_t)snprintf(path + used, sizeof path - used, "%s%s", used ? "/" : "",
                                     parts[dvi_random_below(&random, 20)]);
        if (dv_folder_within(&folder, allowed, root, NULL) != DV_OK)
            continue;
        int fd;
        if (dv_folder_open_file(&fd, folder, dv_text_of(path), round & 1, NULL) == DV_OK) {
            char name_of[PATH_MAX];
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            const ssize_t length = readlink(link, name_of, sizeof name_of);
            cr_expect(length > (ssize_t)n && memcmp(name_of, real, n) == 0 && name_of[n] == '/',
                      "%s in %s", path, root);
            close(fd);
            opened_files++;
        }
        dv_folder_release(&folder);
    }
    cr_expect_gt(opened_files, 300);
    dv_folder_release(&allowed);
}

Test(folder, long_paths_are_refused)
{
    static char path[9000];
    dv_status status;
    dv_folder *folder, *allowed = opened("in");
    memset(path, 'a', sizeof path - 1);
    cr_expect_eq(read_at(allowed, path, false, &status), 0);
    cr_expect_eq(dv_folder_within(&folder, allowed, path, NULL), DV_ERR_ARGUMENT);
    for (size_t i = 0; i < sizeof path - 1; i += 2)
        memcpy(path + i, i == 0 ? "in" : "/.", 2);
    path[4000] = 0;
    cr_assert_eq(dv_folder_within(&folder, allowed, path, NULL), DV_OK);
    path[4094] = 0;
    cr_expect_eq(read_at(folder, path, true, &status), 0);
    dv_folder_release(&folder);
    dv_folder_release(&allowed);
}
