/* SPDX-License-Identifier: MIT */
/* test_nd_map.c: maps of msgpack-numpy, with the bytes of datadings:3.3; dtype strings and complex
 * numbers; and each fault of such a map (rows 32 to 40 of datadings:8). */
#include "support/messages.h"
#include "support/page.h"
#include "support/test.h"

#include "codec/nd_items.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A reader of one value in the notation, which ends at a guard page. */
static dvi_msgpack_reader reader_of(const char *text)
{
    dvt_lines bytes = {0};
    dvt_messages_add(&bytes, text);
    const uint8_t *p = dvt_page_copy_end(dvt_shared_page(0), bytes.data, bytes.nbytes);
    const dvi_msgpack_reader r = dvi_msgpack_reader_of(p, bytes.nbytes, 100, DVI_MSGPACK_NESTING);
    dvi_msgpack_reader passed = r;
    cr_assert(dvi_msgpack_skip(&passed, 0) && passed.at == passed.end, "%s", text);
    dvt_lines_free(&bytes);
    return r;
}

/* --- Bytes of the specification --------------------------------------------------------------- */

#define F32_2X3                                                                                    \
    "!85c4026e64c3c40474797065a33c6634c4046b696e64c400c4057368617065920203c40464617461c418"        \
    "000000000000803F0000004000004040000080400000A040"

static dvi_nd_map read_sound(const char *text)
{
    dvi_nd_map nd;
    dv_error err = DV_ERROR_INIT;
    const dvi_msgpack_reader r = reader_of(text);
    cr_assert_eq(dvi_nd_read(&r, true, &nd, &err), DV_OK, "%s: %s", text, err.message);
    return nd;
}

Test(nd_map, arrays)
{
    dvi_nd_map nd = read_sound(F32_2X3);
    cr_expect(nd.what == DVI_ND_ARRAY && nd.dtype.kind == DV_KIND_R4 && nd.items == 6);
    cr_expect(nd.rank == 2 && nd.dims[0] == 2 && nd.dims[1] == 3 && nd.dtype.width == 4);
    nd = read_sound("!85c4026e64c3c40474797065a33c6938c4046b696e64c400c405736861706590c40464617461"
                    "c4080700000000000000");
    cr_expect(nd.what == DVI_ND_ARRAY && nd.rank == 0 && nd.items == 1 && dvi_nd_integer(&nd) == 7);
    nd = read_sound("!85c4026e64c3c40474797065a37c7531c4046b696e64c400c4057368617065920003c4046461"
                    "7461c400");
    cr_expect(nd.items == 0 && nd.rank == 2 && nd.dims[1] == 3);
}

Test(nd_map, scalars)
{
    dvi_nd_map nd = read_sound("!83c4026e64c2c40474797065a33c6634c40464617461c4040000c03f");
    float f4;
    cr_expect(nd.what == DVI_ND_SCALAR && dvi_nd_copy(&f4, &nd.dtype, nd.data, 1) && f4 == 1.5F);
    nd = read_sound("!83c4026e64c2c40474797065a37c6231c40464617461c40101");
    cr_expect(nd.what == DVI_ND_SCALAR && nd.dtype.kind == DV_KIND_BL && *nd.data == 1);
    nd = read_sound("!82c407636f6d706c6578c3c40464617461a2316a");
    cr_expect(nd.what == DVI_ND_COMPLEX && nd.complex[0] == 0 && nd.complex[1] == 1);
}

/* (id,<u4),(v,<f4,(2,)), twelve bytes. */
#define STRUCTURE "[[\"id\",\"<u4\"],[\"v\",\"<f4\",[2]]]"

