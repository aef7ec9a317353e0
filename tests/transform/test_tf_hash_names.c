/* SPDX-License-Identifier: MIT */
/* test_tf_hash_names.c: names of keys, as one reader of all rows would give them (semantics:7.7).
 */
#include "base/random.h"
#include "support/allocator.h"
#include "support/hashed.h"
#include "support/lines.h"
#include "support/made_table.h"
#include "support/random_table.h"
#include "support/test.h"
#include "transform/tf_hash_names.h"
#include <dataview/cursor.h>
#include <dataview/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Names as lines "key text". */
static void put_table(dvt_lines *lines, dv_view *table)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dv_cursor_open(&cursor, table, NULL, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        dv_value key = dv_value_first(dv_batch_column(batch, 0));
        dv_value text = dv_value_first(dv_batch_column(batch, 1));
        for (; key.row < batch->rows; key.row++, text.row++) {
            dvt_lines_print(lines, "%u ", (unsigned)dv_value_u4(&key));
            dvt_lines_add(lines, dv_value_tx(&text).data, (size_t)dv_value_tx(&text).nbytes);
            dvt_lines_add(lines, "\n", 1);
        }
    }
    dv_cursor_close(&cursor);
}

/* --- Forms of names --------------------------------------------------------------------------- */

/* One column, which one worker sees; the names as lines. */
static void name_column(dvt_lines *lines, dv_type type, const void *items, int64_t rows,
                        const dvi_hash_options *how, int32_t invert)
{
    const dv_table_column column = {.name = "a", .type = type, .values = items};
    dvi_hash_names *names;
    dv_view *source, *table;
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dv_table_create(&source, &column, 1, rows, NULL, NULL), DV_OK);
    cr_assert_eq(
        dvi_hash_names_create(&names, &type, dv_view_schema(source), 0, how, invert, NULL, NULL),
        DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, source, NULL, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        cr_assert_eq(dvi_hash_names_see(names, dv_batch_column(batch, 0), batch->first_row, NULL),
                     DV_OK);
    cr_assert_eq(dvi_hash_names_table(names, &table, NULL), DV_OK);
    dvi_hash_names_free(&names);
    cr_expect_null(names);
    put_table(lines, table);
    dv_cursor_close(&cursor);
    dv_view_release(&table);
    dv_view_release(&source);
}

static void expect_names(dv_type type, const void *items, int64_t rows, bool is_ordered,
                         int32_t invert, const char *want)
{
    dvt_lines lines = {0};
    dvi_hash_options how = dvt_hash_options(1);
    how.is_ordered = is_ordered;
    name_column(&lines, type, items, rows, &how, invert);
    cr_expect_str_eq(lines.data ? lines.data : "", want);
    dvt_lines_free(&lines);
}

/* Two keys, so nearly all values meet. */
Test(tf_hash_names, forms)
{
    static const char *const texts[] = {" a", "a", NULL, "", "a", "  ", "b"};
    static const float reals[] = {-0.0f, 0, 0.1f, 1e20f};
    static const double doubles[] = {0, -0.0, 0.1};
    static const int8_t flags[] = {1, 0, DV_BL_NA, 1}, small[] = {-1, INT8_MIN, 5};
    static const uint32_t keys[] = {0, 3, 5, 9};
    static const int32_t pairs[] = {1, 2, 2, 1};
    expect_names(dv_type_of(DV_KIND_TX), texts, 7, false, -1, "1 { a,a,  }\n2 b\n");
    expect_names(dv_type_of(DV_KIND_TX), texts, 7, false, 1, "1  a\n2 b\n");
    expect_names(dv_type_of(DV_KIND_R4), reals, 4, false, -1, "1 {0.1,1E+20}\n2 -0\n");
    expect_names(dv_type_of(DV_KIND_R8), doubles, 3, false, -1, "1 0.10000000000000001\n2 0\n");
    expect_names(dv_type_of(DV_KIND_BL), flags, 4, false, -1, "2 {1,0}\n");
    expect_names(dv_type_of(DV_KIND_I1), small, 3, false, -1, "2 {-1,5}\n");
    expect_names(dv_type_key(DV_KIND_U4, 10, 9), keys, 4, false, -1, "1 {12,18}\n2 14\n");
    expect_names(dv_type_vector(dv_type_of(DV_KIND_I4), 2), pairs, 2, true, -1,
                 "1 {0:1,0:2,1:1}\n2 1:2\n");
    expect_names(dv_type_vector(dv_type_of(DV_KIND_I4), 2), pairs, 2, false, 2, "1 2\n2 1\n");
    expect_names(dv_type_of(DV_KIND_I4), pairs, 0, false, -1, "");
}

