/* SPDX-License-Identifier: MIT */
/* test_parse_golden.c: texts and the values that ML.NET parses from them. Ours differ only on
 * purpose: they have NA, are correctly rounded, and skip leading white space (docs/values.md). */
#include "support/test.h"

#include "codec/parse.h"
#include "codec/space.h"
#include "support/golden_lines.h"
#include "support/lines.h"
#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_NBYTES 4096

/* --- Parsed values in the notation of golden files -------------------------------------------- */

typedef struct answer {
    char text[64];
    bool is_good;
} answer;

static dv_type type_of(const char *name)
{
    dv_type type;
    cr_assert_eq(dv_type_parse(&type, dv_text_of(name), NULL, 0, NULL), DV_OK, "%s", name);
    return type;
}

static answer keep(dvt_lines *lines, bool is_good)
{
    answer a = {.is_good = is_good};
    cr_assert_lt(lines->nbytes, sizeof a.text);
    memcpy(a.text, lines->data, lines->nbytes + 1);
    dvt_lines_free(lines);
    return a;
}

/* NA is null, except of keys and reals. */
static answer read_text(const dv_type *type, dv_text text)
{
    dvt_lines lines = {0};
    dv_scalar scalar;
    const bool is_good = dv_value_parse(&scalar, type, text);
    if (type->kind == DV_KIND_DZ)
        dvt_lines_zoned(&lines, scalar.dz);
    else
        dvt_lines_fixed(&lines, type, &scalar);
    return keep(&lines, is_good);
}

static void expect(const answer *got, const char *want, bool is_good, dv_text line)
{
    cr_expect(strcmp(got->text, want) == 0 && got->is_good == is_good, "%s %s, not %s %s: %.*s",
              got->text, got->is_good ? "good" : "bad", want, is_good ? "good" : "bad",
              (int)line.nbytes, line.data);
}

/* Whether the type has an NA that ML.NET lacks. */
static bool has_new_na(const dv_type *type)
{
    return dv_type_has_na(type) && !type->is_key && type->kind != DV_KIND_R4 &&
           type->kind != DV_KIND_R8;
}

static bool is_unsigned(const dv_type *type)
{
    return !dv_type_has_na(type);
}

/* The minimum of a signed type is NA; `number` is the value of ML.NET. */
static bool is_minimum(const dv_type *type, const char *number)
{
    static const char *const least[] = {
        [DV_KIND_I1] = "-128",
        [DV_KIND_I2] = "-32768",
        [DV_KIND_I4] = "-2147483648",
        [DV_KIND_I8] = "-9223372036854775808",
        [DV_KIND_TS] = "\"ts:-9223372036854775808\"",
        [DV_KIND_DZ] = NULL,
    };
    return has_new_na(type) && least[type->kind] && strcmp(number, least[type->kind]) == 0;
}

/* Our expected value for this value of ML.NET. */
static answer mapped(const dv_type *type, dv_text text, const char *value, bool is_good)
{
    answer want = {.is_good = is_good};
    const bool is_missing = dvi_parse_is_missing(text.data, (size_t)text.nbytes);
    if (has_new_na(type) && (is_missing || !is_good))
        value = "null";
    if ((has_new_na(type) && is_missing) || (is_unsigned(type) && text.nbytes == 0))
        want.is_good = true;
    if (is_minimum(type, value))
        value = "null";
    snprintf(want.text, sizeof want.text, "%s", value);
    return want;
}

/* --- text/parse ------------------------------------------------------------------------------- */

typedef struct fields {
    char field[7][FIELD_NBYTES];
    dv_text text;
} fields;

static void read_fields(fields *f, dv_text line, int count)
{
    f->text = dvt_line_field(line, 0, f->field[0], sizeof f->field[0]);
    for (int i = 1; i < count; i++)
        dvt_line_field(line, i, f->field[i], sizeof f->field[i]);
}

