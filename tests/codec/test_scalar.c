/* SPDX-License-Identifier: MIT */
/* test_scalar.c: checks that every kind of DV_TYPE_LIST parses, prints, and has its NA. */
#include "codec/scalar.h"
#include "support/test.h"
#include <string.h>

/* Texts that are printed as they are parsed. */
static const char *const texts[] = {
    [DV_KIND_I1] = "-127",
    [DV_KIND_U1] = "255",
    [DV_KIND_I2] = "-32767",
    [DV_KIND_U2] = "65535",
    [DV_KIND_I4] = "-2147483647",
    [DV_KIND_U4] = "4294967295",
    [DV_KIND_I8] = "-9223372036854775807",
    [DV_KIND_U8] = "18446744073709551615",
    [DV_KIND_R4] = "0.1",
    [DV_KIND_R8] = "-1.7976931348623157E+308",
    [DV_KIND_BL] = "1",
    [DV_KIND_TS] = "-10675198.02:48:05.4775807",
    [DV_KIND_DT] = "9999-12-31T23:59:59.9999999",
    [DV_KIND_DZ] = "2020-02-29T12:00:00.0000000-14:00",
    [DV_KIND_UG] = "0x0123456789abcdeffedcba9876543210",
};

static void expect_round_trip(dv_kind kind)
{
    char text[DVI_SCALAR_NBYTES + 1] = "";
    dv_scalar scalar;
    const dv_type type = dv_type_of(kind);
    const char *want = texts[kind];
    cr_expect(dvi_scalar_parse(&scalar, &type, want, strlen(want), '.'), "%s", want);
    const size_t n = dvi_scalar_printer(kind)(text, &scalar);
    text[n] = 0;
    cr_expect_str_eq(text, want);
    cr_expect_not(dvi_scalar_parse(&scalar, &type, "nothing", 7, '.'));
}

/* What the parser makes of "?" is NA, or the default where there is none. */
static void expect_na(dv_kind kind)
{
    dv_scalar scalar;
    const dv_type type = dv_type_of(kind);
    const dv_scalar na = dvi_scalar_na(&type);
    cr_expect_eq(dvi_scalar_parse(&scalar, &type, "?", 1, '.'), dv_type_has_na(&type));
    cr_expect_eq(memcmp(&scalar, &na, (size_t)dv_kind_width(kind)), 0, "%s", dv_kind_name(kind));
}

Test(scalar, every_kind)
{
#define EXPECT(NAME, name, number, width, ctype, na, aliases)                                      \
    if ((width) > 0) {                                                                             \
        expect_round_trip(DV_KIND_##NAME);                                                         \
        expect_na(DV_KIND_##NAME);                                                                 \
    } else {                                                                                       \
        cr_expect_null(dvi_scalar_printer(DV_KIND_##NAME));                                        \
    }
    DV_TYPE_LIST(EXPECT)
    cr_expect_null(dvi_scalar_printer(DV_KIND_NONE));
    cr_expect_null(dvi_scalar_printer(DV_KIND_EXTENSION));
}

Test(scalar, decimal_point)
{
    dv_scalar scalar;
    const dv_type type = dv_type_of(DV_KIND_R8);
    cr_expect(dvi_scalar_parse(&scalar, &type, "1,5", 3, ','));
    cr_expect_eq(scalar.r8, 1.5);
    cr_expect_not(dvi_scalar_parse(&scalar, &type, "1,5", 3, '.'));
}

Test(scalar, keys)
{
    dv_scalar scalar;
    const dv_type type = dv_type_key(DV_KIND_U2, 10, 5);
    cr_expect(dvi_scalar_parse(&scalar, &type, "12", 2, '.'));
    cr_expect_eq(scalar.u8, 3);
    cr_expect_not(dvi_scalar_parse(&scalar, &type, "15", 2, '.'));
    cr_expect_eq(scalar.u8, 0);
    cr_expect_eq(dvi_scalar_na(&type).u8, 0);
}

Test(scalar, text_na)
{
    const dv_type type = dv_type_of(DV_KIND_TX);
    cr_expect_eq(dvi_scalar_na(&type).tx.nbytes, -1);
}