Test(nd_map, structures_have_a_width)
{
    dvi_nd_map nd = read_sound("{#6e64:t,#74797065:" STRUCTURE ",#6b696e64:#56,#7368617065:[1],"
                               "#64617461:#000000000000000000000000}");
    cr_expect(nd.what == DVI_ND_ARRAY && nd.dtype.kind == DV_KIND_NONE && nd.dtype.width == 12);
    nd = read_sound("{#6e64:f,#74797065:[[\"n\"," STRUCTURE ",2],[\"\",\"|V3\"]],"
                    "#64617461:#000000000000000000000000000000000000000000000000000000}");
    cr_expect(nd.what == DVI_ND_SCALAR && nd.dtype.width == 27);
}

Test(nd_map, order_of_entries_does_not_matter)
{
    const dvi_nd_map nd = read_sound("{#64617461:#0100,#7368617065:[1],\"x\":[1,{2:3}],5:6,"
                                     "#74797065:#3c6932,#6e64:t}");
    cr_expect(nd.what == DVI_ND_ARRAY && nd.dtype.kind == DV_KIND_I2 && dvi_nd_integer(&nd) == 1);
}

Test(nd_map, last_of_equal_keys_wins)
{
    const dvi_nd_map nd =
        read_sound("{#6e64:t,#74797065:5,#64617461:#0100,#74797065:\"<i2\",#6e64:f}");
    cr_expect(nd.what == DVI_ND_SCALAR && nd.dtype.kind == DV_KIND_I2);
}

Test(nd_map, ordinary_maps)
{
    static const char *const maps[] = {
        "{}",
        "{nd:t,type:\"<f4\",shape:[],data:#}",
        "{#6e64:t}",
        "{#6e64:t,#74797065:\"<f4\",#64617461:#}",    /* no shape */
        "{#6e64:t,#74797065:\"<f4\",#7368617065:[]}", /* no data */
        "{#6e64:t,#7368617065:[],#64617461:#}",       /* no type */
        "{#6e64:f,#74797065:\"<f4\"}",
        "{#636f6d706c6578:t}",
        "{#6e64:f,#636f6d706c6578:t,#64617461:#}", /* nd comes before complex */
    };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        cr_expect_eq(read_sound(maps[i]).what, DVI_ND_PLAIN, "%s", maps[i]);
}

/* What the package writes of dtype [] and of masked arrays, and reads again. */
Test(nd_map, arrays_without_items_of_their_own)
{
    dvi_nd_map nd = read_sound(
        "{#6e64:t,#74797065:[[[\"t\",\"a\"],\"|S0\"]],#6b696e64:#56,#7368617065:[3],#64617461:#}");
    cr_expect(nd.items == 3 && nd.dtype.width == 0 && nd.dtype.kind == DV_KIND_NONE);
    nd = read_sound("{#6e64:t,#74797065:\"<U0\",#6b696e64:#,#7368617065:[2],#64617461:#}");
    cr_expect(nd.items == 2 && nd.dtype.width == 0 && nd.dtype.kind == DV_KIND_NONE);
    nd = read_sound("{#6e64:t,#74797065:[],#6b696e64:#56,#7368617065:[3],#64617461:#}");
    cr_expect(nd.what == DVI_ND_ARRAY && nd.items == 3 && nd.dtype.width == 0);
    cr_expect_eq(nd.dtype.kind, DV_KIND_NONE);
    nd = read_sound("{#6e64:t,#74797065:\"<i2\",#6b696e64:#,#7368617065:[2],#64617461:"
                    "{#6e64:t,#74797065:\"<i2\",#6b696e64:#,#7368617065:[2],#64617461:#01000200}}");
    cr_expect(nd.what == DVI_ND_ARRAY && nd.items == 2 && !nd.data);
    cr_expect_eq(nd.dtype.kind, DV_KIND_NONE);
}

/* A pickle is not parsed, whatever its bytes are. */
Test(nd_map, objects_are_not_parsed)
{
    const dvi_nd_map nd =
        read_sound("{#6e64:t,#74797065:\"|O\",#6b696e64:#4f,#7368617065:[7],#64617461:#80}");
    cr_expect(nd.what == DVI_ND_ARRAY && nd.dtype.kind == DV_KIND_NONE && nd.dtype.letter == 'O');
}

