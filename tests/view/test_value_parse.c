/* SPDX-License-Identifier: MIT */
/* test_value_parse.c: checks parsed scalars with the test vectors of semantics:4.5, and types that
 * are not scalars. */
#include "support/test.h"

#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The bits in hex: DZ as ticks and minutes, UG as hi and lo. */
typedef struct hex {
    char text[40];
} hex;

static hex hex_of(const dv_type *type, const dv_scalar *scalar)
{
    hex h;
    const size_t room = sizeof h.text;
    if (type->kind == DV_KIND_DZ)
        snprintf(h.text, room, "%016" PRIX64 "%04X", (uint64_t)scalar->dz.ticks,
                 (unsigned)(uint16_t)scalar->dz.minutes);
    else if (type->kind == DV_KIND_UG)
        snprintf(h.text, room, "%016" PRIX64 "%016" PRIX64, scalar->ug.hi, scalar->ug.lo);
    else if (dv_kind_width(type->kind) == 8)
        snprintf(h.text, room, "%016" PRIX64, scalar->u8);
    else if (dv_kind_width(type->kind) == 4)
        snprintf(h.text, room, "%08" PRIX32, scalar->u4);
    else if (dv_kind_width(type->kind) == 2)
        snprintf(h.text, room, "%04X", (unsigned)scalar->u2);
    else
        snprintf(h.text, room, "%02X", (unsigned)scalar->u1);
    return h;
}

static dv_type type_of(const char *name)
{
    dv_type type;
    cr_assert_eq(dv_type_parse(&type, dv_text_of(name), NULL, 0, NULL), DV_OK, "%s", name);
    return type;
}

static void expect(const char *type_name, const char *text, const char *want, bool is_good)
{
    const dv_type type = type_of(type_name);
    dv_scalar scalar;
    memset(&scalar, 0x5A, sizeof scalar);
    cr_expect_eq(dv_value_parse(&scalar, &type, dv_text_of(text)), is_good, "%s %s", type_name,
                 text ? text : "NA");
    const hex got = hex_of(&type, &scalar);
    cr_expect_str_eq(got.text, want, "%s %s: %s, not %s", type_name, text ? text : "NA", got.text,
                     want);
}

