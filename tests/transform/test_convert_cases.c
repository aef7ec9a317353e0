/* SPDX-License-Identifier: MIT */
/* test_convert_cases.c: compares dv_view_convert with ML.NET's transform Convert on small views,
 * refusals included.
 */
#include "support/golden_files.h"
#include "support/golden_lines.h"
#include "support/made_table.h"
#include "support/one_value.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- golden/transform/convert-* --------------------------------------------------------------- */

/* ML.NET's name of a kind. */
static dv_kind kind_named(dv_text name)
{
    static const struct {
        const char *name;
        dv_kind kind;
    } kinds[] = {{"Boolean", DV_KIND_BL}, {"Byte", DV_KIND_U1},   {"Double", DV_KIND_R8},
                 {"Int32", DV_KIND_I4},   {"SByte", DV_KIND_I1},  {"Single", DV_KIND_R4},
                 {"UInt32", DV_KIND_U4},  {"UInt64", DV_KIND_U8}, {"String", DV_KIND_TX}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (dv_text_equal(name, dv_text_of(kinds[i].name)))
            return kinds[i].kind;
    cr_assert_fail("%.*s", (int)name.nbytes, name.data);
    return DV_KIND_NONE;
}

static dv_type type_of(const dvt_json *params)
{
    const dv_kind kind = kind_named(dvt_json_member(params, "resultType")->text);
    const dvt_json *count = dvt_json_member(params, "keyCount");
    return count && count->kind == DVT_JSON_NUMBER
               ? dv_type_key(kind, 0, (uint64_t)dvt_json_int(count))
               : dv_type_of(kind);
}

/* The content of a file of a case; free() it. NULL: there is no such file. */
static char *read_file(const char *name, const char *file)
{
    char path[128];
    size_t nbytes;
    snprintf(path, sizeof path, "golden/transform/%s/%s", name, file);
    return (char *)dvt_file_read(dvt_test_path(path).text, &nbytes);
}

/* Ours has NA if ML.NET wraps around or uses the minimum as a number, and reads text after blanks.
 */
static const char *const differences[][3] = {
    {"convert-i8-i1-wrap", "[128,-128]", "[128,null]"},
    {"convert-i8-i1-wrap", "[255,-1]", "[255,null]"},
    {"convert-i8-i1-wrap", "[256,0]", "[256,null]"},
    {"convert-i8-i1-wrap", "[-128,-128]", "[-128,null]"},
    {"convert-i8-i1-wrap", "[-129,127]", "[-129,null]"},
    {"convert-i8-i1-wrap", "[1000,-24]", "[1000,null]"},
    {"convert-i8-i1-wrap", "07,-1]", "07,null]"},
    {"convert-i8-i1-wrap", "08,0]", "08,null]"},
    {"convert-i8-i1-wrap", "[384,-128]", "[384,null]"},
    {"convert-varvec-i4-r4", "r4:cf000000", "r4:ffc00000"},
    {"convert-vec-tx-r4", "\"r4:3f800000\",\"r4:ffc00000\"", "\"r4:3f800000\",\"r4:40200000\""},
};

/* The expected lines, with the differences intended here; free them. */
static dvt_lines mapped(const char *name, char *truth)
{
    dvt_lines lines = {0};
    dvt_lines_add(&lines, truth, strlen(truth));
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
        const char *from = differences[i][1], *to = differences[i][2];
        if (strcmp(differences[i][0], name) != 0)
            continue;
        const char *at = strstr(lines.data, from);
        cr_assert_not_null(at, "%s: %s", name, from);
        dvt_lines changed = {0};
        dvt_lines_add(&changed, lines.data, (size_t)(at - lines.data));
        dvt_lines_add(&changed, to, strlen(to));
        dvt_lines_add(&changed, at + strlen(from), strlen(at + strlen(from)));
        dvt_lines_free(&lines);
        lines = changed;
    }
    return lines;
}

static void expect_output(const char *name, dv_view *view)
{
    char message[DVT_MESSAGE_NBYTES] = "";
    char *truth = read_file(name, "output.jsonl");
    dvt_lines want = mapped(name, truth), got = {0};
    cr_assert_eq(dvt_produce_by_value(&got, view, NULL, NULL), DV_OK);
    cr_expect(
        dvt_golden_compare(dvt_lines_text(&want), dvt_lines_text(&got), DVT_MAPPING_MLNET, message),
        "%s: %s", name, message);
    dvt_lines_free(&want);
    dvt_lines_free(&got);
    free(truth);
}

