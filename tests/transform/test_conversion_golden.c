/* SPDX-License-Identifier: MIT */
/* test_conversion_golden.c: compares conversions of values with ML.NET's standard conversions.
 * Differences are intended: our types have NA. */
#include "codec/parse.h"
#include "support/golden_lines.h"
#include "support/one_value.h"
#include "support/test.h"
#include "transform/conversion.h"
#include <stdio.h>
#include <string.h>

static dv_text member_text(const dvt_json *line, const char *name)
{
    const dvt_json *member = dvt_json_member(line, name);
    cr_assert_not_null(member, "%s", name);
    return member->text;
}

/* One value converted, in exact form; free the lines. */
static dvt_lines convert(const dv_type *from, const dv_type *to, const dvt_json *value)
{
    dvi_conversion conversion;
    dvi_converted memory = {0};
    dvt_one one;
    dvt_one_make(&one, from, value);
    dv_column_view dst = one.column;
    cr_assert_eq(dvi_conversion_find(&conversion, from, to), DV_OK);
    if (conversion.is_identity)
        dst.type = *to;
    else
        cr_assert_eq(dvi_conversion_run(&conversion, &memory, &dst, &one.column, 0, 1, NULL, NULL),
                     DV_OK);
    const dvt_lines lines = dvt_one_text(&dst);
    dvi_converted_free(&memory);
    return lines;
}

/* Has it an NA that ML.NET of today does not know? */
static bool has_new_na(const dv_type *type)
{
    return dv_type_has_na(type) && !type->is_key && type->kind != DV_KIND_R4 &&
           type->kind != DV_KIND_R8;
}

static bool is_integer(const dv_type *type)
{
    return dv_type_is_number(type) && has_new_na(type);
}

static bool is_real(const dv_type *type)
{
    return type->kind == DV_KIND_R4 || type->kind == DV_KIND_R8;
}

/* NA of a type, as golden files write it. */
static const char *na_of(const dv_type *type)
{
    return type->kind == DV_KIND_R4   ? "\"r4:ffc00000\""
           : type->kind == DV_KIND_R8 ? "\"r8:fff8000000000000\""
                                      : "null";
}

/* Is it the least number of a signed type, which is NA? */
static bool is_minimum(const dv_type *type, const dvt_json *value)
{
    if (type->kind == DV_KIND_TS)
        return dvt_json_is_text(value, "ts:-9223372036854775808");
    const int bits = 8 * dv_kind_width(type->kind) - 1;
    return is_integer(type) && dvt_json_int(value) == (int64_t)(UINT64_MAX << bits);
}

/* Is there no number for it in a narrower type? */
static bool is_lost(const dv_type *from, const dv_type *to, const dvt_json *value)
{
    if (!is_integer(from) || !is_integer(to))
        return is_minimum(from, value);
    const int64_t number = dvt_json_int(value);
    const int64_t most = (int64_t)(UINT64_MAX >> (65 - 8 * dv_kind_width(to->kind)));
    return is_minimum(from, value) || number > most || number < -most;
}

/* What a bad text and a missing one become: NA, if there is one. */
static bool is_no_value(const dv_type *to, const dvt_json *line, dv_text text)
{
    return has_new_na(to) && to->kind != DV_KIND_TX &&
           (dvi_parse_is_missing(text.data, (size_t)text.nbytes) ||
            dvt_json_member(line, "ok")->kind == DVT_JSON_FALSE);
}

/* Bits of a NaN do not matter. */
static dvt_lines wanted(const dv_type *to, const dvt_json *out)
{
    dvt_one one;
    dvt_lines lines = {0};
    if (is_real(to)) {
        dvt_one_make(&one, to, out);
        return dvt_one_text(&one.column);
    }
    if (out->kind == DVT_JSON_STRING) {
        const dv_sink sink = dvt_lines_sink(&lines);
        dv_text_write_json(out->text, &sink);
    } else
        dvt_lines_add(&lines, out->source.data, (size_t)out->source.nbytes);
    return lines;
}

/* Reals in text are rounded correctly here, and may follow white space; test_parse_golden.c checks
 * the parser. */
