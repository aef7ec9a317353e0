/* SPDX-License-Identifier: MIT */
/* test_arrow_hostile.c: schemas and arrays that violate Arrow's format, or that have no place here:
 * the error that each must give, at the import or when its rows are read. */
#include "support/arrow_made.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/save.h>
#include <string.h>

#define N 4 /* rows */

/* --- Sound columns, which cases change -------------------------------------------------------- */

static dvt_arrow *ints(void)
{
    static const int32_t values[N] = {1, 2, 3, 4};
    dvt_arrow *node = dvt_arrow_make("i", "x", N);
    dvt_arrow_fill(node, 1, values, sizeof values);
    return node;
}

static dvt_arrow *texts(void)
{
    static const int32_t offsets[N + 1] = {0, 1, 3, 3, 5};
    dvt_arrow *node = dvt_arrow_make("u", "x", N);
    dvt_arrow_fill(node, 1, offsets, sizeof offsets);
    dvt_arrow_fill(node, 2, "abcde", 5);
    return node;
}

static dvt_arrow *large_texts(void)
{
    static const int64_t offsets[N + 1] = {0, 1, 3, 3, 5};
    dvt_arrow *node = dvt_arrow_make("U", "x", N);
    dvt_arrow_fill(node, 1, offsets, sizeof offsets);
    dvt_arrow_fill(node, 2, "abcde", 5);
    return node;
}

/* The second text is in buffer 0, from byte 2 on. */
static dvt_arrow *views(void)
{
    struct {
        int32_t nbytes;
        char prefix[4];
        int32_t buffer, offset;
    } values[N] = {{.nbytes = 1}, {14, {'c', 'd', 'e', 'f'}, 0, 2}, {.nbytes = 0}, {.nbytes = 4}};
    static const int64_t sizes[1] = {16};
    dvt_arrow *node = dvt_arrow_make("vu", "x", N);
    node->array.n_buffers = 4;
    dvt_arrow_fill(node, 1, values, sizeof values);
    dvt_arrow_fill(node, 2, "abcdefghijklmnop", 16);
    dvt_arrow_fill(node, 3, sizes, sizeof sizes);
    return node;
}

static dvt_arrow *lists(void)
{
    static const int32_t offsets[N + 1] = {0, 1, 3, 3, 4};
    dvt_arrow *node = dvt_arrow_make("+l", "x", N);
    dvt_arrow_fill(node, 1, offsets, sizeof offsets);
    return dvt_arrow_add(node, ints());
}

static dvt_arrow *list_views(void)
{
    static const int32_t offsets[N] = {2, 0, 1, 0}, sizes[N] = {2, 1, 0, 4};
    dvt_arrow *node = dvt_arrow_make("+vl", "x", N);
    dvt_arrow_fill(node, 1, offsets, sizeof offsets);
    dvt_arrow_fill(node, 2, sizes, sizeof sizes);
    return dvt_arrow_add(node, ints());
}

static dvt_arrow *pairs(void)
{
    static const int32_t offsets[N + 1] = {0, 1, 3, 3, 4};
    dvt_arrow *node = dvt_arrow_make("+l", "x", N);
    dvt_arrow *item = dvt_arrow_make("+s", "item", N);
    static const int32_t indices[N] = {8, 0, 9, 3};
    dvt_arrow *index = dvt_arrow_make("i", "index", N);
    dvt_arrow_fill(node, 1, offsets, sizeof offsets);
    dvt_arrow_fill(index, 1, indices, sizeof indices);
    dvt_arrow_annotate(node, "dataview.type", "V<I4,10>");
    return dvt_arrow_add(node, dvt_arrow_add(dvt_arrow_add(item, index), ints()));
}

static dvt_arrow *squares(void)
{
    return dvt_arrow_add(dvt_arrow_make("+w:2", "x", N / 2), ints());
}

static dvt_arrow *words(void)
{
    static const int8_t codes[N] = {0, 3, 1, 1};
    dvt_arrow *node = dvt_arrow_make("c", "x", N);
    dvt_arrow_fill(node, 1, codes, sizeof codes);
    return dvt_arrow_encode(node, texts());
}

static dvt_arrow *times(void)
{
    static const int64_t values[N] = {0, 1, 2, 3};
    dvt_arrow *node = dvt_arrow_make("tss:", "x", N);
    dvt_arrow_fill(node, 1, values, sizeof values);
    return node;
}

/* --- Cases ------------------------------------------------------------------------------------ */