/* Number, type, text (NULL: NA), bits, good.  55 is good, as the text of 4.3 and ML.NET say. */
// clang-format off
#define VECTOR_LIST(X) \
    X(45, "I4", "", "00000000", true) \
    X(46, "I4", NULL, "80000000", true) \
    X(47, "I4", "?", "80000000", true) \
    X(48, "I4", "na", "80000000", true) \
    X(49, "I2", "N/A", "8000", true) \
    X(50, "I1", "NaN", "80", true) \
    X(51, "I1", "17", "11", true) \
    X(52, "I1", "-17", "EF", true) \
    X(53, "I1", "127", "7F", true) \
    X(54, "I1", "128", "80", false) \
    X(55, "I1", "-128", "80", true) \
    X(56, "I2", "-0", "0000", true) \
    X(57, "I4", "+5", "80000000", false) \
    X(58, "I4", " 5", "80000000", false) \
    X(59, "I4", "5 ", "80000000", false) \
    X(60, "I4", "1.0", "80000000", false) \
    X(61, "I2", "007", "0007", true) \
    X(62, "I4", "-", "80000000", false) \
    X(63, "I4", "0x10", "80000000", false) \
    X(64, "I4", "2147483647", "7FFFFFFF", true) \
    X(65, "I4", "2147483648", "80000000", false) \
    X(66, "I8", "9223372036854775807", "7FFFFFFFFFFFFFFF", true) \
    X(67, "I4", "1,000", "80000000", false) \
    X(68, "U4", "", "00000000", true) \
    X(69, "U4", NULL, "00000000", true) \
    X(70, "U1", "255", "FF", true) \
    X(71, "U1", "256", "00", false) \
    X(72, "U1", "-1", "00", false) \
    X(73, "U2", "+1", "0000", false) \
    X(74, "U8", "18446744073709551615", "FFFFFFFFFFFFFFFF", true) \
    X(75, "U8", "18446744073709551616", "0000000000000000", false) \
    X(76, "U8", "0000000000000000000000001", "0000000000000001", true) \
    X(77, "BL", "", "00", true) \
    X(78, "BL", NULL, "80", true) \
    X(79, "BL", "TRUE", "01", true) \
    X(80, "BL", "Yes", "01", true) \
    X(81, "BL", "t", "01", true) \
    X(82, "BL", "+", "01", true) \
    X(83, "BL", "+1", "01", true) \
    X(84, "BL", "1", "01", true) \
    X(85, "BL", "no", "00", true) \
    X(86, "BL", "-", "00", true) \
    X(87, "BL", "-1", "00", true) \
    X(88, "BL", "0", "00", true) \
    X(89, "BL", "2", "80", false) \
    X(90, "BL", " true", "80", false) \
    X(91, "BL", "n/a", "80", true) \
    X(92, "R4", "", "00000000", true) \
    X(93, "R4", "   ", "00000000", true) \
    X(94, "R4", NULL, "FFC00000", true) \
    X(95, "R4", "?", "FFC00000", true) \
    X(96, "R4", "nan", "FFC00000", true) \
    X(97, "R4", "NA", "FFC00000", true) \
    X(98, "R4", "1", "3F800000", true) \
    X(99, "R4", " 1.5 ", "3FC00000", true) \
    X(100, "R4", "-0", "80000000", true) \
    X(101, "R4", "+.5", "3F000000", true) \
    X(102, "R4", "5.", "40A00000", true) \
    X(103, "R4", ".", "FFC00000", false) \
    X(104, "R4", "1e5", "47C35000", true) \
    X(105, "R4", "1E+5", "47C35000", true) \
    X(106, "R4", "1e", "FFC00000", false) \
    X(107, "R4", "1e-45", "00000001", true) \
    X(108, "R4", "1e-46", "00000000", true) \
    X(109, "R4", "3.4028235e38", "7F7FFFFF", true) \
    X(110, "R4", "3.5e38", "7F800000", true) \
    X(111, "R4", "-1e39", "FF800000", true) \
    X(112, "R4", "Infinity", "7F800000", true) \
    X(113, "R4", "-Infinity", "FF800000", true) \
    X(114, "R4", "+Infinity", "FFC00000", false) \
    X(115, "R4", "inf", "FFC00000", false) \
    X(116, "R4", "\xE2\x88\x9E", "7F800000", true) \
    X(117, "R4", "1,000", "FFC00000", false) \
    X(118, "R4", "0x10", "FFC00000", false) \
    X(119, "R4", "16777217", "4B800000", true) \
    X(120, "R4", "0.1", "3DCCCCCD", true) \
    X(121, "R4", "3.14159", "40490FD0", true) \
    X(122, "R4", "1 2", "FFC00000", false) \
    X(123, "R8", "0.1", "3FB999999999999A", true) \
    X(124, "R8", "1e308", "7FE1CCF385EBC8A0", true) \
    X(125, "R8", "1e309", "7FF0000000000000", true) \
    X(126, "R8", "5e-324", "0000000000000001", true) \
    X(127, "R8", "9007199254740993", "4340000000000000", true) \
    X(128, "R8", "1e23", "44B52D02C7E14AF6", true) \
    X(129, "R8", "-?", "FFF8000000000000", false) \
    X(130, "U4[100-199]", "100", "00000001", true) \
    X(131, "U4[100-199]", "199", "00000064", true) \
    X(132, "U4[100-199]", "200", "00000000", false) \
    X(133, "U4[100-199]", "99", "00000000", false) \
    X(134, "U4[100-199]", "", "00000000", true) \
    X(135, "U4[100-199]", "abc", "00000000", false) \
    X(136, "U4[100-199]", "+100", "00000000", false) \
    X(137, "U4[0-9]", "0", "00000001", true) \
    X(138, "U4[0-9]", "9", "0000000A", true) \
    X(139, "U4[0-9]", "10", "00000000", false) \
    X(140, "U1[1000-1099]", "1099", "64", true) \
    X(141, "U1[0-*]", "254", "FF", true) \
    X(142, "U1[0-*]", "255", "00", false) \
    X(143, "U1[1-*]", "255", "FF", true) \
    X(144, "U4[1000-*]", "5000", "00000FA1", true) \
    X(145, "U8[1-*]", "18446744073709551615", "FFFFFFFFFFFFFFFF", true) \
    X(151, "UG", "0x00000000000000010000000000000002", "00000000000000010000000000000002", true) \
    X(152, "UG", "0x1", "00000000000000000000000000000000", false) \
    X(153, "TS", "1.02:03:04.5", "000000DA5BEB0740", true) \
    X(154, "TS", "5", "000003EDD410C000", true) \
    X(155, "TS", "1:61", "8000000000000000", false) \
    X(156, "TS", "", "0000000000000000", true) \
    X(157, "DT", "2017-01-01", "08D431D92127C000", true) \
    X(158, "DT", "2018-05-07T12:34:56.1234567Z", "08D5B416F092EE87", true) \
    X(159, "DT", "2017-01-01T02:00:00+02:00", "08D431D92127C000", true) \
    X(160, "DZ", "2017-01-01T02:00:00+02:00", "08D431E9E4B090000078", true) \
    X(161, "DT", "2017-13-01", "8000000000000000", false)
