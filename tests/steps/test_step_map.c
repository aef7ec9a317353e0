/* SPDX-License-Identifier: MIT */
/* test_step_map.c: maps in the notation: what they make, what they refuse, and their tables. */
#include "steps/step_class.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/lines.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/table.h>
#include <string.h>

static dv_view *make_table(void)
{
    static const char *const texts[] = {"Rome", "Paris", NULL, "Oslo"};
    static const int32_t numbers[] = {1, 2, INT32_MIN, 1};
    const dv_table_column columns[] = {
        {"A", dv_type_of(DV_KIND_TX), texts, NULL},
        {"B", dv_type_of(DV_KIND_I4), numbers, NULL},
        {"V", dv_type_vector(dv_type_of(DV_KIND_I4), 1), numbers, NULL}};
    dv_view *view;
    cr_assert_eq(dv_table_create(&view, columns, 3, 4, NULL, NULL), DV_OK);
    return view;
}

/* Column C of the rows, as text. */
static void expect_values(dv_view *view, const char *want, const char *what)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dvt_lines lines = {0};
    const dv_sink sink = dvt_lines_sink(&lines);
    int32_t column;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("C"), &column), DV_OK);
    options.columns = &column;
    options.columns_count = 1;
    options.batch_rows = 3;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            dv_value_write(&value, DV_STYLE_TEXT, &sink);
            dvt_lines_add(&lines, ";", 1);
        }
    dvt_lines_add(&lines, "", 0);
    cr_expect_str_eq(lines.data, want, "%s: %s", what, lines.data);
    dv_cursor_close(&cursor);
    dvt_lines_free(&lines);
}

static const struct {
    const char *text, *values;
} sound[] = {
    {"map C:A keys=[Paris Rome] values=[p r]", "r;p;;;"},
    {"map C:A keys=[Paris Rome] values=[1 2.5] valuetype=R4", "2.5;1;0;0;"},
    {"map C:A keys=[Paris Rome] values=[1 2.5] valuetype=R4 missing=na", "2.5;1;;;"},
    {"map C:A keys=[Paris Rome] values=[7 8] valuetype=I8", "8;7;0;0;"},
    {"map C:A keys=[Paris Rome Oslo] values=[x y x] askeys+", "1;0;;0;"},
    {"map C:B keys=[1 2] values=[one two]", "one;two;;one;"},
    {"map C:V keys=[1 2] values=[one two] keytype=I4", "[one];[two];[];[one];"},
    {"map C:A keys=[] values=[]", ";;;;"},
};

/* The same when it was saved and opened. */
Test(step_map, values)
{
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "a.dvp");
    dv_view *table = make_table();
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        dv_pipeline *pipeline;
        dv_fitted *fitted;
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(sound[i].text), NULL, &err), DV_OK,
                     "%s", err.message);
        cr_assert_eq(dv_fit(&fitted, pipeline, table, NULL, NULL, &err), DV_OK, "%s", err.message);
        cr_expect_eq(dv_fitted_inspect(fitted).passes, 0);
        cr_expect_eq(dv_fitted_inspect(fitted).tables, 1);
        cr_assert_eq(dv_fitted_apply(&view, fitted, table, NULL, &err), DV_OK, "%s", err.message);
        expect_values(view, sound[i].values, sound[i].text);
        dv_view_release(&view);
        cr_assert_eq(dv_fitted_save(fitted, path.text, NULL, &err), DV_OK, "%s", err.message);
        dv_fitted_release(&fitted);
        cr_assert_eq(dv_fitted_open(&fitted, path.text, NULL, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_fitted_apply(&view, fitted, table, NULL, &err), DV_OK, "%s", err.message);
        expect_values(view, sound[i].values, sound[i].text);
        dv_view_release(&view);
        dv_fitted_release(&fitted);
        dv_pipeline_release(&pipeline);
    }
    dv_view_release(&table);
    dvt_folder_remove(&folder);
}

static const struct {
    const char *text, *message;
} refused[] = {
    {"map A", "set \"keys\" and \"values\""},
    {"map A keys=[a]", "set \"keys\" and \"values\""},
    {"map A keys=[a] values=[b c]", "1 key and 2 values"},
    {"map A keys=[a a] values=[b c]", "the same key"},
    {"map B keys=[x] values=[y]", "key of the map: expected I4, found x"},
    {"map A keys=[a] values=[b] valuetype=R8", "value of the map: expected R8, found b"},
    {"map A keys=[1] values=[2] keytype=I4", "expected I4, found TX"},
    {"map A keys=[a] values=[b] valuetype=what", "option \"valuetype\""},
    {"map A keys=[a] values=[b] valuetype=V<R4,2>", "a scalar type"},
    {"map A keys=[a] values=[b] valuetype=BY", "a scalar type"},
};

Test(step_map, what_is_wrong_is_named)
{
    dv_view *table = make_table(), *view;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dv_view_pipe(&view, table, dv_text_of(refused[i].text), NULL, NULL, &err),
                     DV_ERR_ARGUMENT, "%s", refused[i].text);
        cr_expect(strstr(err.message, refused[i].message), "%s: %s", refused[i].text, err.message);
    }
    dv_view_release(&table);
}

/* Tables that come from files. */
Test(step_map, tables_are_checked)
{
    static const char *const same[] = {"a", "a"};
    const dv_type tx = dv_type_of(DV_KIND_TX);
    const dv_table_column columns[] = {
        {"Key", tx, same, NULL}, {"Value", tx, same, NULL}, {"More", tx, same, NULL}};
    const dv_step step = {.info = dvi_transform_find(dv_text_of("map")), .cls = &dvi_class_map};
    static const dvi_option_value values[8];
    dv_step given = step;
    given.values = values;
    for (int32_t n = 1; n <= 3; n++) {
        dv_view *table;
        void *learned;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dv_table_create(&table, columns, n, 2, NULL, NULL), DV_OK);
        cr_expect_eq(dvi_class_map.open.load(&learned, &given, &table, NULL, &err), DV_ERR_CORRUPT);
        cr_expect_str_eq(err.rule, "dvp:PT15");
        dv_view_release(&table);
    }
}

Test(step_map, each_allocation_may_fail)
{
    dv_view *table = make_table();
    const dv_text text = dv_text_of("map A keys=[Paris Rome] values=[1 2] valuetype=R4");
    for (int64_t k = 1;; k++) {
        dv_view *view;
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        const dv_status status = dv_view_pipe(&view, table, text, NULL, &counted.allocator, NULL);
        const bool has_failed = atomic_load(&counted.asked) >= k;
        cr_assert_eq(status, has_failed ? DV_ERR_MEMORY : DV_OK);
        dv_view_release(&view);
        cr_assert_eq(atomic_load(&counted.live), 0);
        if (!has_failed)
            break;
    }
    dv_view_release(&table);
}
