/* SPDX-License-Identifier: MIT */
/* test_tf_hash.c: keys of every type, layout and batch; refusals; names; memory (semantics:7.6). */
#include "support/golden_files.h"
#include "support/hashed.h"
#include "support/made_table.h"
#include "support/produce.h"
#include "support/random_table.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/table.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Vectors of semantics:7.6 ----------------------------------------------------------------- */

static const struct {
    dv_kind kind;
    const char *text;
    uint32_t key10, key16, ordered16, version1; /* the last with 16 bits */
} values[] = {
    {DV_KIND_TX, "a", 705, 46785, 8318, 4829},
    {DV_KIND_TX, " hello ", 940, 24492, 20407, 62790},
    {DV_KIND_TX, "   ", 325, 58693, 19280, 19280},
    {DV_KIND_TX, "na\xC3\xAFve", 586, 3658, 6547, 63157},
    {DV_KIND_TX, "", 0, 0, 0, 0},
    {DV_KIND_R4, "1", 463, 48591, 55127, 33701},
    {DV_KIND_R4, "-0", 842, 34634, 13670, 19280},
    {DV_KIND_R4, "NaN", 0, 0, 0, 0},
    {DV_KIND_R8, "0.1", 301, 17709, 4635, 18039},
    {DV_KIND_R8, "NaN", 0, 0, 0, 0},
    {DV_KIND_I4, "1", 502, 43510, 43545, 45548},
    {DV_KIND_U2, "1", 502, 43510, 43545, 45548},
    {DV_KIND_BL, "1", 502, 43510, 43545, 45548},
    {DV_KIND_I4, "NA", 0, 0, 0, 0},
    {DV_KIND_BL, "NA", 0, 0, 0, 0},
    {DV_KIND_I1, "-1", 668, 59036, 64131, 8465},
    {DV_KIND_I2, "-1", 668, 59036, 64131, 8465},
    {DV_KIND_I8, "-1", 799, 63263, 38260, 10679},
    {DV_KIND_I8, "1099511627776", 643, 23171, 46619, 15501},
    {DV_KIND_I8, "NA", 0, 0, 0, 0},
};