/* --- Workers ---------------------------------------------------------------------------------- */

/* Values that were seen are lines "key slot value". Whether this one is there, and how many of its
 * key are. */
static bool is_known(const dvt_lines *seen, const char *entry, uint32_t key, int *before_out)
{
    char head[32];
    const int n = snprintf(head, sizeof head, "%u ", (unsigned)key);
    bool found = false;
    *before_out = 0;
    for (const char *line = seen->data; line && *line; line = strchr(line, '\n') + 1) {
        *before_out += strncmp(line, head, (size_t)n) == 0;
        found |= strncmp(line, entry, strlen(entry)) == 0;
    }
    return found;
}

/* Add the value of a slot; item NULL: it has none. */
static void model_item(dvt_lines *seen, const dv_type *type, const dv_value *item, int32_t slot,
                       bool is_vector, const dvi_hash_options *how, int32_t invert)
{
    static const uint64_t zero[2];
    dv_column_view zeros = {.type = *type, .layout = DV_LAYOUT_FIXED, .rows = 1};
    zeros.as.fixed.values = (dv_buffer){zero, sizeof zero, NULL, false, true};
    const uint32_t key = dvt_hash_of(type, item, slot, how);
    const dv_value none = dv_value_first(&zeros), *value = item ? item : &none;
    const bool is_zero = type->kind != DV_KIND_TX && dv_value_is_default(value);
    dvt_lines entry = {0};
    int before;
    dvt_lines_print(&entry, "%u %d ", (unsigned)key, how->is_ordered && is_vector ? slot : 0);
    const dv_sink sink = dvt_lines_sink(&entry);
    dv_value_write(is_zero ? &none : value, DV_STYLE_EXACT, &sink);
    dvt_lines_add(&entry, "\n", 1);
    if (!is_known(seen, entry.data, key, &before) && (invert < 0 || before < invert))
        dvt_lines_add(seen, entry.data, entry.nbytes);
    dvt_lines_free(&entry);
}

static void model_column(dvt_lines *seen, const dv_column_view *src, const dvi_hash_options *how,
                         int32_t invert)
{
    const dv_type type = dv_type_item(&src->type);
    dv_value value = dv_value_first(src);
    for (; value.row < src->rows; dv_value_next(&value)) {
        if (src->layout != DV_LAYOUT_VECTOR) {
            if (dvt_hash_of(&type, &value, 0, how) != 0)
                model_item(seen, &type, &value, 0, false, how, invert);
            continue;
        }
        for (int32_t slot = 0, i = 0; slot < value.length; slot++) {
            const bool has = i < dv_value_items(&value) && dv_value_slot(&value, i) == slot;
            const dv_value item = dv_value_item(&value, i);
            i += has;
            if (dvt_hash_of(&type, has ? &item : NULL, slot, how) != 0)
                model_item(seen, &type, has ? &item : NULL, slot, true, how, invert);
        }
    }
}

/* Deal batches to workers at random, merge them in a random order; a call that fails is repeated.
 */
