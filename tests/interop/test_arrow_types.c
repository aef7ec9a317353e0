/* SPDX-License-Identifier: MIT */
/* test_arrow_types.c: what each Arrow type becomes, with which values, and what the options
 * `types`, `flatten` and `allow_loss` change. */
#include "support/arrow_columns.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/save.h>
#include <dataview/value.h>
#include <stdio.h>
#include <string.h>

#define CAP 1024

/* --- Cases ------------------------------------------------------------------------------------ */

#define NA DV_LOSS_NA
#define PRECISION DV_LOSS_PRECISION

/* make, types, allow_loss, what it becomes: type, and each row; or an error's words after '!' */
static const struct {
    const char *name;
    dvt_arrow *(*make)(void);
    const char *types;
    uint32_t allow_loss;
    const char *expected;
} cases[] = {
/* clang-format off */
#define CASE(make, types, allow_loss, expected)                                                    \
    {#make, dvt_arrow_##make, types, allow_loss, expected}
    /* clang-format on */
    CASE(i1, NULL, 0, "I1|-5|127|0"),
    CASE(i1_na, NULL, 0, "I1|-5|~|0"),
    CASE(i4, NULL, 0, "I4|7|-8|9"),
    CASE(i4_na, NULL, 0, "I4|7|-8|~"),
    CASE(i4_min, NULL, 0,
         "!row 1: expected types=\"x:I8\", or the loss `na`, found the value that stands for NA"),
    CASE(i4_min, NULL, NA, "I4|7|~"),
    CASE(i4_min, "x:I8", 0, "I8|7|-2147483648"),
    CASE(i4, "x:I1", 0, "I1|7|-8|9"),
    CASE(i4, "x:U1", 0, "!row 1: expected a number of U1, found -8"),
    CASE(i4, "x:R4", 0, "R4|7|-8|9"),
    CASE(i4, "x:BL", 0, "!row 0: expected a number of BL, found 7"),
    CASE(i8, "x:R8", 0,
         "!row 1: expected a number of R8, or the loss `precision`, found 9007199254740993"),
    CASE(i8, "x:R8", PRECISION, "R8|9007199254740992|9007199254740992"),
    CASE(i8, NULL, 0, "I8|9007199254740992|9007199254740993"),
    CASE(u1, NULL, 0, "U1|1|255|3"),
    CASE(u1_na, NULL, 0, "!row 1: expected types=\"x:I2\", or the loss `na`, found null"),
    CASE(u1_na, NULL, NA, "U1|1|0|3"),
    CASE(u1_na, "x:I2", 0, "I2|1|~|3"),
    CASE(u1, "x:I1", 0, "!row 1: expected a number of I1, found 255"),
    CASE(u8, NULL, 0, "U8|5|18446744073709551615"),
    CASE(u8, "x:R8", 0,
         "!row 1: expected a number of R8, or the loss `precision`, found 18446744073709551615"),
    CASE(u8, "x:I8", 0, "!row 1: expected a number of I8, found 18446744073709551615"),
    CASE(half, NULL, 0, "R4|1|-2.5|Infinity|~"),
    CASE(half, "x:R8", 0, "R8|1|-2.5|Infinity|~"),
    CASE(r4, NULL, 0, "R4|1.5|~|-0.5"),
    CASE(r4, "x:R8", 0, "R8|1.5|~|-0.5"),
    CASE(r8, NULL, 0, "R8|3|~|-4"),
    CASE(r8, "x:I2", 0, "I2|3|~|-4"),
    CASE(r8_part, "x:U4", PRECISION, "U4|3|2"),
    CASE(r8_nan, NULL, 0, "R8|3|~|4"),
    CASE(r8_nan, "x:I4", 0, "I4|3|~|4"),
    CASE(r8_nan_na, NULL, 0,
         "!row 1: expected nulls or NaN, not both; or the loss `na`, found NaN"),
    CASE(r8_nan_na, "x:R4", 0, "!row 1: expected nulls or NaN, not both"),
    CASE(r8_nan_na, "x:I4", 0, "!row 1: expected nulls or NaN, not both"),
    CASE(r8_nan_na, NULL, NA, "R8|3|~|~"),
    CASE(decimals, NULL, 0, "R8|1.5|-2.25|~|0.1"),
    CASE(decimals, "x:R4", 0, "R4|1.5|-2.25|~|0.1"),
    CASE(decimals, "x:I4", 0,
         "!row 0: expected a number of I4, or the loss `precision`, found 15e-1"),
    CASE(decimals, "x:I4", PRECISION, "I4|1|-2|~|0"),
    CASE(decimals, "x:TX", 0, "!types: decimal32 does not become TX"),
    CASE(decimals_wide, NULL, 0, "I8|123456789012345678|~|-5"),
    CASE(decimals_wide, "x:R8", 0, "!row 0: expected a number of R8, or the loss `precision`"),
    CASE(decimals_wide, "x:U8", 0, "!row 1: expected types=\"x:R8\", or the loss `na`, found null"),
    CASE(decimals_fine, NULL, 0,
         "!row 0: expected a number of R8, or the loss `precision`, found 9007199254740993e0"),
    CASE(decimals_fine, "x:I8", PRECISION, "I8|9007199254740993|9007199254740993"),
    CASE(decimals_128, NULL, 0, "!found -18446744073709551616e-1"),
    CASE(decimals_128, NULL, PRECISION, "R8|1.5|~|-1.8446744073709553E+18|0.1"),
    CASE(decimals_256, NULL, 0, "!row 1: expected a number of I8, or types=\"x:R8\""),
    CASE(decimals_256, "x:R8", PRECISION, "R8|-100|5.78960446186581E+78"),
    CASE(turned, NULL, 0, "V<I2,2,3>|[1 3 5 2 4 6]"),
    CASE(turned, "x:R4", 0, "V<R4,2,3>|[1 3 5 2 4 6]"),
    CASE(named, NULL, 0, "V<I2,2,3>|[1 3 5 2 4 6]"),
    CASE(strided, NULL, 0,
         "!arrow.fixed_shape_tensor: expected shape, permutation and dim_names, found \"strides\""),
    CASE(cycled, NULL, 0, "!permutation of a tensor: expected one that swaps dimensions"),
    CASE(twisted, NULL, 0, "!arrow.fixed_shape_tensor: expected {\"shape\":[2,3]"),
    CASE(truths, NULL, 0, "BL|0|1"),
    CASE(degrees, NULL, 0,
         "!extension type: expected its storage: cast to it, or give the type "
         "(types), found weather.degrees of float32"),
    CASE(degrees, "x:R4", 0, "R4|1.5|~|-0.5"),
    CASE(degrees_text, NULL, 0, "TX|a|e||bbbbbbbbbbbbbbbbbb|"),
    CASE(r8, "x:R4", 0, "R4|3|~|-4"),
    CASE(r8_part, "x:U4", 0, "!row 1: expected a number of U4, or the loss `precision`, found 2.5"),
    CASE(r8, "x:U4", 0, "!row 1: expected types=\"x:I8\", or the loss `na`, found null"),
    CASE(bools, NULL, 0, "BL|0|1|1|0|1|~|0|1"),
    CASE(bools, "x:I4", 0, "I4|0|1|1|0|1|~|0|1"),
    CASE(bools, "x:U1", 0, "!row 5: expected types=\"x:I2\", or the loss `na`, found null"),
    CASE(date32, NULL, 0, "DT|1970-01-02T00:00:00.0000000|1969-12-31T00:00:00.0000000|~"),
    CASE(date64, NULL, 0, "DT|1970-01-02T00:00:00.0000000|1969-12-31T23:59:59.9990000"),
    CASE(time32, NULL, 0, "TS|00:01:01|~"),
    CASE(time64, NULL, 0, "TS|00:00:00.0000001|-00:00:00.0000001"),
    CASE(stamp_s, NULL, 0, "DT|1970-01-01T00:00:01.0000000|~"),
    CASE(stamp_s, "x:DZ", 0, "DZ|1970-01-01T00:00:01.0000000+00:00|~"),
    CASE(stamp_us, NULL, 0, "DZ|1970-01-01T00:00:00.0000010+00:00|~"),
    CASE(stamp_us, "x:DT", 0, "DT|1970-01-01T00:00:00.0000010|~"),
    CASE(stamp_us, "x:TS", 0, "!types: timestamp[us] does not become TS"),
    CASE(stamp_ns, NULL, 0,
         "!row 1: expected a multiple of 100 ns, or the loss `precision`, found a finer time"),
    CASE(stamp_ns, NULL, PRECISION, "DT|1970-01-01T00:00:00.0000001|1970-01-01T00:00:00.0000001"),
    CASE(stamp_ns_before, NULL, PRECISION,
         "DZ|1969-12-31T23:59:59.9999999+00:00|1969-12-31T23:59:59.9999998+00:00"),
    CASE(span, NULL, 0, "TS|00:00:00.0050000|~|-00:00:00.0070000"),
    CASE(i8, "x:TS", 0, "TS|10424.23:58:45.4740992|10424.23:58:45.4740993"),
    CASE(i8, "x:DT", 0, "DT|0029-07-17T23:58:45.4740992|0029-07-17T23:58:45.4740993"),
    CASE(i8, "x:DZ", 0, "DZ|0029-07-17T23:58:45.4740992+00:00|0029-07-17T23:58:45.4740993+00:00"),
    CASE(nulls, NULL, 0, "TX|~|~|~"),
    CASE(nulls, "x:R4", 0, "R4|~|~|~"),
    CASE(nulls, "x:DZ", 0, "DZ|~|~|~"),
    CASE(nulls, "x:U4", 0, "!types: null does not become U4"),
    CASE(nulls, "x:U4[0-9]", 0, "U4[0-9]|~|~|~"),
    CASE(utf8, NULL, 0, "TX|a|e||bbbbbbbbbbbbbbbbbb|"),
    CASE(utf8_na, NULL, 0, "TX|~|e||bbbbbbbbbbbbbbbbbb|"),
    CASE(large_utf8, NULL, 0, "TX|a|e|~|bbbbbbbbbbbbbbbbbb|"),
    CASE(binary, NULL, 0, "BY|61|65||626262626262626262626262626262626262|"),
    CASE(binary, "x:TX", 0, "TX|a|e||bbbbbbbbbbbbbbbbbb|"),
    CASE(utf8, "x:BY", 0, "BY|61|65||626262626262626262626262626262626262|"),
    CASE(large_binary_na, NULL, 0, "!row 1: expected types=\"x:TX\", or the loss `na`, found null"),
    CASE(large_binary_na, NULL, NA, "BY|61|||626262626262626262626262626262626262|"),
    CASE(large_binary_na, "x:TX", 0, "TX|a|~||bbbbbbbbbbbbbbbbbb|"),
    CASE(utf8_view, NULL, 0, "TX|xy|bbbbbbbbbbbbbbbbbb|"),
    CASE(utf8_view_na, NULL, 0, "TX|xy|~|"),
    CASE(binary_view, NULL, 0, "BY|7879|626262626262626262626262626262626262|"),
    CASE(fixed_binary, NULL, 0, "BY|6161|6262"),
    CASE(fixed_binary, "x:TX", 0, "TX|aa|bb"),
    CASE(guids, NULL, 0, "UG|0x504f4e4d4c4b4a494847464544434241"),
    CASE(guids, "x:BY", 0, "BY|4142434445464748494a4b4c4d4e4f50"),
    CASE(list, NULL, 0, "V<I2,*>|[1]|[2 3 4]|[]"),
    CASE(list_na, NULL, 0,
         "!row 0: expected a vector, or the loss `na`, which empties it, found null"),
    CASE(list_na, NULL, NA, "V<I2,*>|[]|[ 3 4]|[]"),
    CASE(list, "x:I4", 0, "V<I4,*>|[1]|[2 3 4]|[]"),
    CASE(list, "x:V<I2,*>", 0, "V<I2,*>|[1]|[2 3 4]|[]"),
    CASE(list, "x:V<I2,3>", 0,
         "!row 0: expected as many items as the type has, found another number"),
    CASE(large_list, NULL, 0, "V<I2,*>|[1]|[ 3 4]|[]"),
    CASE(list_view, NULL, 0, "V<I2,*>|[6 7]|[]|[1 2 3]"),
    CASE(large_list_view, "x:R4", 0, "V<R4,*>|[6 7]|[]|[1 2 3]"),
    CASE(squares, NULL, 0, "V<I2,2>|[3 4]|[5 6]"),
    CASE(squares_na, NULL, 0,
         "!row 0: expected a vector, or the loss `na`, which empties it, found null"),
    CASE(squares_na, NULL, NA, "V<I2,2>|{2:}|[5 6]"),
    CASE(squares, "x:V<I2,*>", 0, "V<I2,*>|[3 4]|[5 6]"),
    CASE(squares, "x:V<I2,3>", 0, "!types: fixed_size_list does not become V<I2,3>"),
    CASE(points, NULL, 0, "V<I2,*>|[]|[]"),
    CASE(points, "x:V<I2,3>", 0, "!does not become"), /* it has no items */
    CASE(tensors, NULL, 0, "V<I2,3,2>|[1 2 3 4 5 6]"),
    CASE(matrices, NULL, 0, "V<I2,2,3>|[1 2 3 4 5 6]"),
    CASE(matrices, "x:V<R4,3,2>", 0, "V<R4,3,2>|[1 2 3 4 5 6]"),
    CASE(sparse, NULL, 0, "V<I2,10>|{10: 8:1}|{10: 0:2 5:3 7:4}|{10:}"),
    CASE(sparse_full, NULL, 0, "V<I2,3>|{3: 1:1}|[2 3 4]|{3:}"),
    CASE(squares, "x:V<I2,4>", 0, "!does not become"),
    CASE(sparse, "x:V<R4,20>", 0, "V<R4,20>|{20: 8:1}|{20: 0:2 5:3 7:4}|{20:}"),
    CASE(sparse, "x:V<R4,3>", 0,
         "!row 0: expected indices that rise, below the size of the type, found others"),
    CASE(strings, NULL, 0, "V<TX,*>|[]|[e  bbbbbbbbbbbbbbbbbb]|[]"),
    CASE(strings, "x:BY", 0, "!row 0: expected types=\"x:TX\", or the loss `na`, found null"),
    CASE(strings, "x:BY", NA, "V<BY,*>|[]|[65  626262626262626262626262626262626262]|[]"),
    CASE(zoned, NULL, 0, "DZ|1970-01-01T01:00:00.0000010+01:00|~"),
    CASE(words, NULL, 0, "U1[0-4]|1|3|~|0"),
    CASE(words, "x:TX", 0, "TX|e|bbbbbbbbbbbbbbbbbb|~|a"),
    CASE(words, "x:BY", 0, "!row 2: expected types=\"x:TX\", or the loss `na`, found null"),
    CASE(words, "x:BY", NA, "BY|65|626262626262626262626262626262626262||61"),
    CASE(words, "x:U2[1-5]", 0, "U2[1-5]|2|4|~|1"),
    CASE(words, "x:U2[0-3]", 0, "!types: column \"x\": its dictionary has 5 values, the type 4"),
    CASE(words_na, NULL, 0, "U4[0-4]|1|3|0"),
    CASE(words_na, "x:TX", 0, "TX|e|bbbbbbbbbbbbbbbbbb|~"),
    CASE(digits, NULL, 0,
         "!dictionary of column \"x\": row 2: expected types=\"x:I4\", or the loss `na`, found "
         "null"),
    CASE(digits, "x:I4", 0, "I4|5|7|7|5"),
    CASE(digits, "x:R4", 0, "R4|5|7|7|5"),
    CASE(digits, "x:TX", 0, "!types: int8 does not become TX"),
    CASE(lists_of_words, NULL, 0, "V<U1[0-4],*>|[1]|[3  0]|[]"),
    CASE(lists_of_words, "x:TX", 0, "V<TX,*>|[e]|[bbbbbbbbbbbbbbbbbb  a]|[]"),
    CASE(numbers, NULL, 0, "!row 2: expected types=\"x:I4\", or the loss `na`, found null"),
    CASE(numbers, "x:U1[0-7]", 0, "U1[0-7]|7|5|~"),
    CASE(numbers, "x:U2[4-9]", 0, "U2[4-9]|7|5|~"),
    CASE(numbers, "x:U2[6-9]", 0,
         "!row 1: expected a number in the range of the key, found one outside"),
    CASE(i4, "x:U4[0-*]", 0,
         "!row 1: expected a number in the range of the key, found one outside"),
    CASE(classes, NULL, 0, "U1[5-20]|12|10|~"),
    CASE(meant, NULL, 0, "U1[5-20]|7|5|~"),
    CASE(stored, NULL, 0, "U1[5-20]|11|9|~"),
    CASE(changed, NULL, 0, "R8|3|~|-4"),
#undef CASE
};

/* --- Text ------------------------------------------------------------------------------------- */

static bool put(void *ctx, const char *data, size_t nbytes)
{
    char *text = ctx;
    const size_t n = strlen(text);
    cr_assert_lt(n + nbytes, CAP);
    memcpy(text + n, data, nbytes);
    text[n + nbytes] = '\0';
    return true;
}

/* The type, then each row after a '|'; a scalar that is NA is "~". */
static void put_column(char *text, dv_view *view, int32_t column)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_sink sink = {put, text};
    options.columns = &column;
    options.columns_count = 1;
    dv_type_print(&dv_schema_column(dv_view_schema(view), column)->type, text + strlen(text), 100);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        const dv_column_view *cells = dv_batch_column(batch, 0);
        dv_value value = dv_value_first(cells);
        for (int64_t i = 0; i < batch->rows; i++, dv_value_next(&value)) {
            const bool is_na = cells->layout != DV_LAYOUT_VECTOR && dv_value_is_na(&value);
            put(text, is_na ? "|~" : "|", is_na ? 2 : 1);
            if (!is_na)
                dv_value_write(&value, DV_STYLE_TEXT, &sink);
        }
    }
    if (status < 0)
        snprintf(text, CAP, "!%s", err.message);
    dv_cursor_close(&cursor);
}

