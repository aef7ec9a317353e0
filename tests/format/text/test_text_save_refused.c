/* SPDX-License-Identifier: MIT */
/* test_text_save_refused.c: checks that losses are reported, and which option allows each. */
#include "support/file.h"
#include "support/lines.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/save.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const uint8_t bytes[64] = {1, 2};

/* A table of one row or two. */
static dv_view *open_table(dvt_made_table *table)
{
    table->rows = table->column[0].rows;
    table->block_rows = 1;
    table->bad_row = -1;
    return dvt_made_table_open(table, NULL);
}

static dv_save_options options_of(const char *text, uint32_t allow)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "text";
    options.text = text;
    options.allow_loss = allow;
    return options;
}

static dv_status save(dv_view *view, const char *text, uint32_t allow, dv_error *err)
{
    dv_buffer file;
    const dv_save_options options = options_of(text, allow);
    const dv_status status = dv_save_memory(view, &file, &options, err);
    cr_expect_eq(file.data != NULL, status == DV_OK);
    dv_buffer_release(&file);
    return status;
}

/* --- Options --- */

Test(text_save_refused, options_that_are_none)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"sep=colon",
         "option sep: only tab, space, comma, semicolon and bar can be written, not \"colon\""},
        {"sep=x", "not \"x\""},
        {"sep=tab,comma", "not \"tab,comma\""},
        {"sep+", "option sep"},
        {"dense=true", "option dense is a flag"},
        {"header=", "option header is a flag"},
        {"col=a:0", "option col is not for writing text"},
        {"quote+", "option quote is not for writing text"},
        {"dense+ dense-", "option dense is given twice"},
        {"sep=tab separator=tab", "option separator is given twice"},
        {"schema={", "stays open"},
    };
    dvt_made_table table = {.columns = 1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 2);
    dv_view *view = open_table(&table);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        dv_error err = DV_ERROR_INIT;
        const dv_save_options options = options_of(wrong[i].text, 0);
        cr_expect_eq(save(view, wrong[i].text, 0, &err), DV_ERR_ARGUMENT, "%s", wrong[i].text);
        cr_expect(strstr(err.message, wrong[i].sentence), "%s: %s", wrong[i].text, err.message);
        cr_expect_eq(dv_save_check(view, NULL, &options, NULL, NULL, &err), DV_ERR_ARGUMENT);
    }
    static const char *const right[] = {
        NULL,     "",      "sep=|",         "Separator=SPACE",      "sep={ }", "sep=;", "sep=,",
        "dense+", "dense", "outputheader-", "OutputSchema=- mlnet",
    };
    for (size_t i = 0; i < COUNT(right); i++)
        cr_expect_eq(save(view, right[i], 0, NULL), DV_OK, "%s", right[i]);
    dv_view_release(&view);
}

/* The file name decides between tab and comma, unless the option does. */
Test(text_save_refused, separators_by_the_name)
{
    static const struct {
        const char *name, *text, *row;
    } cases[] = {{"a.csv", NULL, "1,1\n"},
                 {"a.txt", NULL, "1\t1\n"},
                 {"a.tsv", NULL, "1\t1\n"},
                 {"a.csv", "sep=bar", "1|1\n"}};
    dvt_made_table table = {.columns = 2};
    table.column[0] = table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 1);
    dv_view *view = open_table(&table);
    dvt_path folder = dvt_folder_create();
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t nbytes;
        const dvt_path path = dvt_path_in(&folder, cases[i].name);
        dv_save_options options = options_of(cases[i].text, 0);
        options.format = NULL;
        cr_expect_eq(dv_save(view, path.text, &options, NULL), DV_OK);
        char *found = (char *)dvt_file_read(path.text, &nbytes);
        const size_t n = strlen(cases[i].row);
        cr_expect(nbytes > n && strcmp(found + nbytes - n, cases[i].row) == 0, "%s", found);
        free(found);
    }
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- What schema and metadata show --- */

static bool keep_report(void *ctx, const dv_loss_report *report)
{
    dvt_lines_print(ctx, "%s|%d|%s\n", dv_loss_name(report->loss), report->column,
                    report->sentence);
    return true;
}

static void expect_reports(dvt_made_table *table, const char *text, const char *expected)
{
    dvt_lines reports = {0};
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_table(table);
    const dv_save_options options = options_of(text, 0);
    const dv_status status = dv_save_check(view, NULL, &options, keep_report, &reports, &err);
    cr_expect_eq(status, *expected ? DV_ERR_LOSS : DV_OK, "%s", err.message);
    cr_expect_str_eq(reports.data ? reports.data : "", expected);
    cr_expect_eq(save(view, text, 0, NULL), status);
    cr_expect(save(view, text, 0x7F, NULL) == DV_OK || strstr(expected, "\n|") || *expected == '|');
    dvt_lines_free(&reports);
    dv_view_release(&view);
}

