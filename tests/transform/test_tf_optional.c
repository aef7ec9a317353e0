/* SPDX-License-Identifier: MIT */
/* test_tf_optional.c: a column that a source may lack (semantics:7.19) is the source's, or default
 * values of any type. */
#include "support/golden_files.h"
#include "support/identities.h"
#include "support/lines.h"
#include "support/produce.h"
#include "support/same_table.h"
#include "support/test.h"
#include "transform/tf_optional.h"
#include <dataview/cursor.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FILE_NAME "idv/people.idv"

/* Returns the status; the view is NULL after a failure. */
static dv_status open_optional(dv_view **view_out, const char *name, const char *type_text,
                               dv_view *metadata_of, int32_t metadata_column, dv_error *err)
{
    int32_t dims[8];
    dv_type type;
    dv_view *source = dvt_golden_open(FILE_NAME, NULL);
    cr_assert_eq(dv_type_parse(&type, dv_text_of(type_text), dims, 8, NULL), DV_OK);
    const dv_status status = dvi_optional_view(view_out, source, dv_text_of(name), &type,
                                               metadata_of, metadata_column, NULL, err);
    dv_view_release(&source);
    return status;
}

/* All values of the column "new" in a row, each as a line. */
static void expect_values(dv_view *view, const dv_cursor_options *given, const char *value)
{
    dvt_lines got = {0};
    const dv_sink sink = dvt_lines_sink(&got);
    dv_cursor_options options = *given;
    dv_cursor *cursor;
    const dv_batch *batch;
    int32_t column;
    int64_t rows = 0;
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("new"), &column), DV_OK);
    options.columns = &column;
    options.columns_count = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++, rows++) {
            const dv_value one = dv_value_at(dv_batch_column(batch, 0), i);
            dvt_lines_free(&got);
            got = (dvt_lines){0};
            cr_assert(dv_value_write(&one, DV_STYLE_EXACT, &sink));
            cr_assert_not_null(got.data);
            cr_expect_eq(strncmp(got.data, value, got.nbytes), 0, "%.*s, not %s", (int)got.nbytes,
                         got.data, value);
        }
    cr_expect_eq(rows, dv_view_rows(view) - options.first_row);
    dv_cursor_close(&cursor);
    dvt_lines_free(&got);
}

Test(tf_optional, has_default_values_of_every_type)
{
    static const struct {
        const char *type, *value;
    } table[] = {
        {"I1", "0"},
        {"U2", "0"},
        {"I8", "0"},
        {"R4", "\"r4:00000000\""},
        {"R8", "\"r8:0000000000000000\""},
        {"TX", "\"\""},
        {"BL", "false"},
        {"U4[0-9]", "0"},
        {"UG", "\"ug:00000000000000000000000000000000\""},
        {"V<R4,3>", "{\"len\":3,\"idx\":[],\"val\":[]}"},
        {"V<TX,2,2>", "{\"len\":4,\"idx\":[],\"val\":[]}"},
        {"V<DZ,1>", "{\"len\":1,\"idx\":[],\"val\":[]}"},
    };
    static const int64_t sizes[] = {0, 1, 3, 64};
    for (size_t i = 0; i < COUNT(table) * COUNT(sizes); i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_view *view;
        options.batch_rows = sizes[i % COUNT(sizes)];
        options.zero_copy_only = options.batch_rows == 0;
        options.first_row = (int64_t)(i % 2);
        const char *type = table[i / COUNT(sizes)].type;
        cr_assert_eq(open_optional(&view, "new", type, NULL, -1, NULL), DV_OK);
        expect_values(view, &options, table[i / COUNT(sizes)].value);
        dv_view_release(&view);
    }
}

