/* SPDX-License-Identifier: MIT */
/* test_idv_save_codec.c: checks that every type is written with the codec that readers know.
 * (idv:4) */
#include "format/idv/save/idv_save_priv.h"
#include "support/columns.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

static const dvi_idv_dialect now = {.version = DVI_IDV_VERSION(6)};
static const dvi_idv_dialect keys = {.version = DVI_IDV_VERSION(6), .old_keys = true};
static const dvi_idv_dialect pairs = {.version = DVI_IDV_VERSION(6), .two_bits = true};
static const dvi_idv_dialect old = {.version = DVI_IDV_VERSION(5)};

static const char *choose(const dvi_idv_dialect *dialect, dv_type type, dvi_idv_codec *codec_out)
{
    return dvi_idv_choose_codec(dialect, &type, codec_out);
}

/* Check that the type is written as these bytes, and read from them. */
static void expect_definition(const dvi_idv_dialect *dialect, dv_type type, const char *hex)
{
    uint8_t bytes[128];
    dvi_idv_codec codec, again;
    dvi_arena arena;
    dv_error err = DV_ERROR_INIT;
    const dv_buffer want = dvt_column_bytes(hex);
    cr_assert_null(choose(dialect, type, &codec));
    const size_t n = dvi_idv_store_codec(dialect, &codec, NULL);
    cr_assert_eq(n, want.nbytes, "%s: %zu bytes", hex, n);
    cr_expect_eq(dvi_idv_store_codec(dialect, &codec, bytes), n);
    cr_expect_arr_eq(bytes, want.data, n, "%s", hex);

    dvi_arena_init(&arena, NULL);
    dvi_reader r = dvi_reader_of(bytes, n, 0, false);
    cr_expect_eq(dvi_idv_parse_codec(&r, DVI_IDV_VERSION(6), "rule", &arena, &again, &err), DV_OK,
                 "%s", err.message);
    cr_expect(dv_type_equal(&again.type, &type), "%s", hex);
    cr_expect_eq(again.encoding, codec.encoding);
    cr_expect_eq(dvi_reader_left(&r), 0);
    dvi_arena_free(&arena);
    free((char *)(uintptr_t)want.data - 1);
}

static dv_type noncontiguous(uint64_t min)
{
    dv_type type = dv_type_key(DV_KIND_U4, min, 0);
    type.key_is_contiguous = false;
    return type;
}

Test(idv_save_codec, the_definitions_of_the_page) /* 4.2 */
{
    static const int32_t dims[] = {2, 3};
    const dv_type key5 = dv_type_key(DV_KIND_U4, 0, 5);
    expect_definition(&now, dv_type_of(DV_KIND_R4), "06 53696E676C65 00");
    expect_definition(&now, dv_type_key(DV_KIND_U4, 0, 3),
                      "04 4B657932 10 06 55496E743332 00 0300000000000000");
    expect_definition(&keys, key5, "03 4B6579 15 06 55496E743332 00 01 0000000000000000 05000000");
    expect_definition(&now, dv_type_vector(dv_type_of(DV_KIND_R4), 3),
                      "07 56427566666572 10 06 53696E676C65 00 01000000 03000000");
    expect_definition(&now, dv_type_vector(dv_type_of(DV_KIND_R4), 0),
                      "07 56427566666572 10 06 53696E676C65 00 01000000 00000000");
    expect_definition(&now, dv_type_tensor(dv_type_of(DV_KIND_R8), dims, 2),
                      "07 56427566666572 14 06 446F75626C65 00 02000000 02000000 03000000");
    expect_definition(&now, dv_type_vector(key5, 2),
                      "07 56427566666572 1E 04 4B657932 10 06 55496E743332 00 0500000000000000"
                      "01000000 02000000");
}

static void expect_name(const dvi_idv_dialect *dialect, dv_kind kind, const char *name)
{
    uint8_t bytes[64];
    dvi_idv_codec codec;
    cr_assert_null(choose(dialect, dv_type_of(kind), &codec));
    const size_t n = dvi_idv_store_codec(dialect, &codec, bytes);
    cr_assert_eq(n, strlen(name) + 2, "%s", name);
    cr_expect_eq(bytes[0], strlen(name));
    cr_expect_arr_eq(bytes + 1, name, n - 2, "%s", name);
    cr_expect_eq(bytes[n - 1], 0);
}

