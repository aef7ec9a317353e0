/* SPDX-License-Identifier: MIT */
/* test_datadings_save.c: saved files have the bytes that the reference implementation writes
 * (datadings:7). */
#include "support/datadings_saves.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(datadings_save, .init = make_folder, .fini = remove_folder);

static const char *const suffixes[] = {"", ".offsets", ".keys", ".key_hashes", ".filter", ".md5"};
#define FILES 6

static dvt_path path_of(const char *name, int file)
{
    char text[64];
    snprintf(text, sizeof text, "%s%s", name, suffixes[file]);
    return dvt_path_in(&folder, text);
}

/* Save under this name, and check the MD5 of each file, .md5 last (NULL: not checked). There are no
 * other files. */
static void expect_set(dv_view *view, const char *name, const char *const md5[FILES],
                       const dv_save_options *options)
{
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvt_datadings_save(view, path_of(name, 0).text, options, &err), DV_OK, "%s",
                 err.message);
    for (int i = 0; i < FILES; i++)
        cr_expect(!md5[i] || strcmp(dvt_md5_of(path_of(name, i).text), md5[i]) == 0, "%s%s", name,
                  suffixes[i]);
    cr_expect_eq(dvt_folder_entries(&folder), FILES);
}

/* --- Sets of the specification ---------------------------------------------------------------- */

Test(datadings_save, no_sample)
{
    static const char *const md5[] = {
        "d41d8cd98f00b204e9800998ecf8427e", "7dea362b3fac8e00956a4952a3d4f474",
        "bc9abf1be59ffce180251d4cce755fe2", "76252e4b6195e3aa8ff7ca13296d62af",
        "0a1c236042f280d44febe7d5fcd0be58", NULL};
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = {.columns = 1, .block_rows = 1, .bad_row = -1, .name = {"key"}};
    table.column[0] = dvt_texts_of(DV_KIND_TX, NULL, 0);
    dv_view *view = dvt_made_table_open(&table, NULL);
    expect_set(view, "empty.msgpack", md5, &options);
    dv_view_release(&view);
    dvt_table_free_texts(&table);
}

Test(datadings_save, one_sample)
{
    static const char *const keys[] = {"only"};
    static const uint8_t offsets[16] = {[15] = 10};
    static const char filter[] = "SIMPBLOO\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\2\x3F\xE0\0\0\0\0\0\0%";
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = {
        .columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1, .name = {"key"}};
    table.column[0] = dvt_texts_of(DV_KIND_TX, keys, 1);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_error err = DV_ERROR_INIT;
    const dvt_path path = path_of("one.msgpack", 0);
    cr_assert_eq(dvt_datadings_save(view, path.text, &options, &err), DV_OK, "%s", err.message);
    static const struct {
        const void *data;
        size_t n;
    } expected[] = {{"\x81\xA3key\xA4only", 10},
                    {offsets, 16},
                    {"\x91\xA4only", 6},
                    {"\x65\x2E\x53\x0E\xDE\xE5\x89\x3B\x69\x58\x9E\x2D\x8D\x71\x31\x1B", 16},
                    {filter, 33}};
    for (int i = 0; i < 5; i++) {
        size_t nbytes;
        uint8_t *data = dvt_file_read(path_of("one.msgpack", i).text, &nbytes);
        cr_expect_eq(nbytes, expected[i].n, "%s", suffixes[i]);
        cr_expect_eq(memcmp(data, expected[i].data, nbytes), 0, "%s", suffixes[i]);
        free(data);
    }
    dv_view_release(&view);
    dvt_table_free_texts(&table);
}

