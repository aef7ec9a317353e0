/* SPDX-License-Identifier: MIT */
/* test_arrow_import.c: what is exported comes back from Arrow as it was: names, types, values and
 * metadata, of every golden file. */
#include "support/arrow_check.h"
#include "support/arrow_columns.h"
#include "support/golden_files.h"
#include "support/identities.h"
#include "support/kinds_table.h"
#include "support/many_rows.h"
#include "support/same_table.h"
#include "support/test.h"
#include <dataview/arrow.h>
#include <dataview/cursor.h>
#include <dataview/digest.h>
#include <dataview/row.h>
#include <dataview/table.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- Round trips ------------------------------------------------------------------------------ */

static dv_view *import_again(dv_view *view, const dv_arrow_options *options, bool hold,
                             const char *what)
{
    struct ArrowArrayStream stream;
    dv_view *made;
    dv_error err = DV_ERROR_INIT;
    dv_arrow_import_options import = DV_ARROW_IMPORT_OPTIONS_INIT;
    import.hold = hold;
    cr_assert_eq(dv_view_export_arrow(view, &stream, options, &err), DV_OK, "%s: %s", what,
                 err.message);
    cr_assert_eq(dv_view_import_arrow(&made, &stream, &import, &err), DV_OK, "%s: %s", what,
                 err.message);
    cr_expect_null((void *)(uintptr_t)stream.release);
    return made;
}

/* The digest of all columns, hidden ones too. */
static dv_u128 digest_of(dv_view *view)
{
    dv_cursor *cursor;
    dv_digester *digester;
    dv_error err = DV_ERROR_INIT;
    dv_u128 digests = {0, 0};
    for (int32_t k = 0; k < dv_schema_columns(dv_view_schema(view)); k++) {
        const dv_batch *batch;
        dv_status status;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.columns = &k;
        options.columns_count = 1;
        cr_assert_eq(dv_digester_create(&digester, NULL, NULL), DV_OK);
        dv_digester_add(digester, &digests, sizeof digests);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
            dv_digester_add_column(digester, dv_batch_column(batch, 0));
        cr_assert_eq(status, DV_END, "%s", err.message);
        digests = dv_digester_result(digester);
        dv_cursor_close(&cursor);
        dv_digester_free(&digester);
    }
    return digests;
}

static void check_golden(const dvt_golden *golden)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    dv_cursor_options all;
    options.times = DV_ARROW_TIMES_TICKS;
    options.offsets = true;
    cr_assert_eq(dv_open(&view, golden->path, NULL, &err), DV_OK, "%s", err.message);
    all = dvt_all_columns(view);
    options.cursor = &all;
    const dv_u128 digest = digest_of(view);
    dv_view *held = import_again(view, &options, true, golden->path);
    const dv_u128 again = digest_of(held);
    const char *wrong = dvt_table_difference(view, held, 0);
    cr_expect_null(wrong, "%s: %s", golden->path, wrong);
    const bool has_other_na = strstr(golden->path, "key-above-count"); /* which becomes 0 */
    cr_expect(has_other_na || (digest.lo == again.lo && digest.hi == again.hi), "%s: other values",
              golden->path);
    dv_view *streamed = import_again(view, &options, false, golden->path);
    wrong = dvt_table_difference(view, streamed, 0);
    cr_expect_null(wrong, "%s: once: %s", golden->path, wrong);
    dv_view_release(&streamed);
    dv_view_release(&held);
    dvt_all_columns_free(&all);
    dv_view_release(&view);
}

Test(arrow_import, golden_files_come_back)
{
    cr_expect_gt(dvt_golden_each(check_golden), 10);
}

/* Every type in every form that keeps all values. */
static void expect_form(int kind, const dv_arrow_options *options)
{
    char what[100];
    dvt_kinds_table table;
    dvt_kinds_of of = dvt_kinds_at(kind);
    of.has_na = true;
    dvt_kinds_make(&table, of, 7);
    dv_view *view = dvt_made_table_open(&table.made, NULL);
    snprintf(what, sizeof what, "kind %d, keys %d, vectors %d", kind, (int)options->keys,
             (int)options->vectors);
    for (int hold = 0; hold < 2; hold++) {
        dv_view *again = import_again(view, options, hold, what);
        const char *wrong = dvt_table_difference(view, again, hold ? 0 : 5);
        cr_expect_null(wrong, "%s, hold %d: %s", what, hold, wrong);
        dv_view_release(&again);
    }
    dv_view_release(&view);
    dvt_kinds_free(&table);
}