static void put_import(char *text, dvt_arrow *column, const dv_arrow_import_options *options,
                       bool in_table)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    struct ArrowSchema schema;
    struct ArrowArray array;
    dvt_arrow *top =
        in_table ? dvt_arrow_add(dvt_arrow_make("+s", "", column->array.length), column) : column;
    dvt_arrow_pair_of(&schema, &array, top);
    *text = '\0';
    const dv_status status = dv_view_import_arrow_array(&view, &schema, &array, options, &err);
    if (status < 0)
        snprintf(text, CAP, "!%s", err.message);
    for (int32_t k = 0; view && k < dv_schema_columns(dv_view_schema(view)); k++) {
        put(text, ", ", k > 0 ? 2 : 0);
        put_column(text, view, k);
    }
    if (schema.release)
        schema.release(&schema);
    if (array.release)
        array.release(&array);
    dv_view_release(&view);
    cr_expect_eq(dvt_arrow_live(), 0);
}

Test(arrow_types, become_ours)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) /* a struct by itself is a table */
        for (int in_table = cases[i].make == dvt_arrow_zoned; in_table < 2; in_table++) {
            char text[CAP];
            dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
            const char *expected = cases[i].expected;
            options.types = cases[i].types;
            options.allow_loss = cases[i].allow_loss;
            put_import(text, cases[i].make(), &options, in_table);
            if (*expected == '!')
                cr_expect(*text == '!' && strstr(text, expected + 1), "%s %s: %s", cases[i].name,
                          cases[i].types, text);
            else
                cr_expect_str_eq(text, expected, "%s %s: %s", cases[i].name,
                                 cases[i].types ? cases[i].types : "", text);
        }
}

