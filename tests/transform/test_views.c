/* SPDX-License-Identifier: MIT */
/* test_views.c: checks what views made from views read, lend, refuse and know, and where errors
 * come  (transform.h). Their rows are checked in test_transform_cases.c and check_naive_views.py.
 */
#include "support/allocator.h"
#include "support/chain.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/own_table.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/transform.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Rows that cannot be read ----------------------------------------------------------------- */

/* A table of 0, 1, 2, ... as I4, in blocks of 5, of which the one that holds a bad row is corrupt.
 */
typedef struct numbers {
    dvt_made_table table;
    int32_t values[60];
} numbers;

static dv_view *open_numbers(numbers *made, int64_t bad_row, bool rows_unknown)
{
    for (int32_t i = 0; i < 60; i++)
        made->values[i] = i;
    made->table = (dvt_made_table){.columns = 1,
                                   .rows = 60,
                                   .block_rows = 5,
                                   .bad_row = bad_row,
                                   .rows_unknown = rows_unknown};
    made->table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I4), made->values, 60);
    return dvt_made_table_open(&made->table, NULL);
}

/* The rows before the error come, whatever the size of batches; then it, for good. */
Test(views, errors_come_after_the_rows_before)
{
    static const struct {
        const char *steps;
        int64_t rows, last; /* that come before the error; the number in the last of them */
    } table[] = {
        {"{\"transform\":\"CopyColumns\",\"columns\":[{\"source\":\"a\",\"name\":\"b\"}]}", 40, 39},
        {"{\"transform\":\"SkipTake\",\"skip\":7}", 33, 39},
        {"{\"transform\":\"ProduceId\",\"column\":{\"name\":\"i\"}}", 40, 39},
        {"{\"transform\":\"OptionalColumn\",\"columns\":[{\"name\":\"o\",\"type\":\"R4\"}]}", 40,
         39},
        {"{\"transform\":\"Zip\",\"skip\":12}", 28, 39},
        {"{\"transform\":\"Filter\",\"conditions\":"
         "[{\"column\":\"a\",\"relations\":4,\"value\":\"22\"}]}",
         17, 39},
        {"{\"transform\":\"NAFilter\",\"columns\":[\"a\"]}", 40, 39},
        {"{\"transform\":\"Concatenate\",\"name\":\"b\",\"sources\":[\"a\",\"a\"]}", 40, 39},
    };
    static const int64_t sizes[] = {0, 1, 3, 64};
    for (size_t i = 0; i < COUNT(table) * COUNT(sizes) * 2; i++) {
        const size_t t = i / COUNT(sizes) / 2;
        numbers made;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        dv_view *source = open_numbers(&made, 42, i / COUNT(sizes) % 2), *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        int64_t rows = 0;
        int32_t last = 0;
        dv_status status;
        cr_assert_eq(dvt_chain_of(&view, source, table[t].steps, NULL, NULL), DV_OK);
        options.batch_rows = sizes[i % COUNT(sizes)];
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), batch->rows - 1);
            last = dv_value_i4(&value);
            rows += batch->rows;
        }
        cr_expect_eq(status, DV_ERR_CORRUPT);
        cr_expect_eq(rows, table[t].rows, "%s: %d rows", table[t].steps, (int)rows);
        cr_expect_eq(last, table[t].last, "%s: %d", table[t].steps, last);
        cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_CORRUPT);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

/* --- What is read ----------------------------------------------------------------------------- */

/* Only the columns that active columns and tests need are read, and only the requested rows, except
 * by filters. */
