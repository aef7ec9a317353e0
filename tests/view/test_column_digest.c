/* SPDX-License-Identifier: MIT */
/* test_column_digest.c: checks that columns have the same digest exactly if their values are the
 * same. */
#include "support/test.h"

#include "view/column.h"
#include "support/columns.h"
#include <dataview/digest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `rows` rows at a time, as batches of that size would come. */
static dv_u128 digest_of(const dv_column_view *column, int64_t rows)
{
    dv_digester *digester;
    cr_assert_eq(dv_digester_create(&digester, NULL, NULL), DV_OK);
    for (int64_t row = 0; row < column->rows; row += rows) {
        dv_column_view run = *column;
        dvi_column_advance(&run, row);
        if (run.rows > rows)
            dvi_column_limit(&run, rows);
        dv_digester_add_column(digester, &run);
    }
    const dv_u128 result = dv_digester_result(digester);
    dv_digester_free(&digester);
    return result;
}

static bool equal(dv_u128 a, dv_u128 b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* Check the bytes that digest.h specifies, which do not depend on batches; frees the column. */
static void expect_bytes(dv_column_view column, const char *hex)
{
    const dv_buffer bytes = dvt_column_bytes(hex);
    const dv_u128 want = dv_digest_16(bytes.data, bytes.nbytes, 0);
    for (int64_t rows = 1; rows <= column.rows; rows++)
        cr_expect(equal(digest_of(&column, rows), want), "%s, %lld rows at a time", hex,
                  (long long)rows);
    dvt_column_free(&column);
    dvt_column_bytes_free(&bytes);
}

static dv_column_view fixed(dv_kind kind, const char *hex)
{
    return dvt_column_fixed(dv_type_of(kind), hex);
}

Test(column_digest, of_fixed_width_is_that_of_the_values)
{
    expect_bytes(fixed(DV_KIND_I4, "01000000 00000080 FFFFFFFF"), "01000000 00000080 FFFFFFFF");
    expect_bytes(fixed(DV_KIND_R4, "0000C0FF 0100A07F 00000080"), "0000C0FF 0100A07F 00000080");
    expect_bytes(fixed(DV_KIND_UG, "0102030405060708 0000000000000000"),
                 "0102030405060708 0000000000000000");
    expect_bytes(dvt_column_fixed(dv_type_key(DV_KIND_U1, 0, 3), "00 01 03 04 FF"),
                 "00 01 03 04 FF");
}

Test(column_digest, knows_one_na_of_booleans_and_dates)
{
    expect_bytes(fixed(DV_KIND_BL, "00 01 02 80 FF"), "00 01 80 80 80");
    expect_bytes(fixed(DV_KIND_DT, "0100000000000000 FFFFFFFFFFFFFF7F 0000000000000080"),
                 "0100000000000000 0000000000000080 0000000000000080");
}

Test(column_digest, of_zoned_has_minutes_only_with_a_time)
{
    expect_bytes(dvt_column_zoned("0100000000000000 0000000000000080", "0000 3C00"),
                 "0100000000000000 0000 0000000000000080 0000");
}

Test(column_digest, of_text_is_lengths_and_bytes)
{
    expect_bytes(dvt_column_text(DV_KIND_TX, "?abcd", 1, "03000000 03000080 03000000 05000000"),
                 "02000000 6162 FFFFFFFF 00000000 02000000 6364");
    expect_bytes(dvt_column_text(DV_KIND_BY, "\xFF", 0, "01000000"), "01000000 FF");
}

/* Dense; sparse; sparse with an item equal to a slot without one; with lengths. */
Test(column_digest, of_vectors_is_what_the_slots_hold)
{
    const char *want = "03000000 00000000 01000000 02000000 80808080 FFFFFFFF"
                       "03000000 FFFFFFFF";
    dv_column_view dense =
        fixed(DV_KIND_R4, "01000000 00000000 80808080 00000000 00000000 00000000");
    expect_bytes(dvt_column_vector(&dense, 3, "FFFFFFFF FFFFFFFF", ""), want);
    dvt_column_free(&dense);
    dv_column_view sparse = fixed(DV_KIND_R4, "01000000 80808080");
    expect_bytes(dvt_column_vector(&sparse, 3, "02000000 00000000", "00000000 02000000"), want);
    dvt_column_free(&sparse);
    dv_column_view zero = fixed(DV_KIND_R4, "01000000 80808080 00000000");
    expect_bytes(dvt_column_vector(&zero, 3, "02000000 01000000", "00000000 02000000 01000000"),
                 want);
    dvt_column_free(&zero);
}

Test(column_digest, of_vectors_keeps_minus_zero_and_na)
{
    dv_column_view reals = fixed(DV_KIND_R4, "00000080 00000000");
    expect_bytes(dvt_column_vector(&reals, 2, "FFFFFFFF", ""),
                 "02000000 00000000 00000080 FFFFFFFF");
    dvt_column_free(&reals);
    dv_column_view booleans = fixed(DV_KIND_BL, "00 01 05");
    expect_bytes(dvt_column_vector(&booleans, 3, "FFFFFFFF", ""),
                 "03000000 01000000 01 02000000 80 FFFFFFFF");
    dvt_column_free(&booleans);
    dv_column_view texts = dvt_column_text(DV_KIND_TX, "ab", 0, "02000000 02000080 02000000");
    expect_bytes(dvt_column_vector(&texts, 3, "FFFFFFFF", ""),
                 "03000000 00000000 02000000 6162 01000000 FFFFFFFF FFFFFFFF");
    dvt_column_free(&texts);
}

/* Items of every width. */
Test(column_digest, of_vectors_of_any_width)
{
    static const struct {
        dv_kind kind;
        const char *items, *want;
    } cases[] = {
        {DV_KIND_U1, "00 02", "02000000 01000000 02 FFFFFFFF"},
        {DV_KIND_I2, "0003 0000", "02000000 00000000 0003 FFFFFFFF"},
        {DV_KIND_R8, "0000000000000000 0000000000000080",
         "02000000 01000000 0000000000000080 FFFFFFFF"},
        {DV_KIND_UG, "00000000000000000000000000000001 00000000000000000000000000000000",
         "02000000 00000000 00000000000000000000000000000001 FFFFFFFF"},
        {DV_KIND_DT, "0000000000000000 FFFFFFFFFFFFFFFF",
         "02000000 01000000 0000000000000080 FFFFFFFF"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_column_view items = fixed(cases[i].kind, cases[i].items);
        expect_bytes(dvt_column_vector(&items, 2, "FFFFFFFF", ""), cases[i].want);
        dvt_column_free(&items);
    }
    dv_column_view zoned = dvt_column_zoned("0000000000000000 0000000000000080", "0000 0100");
    expect_bytes(dvt_column_vector(&zoned, 2, "FFFFFFFF", ""),
                 "02000000 01000000 0000000000000080 0000 FFFFFFFF");
    dvt_column_free(&zoned);
}

/* Longer than the buffer of small additions. */
Test(column_digest, of_long_texts)
{
    enum { N = 10000 };
    char *text = malloc(N + 1);
    memset(text, 'x', N);
    text[N] = '\0';
    dv_column_view column =
        dvt_column_text(DV_KIND_TX, text, 0, "01000000 F0260000 10270000 10270000");
    dv_digester *digester;
    cr_assert_eq(dv_digester_create(&digester, NULL, NULL), DV_OK);
    static const int32_t lengths[] = {1, 9967, 32, 0};
    for (size_t i = 0; i < 4; i++) {
        dv_digester_add(digester, &lengths[i], 4);
        dv_digester_add(digester, text, (size_t)lengths[i]);
    }
    for (int64_t rows = 1; rows <= 4; rows++)
        cr_expect(equal(digest_of(&column, rows), dv_digester_result(digester)));
    dv_digester_free(&digester);
    dvt_column_free(&column);
    free(text);
}

/* A difference in one value, one length or one boundary changes the digest. */
Test(column_digest, tells_values_apart)
{
    static const struct {
        const char *utf8, *ends;
    } texts[] = {{"ab", "01000000 02000000"}, {"ab", "02000000 02000000"},
                 {"ab", "00000000 02000000"}, {"ab", "02000000 02000080"},
                 {"ac", "01000000 02000000"}, {"ab", "02000000"}};
    enum { N = sizeof texts / sizeof *texts };
    dv_u128 digests[N];
    for (size_t i = 0; i < N; i++) {
        dv_column_view column = dvt_column_text(DV_KIND_TX, texts[i].utf8, 0, texts[i].ends);
        digests[i] = digest_of(&column, 1);
        dvt_column_free(&column);
        for (size_t k = 0; k < i; k++)
            cr_expect(!equal(digests[i], digests[k]), "%zu and %zu", i, k);
    }
}