Test(arrow_types, structs_are_taken_apart)
{
    char text[CAP];
    dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
    options.flatten = true;
    put_import(text, dvt_arrow_pair(), &options, true);
    cr_expect_str_eq(text, "I4|7|-8|9, R4|1.5|~|-0.5");
    put_import(text, dvt_arrow_pair_na(), &options, true);
    cr_expect_str_eq(text, "I4|~|-8|9, R4|~|~|-0.5");
    put_import(text, dvt_arrow_pair_na(), &options, false); /* rows that are null */
    cr_expect_str_eq(text, "I4|~|-8|9, R4|~|~|-0.5");
    put_import(text, dvt_arrow_zoned(), &options, true);
    cr_expect_str_eq(text, "DZ|1970-01-01T01:00:00.0000010+01:00|~");
    options.types = "x.a:I8";
    put_import(text, dvt_arrow_pair(), &options, true);
    cr_expect_str_eq(text, "I8|7|-8|9, R4|1.5|~|-0.5");
    options.flatten = false;
    options.types = NULL;
    put_import(text, dvt_arrow_pair(), &options, true);
    cr_expect(strstr(text, "flatten"), "%s", text);
}

/* A column of the view, whose metadata of that kind is printed after its type. */
static void put_metadata(char *text, dvt_arrow *column, const char *kind)
{
    int32_t i;
    dv_view *view;
    const dv_batch *batch;
    struct ArrowSchema schema;
    struct ArrowArray array;
    const dv_sink sink = {put, text};
    const dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
    dvt_arrow_pair_of(&schema, &array, column);
    *text = '\0';
    cr_assert_eq(dv_view_import_arrow_array(&view, &schema, &array, &options, NULL), DV_OK);
    const dv_schema *of = dv_view_schema(view);
    cr_assert_eq(dv_schema_find_metadata(of, 0, dv_text_of(kind), &i), DV_OK);
    dv_type_print(&dv_schema_metadata(of, 0, i)->type, text, 100);
    cr_assert_eq(dv_schema_metadata_value(of, 0, i, &batch, NULL), DV_OK);
    const dv_value value = dv_value_first(dv_batch_column(batch, 0));
    dv_value_write(&value, DV_STYLE_EXACT, &sink);
    dv_batch_release(&batch);
    dv_view_release(&view);
}

