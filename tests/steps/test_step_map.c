/* SPDX-License-Identifier: MIT */
/* test_step_map.c: maps in the notation: what they make, what they refuse, and their tables. */
#include "steps/step_class.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/lines.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/table.h>
#include <math.h>
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
    {"map C:A keys=[Paris Rome] values=[\"\" 8] valuetype=I8", "8;0;0;0;"}, /* as convert */
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
    {"map A", "set \"table\", or \"keys\" and \"values\""},
    {"map A keys=[a]", "set \"table\", or \"keys\" and \"values\""},
    {"map A keys=[a] values=[b] valuecolumn=V", "\"valuecolumn\" is of a table"},
    {"map A table=@towns", "option \"table\": @towns is a table, and no table is opened here"},
    {"map A table=towns", "@ and the name of a table"},
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

/* --- Tables that are given -------------------------------------------------------------------- */

/* Values that do not convert to numbers, in row 1. */
static dv_status make_bad(dv_view **table_out, const dv_allocator *allocator, dv_error *err)
{
    static const char *const good[] = {"1", "2"}, *const reals[] = {"NaN", "zzz"},
                             *const large[] = {"0", "3000000000"};
    static const double doubles[] = {NAN, 1e300};
    static const int64_t wide[] = {1, 3000000000}, pairs[] = {1, INT64_MIN, 2, 3000000000};
    const dv_table_column columns[] = {
        {"Good", dv_type_of(DV_KIND_TX), good, NULL},
        {"Real", dv_type_of(DV_KIND_TX), reals, NULL},
        {"Large", dv_type_of(DV_KIND_TX), large, NULL},
        {"Town", dv_type_of(DV_KIND_TX), good, NULL},
        {"Double", dv_type_of(DV_KIND_R8), doubles, NULL},
        {"Wide", dv_type_of(DV_KIND_I8), wide, NULL},
        {"Pair", dv_type_vector(dv_type_of(DV_KIND_I8), 2), pairs, NULL}};
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = allocator;
    return dv_table_create(table_out, columns, 7, 2, &options, err);
}

/* "towns" has two columns, "more" has four, "none" is only a name, and "bad" is as above. */
static dv_status open_table(void *ctx, const char *name, dv_view **table_out, dv_error *err)
{
    static const char *const towns[] = {"Paris", "Rome"}, *const twice[] = {"Paris", "Paris"},
                             *const digits[] = {"1", "2"};
    static const float numbers[] = {1, 2.5f};
    static const dv_table_column columns[] = {{"Town", {.kind = DV_KIND_TX}, towns, NULL},
                                              {"Size", {.kind = DV_KIND_R4}, numbers, NULL},
                                              {"Twice", {.kind = DV_KIND_TX}, twice, NULL},
                                              {"Number", {.kind = DV_KIND_TX}, digits, NULL}};
    *table_out = NULL;
    if (strcmp(name, "none") == 0)
        return DV_OK;
    if (strcmp(name, "bad") == 0)
        return make_bad(table_out, ctx, err);
    if (strcmp(name, "towns") != 0 && strcmp(name, "more") != 0)
        return dv_error_set(err, DV_ERR_IO, "there are only towns");
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = ctx;
    return dv_table_create(table_out, columns, *name == 't' ? 2 : 4, 2, &options, err);
}

static dv_status parse_given(dv_pipeline **pipeline_out, const char *text, dv_allocator *allocator,
                             dv_error *err)
{
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    options.open_table = open_table;
    options.ctx = allocator;
    return dv_pipeline_parse_files(pipeline_out, dv_text_of(text), &options, allocator, err);
}

static const struct {
    const char *text, *values;
} of_tables[] = {
    {"map C:A table=@towns", "2.5;1;0;0;"},
    {"map C:A table=@towns missing=na", "2.5;1;;;"},
    {"map C:A table=@towns valuetype=TX", "2.5;1;;;"},
    {"map C:A table=@towns valuetype=R8", "2.5;1;0;0;"},
    {"map C:A table=@towns askeys+", "1;0;;;"},
    {"map C:A table=@more keycolumn=Town valuecolumn=Twice", "Paris;Paris;;;"},
    {"map C:B table=@more keycolumn=Number valuecolumn=Town keytype=I4", "Paris;Rome;;Paris;"},
    {"map C:B table=@bad keycolumn=Good valuecolumn=Double keytype=I4 valuetype=R4",
     ";Infinity;0;;"},
};

/* The same when it was saved and opened: nothing looks for the table. */
Test(step_map, a_table_is_given)
{
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "a.dvp");
    dv_view *table = make_table();
    for (size_t i = 0; i < sizeof of_tables / sizeof *of_tables; i++) {
        dv_pipeline *pipeline;
        dv_fitted *fitted;
        dv_view *view;
        dvt_lines text = {0};
        dv_error err = DV_ERROR_INIT;
        const dv_sink sink = dvt_lines_sink(&text);
        cr_assert_eq(parse_given(&pipeline, of_tables[i].text, NULL, &err), DV_OK, "%s",
                     err.message);
        cr_assert_eq(dv_fit(&fitted, pipeline, table, NULL, NULL, &err), DV_OK, "%s", err.message);
        dv_pipeline_release(&pipeline);
        cr_assert_eq(dv_fitted_save(fitted, path.text, NULL, &err), DV_OK, "%s", err.message);
        dv_fitted_release(&fitted);
        cr_assert_eq(dv_fitted_open(&fitted, path.text, NULL, &err), DV_OK, "%s", err.message);
        cr_assert(dv_pipeline_write_step(dv_fitted_pipeline(fitted), 0, &sink));
        dvt_lines_add(&text, "", 0);
        cr_expect_str_eq(text.data, of_tables[i].text);
        cr_assert_eq(dv_fitted_apply(&view, fitted, table, NULL, &err), DV_OK, "%s", err.message);
        expect_values(view, of_tables[i].values, of_tables[i].text);
        dv_view_release(&view);
        dv_fitted_release(&fitted);
        dvt_lines_free(&text);
    }
    dv_view_release(&table);
    dvt_folder_remove(&folder);
}