Test(arrow_import, every_form_comes_back)
{
    for (int kind = 0; kind < DVT_KINDS; kind++)
        for (int choice = 0; choice < 3 * 3 * 2; choice++) {
            dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
            options.keys = (dv_arrow_keys)(choice % 3);
            options.vectors = (dv_arrow_vectors)(choice / 3 % 3);
            options.extensions = choice / 9 % 2;
            options.times = DV_ARROW_TIMES_TICKS;
            options.offsets = true;
            expect_form(kind, &options);
        }
}

/* Times of whole microseconds need no ticks. */
Test(arrow_import, microseconds_come_back)
{
    static const int64_t ticks[3] = {INT64_C(637134336000000000), 10, DV_TICKS_NA};
    static const dv_zoned zoned[3] = {
        {INT64_C(637134336000000000), 90}, {DV_TICKS_NA, 0}, {INT64_C(637134336000000010), -720}};
    const dv_table_column columns[] = {{"s", dv_type_of(DV_KIND_TS), ticks, NULL},
                                       {"t", dv_type_of(DV_KIND_DT), ticks, NULL},
                                       {"z", dv_type_of(DV_KIND_DZ), zoned, NULL}};
    dv_view *view;
    cr_assert_eq(dv_table_create(&view, columns, 3, 3, NULL, NULL), DV_OK);
    for (int extensions = 0; extensions < 2; extensions++) {
        dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
        options.offsets = true;
        options.extensions = extensions;
        dv_view *again = import_again(view, &options, true, "times");
        const char *wrong = dvt_table_difference(view, again, 0);
        cr_expect_null(wrong, "%s", wrong);
        dv_view_release(&again);
    }
    dv_view_release(&view);
}

/* The digits that microseconds lose are counted, in each row and kind. */
Test(arrow_import, floored_times_are_counted)
{
    static const int64_t ticks[4] = {INT64_C(637134336000000001), 10, -7, DV_TICKS_NA};
    static const dv_zoned zoned[4] = {{INT64_C(637134336000000005), 90},
                                      {DV_TICKS_NA, 0},
                                      {INT64_C(637134336000000010), -720},
                                      {INT64_C(637134336000000019), 0}};
    static const struct {
        dv_arrow_times times;
        int64_t floored;
    } cases[] = {{DV_ARROW_TIMES_US, 4}, {DV_ARROW_TIMES_TICKS, 0}};
    const dv_table_column columns[] = {{"s", dv_type_of(DV_KIND_TS), ticks, NULL},
                                       {"z", dv_type_of(DV_KIND_DZ), zoned, NULL}};
    dv_view *view;
    cr_assert_eq(dv_table_create(&view, columns, 2, 4, NULL, NULL), DV_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t floored = 0;
        dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
        options.times = cases[i].times;
        options.floored = &floored;
        dv_view *again = import_again(view, &options, true, "times");
        cr_expect_eq(floored, cases[i].floored, "%zu: %d", i, (int)floored);
        dv_view_release(&again);
    }
    dv_view_release(&view);
}

/* --- Metadata --------------------------------------------------------------------------------- */

/* The value of a key in the metadata of a field; NULL: there is none. */
static const char *find_pair(char *dst, size_t cap, const struct ArrowSchema *schema,
                             const char *key)
{
    const char *at = schema->metadata;
    int32_t pairs, n;
    memcpy(&pairs, at, 4);
    at += 4;
    for (int32_t i = 0; i < pairs; i++) {
        memcpy(&n, at, 4);
        const bool is_it = (size_t)n == strlen(key) && memcmp(at + 4, key, (size_t)n) == 0;
        at += 4 + n;
        memcpy(&n, at, 4);
        snprintf(dst, cap, "%.*s", (int)n, at + 4);
        at += 4 + n;
        if (is_it)
            return dst;
    }
    return NULL;
}