Test(arrow_types, dimensions_keep_their_names)
{
    char text[CAP];
    put_metadata(text, dvt_arrow_tensors(), "DimNames");
    cr_expect_str_eq(text, "V<TX,2>{\"len\":2,\"dense\":[\"a\",\"b]\"]}");
    put_metadata(text, dvt_arrow_named(), "DimNames");
    cr_expect_str_eq(text, "V<TX,2>{\"len\":2,\"dense\":[null,\"a\\\"\"]}");
}

static dvt_arrow *two(const char *first, const char *second)
{
    dvt_arrow *a = dvt_arrow_i4(), *b = dvt_arrow_i4();
    a->schema.name = first;
    b->schema.name = second;
    return dvt_arrow_add(dvt_arrow_add(dvt_arrow_make("+s", "", a->array.length), a), b);
}

/* A column of the same name would hide the first one. */
Test(arrow_types, equal_names_are_refused)
{
    char text[CAP];
    dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
    put_import(text, two("a", "b"), &options, false);
    cr_expect_str_eq(text, "I4|7|-8|9, I4|7|-8|9");
    put_import(text, two("a", "a"), &options, false);
    cr_expect(strstr(text, "columns 0 and 1 called \"a\""), "%s", text);
    options.types = "a:I8";
    put_import(text, two("a", "a"), &options, false);
    cr_expect(strstr(text, "columns 0 and 1 called \"a\""), "%s", text);
    dvt_arrow *hidden = two("a", "a"); /* the export writes this */
    dvt_arrow_annotate(hidden->child[0], "dataview.hidden", "1");
    put_import(text, hidden, &options, false);
    cr_expect_str_eq(text, "I8|7|-8|9, I8|7|-8|9");
    dvt_arrow *nested = dvt_arrow_pair(); /* its field a, and a field x.a */
    options = (dv_arrow_import_options)DV_ARROW_IMPORT_OPTIONS_INIT;
    options.flatten = true;
    dvt_arrow *beside = dvt_arrow_i4();
    beside->schema.name = "x.a";
    put_import(text, dvt_arrow_add(dvt_arrow_add(dvt_arrow_make("+s", "", 3), nested), beside),
               &options, false);
    cr_expect(strstr(text, "called \"x.a\""), "%s", text);
}

