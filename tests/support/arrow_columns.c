/* SPDX-License-Identifier: MIT */
/* arrow_columns.c: a column of each Arrow type, with an offset, and with nulls or without. */
#include "support/arrow_columns.h"
#include <math.h>
#include <string.h>

/* --- Columns ---------------------------------------------------------------------------------- */

/* A column "x" of values; its first one is before the offset. valid: from the offset on. */
static dvt_arrow *fixed(const char *format, const void *values, size_t nbytes, int64_t n,
                        const char *valid)
{
    char bits[20] = "0";
    dvt_arrow *node = dvt_arrow_make(format, "x", n - 1);
    dvt_arrow_fill(node, 1, values, nbytes);
    if (valid) {
        strcat(bits, valid);
        dvt_arrow_validity(node, bits);
        node->array.null_count--;
    }
    node->array.offset = 1;
    return node;
}

#define FIXED(name, format, type, valid, ...)                                                      \
    dvt_arrow *dvt_arrow_##name(void)                                                              \
    {                                                                                              \
        static const type values[] = {__VA_ARGS__};                                                \
        return fixed(format, values, sizeof values, sizeof values / sizeof *values, valid);        \
    }
FIXED(i1, "c", int8_t, NULL, 99, -5, 127, 0)
FIXED(i1_na, "c", int8_t, "101", 99, -5, 127, 0)
FIXED(i4, "i", int32_t, NULL, 99, 7, -8, 9)
FIXED(i4_na, "i", int32_t, "110", 99, 7, -8, INT32_MIN)
FIXED(i4_min, "i", int32_t, NULL, 99, 7, INT32_MIN)
FIXED(i8, "l", int64_t, "11", 99, INT64_C(1) << 53, (INT64_C(1) << 53) + 1)
FIXED(u1, "C", uint8_t, NULL, 99, 1, 255, 3)
FIXED(u1_na, "C", uint8_t, "101", 99, 1, 255, 3)
FIXED(u8, "L", uint64_t, NULL, 99, 5, UINT64_MAX)
FIXED(half, "e", uint16_t, "1110", 0, 0x3C00, 0xC100, 0x7C00, 0x0001)
FIXED(r4, "f", float, "101", 0, 1.5F, 2.5F, -0.5F)
FIXED(r8, "g", double, "101", 0, 3, 2.5, -4)
FIXED(r8_part, "g", double, NULL, 0, 3, 2.5)
FIXED(r8_nan, "g", double, NULL, 0, 3, NAN, 4)
FIXED(r8_nan_na, "g", double, "110", 0, 3, NAN, 4)
FIXED(decimals, "d:9,2,32", int32_t, "1101", 0, 150, -225, 7, 10)
FIXED(decimals_wide, "d:18,0,64", int64_t, "101", 0, 123456789012345678, 7, -5)
FIXED(decimals_fine, "d:18,1,64", int64_t, NULL, 0, 90071992547409930, 90071992547409931)
FIXED(date32, "tdD", int32_t, "110", 0, 1, -1, 7)
FIXED(date64, "tdm", int64_t, NULL, 0, 86400000, -1)
FIXED(time32, "tts", int32_t, "10", 0, 61, 7)
FIXED(time64, "ttn", int64_t, NULL, 0, 100, -100)
FIXED(stamp_s, "tss:", int64_t, "10", 0, 1, 7)
FIXED(stamp_us, "tsu:UTC", int64_t, "10", 0, 1, 7)
FIXED(stamp_ns, "tsn:", int64_t, NULL, 0, 100, 199)
FIXED(stamp_ns_before, "tsn:Europe/Berlin", int64_t, NULL, 0, -100, -199)
FIXED(span, "tDm", int64_t, "101", 0, 5, 6, -7)

dvt_arrow *dvt_arrow_bools(void)
{
    static const uint8_t bits[2] = {0x5A, 0x02}; /* 0 1 0 1 1 0 1 0 0 1 */
    dvt_arrow *node = dvt_arrow_make("b", "x", 8);
    dvt_arrow_fill(node, 1, bits, sizeof bits);
    dvt_arrow_validity(node, "1111111011");
    node->array.offset = 2;
    return node;
}

dvt_arrow *dvt_arrow_nulls(void)
{
    return dvt_arrow_make("n", "x", 3);
}

static const char bytes[] = "00aebbbbbbbbbbbbbbbbbbcccc";

/* "a", "e", null with bytes, 18 times b, "" */
static dvt_arrow *texts_of(const char *format, bool is_large)
{
    static const int32_t small[] = {0, 2, 3, 4, 4, 22, 22};
    static const int64_t large[] = {0, 2, 3, 4, 4, 22, 22};
    dvt_arrow *node = dvt_arrow_make(format, "x", 5);
    dvt_arrow_fill(node, 1, is_large ? (const void *)large : small,
                   is_large ? sizeof large : sizeof small);
    dvt_arrow_fill(node, 2, bytes, sizeof bytes - 1);
    node->array.offset = 1;
    return node;
}

