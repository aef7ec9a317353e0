/* SPDX-License-Identifier: MIT */
/* test_arrow_stream.c: views become Arrow streams with the same values, whatever the options, and
 * arrays outlive what they were made of. */
#include "support/allocator.h"
#include "support/arrow_check.h"
#include "support/kinds_table.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <dataview/row.h>
#include <dataview/table.h>
#include <dataview/value.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL 1024

/* --- What cells should be --------------------------------------------------------------------- */

static int64_t in_unit(int64_t ticks, dv_arrow_times times)
{
    if (times == DV_ARROW_TIMES_TICKS)
        return ticks;
    const int64_t us = ticks >= 0 ? ticks / 10 : -((9 - ticks) / 10);
    return times == DV_ARROW_TIMES_NS ? ticks * 100 : us;
}

#define UNIX_TICKS INT64_C(621355968000000000)

static void put_key(char *dst, const dv_type *type, uint64_t key, const dv_arrow_options *options)
{
    const bool is_na = key == 0 || (type->key_count > 0 && key > type->key_count);
    if (is_na && !(options->keys == DV_ARROW_KEYS_STORED && options->na == DV_ARROW_NA_KEEP))
        snprintf(dst, CELL, "null");
    else if (options->keys == DV_ARROW_KEYS_STORED)
        snprintf(dst, CELL, "%" PRIu64, key);
    else
        snprintf(dst, CELL, "%" PRIu64,
                 key - 1 + (options->keys == DV_ARROW_KEYS_MEANT ? type->key_min : 0));
}

static void put_time(char *dst, const dv_type *type, const dv_value *value,
                     const dv_arrow_options *options)
{
    const dv_zoned zero = {0, 0};
    const dv_zoned z = !value                     ? zero
                       : type->kind == DV_KIND_DZ ? dv_value_dz(value)
                                                  : (dv_zoned){dv_value_i8(value), 0};
    const bool is_ticks = options->times == DV_ARROW_TIMES_TICKS;
    const int64_t start = type->kind == DV_KIND_TS || is_ticks ? 0 : UNIX_TICKS;
    const int64_t time = in_unit(z.ticks - z.minutes * INT64_C(600000000) - start, options->times);
    if (type->kind == DV_KIND_DZ && options->offsets)
        snprintf(dst, CELL, "{%" PRId64 " %d}", time, z.minutes);
    else
        snprintf(dst, CELL, "%" PRId64, time);
}

static void put_number(char *dst, const dv_type *type, const dv_value *value)
{
    const uint8_t *bytes = value ? (const uint8_t *)value->column->as.fixed.values.data +
                                       value->row * dv_kind_width(type->kind)
                                 : (const uint8_t[16]){0};
    uint64_t bits = 0;
    switch (type->kind) {
    case DV_KIND_R4:
        snprintf(dst, CELL, "%.9g", value ? (double)dv_value_r4(value) : 0);
        return;
    case DV_KIND_R8:
        snprintf(dst, CELL, "%.17g", value ? dv_value_r8(value) : 0);
        return;
    case DV_KIND_BL:
        snprintf(dst, CELL, *bytes ? "true" : "false");
        return;
    case DV_KIND_UG:
        for (int i = 0; i < 16; i++)
            snprintf(dst + 2 * i, 3, "%02x", bytes[i]);
        return;
    default:
        break;
    }
    memcpy(&bits, bytes, (size_t)dv_kind_width(type->kind));
    const bool is_signed = type->kind == DV_KIND_I1 || type->kind == DV_KIND_I2 ||
                           type->kind == DV_KIND_I4 || type->kind == DV_KIND_I8;
    const int shift = 64 - 8 * dv_kind_width(type->kind);
    if (is_signed)
        snprintf(dst, CELL, "%" PRId64, (int64_t)(bits << shift) >> shift);
    else
        snprintf(dst, CELL, "%" PRIu64, bits);
}