/* A stream may deliver NaN and null in different batches. */
Test(arrow_types, null_and_nan_in_different_batches)
{
    for (int order = 0; order < 4; order++) {
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        struct ArrowArrayStream stream;
        dv_error err = DV_ERROR_INIT;
        dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
        options.hold = order / 2;
        dvt_arrow *nan = dvt_arrow_r8_nan(), *null = dvt_arrow_r8();
        dvt_arrow_stream(&stream, order % 2 ? dvt_arrow_then(nan, null) : dvt_arrow_then(null, nan),
                         2);
        cr_assert_eq(dv_view_import_arrow(&view, &stream, &options, &err), DV_OK);
        dv_status status = dv_cursor_open(&cursor, view, NULL, &err);
        while (status == DV_OK)
            status = dv_cursor_next(cursor, &batch, &err);
        cr_expect_eq(status, DV_ERR_LOSS, "%d: %d", order, (int)status);
        cr_expect(strstr(err.message, "nulls or NaN, not both"), "%d: %s", order, err.message);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
}

/* What `types` cannot mean. */
Test(arrow_types, refuses_words)
{
    static const struct {
        const char *types, *says;
    } bad[] = {{"y:I4", "no column \"y\""}, {"x", "such as x:I8"}, {":I4", "such as x:I8"},
               {"x:", "expected"},          {"x:QQ", "QQ"},        {"x:TX", "does not become"},
               {"x:V<I4,2>", "become"},     {"{x:I4", "open"},     {"x:DZ", "does not become"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[CAP];
        dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
        options.types = bad[i].types;
        put_import(text, dvt_arrow_i4(), &options, true);
        cr_expect(*text == '!' && strstr(text, bad[i].says), "%s: %s", bad[i].types, text);
    }
}