dvt_arrow *dvt_arrow_utf8(void)
{
    return texts_of("u", false);
}

dvt_arrow *dvt_arrow_utf8_na(void)
{
    dvt_arrow *node = texts_of("u", false);
    dvt_arrow_validity(node, "101111"); /* "a" is null */
    return node;
}

dvt_arrow *dvt_arrow_large_utf8(void)
{
    dvt_arrow *node = texts_of("U", true);
    dvt_arrow_validity(node, "111011"); /* the empty one */
    return node;
}

dvt_arrow *dvt_arrow_binary(void)
{
    return texts_of("z", false);
}

dvt_arrow *dvt_arrow_large_binary_na(void)
{
    dvt_arrow *node = texts_of("Z", true);
    dvt_arrow_validity(node, "110111"); /* "e" */
    return node;
}

static dvt_arrow *view_of(const char *format, const char *valid)
{
    struct {
        int32_t nbytes;
        char prefix[4];
        int32_t buffer, offset;
    } values[] = {{.nbytes = -1}, {2, "xy", 0, 0}, {18, {'b', 'b', 'b', 'b'}, 1, 4}, {.nbytes = 0}};
    static const int64_t sizes[2] = {0, 22};
    dvt_arrow *node = fixed(format, values, sizeof values, 4, valid);
    node->array.n_buffers = 5;
    dvt_arrow_fill(node, 3, bytes, 22);
    dvt_arrow_fill(node, 4, sizes, sizeof sizes);
    return node;
}

dvt_arrow *dvt_arrow_utf8_view(void)
{
    return view_of("vu", "111");
}

dvt_arrow *dvt_arrow_binary_view(void)
{
    return view_of("vz", NULL);
}

dvt_arrow *dvt_arrow_utf8_view_na(void)
{
    return view_of("vu", "101");
}

dvt_arrow *dvt_arrow_fixed_binary(void)
{
    return fixed("w:2", "00aabb", 6, 3, NULL);
}

dvt_arrow *dvt_arrow_guids(void)
{
    dvt_arrow *node = fixed("w:16", "0123456789abcdefABCDEFGHIJKLMNOP", 32, 2, NULL);
    dvt_arrow_annotate(node, "dataview.type", "UG");
    return node;
}

/* --- Nested ----------------------------------------------------------------------------------- */

dvt_arrow *dvt_arrow_item(void)
{
    static const int16_t values[] = {9, 1, 2, 3, 4, 5, 6, 7};
    dvt_arrow *node = dvt_arrow_make("s", "item", 7);
    dvt_arrow_fill(node, 1, values, sizeof values);
    node->array.offset = 1;
    return node;
}

dvt_arrow *dvt_arrow_item_na(void)
{
    dvt_arrow *node = dvt_arrow_item();
    dvt_arrow_validity(node, "11011111");
    return node;
}

/* [1] [2 3 4] [] from the offset on */
static dvt_arrow *list_of(const char *format, bool is_large, dvt_arrow *items)
{
    static const int32_t small[] = {0, 0, 1, 4, 4};
    static const int64_t large[] = {0, 0, 1, 4, 4};
    dvt_arrow *node = fixed(format, is_large ? (const void *)large : small,
                            is_large ? sizeof large : sizeof small, 4, NULL);
    return dvt_arrow_add(node, items);
}

dvt_arrow *dvt_arrow_list(void)
{
    return list_of("+l", false, dvt_arrow_item());
}

dvt_arrow *dvt_arrow_list_na(void)
{
    dvt_arrow *node = list_of("+l", false, dvt_arrow_item_na());
    dvt_arrow_validity(node, "1011"); /* [1] is null, with an item */
    return node;
}

dvt_arrow *dvt_arrow_large_list(void)
{
    return list_of("+L", true, dvt_arrow_item_na());
}

dvt_arrow *dvt_arrow_list_view(void)
{
    static const int32_t sizes[] = {9, 2, 0, 3};
    static const int32_t offsets[] = {9, 5, 0, 0};
    dvt_arrow *node = fixed("+vl", offsets, sizeof offsets, 4, NULL);
    dvt_arrow_fill(node, 2, sizes, sizeof sizes);
    return dvt_arrow_add(node, dvt_arrow_item());
}