/* --- Faults ----------------------------------------------------------------------------------- */

#define ARRAY(type, shape, data)                                                                   \
    "{#6e64:t,#74797065:" type ",#6b696e64:#,#7368617065:" shape ",#64617461:" data "}"
#define VOID(type) "{#6e64:t,#74797065:" type ",#6b696e64:#56,#7368617065:[0],#64617461:#}"
#define SCALAR(type, data) "{#6e64:f,#74797065:" type ",#64617461:" data "}"
#define COMPLEX(data) "{#636f6d706c6578:t,#64617461:" data "}"
#define DIMS16 "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"

/* Map, row, offset after the 100, found. */
#define WRONG_LIST(X)                                                                              \
    X(ARRAY("\"<f4\"", "[4294967296,4294967296]", "#"), 32, 41, "one too large")                   \
    X(ARRAY("\"<f4\"", "[4294967296,4294967296,0]", "#"), 32, 41, "one too large")                 \
    X(ARRAY("\"<f4\"", "[18446744073709551615]", "#"), 32, 32, "integer")                          \
    X(ARRAY("\"<f4\"", "[-1]", "#"), 32, 32, "integer")                                            \
    X(ARRAY("\"<f4\"", "[1.0]", "#00000000"), 32, 32, "float64")                                   \
    X(ARRAY("\"<f4\"", "[" DIMS16 DIMS16 DIMS16 DIMS16 "1]", "#00000000"), 32, 31, "65")           \
    X(ARRAY("\"<f4\"", "[2,3]", "#0000000000000000"), 33, 40, "8")                                 \
    X(ARRAY("\"<f4\"", "[1]", "#000000"), 33, 39, "3")                                             \
    X(ARRAY("\"<f8\"", "[4611686018427387905]", "#0000"), 33, 47, "2")                             \
    X(ARRAY("\"<f4\"", "[1]", "#0000000000"), 34, 39, "5")                                         \
    X(ARRAY("\"<x4\"", "[1]", "#00000000"), 35, 12, "\"<x4\"")                                     \
    X(ARRAY("\"<f3\"", "[1]", "#000000"), 35, 12, "\"<f3\"")                                       \
    X(ARRAY("\"f\"", "[1]", "#00000000"), 35, 12, "\"f\"")                                         \
    X(ARRAY("\"\"", "[1]", "#00000000"), 35, 12, "\"\"")                                           \
    X(ARRAY("\"<\"", "[1]", "#00000000"), 35, 12, "\"<\"")                                         \
    X(ARRAY("\"!f4\"", "[1]", "#00000000"), 35, 12, "\"!f4\"")                                     \
    X(ARRAY("\"<f0\"", "[1]", "#"), 35, 12, "\"<f0\"")                                             \
    X(ARRAY("\"<U4294967295\"", "[0]", "#"), 35, 12, "\"<U4294967295\"")                           \
    X(ARRAY("\"<f44\"", "[0]", "#"), 35, 12, "\"<f44\"")                                           \
    X(ARRAY("\"<f4x\"", "[0]", "#"), 35, 12, "\"<f4x\"")                                           \
    X(ARRAY("\"<M8[fortnight]\"", "[0]", "#"), 35, 12, "\"<M8[fortnight]\"")                       \
    X(ARRAY("\"<M4\"", "[0]", "#"), 35, 12, "\"<M4\"")                                             \
    X(SCALAR("[]", "#"), 39, 19, "a structure without fields")                                     \
    X(VOID("[[5,\"<f4\"]]"), 36, 14, "integer")                                                    \
    X(VOID("[[n,\"<f4\"]]"), 36, 14, "nil")                                                        \
    X(VOID("[[[\"t\",\"a\",\"b\"],\"<f4\"]]"), 36, 14, "array")                                    \
    X(VOID("[[[\"t\",5],\"<f4\"]]"), 36, 14, "integer")                                            \
    X(SCALAR("\"<U1\"", "#00001100"), 35, 22, "00110000")                                          \
    X(SCALAR("\">U2\"", "#0010FFFF00110000"), 35, 22, "00110000")                                  \
    X(ARRAY("\"<i8\"", "[2]", ARRAY("\"<i8\"", "[1]", "#0000000000000000")), 33, 39, "8")          \
    X(ARRAY("\"<i8\"", "[1]", "{}"), 38, 39, "another map")                                        \
    X(ARRAY("\"<i8\"", "[1]", SCALAR("\"<i8\"", "#0000000000000000")), 38, 39, "another map")      \
    X(ARRAY("\"<i8\"", "[1]", ARRAY("\"<i8\"", "[1]", "#0000")), 33, 78, "2")                      \
    X(ARRAY("\"|u1\"", "[1]", ARRAY("\"|u1\"", "[1]", ARRAY("\"|u1\"", "[1]", "#00"))), 38, 78,    \
      "a masked array")                                                                            \
    X(VOID("[[\"a\"]]"), 36, 13, "an array of another length")                                     \
    X(VOID("[[\"a\",\"<f4\",[1],4]]"), 36, 13, "an array of another length")                       \
    X(VOID("[5]"), 36, 13, "integer")                                                              \
    X(VOID("[[\"a\",5]]"), 36, 16, "integer")                                                      \
    X(VOID("[[\"a\",\"<f4\",\"x\"]]"), 36, 20, "str")                                              \
    X(VOID("[[\"a\",\"<f4\",[1,-1]]]"), 36, 20, "integer")                                         \
    X(VOID("[[\"a\",\"<f4\",[65536,65536]]]"), 36, 20, "more bytes")                               \
    X(VOID("[[\"a\",\"<f4\",18446744073709551615]]"), 36, 20, "integer")                           \
    X(VOID("[[\"a\",\"<V2147483647\"],[\"b\",\"|u1\"]]"), 36, 12, "more")                          \
    X(VOID("[[\"a\",\"<x4\"]]"), 35, 20, "\"<x4\"")                                                \
    X(VOID("[[\"a\",\"|O\"]]"), 37, 19, "|O")                                                      \
    X(ARRAY("\"|O\"", "[1]", "#00"), 37, 12, "|O")                                                 \
    X(SCALAR("\"O\"", "#00"), 37, 12, "O")                                                         \
    X("{#6e64:t,#74797065:\"<f4\",#6b696e64:#5A,#7368617065:[],#64617461:#}", 38, 22, "\"Z\"")     \
    X("{#6e64:t,#74797065:\"<f4\",#6b696e64:#5656,#7368617065:[],#64617461:#}", 38, 22, "\"VV\"")  \
    X("{#6e64:t,#74797065:\"<f4\",#6b696e64:\"\",#7368617065:[],#64617461:#}", 38, 22, "str")      \
    X(ARRAY("5", "[1]", "#00"), 38, 12, "integer")                                                 \
    X(ARRAY("[]", "[1]", "#00"), 38, 12, "array")                                                  \
    X(VOID("\"|V4\""), 38, 12, "str")                                                              \
    X(ARRAY("\"<f4\"", "4", "#00000000"), 38, 31, "integer")                                       \
    X(ARRAY("\"<f4\"", "[1]", "\"aaaa\""), 38, 39, "str")                                          \
    X(SCALAR("n", "#00"), 38, 12, "nil")                                                           \
    X(SCALAR("\"<f4\"", "5"), 38, 22, "integer")                                                   \
    X(SCALAR("\"<f4\"", "#"), 39, 22, "0")                                                         \
    X(SCALAR("\"<f4\"", "#000000"), 39, 22, "3")                                                   \
    X(SCALAR("\"<f4\"", "#0000000000"), 39, 22, "5")                                               \
    X(SCALAR("\"<f4\"", "#0000000000000000"), 34, 22, "8")                                         \
    X(COMPLEX("5"), 38, 17, "integer")                                                             \
    X(COMPLEX("\"1+2\""), 40, 17, "\"1+2\"")                                                       \
    X(COMPLEX("\"\""), 40, 17, "\"\"")                                                             \
    X(COMPLEX("#6A6A"), 40, 17, "\"jj\"")