/* Samples with different keys: a set of whole messages. */
static const char *const tiny_keys[] = {"a", "b/1", "\xC3\xBC"};
static const char *const tiny_messages[] = {
    "83 a3 6b 65 79 a1 61 a5 69 6d 61 67 65 c4 04 ff d8 ff e0 a5 6c 61 62 65 6c 00",
    "83 a3 6b 65 79 a3 62 2f 31 a1 78 85 c4 02 6e 64 c3 c4 04 74 79 70 65 a3 3c 66 34 c4 04 6b 69 "
    "6e 64 c4 00 c4 05 73 68 61 70 65 92 02 03 c4 04 64 61 74 61 c4 18 00 00 00 00 00 00 80 3f 00 "
    "00 00 40 00 00 40 40 00 00 80 40 00 00 a0 40 a5 6c 61 62 65 6c ff",
    "86 a3 6b 65 79 a2 c3 bc a1 77 cb 3f e0 00 00 00 00 00 00 a5 6c 61 62 65 6c cd 01 2c a4 74 61 "
    "67 73 93 a1 78 c0 c3 a1 73 83 c4 02 6e 64 c2 c4 04 74 79 70 65 a3 3c 69 32 c4 04 64 61 74 61 "
    "c4 02 fe ff a1 63 82 c4 07 63 6f 6d 70 6c 65 78 c3 c4 04 64 61 74 61 a6 28 31 2d 32 6a 29"};

static dvt_made_table tiny_table(void)
{
    dvt_made_table table = {.columns = 2,
                            .rows = 3,
                            .block_rows = 2,
                            .bad_row = -1,
                            .name = {"message", "key"},
                            .metadata_kind = "MsgpackMessage"};
    table.column[0] = dvt_hexes_of(tiny_messages, 3);
    table.column[1] = dvt_texts_of(DV_KIND_TX, tiny_keys, 3);
    table.metadata = dvt_true_mark();
    return table;
}

Test(datadings_save, whole_messages)
{
    static const char *const md5[] = {
        "18e40a37666336555c24832ebfb45b13", "da002f25a471125c45aa2318f9223b77",
        "51d10fe55657c83af780683279b03f83", "9186f1d6c566a9f886be753ae93b78f0",
        "90a980986cd3248a4edd5335c2a124ee", NULL};
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = tiny_table();
    dv_view *view = dvt_made_table_open(&table, NULL);
    expect_set(view, "tiny.msgpack", md5, &options);
    size_t nbytes;
    uint8_t *lines = dvt_file_read(path_of("tiny.msgpack", 5).text, &nbytes);
    cr_expect_str_eq((char *)lines, "18e40a37666336555c24832ebfb45b13  tiny.msgpack\n"
                                    "da002f25a471125c45aa2318f9223b77  tiny.msgpack.offsets\n"
                                    "51d10fe55657c83af780683279b03f83  tiny.msgpack.keys\n"
                                    "9186f1d6c566a9f886be753ae93b78f0  tiny.msgpack.key_hashes\n"
                                    "90a980986cd3248a4edd5335c2a124ee  tiny.msgpack.filter\n");
    free(lines);
    dv_view_release(&view);
    dvt_table_free_texts(&table);
}

/* An empty key is legal in whole messages. */
Test(datadings_save, whole_messages_keep_an_empty_key)
{
    static const char *const keys[] = {"", "b"}, *const messages[] = {"81a36b6579a0",
                                                                      "81a36b6579a162"};
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = {.columns = 2,
                            .rows = 2,
                            .block_rows = 2,
                            .bad_row = -1,
                            .name = {"message", "key"},
                            .metadata_kind = "MsgpackMessage",
                            .metadata = dvt_true_mark()};
    table.column[0] = dvt_hexes_of(messages, 2);
    table.column[1] = dvt_texts_of(DV_KIND_TX, keys, 2);
    dv_view *view = dvt_made_table_open(&table, NULL);
    cr_expect_str_eq(dvt_datadings_hex(view, &options), "81A36B6579A081A36B6579A162");
    dv_view_release(&view);
    dvt_table_free_texts(&table);
}

#define MANY 1000