static uint32_t key_of_one(dv_view *source, int32_t bits, bool is_ordered, int version)
{
    dvi_hash_options how = dvt_hash_options(bits);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    how.is_ordered = is_ordered;
    how.version = (dvi_murmur_version)version;
    cr_assert_eq(dvt_hash_view(&view, source, 0, &how, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), "hash", NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    const dv_value value = dv_value_first(dv_batch_column(batch, 0));
    const uint32_t key = dv_value_u4(&value);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    return key;
}

Test(tf_hash, vectors_of_the_page)
{
    for (size_t i = 0; i < COUNT(values); i++) {
        const dv_type type = dv_type_of(values[i].kind);
        const dv_text text = dv_text_of(values[i].text);
        dv_scalar scalar;
        dv_view *source;
        if (type.kind != DV_KIND_TX)
            cr_assert(dv_value_parse(&scalar, &type, text), "%s", values[i].text);
        const dv_table_column column = {
            .name = "a",
            .type = type,
            .values = type.kind == DV_KIND_TX ? (const void *)&values[i].text : &scalar};
        cr_assert_eq(dv_table_create(&source, &column, 1, 1, NULL, NULL), DV_OK);
        cr_expect_eq(key_of_one(source, 10, false, 2), values[i].key10, "%s", values[i].text);
        cr_expect_eq(key_of_one(source, 16, false, 2), values[i].key16, "%s", values[i].text);
        cr_expect_eq(key_of_one(source, 16, true, 2), values[i].ordered16, "%s", values[i].text);
        cr_expect_eq(key_of_one(source, 16, false, 1), values[i].version1, "%s", values[i].text);
        dv_view_release(&source);
    }
}

/* 31 bits, and a key of the greatest count. */
Test(tf_hash, thirty_one_bits)
{
    const char *text = "ba ba";
    const dv_table_column column = {.name = "a", .type = dv_type_of(DV_KIND_TX), .values = &text};
    dvi_hash_options how = dvt_hash_options(31);
    dv_view *source, *view;
    cr_assert_eq(dv_table_create(&source, &column, 1, 1, NULL, NULL), DV_OK);
    cr_expect_eq(key_of_one(source, 31, false, 1), 290795468);
    cr_expect_eq(key_of_one(source, 31, false, 2), 1942888957);
    cr_assert_eq(dvt_hash_view(&view, source, 0, &how, NULL, NULL), DV_OK);
    const dv_type want = dv_type_key(DV_KIND_U4, 0, UINT64_C(1) << 31);
    cr_expect(dv_type_equal(&dv_schema_column(dv_view_schema(view), 1)->type, &want));
    dv_view_release(&view);
    dv_view_release(&source);
}

/* --- Every type, layout and batch ------------------------------------------------------------- */

static void expect_key(const dv_value *from, const dv_value *key, const dvi_hash_options *how)
{
    const uint32_t want = dvt_hash_of(&from->column->type, from, 0, how);
    cr_expect_eq(dv_value_u4(key), want);
}

static void expect_vector(const dv_value *from, const dv_value *keys, const dvi_hash_options *how)
{
    const dv_type type = dv_type_item(&from->column->type);
    int32_t i = 0, k = 0;
    cr_assert_eq(keys->length, from->length);
    for (int32_t slot = 0; slot < from->length; slot++) {
        const bool has_item = i < dv_value_items(from) && dv_value_slot(from, i) == slot;
        const bool has_key = k < dv_value_items(keys) && dv_value_slot(keys, k) == slot;
        const dv_value item = dv_value_item(from, i), key = dv_value_item(keys, k);
        cr_expect_eq(has_key ? dv_value_u4(&key) : 0,
                     dvt_hash_of(&type, has_item ? &item : NULL, slot, how));
        i += has_item;
        k += has_key;
    }
}

static void expect_batch(const dv_column_view *from, const dv_column_view *keys,
                         const dvi_hash_options *how)
{
    dv_value value = dv_value_first(from), key = dv_value_first(keys);
    for (; value.row < from->rows; dv_value_next(&value), dv_value_next(&key))
        if (from->layout != DV_LAYOUT_VECTOR)
            expect_key(&value, &key, how);
        else if (how->is_combined)
            cr_expect_eq(dv_value_u4(&key), dvt_hash_of_all(&value, how));
        else
            expect_vector(&value, &key, how);
}

static void expect_column(dv_view *source, int32_t column, const dvi_hash_options *how)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvt_hash_view(&view, source, column, how, NULL, &err), DV_OK, "%s", err.message);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const int32_t columns[] = {column, dv_schema_columns(dv_view_schema(view)) - 1};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_cursor *cursor;
        const dv_batch *batch;
        options.columns = columns;
        options.columns_count = 2;
        options.batch_rows = sizes[i];
        options.threads = i == 2 ? 3 : 1;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
            expect_batch(dv_batch_column(batch, 0), dv_batch_column(batch, 1), how);
        dv_cursor_close(&cursor);
    }
    dv_view_release(&view);
}

/* Counts the columns that are hashed. */
static int check_table(dv_view *source, uint64_t seed)
{
    const dv_schema *schema = dv_view_schema(source);
    int hashed = 0;
    for (int32_t column = 0; column < dv_schema_columns(schema); column++) {
        dvi_hash_options how = dvt_hash_options((int32_t)(seed % 31) + 1);
        dv_view *view;
        if (!dvt_is_hashed(&dv_schema_column(schema, column)->type)) {
            cr_expect_eq(dvt_hash_view(&view, source, column, &how, NULL, NULL), DV_ERR_ARGUMENT);
            continue;
        }
        hashed++;
        how.seed = (uint32_t)seed * 7919;
        for (int version = 1; version <= 2; version++)
            for (int ordered = 0; ordered < 2; ordered++) {
                how.version = (dvi_murmur_version)version;
                how.is_ordered = ordered;
                expect_column(source, column, &how);
            }
        how.is_ordered = false;
        how.is_combined = true;
        expect_column(source, column, &how);
    }
    return hashed;
}