static void name_by_workers(dvt_lines *lines, dv_view *source, int32_t column,
                            const dvi_hash_options *how, int32_t invert, int workers,
                            dvi_random *random)
{
    dvi_hash_names *names[4];
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    dv_view *table;
    const dv_batch *batch;
    const dv_schema *schema = dv_view_schema(source);
    options.columns = &column;
    options.columns_count = 1;
    options.batch_rows = workers > 1 ? 2 : 0;
    for (int w = 0; w < workers; w++)
        cr_assert_eq(dvi_hash_names_create(&names[w], &dv_schema_column(schema, column)->type,
                                           schema, column, how, invert, NULL, NULL),
                     DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, source, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        cr_assert_eq(dvi_hash_names_see(names[dvi_random_u4(random) % (unsigned)workers],
                                        dv_batch_column(batch, 0), batch->first_row, NULL),
                     DV_OK);
    dv_cursor_close(&cursor);
    for (; workers > 1; workers--) {
        const int to = (int)(dvi_random_u4(random) % (unsigned)(workers - 1));
        cr_assert_eq(dvi_hash_names_merge(names[to], names[workers - 1], NULL), DV_OK);
        dvi_hash_names_free(&names[workers - 1]);
    }
    cr_assert_eq(dvi_hash_names_table(names[0], &table, NULL), DV_OK);
    dvi_hash_names_free(&names[0]);
    put_table(lines, table);
    dv_view_release(&table);
}

/* Count the values of a name that is not made of texts. */
static int values_in(const char *name, const char *end)
{
    int n = 1;
    for (; name < end; name++)
        n += *name == ',';
    return n;
}

/* Each name has as many values as were seen of its key. Names made of texts may hold anything. */
static void expect_counts(const dvt_lines *names, const dvt_lines *seen)
{
    for (const char *line = names->data; line && *line;) {
        const char *name = strchr(line, ' ') + 1, *end = strchr(line, '\n');
        const uint32_t key = (uint32_t)strtoul(line, NULL, 10);
        int want;
        is_known(seen, "none", key, &want);
        cr_expect_eq(values_in(name, end), want, "%.*s", (int)(end - line), line);
        line = end + 1;
    }
}

static void check_column(dv_view *source, int32_t column, const dv_column_view *src, uint64_t seed)
{
    static const int32_t inverts[] = {1, 2, -1};
    dvi_random random = dvi_random_of((uint32_t)seed);
    const bool is_text = src->type.kind == DV_KIND_TX;
    for (size_t i = 0; i < COUNT(inverts); i++)
        for (int ordered = 0; ordered < 2; ordered++) {
            dvi_hash_options how = dvt_hash_options(1 + (int32_t)(seed % 4));
            dvt_lines one = {0}, many = {0}, seen = {0};
            how.is_ordered = ordered;
            name_by_workers(&one, source, column, &how, inverts[i], 1, &random);
            name_by_workers(&many, source, column, &how, inverts[i], 4, &random);
            cr_expect(dv_text_equal(dvt_lines_text(&one), dvt_lines_text(&many)),
                      "seed %d column %d invert %d: %s but %s", (int)seed, (int)column,
                      (int)inverts[i], one.data, many.data);
            model_column(&seen, src, &how, inverts[i]);
            if (!is_text)
                expect_counts(&one, &seen);
            cr_expect_eq(one.nbytes > 0, seen.nbytes > 0);
            dvt_lines_free(&one);
            dvt_lines_free(&many);
            dvt_lines_free(&seen);
        }
}

Test(tf_hash_names, workers_find_what_one_finds)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        dvt_random_table *random = dvt_random_table_create(seed);
        dv_view *source = dvt_made_table_open(&random->table, NULL);
        for (int32_t column = 0; column < random->table.columns; column++) {
            const dv_column_view *src = &random->table.column[column];
            if (dvt_is_hashed(&src->type))
                check_column(source, column, src, seed);
        }
        dv_view_release(&source);
        dvt_random_table_free(random);
    }
}