static dvt_lines parsed_real(const dv_type *to, dv_text text)
{
    dv_scalar scalar;
    dvt_lines lines = {0};
    dv_value_parse(&scalar, to, text);
    dvt_lines_fixed(&lines, to, &scalar);
    return lines;
}

static void check_line(const dvt_json *line)
{
    const dv_type from = dvt_type_named(member_text(line, "from"));
    const dv_type to = dvt_type_named(member_text(line, "to"));
    const dvt_json *in = dvt_json_member(line, "in"), *out = dvt_json_member(line, "out");
    const bool is_text = from.kind == DV_KIND_TX;
    if (is_text && in->kind != DVT_JSON_STRING) /* lone surrogates: UTF-8 has none */
        return;
    dvt_lines got = convert(&from, &to, in), want = {0};
    const bool is_na = is_text ? is_no_value(&to, line, in->text) : is_lost(&from, &to, in);
    if (is_text && is_real(&to))
        want = parsed_real(&to, in->text);
    else if (is_na || is_minimum(&to, out))
        dvt_lines_print(&want, "%s", na_of(&to));
    else
        want = wanted(&to, out);
    cr_expect_str_eq(got.data, want.data, "%s, not %s: %.*s", got.data, want.data,
                     (int)line->source.nbytes, line->source.data);
    dvt_lines_free(&got);
    dvt_lines_free(&want);
}

/* Files FROM_TO.jsonl, and how many lines each has at least. */
/* clang-format off */
#define SIGNED(X, from, least)                                                                     \
    X(from, least, I1) X(from, least, I2) X(from, least, I4) X(from, least, I8)
#define UNSIGNED(X, from, least)                                                                   \
    X(from, least, U1) X(from, least, U2) X(from, least, U4) X(from, least, U8)
#define REAL(X, from, least)                                                                       \
    X(from, least, R4) X(from, least, R8)
#define OTHER(X, from, least)                                                                      \
    X(from, least, BL) X(from, least, TX)
#define INTEGER(X, from, least, WIDTHS)                                                            \
    WIDTHS(X, from, least) REAL(X, from, least) OTHER(X, from, least)
#define FILE_LIST(X)                                                                               \
    INTEGER(X, I1, 8, SIGNED) INTEGER(X, I2, 8, SIGNED)                                            \
    INTEGER(X, I4, 8, SIGNED) INTEGER(X, I8, 8, SIGNED)                                            \
    INTEGER(X, U1, 8, UNSIGNED) INTEGER(X, U2, 8, UNSIGNED)                                        \
    INTEGER(X, U4, 8, UNSIGNED) INTEGER(X, U8, 8, UNSIGNED)                                        \
    X(U1, 8, UG) X(U2, 8, UG) X(U4, 8, UG) X(U8, 8, UG) UNSIGNED(X, UG, 27) X(UG, 27, TX)          \
    INTEGER(X, BL, 2, SIGNED)                                                                      \
    REAL(X, R4, 64) OTHER(X, R4, 64) REAL(X, R8, 56) OTHER(X, R8, 56)                              \
    X(TS, 25, I8) REAL(X, TS, 25) X(TS, 25, TX)                                                    \
    X(DT, 8, I8) REAL(X, DT, 8) X(DT, 8, TX) X(DT, 8, DT)                                          \
    X(DZ, 24, I8) REAL(X, DZ, 24) X(DZ, 24, TX)                                                    \
    INTEGER(X, TX, 42, SIGNED) UNSIGNED(X, TX, 42) X(TX, 42, UG)                                   \
    X(TX, 42, TS) X(TX, 42, DT) X(TX, 42, DZ) X(TX, 335, key)                                      \
    X(key, 350, key) X(key, 350, unsigned)
/* clang-format on */

#define CASE(from, least, to)                                                                      \
    Test(convert_golden, from##_##to)                                                              \
    {                                                                                              \
        cr_expect_geq(dvt_golden_json("convert/" #from "_" #to ".jsonl", check_line), least);      \
    }
FILE_LIST(CASE)
