/* SPDX-License-Identifier: MIT */
/* test_row_cache.c: --cache keeps the selected rows, and no others. */
#include "cli/run.h"
#include "support/file.h"
#include <string.h>

static const char how[] = "--text=col=x:R4:0 col=t:TX:1";

typedef struct scene {
    dvt_path folder, data, cache;
} scene;

static scene make_scene(void)
{
    scene s = {.folder = dvt_folder_create()};
    s.data = dvt_path_in(&s.folder, "data.txt");
    s.cache = dvt_path_in(&s.folder, "rows.cache");
    dvt_file_write(&s.data, "1\ta\n2\tb\n3\tc\n", 12);
    return s;
}

/* The first command writes the file, the next ones read it, and other options apply after it.
 */
Test(row_cache, in_a_file)
{
    scene s = make_scene();
    size_t n, m;
    const char *data = s.data.text, *cache = s.cache.text;
    for (int again = 0; again < 2; again++)
        dvt_expect(DVT_RUN("cat", how, "--cache", cache, data), 0, "x\tt\n1\ta\n2\tb\n3\tc\n", "");
    uint8_t *before = dvt_file_read(cache, &n);
    dvt_expect(
        DVT_RUN("cat", how, "--cache", cache, "--where", "x>1", "--convert=x:R8", "--take=1", data),
        0, "x\tt\n2\tb\n", "");
    uint8_t *after = dvt_file_read(cache, &m);
    cr_expect(n == m && memcmp(before, after, n) == 0);
    free(before);
    free(after);
    dvt_file_write(&s.data, "1\ta\n2\tB\n3\tc\n4\td\n", 16);
    dvt_expect(DVT_RUN("cat", how, "--cache", cache, "--skip=1", data), 0,
               "x\tt\n2\tB\n3\tc\n4\td\n", "");
    cr_expect_eq(dvt_folder_entries(&s.folder), 2);
    dvt_folder_remove(&s.folder);
}

Test(row_cache, in_memory)
{
    scene s = make_scene();
    dvt_expect(DVT_RUN("cat", how, "--cache=memory", s.data.text), 0, "x\tt\n1\ta\n2\tb\n3\tc\n",
               "");
    dvt_expect(DVT_RUN("cat", how, "--cache=memory", "--shuffle=uniform", "--take=0", s.data.text),
               0, "x\tt\n", "");
    cr_expect_eq(dvt_folder_entries(&s.folder), 1);
    dvt_folder_remove(&s.folder);
}

/* Data files that are named by mistake stay unchanged. */
Test(row_cache, refused)
{
    scene s = make_scene();
    dvt_run run = DVT_RUN("cat", how, "--cache", s.data.text, s.data.text);
    cr_expect_eq(run.status, 2);
    cr_expect(strstr(dvt_text_of(&run.err), "not replaced"), "%s", dvt_text_of(&run.err));
    dvt_run_free(&run);
    run = DVT_RUN("diff", "--cache", s.cache.text, how, s.data.text, s.data.text);
    cr_expect_eq(run.status, 2);
    cr_expect(strstr(dvt_text_of(&run.err), "--cache memory"), "%s", dvt_text_of(&run.err));
    dvt_run_free(&run);
    run = DVT_RUN("cat", how, "--cache=", s.data.text);
    cr_expect_eq(run.status, 2);
    dvt_run_free(&run);
    run = DVT_RUN("cat", how, "--cache=/nowhere/at/all", s.data.text);
    cr_expect_eq(run.status, 3);
    dvt_run_free(&run);
    cr_expect_eq(dvt_folder_entries(&s.folder), 1);
    dvt_folder_remove(&s.folder);
}