static const struct {
    const char *text, *message;
} refused_tables[] = {
    {"map A table=@towns keys=[a]", "\"keys\" would too"},
    {"map A table=@towns valuecolumn=Size", "\"keycolumn\" and \"valuecolumn\" belong together"},
    {"map A table=@towns keycolumn=Town valuecolumn=No", "no column \"No\""},
    {"map A table=@more", "columns of the table: expected 2, or \"keycolumn\""},
    {"map A table=@more keycolumn=Twice valuecolumn=Size", "the same key"},
    {"map B table=@towns", "expected TX, found I4"},
    {"map A table=@none", "the table, was not kept"},
    {"map B table=@bad keycolumn=Real valuecolumn=Town keytype=I4",
     "column \"Real\": row 1: key of the map: expected I4, found zzz"},
    {"map B table=@bad keycolumn=Good valuecolumn=Real keytype=I4 valuetype=R4",
     "column \"Real\": row 1: value of the map: expected R4, found zzz"},
    {"map B table=@bad keycolumn=Good valuecolumn=Large keytype=I4 valuetype=I4",
     "column \"Large\": row 1: value of the map: expected I4, found 3000000000"},
    {"map B table=@bad keycolumn=Good valuecolumn=Large keytype=I4 valuetype=U1",
     "column \"Large\": row 1: value of the map: expected U1, found 3000000000"},
    {"map B table=@bad keycolumn=Good valuecolumn=Wide keytype=I4 valuetype=I4",
     "column \"Wide\": row 1: value of the map: expected I4, found a value that does not fit"},
    {"map B table=@bad keycolumn=Good valuecolumn=Pair keytype=I4 valuetype=I4",
     "column \"Pair\": row 1: value of the map: expected I4, found a value that does not fit"},
};

Test(step_map, what_is_wrong_with_a_table_is_named)
{
    dv_view *table = make_table();
    dv_pipeline *pipeline;
    dv_error err = DV_ERROR_INIT;
    for (size_t i = 0; i < sizeof refused_tables / sizeof *refused_tables; i++) {
        dv_fitted *fitted;
        const char *text = refused_tables[i].text;
        cr_assert_eq(parse_given(&pipeline, text, NULL, &err), DV_OK, "%s", err.message);
        cr_expect_eq(dv_fit(&fitted, pipeline, table, NULL, NULL, &err), DV_ERR_ARGUMENT, "%s",
                     text);
        cr_expect(strstr(err.message, refused_tables[i].message), "%s: %s", text, err.message);
        dv_pipeline_release(&pipeline);
    }
    cr_expect_eq(parse_given(&pipeline, "map A table=@x", NULL, &err), DV_ERR_IO);
    cr_expect(strstr(err.message, "step 1, map: option \"table\": @x: there are only towns"), "%s",
              err.message);
    cr_expect_eq(parse_given(&pipeline, "map A table=@", NULL, &err), DV_ERR_ARGUMENT);
    dv_view_release(&table);
}

Test(step_map, each_allocation_of_a_table_may_fail)
{
    dv_view *table = make_table();
    int64_t failures = 0, k = 1;
    for (;; k++) {
        dv_pipeline *pipeline;
        dv_fitted *fitted = NULL;
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        dv_status status =
            parse_given(&pipeline, "map A table=@towns valuetype=R8", &counted.allocator, NULL);
        if (status == DV_OK)
            status = dv_fit(&fitted, pipeline, table, NULL, &counted.allocator, NULL);
        const bool has_failed = atomic_load(&counted.asked) >= k;
        /* room for rows to come may be lacking */
        cr_assert(status == DV_OK || (has_failed && status == DV_ERR_MEMORY));
        failures += status != DV_OK;
        dv_fitted_release(&fitted);
        dv_pipeline_release(&pipeline);
        cr_assert_eq(atomic_load(&counted.live), 0);
        if (!has_failed)
            break;
    }
    cr_expect_gt(2 * failures, k);
    dv_view_release(&table);
}

/* --- Tables that are saved -------------------------------------------------------------------- */

/* Tables that come from files. */
Test(step_map, tables_are_checked)
{
    static const char *const same[] = {"a", "a"};
    const dv_type tx = dv_type_of(DV_KIND_TX);
    const dv_table_column columns[] = {
        {"Key", tx, same, NULL}, {"Value", tx, same, NULL}, {"More", tx, same, NULL}};
    const dv_step step = {.info = dvi_transform_find(dv_text_of("map")), .cls = &dvi_class_map};
    static const dvi_option_value values[16];
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
