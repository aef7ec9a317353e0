/* SPDX-License-Identifier: MIT */
/* test_resume.c: a cursor that ends anywhere resumes there: every format, any chain of views.
 * (docs/resuming.md) */
#include "support/drawn_chain.h"
#include "support/golden_files.h"
#include "support/resumed.h"
#include "support/sample_sets.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/digest.h>
#include <dataview/open.h>
#include <dataview/row.h>
#include <dataview/transform.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_NBYTES 64
#define CHAINS 3 /* of each file, the one without a step included */
#define ROWS 300 /* of a file, for a chain */

/* --- Golden files, under drawn chains --------------------------------------------------------- */

/* The chain of that number on the file, made of one that is opened by `io`. */
static dv_view *open_chain(const char *path, const dv_open_options *given, dv_io io, int number,
                           dvt_lines *log)
{
    dv_open_options how = *given;
    dv_error err = DV_ERROR_INIT;
    dv_view *source, *some, *view = NULL;
    uint64_t bytes[CHAIN_NBYTES / 8];
    for (size_t i = 0; i < CHAIN_NBYTES / 8; i++)
        bytes[i] =
            dv_digest_8(strrchr(path, '/'), strlen(strrchr(path, '/')), (uint64_t)number * 100 + i);
    dvt_draws draws = {(const uint8_t *)bytes, number > 0 ? CHAIN_NBYTES : 0};
    how.io = io;
    if (dv_open(&source, path, &how, &err) != DV_OK)
        return NULL; /* one that shall not open */
    cr_assert_eq(dv_view_slice(&some, source, 0, ROWS, NULL, NULL), DV_OK);
    cr_assert_eq(dvt_drawn_chain(&view, some, &draws, NULL, log, NULL), DV_OK);
    dv_view_release(&some);
    dv_view_release(&source);
    return view;
}

static int check_file(const char *path, const dv_open_options *how)
{
    int checked = 0;
    for (int number = 0; number < CHAINS; number++) {
        dvt_lines log = {0};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_view *first = open_chain(path, how, DV_IO_MMAP, number, &log);
        dv_view *second = open_chain(path, how, DV_IO_PREAD, number, NULL);
        options.ids = true;
        options.batch_rows = number % 2 ? 0 : 5;
        options.skip = number;
        if (first && second) {
            const char *difference =
                dvt_resume_difference(first, second, &options, (uint64_t)number);
            cr_expect_null(difference, "%s: %s: %s", path, log.data ? log.data : "", difference);
            checked++;
        }
        cr_expect_eq(!first, !second);
        dv_view_release(&first);
        dv_view_release(&second);
        dvt_lines_free(&log);
    }
    return checked;
}

static void check_golden(const dvt_golden *golden)
{
    const dv_open_options how = DV_OPEN_OPTIONS_INIT;
    cr_expect_eq(check_file(golden->path, &how), CHAINS);
}

Test(resume, every_idv_file)
{
    cr_expect_gt(dvt_golden_each(check_golden), 50);
}

Test(resume, every_btable)
{
    cr_expect_gt(dvt_golden_each_in("btable", check_golden), 10);
}

Test(resume, every_text_file)
{
    static const char *const options[] = {
        "", "col=A:TX:0 col=B:TX:1-**", "sep=comma col=A:R4:0 col=B:I4:1 col=C:TX:0-1 trim+",
        "sep=comma multilines+ quote+ piece=40 col=A:TX:0 col=V:R4:0-**"};
    const dvt_path folder = dvt_test_path("golden/text/load");
    DIR *entries = opendir(folder.text);
    const struct dirent *entry;
    int checked = 0;
    cr_assert_not_null(entries);
    while ((entry = readdir(entries)))
        for (size_t i = 0; strstr(entry->d_name, ".txt") && i < sizeof options / sizeof *options;
             i++) {
            const dvt_path path = dvt_path_in(&folder, entry->d_name);
            dv_open_options how = DV_OPEN_OPTIONS_INIT;
            how.text = options[i];
            checked += check_file(path.text, &how);
        }
    closedir(entries);
    cr_expect_gt(checked, 300);
}

Test(resume, samples_of_datadings)
{
    static const char *const options[] = {"", "raw", "scan", "col=v:R4", "infer=1 mismatch=na"};
    dvt_samples set = dvt_samples_numbered(500);
    dvt_samples_write(&set);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.datadings = options[i];
        cr_expect_eq(check_file(set.path.text, &how), CHAINS, "%s", options[i]);
    }
    dvt_samples_free(&set);
}

/* Files opened as one, whose rows follow those of the files before. */
Test(resume, several_files)
{
    const dvt_path a = dvt_test_path("golden/idv/rows-8193.idv");
    const char *const paths[] = {a.text, a.text, a.text};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *first, *second;
    options.ids = true;
    for (uint64_t seed = 0; seed < 3; seed++) {
        cr_assert_eq(dv_open_many(&first, paths, 3, NULL, NULL), DV_OK);
        cr_assert_eq(dv_open_many(&second, paths, 3, NULL, NULL), DV_OK);
        options.batch_rows = (int64_t)seed * 1000;
        const char *difference = dvt_resume_difference(first, second, &options, seed);
        cr_expect_null(difference, "%s", difference);
        dv_view_release(&first);
        dv_view_release(&second);
    }
}

/* --- Many chains on one table ----------------------------------------------------------------- */

/* Every transform in every place of a chain, on a table of all types. */
Test(resume, many_chains)
{
    const dvt_path path = dvt_test_path("golden/idv/scalar-all-deflate-rpb7.idv");
    const dvt_path vectors = dvt_test_path("golden/transform/select-drop/input.idv");
    const dv_open_options how = DV_OPEN_OPTIONS_INIT;
    for (int number = 1; number < 150; number++) {
        dvt_lines log = {0};
        const char *file = number % 2 ? path.text : vectors.text;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_view *view = open_chain(file, &how, DV_IO_MMAP, number, &log);
        options.ids = number % 3;
        const char *difference = dvt_resume_difference(view, view, &options, (uint64_t)number);
        cr_expect_null(difference, "%d: %s: %s", number, log.data, difference);
        dv_view_release(&view);
        dvt_lines_free(&log);
    }
}

/* A chain with other parameters does not take the token; chains differ by every parameter
 * (test_identity.c), so here only that the way through a cursor asks. */
Test(resume, another_chain_is_refused)
{
    const dvt_path path = dvt_test_path("golden/idv/people.idv");
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *source, *taken;
    dv_cursor *cursor;
    dv_row_cursor *rows;
    dv_token token;
    cr_assert_eq(dv_open(&source, path.text, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_slice(&taken, source, 1, -1, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, source, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_token(cursor, &token, NULL), DV_OK);
    dv_cursor_close(&cursor);
    options.token = token.text;
    cr_expect_eq(dv_cursor_open(&cursor, taken, &options, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_row_cursor_open(&rows, taken, &options, NULL), DV_ERR_ARGUMENT);
    cr_expect_null(cursor);
    cr_expect_null(rows);
    dv_view_release(&taken);
    dv_view_release(&source);
}
