/* SPDX-License-Identifier: MIT */
/* test_idv_encode.c: checks the bytes of each block. (idv:5, idv:9) */
#include "format/idv/save/idv_save_priv.h"
#include "support/columns.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dvi_idv_dialect new_dialect = {.version = DVI_IDV_VERSION(6)};
static const dvi_idv_dialect pairs_dialect = {.version = DVI_IDV_VERSION(6), .two_bits = true};
static const dvi_idv_dialect lossy_dialect = {.version = DVI_IDV_VERSION(6),
                                              .na_may_be_false = true};

static dv_status encode(const dvi_idv_dialect *dialect, const dv_column_view *view,
                        dvi_idv_encoded *encoded, dv_error *err)
{
    const dvi_idv_source source = {dialect, NULL, {"Age", 3}, 100};
    dvi_idv_codec codec;
    cr_assert_null(dvi_idv_choose_codec(dialect, &view->type, &codec));
    return dvi_idv_encode(&source, &codec, view, encoded, err);
}

/* Check that the view is encoded as these bytes, with the widest array at this offset. */
static void expect_block(const dvi_idv_dialect *dialect, const dv_column_view *view,
                         const char *hex, int64_t widest)
{
    dv_error err = DV_ERROR_INIT;
    dvi_idv_encoded encoded = {.count = 0};
    dvi_memory *joined = NULL;
    const void *bytes = NULL;
    const dv_buffer want = dvt_column_bytes(hex);
    cr_assert_eq(encode(dialect, view, &encoded, &err), DV_OK, "%s", err.message);
    cr_expect_eq(encoded.nbytes, (int64_t)want.nbytes, "%s: %d bytes", hex, (int)encoded.nbytes);
    cr_expect_eq(encoded.widest, widest, "%s: widest at %d", hex, (int)encoded.widest);
    cr_assert_eq(dvi_idv_join(&encoded, NULL, &joined, &bytes, &err), DV_OK);
    if (encoded.nbytes == (int64_t)want.nbytes)
        cr_expect_arr_eq(bytes, want.data, want.nbytes, "%s", hex);
    dvi_memory_release(&joined);
    dvi_idv_encoded_free(&encoded);
    free((char *)(uintptr_t)want.data - 1);
}

static void expect_block_free(const dvi_idv_dialect *dialect, dv_column_view *view, const char *hex,
                              int64_t widest)
{
    expect_block(dialect, view, hex, widest);
    dvt_column_free(view);
}

static void expect_failure(const dvi_idv_dialect *dialect, const dv_column_view *view,
                           dv_status status, const char *rule, const char *where)
{
    dv_error err = DV_ERROR_INIT;
    dvi_idv_encoded encoded = {.count = 0};
    cr_expect_eq(encode(dialect, view, &encoded, &err), status);
    cr_expect_eq(err.status, status);
    cr_expect_str_eq(err.rule, rule);
    cr_expect(strstr(err.message, where) != NULL, "%s: %s", where, err.message);
    cr_expect(*err.expected && *err.found, "%s", err.message);
    dvi_idv_encoded_free(&encoded);
}

static dv_type scalar(dv_kind kind)
{
    return dv_type_of(kind);
}

/* --- Fixed width (5.1 to 5.3, 5.5) --- */

Test(idv_encode, numbers_are_their_own_bytes)
{
    static const struct {
        dv_kind kind;
        const char *hex;
    } all[] = {
        {DV_KIND_I1, "7F 81 80 00"},
        {DV_KIND_U2, "FF7F 0180"},
        {DV_KIND_I4, "FFFFFF7F 00000080"},
        {DV_KIND_R4, "0000803F 0000C0FF 010080FF"}, /* any NaN */
        {DV_KIND_R8, "000000000000F0BF"},
        {DV_KIND_TS, "0080D35492010000 0000000000000080"},
        {DV_KIND_UG, "0100000000000000 0200000000000000"}, /* 9.4 */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dv_column_view view = dvt_column_fixed(scalar(all[i].kind), all[i].hex);
        expect_block_free(&new_dialect, &view, all[i].hex, 0);
    }
    dv_column_view key =
        dvt_column_fixed(dv_type_key(DV_KIND_U4, 0, 3), "00000000 01000000 09000000");
    expect_block_free(&new_dialect, &key, "00000000 01000000 09000000", 0);
}