dvt_arrow *dvt_arrow_large_list_view(void)
{
    static const int64_t sizes[] = {9, 2, 0, 3};
    static const int64_t offsets[] = {9, 5, 0, 0};
    dvt_arrow *node = fixed("+vL", offsets, sizeof offsets, 4, NULL);
    dvt_arrow_fill(node, 2, sizes, sizeof sizes);
    return dvt_arrow_add(node, dvt_arrow_item());
}

dvt_arrow *dvt_arrow_squares(void)
{
    dvt_arrow *node = dvt_arrow_add(dvt_arrow_make("+w:2", "x", 2), dvt_arrow_item_na());
    node->array.offset = 1;
    return node;
}

dvt_arrow *dvt_arrow_squares_na(void)
{
    dvt_arrow *node = dvt_arrow_squares();
    dvt_arrow_validity(node, "101");
    return node;
}

dvt_arrow *dvt_arrow_points(void)
{
    return dvt_arrow_add(dvt_arrow_make("+w:0", "x", 2), dvt_arrow_item());
}

dvt_arrow *dvt_arrow_tensors(void)
{
    dvt_arrow *node = dvt_arrow_add(dvt_arrow_make("+w:6", "x", 1), dvt_arrow_item());
    dvt_arrow_annotate(node, "ARROW:extension:name", "arrow.fixed_shape_tensor");
    dvt_arrow_annotate(node, "ARROW:extension:metadata",
                       "{ \"dim_names\" : [\"a\", \"b]\" ], \"shape\" : [ 3 , 2 ] }");
    return node;
}

/* 1.5, null, -(2^64) / 10, 0.1. */
dvt_arrow *dvt_arrow_decimals_128(void)
{
    static const int64_t words[] = {0, 0, 15, 0, 7, 7, 0, -1, 1, 0};
    dvt_arrow *node = dvt_arrow_make("d:38,1", "x", 4);
    dvt_arrow_fill(node, 1, words, sizeof words);
    dvt_arrow_validity(node, "11011");
    node->array.offset = 1;
    node->array.null_count = 1;
    return node;
}

/* -1, 2^255 - 1: 77 digits. */
dvt_arrow *dvt_arrow_decimals_256(void)
{
    static const int64_t words[] = {-1, -1, -1, -1, -1, -1, -1, INT64_MAX};
    dvt_arrow *node = dvt_arrow_make("d:76,-2,256", "x", 2);
    dvt_arrow_fill(node, 1, words, sizeof words);
    return node;
}

static dvt_arrow *tensor(const char *metadata)
{
    dvt_arrow *node = dvt_arrow_add(dvt_arrow_make("+w:6", "x", 1), dvt_arrow_item());
    dvt_arrow_annotate(node, "ARROW:extension:name", "arrow.fixed_shape_tensor");
    dvt_arrow_annotate(node, "ARROW:extension:metadata", metadata);
    return node;
}

dvt_arrow *dvt_arrow_turned(void)
{
    return tensor("{\"shape\":[3,2],\"permutation\":[1,0],\"dim_names\":null}");
}

dvt_arrow *dvt_arrow_named(void)
{
    return tensor("{\"dim_names\":[\"a\\\"\",null],\"permutation\":[1,0],\"shape\":[3,2]}");
}

dvt_arrow *dvt_arrow_strided(void)
{
    return tensor("{\"shape\":[3,2],\"strides\":[1,3]}");
}

/* The axes of an image, which producers turn in two ways. */
dvt_arrow *dvt_arrow_cycled(void)
{
    return tensor("{\"shape\":[1,3,2],\"permutation\":[2,0,1]}");
}

dvt_arrow *dvt_arrow_twisted(void)
{
    return tensor("{\"shape\":[3,2],\"permutation\":[1,1]}");
}

dvt_arrow *dvt_arrow_truths(void)
{
    dvt_arrow *node = dvt_arrow_make("c", "x", 3);
    dvt_arrow_fill(node, 1, "\0\1\2", 3);
    node->array.length = 2;
    dvt_arrow_annotate(node, "ARROW:extension:name", "arrow.bool8");
    return node;
}

/* Numbers, and texts, of a type that only their producer knows. */
dvt_arrow *dvt_arrow_degrees(void)
{
    dvt_arrow *node = dvt_arrow_r4();
    dvt_arrow_annotate(node, "ARROW:extension:name", "weather.degrees");
    dvt_arrow_annotate(node, "ARROW:extension:metadata", "F");
    return node;
}

dvt_arrow *dvt_arrow_degrees_text(void)
{
    dvt_arrow *node = dvt_arrow_utf8();
    dvt_arrow_annotate(node, "ARROW:extension:name", "weather.degrees");
    return node;
}