/* A tensor that is exported as one has the names of its dimensions, in its own order. */
Test(arrow_import, names_of_dimensions_come_back)
{
    char text[200];
    dv_view *view;
    struct ArrowSchema schema;
    struct ArrowArray array;
    const dv_arrow_import_options import = DV_ARROW_IMPORT_OPTIONS_INIT;
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    options.extensions = true;
    dvt_arrow_pair_of(&schema, &array, dvt_arrow_named());
    cr_assert_eq(dv_view_import_arrow_array(&view, &schema, &array, &import, NULL), DV_OK);
    cr_assert_eq(dv_view_export_arrow_schema(view, &schema, &options, NULL), DV_OK);
    cr_expect_str_eq(find_pair(text, sizeof text, schema.children[0], "ARROW:extension:metadata"),
                     "{\"shape\":[2,3],\"dim_names\":[null,\"a\\\"\"]}");
    schema.release(&schema);
    dv_view_release(&view);
}

Test(arrow_import, metadata_has_a_limit)
{
    char text[1000];
    struct ArrowSchema schema;
    dv_view *view = dvt_golden_open("idv/metadata-raw.idv", NULL);
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    for (int64_t limit = 1 << 20; limit >= 0; limit = limit > 100 ? 40 : limit - 40) {
        options.metadata_nbytes = limit;
        cr_assert_eq(dv_view_export_arrow_schema(view, &schema, &options, NULL), DV_OK);
        const char *wrong = dvt_arrow_schema_wrong(&schema);
        cr_expect_null(wrong, "%s", wrong);
        const struct ArrowSchema *feat = schema.children[0];
        cr_expect_str_eq(find_pair(text, sizeof text, feat, "dataview.type"), "V<R4,6>");
        const char *left_out = find_pair(text, sizeof text, feat, "dataview.left_out");
        if (limit > 100)
            cr_expect_null(left_out);
        else
            cr_expect_str_eq(left_out, limit > 0 ? "[\"SlotNames\",\"CategoricalSlotRanges\"]"
                                                 : "[\"SlotNames\",\"IsNormalized\","
                                                   "\"CategoricalSlotRanges\"]");
        schema.release(&schema);
    }
    dv_view_release(&view);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_view *import_made(dvt_arrow *node, int arrays, bool hold)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    struct ArrowArrayStream stream;
    dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
    options.hold = hold;
    dvt_arrow_stream(&stream, dvt_arrow_add(dvt_arrow_make("+s", "", node->array.length), node),
                     arrays);
    cr_assert_eq(dv_view_import_arrow(&view, &stream, &options, &err), DV_OK, "%s", err.message);
    return view;
}

/* Rows by number, in any order, of arrays that are held. */
Test(arrow_import, held_rows_have_numbers)
{
    dv_row_cursor *rows;
    dv_value value;
    dv_view *view = import_made(dvt_arrow_i4(), 5, true);
    cr_expect_eq(dv_view_rows(view), 15);
    cr_expect(dv_view_can_shuffle(view));
    cr_expect_eq(dv_view_block_rows(view), 3);
    for (int64_t row = 14; row >= 0; row--) {
        static const int32_t expected[3] = {7, -8, 9};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.first_row = row;
        cr_assert_eq(dv_row_cursor_open(&rows, view, &options, NULL), DV_OK);
        cr_assert_eq(dv_row_next(rows, NULL), DV_OK);
        cr_assert_eq(dv_row_value(rows, 0, &value, NULL), DV_OK);
        cr_expect_eq(dv_value_i4(&value), expected[row % 3]);
        dv_row_cursor_close(&rows);
    }
    dv_view_release(&view);
    cr_expect_eq(dvt_arrow_live(), 0);
}

Test(arrow_import, streamed_rows_come_once)
{
    dv_cursor *cursor, *second;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = import_made(dvt_arrow_i4(), 5, false);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = 4;
    options.end_row = 8;
    cr_expect_eq(dv_view_rows(view), -1);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_expect_eq(dv_cursor_open(&second, view, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "hold"), "%s", err.message);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_eq(batch->rows, 2);
    cr_expect_eq(batch->first_row, 4);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_eq(batch->rows, 2);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_END);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    cr_expect_eq(dvt_arrow_live(), 0);
}