static dvt_made_table many_rows(int64_t *numbers, int64_t rows)
{
    dvt_made_table table = {
        .columns = 2, .rows = rows, .block_rows = 300, .bad_row = -1, .name = {"key", "v"}};
    char(*texts)[24] = malloc((size_t)rows * sizeof *texts);
    const char **keys = malloc((size_t)rows * sizeof *keys);
    for (int64_t i = 0; i < rows; i++) {
        numbers[i] = i;
        snprintf(texts[i], sizeof texts[i], "k%d", (int)i);
        keys[i] = texts[i];
    }
    table.column[0] = dvt_texts_of(DV_KIND_TX, keys, rows);
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I8), numbers, rows);
    free(keys);
    free(texts);
    return table;
}

Test(datadings_save, a_thousand_samples)
{
    static const char *const md5[] = {
        "cebec4be55689cd2d2f7a8f09b83e944", "477bb3967f5175b832eeb57b29223600",
        "12fcb72e845109aa4c4f7669648d9d09", "944b728a6a7d940a03bdaadb7bd150ce",
        "73fb68fb7adbea47ca1c74ac579eed4c", "18dcf13a6477310f25f8d41ffc8dda6f"};
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    static int64_t numbers[MANY];
    dvt_made_table table = many_rows(numbers, MANY);
    dv_view *view = dvt_made_table_open(&table, NULL);
    expect_set(view, "k1000.msgpack", md5, &options);
    expect_set(view, "k1000.msgpack", md5, &options); /* replaces the same set */
    dv_view_release(&view);
    dvt_table_free_texts(&table);
}

/* --- Values ----------------------------------------------------------------------------------- */

#define KEY "A36B6579" /* as msgpack */
#define X "A178"

/* The bytes of each value of a column "x" of n rows, with numbered keys. */
static void expect_values(dv_column_view column, const char *const *hexes, int64_t n)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = {.columns = 1, .rows = n, .block_rows = 3, .bad_row = -1, .name = {"x"}};
    options.datadings = "key=rownumber";
    options.allow_loss = DV_LOSS_TYPES | DV_LOSS_NA;
    table.column[0] = column;
    dv_view *view = dvt_made_table_open(&table, NULL);
    char expected[8192] = "";
    for (int64_t i = 0; i < n; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected),
                 n > 10 ? "82" KEY "A2%02X%02X" X "%s" : "82" KEY "A1%.0d%02X" X "%s",
                 n > 10 ? (int)('0' + i / 10) : 0, (int)('0' + i % 10), hexes[i]);
    cr_expect_str_eq(dvt_datadings_hex(view, &options), expected);
    dv_view_release(&view);
}