#define FORMAT(name, text)                                                                         \
    static void name(dvt_arrow *x)                                                                 \
    {                                                                                              \
        x->schema.format = text;                                                                   \
    }
FORMAT(no_format, NULL)
FORMAT(empty_format, "")
FORMAT(unknown_format, "q")
FORMAT(longer_format, "ii")
FORMAT(no_width, "w:")
FORMAT(negative_width, "w:-1")
FORMAT(wide_width, "w:2147483648")
FORMAT(no_unit, "ts")
FORMAT(no_colon, "tss")
FORMAT(other_unit, "tsx:")
FORMAT(decimal, "d:10,2,48")
FORMAT(month_interval, "tiM")
FORMAT(dense_union, "+ud:0")
FORMAT(sparse_union, "+us:0")
FORMAT(runs, "+r")
FORMAT(map, "+m")
FORMAT(childless_list, "+l")
FORMAT(wide_list, "+w:2147483647")

static void released_schema(dvt_arrow *x)
{
    x->schema.release = NULL;
}

static void bad_name(dvt_arrow *x)
{
    x->schema.name = "\xFF";
}

static void no_name(dvt_arrow *x)
{
    x->schema.name = NULL;
}

static void negative_children(dvt_arrow *x)
{
    x->schema.n_children = -1;
}

static void child_of_a_number(dvt_arrow *x)
{
    dvt_arrow_add(x, ints());
}

static void no_child_schemas(dvt_arrow *x)
{
    x->schema.children = NULL;
}

static void null_child_schema(dvt_arrow *x)
{
    x->schemas[0] = NULL;
}

static void negative_pairs(dvt_arrow *x)
{
    static const int32_t n = -1;
    x->schema.metadata = (const char *)&n;
}

static void negative_key(dvt_arrow *x)
{
    static const int32_t pairs_of[2] = {1, -5};
    x->schema.metadata = (const char *)pairs_of;
}

static void bad_metadata(dvt_arrow *x)
{
    dvt_arrow_annotate(x, "dataview.type", "I4");
    dvt_arrow_annotate(x, "dataview.meta.Odd", "{\"type\":\"R4\",\"value\":7}");
}

static void doubled_metadata(dvt_arrow *x)
{
    dvt_arrow_annotate(x, "dataview.type", "I4");
    dvt_arrow_annotate(x, "dataview.meta.Odd", "{\"type\":\"I4\",\"value\":7}");
    dvt_arrow_annotate(x, "dataview.meta.Odd", "{\"type\":\"I4\",\"value\":7}");
}

static void bad_tensor(dvt_arrow *x)
{
    dvt_arrow_annotate(x, "ARROW:extension:name", "arrow.fixed_shape_tensor");
    dvt_arrow_annotate(x, "ARROW:extension:metadata", "{\"shape\":[]}");
}

static void other_tensor(dvt_arrow *x)
{
    dvt_arrow_annotate(x, "ARROW:extension:name", "arrow.fixed_shape_tensor");
    dvt_arrow_annotate(x, "ARROW:extension:metadata",
                       "{\"dim_names\":[\"a\",\"b\"],\"shape\":[3,1]}");
}

static void real_indices(dvt_arrow *x)
{
    x->schema.format = "f";
}

static void nested_dictionary(dvt_arrow *x)
{
    x->dictionary->schema.format = "i";
    x->dictionary->array.n_buffers = 2;
    dvt_arrow_encode(x->dictionary, texts());
}

static void too_deep(dvt_arrow *x)
{
    dvt_arrow *node = x;
    while (node->child[0])
        node = node->child[0];
    for (int i = 0; i < 70; i++, node = node->child[0]) {
        node->schema.format = "+w:1";
        node->array.n_buffers = 1;
        dvt_arrow_add(node, dvt_arrow_make("i", "item", 1));
    }
}

#define ARRAY(name, member, value)                                                                 \
    static void name(dvt_arrow *x)                                                                 \
    {                                                                                              \
        x->array.member = value;                                                                   \
    }
ARRAY(negative_length, length, -1)
ARRAY(vast_length, length, INT64_MAX)
ARRAY(negative_offset, offset, -1)
ARRAY(vast_offset, offset, INT64_MAX)
ARRAY(low_null_count, null_count, -2)
ARRAY(high_null_count, null_count, N + 1)
ARRAY(null_count_without_bitmap, null_count, 1)
ARRAY(one_buffer, n_buffers, 1)
ARRAY(negative_buffers, n_buffers, -1)
ARRAY(no_buffers, buffers, NULL)
ARRAY(no_children, n_children, 0)
ARRAY(no_child_arrays, children, NULL)
ARRAY(no_dictionary, dictionary, NULL)