static void check_case(const char *name)
{
    char path[96];
    dvi_arena arena;
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dvi_arena_init(&arena, NULL);
    snprintf(path, sizeof path, "transform/%s/input.idv", name);
    dv_view *source = dvt_golden_open(path, NULL);
    char *text = read_file(name, "params.json");
    const dvt_json *params = dvt_json_parse(&arena, dv_text_of(text));
    const dvt_json *column = dvt_json_member(params, "column");
    const dv_conversion_spec spec = {dvt_json_member(column, "source")->text,
                                     dvt_json_member(column, "name")->text, type_of(params)};
    const dv_status status = dv_view_convert(&view, source, &spec, 1, NULL, &err);
    if (dvt_json_member(params, "error")) {
        cr_expect_eq(status, DV_ERR_ARGUMENT, "%s", name);
        cr_expect(*err.expected && *err.found, "%s", err.message);
    } else {
        cr_assert_eq(status, DV_OK, "%s: %s", name, err.message);
        expect_output(name, view);
    }
    dv_view_release(&view);
    dv_view_release(&source);
    dvi_arena_free(&arena);
    free(text);
}

Test(convert_cases, as_the_reference)
{
    static const char *const names[] = {"convert-bl-r8",
                                        "convert-i4-u4-refused",
                                        "convert-i8-i1-wrap",
                                        "convert-key-count-mismatch",
                                        "convert-key-r4-refused",
                                        "convert-key-toolarge-u1",
                                        "convert-key-u4-u8-keyvalues",
                                        "convert-r4-bl",
                                        "convert-replace-same-name",
                                        "convert-tx-key10",
                                        "convert-varvec-i4-r4",
                                        "convert-vec-r8-r4-slotnames",
                                        "convert-vec-tx-r4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_case(names[i]);
}

/* --- golden/convert/matrix.jsonl -------------------------------------------------------------- */

/* A view of one column without rows. */
static dv_view *view_of(dvt_made_table *table, const dv_type *type)
{
    static const uint64_t nothing[2];
    const dv_buffer none = {nothing, 0, NULL, false, true};
    *table = (dvt_made_table){.columns = 1, .block_rows = 1, .bad_row = -1};
    dv_column_view *column = &table->column[0];
    *column = (dv_column_view){.type = *type, .layout = DV_LAYOUT_FIXED};
    if (type->kind == DV_KIND_TX)
        column->layout = DV_LAYOUT_TEXT;
    else if (type->kind == DV_KIND_DZ)
        column->layout = DV_LAYOUT_ZONED;
    else
        column->as.fixed.values = none;
    return dvt_made_table_open(table, NULL);
}

/* ML.NET has no conversion of UG, TS, DT and DZ to themselves, and its Convert makes no UG; here
 * every type converts to itself, and text and unsigned numbers to UG, as is standard. */
static bool is_ours_too(const dv_type *from, const dv_type *to)
{
    const bool is_unsigned = from->kind == DV_KIND_U1 || from->kind == DV_KIND_U2 ||
                             from->kind == DV_KIND_U4 || from->kind == DV_KIND_U8;
    return dv_type_equal(from, to) ||
           (to->kind == DV_KIND_UG && !from->is_key && (is_unsigned || from->kind == DV_KIND_TX));
}

static void check_pair(const dvt_json *line)
{
    const dv_text from_name = dvt_json_member(line, "from")->text;
    const dv_text to_name = dvt_json_member(line, "to")->text;
    const dv_type from = dvt_type_named(from_name);
    const dv_conversion_spec spec = {dv_text_of("a"), dv_text_of("b"), dvt_type_named(to_name)};
    const bool is_there = dvt_json_member(line, "convertTransform")->kind == DVT_JSON_TRUE ||
                          is_ours_too(&from, &spec.type);
    dvt_made_table table;
    dv_error err = DV_ERROR_INIT;
    dv_view *source = view_of(&table, &from), *view = NULL;
    const dv_status status = dv_view_convert(&view, source, &spec, 1, NULL, &err);
    cr_expect_eq(status, is_there ? DV_OK : DV_ERR_ARGUMENT, "%.*s: %s", (int)line->source.nbytes,
                 line->source.data, err.message);
    cr_expect(is_there || (*err.expected && *err.found), "%s", err.message);
    dv_view_release(&view);
    dv_view_release(&source);
}

Test(convert_cases, matrix)
{
    cr_expect_geq(dvt_golden_json("convert/matrix.jsonl", check_pair), 600);
}
