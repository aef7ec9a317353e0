/* SPDX-License-Identifier: MIT */
/* test_fitted.c: pipelines on other views than they were fitted on, and what refusals say. */
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/open.h>
#include <dataview/pipeline.h>
#include <dataview/table.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Keys without KeyValues are named by their numbers. */
Test(fitted, keys_without_names_have_numbers)
{
    static const uint32_t keys[] = {3, 1, 0, 3};
    static const struct {
        const char *pipeline, *names;
    } cases[] = {
        {"term K textkv+", "\"KeyValues\":{\"type\":\"V<TX,2>\",\"value\":{\"len\":2,"
                           "\"dense\":[\"7\",\"5\"]}}"},
        {"onehot K", "\"SlotNames\":{\"type\":\"V<TX,2>\",\"value\":{\"len\":2,"
                     "\"dense\":[\"7\",\"5\"]}}"},
    };
    dv_view *view, *made;
    const dv_table_column column = {"K", dv_type_key(DV_KIND_U4, 5, 4), keys, NULL};
    cr_assert_eq(dv_table_create(&view, &column, 1, COUNT(keys), NULL, NULL), DV_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        dvt_lines lines = {0};
        cr_assert_eq(dv_view_pipe(&made, view, dv_text_of(cases[i].pipeline), NULL, NULL, NULL),
                     DV_OK);
        cr_assert_eq(dvt_produce_by_value(&lines, made, NULL, NULL), DV_OK);
        cr_expect(strstr(lines.data, cases[i].names), "%s", lines.data);
        dvt_lines_free(&lines);
        dv_view_release(&made);
    }
    dv_view_release(&view);
}

static dv_view *table_of(const char *const *texts, int64_t rows)
{
    dv_view *view;
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    cr_assert_eq(dv_table_create(&view, &column, 1, rows, NULL, NULL), DV_OK);
    return view;
}

/* What was learnt from one view holds for another. */
Test(fitted, applied_to_other_rows)
{
    static const char *const train[] = {"b", "a", "", "b", "c"}, *const test[] = {"c", "x", "b"};
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dvt_lines lines = {0};
    dv_view *trained = table_of(train, COUNT(train)), *tested = table_of(test, COUNT(test)), *view;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of("term K:A max=2; onehot A; select K A"),
                                   NULL, NULL),
                 DV_OK);
    cr_assert_eq(dv_fit(&fitted, pipeline, trained, NULL, NULL, NULL), DV_OK);
    cr_assert_eq(dv_fitted_apply(&view, fitted, tested, NULL, NULL), DV_OK);
    cr_assert_eq(dvt_put_rows(&lines, view, NULL, dvt_put_batch_by_value, NULL), DV_OK);
    cr_expect_str_eq(lines.data, "[0,{\"len\":3,\"idx\":[2],\"val\":[\"r4:3f800000\"]}]\n"
                                 "[0,{\"len\":3,\"idx\":[],\"val\":[]}]\n"
                                 "[1,{\"len\":3,\"idx\":[0],\"val\":[\"r4:3f800000\"]}]\n");
    dvt_lines_free(&lines);
    dv_view_release(&view);
    dv_view_release(&trained);
    dv_view_release(&tested);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
}

/* Columns that a step makes are none of them. */
Test(fitted, knows_the_columns_that_it_takes)
{
    static const struct {
        const char *name, *type;
    } want[] = {{"A", "TX"}, {"V", "V<R4,2>"}};
    static const float numbers[] = {1, 2};
    static const char *const texts[] = {"a"};
    static const int32_t sides[] = {2};
    const dv_table_column columns[] = {
        {"V", dv_type_tensor(dv_type_of(DV_KIND_R4), sides, 1), numbers, NULL},
        {"N", dv_type_of(DV_KIND_R4), numbers, NULL},
        {"A", dv_type_of(DV_KIND_TX), texts, NULL}};
    dv_pipeline *pipeline;
    dv_fitted *fitted, *opened;
    dv_view *view;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "a.dvp");
    cr_assert_eq(dv_table_create(&view, columns, 3, 1, NULL, NULL), DV_OK);
    cr_assert_eq(
        dv_pipeline_parse(&pipeline, dv_text_of("onehot A; term K:A; combine F:A,V"), NULL, NULL),
        DV_OK);
    cr_assert_eq(dv_fit(&fitted, pipeline, view, NULL, NULL, NULL), DV_OK);
    cr_assert_eq(dv_fitted_save(fitted, path.text, NULL, NULL), DV_OK);
    cr_assert_eq(dv_fitted_open(&opened, path.text, NULL, NULL), DV_OK);
    dvt_folder_remove(&folder);
    for (int k = 0; k < 2; k++) {
        const dv_fitted *f = k == 0 ? fitted : opened;
        cr_assert_eq(dv_fitted_inputs(f), 2);
        for (int32_t i = 0; i < 2; i++) {
            const dv_fitted_input input = dv_fitted_input_at(f, i);
            cr_expect(dv_text_equal(input.name, dv_text_of(want[i].name)));
            cr_expect(dv_text_equal(input.type, dv_text_of(want[i].type)));
        }
    }
    dv_fitted_release(&fitted);
    dv_fitted_release(&opened);
    dv_pipeline_release(&pipeline);
    dv_view_release(&view);
}

