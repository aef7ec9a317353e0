/* SPDX-License-Identifier: MIT */
/* test_text_csv.c: what a file in .csv holds: names, values and quotes that other programs expect.
 */
#include "support/file.h"
#include "support/lines.h"
#include "support/made_table.h"
#include "support/test.h"
#include "support/written.h"
#include <dataview/save.h>
#include <dataview/schema.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const int32_t dense = -1;
static uint8_t bytes[8192];

static dv_save_options options_of(const char *text, uint32_t allow)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "text";
    options.text = text;
    options.hidden = true;
    options.allow_loss = allow;
    return options;
}

static dv_status save(dvt_made_table *table, const char *text, uint32_t allow, char **file_out,
                      dv_error *err)
{
    dv_buffer file;
    const dv_save_options options = options_of(text, allow);
    table->rows = table->column[0].rows;
    table->block_rows = 3;
    table->bad_row = -1;
    dv_view *view = dvt_made_table_open(table, NULL);
    const dv_status status = dv_save_memory(view, &file, &options, err);
    *file_out = strndup(status == DV_OK ? file.data : "", file.nbytes);
    dv_buffer_release(&file);
    dv_view_release(&view);
    return status;
}

static void expect_file(dvt_made_table *table, const char *text, const char *expected)
{
    char *found;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(save(table, text, 0, &found, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(found, expected);
    free(found);
}

/* It is not read again as the same table, and so refused unless types are allowed to change. */
static void expect_lost(dvt_made_table *table, const char *text, const char *message,
                        const char *expected)
{
    char *found;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(save(table, text, 0, &found, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message, message), "%s", err.message);
    free(found);
    cr_expect_eq(save(table, text, DV_LOSS_TYPES, &found, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(found, expected);
    free(found);
}

static void expect_refused(dvt_made_table *table, uint32_t allow, const char *message,
                           const char *expected)
{
    char *found;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(save(table, "csv+", ~allow & 0x7Fu, &found, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message, message), "%s", err.message);
    free(found);
    cr_expect_eq(save(table, "csv+", allow, &found, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(found, expected);
    free(found);
}

/* One row with all items in a vector. */
static dv_column_view row_of(const dv_column_view *items, int32_t size)
{
    dv_column_view view = {
        .type = dv_type_vector(items->type, size), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    view.as.vector.length = size;
    view.as.vector.counts = (dv_buffer){.data = &dense, .nbytes = sizeof dense};
    view.as.vector.items = items;
    return view;
}

/* --- Names --- */

Test(text_csv, each_name_is_there_once)
{
    static const int32_t ends[] = {1, 1, 2};
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 3);
    const dv_column_view names = dvt_made_text(DV_KIND_TX, "xy", ends, 3);
    dvt_made_table table = {.columns = 7, .metadata_kind = DV_SLOT_NAMES};
    table.metadata = row_of(&names, 3);
    table.column[0] = row_of(&items, 3);
    table.column[1] = row_of(&items, 3);
    for (int k = 2; k < 7; k++)
        table.column[k] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 1);
    table.name[0] = "f";
    table.name[1] = "g,h";
    table.name[2] = "y";   /* the slot gives way */
    table.name[3] = "x_2"; /* taken, */
    table.name[4] = "a";   /* hidden: numbered */
    table.name[5] = " ";
    table.name[6] = "a";
    expect_lost(&table, "csv+",
                "name \" \": expected that name when it is read again, or loss types",
                "x,f.1,f.y,\"g,h.0\",\"g,h.1\",\"g,h.2\",y,x_2,a_2,\" \",a\n"
                "0,0,0,0,0,0,0,0,0,0,0\n");
    table.name[4] = table.name[6] = "f.y";
    expect_lost(&table, "csv+", "found C9",
                "x,f.1,f.y_3,\"g,h.0\",\"g,h.1\",\"g,h.2\",y,x_2,f.y_2,\" \",f.y\n"
                "0,0,0,0,0,0,0,0,0,0,0\n");
    table.columns = 2;
    expect_file(&table, "csv+ header- sep=|", "0|0|0|0|0|0\n");
}

/* --- Values --- */

Test(text_csv, values_of_every_kind)
{
    static const int64_t ticks[] = {DV_TICKS_NA, 637134336000000000, 637134336000000001};
    static const int64_t spans[] = {DV_TICKS_NA, 0, -937230000000};
    static const int16_t minutes[] = {0, 60, -90};
    static const float r4[] = {NAN, 0.1f, -INFINITY};
    static const double r8[] = {NAN, 0.1, 1e300};
    static const uint8_t bl[] = {0x80, 0, 1};
    static const int64_t i8[] = {INT64_MIN, INT64_MAX, -1};
    static const dv_u128 ug[] = {{0, 0}, {1, 2}, {3, 4}};
    dvt_made_table table = {.columns = 8};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_DT), ticks, 3);
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_TS), spans, 3);
    table.column[2] =
        (dv_column_view){.type = dv_type_of(DV_KIND_DZ), .layout = DV_LAYOUT_ZONED, .rows = 3};
    table.column[2].as.zoned.ticks = (dv_buffer){.data = ticks, .nbytes = sizeof ticks};
    table.column[2].as.zoned.minutes = (dv_buffer){.data = minutes, .nbytes = sizeof minutes};
    table.column[3] = dvt_made_fixed(dv_type_of(DV_KIND_R4), r4, 3);
    table.column[4] = dvt_made_fixed(dv_type_of(DV_KIND_R8), r8, 3);
    table.column[5] = dvt_made_fixed(dv_type_of(DV_KIND_BL), bl, 3);
    table.column[6] = dvt_made_fixed(dv_type_of(DV_KIND_I8), i8, 3);
    table.column[7] = dvt_made_fixed(dv_type_of(DV_KIND_UG), ug, 3);
    expect_file(&table, "csv+",
                "a,b,c,d,e,f,g,h\n"
                ",,,,,,,0x00000000000000000000000000000000\n"
                "2020-01-01T00:00:00.0000000,00:00:00,2020-01-01T00:00:00.0000000+01:00,0.1,0.1,"
                "false,9223372036854775807,0x00000000000000020000000000000001\n"
                "2020-01-01T00:00:00.0000001,-1.02:02:03,2020-01-01T00:00:00.0000001-01:30,"
                "-Infinity,1E+300,true,-1,0x00000000000000040000000000000003\n");
}

Test(text_csv, texts)
{
    static const char utf8[] = "a,b\"c\"d\re\r\nf g#h//i:\tj\xEF\xBB\xBFk";
    static const int32_t ends[] = {3, 6, 8, 11, 12, 14, INT32_MIN + 14, 14, 16, 18, 20, 22, 26};
    dvt_made_table table = {.columns = 2};
    table.column[0] = dvt_made_text(DV_KIND_TX, utf8, ends, COUNT(ends));
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, COUNT(ends));
    expect_file(&table, "csv+",
                "a,b\n\"a,b\",0\n\"\"\"c\"\"\",0\n\"d\r\",0\n\"e\r\n\",0\nf,0\n\" g\",0\n,0\n"
                "\"\",0\n\"#h\",0\n\"//\",0\ni:,0\n\tj,0\n\"\xEF\xBB\xBFk\",0\n");
}

