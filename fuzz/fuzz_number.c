/* SPDX-License-Identifier: MIT */
/* fuzz_number.c: any bytes as a text and as a value of every scalar type: reals are those of
 * strtod, widths agree with each other, and values that are not NA print as text with the same
 * value. */
#include "codec/number.h"
#include "codec/parse.h"
#include "meter.h"
#include "support/columns.h"
#include "support/lines.h"
#include <stdlib.h>
#include <string.h>

enum { TEXT_NBYTES = 4096 }; /* larger inputs are not looked at */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The engine gives a block of its exact size, and so does replay: ASan sees one byte too far. */
typedef struct input {
    const char *text;
    size_t n;
} input;

/* --- What prints reads back ------------------------------------------------------------------- */

static void check_text_says(const dv_type *type, const dv_value *value, dv_text text)
{
    dv_scalar back;
    DVT_CHECK(dv_value_parse(&back, type, text));
    const dv_column_view column = dvt_column_scalar(type, &back);
    const dv_value again = dv_value_first(&column);
    DVT_CHECK(dv_value_same(value, &again));
}

/* A key whose number no 64 bits hold: its type has no count that would forbid it. */
static bool stands_for_nothing(const dv_value *value)
{
    const dv_type *type = &value->column->type;
    return type->is_key && dv_value_key(value) - 1 > UINT64_MAX - type->key_min;
}

static void check_value(const dv_type *type, const dv_scalar *scalar)
{
    const dv_column_view column = dvt_column_scalar(type, scalar);
    const dv_value value = dv_value_first(&column);
    if (dv_value_is_na(&value) || stands_for_nothing(&value))
        return;
    dvt_lines lines = {0};
    const dv_sink sink = dvt_lines_sink(&lines);
    DVT_CHECK(dv_value_write(&value, DV_STYLE_TEXT, &sink));
    check_text_says(type, &value, dvt_lines_text(&lines));
    dvt_lines_free(&lines);
    if (type->kind != DV_KIND_R8)
        return;
    char digits[DVI_NUMBER_NBYTES];
    const size_t n = dvi_number_print_r8_g17(digits, scalar->r8);
    check_text_says(type, &value, (dv_text){digits, (int64_t)n});
}

/* An invalid text gives NA or the default; a valid one prints as a text with the same value, unless
 * it is NA. */
static void check_text(const dv_type *type, const input *in)
{
    dv_scalar scalar;
    const bool is_good = dv_value_parse(&scalar, type, (dv_text){in->text, (int64_t)in->n});
    const dv_column_view column = dvt_column_scalar(type, &scalar);
    const dv_value value = dv_value_first(&column);
    const bool is_na = dv_value_is_na(&value);
    DVT_CHECK(is_good || (dv_type_has_na(type) ? is_na : dv_value_is_default(&value)));
    DVT_CHECK(in->n > 0 || (is_good && dv_value_is_default(&value)));
    if (dv_type_has_na(type) && dvi_parse_is_missing(in->text, in->n))
        DVT_CHECK(is_good && is_na);
    check_value(type, &scalar);
}

/* --- Types ------------------------------------------------------------------------------------ */

/* The bytes that the input begins with, as a value; zeros after them. */
static dv_scalar scalar_of(const input *in, size_t from)
{
    dv_scalar scalar = {.ug = {0, 0}};
    if (in->n > from)
        memcpy(&scalar, in->text + from,
               in->n - from < sizeof scalar ? in->n - from : sizeof scalar);
    return scalar;
}

static void check_type(const dv_type *type, const input *in)
{
    const dv_scalar scalar = scalar_of(in, 0);
    check_text(type, in);
    check_value(type, &scalar);
}

/* A key type from the first bytes of the input, and its text after them. */
static void check_key(const input *in)
{
    static const dv_kind kinds[] = {DV_KIND_U1, DV_KIND_U2, DV_KIND_U4, DV_KIND_U8};
    static const size_t shifts[] = {0, 32, 56, 60, 64};
    if (in->n < 18)
        return;
    const dv_scalar min = scalar_of(in, 1), count = scalar_of(in, 9);
    const unsigned shape = (unsigned char)in->text[0];
    const size_t shift = shifts[shape / 4 % 5];
    const dv_type type = dv_type_key(kinds[shape % 4], shift < 64 ? min.u8 >> shift : 0,
                                     shape / 20 % 2 ? 0 : count.u8 >> shape % 64);
    const input text = {in->text + 17, in->n - 17};
    if (dv_type_check(&type, NULL) == DV_OK)
        check_type(&type, &text);
}