/* The same however they are printed: ticks 0, no bytes, no slots. */
Test(tf_optional, has_default_values_of_the_other_types)
{
    static const char *const types[] = {"TS", "DT", "DZ", "BY", "V<TX,*>", "V<I2,*>"};
    for (size_t i = 0; i < COUNT(types); i++) {
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        cr_assert_eq(open_optional(&view, "new", types[i], NULL, -1, NULL), DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
        cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
        const dv_column_view *column = dv_batch_column(batch, batch->columns - 1);
        for (int64_t row = 0; row < batch->rows; row++) {
            const dv_value value = dv_value_at(column, row);
            cr_expect(dv_value_is_default(&value), "%s", types[i]);
            if (column->layout == DV_LAYOUT_VECTOR)
                cr_expect(value.length == 0 && value.count == -1); /* fewer items than slots */
        }
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
}

/* A batch that is held has the same memory as the next one, if that is no larger. */
Test(tf_optional, writes_no_values_per_row)
{
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *held, *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = 2;
    options.threads = 1;
    cr_assert_eq(open_optional(&view, "new", "R8", NULL, -1, NULL), DV_OK);
    const int32_t column = dv_schema_columns(dv_view_schema(view)) - 1;
    options.columns = &column;
    options.columns_count = 1;
    options.batch_rows = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &held, NULL), DV_OK);
    dv_batch_retain(held);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        if (batch->rows <= held->rows)
            cr_expect_eq(dv_batch_column(batch, 0)->as.fixed.values.data,
                         dv_batch_column(held, 0)->as.fixed.values.data);
    dv_batch_release(&held);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

Test(tf_optional, is_the_column_of_the_source)
{
    dv_view *view, *source = dvt_golden_open(FILE_NAME, NULL);
    const dv_column_info *first = dv_schema_column(dv_view_schema(source), 0);
    cr_assert_eq(dvi_optional_view(&view, source, first->name, &first->type, NULL, -1, NULL, NULL),
                 DV_OK);
    cr_expect_null(dvt_table_difference(source, view, 0));
    dv_view_release(&view);
    dv_view_release(&source);
}

Test(tf_optional, has_the_metadata_given)
{
    dv_view *given = dvt_golden_open("transform/select-drop/input.idv", NULL), *view;
    const dv_schema *schema = dv_view_schema(given);
    int32_t column = 0, i;
    while (column < dv_schema_columns(schema) &&
           dv_schema_find_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &i) != DV_OK)
        column++;
    const dv_column_info *info = dv_schema_column(schema, column);
    cr_assert_not_null(info);
    dv_view *source = dvt_golden_open(FILE_NAME, NULL);
    dv_view *like; /* the same without its file */
    cr_assert_eq(dvi_optional_column(&like, schema, column, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_rows(like), 0);
    cr_assert_eq(
        dvi_optional_view(&view, source, dv_text_of("new"), &info->type, like, 0, NULL, NULL),
        DV_OK);
    dv_view_release(&like);
    dv_view_release(&view);
    cr_assert_eq(
        dvi_optional_view(&view, source, dv_text_of("new"), &info->type, given, column, NULL, NULL),
        DV_OK);
    const int32_t made = dv_schema_columns(dv_view_schema(view)) - 1;
    const dv_batch *value;
    cr_expect_eq(dv_schema_column(dv_view_schema(view), made)->metadata_count,
                 info->metadata_count);
    cr_assert_eq(dv_schema_find_metadata(dv_view_schema(view), made, dv_text_of(DV_SLOT_NAMES), &i),
                 DV_OK);
    cr_expect_eq(dv_schema_metadata_value(dv_view_schema(view), made, i, &value, NULL), DV_OK);
    dv_batch_release(&value);
    dv_view_release(&view);
    dv_view_release(&source);
    dv_view_release(&given);
}

Test(tf_optional, refuses)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    const dv_type unsound = dv_type_vector(dv_type_of(DV_KIND_R4), -1);
    dv_view *source = dvt_golden_open(FILE_NAME, NULL);
    cr_expect_eq(open_optional(&view, "Age", "V<TX,7>", NULL, -1, &err), DV_ERR_ARGUMENT);
    cr_expect_str_eq(err.rule, "semantics:7.19");
    cr_expect_str_eq(err.expected, "V<TX,7>");
    cr_expect(*err.found);
    cr_expect(strstr(err.message, "Age"), "%s", err.message);
    cr_expect_null(view);
    cr_expect_eq(open_optional(&view, "", "R4", NULL, -1, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(
        dvi_optional_view(&view, source, dv_text_of("new"), &unsound, NULL, -1, NULL, &err),
        DV_ERR_ARGUMENT);
    dv_view_release(&source);
}

Test(tf_optional, is_known_by_name_and_type)
{
    static const char *const table[][2] = {{"new", "R4"}, {"new", "R8"}, {"other", "R4"}};
    dvt_identities all = {.n = 0};
    for (size_t i = 0; i < COUNT(table); i++) {
        dv_view *view;
        cr_assert_eq(open_optional(&view, table[i][0], table[i][1], NULL, -1, NULL), DV_OK);
        cr_expect_null(dvt_identities_add(&all, table[i][1], dvt_identity_of(view)));
    }
}