Test(views, no_more_is_read_than_needed)
{
    static const struct {
        const char *steps;
        int64_t first, end, read;
    } table[] = {
        {"{\"transform\":\"SkipTake\",\"skip\":20,\"take\":10}", 0, -1, 10},
        {"{\"transform\":\"SkipTake\",\"skip\":20,\"take\":10}", 5, -1, 5},
        {"{\"transform\":\"SkipTake\",\"skip\":20}", 5, 10, 5},
        {"{\"transform\":\"SkipTake\",\"skip\":59,\"take\":10}", 0, -1, 1},
        {"{\"transform\":\"Zip\",\"skip\":55}", 0, -1, 5},
        {"{\"transform\":\"Filter\",\"conditions\":"
         "[{\"column\":\"a\",\"relations\":4,\"value\":\"22\"}]}",
         0, 2, 25},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        static const int32_t first_column[] = {0};
        numbers made;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_view *source = open_numbers(&made, -1, false), *view;
        dvt_lines lines = {0};
        cr_assert_eq(dvt_chain_of(&view, source, table[i].steps, NULL, NULL), DV_OK);
        options.columns = first_column;
        options.columns_count = 1;
        options.first_row = table[i].first;
        options.end_row = table[i].end;
        cr_assert_eq(dvt_put_rows(&lines, view, &options, dvt_put_batch_by_value, NULL), DV_OK);
        cr_expect_eq(made.table.read, table[i].read, "%s: %d", table[i].steps,
                     (int)made.table.read);
        dvt_lines_free(&lines);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

/* Unchanged columns are the mapped file itself; a filter that drops nothing lends, too. */
Test(views, nothing_is_copied)
{
    static const char *const steps[] = {
        "{\"transform\":\"CopyColumns\",\"columns\":[{\"source\":\"a\",\"name\":\"b\"}]}",
        "{\"transform\":\"SkipTake\",\"skip\":5}",
        "{\"transform\":\"Zip\",\"skip\":5}",
        "{\"transform\":\"NAFilter\",\"columns\":[\"a\"]}",
    };
    for (size_t i = 0; i < COUNT(steps); i++) {
        numbers made;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_view *source = open_numbers(&made, -1, false), *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_error err = DV_ERROR_INIT;
        const bool is_filter = i == 3;
        cr_assert_eq(dvt_chain_of(&view, source, steps[i], NULL, NULL), DV_OK);
        options.zero_copy_only = true;
        cr_expect_eq(dv_cursor_open(&cursor, view, &options, &err), is_filter ? DV_ERR_COPY : DV_OK,
                     "%s", err.message);
        dv_cursor_close(&cursor);
        options.zero_copy_only = false;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
        const char *data = dv_batch_column(batch, 0)->as.fixed.values.data;
        const char *begin = (const char *)made.values;
        cr_expect(data >= begin && data < begin + sizeof made.values, "%s", steps[i]);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

/* --- What is refused, and what is known ------------------------------------------------------- */

Test(views, refusals)
{
    static const char *const steps[] = {
        "{\"transform\":\"SkipTake\",\"skip\":-1}",
        "{\"transform\":\"SkipTake\",\"take\":-2}",
        "{\"transform\":\"Choose\",\"hidden\":0,\"columns\":[]}",
        "{\"transform\":\"Choose\",\"hidden\":4,\"columns\":[]}",
        "{\"transform\":\"Choose\",\"hidden\":1,\"columns\":[{\"source\":\"a\"},{\"source\":\"a\"}]"
        "}",
        "{\"transform\":\"Choose\",\"hidden\":1,\"columns\":[{\"source\":\"A\"}]}",
        "{\"transform\":\"CopyColumns\",\"columns\":[{\"source\":\"a\",\"name\":\"\"}]}",
        "{\"transform\":\"Filter\",\"conditions\":[{\"column\":\"a\",\"relations\":0}]}",
        "{\"transform\":\"Filter\",\"conditions\":[{\"column\":\"a\",\"relations\":16}]}",
        "{\"transform\":\"Filter\",\"conditions\":[{\"column\":\"a\",\"relations\":2}]}",
        "{\"transform\":\"Filter\",\"conditions\":"
        "[{\"column\":\"a\",\"relations\":2,\"value\":\"x\"}]}",
        "{\"transform\":\"Filter\",\"conditions\":"
        "[{\"column\":\"a\",\"relations\":2,\"value\":\"NA\"}]}",
        "{\"transform\":\"NAFilter\",\"columns\":[\"a\",\"x\"]}",
        "{\"transform\":\"Concatenate\",\"name\":\"b\",\"sources\":[]}",
        "{\"transform\":\"Concatenate\",\"name\":\"b\",\"sources\":[\"x\"]}",
        "{\"transform\":\"Concatenate\",\"name\":\"\",\"sources\":[\"a\"]}",
        "{\"transform\":\"FilterByColumn\",\"column\":\"a\",\"min\":1}",
    };
    numbers made;
    dv_view *view, *source = open_numbers(&made, -1, false);
    for (size_t i = 0; i < COUNT(steps); i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dvt_chain_of(&view, source, steps[i], NULL, &err), DV_ERR_ARGUMENT, "%s",
                     steps[i]);
        cr_expect(*err.message && !view, "%s", steps[i]);
    }
    cr_expect_eq(dv_view_select(&view, source, NULL, -1, DV_HIDDEN_DROP, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_keep(&view, source, NULL, -1, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_copy(&view, source, NULL, -1, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_generate(&view, source, NULL, -1, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_filter(&view, source, NULL, -1, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_zip(&view, NULL, 0, NULL, NULL), DV_ERR_ARGUMENT);
    dv_view_release(&source);
}

/* Vectors with more slots than an index can number are refused: when the view is made if their
 * length is known, else at the row. */
Test(views, concat_of_too_many_slots)
{
    static const int32_t counts[1] = {0}, length[1] = {INT32_MAX};
    static const float nothing[1];
    for (int varies = 0; varies < 2; varies++) {
        dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), nothing, 0);
        dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1};
        dv_column_view *column = &table.column[0];
        dv_error err = DV_ERROR_INIT;
        dv_view *view, *source;
        dv_cursor *cursor;
        const dv_batch *batch;
        *column = (dv_column_view){.type = dv_type_vector(items.type, varies ? 0 : INT32_MAX),
                                   .layout = DV_LAYOUT_VECTOR,
                                   .rows = 1};
        column->as.vector = (dv_vector_layout){.length = INT32_MAX, .items = &items};
        column->as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, false, true};
        if (varies)
            column->as.vector.lengths = (dv_buffer){length, sizeof length, NULL, false, true};
        source = dvt_made_table_open(&table, NULL);
        const dv_column_spec twice[] = {{dv_text_of("a"), dv_text_of(NULL)},
                                        {dv_text_of("a"), dv_text_of(NULL)}};
        cr_expect_eq(dv_view_combine(&view, source, dv_text_of("b"), twice, 2, NULL, &err),
                     varies ? DV_OK : DV_ERR_ARGUMENT, "%s", err.message);
        if (view) {
            cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
            cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_ARGUMENT, "%s", err.message);
            dv_cursor_close(&cursor);
        }
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

/* Metadata values outlive the view. */
Test(views, metadata_of_concat_outlive_it)
{
    dvt_allocator counted;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    const dv_batch *values[8];
    dvt_allocator_init(&counted, 0);
    how.allocator = &counted.allocator;
    dv_view *view, *source = dvt_golden_open("transform/select-drop/input.idv", &how);
    cr_assert_eq(dvt_chain_of(&view, source,
                              "{\"transform\":\"Concatenate\",\"name\":\"B\",\"sources\":"
                              "[\"R\",\"P\",\"R\"]}",
                              &counted.allocator, NULL),
                 DV_OK);
    dv_view_release(&source);
    const dv_schema *schema = dv_view_schema(view);
    int32_t column, n;
    cr_assert_eq(dv_schema_find(schema, dv_text_of("B"), &column), DV_OK);
    n = dv_schema_column(schema, column)->metadata_count;
    cr_assert_eq(n, 2);
    for (int32_t i = 0; i < n; i++)
        cr_assert_eq(dv_schema_metadata_value(schema, column, i, &values[i], NULL), DV_OK);
    dv_view_release(&view);
    for (int32_t i = 0; i < n; i++) {
        dvt_lines lines = {0};
        dvt_put_metadata_by_value(&lines, values[i]);
        cr_expect_not_null(strstr(lines.data, i == 0 ? "R.c=x" : "[0,1,2,3,10,11,12,13]"), "%s",
                           lines.data);
        dv_batch_release(&values[i]);
        dvt_lines_free(&lines);
    }
    cr_expect_eq(counted.live, 0);
}

/* If one of the views of a zip fails, the error names it. */
Test(views, zip_says_which_view_failed)
{
    numbers sound, bad;
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_view *view, *views[2] = {open_numbers(&sound, -1, false), open_numbers(&bad, 2, false)};
    cr_assert_eq(dv_view_zip(&view, views, 2, NULL, NULL), DV_OK);
    cr_expect_eq(dv_schema_columns(dv_view_schema(view)), 2);
    cr_expect(dv_schema_column(dv_view_schema(view), 0)->is_hidden);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK); /* only of view 1 */
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_CORRUPT);
    cr_expect_not_null(strstr(err.message, "view 1"), "%s", err.message);
    cr_expect_eq(sound.table.read, 0);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&views[0]);
    dv_view_release(&views[1]);
}

/* Rows that nothing is read for: batches of a size that ids have memory for. */
Test(views, zip_counts_without_reading)
{
    numbers made;
    int64_t rows = 0;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_view *view, *source = open_numbers(&made, -1, false);
    cr_assert_eq(dvt_chain_of(&view, source, "{\"transform\":\"Zip\",\"skip\":11}", NULL, NULL),
                 DV_OK);
    options.columns_count = 0;
    options.ids = true;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        cr_expect_eq(batch->ids[batch->rows - 1].lo, (uint64_t)(rows + batch->rows - 1));
        rows += batch->rows;
    }
    cr_expect_eq(rows, 49);
    cr_expect_eq(made.table.read, 0);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* Rows of dense vectors, of widths that have a kernel and of others, copied by a filter. */
Test(views, filter_of_dense_vectors)
{
    static const dv_column_spec sources[] = {{{"a", 1}, {"a", 1}},
                                             {{"a", 1}, {"a", 1}},
                                             {{"a", 1}, {"a", 1}},
                                             {{"a", 1}, {"a", 1}},
                                             {{"a", 1}, {"a", 1}}};
    const dv_condition some = {dv_text_of("a"), DV_IS_LESS | DV_IS_GREATER, dv_text_of("12")};
    for (int32_t length = 1; length <= (int32_t)COUNT(sources); length++) {
        numbers made;
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_view *source = open_numbers(&made, -1, false), *vectors, *view;
        int32_t want = 0;
        cr_assert_eq(
            dv_view_combine(&vectors, source, dv_text_of("v"), sources, length, NULL, NULL), DV_OK);
        cr_assert_eq(dv_view_filter(&view, vectors, &some, 1, NULL, NULL), DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
            dv_value vector = dv_value_first(dv_batch_column(batch, 1));
            for (int64_t i = 0; i < batch->rows; i++, want++, dv_value_next(&vector)) {
                want += want == 12;
                cr_expect_eq(vector.length, length);
                cr_expect_eq(dv_value_items(&vector), length);
                for (int32_t k = 0; k < length; k++) {
                    const dv_value item = dv_value_item(&vector, k);
                    cr_expect_eq(dv_value_i4(&item), want);
                }
            }
        }
        cr_expect_eq(want, 60);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&vectors);
        dv_view_release(&source);
    }
}

/* A view that knew its rows only after the zip was made had none of them counted: without columns
 * of it, the zip never ended. */
Test(views, zip_ends_with_a_view_that_learns_its_rows)
{
    for (int columns = 0; columns < 2; columns++) {
        numbers made;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_view *view, *source = open_numbers(&made, -1, true);
        int64_t rows = 0;
        cr_assert_eq(dvt_chain_of(&view, source, "{\"transform\":\"Zip\"}", NULL, NULL), DV_OK);
        cr_expect_eq(dv_view_rows(view), DV_ROWS_UNKNOWN);
        made.table.rows_unknown = false;
        cr_expect_eq(dv_view_rows(view), 59);
        options.columns_count = columns; /* of the first view only, where 60 rows are */
        options.columns = &(int32_t){0};
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK && rows < 1000)
            rows += batch->rows;
        cr_expect_eq(rows, 59);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

/* Facts are the source's, and those of a column go with it; kinds; who may shuffle. */
Test(views, what_is_known)
{
    static const struct {
        const char *steps, *kind;
        int64_t rows;
    } table[] = {
        {"{\"transform\":\"Choose\",\"hidden\":1,\"columns\":[{\"source\":\"Age\",\"name\":\"x\"}]"
         "}",
         "select", 600},
        {"{\"transform\":\"CopyColumns\",\"columns\":[]}", "copy", 600},
        {"{\"transform\":\"SkipTake\",\"skip\":4}", "slice", 596},
        {"{\"transform\":\"GenerateNumber\",\"columns\":[{\"name\":\"g\"}]}", "generate", 600},
        {"{\"transform\":\"SkipTake\",\"skip\":700}", "slice", 0},
        {"{\"transform\":\"NAFilter\",\"columns\":[]}", "filter", -1},
        {"{\"transform\":\"BootstrapSample\"}", "bootstrap", -1},
    };
    dv_view *source = dvt_golden_open("idv/people.idv", NULL);
    for (size_t i = 0; i < COUNT(table); i++) {
        dv_view *view;
        dv_facts *facts, *own;
        int32_t age;
        cr_assert_eq(dvt_chain_of(&view, source, table[i].steps, NULL, NULL), DV_OK);
        cr_expect_str_eq(dv_view_kind(view), table[i].kind);
        cr_expect_eq(dv_view_rows(view), table[i].rows);
        cr_expect(!dv_view_can_shuffle(view) || dv_view_can_shuffle(source));
        cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
        cr_assert_eq(dv_inspect(&own, source, NULL), DV_OK);
        cr_expect_str_eq(facts->format, own->format);
        cr_expect_eq(facts->file_nbytes, own->file_nbytes);
        cr_expect_eq(facts->rows, dv_view_rows(view));
        cr_assert_eq(dv_schema_find(dv_view_schema(source), dv_text_of("Age"), &age), DV_OK);
        cr_expect_eq(facts->column[i == 0 ? 0 : age].stored_nbytes, own->column[age].stored_nbytes);
        dv_facts_free(&facts);
        dv_facts_free(&own);
        dv_view_release(&view);
    }
    dv_view_release(&source);
}

static dv_view *open_sample(const char *name)
{
    dv_view *view = NULL;
    const dvt_path path = dvt_test_path(name);
    cr_assert_eq(dv_open(&view, path.text, NULL, NULL), DV_OK, "%s", path.text);
    return view;
}

/* Block rows: of each format, and of each view. */
Test(views, rows_of_stored_blocks)
{
    static const struct {
        const char *steps;
        int64_t rows;
    } table[] = {
        {"{\"transform\":\"Choose\",\"columns\":[{\"source\":\"Age\"}]}", 128},
        {"{\"transform\":\"CopyColumns\",\"columns\":[]}", 128},
        {"{\"transform\":\"SkipTake\",\"skip\":4}", 128},
        {"{\"transform\":\"Zip\"}", 128},
        {"{\"transform\":\"GenerateNumber\",\"columns\":[{\"name\":\"g\"}]}", 0},
        {"{\"transform\":\"NAFilter\",\"columns\":[]}", 0},
        {"{\"transform\":\"BootstrapSample\"}", 0},
    };
    static const int64_t rows[] = {3, 1};
    dv_view *source = open_sample("golden/idv/people.idv"), *view, *held;
    for (size_t i = 0; i < COUNT(table); i++) {
        cr_assert_eq(dvt_chain_of(&view, source, table[i].steps, NULL, NULL), DV_OK, "%s",
                     table[i].steps);
        cr_expect_eq(dv_view_block_rows(view), table[i].rows, "%s: %lld", table[i].steps,
                     (long long)dv_view_block_rows(view));
        dv_view_release(&view);
    }
    cr_assert_eq(dv_view_take(&view, source, rows, 2, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_block_rows(view), 1);
    dv_view_release(&view);
    cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_block_rows(held), 1);
    cr_assert_eq(dv_view_concat(&view, (dv_view *[]){held, source}, 2, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_block_rows(view), 128);
    dv_view_release(&view);
    dv_view_release(&held);
    dv_view_release(&source);
}

Test(views, rows_of_blocks_of_other_formats)
{
    static const struct {
        const char *name;
        int64_t rows;
    } table[] = {{"golden/btable/article.btable", 1},
                 {"golden/datadings/tiny.msgpack", 1},
                 {"golden/text/load/embed-rows.txt", 0}};
    dv_view *all[COUNT(table)], *view;
    for (size_t i = 0; i < COUNT(table); i++) {
        all[i] = open_sample(table[i].name);
        cr_expect_eq(dv_view_block_rows(all[i]), table[i].rows, "%s", table[i].name);
    }
    cr_assert_eq(dv_view_zip(&view, all, 2, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_block_rows(view), 1);
    dv_view_release(&view);
    cr_assert_eq(dv_view_zip(&view, all, 3, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_block_rows(view), 0);
    dv_view_release(&view);
    cr_assert_eq(dv_view_take(&view, all[2], (int64_t[]){0}, 1, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_block_rows(view), 0);
    dv_view_release(&view);
    for (size_t i = 0; i < COUNT(table); i++)
        dv_view_release(&all[i]);
}

/* Views of a user's table hold the table and its batches. */
Test(views, of_a_view_of_ones_own)
{
    dvt_own_table own = {0};
    dv_view *source, *view;
    dvt_lines lines = {0};
    cr_assert_eq(dvt_own_table_open(&source, &own, NULL, NULL), DV_OK);
    cr_assert_eq(dvt_chain_of(&view, source,
                              "[{\"transform\":\"Filter\",\"conditions\":"
                              "[{\"column\":\"t\",\"relations\":7}]},{\"transform\":\"Zip\"}]",
                              NULL, NULL),
                 DV_OK);
    dv_view_release(&source);
    cr_expect_eq(own.views_closed, 0);
    cr_expect_eq(dvt_produce_by_value(&lines, view, NULL, NULL), DV_OK);
    dv_view_release(&view);
    cr_expect_eq(own.views_closed, 1);
    cr_expect_eq(own.cursors_opened, own.cursors_closed);
    cr_expect_eq(own.wrapped, own.released);
    dvt_lines_free(&lines);
}