dvt_arrow *dvt_arrow_matrices(void)
{
    dvt_arrow *rows = dvt_arrow_add(dvt_arrow_make("+w:3", "item", 2), dvt_arrow_item());
    return dvt_arrow_add(dvt_arrow_make("+w:2", "x", 1), rows);
}

static dvt_arrow *sparse_of(const int32_t *indices, const char *type)
{
    dvt_arrow *index = dvt_arrow_make("i", "index", 7);
    dvt_arrow_fill(index, 1, indices, 8 * sizeof *indices);
    index->array.offset = 1;
    dvt_arrow *pair =
        dvt_arrow_add(dvt_arrow_add(dvt_arrow_make("+s", "item", 7), index), dvt_arrow_item());
    dvt_arrow *node = list_of("+l", false, pair);
    dvt_arrow_annotate(node, "dataview.type", type);
    return node;
}

dvt_arrow *dvt_arrow_sparse(void)
{
    static const int32_t indices[] = {9, 8, 0, 5, 7, 1, 2, 3};
    return sparse_of(indices, "V<I2,10>");
}

/* The second row has an item in every slot. */
dvt_arrow *dvt_arrow_sparse_full(void)
{
    static const int32_t indices[] = {9, 1, 0, 1, 2, 1, 2, 3};
    return sparse_of(indices, "V<I2,3>");
}

dvt_arrow *dvt_arrow_strings(void)
{
    dvt_arrow *texts = dvt_arrow_utf8_na();
    return list_of("+l", false, texts);
}

dvt_arrow *dvt_arrow_pair(void)
{
    dvt_arrow *a = dvt_arrow_i4();
    a->schema.name = "a";
    dvt_arrow *b = dvt_arrow_r4();
    b->schema.name = "b";
    return dvt_arrow_add(dvt_arrow_add(dvt_arrow_make("+s", "x", 3), a), b);
}

dvt_arrow *dvt_arrow_pair_na(void)
{
    dvt_arrow *node = dvt_arrow_pair();
    dvt_arrow_validity(node, "011");
    return node;
}

dvt_arrow *dvt_arrow_zoned(void)
{
    static const int16_t minutes[] = {0, 60, -60, 0};
    dvt_arrow *time = dvt_arrow_stamp_us();
    time->array.length = 2;
    dvt_arrow *offset = dvt_arrow_make("s", "offset_minutes", 2);
    dvt_arrow_fill(offset, 1, minutes, sizeof minutes);
    offset->array.offset = 1;
    dvt_arrow *node = dvt_arrow_add(dvt_arrow_add(dvt_arrow_make("+s", "x", 2), time), offset);
    dvt_arrow_annotate(node, "ARROW:extension:name", "arrow.timestamp_with_offset");
    return node;
}

/* --- Dictionaries ----------------------------------------------------------------------------- */

FIXED(codes, "c", int8_t, "1101", 99, 1, 3, 99, 0)
FIXED(unsigned_codes, "I", uint32_t, NULL, 99, 1, 3, 0)
FIXED(numbers, "S", uint16_t, "110", 99, 7, 5, 3)
FIXED(few, "c", int8_t, NULL, 99, 1, 0, 0, 1)

dvt_arrow *dvt_arrow_words(void)
{
    return dvt_arrow_encode(dvt_arrow_codes(), dvt_arrow_utf8());
}

dvt_arrow *dvt_arrow_words_na(void)
{
    return dvt_arrow_encode(dvt_arrow_unsigned_codes(), dvt_arrow_utf8_na());
}

dvt_arrow *dvt_arrow_digits(void)
{
    return dvt_arrow_encode(dvt_arrow_few(), dvt_arrow_numbers());
}

dvt_arrow *dvt_arrow_lists_of_words(void)
{
    dvt_arrow *items = dvt_arrow_words();
    items->schema.name = "item";
    return list_of("+l", false, items);
}

dvt_arrow *dvt_arrow_classes(void)
{
    dvt_arrow *node = dvt_arrow_numbers();
    dvt_arrow_annotate(node, "dataview.type", "U1[5-20]");
    return node;
}

dvt_arrow *dvt_arrow_meant(void)
{
    dvt_arrow *node = dvt_arrow_classes();
    dvt_arrow_annotate(node, "dataview.keys", "meant");
    return node;
}

dvt_arrow *dvt_arrow_stored(void)
{
    dvt_arrow *node = dvt_arrow_classes();
    dvt_arrow_annotate(node, "dataview.keys", "stored");
    return node;
}

/* Of a consumer that kept the metadata, and changed the column. */
dvt_arrow *dvt_arrow_changed(void)
{
    dvt_arrow *node = dvt_arrow_r8();
    dvt_arrow_annotate(node, "dataview.type", "R4");
    dvt_arrow_annotate(node, "dataview.meta.Odd", "no value");
    return node;
}