/* Keys become what they stand for. */
Test(text_csv, keys)
{
    static const int32_t ends[] = {1, 1, 4, INT32_MIN + 4};
    static const uint8_t keys[] = {0, 1, 2, 3, 4};
    dv_type type = dv_type_of(DV_KIND_U1);
    type.is_key = type.key_is_contiguous = true;
    type.key_count = 4;
    const dv_column_view values = dvt_made_text(DV_KIND_TX, "xy,z", ends, 4);
    dvt_made_table table = {.columns = 2, .metadata_kind = DV_KEY_VALUES};
    table.metadata = row_of(&values, 4);
    table.column[0] = dvt_made_fixed(type, keys, 4);
    table.column[1] = dvt_made_fixed(type, keys, 4);
    expect_file(&table, "csv+", "a,b\n,\nx,0\n\"\",1\n\"y,z\",2\n");
    table.column[0] = dvt_made_fixed(type, keys, 5);
    table.column[1] = dvt_made_fixed(type, keys, 5);
    expect_refused(&table, DV_LOSS_NA, "row 4, column \"a\": expected a key whose value is not NA",
                   "a,b\n,\nx,0\n\"\",1\n\"y,z\",2\n,3\n");
}

/* Slots without an item are the default, as BL writes it. */
Test(text_csv, sparse_rows_are_written_as_dense)
{
    static const int32_t one = 1, at = 2;
    static const uint8_t yes = 1;
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_BL), &yes, 1);
    dvt_made_table table = {.columns = 1, .name = {"v"}};
    table.column[0] = row_of(&items, 9);
    table.column[0].as.vector.counts = (dv_buffer){.data = &one, .nbytes = sizeof one};
    table.column[0].as.vector.indices = (dv_buffer){.data = &at, .nbytes = sizeof at};
    expect_file(&table, "csv+",
                "v.0,v.1,v.2,v.3,v.4,v.5,v.6,v.7,v.8\n"
                "false,false,true,false,false,false,false,false,false\n");
}

/* Readers skip empty lines. */
Test(text_csv, one_column)
{
    static const float r4[] = {NAN, 1};
    static const int32_t ends[] = {0, INT32_MIN};
    dvt_made_table table = {.columns = 1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), r4, 2);
    expect_file(&table, "csv+", "a\n\"\"\n1\n");
    table.column[0] = dvt_made_text(DV_KIND_TX, "", ends, 2);
    expect_refused(&table, DV_LOSS_NA | DV_LOSS_TYPES, "row 1, column \"a\": expected a text",
                   "a\n\"\"\n\"\"\n");
}