/* One row of a vector with all numbers or texts of `items`. */
static dv_column_view vector_of(const dv_column_view *items, int32_t size)
{
    static const int32_t sparse[2] = {0, 0};
    dv_column_view view = {
        .type = dv_type_vector(items->type, size), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    view.as.vector.length = size;
    view.as.vector.counts = (dv_buffer){.data = sparse, .nbytes = sizeof sparse};
    view.as.vector.items = items;
    return view;
}

Test(text_save_refused, columns_without_a_place)
{
    static const int32_t end = 1, dims[] = {2, 3};
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), bytes, 0);
    dvt_made_table table = {.columns = 4};
    table.column[0] = dvt_made_text(DV_KIND_BY, "x", &end, 1);
    table.column[1] = vector_of(&items, 0);
    table.column[2] = vector_of(&items, 6);
    table.column[2].type.rank = 2;
    table.column[2].type.dims = dims;
    table.column[3] = vector_of(&items, 0);
    expect_reports(&table, NULL,
                   "columns|0|column \"a\": BY cannot be written as text\n"
                   "columns|1|column \"b\": a vector of varying size can only be the last column\n"
                   "types|2|column \"c\": its dimensions become one\n");
    table.columns = 1;
    expect_reports(
        &table, NULL,
        "columns|0|column \"a\": BY cannot be written as text\n|-1|a text file needs a column\n");
    table.column[0] = vector_of(&items, 1000000000);
    expect_reports(&table, NULL, "");
    table.columns = 2;
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 1);
    expect_reports(&table, NULL, "|-1|1000000001 slots in a row, at most 1000000000\n");
}

Test(text_save_refused, names)
{
    dvt_made_table table = {.columns = 3, .name = {" a", "b\nc", " \t"}};
    for (int i = 0; i < 3; i++)
        table.column[i] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 1);
#define CHANGED "line breaks in its name become blanks, and white space around it is removed\n"
    expect_reports(&table, NULL,
                   "names|0|column \" a\": " CHANGED "names|1|column \"b\\x0Ac\": " CHANGED
                   "|2|column \" \\x09\": the name is only white space\n");
}

/* Names of a vector of two slots. */
static void expect_names(const char *utf8, const int32_t ends[2], const char *text,
                         const char *expected)
{
    static const int32_t dense = -1;
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), bytes, 0);
    const dv_column_view names = dvt_made_text(DV_KIND_TX, utf8, ends, 2);
    dvt_made_table table = {.columns = 1, .metadata_kind = DV_SLOT_NAMES};
    table.column[0] = vector_of(&items, 2);
    table.metadata = vector_of(&names, 2);
    table.metadata.as.vector.counts = (dv_buffer){.data = &dense, .nbytes = 4};
    expect_reports(&table, text, expected);
}

Test(text_save_refused, names_of_slots)
{
#define NAMES "0|column \"a\": metadata SlotNames: "
    static const int32_t both[] = {1, 2}, first[] = {2, 2}, neither[] = {0, 0};
    static const int32_t na[] = {2, INT32_MIN + 2};
    expect_names("xy", both, NULL, "");
    expect_names("xy", na, NULL, "na|" NAMES "names that are NA become empty: 1\n");
    expect_names(" y", first, NULL, "names|" NAMES "names lose the white space around them: 1\n");
    expect_names("  ", first, NULL,
                 "metadata|" NAMES "names that are all empty read as none\n"
                 "names|" NAMES "names lose the white space around them: 1\n");
    expect_names("x\ry", (const int32_t[]){1, 3}, NULL,
                 "names|" NAMES "names lose the white space around them: 1\n"
                 "breaks|" NAMES "CR in 1 name becomes LF\n");
    expect_names("", neither, NULL, "metadata|" NAMES "names that are all empty read as none\n");
    expect_names("xy", both, "header-",
                 "metadata|" NAMES "a text file has only the names of slots, in its header\n");
}

Test(text_save_refused, other_metadata)
{
    dvt_made_table table = {.columns = 1, .metadata_kind = "Note"};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 1);
    table.metadata = table.column[0];
    expect_reports(
        &table, NULL,
        "metadata|0|column \"a\": metadata Note: a text file has only the names of slots, "
        "in its header\n");
}

/* --- What only values show --- */