/* value NULL: a slot that is not stored. */
static void put_scalar(char *dst, const dv_type *type, const dv_value *value,
                       const dv_arrow_options *options)
{
    const bool is_real = type->kind == DV_KIND_R4 || type->kind == DV_KIND_R8;
    const bool is_integer = type->kind <= DV_KIND_U8;
    const bool keeps =
        (is_real && !options->nan_is_null) || (options->na == DV_ARROW_NA_KEEP && is_integer);
    if (type->is_key)
        put_key(dst, type, value ? dv_value_key(value) : 0, options);
    else if (value && dv_value_is_na(value) && !keeps)
        snprintf(dst, CELL, "null");
    else if (type->kind == DV_KIND_TX || type->kind == DV_KIND_BY)
        snprintf(dst, CELL, "\"%.*s\"", value ? (int)dv_value_tx(value).nbytes : 0,
                 value ? dv_value_tx(value).data : "");
    else if (type->kind == DV_KIND_TS || type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ)
        put_time(dst, type, value, options);
    else
        put_number(dst, type, value);
}

static void put_vector(char *dst, const dv_value *value, const dv_arrow_options *options)
{
    char item[CELL];
    const dv_type type = dv_type_item(&value->column->type);
    const bool is_sparse =
        options->vectors == DV_ARROW_VECTORS_SPARSE && value->column->type.size > 0;
    const int32_t n = dv_value_items(value);
    int32_t k = 0;
    snprintf(dst, CELL, "[");
    for (int32_t slot = 0; slot < value->length; slot++) {
        const bool is_stored = k < n && dv_value_slot(value, k) == slot;
        if (is_sparse && !is_stored)
            continue;
        const dv_value stored = is_stored ? dv_value_item(value, k) : *value;
        put_scalar(item, &type, is_stored ? &stored : NULL, options);
        const size_t at = strlen(dst);
        snprintf(dst + at, CELL - at, is_sparse ? "%s{%d %s}" : "%s%.0d%s", at > 1 ? " " : "",
                 is_sparse ? slot : 0, item);
        k += is_stored;
    }
    strcat(dst, "]");
}

static char *expected_cell(dv_row_cursor *rows, int32_t column, const dv_arrow_options *options)
{
    dv_value value;
    char *cell = malloc(CELL);
    cr_assert_eq(dv_row_value(rows, column, &value, NULL), DV_OK);
    if (dv_type_is_vector(&value.column->type))
        put_vector(cell, &value, options);
    else
        put_scalar(cell, &value.column->type, &value, options);
    return cell;
}

/* --- Streams ---------------------------------------------------------------------------------- */

typedef struct reader {
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    int64_t at, arrays;
} reader;