Test(idv_encode, numbers_are_not_copied)
{
    dvi_idv_encoded encoded = {.count = 0};
    dv_column_view view = dvt_column_fixed(scalar(DV_KIND_R4), "0000803F 00000040");
    cr_assert_eq(encode(&new_dialect, &view, &encoded, NULL), DV_OK);
    cr_expect_eq(encoded.count, 1);
    cr_expect_eq(encoded.fragments[0].data, view.as.fixed.values.data);
    cr_expect_null(encoded.decoded);
    dvt_column_free(&view);
}

Test(idv_encode, ticks_outside_the_calendar_are_na)
{
    dv_column_view view = dvt_column_fixed(
        scalar(DV_KIND_DT),
        "0000DDDC855FD008 FFFFFFFFFFFFFFFF FF3F37F47528CA2B 004037F47528CA2B 0000000000000080");
    expect_block_free(
        &new_dialect, &view,
        "0000DDDC855FD008 0000000000000080 FF3F37F47528CA2B 0000000000000080 0000000000000080", 0);
}

Test(idv_encode, booleans_of_one_bit)
{
    dv_column_view view = dvt_column_fixed(scalar(DV_KIND_BL), "01 00 01 01 00 00 00 01 01 01");
    expect_block_free(&new_dialect, &view, "8D 03", 0); /* 9.4 */
    view = dvt_column_fixed(scalar(DV_KIND_BL), "00 01 00 01 01 01 01 00");
    expect_block_free(&new_dialect, &view, "7A", 0);
    view = dvt_column_fixed(scalar(DV_KIND_BL), "01");
    expect_block_free(&new_dialect, &view, "01", 0);
}

/* Each position in turn holds the only true value, among any number of values. */
Test(idv_encode, every_bit_has_its_place)
{
    uint8_t values[200];
    for (int64_t n = 1; n <= 200; n++)
        for (int64_t i = 0; i < n; i++) {
            dvi_idv_encoded encoded = {.count = 0};
            memset(values, 0, sizeof values);
            values[i] = 1;
            dv_column_view view = {
                .type = scalar(DV_KIND_BL), .layout = DV_LAYOUT_FIXED, .rows = n};
            view.as.fixed.values = (dv_buffer){.data = values, .nbytes = (size_t)n};
            cr_assert_eq(encode(&new_dialect, &view, &encoded, NULL), DV_OK);
            cr_assert_eq(encoded.nbytes, (n + 7) / 8);
            const uint8_t *bits = encoded.fragments[0].data;
            for (int64_t k = 0; k < encoded.nbytes; k++)
                cr_assert_eq(bits[k], k == i / 8 ? 1 << i % 8 : 0, "%d of %d", (int)i, (int)n);
            dvi_idv_encoded_free(&encoded);
        }
}

Test(idv_encode, booleans_of_one_bit_have_no_na)
{
    dv_column_view view = dvt_column_fixed(scalar(DV_KIND_BL), "00 01 01 00 00 00 00 00 01 80");
    expect_failure(&new_dialect, &view, DV_ERR_LOSS, "allow_loss", "row 109, column \"Age\"");
    expect_block(&lossy_dialect, &view, "06 01", 0);
    expect_block_free(&pairs_dialect, &view, "14 00 09 00", 0);
    view =
        dvt_column_fixed(scalar(DV_KIND_BL), "00 01 80 00 00 00 00 00 01 80"); /* in a whole byte */
    expect_failure(&new_dialect, &view, DV_ERR_LOSS, "allow_loss", "row 102, column \"Age\"");
    expect_block_free(&lossy_dialect, &view, "02 01", 0);
}

Test(idv_encode, booleans_of_two_bits)
{
    dv_column_view view = dvt_column_fixed(scalar(DV_KIND_BL), "00 01 80 00 7F");
    expect_block_free(&pairs_dialect, &view, "24 02 00 00", 0); /* 9.2 */
    view =
        dvt_column_fixed(scalar(DV_KIND_BL), "01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 FF");
    expect_block_free(&pairs_dialect, &view, "55 55 55 55 02 00 00 00", 0);
}

Test(idv_encode, zoned_offsets_come_first)
{
    dv_column_view view = dvt_column_zoned("0040E6B89520CB08 0000000000000000", "20FE 0000");
    expect_block_free(&new_dialect, &view, "20FE 0000 0040E6B89520CB08 0000000000000000",
                      4); /* 9.4 */
}