static void check_wrong(const char *text, int row, int64_t offset, const char *found)
{
    char rule[32];
    dvi_nd_map nd;
    dv_error err = DV_ERROR_INIT;
    const dvi_msgpack_reader r = reader_of(text);
    snprintf(rule, sizeof rule, "datadings:8.%d", row);
    cr_expect_eq(dvi_nd_read(&r, true, &nd, &err), DV_ERR_CORRUPT, "%s", text);
    cr_expect_str_eq(err.rule, rule, "%s: %s", text, err.message);
    cr_expect_str_eq(err.found, found, "%s: %s", text, err.message);
    cr_expect(err.offset >= 100 && *err.expected, "%s: %s", text, err.message);
    cr_expect_eq(err.offset, 100 + offset, "%s: %s", text, err.message);
    cr_expect_eq(dvi_nd_read(&r, false, &nd, NULL), row == 34 ? DV_OK : DV_ERR_CORRUPT);
}

Test(nd_map, faults_are_reported)
{
#define X(text, row, offset, found) check_wrong(text, row, offset, found);
    WRONG_LIST(X)
#undef X
}

/* n nested structures with one field each. */
static void nest(dvt_lines *text, int n)
{
    dvt_lines_print(text, "{#6e64:t,#74797065:");
    for (int i = 0; i < n; i++)
        dvt_lines_print(text, "[[\"a\",");
    dvt_lines_print(text, "\"|u1\"");
    for (int i = 0; i < n; i++)
        dvt_lines_print(text, "]]");
    dvt_lines_print(text, ",#6b696e64:#56,#7368617065:[],#64617461:#00}");
}