/* --- What it cannot hold --- */

static bool keep_report(void *ctx, const dv_loss_report *report)
{
    dvt_lines_print(ctx, "%s|%d|%d|%s\n", dv_loss_name(report->loss), report->column,
                    report->is_implied, report->sentence);
    return true;
}

static const char implied[] =
    "types|-1|1|a CSV keeps names and values, but not types, metadata and row ids; a file in .txt, "
    "or option text schema+, keeps the types\n";

static void expect_reports(dvt_made_table *table, const char *path, dv_status expected,
                           const char *sentences)
{
    dvt_lines reports = {0};
    dv_error err = DV_ERROR_INIT;
    table->rows = 1;
    table->block_rows = 3;
    table->bad_row = -1;
    dv_view *view = dvt_made_table_open(table, NULL);
    const dv_status status = dv_save_check(view, path, NULL, keep_report, &reports, &err);
    cr_expect_eq(status, expected, "%s", err.message);
    cr_expect_str_eq(reports.data ? reports.data : "", sentences);
    dvt_lines_free(&reports);
    dv_view_release(&view);
}

Test(text_csv, what_has_no_columns_is_refused_by_name)
{
    char expected[1024];
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, sizeof bytes);
    const int32_t dims[] = {2, 3};
    dvt_made_table table = {.columns = 1, .metadata_kind = "Note"};
    table.metadata = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 1);
    table.column[0] = row_of(&items, 4096);
    expect_reports(&table, "x.csv", DV_OK, implied);
    table.column[0] = row_of(&items, 6);
    table.column[0].type.rank = 2;
    table.column[0].type.dims = dims;
    expect_reports(&table, "x.tsv", DV_OK, implied);
    table.columns = 3;
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 1);
    table.column[1] = row_of(&items, 4097);
    table.column[2] = row_of(&items, 0);
    snprintf(expected, sizeof expected,
             "columns|1|0|column \"b\": its 4097 slots are more than the 4096 that become columns "
             "of a CSV; option text schema+ writes them\n"
             "columns|2|0|column \"c\": a vector of varying size has no columns in a CSV; option "
             "text schema+ writes it as the last column\n%s",
             implied);
    expect_reports(&table, "x.csv", DV_ERR_LOSS, expected);
    expect_reports(&table, "x.txt", DV_ERR_LOSS,
                   "metadata|0|0|column \"a\": metadata Note: a text file has only the names of "
                   "slots, in its header\n");
}

/* --- Options --- */

Test(text_csv, options)
{
    static const struct {
        const char *name, *text, *file;
    } cases[] = {{"a.csv", NULL, "a,b\n0,0\n"},
                 {"a.tsv", NULL, "a\tb\n0\t0\n"},
                 {"a.tsv", "sep=;", "a;b\n0;0\n"},
                 {"a.csv", "schema- dense+", "a,b\n0,0\n"},
                 {"a.csv", "bom",
                  "\xEF\xBB\xBF"
                  "a,b\n0,0\n"},
                 {"a.csv", "header-", "0,0\n"},
                 {"a.csv", "csv- schema-", "a,b\n0,0\n"},
                 {"a.txt", "csv+", "a,b\n0,0\n"},
                 {"a.csv", "schema+",
                  "#@ TextLoader{\n#@   header+\n#@   sep=comma\n#@   quote+\n"
                  "#@   sparse+\n#@   col=a:U1:0\n#@   col=b:U1:1\n#@ }\n"
                  "a,b\n0,0\n"},
                 {"a.tsv", "mlnet+",
                  "#@ TextLoader{\n#@   header+\n#@   sep=tab\n#@   col=a:U1:0\n"
                  "#@   col=b:U1:1\n#@ }\na\tb\n0\t0\n"}};
    static const struct {
        const char *text, *sentence;
    } wrong[] = {{"csv+ schema+", "options csv and schema contradict each other"},
                 {"csv+ mlnet+", "options csv and mlnet contradict each other"},
                 {"bom+", "option bom is for the form csv"},
                 {"csv=x", "option csv is a flag"}};
    dvt_made_table table = {.columns = 2, .rows = 1, .block_rows = 1, .bad_row = -1};
    table.column[0] = table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_U1), bytes, 1);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dvt_path folder = dvt_folder_create();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const dvt_path path = dvt_path_in(&folder, cases[i].name);
        dv_save_options options = options_of(cases[i].text, 0);
        options.format = NULL;
        cr_expect_eq(dv_save(view, path.text, &options, NULL), DV_OK);
        cr_expect(dvt_file_holds(&path, cases[i].file, strlen(cases[i].file)), "%s, %s",
                  cases[i].name, cases[i].text);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        dv_error err = DV_ERROR_INIT;
        const dv_save_options options = options_of(wrong[i].text, 0);
        cr_expect_eq(dv_save_check(view, NULL, &options, NULL, NULL, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, wrong[i].sentence), "%s", err.message);
    }
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}
