/* SPDX-License-Identifier: MIT */
/* test_print_golden.c: compares values as text with those of ML.NET's text saver, and reads them
 * back. Our types have NA, which is written as the empty text. */
#include "support/test.h"

#include "codec/number.h"
#include "support/columns.h"
#include "support/golden_lines.h"
#include "support/lines.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- A value as text --------------------------------------------------------------- */

typedef struct printed {
    char text[64];
} printed;

static printed print_g17(double value)
{
    printed p;
    const size_t n = dvi_number_print_r8_g17(p.text, value);
    p.text[n] = '\0';
    return p;
}

/* As the text saver prints it: R8 with 17 digits. */
static printed print(const dv_type *type, const dv_scalar *scalar)
{
    if (type->kind == DV_KIND_R8 && scalar->r8 == scalar->r8)
        return print_g17(scalar->r8);
    const dv_column_view column = dvt_column_scalar(type, scalar);
    const dv_value value = dv_value_first(&column);
    dvt_lines lines = {0};
    const dv_sink sink = dvt_lines_sink(&lines);
    printed p = {""};
    cr_assert(dv_value_write(&value, DV_STYLE_TEXT, &sink));
    cr_assert_lt(lines.nbytes, sizeof p.text);
    if (lines.data)
        memcpy(p.text, lines.data, lines.nbytes + 1);
    dvt_lines_free(&lines);
    return p;
}

/* The printed text parses to the same value. */
static void expect_back(const dv_type *type, const dv_scalar *scalar, const char *text)
{
    dv_scalar back;
    cr_expect(dv_value_parse(&back, type, dv_text_of(text)), "%s", text);
    const dv_column_view a = dvt_column_scalar(type, scalar), b = dvt_column_scalar(type, &back);
    const dv_value x = dv_value_first(&a), y = dv_value_first(&b);
    cr_expect(dv_value_same(&x, &y), "%s", text);
}

/* --- convert/..._saver.jsonl ------------------------------------------------------------------ */

/* A value as golden files write it. */
static dv_scalar read_golden(const dv_type *type, const dvt_json *value)
{
    char text[64];
    dv_scalar scalar = {.ug = {0, 0}};
    const dv_text given = value->kind == DVT_JSON_STRING ? value->text : value->source;
    snprintf(text, sizeof text, "%.*s", (int)given.nbytes, given.data);
    int found = 1;
    switch (type->kind) {
    case DV_KIND_R4:
        found = sscanf(text, "r4:%" SCNx32, &scalar.u4);
        break;
    case DV_KIND_R8:
        found = sscanf(text, "r8:%" SCNx64, &scalar.u8);
        break;
    case DV_KIND_TS:
    case DV_KIND_DT:
        found = sscanf(text, "%*2s:%" SCNd64, &scalar.i8);
        break;
    case DV_KIND_DZ:
        found = sscanf(text, "dz:%" SCNd64 ":%" SCNd16, &scalar.dz.ticks, &scalar.dz.minutes) - 1;
        break;
    case DV_KIND_UG:
        found = sscanf(text, "ug:%16" SCNx64 "%16" SCNx64, &scalar.ug.hi, &scalar.ug.lo) - 1;
        break;
    case DV_KIND_BL:
        scalar.i1 = value->kind == DVT_JSON_TRUE;
        break;
    default: { /* integers, and keys as they are stored */
        const dv_type number = dv_type_of(type->kind);
        cr_expect(dv_value_parse(&scalar, &number, given), "%s", text);
    }
    }
    cr_expect_eq(found, 1, "%s", text);
    return scalar;
}

static void check_saver(const dvt_json *line)
{
    const dv_text from = dvt_json_member(line, "from")->text;
    dv_type type;
    cr_assert_eq(dv_type_parse(&type, from, NULL, 0, NULL), DV_OK);
    const dv_scalar scalar = read_golden(&type, dvt_json_member(line, "in"));
    const dv_column_view column = dvt_column_scalar(&type, &scalar);
    const dv_value value = dv_value_first(&column);
    const bool is_na = dv_value_is_na(&value);
    const dv_text out = dvt_json_member(line, "out")->text;
    const dv_text want = is_na ? dv_text_of("") : out;
    const printed got = print(&type, &scalar);
    cr_expect(dv_text_equal(dv_text_of(got.text), want), "%s: %.*s", got.text,
              (int)line->source.nbytes, line->source.data);
    if (!is_na)
        expect_back(&type, &scalar, got.text);
}

#define SAVER(from)                                                                                \
    Test(print_golden, save_##from)                                                                \
    {                                                                                              \
        cr_expect_gt(dvt_golden_json("convert/" #from "_saver.jsonl", check_saver), 1);            \
    }
SAVER(BL)
SAVER(DT)
SAVER(DZ)
SAVER(I1)
SAVER(I2)
SAVER(I4)
SAVER(I8)
SAVER(R4)
SAVER(R8)
SAVER(TS)
SAVER(U1)
SAVER(U2)
SAVER(U4)
SAVER(U8)
SAVER(UG)
SAVER(key)

/* --- text/save/format_*.tsv: bits, text ------------------------------------------------------- */

static void check_format(dv_text line, dv_kind kind)
{
    char bits[32], want[64];
    dvt_line_field(line, 0, bits, sizeof bits);
    dvt_line_field(line, 1, want, sizeof want);
    const dv_type type = dv_type_of(kind);
    dv_scalar scalar = {.ug = {0, 0}};
    cr_assert_eq(sscanf(bits, "%" SCNx64, &scalar.u8), 1);
    const printed got = print(&type, &scalar);
    const bool is_na = strcmp(want, "?") == 0;
    cr_expect_str_eq(got.text, is_na ? "" : want, "%s, not %s", got.text, want);
    if (!is_na)
        expect_back(&type, &scalar, got.text);
}

static void check_r4(dv_text line)
{
    check_format(line, DV_KIND_R4);
}

static void check_r8(dv_text line)
{
    check_format(line, DV_KIND_R8);
}

Test(print_golden, reals)
{
    cr_expect_geq(dvt_golden_lines("text/save/format_r4.tsv", check_r4), 250);
    cr_expect_geq(dvt_golden_lines("text/save/format_r8.tsv", check_r8), 250);
}
