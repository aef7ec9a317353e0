/* SPDX-License-Identifier: MIT */
/* test_loadbytes.c: paths become the bytes of files, but only of those below the folder. */
#include "support/file.h"
#include "support/pictures.h"
#include "support/test.h"
#include <dataview/image.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static dvt_path outer, inner; /* OUTER/secret, OUTER/in/... */

static void start(void)
{
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    outer = dvt_folder_create();
    inner = dvt_path_in(&outer, "in");
    cr_assert_eq(mkdir(inner.text, 0777), 0);
    const dvt_path secret = dvt_path_in(&outer, "secret"), one = dvt_path_in(&inner, "one"),
                   deep = dvt_path_in(&inner, "deep"), two = dvt_path_in(&deep, "two"),
                   empty = dvt_path_in(&inner, "empty"), link = dvt_path_in(&inner, "link"),
                   out = dvt_path_in(&inner, "out"), pipe = dvt_path_in(&inner, "pipe");
    cr_assert_eq(mkdir(deep.text, 0777), 0);
    dvt_file_write(&secret, "SECRET", 6);
    dvt_file_write(&one, "first", 5);
    dvt_file_write(&two, "second", 6);
    dvt_file_write(&empty, "", 0);
    cr_assert_eq(symlink("one", link.text), 0);
    cr_assert_eq(symlink("..", out.text), 0);
    cr_assert_eq(mkfifo(pipe.text, 0666), 0);
}

static void stop(void)
{
    dvt_folder_remove(&outer);
}

TestSuite(loadbytes, .init = start, .fini = stop);

/* The bytes of all files are `expected`; NULL: it fails. */
static void check(const char *const *paths, int n, const char *options, const char *expected,
                  const char *says)
{
    char pipeline[700];
    dvt_made_pixels made;
    dvt_pictures files = {.are_paths = true};
    dv_error err = DV_ERROR_INIT;
    for (int i = 0; i < n; i++)
        dvt_pictures_add(&files, paths[i], strlen(paths[i]));
    snprintf(pipeline, sizeof pipeline, "loadbytes X:F folder=\"%s\" %s", inner.text, options);
    const dv_status status = dvt_pictures_pipe(&made, &files, pipeline, 2, NULL, &err);
    if (expected) {
        cr_assert_eq(status, DV_OK, "%s", err.message);
        cr_assert_eq(made.nbytes, strlen(expected), "%s: %zu bytes", paths[0], made.nbytes);
        cr_assert_eq(memcmp(made.data, expected, made.nbytes), 0);
    } else {
        cr_assert_lt(status, 0);
        cr_assert(strstr(err.message, says), "%s: %s", paths[0], err.message);
    }
    free(made.data);
    dvt_pictures_free(&files);
}

Test(loadbytes, reads_files_below_the_folder)
{
    static const char *const paths[] = {"one", "deep/two", "empty", "deep//two", "./one"};
    check(paths, 5, "strict+", "firstsecondsecondfirst", NULL);
    check(paths, 2, "nbytes=5", "first", NULL);
    check(paths + 1, 1, "nbytes=5 strict+", NULL, "row 0: more bytes");
    check(paths, 1, "nbytes=5 strict+", "first", NULL);
}

/* Without `strict+` a path that is not read has no bytes. */
Test(loadbytes, does_not_leave_the_folder)
{
    static const char *const paths[] = {"../secret", "out/secret", "link",  "deep/../one", "pipe",
                                        "deep",      "absent",     "one/x", "/etc/passwd"};
    for (int i = 0; i < 9; i++) {
        check(paths + i, 1, "strict-", "", NULL);
        check(paths + i, 1, "strict+", NULL, "row 0: ");
    }
    check(paths, 1, "strict+", NULL, "row 0: a path with .. or a symbolic link: ../secret");
    check(paths + 2, 1, "strict+", NULL, "row 0: a path with .. or a symbolic link: link");
    check(paths + 2, 1, "follow+", "first", NULL);
    check(paths + 1, 1, "follow+", "SECRET", NULL);
    check(paths, 1, "follow+ strict-", "", NULL);
}

/* A forgotten folder. */
Test(loadbytes, first_paths_that_all_lead_nowhere_are_an_error)
{
    static const char *const absent[] = {"", "absent", "/no/such/file", "deep"};
    static const char *const some[] = {"absent", "one"};
    check(absent, 4, "", NULL,
          "step 1, loadbytes: each of the first 3 paths leads to no file: No such file or "
          "directory: absent; paths begin at folder=\"");
    check(absent + 2, 1, "", NULL,
          "the only path leads to no file: the path is not relative to the folder: /no/such/file; "
          "paths begin at folder=\"");
    check(absent, 4, "strict-", "", NULL);
    check(absent, 1, "", "", NULL); /* no path is no wrong one */
    check(some, 2, "", "first", NULL);
    check(some + 1, 1, "nbytes=1", "", NULL); /* it is there */
}

/* Only the first 100 rows are looked at, by the thread that has the first chunk. */
Test(loadbytes, later_paths_may_lead_nowhere)
{
    enum { N = 5000 };
    static const char *paths[N];
    for (int i = 0; i < N; i++)
        paths[i] = i == 99 ? "one" : "absent";
    check(paths, N, "", "first", NULL);
    paths[99] = "absent";
    paths[100] = "one";
    check(paths, N, "", NULL, "each of the first 100 paths");
}

Test(loadbytes, takes_any_path_below_the_root)
{
    char pipeline[64];
    dvt_made_pixels made;
    dvt_pictures files = {.are_paths = true};
    const dvt_path one = dvt_path_in(&inner, "one");
    dvt_pictures_add(&files, one.text, strlen(one.text));
    dvt_pictures_add(&files, "", 0);
    snprintf(pipeline, sizeof pipeline, "loadbytes X:F folder=/ strict+ follow+");
    cr_assert_eq(dvt_pictures_pipe(&made, &files, pipeline, 0, NULL, NULL), DV_OK);
    cr_assert_eq(made.nbytes, 5);
    free(made.data);
    dvt_pictures_free(&files);
}

Test(loadbytes, needs_its_folder)
{
    dvt_made_pixels made;
    dvt_pictures files = {.are_paths = true};
    dvt_pictures_add(&files, "one", 3);
    cr_assert_eq(
        dvt_pictures_pipe(&made, &files, "loadbytes X:F folder=/no/such/folder", 0, NULL, NULL),
        DV_ERR_IO);
    free(made.data);
    dvt_pictures_free(&files);
}