static void check_int(dv_text line)
{
    static fields f;
    read_fields(&f, line, 4);
    const dv_type type = type_of(f.field[1]);
    char value[64];
    const bool is_ug = type.kind == DV_KIND_UG;
    snprintf(value, sizeof value, is_ug ? "\"ug:%.32s\"" : "%.32s", f.field[2]);
    const answer want = mapped(&type, f.text, value, strcmp(f.field[3], "good") == 0);
    const answer got = read_text(&type, f.text);
    expect(&got, want.text, want.is_good, line);
}

Test(parse_golden, integers)
{
    cr_expect_geq(dvt_golden_lines("text/parse/ints.tsv", check_int), 800);
}

static void check_bool(dv_text line)
{
    static fields f;
    read_fields(&f, line, 3);
    const dv_type type = dv_type_of(DV_KIND_BL);
    const answer want = mapped(&type, f.text, *f.field[1] == '1' ? "true" : "false",
                               strcmp(f.field[2], "good") == 0);
    const answer got = read_text(&type, f.text);
    expect(&got, want.text, want.is_good, line);
}

Test(parse_golden, booleans)
{
    cr_expect_geq(dvt_golden_lines("text/parse/bools.tsv", check_bool), 76);
}

/* DT of the first hours whose UTC is negative: ML.NET adds a day, ours are bad. */
static bool is_before_the_calendar(const fields *f)
{
    return strcmp(f->field[0], "0001-01-01T00:00:00+01:00") == 0;
}

static void check_date(dv_text line)
{
    static fields f;
    read_fields(&f, line, 7);
    const dv_type type = type_of(f.field[1]);
    const bool is_na = strcmp(f.field[2], "NA") == 0 || is_before_the_calendar(&f);
    const bool has_minutes = type.kind == DV_KIND_DZ;
    const char *tag = type.kind == DV_KIND_TS ? "ts" : has_minutes ? "dz" : "dt";
    char value[64];
    snprintf(value, sizeof value, "\"%s:%.24s%s%.8s\"", tag, f.field[2], has_minutes ? ":" : "",
             has_minutes ? f.field[3] : "");
    const answer got = read_text(&type, f.text);
    if (strcmp(f.field[6], "core") != 0) { /* may be refused; must be if it needs today's date */
        const bool is_same = strcmp(f.field[6], "extra") == 0 && strcmp(got.text, value) == 0;
        cr_expect(is_same || (!got.is_good && strcmp(got.text, "null") == 0), "%s", line.data);
        return;
    }
    const answer want = mapped(&type, f.text, is_na ? "null" : value,
                               strcmp(f.field[4], "good") == 0 && !is_before_the_calendar(&f));
    expect(&got, want.text, want.is_good, line);
}

Test(parse_golden, dates)
{
    cr_expect_geq(dvt_golden_lines("text/parse/dates.tsv", check_date), 784);
}

/* ML.NET refuses most of what begins with white space. */
static bool is_indented(dv_text text)
{
    return text.nbytes > 0 && dvi_space_step(text.data, text.data + text.nbytes) > 0;
}

static char decimal_point; /* callbacks have no context */

static void check_real(dv_text line)
{
    static fields f;
    read_fields(&f, line, 7);
    const bool is_good[2] = {strcmp(f.field[3], "good") == 0, strcmp(f.field[4], "good") == 0};
    if (is_indented(f.text) && !is_good[0])
        return;
    char got[32];
    float r4;
    double r8;
    const size_t n = (size_t)f.text.nbytes;
    cr_expect_eq(dvi_parse_r4(&r4, f.text.data, n, n, decimal_point), is_good[0], "R4: %.*s",
                 (int)line.nbytes, line.data);
    cr_expect_eq(dvi_parse_r8(&r8, f.text.data, n, n, decimal_point), is_good[1], "R8: %.*s",
                 (int)line.nbytes, line.data);
    uint32_t r4_bits;
    uint64_t r8_bits;
    memcpy(&r4_bits, &r4, sizeof r4_bits);
    memcpy(&r8_bits, &r8, sizeof r8_bits);
    snprintf(got, sizeof got, "%08lx", (unsigned long)r4_bits);
    cr_expect_str_eq(got, f.field[5], "%s: %.*s", got, (int)line.nbytes, line.data);
    snprintf(got, sizeof got, "%016llx", (unsigned long long)r8_bits);
    cr_expect_str_eq(got, f.field[6], "%s: %.*s", got, (int)line.nbytes, line.data);
}