Test(idv_save_codec, every_kind_has_a_name_for_new_and_old_readers)
{
    static const struct {
        dv_kind kind;
        const char *now, *old;
    } all[] = {
        {DV_KIND_I1, "SByte", "SByte"},
        {DV_KIND_U1, "Byte", "Byte"},
        {DV_KIND_I2, "Int16", "Int16"},
        {DV_KIND_U2, "UInt16", "UInt16"},
        {DV_KIND_I4, "Int32", "Int32"},
        {DV_KIND_U4, "UInt32", "UInt32"},
        {DV_KIND_I8, "Int64", "Int64"},
        {DV_KIND_U8, "UInt64", "UInt64"},
        {DV_KIND_R4, "Single", "Single"},
        {DV_KIND_R8, "Double", "Double"},
        {DV_KIND_TX, "TextSpan", "TextSpan"},
        {DV_KIND_TS, "TimeSpan", "TimeSpan"},
        {DV_KIND_BL, "Boolean", "DvBool"},
        {DV_KIND_DT, "DateTime", "DvDateTime"},
        {DV_KIND_DZ, "DateTimeOffset", "DvDateTimeZone"},
        {DV_KIND_UG, "DataViewRowId", "UInt128"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        expect_name(&now, all[i].kind, all[i].now);
        expect_name(&old, all[i].kind, all[i].old);
    }
    expect_name(&pairs, DV_KIND_BL, "DvBool");
    expect_name(&pairs, DV_KIND_DT, "DateTime");
}

Test(idv_save_codec, keys_without_a_count_are_old_ones)
{
    const char *const unknown = "03 4B6579 15 06 55496E743332 00 01 0000000000000000 00000000";
    expect_definition(&now, dv_type_key(DV_KIND_U4, 0, 0), unknown);
    expect_definition(&keys, dv_type_key(DV_KIND_U4, 0, 0), unknown);
    expect_definition(&old, dv_type_key(DV_KIND_U4, 0, 0), unknown);
    expect_definition(&now, dv_type_key(DV_KIND_U8, 0, UINT64_MAX),
                      "04 4B657932 10 06 55496E743634 00 FFFFFFFFFFFFFFFF");
}

Test(idv_save_codec, old_keys_have_a_minimum)
{
    expect_definition(&keys, dv_type_key(DV_KIND_U1, 1000, 100),
                      "03 4B6579 13 04 42797465 00 01 E803000000000000 64000000");
    expect_definition(&old, dv_type_key(DV_KIND_U4, UINT64_MAX - INT32_MAX, INT32_MAX - 1),
                      "03 4B6579 15 06 55496E743332 00 01 00000080FFFFFFFF FEFFFF7F");
    expect_definition(&keys, noncontiguous(5),
                      "03 4B6579 15 06 55496E743332 00 00 0500000000000000 00000000");
}

static void expect_none(const dvi_idv_dialect *dialect, dv_type type, const char *why)
{
    dvi_idv_codec codec;
    const char *said = choose(dialect, type, &codec);
    cr_assert_not_null(said, "%s", why);
    cr_expect(strstr(said, why) != NULL, "%s: %s", why, said);
}

Test(idv_save_codec, what_no_codec_has)
{
    expect_none(&now, dv_type_of(DV_KIND_BY), "no codec");
    expect_none(&now, dv_type_vector(dv_type_of(DV_KIND_BY), 2), "no codec");
    expect_none(&now, dv_type_extension("Picture", 8), "no codec");
    expect_none(&now, dv_type_key(DV_KIND_U4, 1, 5), "idv_old_keys");
    expect_none(&now, dv_type_vector(dv_type_key(DV_KIND_U4, 1, 0), 3), "idv_old_keys");
    expect_none(&now, noncontiguous(0), "idv_old_keys");
    expect_none(&keys, dv_type_key(DV_KIND_U4, 0, (uint64_t)INT32_MAX + 1),
                "more than 2^31-1 values: drop option idv_old_keys");
    expect_none(&old, dv_type_key(DV_KIND_U8, 0, (uint64_t)INT32_MAX + 1),
                "1.1.1.5 cannot hold a key of more than 2^31-1 values; version 1.1.1.6 can");
    const dv_type neither = dv_type_key(DV_KIND_U8, 7, (uint64_t)INT32_MAX + 1);
    expect_none(&now, neither, "no codec holds");
    expect_none(&keys, neither, "no codec holds");
    expect_none(&old, neither, "no codec holds");
    expect_definition(&keys, dv_type_key(DV_KIND_U4, 0, INT32_MAX),
                      "03 4B6579 15 06 55496E743332 00 01 0000000000000000 FFFFFF7F");
}