/* The column that is missing in `other` is as it was when the pipeline was fitted. */
static void expect_as_before(dv_fitted *fitted, dv_view *other, const dv_column_info *before)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_fitted_apply(&view, fitted, other, NULL, &err), DV_OK, "%s", err.message);
    const dv_schema *schema = dv_view_schema(view);
    cr_expect_eq(dv_schema_columns(schema), 3);
    const dv_column_info *made = dv_schema_column(schema, 1);
    cr_expect(dv_type_equal(&made->type, &before->type));
    cr_expect_eq(made->metadata_count, before->metadata_count);
    cr_expect_gt(made->metadata_count, 0);
    for (int32_t i = 0; i < made->metadata_count; i++) {
        const dv_batch *value;
        cr_assert_eq(dv_schema_metadata_value(schema, 1, i, &value, NULL), DV_OK);
        dv_batch_release(&value);
    }
    dv_view_release(&view);
}

/* A column that is missing gets the type and the metadata that it had, in a saved pipeline too; one
 * that is there stays, if it has the type. */
Test(fitted, optional_columns_are_as_they_were)
{
    static const char *const texts[] = {"b", NULL};
    dv_pipeline *pipeline;
    dv_fitted *fitted, *opened;
    dv_error err = DV_ERROR_INIT;
    dv_view *trained = dvt_golden_open("transform/select-drop/input.idv", NULL);
    dv_view *other = table_of(texts, COUNT(texts)), *again;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "a.dvp");
    int32_t column;
    cr_assert_eq(dv_schema_find(dv_view_schema(trained), dv_text_of("R"), &column), DV_OK);
    const dv_column_info *before = dv_schema_column(dv_view_schema(trained), column);
    cr_assert_eq(
        dv_pipeline_parse(&pipeline, dv_text_of("optional R; optional n type=I4"), NULL, NULL),
        DV_OK);
    cr_assert_eq(dv_fit(&fitted, pipeline, trained, NULL, NULL, NULL), DV_OK);
    cr_assert_eq(dv_fitted_apply(&again, fitted, trained, NULL, NULL), DV_OK);
    cr_expect_eq(dv_schema_columns(dv_view_schema(again)),
                 dv_schema_columns(dv_view_schema(trained)) + 1);
    dv_view_release(&again);
    expect_as_before(fitted, other, before);
    cr_assert_eq(dv_fitted_save(fitted, path.text, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_fitted_open(&opened, path.text, NULL, &err), DV_OK, "%s", err.message);
    dv_fitted_release(&fitted);
    expect_as_before(opened, other, before);
    dv_view_release(&trained);
    dv_fitted_release(&opened);
    dv_pipeline_release(&pipeline);
    dv_view_release(&other);
    dvt_folder_remove(&folder);
}

static const struct {
    const char *pipeline, *message; /* parts of it */
} refused[] = {
    {"optional A type=R4", "column \"A\""},
    {"optional A B", "column \"B\""},
    {"optional A B", "set \"type\""},
    {"group B", "step 1, group"},
    {"ungroup A", "column \"A\""},
    {"onehot A; term B", "there is no column \"B\""},
    {"onehot A; term B", "step 2, term"},
    {"vector A", "column \"A\""},
    {"convert A type=Z9", "step 1, convert"},
    {"range A", "step 1, range"},
};

Test(fitted, what_is_wrong_is_named)
{
    static const char *const train[] = {"b", "a"};
    for (size_t i = 0; i < COUNT(refused); i++) {
        dv_pipeline *pipeline;
        dv_fitted *fitted;
        dv_error err = DV_ERROR_INIT;
        dv_view *view = table_of(train, COUNT(train));
        cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(refused[i].pipeline), NULL, &err),
                     DV_OK, "%s", err.message);
        cr_expect_eq(dv_fit(&fitted, pipeline, view, NULL, NULL, &err), DV_ERR_ARGUMENT, "%s",
                     refused[i].pipeline);
        cr_expect_null(fitted);
        cr_expect(strstr(err.message, refused[i].message), "%s: %s", refused[i].pipeline,
                  err.message);
        dv_view_release(&view);
        dv_pipeline_release(&pipeline);
    }
}

/* A vector that claims 2^31-1 slots takes as many keys once its default value is a term. */
Test(fitted, keys_for_endless_slots_are_a_limit)
{
    static const int32_t count = 0;
    static const float none = 0;
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), &none, 0);
    dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1};
    table.column[0] = (dv_column_view){
        .type = dv_type_vector(items.type, INT32_MAX), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    table.column[0].as.vector = (dv_vector_layout){
        .length = INT32_MAX, .counts = {&count, sizeof count, NULL, false, true}, .items = &items};
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_view *source = dvt_made_table_open(&table, NULL), *view;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of("term a"), NULL, NULL), DV_OK);
    cr_assert_eq(dv_fit(&fitted, pipeline, source, NULL, NULL, NULL), DV_OK);
    cr_assert_eq(dv_fitted_apply(&view, fitted, source, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_LIMIT);
    cr_expect(strstr(err.message, "option row_nbytes"), "%s", err.message);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
}