static void other_null_count(dvt_arrow *x)
{
    dvt_arrow_validity(x, "1011");
    x->array.null_count = 2;
}

static void missing_values(dvt_arrow *x)
{
    x->buffers[1] = NULL;
}

static void missing_bytes(dvt_arrow *x)
{
    x->buffers[2] = NULL;
}

static void missing_sizes(dvt_arrow *x)
{
    x->buffers[3] = NULL;
}

static void null_child(dvt_arrow *x)
{
    x->arrays[0] = NULL;
}

static void released_child(dvt_arrow *x)
{
    x->child[0]->array.release = NULL;
}

static void short_child(dvt_arrow *x)
{
    x->child[0]->array.length = 2;
}

/* Change number `at` of buffer 1. */
static void change(dvt_arrow *x, int64_t at, int32_t value)
{
    ((int32_t *)x->owned[1])[at] = value;
}

static void negative_first(dvt_arrow *x)
{
    change(x, 0, -1);
}

static void decreasing(dvt_arrow *x)
{
    change(x, 2, 0);
}

static void decreasing_large(dvt_arrow *x)
{
    change(x, 4, 0); /* offset 2 */
}

static void beyond_items(dvt_arrow *x)
{
    change(x, N, N + 1);
}

static void negative_size(dvt_arrow *x)
{
    ((int32_t *)x->owned[2])[1] = -1;
}

static void cut_character(dvt_arrow *x)
{
    memcpy(x->owned[2], "a\xC3\xA9zz", 5);
    change(x, 2, 2);
}

static void no_utf8(dvt_arrow *x)
{
    memcpy(x->owned[2], "ab\xFFzz", 5);
}

static void view_of_no_buffer(dvt_arrow *x)
{
    change(x, 4 + 2, 1);
}

static void view_beyond(dvt_arrow *x)
{
    change(x, 4 + 3, 3);
}

static void view_before(dvt_arrow *x)
{
    change(x, 4 + 3, -1);
}

static void view_negative(dvt_arrow *x)
{
    change(x, 4, -14);
}

static void code_outside(dvt_arrow *x)
{
    ((int8_t *)x->owned[1])[2] = 4;
}

static void code_negative(dvt_arrow *x)
{
    ((int8_t *)x->owned[1])[2] = -1;
}

static void index_outside(dvt_arrow *x)
{
    ((int32_t *)x->child[0]->child[0]->owned[1])[2] = 10;
}

static void index_again(dvt_arrow *x)
{
    ((int32_t *)x->child[0]->child[0]->owned[1])[2] = 0;
}

static void null_index(dvt_arrow *x)
{
    dvt_arrow_validity(x->child[0]->child[0], "1101");
}

static void null_pair(dvt_arrow *x)
{
    dvt_arrow_validity(x->child[0], "1101");
}

static void late_time(dvt_arrow *x)
{
    ((int64_t *)x->owned[1])[1] = INT64_MAX / 2;
}

static void year_10000(dvt_arrow *x)
{
    ((int64_t *)x->owned[1])[1] = INT64_C(253402300800);
}

static void sentinel(dvt_arrow *x)
{
    change(x, 1, INT32_MIN);
}

static void null_row(dvt_arrow *x)
{
    dvt_arrow_validity(x, "1011");
}

static void null_square(dvt_arrow *x)
{
    dvt_arrow_validity(x, "10");
}

static void unsigned_null(dvt_arrow *x)
{
    x->schema.format = "I";
    dvt_arrow_validity(x, "1011");
}

static void bytes_null(dvt_arrow *x)
{
    x->schema.format = "z";
    dvt_arrow_validity(x, "1011");
}

static void null_in_the_dictionary(dvt_arrow *x)
{
    x->dictionary->schema.format = "z";
    dvt_arrow_validity(x->dictionary, "1011");
}

