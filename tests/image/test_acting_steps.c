/* SPDX-License-Identifier: MIT */
/* test_acting_steps.c: every step of the registry that opens files, in an untrusted pipeline.
 *
 * The story: `map` of a saved pipeline gave a path, and `loadbytes folder=/` the bytes of that
 * file. A new step that acts outside the table must get a row in `cases`. */
#include "steps/step_registry.h"
#include "support/file.h"
#include "support/test.h"
#include <dataview/image.h>
#include <dataview/open.h>
#include <dataview/step.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Steps with the folder as %s. */
static const struct {
    const char *name, *steps;
} cases[] = {{"loadbytes", "loadbytes X:P folder=\"%s\" strict- nbytes=100"},
             {"image", "image X:P folder=\"%s\" strict- width=1 height=1"}};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static dvt_path outer, table;

static void start(void)
{
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    outer = dvt_folder_create();
    table = dvt_path_in(&outer, "table.csv");
    const dvt_path inner = dvt_path_in(&outer, "in"), file = dvt_path_in(&inner, "a.png"),
                   link = dvt_path_in(&inner, "link"), secret = dvt_path_in(&outer, "secret.png");
    cr_assert_eq(mkdir(inner.text, 0777), 0);
    dvt_file_write(&file, "FILE", 4);
    dvt_file_write(&secret, "SECRET", 6);
    cr_assert_eq(symlink("../secret.png", link.text), 0);
    cr_assert_eq(chdir(outer.text), 0);
}

static void stop(void)
{
    cr_assert_eq(chdir("/"), 0);
    dvt_folder_remove(&outer);
}

TestSuite(acting_steps, .init = start, .fini = stop);

Test(acting_steps, are_all_in_the_list)
{
    for (int32_t i = 0; i < dv_transform_count(); i++) {
        const dv_transform_info *info = dv_transform_at(i);
        size_t k = 0;
        while (k < COUNT(cases) && strcmp(cases[k].name, info->name) != 0)
            k++;
        cr_expect_eq(dvi_class_of(info)->open.acts_outside, k < COUNT(cases), "%s", info->name);
    }
}

/* Apply a pipeline to a table of one path, and count the bytes that it reads. */
static dv_status read_path(const char *steps, const char *path, const char *allow, bool untrusted,
                           int64_t *nbytes_out, dv_error *err)
{
    char text[600];
    dv_folder *allowed = NULL;
    dv_view *rows, *made = NULL;
    dv_pipeline *pipeline;
    dv_fitted *fitted = NULL;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    dv_cursor_options reading = DV_CURSOR_OPTIONS_INIT;
    *nbytes_out = 0;
    dvt_file_write(&table, text, (size_t)snprintf(text, sizeof text, "P,Q\n%s,1\n", path));
    cr_assert_eq(dv_open(&rows, table.text, NULL, NULL), DV_OK);
    if (allow)
        cr_assert_eq(dv_folder_open(&allowed, allow, NULL, NULL), DV_OK);
    options.untrusted = untrusted;
    options.allowed = allowed;
    cr_assert_eq(dv_pipeline_parse_files(&pipeline, dv_text_of(steps), &options, NULL, err), DV_OK);
    dv_status status = dv_fit(&fitted, pipeline, rows, NULL, NULL, err);
    if (status == DV_OK)
        status = dv_fitted_apply(&made, fitted, rows, NULL, err);
    if (status == DV_OK)
        cr_assert_eq(dv_cursor_options_column(&reading, dv_view_schema(made), "X", NULL), DV_OK);
    if (status == DV_OK)
        status = dv_cursor_open(&cursor, made, &reading, err);
    if (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, err);
    if (status == DV_OK && dv_batch_column(batch, 0)->layout == DV_LAYOUT_BYTES) {
        const dv_value value = dv_value_first(dv_batch_column(batch, 0));
        *nbytes_out = dv_value_tx(&value).nbytes;
    }
    dv_cursor_close(&cursor);
    dv_view_release(&made);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    dv_folder_release(&allowed);
    dv_view_release(&rows);
    return status;
}

Test(acting_steps, open_only_what_is_allowed)
{
    const struct {
        const char *folder, *path, *allow;
        int64_t nbytes; /* -1: an error, if not only of the value */
    } paths[] = {{"in", "a.png", "in", 4},
                 {".", "in/a.png", "in", 4},
                 {"/", outer.text, "in", -1}, /* a folder */
                 {".", "secret.png", "in", -1},
                 {".", "in/link", "in", 0},
                 {".", "in/../secret.png", ".", 0},
                 {"in", "../secret.png", "in", 0},
                 {"..", "secret.png", "in", -1},
                 {"/", "/etc/passwd", "in", -1},
                 {"/etc", "passwd", "in", -1},
                 {"/proc/self", "environ", "in", -1},
                 {"/", "/proc/self/environ", "in", -1},
                 {"/", "/dev/null", "in", -1},
                 {"/", "/dev/null", "/", 0},
                 {"/dev", "null", "/dev", 0}};
    for (size_t k = 0; k < COUNT(cases); k++)
        for (size_t i = 0; i < COUNT(paths); i++) {
            char steps[600];
            int64_t nbytes;
            dv_error err = DV_ERROR_INIT;
            snprintf(steps, sizeof steps, cases[k].steps, paths[i].folder);
            cr_expect_eq(read_path(steps, paths[i].path, NULL, true, &nbytes, &err),
                         DV_ERR_ARGUMENT);
            cr_expect(strstr(err.message, "it acts outside the table"), "%s", err.message);
            err = (dv_error)DV_ERROR_INIT;
            const dv_status status =
                read_path(steps, paths[i].path, paths[i].allow, true, &nbytes, &err);
            cr_expect_eq(status == DV_OK, paths[i].nbytes >= 0, "%s %s: %s", steps, paths[i].path,
                         err.message);
            if (k == 0 && paths[i].nbytes >= 0)
                cr_expect_eq(nbytes, paths[i].nbytes, "%s %s", steps, paths[i].path);
        }
}

/* Steps that the caller types may read any file. */
Test(acting_steps, of_the_caller)
{
    int64_t nbytes;
    cr_expect_eq(read_path("loadbytes X:P", "secret.png", NULL, false, &nbytes, NULL), DV_OK);
    cr_expect_eq(nbytes, 6);
}

/* Pictures that the table has itself need no file. */
Test(acting_steps, of_bytes_are_not_meant)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *rows = NULL, *made = NULL;
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    options.untrusted = true;
    dvt_file_write(&table, "P,Q\na,1\n", 8);
    cr_assert_eq(dv_open(&rows, table.text, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_pipe(&made, rows, dv_text_of("loadbytes B:P strict-"), NULL, NULL, NULL),
                 DV_OK);
    cr_assert_eq(dv_pipeline_parse_files(&pipeline, dv_text_of("image X:B width=1 height=1"),
                                         &options, NULL, NULL),
                 DV_OK);
    cr_expect_eq(dv_fit(&fitted, pipeline, made, NULL, NULL, &err), DV_OK, "%s", err.message);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    dv_view_release(&made);
    dv_view_release(&rows);
}