#define EXPECT_NUMBERS(kind, ctype, values, ...)                                                   \
    do {                                                                                           \
        static const ctype numbers[] = values;                                                     \
        static const char *const hexes[] = {__VA_ARGS__};                                          \
        expect_values(dvt_made_fixed(dv_type_of(DV_KIND_##kind), numbers,                          \
                                     (int64_t)(sizeof numbers / sizeof *numbers)),                 \
                      hexes, (int64_t)(sizeof hexes / sizeof *hexes));                             \
    } while (0)
#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

Test(datadings_save, integers_in_their_shortest_form)
{
    EXPECT_NUMBERS(I8, int64_t,
                   LIST(0, 127, 128, 255, 256, 65535, 65536, UINT32_MAX, INT64_C(4294967296),
                        INT64_MAX, -1, -32, -33, -128, -129, -32768, -32769, INT32_MIN,
                        INT64_C(-2147483649), -INT64_MAX, INT64_MIN),
                   "00", "7F", "CC80", "CCFF", "CD0100", "CDFFFF", "CE00010000", "CEFFFFFFFF",
                   "CF0000000100000000", "CF7FFFFFFFFFFFFFFF", "FF", "E0", "D0DF", "D080", "D1FF7F",
                   "D18000", "D2FFFF7FFF", "D280000000", "D3FFFFFFFF7FFFFFFF", "D38000000000000001",
                   "C0");
    EXPECT_NUMBERS(I1, int8_t, LIST(0, 127, -1, -127, INT8_MIN), "00", "7F", "FF", "D081", "C0");
    EXPECT_NUMBERS(I2, int16_t, LIST(1, INT16_MAX, -300, INT16_MIN), "01", "CD7FFF", "D1FED4",
                   "C0");
    EXPECT_NUMBERS(I4, int32_t, LIST(1, INT32_MAX, -70000, INT32_MIN), "01", "CE7FFFFFFF",
                   "D2FFFEEE90", "C0");
    EXPECT_NUMBERS(U1, uint8_t, LIST(0, 128, 255), "00", "CC80", "CCFF");
    EXPECT_NUMBERS(U2, uint16_t, LIST(0, 65535), "00", "CDFFFF");
    EXPECT_NUMBERS(U4, uint32_t, LIST(0, UINT32_MAX), "00", "CEFFFFFFFF");
    EXPECT_NUMBERS(U8, uint64_t, LIST(0, UINT64_MAX), "00", "CFFFFFFFFFFFFFFFFF");
    EXPECT_NUMBERS(TS, int64_t, LIST(-1, 10000000, INT64_MIN), "FF", "CE00989680", "C0");
    EXPECT_NUMBERS(DT, int64_t, LIST(0, INT64_MIN), "00", "C0");
    EXPECT_NUMBERS(BL, int8_t, LIST(0, 1, DV_BL_NA, 7), "C2", "C3", "C0", "C0");
}

/* NaN with other bits than NA is written as a number. */
Test(datadings_save, reals_bit_by_bit)
{
    EXPECT_NUMBERS(R4, uint32_t, LIST(0x3FC00000, 0x80000000, 0x7FC00001, DV_R4_NA_BITS),
                   "CA3FC00000", "CA80000000", "CA7FC00001", "C0");
    EXPECT_NUMBERS(R8, uint64_t,
                   LIST(UINT64_C(0x3FE0000000000000), UINT64_C(0x7FF8000000000000), DV_R8_NA_BITS),
                   "CB3FE0000000000000", "CB7FF8000000000000", "C0");
}

Test(datadings_save, keys_as_their_numbers)
{
    static const uint16_t numbers[] = {0, 1, 300};
    static const char *const hexes[] = {"00", "01", "CD012C"};
    expect_values(dvt_made_fixed(dv_type_key(DV_KIND_U2, 0, 10), numbers, 3), hexes, 3);
}

Test(datadings_save, instants_in_utc)
{
    static const int64_t ticks[] = {INT64_C(36000000000), 0, DV_TICKS_NA};
    static const int16_t minutes[] = {60, -1, 5};
    static const char *const hexes[] = {"00", "CE23C34600", "C0"};
    dv_column_view column = {.type = dv_type_of(DV_KIND_DZ), .layout = DV_LAYOUT_ZONED, .rows = 3};
    column.as.zoned.ticks = (dv_buffer){ticks, sizeof ticks, NULL, true, true};
    column.as.zoned.minutes = (dv_buffer){minutes, sizeof minutes, NULL, true, true};
    expect_values(column, hexes, 3);
}

Test(datadings_save, texts_and_bytes)
{
    static const char *const texts[] = {"", "\xC3\xBC", NULL};
    static const char *const text_hexes[] = {"A0", "A2C3BC", "C0"};
    static const char *const bytes[] = {"", "FF 00", "C1"};
    static const char *const byte_hexes[] = {"C400", "C402FF00", "C401C1"};
    dv_column_view column = dvt_texts_of(DV_KIND_TX, texts, 3);
    expect_values(column, text_hexes, 3);
    dvt_texts_free(&column);
    column = dvt_hexes_of(bytes, 3);
    expect_values(column, byte_hexes, 3);
    dvt_texts_free(&column);
}

/* Lengths at which the encoding changes. */
Test(datadings_save, long_texts_have_longer_heads)
{
    static const struct {
        size_t n;
        const char *text, *bytes;
    } cases[] = {{31, "BF", "C41F"},
                 {32, "D920", "C420"},
                 {255, "D9FF", "C4FF"},
                 {256, "DA0100", "C50100"},
                 {1000, "DA03E8", "C503E8"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int is_text = 0; is_text < 2; is_text++) {
            char *x = calloc(1, cases[i].n + 1), hex[2100];
            memset(x, 'x', cases[i].n);
            size_t at =
                (size_t)snprintf(hex, sizeof hex, "%s", is_text ? cases[i].text : cases[i].bytes);
            for (size_t k = 0; k < cases[i].n; k++, at += 2)
                snprintf(hex + at, 3, "78");
            dv_column_view column =
                dvt_texts_of(is_text ? DV_KIND_TX : DV_KIND_BY, (const char *const *)&x, 1);
            const char *const hexes[] = {hex};
            expect_values(column, hexes, 1);
            dvt_texts_free(&column);
            free(x);
        }
}

/* --- Vectors ---------------------------------------------------------------------------------- */

#define ND "85C4026E64C3C40474797065"          /* up to the dtype */
#define SHAPE "C4046B696E64C400C4057368617065" /* up to the shape */
#define DATA "C40464617461"                    /* up to the items */

/* Rows with this number of slots, dense if the count is -1. */
static dv_column_view vector_of(dv_type type, const dv_column_view *items, const int32_t *lengths,
                                const int32_t *counts, const int32_t *indices, int64_t rows)
{
    dv_column_view column = {.type = type, .layout = DV_LAYOUT_VECTOR, .rows = rows};
    column.as.vector =
        (dv_vector_layout){.length = lengths ? 0 : type.size,
                           .lengths = {lengths, lengths ? 4 * (size_t)rows : 0, NULL, true, true},
                           .counts = {counts, 4 * (size_t)rows, NULL, true, true},
                           .indices = {indices, indices ? 4 * 16 : 0, NULL, true, true},
                           .items = items};
    return column;
}

Test(datadings_save, an_array_with_its_dims)
{
    static const float numbers[] = {0, 1, 2, 3, 4, 5};
    static const int32_t counts[] = {-1}, dims[] = {2, 3};
    static const char *const hexes[] = {ND "A33C6634" SHAPE "920203" DATA
                                           "C418000000000000803F0000004000004040000080400000A040"};
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), numbers, 6);
    expect_values(
        vector_of(dv_type_tensor(dv_type_of(DV_KIND_R4), dims, 2), &items, NULL, counts, NULL, 1),
        hexes, 1);
}