Test(tf_hash, every_column_of_random_tables)
{
    int hashed = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        dvt_random_table *random = dvt_random_table_create(seed);
        dv_view *source = dvt_made_table_open(&random->table, NULL);
        hashed += check_table(source, seed);
        dv_view_release(&source);
        dvt_random_table_free(random);
    }
    cr_expect_gt(hashed, 100);
}

static void check_golden(const char *name)
{
    dv_view *source = dvt_golden_open(name, NULL);
    cr_expect_gt(check_table(source, 11), 0, "%s", name);
    dv_view_release(&source);
}

Test(tf_hash, every_kind_in_a_file)
{
    check_golden("idv/scalar-all-raw-rpb7.idv");
    check_golden("idv/vector-TX-raw.idv");
    check_golden("idv/vector-I4-raw.idv");
    check_golden("transform/select-drop/input.idv");
}

/* Slots of more than a block of the walk over slots, dense beside sparse. */
Test(tf_hash, long_vectors)
{
    enum { LENGTH = 1500 };
    static float items[2 * LENGTH];
    static int32_t indices[LENGTH / 2 + 1];
    const int32_t counts[] = {LENGTH / 2, -1, 0, 1};
    for (int32_t i = 0; i < 2 * LENGTH; i++)
        items[i] = (float)(i % 37) - 5;
    for (int32_t i = 0; i < LENGTH / 2; i++)
        indices[i] = 2 * i + 1;
    indices[LENGTH / 2] = LENGTH - 1;
    dv_column_view values_view = dvt_made_fixed(dv_type_of(DV_KIND_R4), items, COUNT(items));
    dvt_made_table table = {.columns = 1, .rows = 4, .block_rows = 4, .bad_row = -1};
    table.column[0] = (dv_column_view){
        .type = dv_type_vector(values_view.type, LENGTH), .layout = DV_LAYOUT_VECTOR, .rows = 4};
    table.column[0].as.vector.length = LENGTH;
    table.column[0].as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, false, true};
    table.column[0].as.vector.indices = (dv_buffer){indices, sizeof indices, NULL, false, true};
    table.column[0].as.vector.items = &values_view;
    dv_view *source = dvt_made_table_open(&table, NULL);
    cr_expect_eq(check_table(source, 19), 1);
    dv_view_release(&source);
}

/* --- Refusals and limits ---------------------------------------------------------------------- */

Test(tf_hash, options_out_of_range)
{
    static const int32_t bits[] = {INT32_MIN, -1, 0, 32, 64};
    static const int32_t number = 1;
    const dv_table_column column = {.name = "a", .type = dv_type_of(DV_KIND_I4), .values = &number};
    dv_view *source, *view;
    cr_assert_eq(dv_table_create(&source, &column, 1, 1, NULL, NULL), DV_OK);
    dvi_hash_options how;
    for (size_t i = 0; i < COUNT(bits); i++) {
        how = dvt_hash_options(bits[i]);
        cr_expect_eq(dvt_hash_view(&view, source, 0, &how, NULL, NULL), DV_ERR_ARGUMENT);
    }
    how = dvt_hash_options(4);
    how.version = (dvi_murmur_version)3;
    cr_expect_eq(dvt_hash_view(&view, source, 0, &how, NULL, NULL), DV_ERR_ARGUMENT);
    how.version = DVI_MURMUR_1;
    how.is_combined = true;
    cr_expect_eq(dvt_hash_view(&view, source, 0, &how, NULL, NULL), DV_ERR_ARGUMENT);
    how.version = DVI_MURMUR_2;
    how.is_ordered = true;
    cr_expect_eq(dvt_hash_view(&view, source, 0, &how, NULL, NULL), DV_ERR_ARGUMENT);
    dv_view_release(&source);
}