static void expect_value(dvt_made_table *table, uint32_t allow, const char *message)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_table(table);
    cr_expect_eq(save(view, NULL, 0, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message, message), "%s", err.message);
    cr_expect_eq(save(view, "mlnet+", 0, &err), DV_OK);
    cr_expect_eq(save(view, NULL, 0x7Fu & ~allow, &err), DV_ERR_LOSS);
    cr_expect_eq(save(view, NULL, allow, &err), allow ? DV_OK : DV_ERR_LOSS);
    dv_view_release(&view);
}

Test(text_save_refused, values_that_would_be_others)
{
    static const int32_t ends[] = {1, 4}, counts[] = {-1, -1};
    static const uint64_t large[] = {1, 3};
    dvt_made_table table = {.columns = 1};
    table.column[0] = dvt_made_fixed(dv_type_key(DV_KIND_U1, 0, 1), bytes, 2);
    expect_value(
        &table, DV_LOSS_NA,
        "row 1, column \"a\": expected a key up to the count, or na allowed, found a larger one");
    table.column[0] = dvt_made_fixed(dv_type_key(DV_KIND_U8, UINT64_MAX - 1, 0), large, 2);
    expect_value(
        &table, 0,
        "row 1, column \"a\": expected a key with a number up to 2^64-1, found a larger one");
    table.column[0] = dvt_made_text(DV_KIND_TX, "xa\rb", ends, 2);
    expect_value(&table, DV_LOSS_BREAKS,
                 "row 1, column \"a\": expected a text without CR, or breaks allowed, found CR");
    const dv_column_view items = table.column[0];
    table.column[0] = vector_of(&items, 1);
    table.column[0].rows = 2;
    table.column[0].as.vector.counts = (dv_buffer){.data = counts, .nbytes = sizeof counts};
    expect_value(&table, DV_LOSS_BREAKS, "row 1, column \"a\": expected a text without CR");
}

/* Slots of a varying vector, together with those before it. */
Test(text_save_refused, rows_of_too_many_slots)
{
    static const int32_t length = 1000000000;
    dv_error err = DV_ERROR_INIT;
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), bytes, 0);
    dvt_made_table table = {.columns = 2};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 1);
    table.column[1] = vector_of(&items, 0);
    table.column[1].as.vector.lengths = (dv_buffer){.data = &length, .nbytes = 4};
    dv_view *view = open_table(&table);
    cr_expect_eq(save(view, NULL, 0, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "text");
    dv_view_release(&view);
}

/* --- What batch.h forbids --- */

static void expect_broken(dv_column_view column, const char *wanted)
{
    dv_error err = DV_ERROR_INIT;
    dvt_made_table table = {.columns = 1};
    table.column[0] = column;
    dv_view *view = open_table(&table);
    cr_expect_eq(save(view, NULL, 0x7F, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, wanted), "%s", err.message);
    dv_view_release(&view);
}

Test(text_save_refused, views_that_are_broken)
{
    static const int32_t ends[] = {3, 2}, cut[] = {1, 2}, counts = 2, indices[] = {1, 0};
    dv_column_view texts = dvt_made_text(DV_KIND_TX, "abc", (const int32_t[]){3, 3}, 2);
    expect_broken(dvt_made_text(DV_KIND_TX, "a\xFF", cut, 2), "texts of valid UTF-8");
    texts = dvt_made_text(DV_KIND_TX, "\xC3\xA9", cut, 2);
    const dv_column_view numbers = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 2);
    dv_column_view vectors = vector_of(&numbers, 3);
    vectors.as.vector.counts = (dv_buffer){.data = &counts, .nbytes = 4};
    vectors.as.vector.indices = (dv_buffer){.data = indices, .nbytes = 8};
    expect_broken(vectors, "indices that rise below the length");
    /* both in one batch, or a boundary is the end of the buffer */
    vectors = vector_of(&texts, 2);
    vectors.as.vector.counts = (dv_buffer){.data = &(int32_t){-1}, .nbytes = 4};
    expect_broken(vectors, "texts of valid UTF-8");
    texts.as.text.ends = (dv_buffer){.data = ends, .nbytes = sizeof ends};
    texts.as.text.utf8 = (dv_buffer){.data = "abc", .nbytes = 3};
    vectors.as.vector.items = &texts;
    expect_broken(vectors, "texts end to end");
    /* only an item that no row has ends where the bytes do */
    texts.as.text.utf8.nbytes = 2;
    vectors.type.size = vectors.as.vector.length = 1;
    expect_broken(vectors, "texts end to end");
}
