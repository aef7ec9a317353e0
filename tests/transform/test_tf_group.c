/* SPDX-License-Identifier: MIT */
/* test_tf_group.c: groups of rows (semantics:7.19) are those that a loop over all rows finds,
 * whatever the batches, the range and the columns that are read. */
#include "support/allocator.h"
#include "support/identities.h"
#include "support/made_table.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include "support/test.h"
#include "transform/tf_group.h"
#include <dataview/cursor.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROWS 70
#define COLUMNS 6

/* --- A table of few distinct values ----------------------------------------------------------- */

static const uint32_t reals[] = {0, 0x80000000, 0x3F800000, 0xFFC00000, 0x7FC00001};
static const char *const words[] = {"", NULL, "x", "yy"};
static const int8_t truths[] = {0, 1, -128, -127};
#define HOUR INT64_C(36000000000)
static const int64_t clocks[] = {100 * HOUR, 101 * HOUR, DV_TICKS_NA, 101 * HOUR};
static const int16_t zones[] = {0, 60, 0, 0}; /* the first two are one moment */

typedef struct table {
    dvt_made_table made;
    float real[ROWS];
    char text[4 * ROWS];
    int32_t end[ROWS];
    int64_t ticks[ROWS];
    int16_t minutes[ROWS];
    int8_t truth[ROWS];
    uint16_t key[ROWS];
    int32_t number[ROWS];
} table;

static uint64_t below(uint64_t *seed, uint64_t n)
{
    return dvt_draw(seed) % n;
}

static void draw_row(table *t, int64_t i, uint64_t *seed)
{
    const char *word = words[below(seed, COUNT(words))];
    const int32_t from = i > 0 ? t->end[i - 1] & INT32_MAX : 0;
    const uint64_t clock = below(seed, COUNT(clocks));
    memcpy(&t->real[i], &reals[below(seed, COUNT(reals))], 4);
    memcpy(t->text + from, word ? word : "", word ? strlen(word) : 0);
    t->end[i] = word ? from + (int32_t)strlen(word) : (int32_t)((uint32_t)from | 1u << 31);
    t->ticks[i] = clocks[clock];
    t->minutes[i] = zones[clock];
    t->truth[i] = truths[below(seed, COUNT(truths))];
    t->key[i] = (uint16_t)below(seed, 5); /* 4 is above the count */
    t->number[i] = (int32_t)i;
}

/* Most rows are as the row before, or nearly. */
static void draw_table(table *t, uint64_t seed)
{
    const int64_t rows = (int64_t)below(&seed, ROWS + 1);
    for (int64_t i = 0; i < rows; i++)
        draw_row(t, i, &seed);
    t->made = (dvt_made_table){.columns = COLUMNS,
                               .rows = rows,
                               .block_rows = 1 + (int64_t)below(&seed, 9),
                               .rows_unknown = below(&seed, 2),
                               .bad_row = -1};
    t->made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), t->real, rows);
    t->made.column[1] = dvt_made_text(DV_KIND_TX, t->text, t->end, rows);
    dv_column_view *zoned = &t->made.column[2];
    *zoned =
        (dv_column_view){.type = dv_type_of(DV_KIND_DZ), .layout = DV_LAYOUT_ZONED, .rows = rows};
    zoned->as.zoned.ticks = (dv_buffer){t->ticks, 8 * (size_t)rows, NULL, true, true};
    zoned->as.zoned.minutes = (dv_buffer){t->minutes, 2 * (size_t)rows, NULL, true, true};
    t->made.column[3] = dvt_made_fixed(dv_type_of(DV_KIND_BL), t->truth, rows);
    t->made.column[4] = dvt_made_fixed(dv_type_key(DV_KIND_U2, 0, 3), t->key, rows);
    t->made.column[5] = dvt_made_fixed(dv_type_of(DV_KIND_I4), t->number, rows);
}

/* --- The loop --------------------------------------------------------------------------------- */