/* NA with an offset, an offset of more than 14 hours, and a time outside the calendar in UTC. */
Test(idv_encode, zoned_na_has_no_offset)
{
    dv_column_view view =
        dvt_column_zoned("0040E6B89520CB08 0000000000000080 0040E6B89520CB08 0000000000000000",
                         "3C00 3C00 4903 3C00");
    expect_block_free(&new_dialect, &view,
                      "3C00 0000 0000 0000"
                      "0040E6B89520CB08 0000000000000080 0000000000000080 0000000000000080",
                      8);
}

/* --- Text (idv:5.4) --------------------------------------------------------------------------- */

#define EMOJI "\xF0\x9F\x98\x80"

Test(idv_encode, texts)
{
    dv_column_view view = dvt_column_text(DV_KIND_TX,
                                          "foo"
                                          "xyz",
                                          0, "03000000 06000000 06000080 06000000 06000080");
    expect_block_free(&new_dialect, &view, /* 9.2 */
                      "05000000 03000000 06000000 06000080 06000000 06000080 06 666F6F78797A", 4);
    view = dvt_column_text(DV_KIND_TX, "a\xC3\xA9" EMOJI "z", 0,
                           "01000000 03000000 03000000 07000000 08000000");
    expect_block_free(&new_dialect, &view, /* 9.4 */
                      "05000000 01000000 02000000 02000000 04000000 05000000"
                      "08 61C3A9F09F98807A",
                      4);
    view = dvt_column_text(DV_KIND_TX, "", 0, "00000000 00000080");
    expect_block_free(&new_dialect, &view, "02000000 00000000 00000080 00", 4);
}

/* A batch can start inside a block: the bytes before it are not written. */
Test(idv_encode, texts_from_the_middle)
{
    dv_column_view view = dvt_column_text(DV_KIND_TX, "abcde", 2, "03000000 03000080 05000000");
    expect_block_free(&new_dialect, &view, "03000000 01000000 01000080 03000000 03 636465", 4);
    view = dvt_column_text(DV_KIND_TX, "ab\xC3\xA9" EMOJI "z", 2, "04000000 04000080 09000000");
    expect_block_free(&new_dialect, &view, "03000000 01000000 01000080 04000000 07 C3A9F09F98807A",
                      4);
}