// clang-format on

#define X(id, type, text, bits, is_good)                                                           \
    Test(value_parse, vector_##id)                                                                 \
    {                                                                                              \
        expect(type, text, bits, is_good);                                                         \
    }
VECTOR_LIST(X)
#undef X

Test(value_parse, na_is_na_or_the_default)
{
    expect("I1", NULL, "80", true);
    expect("I2", NULL, "8000", true);
    expect("I8", NULL, "8000000000000000", true);
    expect("U1", NULL, "00", true);
    expect("U2", NULL, "0000", true);
    expect("U8", NULL, "0000000000000000", true);
    expect("UG", NULL, "00000000000000000000000000000000", true);
    expect("R8", NULL, "FFF8000000000000", true);
    expect("TS", NULL, "8000000000000000", true);
    expect("DT", NULL, "8000000000000000", true);
    expect("DZ", NULL, "80000000000000000000", true);
    expect("U1[0-9]", NULL, "00", true);
    expect("U2[0-9]", NULL, "0000", true);
    expect("U4[0-9]", NULL, "00000000", true);
    expect("U8[0-9]", NULL, "0000000000000000", true);
}

Test(value_parse, keys_have_the_width_of_their_kind)
{
    expect("U1[0-9]", "9", "0A", true);
    expect("U2[0-999]", "999", "03E8", true);
    expect("U4[0-99999]", "99999", "000186A0", true);
    expect("U8[5-*]", "18446744073709551615", "FFFFFFFFFFFFFFFB", true);
}

Test(value_parse, text_is_itself)
{
    const dv_type type = dv_type_of(DV_KIND_TX);
    const char *texts[] = {NULL, "", "?", "NA", " a "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const dv_text text = dv_text_of(texts[i]);
        dv_scalar scalar;
        cr_expect(dv_value_parse(&scalar, &type, text));
        cr_expect(scalar.tx.data == text.data && scalar.tx.nbytes == text.nbytes);
    }
}

/* A text of 0 bytes may have no address. */
Test(value_parse, empty_text_without_an_address)
{
    static const char *const types[] = {"I4", "U4", "R4", "R8", "BL", "TS", "DT", "DZ", "U4[0-9]"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const dv_type type = type_of(types[i]);
        dv_scalar scalar = {.ug = {1, 1}};
        cr_expect(dv_value_parse(&scalar, &type, (dv_text){NULL, 0}), "%s", types[i]);
        cr_expect_eq(scalar.u1, 0, "%s", types[i]);
    }
}

Test(value_parse, others_have_no_text)
{
    const dv_type types[] = {type_of("V<R4,3>"), type_of("V<U4[0-9],3>"), type_of("V<TX,*>"),
                             dv_type_of(DV_KIND_BY), dv_type_extension("Picture", 8)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        dv_scalar scalar = {.i4 = 17};
        cr_expect_not(dv_value_parse(&scalar, &types[i], dv_text_of("1")), "%zu", i);
        cr_expect_eq(scalar.i4, 17, "%zu", i);
    }
}