/* Sparse rows are filled with defaults; each row has its own shape. */
Test(datadings_save, sparse_rows_become_dense)
{
    static const uint16_t numbers[] = {0x101, 0x202, 0x303, 0x404};
    static const int32_t lengths[] = {4, 0, 1, 2}, counts[] = {2, -1, 0, -1};
    static const int32_t indices[16] = {1, 3};
    static const char *const hexes[] = {ND "A33C7532" SHAPE "9104" DATA "C4080000010100000202",
                                        ND "A33C7532" SHAPE "9100" DATA "C400",
                                        ND "A33C7532" SHAPE "9101" DATA "C4020000",
                                        ND "A33C7532" SHAPE "9102" DATA "C40403030404"};
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_U2), numbers, 4);
    expect_values(
        vector_of(dv_type_vector(dv_type_of(DV_KIND_U2), 0), &items, lengths, counts, indices, 4),
        hexes, 4);
}

/* One item that is zero, of each kind: its dtype. */
Test(datadings_save, every_dtype)
{
    static const struct {
        dv_kind kind;
        const char *hex;
    } cases[] = {{DV_KIND_I1, "A37C6931"}, {DV_KIND_U1, "A37C7531"}, {DV_KIND_I2, "A33C6932"},
                 {DV_KIND_U2, "A33C7532"}, {DV_KIND_I4, "A33C6934"}, {DV_KIND_U4, "A33C7534"},
                 {DV_KIND_I8, "A33C6938"}, {DV_KIND_U8, "A33C7538"}, {DV_KIND_R4, "A33C6634"},
                 {DV_KIND_R8, "A33C6638"}, {DV_KIND_BL, "A37C6231"}, {DV_KIND_TS, "A33C6938"},
                 {DV_KIND_DT, "A33C6938"}};
    static const uint64_t zero;
    static const int32_t counts[] = {-1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char hex[200];
        const char *const hexes[] = {hex};
        const dv_type type = dv_type_of(cases[i].kind);
        const int width = dv_kind_width(cases[i].kind);
        const dv_column_view items = dvt_made_fixed(type, &zero, 1);
        snprintf(hex, sizeof hex, ND "%s" SHAPE "9101" DATA "C4%02X%0*d", cases[i].hex, width,
                 2 * width, 0);
        expect_values(vector_of(dv_type_vector(type, 1), &items, NULL, counts, NULL, 1), hexes, 1);
    }
}