Test(idv_encode, texts_that_break_their_promise)
{
    static const struct {
        const char *utf8, *ends, *where;
    } all[] = {
        {"abc", "02000000 01000000", "row 101"},
        {"abc", "02000000 03000080", "row 101"},             /* NA with a text of its own */
        {"a\xFFz", "01000000 02000000 03000000", "row 101"}, /* no UTF-8 */
        {"a\xC3\xA9", "02000000 03000000", "row 100"},       /* cut inside a character */
        {"ab\xC3", "01000000 03000000", "row 101"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dv_column_view view = dvt_column_text(DV_KIND_TX, all[i].utf8, 0, all[i].ends);
        expect_failure(&new_dialect, &view, DV_ERR_ARGUMENT, "idv:5.4", all[i].where);
        dvt_column_free(&view);
    }
}

Test(idv_encode, long_texts_have_long_lengths)
{
    static const struct {
        size_t nbytes;
        const char *length;
    } all[] = {{127, "7F"}, {128, "8001"}, {16384, "808001"}, {2097152, "80808001"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *text = malloc(all[i].nbytes);
        cr_assert_not_null(text);
        memset(text, 'x', all[i].nbytes);
        const int32_t end = (int32_t)all[i].nbytes;
        dv_column_view view = {.type = scalar(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = 1};
        view.as.text.ends = (dv_buffer){.data = &end, .nbytes = 4};
        view.as.text.utf8 = (dv_buffer){.data = text, .nbytes = all[i].nbytes};
        dvi_idv_encoded encoded = {.count = 0};
        const dv_buffer length = dvt_column_bytes(all[i].length);
        cr_assert_eq(encode(&new_dialect, &view, &encoded, NULL), DV_OK);
        cr_expect_eq(encoded.nbytes, (int64_t)(8 + length.nbytes + all[i].nbytes));
        cr_assert_eq(encoded.count, 4);
        cr_expect_eq(encoded.fragments[2].nbytes, length.nbytes);
        cr_expect_arr_eq(encoded.fragments[2].data, length.data, length.nbytes);
        dvi_idv_encoded_free(&encoded);
        free((char *)(uintptr_t)length.data - 1);
        free(text);
    }
}

/* --- Vectors (idv:5.6) ------------------------------------------------------------------------ */

#define F1 "0000803F"
#define F2 "00000040"
#define F3 "00004040"
#define F4 "00008040"
#define F5 "0000A040"
#define F9 "00001041"

/* Vectors borrow their items: both are freed. */
static void expect_vectors(const dvi_idv_dialect *dialect, dv_column_view items, int32_t size,
                           const char *lengths, const char *counts, const char *indices,
                           const char *hex, int64_t widest)
{
    dv_column_view view = dvt_column_vector(&items, size, counts, indices);
    if (lengths)
        view.as.vector.lengths = dvt_column_bytes(lengths);
    expect_block(dialect, &view, hex, widest);
    dvt_column_free(&view);
    dvt_column_free(&items);
}

Test(idv_encode, vectors_of_one_size) /* 9.4 */
{
    expect_vectors(&new_dialect, dvt_column_fixed(scalar(DV_KIND_R4), F1 F2 F3 F9), 3, NULL,
                   "FFFFFFFF 01000000", "02000000",
                   "02000000 03000000 FFFFFFFF 01000000 01000000 02000000" F1 F2 F3 F9, 24);
    expect_vectors(&new_dialect, dvt_column_fixed(scalar(DV_KIND_BL), "01 00 01 01 00 01 01"), 3,
                   NULL, "FFFFFFFF 01000000 FFFFFFFF", "00000000",
                   "03000000 03000000 FFFFFFFF 01000000 FFFFFFFF 01000000 00000000 6D", 28);
    expect_vectors(
        &new_dialect,
        dvt_column_text(DV_KIND_TX, "xyy\xC3\xA9", 0, "01000000 03000000 03000000 05000000"), 2,
        NULL, "FFFFFFFF FFFFFFFF", "",
        "02000000 02000000 FFFFFFFF FFFFFFFF 00000000"
        "04000000 01000000 03000000 03000000 04000000 05 787979C3A9",
        24);
}

Test(idv_encode, vectors_of_any_size) /* 9.4 */
{
    expect_vectors(&new_dialect, dvt_column_fixed(scalar(DV_KIND_R4), F1 F2 F5), 0,
                   "02000000 04000000 00000000 03000000", "FFFFFFFF 01000000 FFFFFFFF 00000000",
                   "01000000",
                   "04000000 00000000 02000000 04000000 00000000 03000000"
                   "FFFFFFFF 01000000 FFFFFFFF 00000000 01000000 01000000" F1 F2 F5,
                   48);
    expect_vectors(&new_dialect, dvt_column_fixed(scalar(DV_KIND_R4), F1 F2 F3 F4), 0,
                   "02000000 02000000", "FFFFFFFF FFFFFFFF", "",
                   "02000000 02000000 FFFFFFFF FFFFFFFF 00000000" F1 F2 F3 F4, 20);
    expect_vectors(&new_dialect, dvt_column_text(DV_KIND_TX, "", 0, ""), 0, "00000000", "FFFFFFFF",
                   "", "01000000 00000000 00000000 FFFFFFFF 00000000 00000000 00", 24);
}

/* The batch has a common length that the type does not have. */
Test(idv_encode, vectors_of_a_length_of_their_own)
{
    dv_column_view items = dvt_column_fixed(scalar(DV_KIND_R4), F1 F2);
    dv_column_view view = dvt_column_vector(&items, 0, "FFFFFFFF", "");
    view.as.vector.length = 2;
    expect_block_free(&new_dialect, &view, "01000000 02000000 FFFFFFFF 00000000" F1 F2, 16);
    view = dvt_column_vector(&items, 0, "FFFFFFFF FFFFFFFF", "");
    expect_block_free(&new_dialect, &view,
                      "02000000 00000000 00000000 00000000 FFFFFFFF FFFFFFFF 00000000", 28);
    dvt_column_free(&items);
}

/* A sparse vector with an item for each slot must be written as dense, also an empty one
 * (idv:V5). */
Test(idv_encode, full_vectors_become_dense)
{
    expect_vectors(&new_dialect, dvt_column_fixed(scalar(DV_KIND_R4), F1 F2 F3 F4 F5), 0,
                   "02000000 00000000 03000000 02000000", "02000000 00000000 01000000 FFFFFFFF",
                   "00000000 01000000 02000000",
                   "04000000 00000000 02000000 00000000 03000000 02000000"
                   "FFFFFFFF FFFFFFFF 01000000 FFFFFFFF 01000000 02000000" F1 F2 F3 F4 F5,
                   48);
    expect_vectors(&new_dialect, dvt_column_fixed(scalar(DV_KIND_U1), "07"), 1, NULL, "01000000",
                   "00000000", "01000000 01000000 FFFFFFFF 00000000 07", 16);
    dv_column_view items = dvt_column_fixed(scalar(DV_KIND_U1), "");
    dv_column_view view = dvt_column_vector(&items, 0, "00000000", "");
    expect_block_free(&new_dialect, &view, "01000000 00000000 00000000 FFFFFFFF 00000000", 20);
    dvt_column_free(&items);
}

/* A batch can start inside a block, by its bases. */
Test(idv_encode, vectors_from_the_middle)
{
    dv_column_view items =
        dvt_column_text(DV_KIND_TX, "abcd\xC3\xA9", 0, "01000000 02000000 04000000 06000000");
    dv_column_view view =
        dvt_column_vector(&items, 3, "01000000 01000000", "00000000 02000000 01000000");
    view.as.vector.index_base = 1;
    view.as.vector.item_base = 2;
    expect_block_free(&new_dialect, &view,
                      "02000000 03000000 01000000 01000000 02000000 02000000 01000000"
                      "02000000 02000000 03000000 04 6364C3A9",
                      32);
    dvt_column_free(&items);
}

Test(idv_encode, an_item_that_is_wrong_names_its_row)
{
    dv_column_view items = dvt_column_fixed(scalar(DV_KIND_BL), "01 00 01 80");
    dv_column_view view = dvt_column_vector(&items, 3, "FFFFFFFF 00000000 01000000", "02000000");
    expect_failure(&new_dialect, &view, DV_ERR_LOSS, "allow_loss", "row 102, column \"Age\"");
    dvt_column_free(&view);
    dvt_column_free(&items);
}

Test(idv_encode, vectors_that_break_their_promise)
{
    static const struct {
        const char *counts, *indices, *where;
    } all[] = {
        {"01000000 04000000", "00000000 00000000 00000000 00000000 00000000", "row 101"},
        {"FEFFFFFF", "", "row 100"},
        {"01000000 02000000", "00000000 01000000 01000000", "row 101"},
        {"FFFFFFFF 01000000", "03000000", "row 101"},
        {"01000000 FFFFFFFF", "FFFFFFFF", "row 100"},
    };
    dv_column_view items = dvt_column_fixed(scalar(DV_KIND_U1), "00 00 00 00 00 00");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dv_column_view view = dvt_column_vector(&items, 3, all[i].counts, all[i].indices);
        expect_failure(&new_dialect, &view, DV_ERR_ARGUMENT, "idv:5.6", all[i].where);
        dvt_column_free(&view);
    }
    dvt_column_free(&items);
}

/* --- Limits --- */

/* The bytes are never read. */
Test(idv_encode, a_block_over_2_gib_is_too_large)
{
    dv_error err = DV_ERROR_INIT;
    dvi_idv_encoded encoded = {.count = 0};
    dv_column_view view = {.type = scalar(DV_KIND_R8), .layout = DV_LAYOUT_FIXED};
    view.as.fixed.values = (dv_buffer){.data = &view, .nbytes = (size_t)1 << 31};
    view.rows = (1 << 28) - 1;
    cr_expect_eq(encode(&new_dialect, &view, &encoded, &err), DV_OK);
    view.rows = 1 << 28;
    cr_expect_eq(encode(&new_dialect, &view, &encoded, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "rows_per_block");
}

Test(idv_encode, too_many_items_are_too_large)
{
    const dv_column_view items = {.type = scalar(DV_KIND_BL), .layout = DV_LAYOUT_FIXED};
    dv_column_view view = dvt_column_vector(&items, 1 << 30, "FFFFFFFF FFFFFFFF", "");
    expect_failure(&new_dialect, &view, DV_ERR_LIMIT, "rows_per_block", "2147483648");
    dvt_column_free(&view);
}