/* --- Whole numbers: a narrow type reads the same as the widest, if it fits --- */

#define CHECK_NARROW(in, name, type, wide, is_wide_good, otherwise, is_token)                      \
    do {                                                                                           \
        type value;                                                                                \
        const bool is_good = dvi_parse_##name(&value, (in)->text, (in)->n, (in)->n);               \
        const bool fits = (is_wide_good) && (type)(wide) == (wide);                                \
        DVT_CHECK(value == (fits ? (type)(wide) : (type)(otherwise)));                             \
        DVT_CHECK(is_good == (fits || (is_token)));                                                \
    } while (0)

static void check_widths(const input *in)
{
    const bool is_token = dvi_parse_is_missing(in->text, in->n);
    int64_t i8;
    uint64_t u8;
    const bool is_i8 = dvi_parse_i8(&i8, in->text, in->n, in->n);
    const bool is_u8 = dvi_parse_u8(&u8, in->text, in->n, in->n);
    CHECK_NARROW(in, i1, int8_t, i8, is_i8, INT8_MIN, is_token);
    CHECK_NARROW(in, i2, int16_t, i8, is_i8, INT16_MIN, is_token);
    CHECK_NARROW(in, i4, int32_t, i8, is_i8, INT32_MIN, is_token);
    CHECK_NARROW(in, u1, uint8_t, u8, is_u8, 0, false);
    CHECK_NARROW(in, u2, uint16_t, u8, is_u8, 0, false);
    CHECK_NARROW(in, u4, uint32_t, u8, is_u8, 0, false);
    DVT_CHECK(!is_u8 || u8 > INT64_MAX || (is_i8 && (uint64_t)i8 == u8));
}

/* --- Reals ------------------------------------------------------------------------------------ */

/* With a comma for the point, and digits after the text, results are the same. */
static void check_comma(const input *in, double want, bool is_good)
{
    char text[TEXT_NBYTES + 8];
    memset(text, '7', sizeof text);
    for (size_t i = 0; i < in->n; i++)
        text[i] = in->text[i] == '.' ? ',' : in->text[i] == ',' ? '.' : in->text[i];
    double got;
    DVT_CHECK(dvi_parse_r8(&got, text, in->n, in->n + 8, ',') == is_good);
    DVT_CHECK(memcmp(&got, &want, sizeof got) == 0);
}

/* Where the text has nothing but digits, signs, points, e and white space, strtod and strtof read
 * the same, or nothing. */
static void check_reals(const input *in)
{
    static const char plain[] = "0123456789+-.eE \t\n\v\f\r";
    char text[TEXT_NBYTES + 1];
    memcpy(text, in->text, in->n);
    text[in->n] = '\0';
    double r8;
    float r4;
    const bool is_good = dvi_parse_r8(&r8, in->text, in->n, in->n, '.');
    DVT_CHECK(dvi_parse_r4(&r4, in->text, in->n, in->n, '.') == is_good);
    check_comma(in, r8, is_good);
    if (strspn(text, plain) != in->n || !strpbrk(text, "0123456789"))
        return;

    char *end;
    const double want8 = strtod(text, &end);
    const float want4 = strtof(text, NULL);
    DVT_CHECK(is_good == (end > text && end[strspn(end, " \t\n\v\f\r")] == '\0'));
    DVT_CHECK(!is_good || memcmp(&r8, &want8, sizeof r8) == 0);
    DVT_CHECK(!is_good || memcmp(&r4, &want4, sizeof r4) == 0);
}

/* --- All of it -------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const dv_kind kinds[] = {DV_KIND_I1, DV_KIND_I2, DV_KIND_I4, DV_KIND_I8, DV_KIND_U1,
                                    DV_KIND_U2, DV_KIND_U4, DV_KIND_U8, DV_KIND_R4, DV_KIND_R8,
                                    DV_KIND_BL, DV_KIND_TS, DV_KIND_DT, DV_KIND_DZ, DV_KIND_UG};
    if (n > TEXT_NBYTES)
        return 0;
    const input in = {(const char *)data, n};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const dv_type type = dv_type_of(kinds[i]);
        check_type(&type, &in);
    }
    check_key(&in);
    check_widths(&in);
    check_reals(&in);
    return 0;
}