static void open_reader(reader *r, dv_view *view, const dv_arrow_options *options)
{
    dv_error err = DV_ERROR_INIT;
    *r = (reader){.at = 0};
    cr_assert_eq(dv_view_export_arrow(view, &r->stream, options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(r->stream.get_schema(&r->stream, &r->schema), 0);
    const char *wrong = dvt_arrow_schema_wrong(&r->schema);
    cr_assert_null(wrong, "%s", wrong);
}

/* false: there are no more rows. */
static bool next_row(reader *r)
{
    if (r->array.release && ++r->at < r->array.length)
        return true;
    if (r->array.release)
        r->array.release(&r->array);
    r->at = 0;
    cr_assert_eq(r->stream.get_next(&r->stream, &r->array), 0, "%s",
                 r->stream.get_last_error(&r->stream));
    if (!r->array.release)
        return false;
    r->arrays++;
    const char *wrong = dvt_arrow_array_wrong(&r->array, &r->schema);
    cr_assert_null(wrong, "%s", wrong);
    return r->array.length > 0;
}

static void close_reader(reader *r)
{
    if (r->array.release)
        r->array.release(&r->array);
    r->schema.release(&r->schema);
    r->stream.release(&r->stream);
    cr_expect_null((void *)(uintptr_t)r->stream.release);
}

static int64_t expect_values(dv_view *view, const dv_arrow_options *options, const char *what)
{
    reader r;
    dv_row_cursor *rows;
    const int32_t columns = dv_schema_columns(dv_view_schema(view));
    cr_assert_eq(dv_row_cursor_open(&rows, view, NULL, NULL), DV_OK);
    open_reader(&r, view, options);
    int64_t row = 0;
    for (; next_row(&r); row++) {
        cr_assert_eq(dv_row_next(rows, NULL), DV_OK);
        for (int32_t k = 0; k < columns; k++) {
            char cell[CELL];
            char *expected = expected_cell(rows, k, options);
            dvt_arrow_print(cell, sizeof cell, r.array.children[k], r.schema.children[k], r.at);
            cr_assert_str_eq(cell, expected, "%s: row %" PRId64 ", column %d: %s instead of %s",
                             what, row, (int)k, cell, expected);
            free(expected);
        }
    }
    cr_expect_eq(dv_row_next(rows, NULL), DV_END);
    dv_row_cursor_close(&rows);
    const int64_t arrays = r.arrays;
    close_reader(&r);
    return arrays;
}

/* --- Values ----------------------------------------------------------------------------------- */

static void expect_kind(int i, bool has_na, const dv_arrow_options *options)
{
    char what[128];
    dvt_kinds_table table;
    dvt_kinds_of kind = dvt_kinds_at(i);
    kind.has_na = has_na;
    dvt_kinds_make(&table, kind, 7);
    dv_view *view = dvt_made_table_open(&table.made, NULL);
    snprintf(what, sizeof what, "kind %d, na %d, keys %d, times %d, vectors %d", i,
             (int)options->na, (int)options->keys, (int)options->times, (int)options->vectors);
    const int64_t arrays = expect_values(view, options, what);
    cr_expect_geq(arrays, options->made_nbytes < 1000 ? DVT_KINDS_ROWS / 7 : 1);
    dv_view_release(&view);
    dvt_kinds_free(&table);
}

Test(arrow_stream, has_the_values_of_every_type)
{
    for (int i = 0; i < DVT_KINDS; i++)
        for (int choice = 0; choice < 2 * 3 * 3 * 3 * 2; choice++) {
            dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
            int rest = choice;
            const bool flag = rest % 2;
            options.offsets = options.nan_is_null = flag;
            options.made_nbytes = flag ? 100 : INT64_C(1) << 20;
            options.na = (rest /= 2) % 2 ? DV_ARROW_NA_KEEP : DV_ARROW_NA_NULL;
            options.keys = (dv_arrow_keys)((rest /= 2) % 3);
            options.times = (dv_arrow_times[]){DV_ARROW_TIMES_US, DV_ARROW_TIMES_TICKS,
                                               DV_ARROW_TIMES_US}[(rest /= 3) % 3];
            options.vectors = (dv_arrow_vectors)((rest / 3) % 3);
            expect_kind(i, choice % 4 < 2, &options);
        }
}

Test(arrow_stream, cuts_batches)
{
    dvt_kinds_table table;
    dvt_kinds_make(&table, dvt_kinds_at(DV_KIND_R8 - 1), 60);
    dv_view *view = dvt_made_table_open(&table.made, NULL);
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    cr_expect_eq(expect_values(view, &options, "whole"), 1);
    options.made_nbytes = 1;
    cr_expect_eq(expect_values(view, &options, "single rows"), 60);
    dv_view_release(&view);
    dvt_kinds_free(&table);
}

/* --- Dictionaries ----------------------------------------------------------------------------- */

static dv_view *open_golden(const char *name, const dv_allocator *allocator)
{
    char path[1024];
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = allocator;
    snprintf(path, sizeof path, "%s/golden/%s", getenv("DV_TEST_ROOT"), name);
    cr_assert_eq(dv_open(&view, path, &options, &err), DV_OK, "%s", err.message);
    return view;
}

/* The dictionary's values are those of the metadata, and the codes are the keys less 1. */
Test(arrow_stream, keys_with_values_are_dictionaries)
{
    reader r;
    dv_view *view = open_golden("idv/metadata-raw.idv", NULL);
    dv_row_cursor *rows;
    int found = 0;
    cr_assert_eq(dv_row_cursor_open(&rows, view, NULL, NULL), DV_OK);
    open_reader(&r, view, NULL);
    while (next_row(&r)) {
        cr_assert_eq(dv_row_next(rows, NULL), DV_OK);
        for (int32_t k = 0; k < dv_schema_columns(dv_view_schema(view)); k++) {
            const struct ArrowArray *array = r.array.children[k];
            char cell[CELL], direct[CELL];
            dv_value value;
            int32_t i;
            const dv_batch *values;
            if (!array->dictionary)
                continue;
            cr_assert_eq(
                dv_schema_find_metadata(dv_view_schema(view), k, dv_text_of(DV_KEY_VALUES), &i),
                DV_OK);
            cr_assert_eq(dv_schema_metadata_value(dv_view_schema(view), k, i, &values, NULL),
                         DV_OK);
            cr_assert_eq(dv_row_value(rows, k, &value, NULL), DV_OK);
            const uint64_t key = dv_value_key(&value);
            const dv_value all = dv_value_first(dv_batch_column(values, 0));
            cr_expect_eq(array->dictionary->length, all.length);
            dvt_arrow_print(cell, sizeof cell, array, r.schema.children[k], r.at);
            snprintf(direct, sizeof direct, "null");
            if (key > 0 && key <= (uint64_t)all.length) {
                const dv_value item = dv_value_item(&all, (int32_t)key - 1);
                const dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
                put_scalar(direct, &item.column->type, &item, &options);
                found++;
            }
            cr_expect_str_eq(cell, direct, "%s instead of %s", cell, direct);
            dv_batch_release(&values);
        }
    }
    cr_expect_gt(found, 0);
    dv_row_cursor_close(&rows);
    close_reader(&r);
    dv_view_release(&view);
}

/* --- Times ------------------------------------------------------------------------------------ */

static void expect_times(int64_t ticks, dv_arrow_times times, const char *expected)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    struct ArrowSchema schema;
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    const int64_t values[2] = {UNIX_TICKS, ticks};
    const dv_table_column column = {"when", dv_type_of(DV_KIND_DT), values, NULL};
    char cell[CELL];
    options.times = times;
    cr_assert_eq(dv_table_create(&view, &column, 1, 2, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_export_arrow(view, &stream, &options, &err), DV_OK);
    cr_assert_eq(stream.get_schema(&stream, &schema), 0);
    const int code = stream.get_next(&stream, &array);
    if (expected) {
        cr_assert_eq(code, 0, "%s", stream.get_last_error(&stream));
        dvt_arrow_print(cell, sizeof cell, array.children[0], schema.children[0], 1);
        cr_expect_str_eq(cell, expected);
        array.release(&array);
    } else {
        cr_expect_eq(code, EINVAL);
        cr_expect_not_null(strstr(stream.get_last_error(&stream), "row 1"), "%s",
                           stream.get_last_error(&stream));
        cr_expect_eq(stream.get_next(&stream, &array), EINVAL); /* it is final */
    }
    schema.release(&schema);
    stream.release(&stream);
    dv_view_release(&view);
}

Test(arrow_stream, times_are_floored_or_refused)
{
    expect_times(UNIX_TICKS - 1, DV_ARROW_TIMES_US, "-1");
    expect_times(UNIX_TICKS + 19, DV_ARROW_TIMES_US, "1");
    expect_times(0, DV_ARROW_TIMES_US, "-62135596800000000");
    expect_times(UNIX_TICKS + 20, DV_ARROW_TIMES_EXACT, "2");
    expect_times(UNIX_TICKS + 19, DV_ARROW_TIMES_EXACT, NULL);
    expect_times(UNIX_TICKS - 1, DV_ARROW_TIMES_NS, "-100");
    expect_times(0, DV_ARROW_TIMES_NS, NULL);
    expect_times(0, DV_ARROW_TIMES_TICKS, "0");
    expect_times(-1, DV_ARROW_TIMES_EXACT, "null");
}

/* A key of unknown count may mean a number that does not exist. */
Test(arrow_stream, keys_do_not_wrap)
{
    dv_view *view;
    static const uint16_t keys[2] = {1, 2};
    const dv_table_column column = {"k", dv_type_key(DV_KIND_U2, UINT64_MAX, 0), keys, NULL};
    for (int64_t rows = 1; rows <= 2; rows++) {
        struct ArrowArrayStream stream;
        struct ArrowArray array;
        dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
        options.keys = DV_ARROW_KEYS_MEANT;
        cr_assert_eq(dv_table_create(&view, &column, 1, rows, NULL, NULL), DV_OK);
        cr_assert_eq(dv_view_export_arrow(view, &stream, &options, NULL), DV_OK);
        cr_expect_eq(stream.get_next(&stream, &array), rows == 1 ? 0 : EINVAL);
        if (array.release) {
            cr_expect_eq(*(const uint64_t *)array.children[0]->buffers[1], UINT64_MAX);
            array.release(&array);
        } else {
            const char *says = stream.get_last_error(&stream);
            cr_expect(strstr(says, "row 1") && strstr(says, "classes"), "%s", says);
        }
        stream.release(&stream);
        dv_view_release(&view);
    }
}

/* A few bytes must not become gigabytes: sparse vectors of rank 2 are dense in Arrow. */
Test(arrow_stream, dense_vectors_have_a_limit)
{
    static const int32_t dims[2] = {4096, 8192}, counts[1] = {0};
    static const dv_column_view items = {.type = {.kind = DV_KIND_R4}, .layout = DV_LAYOUT_FIXED};
    dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1};
    table.column[0] =
        (dv_column_view){.type = dv_type_tensor(dv_type_of(DV_KIND_R4), dims, 2),
                         .layout = DV_LAYOUT_VECTOR,
                         .rows = 1,
                         .as.vector = {.length = dims[0] * dims[1],
                                       .counts = {counts, sizeof counts, NULL, false, true},
                                       .items = &items}};
    dv_view *view = dvt_made_table_open(&table, NULL);
    for (int i = 0; i < 3; i++) {
        struct ArrowArrayStream stream;
        struct ArrowArray array;
        dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
        const dv_arrow_vectors sparse = DV_ARROW_VECTORS_SPARSE;
        options.made_nbytes = i == 1 ? INT64_C(128) << 20 : 1;
        options.column_vectors = i == 2 ? &sparse : NULL;
        cr_assert_eq(dv_view_export_arrow(view, &stream, &options, NULL), DV_OK);
        cr_expect_eq(stream.get_next(&stream, &array), i > 0 ? 0 : EINVAL);
        if (array.release)
            array.release(&array);
        else
            cr_expect(strstr(stream.get_last_error(&stream), "made_nbytes"));
        stream.release(&stream);
    }
    dv_view_release(&view);
}

/* --- In place --------------------------------------------------------------------------------- */

/* Numbers that are lent are those of the caller. */
Test(arrow_stream, numbers_are_lent)
{
    static _Alignas(64) float values[4] = {1, 2, 3, 4};
    dv_view *view;
    reader r;
    dv_table_options lend = DV_TABLE_OPTIONS_INIT;
    const dv_table_column column = {"x", dv_type_vector(dv_type_of(DV_KIND_R4), 2), values, NULL};
    lend.lend = true;
    cr_assert_eq(dv_table_create(&view, &column, 1, 2, &lend, NULL), DV_OK);
    open_reader(&r, view, NULL);
    dv_view_release(&view);
    cr_assert(next_row(&r));
    const struct ArrowArray *list = r.array.children[0];
    cr_expect_eq(list->children[0]->buffers[1], (const void *)values);
    cr_expect_null(list->children[0]->buffers[0]);
    cr_expect_str_eq(r.schema.children[0]->format, "+w:2");
    close_reader(&r);
}

/* --- Lifetimes -------------------------------------------------------------------------------- */

/* Children that are moved out, and released last. */
Test(arrow_stream, children_outlive_everything)
{
    dvt_allocator counted;
    reader r;
    dvt_allocator_init(&counted, 0);
    dv_view *view = open_golden("idv/people.idv", &counted.allocator);
    open_reader(&r, view, NULL);
    dv_view_release(&view);
    cr_assert(next_row(&r));
    struct ArrowArray name = *r.array.children[0];
    r.array.children[0]->release = NULL;
    struct ArrowArray tags = *r.array.children[4]->children[0];
    r.array.children[4]->children[0]->release = NULL;
    r.array.release(&r.array);
    close_reader(&r);
    const int32_t *offsets = name.buffers[1];
    cr_expect_eq(memcmp((const char *)name.buffers[2] + offsets[0], "user 0", 6), 0);
    cr_expect_gt(tags.length, 0);
    cr_expect_gt(counted.live, 0);
    name.release(&name);
    tags.release(&tags);
    cr_expect_eq(counted.live, 0);
}

/* --- Batches ---------------------------------------------------------------------------------- */

Test(arrow_stream, batches_are_arrays)
{
    dvt_kinds_table table;
    dvt_kinds_make(&table, dvt_kinds_at(DV_KIND_TX - 1), 60);
    dv_view *view = dvt_made_table_open(&table.made, NULL);
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    for (int32_t k = -1; k < 3; k++) {
        struct ArrowSchema schema;
        struct ArrowArray array;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(
            dv_batch_export_arrow(batch, dv_view_schema(view), k, &schema, &array, NULL, &err),
            DV_OK, "%s", err.message);
        const char *wrong = dvt_arrow_schema_wrong(&schema);
        cr_assert_null(wrong, "%s", wrong);
        wrong = dvt_arrow_array_wrong(&array, &schema);
        cr_assert_null(wrong, "%s", wrong);
        cr_expect_eq(array.length, 60);
        cr_expect_eq(array.n_children, k < 0 ? 3 : k > 0);
        array.release(&array);
        schema.release(&schema);
    }
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_kinds_free(&table);
}

Test(arrow_stream, refuses_what_it_cannot_do)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct ArrowArrayStream stream;
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_view *view = open_golden("idv/people.idv", NULL);
    const dv_schema *columns = dv_view_schema(view);
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    dv_cursor_options two = DV_CURSOR_OPTIONS_INIT;
    cr_assert_eq(dv_cursor_options_column(&two, columns, "Age", &err), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(dv_batch_export_arrow(batch, columns, 5, &schema, &array, NULL, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_batch_export_arrow(batch, columns, -2, &schema, &array, NULL, &err),
                 DV_ERR_ARGUMENT);
    options.cursor = &two; /* the batch has more columns */
    cr_expect_eq(dv_batch_export_arrow(batch, columns, 0, &schema, &array, &options, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_null((void *)(uintptr_t)schema.release);
    cr_expect_null((void *)(uintptr_t)array.release);
    dv_cursor_close(&cursor);

    options = (dv_arrow_options)DV_ARROW_OPTIONS_INIT;
    options.times = (dv_arrow_times)9;
    cr_expect_eq(dv_view_export_arrow(view, &stream, &options, &err), DV_ERR_ARGUMENT);
    cr_expect_null((void *)(uintptr_t)stream.release);
    options = (dv_arrow_options)DV_ARROW_OPTIONS_INIT;
    options.made_nbytes = 0;
    cr_expect_eq(dv_view_export_arrow_schema(view, &schema, &options, &err), DV_ERR_ARGUMENT);
    cr_expect_null((void *)(uintptr_t)schema.release);
    dv_view_release(&view);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Each allocation of a whole stream fails: all rows come, or those before ENOMEM, which is final.
 */
static bool use_with_failure(int64_t k)
{
    dvt_allocator counted;
    struct ArrowArrayStream stream;
    dvt_allocator_init(&counted, 0);
    dv_view *view = open_golden("idv/metadata-raw.idv", &counted.allocator);
    counted.fail_at = counted.asked + k;
    dv_status status = dv_view_export_arrow(view, &stream, NULL, NULL);
    if (status == DV_ERR_MEMORY)
        status = dv_view_export_arrow(view, &stream, NULL, NULL);
    cr_assert_eq(status, DV_OK);
    struct ArrowSchema schema;
    if (stream.get_schema(&stream, &schema) == ENOMEM)
        cr_assert_eq(stream.get_schema(&stream, &schema), 0);
    struct ArrowArray array;
    int64_t rows = 0;
    int code;
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release) {
        rows += array.length;
        cr_expect_null(dvt_arrow_array_wrong(&array, &schema));
        array.release(&array);
    }
    cr_assert(code == 0 || (code == ENOMEM && stream.get_next(&stream, &array) == ENOMEM));
    cr_expect(code == ENOMEM ? rows < dv_view_rows(view) : rows == dv_view_rows(view));
    schema.release(&schema);
    stream.release(&stream);
    dv_view_release(&view);
    cr_expect_eq(counted.live, 0);
    return counted.asked < counted.fail_at;
}

Test(arrow_stream, any_allocation_may_fail)
{
    int64_t k = 1;
    while (!use_with_failure(k))
        k++;
    cr_expect_gt(k, 20);
}