/* --- In place --------------------------------------------------------------------------------- */

static bool is_inside(const dv_buffer *buffer, const void *start, size_t nbytes)
{
    return buffer->is_borrowed && (const char *)buffer->data >= (const char *)start &&
           (const char *)buffer->data + buffer->nbytes <= (const char *)start + nbytes;
}

Test(arrow_import, values_stay_where_they_are)
{
    static const struct {
        dvt_arrow *(*make)(void);
        int buffer;
        size_t nbytes;
        bool is_lent;
    } cases[] = {{dvt_arrow_i4, 1, 16, true},        {dvt_arrow_u1, 1, 4, true},
                 {dvt_arrow_r4, 1, 16, false},       {dvt_arrow_i4_na, 1, 16, false},
                 {dvt_arrow_utf8, 2, 26, true},      {dvt_arrow_binary, 2, 26, true},
                 {dvt_arrow_utf8_na, 2, 26, true},   {dvt_arrow_large_utf8, 2, 26, true},
                 {dvt_arrow_utf8_view, 3, 22, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_cursor *cursor;
        const dv_batch *batch;
        dvt_arrow *node = cases[i].make();
        const void *start = node->buffers[cases[i].buffer];
        dv_view *view = import_made(node, 1, true);
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.zero_copy_only = true;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        const dv_status status = dv_cursor_next(cursor, &batch, NULL);
        cr_expect_eq(status, cases[i].is_lent ? DV_OK : DV_ERR_COPY, "%zu", i);
        if (status == DV_OK) {
            const dv_column_view *column = dv_batch_column(batch, 0);
            const dv_buffer *buffer = column->layout == DV_LAYOUT_FIXED ? &column->as.fixed.values
                                                                        : &column->as.text.utf8;
            cr_expect(is_inside(buffer, start, cases[i].nbytes), "%zu", i);
        }
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
    cr_expect_eq(dvt_arrow_live(), 0);
}

/* --- Dictionaries ----------------------------------------------------------------------------- */

/* Arrays whose dictionaries differ: values once, in the order in which they appear. */
static dvt_arrow *words_of(const char *utf8, const char *codes)
{
    int32_t offsets[8] = {0};
    int8_t numbers[8];
    const int n = (int)strlen(utf8), rows = (int)strlen(codes);
    dvt_arrow *values = dvt_arrow_make("u", "", n), *node = dvt_arrow_make("c", "x", rows);
    for (int i = 0; i < n; i++)
        offsets[i + 1] = i + 1;
    for (int i = 0; i < rows; i++)
        numbers[i] = (int8_t)(codes[i] - '0');
    dvt_arrow_fill(values, 1, offsets, 4 * ((size_t)n + 1));
    dvt_arrow_fill(values, 2, utf8, (size_t)n);
    dvt_arrow_fill(node, 1, numbers, (size_t)rows);
    return dvt_arrow_add(dvt_arrow_make("+s", "", rows), dvt_arrow_encode(node, values));
}

/* "ab", then "cb" with a value twice, then none, then "a". */
static dvt_arrow *four_arrays(void)
{
    dvt_arrow *last = dvt_arrow_then(words_of("", ""), words_of("a", "00"));
    return dvt_arrow_then(words_of("ab", "10"), dvt_arrow_then(words_of("cbc", "0120"), last));
}

static void expect_words(dv_view *view, const char *keys, const char *values)
{
    char text[32] = "";
    dv_cursor *cursor;
    const dv_batch *batch, *entries;
    const dv_schema *schema = dv_view_schema(view);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            sprintf(text + strlen(text), "%d", (int)dv_value_key(&value));
        }
    cr_expect_str_eq(text, keys, "%s instead of %s", text, keys);
    dv_cursor_close(&cursor);
    cr_assert_eq(dv_schema_metadata_value(schema, 0, 0, &entries, NULL), DV_OK);
    const dv_text all = {dv_batch_column(entries, 0)->as.vector.items->as.text.utf8.data,
                         (int64_t)strlen(values)};
    cr_expect(dv_text_equal(all, dv_text_of(values)));
    cr_expect_eq(dv_schema_column(schema, 0)->type.key_count, strlen(values));
    dv_batch_release(&entries);
}

Test(arrow_import, dictionaries_are_joined)
{
    dv_view *view;
    struct ArrowArrayStream stream;
    dv_error err = DV_ERROR_INIT;
    dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
    options.hold = true;
    dvt_arrow_stream(&stream, four_arrays(), 4);
    cr_assert_eq(dv_view_import_arrow(&view, &stream, &options, &err), DV_OK, "%s", err.message);
    expect_words(view, "21323311", "abc");
    dv_view_release(&view);

    options.hold = false; /* the keys are fixed by the first */
    dv_cursor *cursor;
    const dv_batch *batch;
    dvt_arrow_stream(&stream, four_arrays(), 4);
    cr_assert_eq(dv_view_import_arrow(&view, &stream, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_UNSUPPORTED);
    cr_expect(strstr(err.message, "hold"), "%s", err.message);
    dv_cursor_close(&cursor);
    dv_view_release(&view);

    dvt_arrow *fewer = dvt_arrow_then(words_of("abc", "210"), words_of("ca", "01"));
    dvt_arrow_stream(&stream, fewer, 2);
    cr_assert_eq(dv_view_import_arrow(&view, &stream, &options, &err), DV_OK, "%s", err.message);
    expect_words(view, "32131", "abc");
    dv_view_release(&view);
    cr_expect_eq(dvt_arrow_live(), 0);
}

/* --- Identities ------------------------------------------------------------------------------- */

/* The same rows in other arrays are the same view; other rows are not. */
Test(arrow_import, identities_follow_the_rows)
{
    dv_view *two = import_made(dvt_arrow_i4(), 2, true);
    dv_view *three = import_made(dvt_arrow_i4(), 3, true);
    dv_view *again = import_made(dvt_arrow_i4(), 2, true);
    dv_view *once = import_made(dvt_arrow_i4(), 2, false);
    const dv_u128 identity = dvt_identity_of(again);
    cr_expect(dvt_identity_same(dvt_identity_of(two), identity));
    cr_expect(!dvt_identity_same(dvt_identity_of(three), identity));
    dv_cursor *cursor;
    dv_token token;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_cursor_open(&cursor, once, NULL, NULL), DV_OK);
    cr_expect_eq(dv_cursor_token(cursor, &token, &err), DV_ERR_ARGUMENT);
    dv_cursor_close(&cursor);
    dv_view_release(&once);
}

/* --- Producers -------------------------------------------------------------------------------- */

static int fail_code;

static int failing_next(struct ArrowArrayStream *stream, struct ArrowArray *array_out)
{
    (void)stream;
    (void)array_out;
    return fail_code;
}

static const char *words_of_failure(struct ArrowArrayStream *stream)
{
    (void)stream;
    return fail_code == EIO ? "the disk is gone" : NULL;
}

Test(arrow_import, producers_may_fail)
{
    static const struct {
        int code;
        dv_status status;
    } codes[] = {{EIO, DV_ERR_IO},
                 {EINVAL, DV_ERR_IO},
                 {ENOMEM, DV_ERR_MEMORY},
                 {ENOSYS, DV_ERR_UNSUPPORTED},
                 {ECANCELED, DV_ERR_STOPPED}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        dv_view *view;
        struct ArrowArrayStream stream;
        dv_error err = DV_ERROR_INIT;
        dv_arrow_import_options options = DV_ARROW_IMPORT_OPTIONS_INIT;
        options.hold = true;
        dvt_arrow_stream(&stream, dvt_arrow_i4(), 1);
        stream.get_next = failing_next;
        stream.get_last_error = words_of_failure;
        fail_code = codes[i].code;
        cr_expect_eq(dv_view_import_arrow(&view, &stream, &options, &err), codes[i].status);
        cr_expect_eq(err.os_code, codes[i].status == DV_ERR_IO ? fail_code : 0);
        cr_expect(strstr(err.message, fail_code == EIO ? "the disk is gone" : strerror(fail_code)),
                  "%s", err.message);
        stream.release(&stream); /* it is still the caller's */
    }
    cr_expect_eq(dvt_arrow_live(), 0);
}