Test(datadings_save, vectors_of_types_that_numpy_lacks)
{
    static const int8_t bools[] = {1, 0, DV_BL_NA};
    static const int64_t ticks[] = {INT64_C(600000000), DV_TICKS_NA};
    static const int16_t minutes[] = {1, 1};
    static const int32_t dense[] = {-1}, one[] = {1}, indices[16] = {1};
    static const char *const bool_hexes[] = {ND "A37C6231" SHAPE "9103" DATA "C403010000"};
    static const char *const zoned_hexes[] = {ND "A33C6938" SHAPE "9102" DATA
                                                 "C41000000000000000000000000000000080"};
    static const char *const texts[] = {"a", NULL}, *const text_hexes[] = {"92A161C0"};
    static const char *const sparse_hexes[] = {"92A0A161"}, *const bytes_hexes[] = {"92C400C40161"};
    dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_BL), bools, 3);
    expect_values(vector_of(dv_type_vector(items.type, 3), &items, NULL, dense, NULL, 1),
                  bool_hexes, 1);

    items = (dv_column_view){.type = dv_type_of(DV_KIND_DZ), .layout = DV_LAYOUT_ZONED, .rows = 2};
    items.as.zoned.ticks = (dv_buffer){ticks, sizeof ticks, NULL, true, true};
    items.as.zoned.minutes = (dv_buffer){minutes, sizeof minutes, NULL, true, true};
    expect_values(vector_of(dv_type_vector(items.type, 2), &items, NULL, dense, NULL, 1),
                  zoned_hexes, 1);

    items = dvt_texts_of(DV_KIND_TX, texts, 2);
    expect_values(vector_of(dv_type_vector(items.type, 2), &items, NULL, dense, NULL, 1),
                  text_hexes, 1);
    expect_values(vector_of(dv_type_vector(items.type, 2), &items, NULL, one, indices, 1),
                  sparse_hexes, 1);
    dvt_texts_free(&items);
    items = dvt_texts_of(DV_KIND_BY, texts, 1);
    expect_values(vector_of(dv_type_vector(items.type, 2), &items, NULL, one, indices, 1),
                  bytes_hexes, 1);
    dvt_texts_free(&items);
}

Test(datadings_save, opaque_values_as_they_are)
{
    static const char *const values[] = {"92 01 C7 00 05", "", "CD 0001"};
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = {.columns = 1,
                            .rows = 3,
                            .block_rows = 2,
                            .bad_row = -1,
                            .name = {"x"},
                            .metadata_kind = "MsgpackOpaque",
                            .metadata = dvt_true_mark()};
    options.datadings = "key=rownumber";
    table.column[0] = dvt_hexes_of(values, 3);
    dv_view *view = dvt_made_table_open(&table, NULL);
    cr_expect_str_eq(dvt_datadings_hex(view, &options), "82" KEY "A130" X "9201C70005"
                                                        "81" KEY "A131"
                                                        "82" KEY "A132" X "CD0001");
    dv_view_release(&view);
    dvt_table_free_texts(&table);
}