/* make, change, status, a part of the message */
static const struct {
    const char *name;
    dvt_arrow *(*make)(void);
    void (*change)(dvt_arrow *x);
    dv_status status;
    const char *says;
} cases[] = {
#define CASE(make, change, status, says)                                                           \
    {                                                                                              \
#make "/" #change, make, change, DV_ERR_##status, says                                     \
    }
    CASE(ints, no_format, CORRUPT, "one with a format"),
    CASE(ints, empty_format, CORRUPT, "format"),
    CASE(ints, unknown_format, CORRUPT, "\"q\""),
    CASE(ints, longer_format, CORRUPT, "\"ii\""),
    CASE(ints, no_width, CORRUPT, "\"w:\""),
    CASE(ints, negative_width, CORRUPT, "\"w:-1\""),
    CASE(ints, wide_width, CORRUPT, "\"w:2147483648\""),
    CASE(times, no_unit, CORRUPT, "\"ts\""),
    CASE(times, no_colon, CORRUPT, "\"tss\""),
    CASE(times, other_unit, CORRUPT, "\"tsx:\""),
    CASE(ints, decimal, CORRUPT, "one of Arrow's"),
    CASE(ints, month_interval, UNSUPPORTED, "interval[months]"),
    CASE(lists, dense_union, UNSUPPORTED, "dense_union"),
    CASE(lists, sparse_union, UNSUPPORTED, "sparse_union"),
    CASE(lists, runs, UNSUPPORTED, "decode it"),
    CASE(lists, map, UNSUPPORTED, "lists of its keys"),
    CASE(ints, childless_list, CORRUPT, "children of a schema"),
    CASE(squares, wide_list, CORRUPT, "length of a child"),
    CASE(ints, released_schema, CORRUPT, "released"),
    CASE(ints, bad_name, CORRUPT, "UTF-8"),
    CASE(ints, no_name, UNSUPPORTED, "rename it"),
    CASE(lists, negative_children, CORRUPT, "1 to 1 of list, found -1"),
    CASE(ints, child_of_a_number, CORRUPT, "0 to 0 of int32, found 1"),
    CASE(lists, no_child_schemas, CORRUPT, "pointers"),
    CASE(lists, null_child_schema, CORRUPT, "NULL"),
    CASE(ints, negative_pairs, CORRUPT, "0 pairs or more"),
    CASE(ints, negative_key, CORRUPT, "0 bytes or more"),
    CASE(ints, bad_metadata, CORRUPT, "dataview.meta.Odd"),
    CASE(ints, doubled_metadata, CORRUPT, "dataview.meta.Odd"),
    CASE(squares, bad_tensor, CORRUPT, "shape"),
    CASE(squares, other_tensor, CORRUPT, "expected 2 slots, found 3"),
    CASE(words, real_indices, CORRUPT, "integers"),
    CASE(words, nested_dictionary, UNSUPPORTED, "plain values"),
    CASE(squares, too_deep, CORRUPT, "levels"),
    CASE(ints, negative_length, CORRUPT, "length and offset"),
    CASE(ints, vast_length, CORRUPT, "length and offset"),
    CASE(ints, negative_offset, CORRUPT, "length and offset"),
    CASE(ints, vast_offset, CORRUPT, "length and offset"),
    CASE(ints, low_null_count, CORRUPT, "null_count"),
    CASE(ints, high_null_count, CORRUPT, "null_count"),
    CASE(ints, null_count_without_bitmap, CORRUPT, "null_count"),
    CASE(ints, other_null_count, CORRUPT, "expected 1, found 2"),
    CASE(ints, one_buffer, CORRUPT, "2 of int32, found 1"),
    CASE(ints, negative_buffers, CORRUPT, "found -1"),
    CASE(ints, no_buffers, CORRUPT, "pointers"),
    CASE(ints, missing_values, CORRUPT, "buffer 1 of int32"),
    CASE(texts, missing_values, CORRUPT, "buffer 1 of utf8"),
    CASE(texts, missing_bytes, CORRUPT, "bytes of texts"),
    CASE(large_texts, missing_bytes, CORRUPT, "bytes of texts"),
    CASE(views, missing_sizes, CORRUPT, "sizes"),
    CASE(views, missing_bytes, CORRUPT, "row 1"),
    CASE(lists, no_children, CORRUPT, "children of an array"),
    CASE(lists, no_child_arrays, CORRUPT, "children of an array"),
    CASE(lists, null_child, CORRUPT, "NULL"),
    CASE(lists, released_child, CORRUPT, "released"),
    CASE(squares, short_child, CORRUPT, "at least 4, found 2"),
    CASE(words, no_dictionary, CORRUPT, "expected one, found none"),
    CASE(texts, negative_first, CORRUPT, "row 0"),
    CASE(texts, decreasing, CORRUPT, "row 1"),
    CASE(large_texts, decreasing_large, CORRUPT, "row 1"),
    CASE(texts, cut_character, CORRUPT, "row 1"),
    CASE(texts, no_utf8, CORRUPT, "types=\"x:BY\""),
    CASE(views, view_of_no_buffer, CORRUPT, "row 1"),
    CASE(views, view_beyond, CORRUPT, "row 1"),
    CASE(views, view_before, CORRUPT, "row 1"),
    CASE(views, view_negative, CORRUPT, "row 1"),
    CASE(lists, negative_first, CORRUPT, "row 0"),
    CASE(lists, decreasing, CORRUPT, "row 1"),
    CASE(lists, beyond_items, CORRUPT, "row 3"),
    CASE(list_views, negative_size, CORRUPT, "row 1"),
    CASE(list_views, negative_first, CORRUPT, "row 0"),
    CASE(words, code_outside, CORRUPT, "row 2"),
    CASE(words, code_negative, CORRUPT, "row 2"),
    CASE(pairs, index_outside, CORRUPT, "row 1"),
    CASE(pairs, index_again, CORRUPT, "row 1"),
    CASE(pairs, null_index, CORRUPT, "null"),
    CASE(pairs, null_pair, CORRUPT, "null"),
    CASE(times, late_time, LOSS, "row 1"),
    CASE(times, year_10000, LOSS, "years 1 to 9999"),
    CASE(ints, sentinel, LOSS, "types=\"x:I8\""),
    CASE(lists, null_row, LOSS, "empties"),
    CASE(squares, null_square, LOSS, "empties"),
    CASE(ints, unsigned_null, LOSS, "types=\"x:I8\""),
    CASE(texts, bytes_null, LOSS, "types=\"x:TX\""),
    CASE(words, null_in_the_dictionary, LOSS, "dictionary of column"),
#undef CASE
};