Test(nd_map, structures_nest_to_a_limit)
{
    for (int n = DVI_ND_NESTING; n <= DVI_ND_NESTING + 1; n++) {
        dvt_lines text = {0};
        dvi_nd_map nd;
        dv_error err = DV_ERROR_INIT;
        nest(&text, n);
        const dvi_msgpack_reader r = reader_of(text.data);
        const dv_status status = dvi_nd_read(&r, true, &nd, &err);
        cr_expect_eq(status, n == DVI_ND_NESTING ? DV_OK : DV_ERR_CORRUPT, "%s", err.message);
        cr_expect(n == DVI_ND_NESTING || strcmp(err.rule, "datadings:8.36") == 0);
        dvt_lines_free(&text);
    }
}

/* --- dtypes ----------------------------------------------------------------------------------- */

Test(nd_map, dtypes)
{
    static const struct {
        const char *text;
        dv_kind kind;
        uint32_t width;
        bool is_swapped;
        int64_t ticks;
    } cases[] = {
        {"|b1", DV_KIND_BL, 1, false, 0},
        {"|i1", DV_KIND_I1, 1, false, 0},
        {"<i2", DV_KIND_I2, 2, false, 0},
        {">i4", DV_KIND_I4, 4, true, 0},
        {"=i8", DV_KIND_I8, 8, false, 0},
        {"u1", DV_KIND_U1, 1, false, 0},
        {"|u2", DV_KIND_U2, 2, false, 0},
        {"<u4", DV_KIND_U4, 4, false, 0},
        {"<u8", DV_KIND_U8, 8, false, 0},
        {"<f2", DV_KIND_R4, 2, false, 0},
        {"<f4", DV_KIND_R4, 4, false, 0},
        {"<f8", DV_KIND_R8, 8, false, 0},
        {"<f12", DV_KIND_NONE, 12, false, 0},
        {"<f16", DV_KIND_NONE, 16, false, 0},
        {"<c8", DV_KIND_NONE, 8, false, 0},
        {"<c16", DV_KIND_NONE, 16, false, 0},
        {"<c24", DV_KIND_NONE, 24, false, 0},
        {"<c32", DV_KIND_NONE, 32, false, 0},
        {"|S7", DV_KIND_BY, 7, false, 0},
        {">U3", DV_KIND_TX, 12, true, 0},
        {"|V10", DV_KIND_NONE, 10, false, 0},
        {"<M8", DV_KIND_NONE, 8, false, 0},
        {"<M8[D]", DV_KIND_DT, 8, false, INT64_C(864000000000)},
        {"<M8[us]", DV_KIND_DT, 8, false, 10},
        {"<m8[h]", DV_KIND_TS, 8, false, 36000000000},
        {"<m8[m]", DV_KIND_TS, 8, false, 600000000},
        {"<m8[7s]", DV_KIND_TS, 8, false, 70000000},
        {"<M8[ns]", DV_KIND_NONE, 8, false, 0},
        {"<M8[200ns]", DV_KIND_DT, 8, false, 2},
        {"<M8[Y]", DV_KIND_NONE, 8, false, 0},
        {"<m8[M]", DV_KIND_NONE, 8, false, 0},
        {"<m8[as]", DV_KIND_NONE, 8, false, 0},
        {"<m8[2000000W]", DV_KIND_NONE, 8, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dvi_nd_dtype t;
        cr_assert(dvi_nd_parse_dtype(&t, cases[i].text, strlen(cases[i].text)), "%s",
                  cases[i].text);
        cr_expect_eq(t.kind, cases[i].kind, "%s", cases[i].text);
        cr_expect_eq(t.width, cases[i].width, "%s", cases[i].text);
        cr_expect_eq(t.is_swapped, cases[i].is_swapped, "%s", cases[i].text);
        cr_expect_eq(t.ticks, cases[i].ticks, "%s", cases[i].text);
    }
    static const char *const none[] = {
        "<M8[]",  "<M8[0s]", "<M8s]", "<M8[s", "<M8[2147483648s]",
        "<M8[5]", "<i3",     "b2",    "<V",    "<i99999999999999999999",
        "O8"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        dvi_nd_dtype t;
        cr_expect_not(dvi_nd_parse_dtype(&t, none[i], strlen(none[i])), "%s", none[i]);
    }
}

/* Incomplete brackets; and nothing after the byte order, at the end of a page. */
Test(nd_map, dtypes_that_end_too_soon)
{
    static const char *const none[] = {"<m8(s)", "<m8[s)", "<m8(s]", "<M8[", "<M8[]", "<M8s"};
    dvi_nd_dtype t;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect_not(dvi_nd_parse_dtype(&t, none[i], strlen(none[i])), "%s", none[i]);
    char *last = (char *)dvt_page_end(dvt_shared_page(0), 1);
    *last = '<';
    cr_expect_not(dvi_nd_parse_dtype(&t, last, 1));
    cr_expect_not(dvi_nd_parse_dtype(&t, last + 1, 0));
}

/* --- Complex numbers -------------------------------------------------------------------------- */

Test(nd_map, complex_numbers)
{
    static const struct {
        const char *text;
        double re, im;
    } cases[] = {
        {"(1-2j)", 1, -2},
        {"1j", 0, 1},
        {"-0j", 0, -0.0},
        {"(-0-0j)", -0.0, -0.0},
        {"(1e+16+2j)", 1e16, 2},
        {"(1e-05-3E-07j)", 1e-5, -3e-7},
        {"3", 3, 0},
        {"(nan+infj)", NAN, INFINITY},
        {"(-inf-nanj)", -INFINITY, -NAN},
        {"1+2J", 1, 2},
        {"-1e+3j", 0, -1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double c[2];
        cr_assert(dvi_nd_parse_complex(c, cases[i].text, strlen(cases[i].text)), "%s",
                  cases[i].text);
        cr_expect(isnan(cases[i].re) ? isnan(c[0]) : c[0] == cases[i].re, "%s", cases[i].text);
        cr_expect(isnan(cases[i].im) ? isnan(c[1]) : c[1] == cases[i].im, "%s", cases[i].text);
        cr_expect_eq(signbit(c[1]) != 0, signbit(cases[i].im) != 0, "%s", cases[i].text);
        cr_expect_eq(signbit(c[0]) != 0, signbit(cases[i].re) != 0, "%s", cases[i].text);
    }
    static const char *const none[] = {"",       "j",       "()",    "(j)",  "+",  "1+j",
                                       "1 + 2j", "(1+2j",   "x",     "?",    "NA", "1j1",
                                       "1e+j",   "(1+2j)x", "1++2j", "0x10", ","};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double c[2];
        cr_expect_not(dvi_nd_parse_complex(c, none[i], strlen(none[i])), "%s", none[i]);
    }
    char digits[200];
    double c[2];
    memset(digits, '1', sizeof digits);
    cr_expect_not(dvi_nd_parse_complex(c, digits, sizeof digits));
}

/* --- Items ------------------------------------------------------------------------------------ */

static dvi_nd_dtype dtype_of(const char *text)
{
    dvi_nd_dtype t;
    cr_assert(dvi_nd_parse_dtype(&t, text, strlen(text)), "%s", text);
    return t;
}

Test(nd_items, which_are_in_place)
{
    static const char *const yes[] = {"|b1", "|i1", ">u1", "<i2", "<u8", "<f4", "=f8"};
    static const char *const no[] = {">i2", ">f8", "<f2", "<M8[s]", "<m8[s]", "|S1", "<U1"};
    for (size_t i = 0; i < 7; i++) {
        const dvi_nd_dtype a = dtype_of(yes[i]), b = dtype_of(no[i]);
        static const uint8_t bytes[16] = {1, 0, 1};
        cr_expect(dvi_nd_is_in_place(&a, bytes, 2), "%s", yes[i]);
        cr_expect_not(dvi_nd_is_in_place(&b, bytes, 2), "%s", no[i]);
    }
}

/* Found by fuzz_msgpack: a bool of 8F was returned without conversion. */
Test(nd_items, bools_are_0_or_1)
{
    static const uint8_t bytes[3] = {1, 0x8F, 0};
    const dvi_nd_dtype t = dtype_of("|b1");
    uint8_t dst[3];
    cr_expect(dvi_nd_is_in_place(&t, bytes, 1));
    cr_expect_not(dvi_nd_is_in_place(&t, bytes, 2));
    cr_expect(dvi_nd_copy(dst, &t, bytes, 3) && dst[0] == 1 && dst[1] == 1 && dst[2] == 0);
}

/* Each half-precision float, compared with the number computed from its fields. */
Test(nd_items, halves)
{
    const dvi_nd_dtype little = dtype_of("<f2"), big = dtype_of(">f2");
    for (unsigned bits = 0; bits < 65536; bits++) {
        const uint8_t le[2] = {(uint8_t)bits, (uint8_t)(bits >> 8)};
        const uint8_t be[2] = {(uint8_t)(bits >> 8), (uint8_t)bits};
        const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
        double want = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
        if (exponent == 31)
            want = fraction ? NAN : INFINITY;
        float a, b;
        cr_assert(dvi_nd_copy(&a, &little, le, 1) && dvi_nd_copy(&b, &big, be, 1));
        cr_assert_eq(memcmp(&a, &b, sizeof a), 0);
        cr_assert_eq(signbit(a) != 0, bits >> 15 != 0);
        cr_assert(isnan(want) ? isnan(a) != 0 : fabs((double)a) == want, "%04x", bits);
    }
}

Test(nd_items, times_stay_in_their_range)
{
    static const struct {
        const char *type;
        int64_t units;
        bool fits;
        int64_t ticks;
    } cases[] = {
        {"<M8[s]", 0, true, INT64_C(621355968000000000)},
        {"<M8[s]", INT64_C(253402300799), true, INT64_C(3155378975990000000)},
        {"<M8[s]", INT64_C(253402300800), false, 0},
        {"<M8[s]", INT64_C(-62135596800), true, 0},
        {"<M8[s]", INT64_C(-62135596801), false, 0},
        {"<M8[D]", INT64_MAX, false, 0},
        {"<M8[100ns]", INT64_MAX, false, 0},
        {"<M8[s]", INT64_MIN, true, DV_TICKS_NA},
        {"<m8[s]", -5, true, -50000000},
        {"<m8[us]", INT64_MAX, false, 0},
        {"<m8[100ns]", INT64_MAX, true, INT64_MAX},
        {"<m8[s]", INT64_MIN, true, DV_TICKS_NA},
        {"<m8[200ns]", INT64_MIN / 2, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ticks = 0;
        const dvi_nd_dtype t = dtype_of(cases[i].type);
        const bool fits = dvi_nd_copy(&ticks, &t, (const uint8_t *)&cases[i].units, 1);
        cr_expect_eq(fits, cases[i].fits, "%zu", i);
        if (fits)
            cr_expect_eq(ticks, cases[i].ticks, "%zu: %lld", i, (long long)ticks);
    }
}

Test(nd_items, text)
{
    static const struct {
        const char *type, *src;
        size_t n;
        const char *text; /* NULL: none */
    } cases[] = {
        {"|S3", "a\0b", 3, "a\0b"},
        {"|S3", "ab\0", 2, "ab"},
        {"|S2", "\0\0", 0, ""},
        {"<U1", "\x7F\0\0\0", 1, "\x7F"},
        {"<U1", "\x80\0\0\0", 2, "\xC2\x80"},
        {"<U1", "\xFF\x07\0\0", 2, "\xDF\xBF"},
        {"<U1", "\x00\x08\0\0", 3, "\xE0\xA0\x80"},
        {"<U1", "\xFF\xFF\0\0", 3, "\xEF\xBF\xBF"},
        {"<U1", "\x00\x00\x01\0", 4, "\xF0\x90\x80\x80"},
        {"<U1", "\xFF\xFF\x10\0", 4, "\xF4\x8F\xBF\xBF"},
        {">U2", "\0\0\0A\0\0\0\0", 1, "A"},
        {"<U1", "\x00\xD8\0\0", 0, NULL},
        {"<U1", "\xFF\xDF\0\0", 0, NULL},
        {"<U1", "\0\0\x11\0", 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dvi_nd_dtype t = dtype_of(cases[i].type);
        const uint8_t *src = dvt_page_copy_end(dvt_shared_page(0), cases[i].src, t.width);
        uint8_t *dst = dvt_page_end(dvt_shared_page(1), t.width);
        size_t n = 0;
        cr_expect_eq(dvi_nd_copy_text(dst, &n, &t, src), cases[i].text != NULL, "%zu", i);
        if (!cases[i].text)
            continue;
        cr_expect_eq(n, cases[i].n, "%zu", i);
        cr_expect_eq(memcmp(dst, cases[i].text, n), 0, "%zu", i);
    }
}

Test(nd_items, integers)
{
    static const struct {
        const char *type, *src;
        int64_t value;
    } cases[] = {
        {"|i1", "\x80", -128},
        {"|u1", "\x80", 128},
        {"<i2", "\xFE\xFF", -2},
        {">i2", "\xFF\xFE", -2},
        {">u2", "\xFF\xFE", 65534},
        {"<i4", "\0\0\0\x80", INT32_MIN},
        {">u4", "\x80\0\0\0", INT64_C(2147483648)},
        {"<i8", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", -1},
        {">u8", "\x80\0\0\0\0\0\0\1", INT64_MIN + 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dvi_nd_map nd = {.dtype = dtype_of(cases[i].type), .data = (const uint8_t *)cases[i].src};
        cr_expect_eq(dvi_nd_integer(&nd), cases[i].value, "%zu", i);
    }
}
