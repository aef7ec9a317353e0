/* SPDX-License-Identifier: MIT */
/* test_output_paths.c: paths that lead to one file are found before files are saved there (save.h).
 *
 * `split -o a.idv -o ./a.idv` compared texts, and wrote one part over the other. */
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/test.h"
#include "support/written.h"
#include <dataview/format.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIALS 100
#define PATHS 4
#define TEXT "../examples/houses.csv"

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(output_paths, .init = make_folder, .fini = remove_folder);

static dvt_path in(const char *name)
{
    return dvt_path_in(&folder, name);
}

static dv_status check(const char *a, const char *b, dv_error *err)
{
    const dvt_path path[2] = {in(a), in(b)};
    const char *const paths[2] = {path[0].text, path[1].text};
    return dv_save_check_paths(paths, 2, NULL, err);
}

/* --- Every way of naming a file --------------------------------------------------------------- */

/* Folders, links to folders and links to files, some of which lead nowhere yet. */
static void make_scene(void)
{
    static const char *const links[][2] = {{"d/e", "f"},      {"..", "d/up"}, {"d/e/x", "x"},
                                           {"../y", "d/y"},   {"d/y", "e"},   {"e", "d/e/z"},
                                           {"gone/z", "gone"}};
    cr_assert_eq(mkdir(in("d").text, 0777), 0);
    cr_assert_eq(mkdir(in("d/e").text, 0777), 0);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        cr_assert_eq(symlink(links[i][0], in(links[i][1]).text), 0);
}

static void draw_path(char *dst, size_t cap, uint64_t *state)
{
    static const char *const steps[] = {"d/", "d/e/", "f/", "./", "d/up/", "d/e/../", "f//", ""};
    static const char *const names[] = {"x", "y", "z", "e", "w"};
    snprintf(dst, cap, "%s%s%s", dvt_draw(state) % 4 == 0 ? "d/../" : "",
             steps[dvt_draw(state) % 8], names[dvt_draw(state) % 5]);
}

/* Write to each path what no other gets.  Is all of it there in the end? */
static bool all_stay(const dvt_path *path)
{
    char text[8];
    dv_error err = DV_ERROR_INIT;
    bool ok = true;
    for (int i = 0; i < PATHS; i++) {
        snprintf(text, sizeof text, "%d", i);
        cr_assert_eq(dvt_written(path[i].text, text, &err), DV_OK);
    }
    for (int i = 0; i < PATHS; i++) {
        snprintf(text, sizeof text, "%d", i);
        ok = ok && dvt_file_holds(&path[i], text, strlen(text));
    }
    return ok;
}

/* Paths pass exactly if saves to all of them leave all of the files. */
Test(output_paths, pass_if_nothing_would_be_lost)
{
    uint64_t state = 43;
    int passed = 0, refused = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        char name[64];
        dvt_path path[PATHS];
        const char *paths[PATHS];
        dv_error err = DV_ERROR_INIT;
        make_scene();
        for (int i = 0; i < PATHS; i++) {
            draw_path(name, sizeof name, &state);
            path[i] = in(name);
            paths[i] = path[i].text;
        }
        const int before = dvt_folder_entries(&folder);
        const dv_status status = dv_save_check_paths(paths, PATHS, NULL, &err);
        cr_expect_eq(dvt_folder_entries(&folder), before);
        if (status != DV_ERR_IO) { /* a directory, such as d/e */
            cr_expect_eq(status == DV_OK, all_stay(path), "trial %d: %s", trial, err.message);
            passed += status == DV_OK;
            refused += status == DV_ERR_ARGUMENT;
        }
        remove_folder();
        make_folder();
    }
    cr_expect(passed > TRIALS / 20 && refused > TRIALS / 20, "%d and %d", passed, refused);
}

/* --- Single cases ----------------------------------------------------------------------------- */

Test(output_paths, names_both_paths)
{
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(check("a.idv", "./a.idv", &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "/./a.idv are the same file"), "%s", err.message);
    cr_expect_eq(check("a.idv", "a.idv", &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "a.idv is given twice"), "%s", err.message);
    cr_expect_eq(check("a.idv", "b.idv", &err), DV_OK);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
}

Test(output_paths, hard_links_are_one_file)
{
    const dvt_path a = in("a");
    dv_error err = DV_ERROR_INIT;
    dvt_file_write(&a, "old", 3);
    cr_assert_eq(link(a.text, in("b").text), 0);
    cr_assert_eq(symlink("b", in("c").text), 0);
    cr_expect_eq(check("a", "b", &err), DV_ERR_ARGUMENT);
    cr_expect_eq(check("c", "a", &err), DV_ERR_ARGUMENT);
    cr_expect_eq(check("c", "d", &err), DV_OK);
}

Test(output_paths, a_path_that_cannot_be_saved_is_named)
{
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(check("a", "none/b", &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOENT);
    cr_expect(strstr(err.file, "none/b"), "%s", err.file);
    cr_expect_eq(dv_save_check_paths(NULL, 0, NULL, &err), DV_OK);
    cr_expect_eq(dv_save_check_paths(NULL, -1, NULL, &err), DV_ERR_ARGUMENT);
}

/* --- Side files ------------------------------------------------------------------------------- */

/* A save leaves the side files that the format lists, and no others. .index is only
 * removed (datadings:1). */
Test(output_paths, formats_list_their_side_files)
{
    static const char *const sources[] = {"golden/idv/bool-9.idv", "golden/btable/random-00.btable",
                                          "golden/datadings/tiny.msgpack", TEXT};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        const dvt_path source = dvt_test_path(sources[i]), path = in("out");
        const dv_format_info *info = dv_format_of_path(source.text);
        int there = 0;
        how.datadings = strcmp(info->name, "datadings") == 0 ? "raw" : NULL;
        options.format = info->name;
        cr_assert_eq(dv_open(&view, source.text, &how, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_save(view, path.text, &options, &err), DV_OK, "%s", err.message);
        dv_view_release(&view);
        for (const char *suffix = info->side_files; *suffix; suffix += strspn(suffix, " ")) {
            char name[64];
            const size_t n = strcspn(suffix, " ");
            snprintf(name, sizeof name, "out%.*s", (int)n, suffix);
            cr_expect((access(in(name).text, F_OK) == 0) != (strcmp(name, "out.index") == 0), "%s",
                      name);
            there += strcmp(name, "out.index") != 0;
            suffix += n;
        }
        cr_expect_eq(dvt_folder_entries(&folder), 1 + there, "%s", info->name);
        remove_folder();
        make_folder();
    }
}