/* Three empty vectors of so many slots. */
static dv_status read_wide(dv_kind kind, int32_t length, dv_error *err)
{
    static const int32_t counts[] = {0, 0, 0};
    static const int32_t nothing;
    dv_column_view items = kind == DV_KIND_TX ? dvt_made_text(kind, "", &nothing, 0)
                                              : dvt_made_fixed(dv_type_of(kind), &nothing, 0);
    dvt_made_table table = {.columns = 1, .rows = 3, .block_rows = 3, .bad_row = -1};
    table.column[0] = (dv_column_view){
        .type = dv_type_vector(items.type, length), .layout = DV_LAYOUT_VECTOR, .rows = 3};
    table.column[0].as.vector.length = length;
    table.column[0].as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, false, true};
    table.column[0].as.vector.items = &items;
    dv_view *source = dvt_made_table_open(&table, NULL), *view;
    const dvi_hash_options how = dvt_hash_options(8);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    options.threads = 1;
    cr_assert_eq(dvt_hash_view(&view, source, 0, &how, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    const dv_status status = dv_cursor_next(cursor, &batch, err);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

Test(tf_hash, wide_sparse_vectors)
{
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(read_wide(DV_KIND_R4, INT32_MAX, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "row_nbytes");
    cr_expect_eq(read_wide(DV_KIND_R4, 1000, NULL), DV_OK);
    cr_expect_eq(read_wide(DV_KIND_TX, INT32_MAX, NULL), DV_OK);
}

/* --- Names ------------------------------------------------------------------------------------ */

static dv_status plan_names(const dv_table_column *columns, int32_t n, int64_t rows, int32_t bits,
                            dv_view **view_out, dv_error *err)
{
    static const int32_t number = 1;
    const dv_table_column column = {.name = "a", .type = dv_type_of(DV_KIND_I4), .values = &number};
    dvi_hash_options how = dvt_hash_options(bits);
    dv_view *source;
    cr_assert_eq(dv_table_create(&source, &column, 1, 1, NULL, NULL), DV_OK);
    cr_assert_eq(dv_table_create(&how.names, columns, n, rows, NULL, NULL), DV_OK);
    const dv_status status = dvt_hash_view(view_out, source, 0, &how, NULL, err);
    dv_view_release(&how.names);
    dv_view_release(&source);
    return status;
}

Test(tf_hash, names_become_key_values)
{
    static const uint32_t keys[] = {1, 3, 4};
    static const char *const texts[] = {"one", "{a,b}", ""};
    const dv_table_column columns[] = {
        {.name = "Key", .type = dv_type_of(DV_KIND_U4), .values = keys},
        {.name = "Text", .type = dv_type_of(DV_KIND_TX), .values = texts}};
    for (int32_t bits = 2; bits <= 30; bits += 7) {
        const dv_batch *batch;
        dv_view *view;
        int32_t i;
        cr_assert_eq(plan_names(columns, 2, 3, bits, &view, NULL), DV_OK);
        const dv_schema *schema = dv_view_schema(view);
        cr_assert_eq(dv_schema_find_metadata(schema, 1, dv_text_of(DV_KEY_VALUES), &i), DV_OK);
        cr_expect_eq(dv_schema_metadata(schema, 1, i)->type.size, INT32_C(1) << bits);
        cr_assert_eq(dv_schema_metadata_value(schema, 1, i, &batch, NULL), DV_OK);
        const dv_value value = dv_value_first(dv_batch_column(batch, 0));
        cr_assert_eq(value.length, INT32_C(1) << bits);
        for (int32_t k = 0; k < dv_value_items(&value) && k < 4; k++) {
            static const char *const want[] = {"one", "", "{a,b}", ""};
            const dv_value item = dv_value_item(&value, k);
            cr_expect(
                dv_text_equal(dv_value_tx(&item), dv_text_of(want[dv_value_slot(&value, k)])));
        }
        dv_batch_release(&batch);
        dv_view_release(&view);
    }
}

Test(tf_hash, hostile_names)
{
    static const uint32_t good[] = {1, 2, 3}, zero[] = {0, 1, 2}, above[] = {1, 2, 17},
                          again[] = {1, 1, 2}, back[] = {2, 1, 3};
    static const uint64_t wide[] = {1, 2, 3};
    static const char *const texts[] = {"a", "b", "c"}, *const na[] = {"a", NULL, "c"};
    const dv_type u4 = dv_type_of(DV_KIND_U4), tx = dv_type_of(DV_KIND_TX);
    const struct {
        dv_table_column columns[2];
        int32_t n, bits;
        dv_status status;
    } cases[] = {
        {{{"Key", u4, good, NULL}, {"Text", tx, texts, NULL}}, 2, 4, DV_OK},
        {{{"Key", u4, good, NULL}, {"Text", tx, texts, NULL}}, 2, 31, DV_ERR_ARGUMENT},
        {{{"Key", u4, good, NULL}, {"Text", tx, texts, NULL}}, 2, 1, DV_ERR_CORRUPT},
        {{{"Key", u4, zero, NULL}, {"Text", tx, texts, NULL}}, 2, 4, DV_ERR_CORRUPT},
        {{{"Key", u4, above, NULL}, {"Text", tx, texts, NULL}}, 2, 4, DV_ERR_CORRUPT},
        {{{"Key", u4, again, NULL}, {"Text", tx, texts, NULL}}, 2, 4, DV_ERR_CORRUPT},
        {{{"Key", u4, back, NULL}, {"Text", tx, texts, NULL}}, 2, 4, DV_ERR_CORRUPT},
        {{{"Key", u4, good, NULL}, {"Text", tx, na, NULL}}, 2, 4, DV_ERR_CORRUPT},
        {{{"Key", dv_type_of(DV_KIND_U8), wide, NULL}, {"Text", tx, texts, NULL}},
         2,
         4,
         DV_ERR_CORRUPT},
        {{{"Key", dv_type_key(DV_KIND_U4, 0, 9), good, NULL}, {"Text", tx, texts, NULL}},
         2,
         4,
         DV_ERR_CORRUPT},
        {{{"Key", u4, good, NULL}, {"Text", u4, good, NULL}}, 2, 4, DV_ERR_CORRUPT},
        {{{"Key", u4, good, NULL}, {"Name", tx, texts, NULL}}, 2, 4, DV_ERR_CORRUPT},
        {{{"Key", u4, good, NULL}}, 1, 4, DV_ERR_CORRUPT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view;
        cr_expect_eq(plan_names(cases[i].columns, cases[i].n, 3, cases[i].bits, &view, &err),
                     cases[i].status, "%zu: %s", i, err.message);
        dv_view_release(&view);
    }
}

/* Names change the identity, as all options do. */
Test(tf_hash, identity)
{
    static const int32_t numbers[] = {1, 2};
    static const uint32_t keys[] = {1, 2};
    static const char *const texts[2][2] = {{"a", "b"}, {"a", "c"}};
    const dv_table_column column = {
        .name = "a", .type = dv_type_vector(dv_type_of(DV_KIND_I4), 2), .values = numbers};
    dv_token tokens[8];
    dv_view *source, *view;
    cr_assert_eq(dv_table_create(&source, &column, 1, 1, NULL, NULL), DV_OK);
    for (int i = 0; i < 8; i++) {
        dvi_hash_options how = dvt_hash_options(i == 1 ? 5 : 4);
        dv_cursor *cursor;
        how.seed += i == 2;
        how.is_ordered = i == 3;
        how.is_combined = i == 4;
        how.version = i == 5 ? DVI_MURMUR_1 : DVI_MURMUR_2;
        const dv_table_column columns[] = {
            {.name = "Key", .type = dv_type_of(DV_KIND_U4), .values = keys},
            {.name = "Text", .type = dv_type_of(DV_KIND_TX), .values = texts[i % 2]}};
        if (i >= 6)
            cr_assert_eq(dv_table_create(&how.names, columns, 2, 2, NULL, NULL), DV_OK);
        cr_assert_eq(dvt_hash_view(&view, source, 0, &how, NULL, NULL), DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
        cr_assert_eq(dv_cursor_token(cursor, &tokens[i], NULL), DV_OK);
        for (int k = 0; k < i; k++)
            cr_expect_str_neq(tokens[i].text, tokens[k].text, "%d %d", i, k);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&how.names);
    }
    dv_view_release(&source);
}

/* --- Memory ----------------------------------------------------------------------------------- */

typedef struct story {
    const char *file, *column;
    bool is_ordered, is_combined, has_names;
} story;

static const story stories[] = {
    {"idv/scalar-all-deflate-rpb7.idv", "R8", false, false, true},
    {"idv/scalar-all-raw-rpb7.idv", "I2", true, false, false},
    {"idv/vector-TX-raw.idv", NULL, true, false, false},
    {"idv/vector-I4-raw.idv", NULL, true, false, true},
    {"idv/vector-I4-raw.idv", NULL, false, true, false},
};

static dv_status hash_story(dv_view **view_out, dv_view *source, const story *s,
                            const dv_allocator *allocator, dv_error *err)
{
    static const uint32_t keys[] = {2, 5};
    static const char *const texts[] = {"two", "five"};
    const dv_table_column columns[] = {
        {.name = "Key", .type = dv_type_of(DV_KIND_U4), .values = keys},
        {.name = "Text", .type = dv_type_of(DV_KIND_TX), .values = texts}};
    dvi_hash_options how = dvt_hash_options(6);
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    int32_t column = 0;
    *view_out = NULL;
    options.allocator = allocator;
    how.is_ordered = s->is_ordered;
    how.is_combined = s->is_combined;
    if (s->column)
        dv_schema_find(dv_view_schema(source), dv_text_of(s->column), &column);
    dv_status status = DV_OK;
    if (s->has_names)
        status = dv_table_create(&how.names, columns, 2, 2, &options, err);
    if (status == DV_OK)
        status = dvt_hash_view(view_out, source, column, &how, allocator, err);
    dv_view_release(&how.names);
    return status;
}

static dv_status use_story(const void *what, const dv_allocator *allocator,
                           const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const story *s = what;
    dv_view *source = NULL, *view = NULL;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, s->file);
    how.allocator = allocator;
    dv_status status = dv_open(&source, path.text, &how, err);
    if (status == DV_OK)
        status = hash_story(&view, source, s, allocator, err);
    dv_view_release(&source);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    return status;
}

static dv_view *open_story(const story *s, const dv_allocator *allocator)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_view *view;
    how.allocator = allocator;
    dv_view *source = dvt_golden_open(s->file, &how);
    cr_assert_eq(hash_story(&view, source, s, allocator, NULL), DV_OK);
    dv_view_release(&source);
    return view;
}

Test(tf_hash, each_allocation_may_fail)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = i % 2 ? 0 : 9;
        options.take = 14;
        options.threads = 1;
        dvt_fail_each_allocation(use_story, &stories[i], stories[i].file, &options);
    }
}

Test(tf_hash, a_call_that_failed_may_be_repeated)
{
    for (size_t i = 0; i < 2 * COUNT(stories); i++) {
        dvt_allocator counted;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_allocator_init(&counted, 0);
        dv_view *view = open_story(&stories[i / 2], &counted.allocator);
        options.batch_rows = i % 2 * 4;
        options.take = 14;
        options.threads = 1;
        dvt_resume_after_failures(view, &counted, &options, 3, stories[i / 2].file);
    }
}

Test(tf_hash, batches_outlive_everything)
{
    for (size_t i = 0; i < 2 * COUNT(stories); i++) {
        dvt_allocator counted;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_allocator_init(&counted, 0);
        options.batch_rows = 7;
        options.threads = i & 1 ? 4 : 1;
        options.take = 200;
        options.ids = true;
        dvt_outlive_view(open_story(&stories[i / 2], &counted.allocator), &counted, &options);
    }
}