static bool is_same(const table *t, int column, int64_t a, int64_t b)
{
    const dv_column_view *view = &t->made.column[column];
    const dv_value x = dv_value_at(view, a), y = dv_value_at(view, b);
    switch (column) {
    case 0:
        return t->real[a] == t->real[b] || (t->real[a] != t->real[a] && t->real[b] != t->real[b]);
    case 1:
        return dv_value_tx(&x).nbytes == dv_value_tx(&y).nbytes &&
               (dv_value_tx(&x).nbytes <= 0 || dv_text_equal(dv_value_tx(&x), dv_value_tx(&y)));
    case 2:
        return t->ticks[a] == DV_TICKS_NA || t->ticks[b] == DV_TICKS_NA
                   ? t->ticks[a] == t->ticks[b]
                   : t->ticks[a] - t->minutes[a] * (HOUR / 60) ==
                         t->ticks[b] - t->minutes[b] * (HOUR / 60);
    case 3:
        return (t->truth[a] < 0 ? -1 : t->truth[a]) == (t->truth[b] < 0 ? -1 : t->truth[b]);
    case 4:
        return t->key[a] % 4 == t->key[b] % 4; /* 4 is missing, as 0 */
    default:
        return t->number[a] == t->number[b];
    }
}

typedef struct draws {
    int key[3], column[4];
    int keys, columns;
} draws;

static void put_value(dvt_lines *lines, const table *t, int column, int64_t row)
{
    const dv_sink sink = dvt_lines_sink(lines);
    const dv_value value = dv_value_at(&t->made.column[column], row);
    cr_assert(dv_value_write(&value, DV_STYLE_EXACT, &sink));
}

static void put_group(dvt_lines *lines, const table *t, const draws *d, int64_t first, int64_t end)
{
    const char *comma = "[";
    for (int i = 0; i < d->keys; i++, comma = ",") {
        dvt_lines_print(lines, "%s", comma);
        put_value(lines, t, d->key[i], end - 1);
    }
    for (int i = 0; i < d->columns; i++) {
        dvt_lines_print(lines, ",{\"len\":%d,\"dense\":[", (int)(end - first));
        for (int64_t row = first; row < end; row++) {
            dvt_lines_print(lines, row > first ? "," : "");
            put_value(lines, t, d->column[i], row);
        }
        dvt_lines_print(lines, "]}");
    }
    dvt_lines_print(lines, "] %d\n", (int)end - 1); /* and the id of the last row */
}

/* All groups from one on. */
static void put_groups(dvt_lines *lines, const table *t, const draws *d, int64_t skip)
{
    for (int64_t first = 0, end; first < t->made.rows; first = end, skip--) {
        bool is_same_group = true;
        for (end = first + 1; end < t->made.rows; end += is_same_group) {
            for (int i = 0; i < d->keys; i++)
                is_same_group = is_same_group && is_same(t, d->key[i], end - 1, end);
            if (!is_same_group)
                break;
        }
        if (skip <= 0)
            put_group(lines, t, d, first, end);
    }
}

/* --- Comparing -------------------------------------------------------------------------------- */

static void put_with_ids(dvt_lines *lines, const dv_batch *batch)
{
    dvt_lines rows = {0};
    dvt_put_batch_by_value(&rows, batch);
    const char *line = rows.data;
    for (int64_t i = 0; i < batch->rows; i++) {
        const size_t n = strcspn(line, "\n");
        dvt_lines_add(lines, line, n);
        dvt_lines_print(lines, " %d\n", (int)batch->ids[i].lo);
        line += n + 1;
    }
    dvt_lines_free(&rows);
}

static dv_status open_group(dv_view **view_out, table *t, const draws *d,
                            const dv_allocator *allocator, dv_error *err)
{
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f"};
    dv_text keys[3], columns[4];
    for (int i = 0; i < d->keys; i++)
        keys[i] = dv_text_of(letters[d->key[i]]);
    for (int i = 0; i < d->columns; i++)
        columns[i] = dv_text_of(letters[d->column[i]]);
    dv_view *source = dvt_made_table_open(&t->made, allocator);
    const dv_status status =
        dvi_group_view(view_out, source, keys, d->keys, columns, d->columns, allocator, err);
    dv_view_release(&source);
    return status;
}