Test(parse_golden, reals)
{
    decimal_point = '.';
    cr_expect_geq(dvt_golden_lines("text/parse/floats.tsv", check_real), 1500);
}

Test(parse_golden, reals_with_a_comma)
{
    decimal_point = ',';
    cr_expect_geq(dvt_golden_lines("text/parse/floats_comma.tsv", check_real), 174);
}

/* --- convert/TX_*.jsonl ----------------------------------------------------------------------- */

static dv_text member_text(const dvt_json *line, const char *name)
{
    const dvt_json *member = dvt_json_member(line, name);
    cr_assert_not_null(member, "%s", name);
    return member->text;
}

/* Whether ML.NET's real is equal or adjacent to ours, and ours equals that of strtod or strtof. */
static bool is_next_to(const dv_type *type, dv_text text, const char *got, const char *mlnet)
{
    char copy[FIELD_NBYTES], want[32];
    uint64_t a, b;
    if (sscanf(got, "\"r%*1d:%" SCNx64, &a) != 1 || sscanf(mlnet, "\"r%*1d:%" SCNx64, &b) != 1 ||
        (a + 1 != b && b + 1 != a))
        return false;
    snprintf(copy, sizeof copy, "%.*s", (int)text.nbytes, text.data);
    const float r4 = strtof(copy, NULL);
    const double r8 = strtod(copy, NULL);
    uint32_t r4_bits;
    uint64_t r8_bits;
    memcpy(&r4_bits, &r4, sizeof r4_bits);
    memcpy(&r8_bits, &r8, sizeof r8_bits);
    if (type->kind == DV_KIND_R4)
        snprintf(want, sizeof want, "\"r4:%08" PRIx32 "\"", r4_bits);
    else
        snprintf(want, sizeof want, "\"r8:%016" PRIx64 "\"", r8_bits);
    return strcmp(got, want) == 0;
}

static void check_conversion(const dvt_json *line)
{
    char name[32], value[64];
    const dv_text text = member_text(line, "in"), to = member_text(line, "to");
    if (!text.data) /* lone surrogates, which UTF-8 cannot encode */
        return;
    snprintf(name, sizeof name, "%.*s", (int)to.nbytes, to.data);
    const dv_type type = type_of(name);
    const dv_text parsed = dvt_json_member(line, "parsed")->source;
    snprintf(value, sizeof value, "%.*s", (int)parsed.nbytes, parsed.data);
    const bool is_good = dvt_json_member(line, "ok")->kind == DVT_JSON_TRUE;
    const answer want = mapped(&type, text, value, is_good);
    const answer got = read_text(&type, text);
    const bool is_real = type.kind == DV_KIND_R4 || type.kind == DV_KIND_R8;
    if (is_real && ((is_indented(text) && !is_good) || is_next_to(&type, text, got.text, value)))
        return;
    expect(&got, want.text, want.is_good, line->source);
}

#define FROM_TEXT(to)                                                                              \
    Test(parse_golden, convert_tx_##to)                                                            \
    {                                                                                              \
        cr_expect_geq(dvt_golden_json("convert/TX_" #to ".jsonl", check_conversion), 40);          \
    }
FROM_TEXT(BL)
FROM_TEXT(DT)
FROM_TEXT(DZ)
FROM_TEXT(I1)
FROM_TEXT(I2)
FROM_TEXT(I4)
FROM_TEXT(I8)
FROM_TEXT(R4)
FROM_TEXT(R8)
FROM_TEXT(TS)
FROM_TEXT(U1)
FROM_TEXT(U2)
FROM_TEXT(U4)
FROM_TEXT(U8)
FROM_TEXT(UG)
FROM_TEXT(key)