/* --- Keys ------------------------------------------------------------------------------------- */

Test(datadings_save, keys_from_another_column_or_none)
{
    static const char *const texts[] = {"p", "q"};
    static const int8_t bools[] = {0, 1};
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = {
        .columns = 2, .rows = 2, .block_rows = 5, .bad_row = -1, .name = {"x", "my key"}};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_BL), bools, 2);
    table.column[1] = dvt_texts_of(DV_KIND_TX, texts, 2);
    dv_view *view = dvt_made_table_open(&table, NULL);
    options.datadings = "key={my key}";
    cr_expect_str_eq(dvt_datadings_hex(view, &options), "83" KEY "A170" X "C2A66D79206B6579A170"
                                                        "83" KEY "A171" X "C3A66D79206B6579A171");
    static const int32_t first[] = {0};
    options.columns = first;
    options.columns_count = 1;
    cr_expect_str_eq(dvt_datadings_hex(view, &options), "82" KEY "A170" X "C2"
                                                        "82" KEY "A171" X "C3");
    options.datadings = "key=rownumber";
    options.columns_count = 0;
    cr_expect_str_eq(dvt_datadings_hex(view, &options), "81" KEY "A13081" KEY "A131");
    table.rows_unknown = true; /* ten digits, enough for any number of rows */
    cr_expect_str_eq(dvt_datadings_hex(view, &options), "81" KEY "AA30303030303030303030"
                                                        "81" KEY "AA30303030303030303031");
    dv_view_release(&view);
    dvt_table_free_texts(&table);
}

/* --- Large files ------------------------------------------------------------------------------ */

/* Several buffers, digested by a second thread. */
Test(datadings_save, any_number_of_threads_writes_the_same)
{
    enum { ROWS = 300000 };
    int64_t *numbers = malloc(ROWS * sizeof *numbers);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = many_rows(numbers, ROWS);
    dv_view *view = dvt_made_table_open(&table, NULL);
    char first[33] = "";
    for (options.threads = 1; options.threads <= 3; options.threads += 2) {
        dv_error err = DV_ERROR_INIT;
        const dvt_path path = path_of("many.msgpack", 0), md5 = path_of("many.msgpack", 5);
        cr_assert_eq(dvt_datadings_save(view, path.text, &options, &err), DV_OK, "%s", err.message);
        size_t nbytes;
        uint8_t *lines = dvt_file_read(md5.text, &nbytes);
        const char *truth = dvt_md5_of(path.text);
        cr_expect_eq(memcmp(lines, truth, 32), 0);
        cr_expect(!*first || strcmp(first, truth) == 0);
        memcpy(first, truth, 33);
        free(lines);
    }
    dv_view_release(&view);
    dvt_table_free_texts(&table);
    free(numbers);
}

/* A message of several buffers. */
Test(datadings_save, a_large_value)
{
    const size_t n = (size_t)5 << 20;
    uint8_t *bytes = dvt_pattern(n);
    const int32_t end = (int32_t)n;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1, .name = {"x"}};
    dv_buffer file;
    options.datadings = "key=rownumber";
    table.column[0] = dvt_made_text(DV_KIND_BY, (const char *)bytes, &end, 1);
    dv_view *view = dvt_made_table_open(&table, NULL);
    cr_assert_eq(dvt_datadings_save_memory(view, &file, &options, NULL), DV_OK);
    cr_assert_eq(file.nbytes, 14 + n);
    cr_expect_eq(memcmp(file.data,
                        "\x82\xA3key\xA1"
                        "0\xA1x\xC6\0\x50\0\0",
                        14),
                 0);
    cr_expect_eq(memcmp((const char *)file.data + 14, bytes, n), 0);
    dv_buffer_release(&file);
    dv_view_release(&view);
    free(bytes);
}