Test(tf_group, as_a_loop_over_the_rows)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    for (uint64_t seed = 1; seed <= 300; seed++) {
        static table t;
        uint64_t state = seed;
        draws d = {.keys = 1 + (int)below(&state, 3), .columns = (int)below(&state, 5)};
        for (int i = 0; i < d.keys; i++)
            d.key[i] = (int)below(&state, d.keys > 1 ? 5 : COLUMNS);
        for (int i = 0; i < d.columns; i++)
            d.column[i] = (int)below(&state, COLUMNS);
        draw_table(&t, seed);
        for (size_t i = 0; i < 2 * COUNT(sizes); i++) {
            dv_view *view;
            dv_error err = DV_ERROR_INIT;
            dvt_lines want = {0}, got = {0};
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            int32_t columns[7];
            cr_assert_eq(open_group(&view, &t, &d, NULL, &err), DV_OK, "%s", err.message);
            for (int32_t k = 0; k < d.keys + d.columns; k++)
                columns[k] = k; /* a column may come twice, and hide the first */
            options.columns = columns;
            options.columns_count = d.keys + d.columns;
            options.batch_rows = sizes[i / 2];
            options.first_row = i % 2 ? (int64_t)below(&state, 9) : 0;
            options.threads = 1 + (int32_t)below(&state, 2);
            options.ids = true;
            put_groups(&want, &t, &d, options.first_row);
            cr_assert_eq(dvt_put_rows(&got, view, &options, put_with_ids, &err), DV_OK, "%s",
                         err.message);
            cr_expect_str_eq(got.data ? got.data : "", want.data ? want.data : "", "seed %d",
                             (int)seed);
            dvt_lines_free(&want);
            dvt_lines_free(&got);
            dv_view_release(&view);
        }
    }
}

/* Rows are counted without their columns; of these only the keys are read. */
Test(tf_group, reads_what_is_asked_for)
{
    static table t;
    const draws d = {.key = {4}, .keys = 1, .column = {0, 1, 5}, .columns = 3};
    static const int32_t first[] = {0, 1, 3};
    dv_view *view;
    dvt_lines got = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    draw_table(&t, 5);
    cr_assert_eq(open_group(&view, &t, &d, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_rows(view), DV_ROWS_UNKNOWN);
    cr_expect_not(dv_view_can_shuffle(view));
    cr_expect_str_eq(dv_view_kind(view), "group");
    for (int32_t n = 0; n <= 3; n++) {
        options.columns = first;
        options.columns_count = n;
        atomic_store(&t.made.read, 0);
        cr_assert_eq(dvt_put_rows(&got, view, &options, dvt_put_batch_by_value, NULL), DV_OK);
        cr_expect_eq(atomic_load(&t.made.read), (n > 1 ? n : 1) * t.made.rows);
    }
    options.zero_copy_only = true;
    cr_expect_eq(dvt_put_rows(&got, view, &options, dvt_put_batch_by_value, NULL), DV_ERR_COPY);
    dvt_lines_free(&got);
    dv_view_release(&view);
}

/* After the first batches no memory is asked for, and a batch does not grow with the table. */
Test(tf_group, batches_are_bounded)
{
    static int32_t values[40000];
    dvt_allocator counted;
    dvt_made_table made = {.columns = 1, .rows = 40000, .block_rows = 700, .bad_row = -1};
    dv_text name = dv_text_of("a");
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    dv_view *view;
    const dv_batch *batch;
    int64_t batches = 0, asked = 0;
    for (int32_t i = 0; i < 40000; i++)
        values[i] = i / 2;
    made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I4), values, 40000);
    dvt_allocator_init(&counted, 0);
    dv_view *source = dvt_made_table_open(&made, &counted.allocator);
    cr_assert_eq(dvi_group_view(&view, source, &name, 1, &name, 1, &counted.allocator, NULL),
                 DV_OK);
    options.ids = true;
    options.threads = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        cr_expect_leq(batch->rows, 4096);
        asked = batches++ < 2 ? counted.asked : asked;
    }
    cr_expect_geq(batches, 5);
    cr_expect_eq(counted.asked, asked);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    cr_expect_eq(counted.live, 0);
}

