/* SPDX-License-Identifier: MIT */
/* test_text_files.c: checks that several files are read as one view. */
#include "support/file.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/batch.h>
#include <dataview/inspect.h>
#include <dataview/schema.h>
#include <string.h>

#define FILES 3

static dvt_path folder;

/* Returns NULL with *err set if they do not open. */
static dv_view *open_files(const char *const *texts, const char *options, dv_error *err)
{
    static const char *const names[FILES] = {"a.txt", "b.txt", "c.txt"};
    dvt_path paths[FILES];
    const char *path[FILES];
    dv_view *view = NULL;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.text = options;
    for (int i = 0; i < FILES; i++) {
        paths[i] = dvt_path_in(&folder, names[i]);
        path[i] = paths[i].text;
        dvt_file_write(&paths[i], texts[i], strlen(texts[i]));
    }
    dv_open_many(&view, path, FILES, &how, err);
    return view;
}

static void expect_rows(dv_view *view, int64_t first, const char *want)
{
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = first;
    cr_expect_eq(dvt_text_rows(&lines, view, &options, &err), DV_END, "%s", err.message);
    cr_expect_str_eq(lines.data ? lines.data : "", want);
    dvt_lines_free(&lines);
}

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(text_files, .init = make_folder, .fini = remove_folder);

/* Regression: option rows was applied to each file. */
Test(text_files, rows_count_over_all)
{
    static const char *const texts[FILES] = {"1\n2\n", "3\n4\n", "5\n6\n"};
    static const struct {
        const char *options, *rows;
        int64_t n;
    } all[] = {{"rows=0 col=A:I4:0", "", 0},
               {"rows=1 col=A:I4:0", "1\n", 1},
               {"rows=2 col=A:I4:0", "1\n2\n", 2},
               {"rows=3 col=A:I4:0", "1\n2\n3\n", 3},
               {"rows=5 col=A:I4:0", "1\n2\n3\n4\n5\n", 5},
               {"rows=9 col=A:I4:0", "1\n2\n3\n4\n5\n6\n", 6}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dv_error err = DV_ERROR_INIT;
        dv_facts *facts;
        dv_view *view = open_files(texts, all[i].options, &err);
        cr_assert_not_null(view, "%s", err.message);
        expect_rows(view, 0, all[i].rows);
        expect_rows(view, all[i].n, "");
        if (all[i].n > 3)
            expect_rows(view, 3, all[i].rows + 6);
        cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
        cr_expect_eq(facts->rows, all[i].n);
        dv_facts_free(&facts);
        dv_view_release(&view);
    }
}

/* An empty file does not show the number of columns. */
Test(text_files, the_first_that_is_not_empty_decides)
{
    static const char *const texts[FILES] = {"", "x\ty\tz\n1\t2\t3\n", "x\ty\n4\t5\n"};
    static const char *const empty[FILES] = {"", "", ""};
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_files(texts, "header+ col=A:R4:0 col=F:R4:1-*", &err);
    cr_assert_not_null(view, "%s", err.message);
    expect_rows(view, 0, "1 [2,3]\n4 {2 0:5}\n");
    const dv_schema *schema = dv_view_schema(view);
    cr_assert_eq(dv_schema_column(schema, 1)->metadata_count, 1);
    cr_assert_eq(dv_schema_metadata_value(schema, 1, 0, &batch, &err), DV_OK);
    dv_batch_release(&batch);
    dv_view_release(&view);

    cr_expect_null(open_files(empty, "col=F:R4:0-*", &err));
    cr_expect_eq(err.status, DV_ERR_CORRUPT);
    view = open_files(empty, "col=F:R4:0", NULL);
    cr_assert_not_null(view);
    expect_rows(view, 0, "");
    dv_view_release(&view);
}