/* --- Import ----------------------------------------------------------------------------------- */

static dv_status read_all(dv_view *view, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status = dv_cursor_open(&cursor, view, NULL, err);
    while (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, err);
    dv_cursor_close(&cursor);
    return status;
}

/* As a column of a table, or by itself. */
static dv_status use(dvt_arrow *column, bool in_table, bool hold, dv_error *err)
{
    dv_view *view;
    struct ArrowArrayStream stream;
    dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
    options.hold = hold;
    dvt_arrow *top =
        in_table ? dvt_arrow_add(dvt_arrow_make("+s", "", column->array.length), column) : column;
    if (in_table && (top->array.length < 0 || top->array.length > N))
        top->array.length = N;
    dvt_arrow_stream(&stream, top, 2);
    dv_status status = dv_view_import_arrow(&view, &stream, &options, err);
    if (status == DV_OK)
        status = read_all(view, err);
    if (stream.release)
        stream.release(&stream);
    dv_view_release(&view);
    return status;
}

Test(arrow_hostile, every_violation_has_its_error)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int how = 0; how < 4; how++) {
            dv_error err = DV_ERROR_INIT;
            dvt_arrow *column = cases[i].make();
            cases[i].change(column);
            const bool in_table = how % 2 || cases[i].change == no_name; /* else it gets one */
            const dv_status status = use(column, in_table, how / 2, &err);
            cr_expect_eq(status, cases[i].status, "%s, %d: %d %s", cases[i].name, how, (int)status,
                         err.message);
            cr_expect(strstr(err.message, cases[i].says), "%s, %d: %s", cases[i].name, how,
                      err.message);
            cr_expect(status == DV_ERR_ARGUMENT || (*err.expected && *err.found),
                      "%s, %d: nothing expected or found", cases[i].name, how);
        }
    cr_expect_eq(dvt_arrow_live(), 0);
}

/* What the cases change is sound. */
Test(arrow_hostile, sound_columns_are_read)
{
    static dvt_arrow *(*const makes[])(void) = {ints,    texts, large_texts, views, lists,
                                                squares, words, list_views,  pairs, times};
    for (size_t i = 0; i < sizeof makes / sizeof *makes; i++)
        for (int how = 0; how < 4; how++) {
            dv_error err = DV_ERROR_INIT;
            cr_expect_eq(use(makes[i](), how % 2, how / 2, &err), DV_END, "%zu: %s", i,
                         err.message);
        }
    cr_expect_eq(dvt_arrow_live(), 0);
}
