/* SPDX-License-Identifier: MIT */
/* test_open_alike.c: files that are opened together, and may share their columns, are what they are
 * when each is opened by itself. */
#include "scan/several.h"
#include "support/golden_files.h"
#include "support/test.h"
#include "transform/tf_concat.h"
#include <dataview/inspect.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100 /* files */

static char *paths[MOST];
static int paths_count;

static void keep(const dvt_golden *golden)
{
    if (paths_count < MOST)
        paths[paths_count++] = strdup(golden->path);
}

static void find_paths(void)
{
    paths_count = 0;
    cr_assert_gt(dvt_golden_each(keep), 10);
}

static void free_paths(void)
{
    while (paths_count > 0)
        free(paths[--paths_count]);
}

TestSuite(open_alike, .init = find_paths, .fini = free_paths, .timeout = 300);

/* Each by itself. */
static dv_status open_apart(dv_view **view_out, const char *const names[2], dv_error *err)
{
    dv_view *views[2] = {NULL, NULL};
    dv_status status = DV_OK;
    *view_out = NULL;
    for (int i = 0; i < 2 && status == DV_OK; i++)
        status = dv_open(&views[i], names[i], NULL, err);
    if (status == DV_OK)
        status = dvi_concat_named(view_out, views, names, 2, INT64_MAX, NULL, err);
    for (int i = 0; i < 2; i++)
        dv_view_release(&views[i]);
    return status;
}

static void expect_same_facts(dv_view *view, dv_view *other, const char *what)
{
    dv_facts *a, *b;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_inspect(&a, view, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_inspect(&b, other, &err), DV_OK, "%s", err.message);
    cr_expect_eq(a->rows, b->rows, "%s", what);
    cr_expect_eq(a->dead_columns, b->dead_columns, "%s", what);
    cr_expect_eq(a->warnings, b->warnings, "%s", what);
    for (int32_t i = 0; i < a->warnings && i < b->warnings; i++)
        cr_expect_str_eq(a->warning[i], b->warning[i]);
    for (int32_t k = 0; k < a->columns && k < b->columns; k++)
        cr_expect_eq(a->column[k].inflated_nbytes, b->column[k].inflated_nbytes, "%s", what);
    dv_facts_free(&a);
    dv_facts_free(&b);
}

/* The identity is a digest of the columns and metadata of each file, and of its bytes. */
static void expect_same_table(dv_view *view, dv_view *other, const char *what)
{
    dv_u128 a, b;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_view_identity(view, &a, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_identity(other, &b, &err), DV_OK, "%s", err.message);
    cr_expect(a.lo == b.lo && a.hi == b.hi, "%s", what);
    expect_same_facts(view, other, what);
}

static bool compare(const char *const names[2])
{
    dv_view *together, *apart;
    dv_error err = DV_ERROR_INIT, wanted = DV_ERROR_INIT;
    const dv_status status = dv_open_many(&together, names, 2, NULL, &err);
    cr_assert_eq(open_apart(&apart, names, &wanted), status, "%s, %s: %s", names[0], names[1],
                 err.message);
    cr_expect_str_eq(err.message, wanted.message);
    cr_expect_str_eq(err.file, wanted.file);
    if (status == DV_OK)
        expect_same_table(together, apart, names[1]);
    dv_view_release(&together);
    dv_view_release(&apart);
    return status == DV_OK;
}

Test(open_alike, each_two_files)
{
    int alike = 0;
    for (int i = 0; i < paths_count; i++)
        for (int k = 0; k < paths_count; k++)
            alike += compare((const char *const[]){paths[i], paths[k]});
    cr_expect_geq(alike, paths_count + 10, "files of the same columns");
    cr_expect_lt(alike, paths_count * paths_count);
}

/* Columns are shared, and stay as long as one file that has them. */
Test(open_alike, the_first_is_closed)
{
    const dvt_path path = dvt_test_path("golden/idv/scalar-all-raw-rpb7.idv");
    const char *const names[] = {path.text, path.text, path.text};
    dv_view *view, *const *files;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open_many(&view, names, 3, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dvi_several_joined(view, &files), 3);
    cr_expect_eq(dv_view_schema(files[0]), dv_view_schema(files[2]));
    dv_view *last = files[2];
    dv_view_retain(last);
    dv_view_release(&view);
    const dv_schema *schema = dv_view_schema(last);
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        cr_expect_gt(strlen(dv_schema_column(schema, i)->name.data), 0);
    cr_expect_gt(dv_schema_columns(schema), 0);
    dv_view_release(&last);
}