/* Groups that are finished come before an error, however many make a batch; an open one does not.
 */
Test(tf_group, what_is_finished_comes_before_an_error)
{
    static const int32_t values[] = {1, 1, 2, 2, 3, 3};
    dvt_made_table made = {.columns = 1, .rows = 6, .block_rows = 1, .bad_row = 5};
    const dv_text name = dv_text_of("a");
    made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I4), values, 6);
    for (int64_t size = 0; size <= 1; size++) {
        dvt_lines got = {0};
        dv_view *view, *source = dvt_made_table_open(&made, NULL);
        dv_error err = DV_ERROR_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        int32_t columns[] = {0, 1};
        options.columns = columns;
        options.columns_count = 2;
        options.batch_rows = size;
        options.threads = 1;
        cr_assert_eq(dvi_group_view(&view, source, &name, 1, &name, 1, NULL, NULL), DV_OK);
        cr_expect_eq(dvt_put_rows(&got, view, &options, dvt_put_batch_by_value, &err),
                     DV_ERR_CORRUPT);
        cr_expect_eq(err.status, DV_ERR_CORRUPT);
        cr_expect_str_eq(got.data, "[1,{\"len\":2,\"dense\":[1,1]}]\n"
                                   "[2,{\"len\":2,\"dense\":[2,2]}]\n");
        dvt_lines_free(&got);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

Test(tf_group, what_is_wrong_is_named)
{
    static const float values[2];
    dvt_made_table made = {.columns = 2, .rows = 1, .block_rows = 1, .bad_row = -1};
    static const int32_t dense = -1;
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), values, 2);
    made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), values, 1);
    made.column[1] = (dv_column_view){
        .type = dv_type_vector(items.type, 2), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    made.column[1].as.vector = (dv_vector_layout){
        .length = 2, .counts = {&dense, sizeof dense, NULL, true, true}, .items = &items};
    static const struct {
        const char *key, *column, *message;
    } wrong[] = {{NULL, "a", "at least one"},
                 {"c", "a", "no column \"c\""},
                 {"b", "a", "column \"b\""},
                 {"a", "b", "V<R4,2>"},
                 {"a", "c", "there is no column \"c\""}};
    dv_view *source = dvt_made_table_open(&made, NULL);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        const dv_text key = dv_text_of(wrong[i].key), column = dv_text_of(wrong[i].column);
        cr_expect_eq(
            dvi_group_view(&view, source, &key, wrong[i].key != NULL, &column, 1, NULL, &err),
            DV_ERR_ARGUMENT);
        cr_expect_null(view);
        cr_expect(strstr(err.message, wrong[i].message) || strstr(err.found, wrong[i].message),
                  "%s", err.message);
    }
    dv_view_release(&source);
}

Test(tf_group, identities_differ)
{
    static table t;
    static const draws all[] = {{.key = {0}, .keys = 1},
                                {.key = {1}, .keys = 1},
                                {.key = {0, 1}, .keys = 2},
                                {.key = {0}, .keys = 1, .column = {1}, .columns = 1},
                                {.key = {0}, .keys = 1, .column = {2}, .columns = 1}};
    dvt_identities identities = {.n = 0};
    draw_table(&t, 7);
    for (size_t i = 0; i < COUNT(all); i++) {
        dv_view *view;
        cr_assert_eq(open_group(&view, &t, &all[i], NULL, NULL), DV_OK);
        const char *same = dvt_identities_add(&identities, "group", dvt_identity_of(view));
        cr_expect_null(same, "%d", (int)i);
    }
}