/* --- Refusals --------------------------------------------------------------------------------- */

Test(tf_hash_names, refusals)
{
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_I4), 2), clock = dv_type_of(DV_KIND_TS);
    dvi_hash_options how = dvt_hash_options(31);
    dvi_hash_names *names;
    cr_expect_eq(dvi_hash_names_create(&names, &type, NULL, 0, &how, 1, NULL, NULL),
                 DV_ERR_ARGUMENT);
    how.bits = 30;
    cr_expect_eq(dvi_hash_names_create(&names, &type, NULL, 0, &how, 0, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dvi_hash_names_create(&names, &type, NULL, 0, &how, -2, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dvi_hash_names_create(&names, &clock, NULL, 0, &how, 1, NULL, NULL),
                 DV_ERR_ARGUMENT);
    how.is_combined = true;
    cr_expect_eq(dvi_hash_names_create(&names, &type, NULL, 0, &how, 1, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_null(names);
    dvi_hash_names_free(&names);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Two workers see the rows of a column; a call that fails for want of memory is repeated once
 * memory is there.  Returns how many failed. */
static int learn_starving(dvt_lines *lines, const dv_column_view *src, const dvi_hash_options *how,
                          int64_t fail_at)
{
    dvt_allocator counted;
    dvi_hash_names *names[2] = {NULL, NULL};
    dv_view *table = NULL;
    int failed = 0;
#define RETRIED(call)                                                                              \
    do {                                                                                           \
        dv_status status_ = (call);                                                                \
        if (status_ == DV_ERR_MEMORY) {                                                            \
            failed++;                                                                              \
            counted.fail_at = 0;                                                                   \
            status_ = (call);                                                                      \
        }                                                                                          \
        cr_assert_eq(status_, DV_OK);                                                              \
    } while (0)
    dvt_allocator_init(&counted, fail_at);
    for (int w = 0; w < 2; w++) {
        RETRIED(dvi_hash_names_create(&names[w], &src->type, NULL, 0, how, -1, &counted.allocator,
                                      NULL));
        RETRIED(dvi_hash_names_see(names[w], src, w * src->rows, NULL));
    }
    RETRIED(dvi_hash_names_merge(names[0], names[1], NULL));
    RETRIED(dvi_hash_names_table(names[0], &table, NULL));
#undef RETRIED
    counted.fail_at = 0;
    for (int w = 0; w < 2; w++)
        dvi_hash_names_free(&names[w]);
    put_table(lines, table);
    dv_view_release(&table);
    cr_expect_eq(counted.live, 0);
    return failed;
}

Test(tf_hash_names, each_allocation_may_fail)
{
    static const double numbers[] = {1, 2, 3, 4, 0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
    static const int32_t counts[] = {2, -1, 3, 0}, indices[] = {3, 5, 0, 1, 2};
    dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R8), numbers, COUNT(numbers));
    dv_column_view src = {
        .type = dv_type_vector(items.type, 7), .layout = DV_LAYOUT_VECTOR, .rows = 4};
    src.as.vector.length = 7;
    src.as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, false, true};
    src.as.vector.indices = (dv_buffer){indices, sizeof indices, NULL, false, true};
    src.as.vector.items = &items;
    for (int ordered = 0; ordered < 2; ordered++) {
        dvi_hash_options how = dvt_hash_options(3);
        dvt_lines want = {0};
        how.is_ordered = ordered;
        cr_assert_eq(learn_starving(&want, &src, &how, 0), 0);
        int64_t k = 1;
        for (int failed = 1; failed; k++) {
            dvt_lines got = {0};
            failed = learn_starving(&got, &src, &how, k);
            cr_expect_str_eq(got.data, want.data, "%d", (int)k);
            dvt_lines_free(&got);
        }
        cr_expect_gt(k, 20);
        dvt_lines_free(&want);
    }
}
