/* SPDX-License-Identifier: MIT */
/* test_tf_ungroup.c: rows made of slots (semantics:7.19) are those that a loop over all slots makes
 * of drawn tables of every type, whatever the batches, the range and the columns that are read. */
#include "view/column.h"
#include "support/allocator.h"
#include "support/identities.h"
#include "support/produce.h"
#include "support/random_table.h"
#include "support/test.h"
#include "transform/tf_ungroup.h"
#include <dataview/cursor.h>
#include <dataview/rowid.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const dvi_ungroup_mode modes[] = {DVI_UNGROUP_INNER, DVI_UNGROUP_OUTER, DVI_UNGROUP_FIRST};
static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

typedef struct pivots {
    int32_t column[DVT_MADE_COLUMNS], n;
    bool is_pivot[DVT_MADE_COLUMNS];
    dvi_ungroup_mode mode;
} pivots;

/* --- The loop --------------------------------------------------------------------------------- */

static void put_value(dvt_lines *lines, const dv_value *value)
{
    const dv_sink sink = dvt_lines_sink(lines);
    cr_assert(dv_value_write(value, DV_STYLE_EXACT, &sink));
}

static int32_t length_of(const dvt_made_table *t, int32_t column, int64_t row)
{
    const dv_value value = dv_value_at(&t->column[column], row);
    return value.length;
}

static int32_t count_of(const dvt_made_table *t, const pivots *p, int64_t row)
{
    int32_t count = length_of(t, p->column[0], row);
    for (int32_t i = 1; i < p->n && p->mode != DVI_UNGROUP_FIRST; i++) {
        const int32_t length = length_of(t, p->column[i], row);
        if (p->mode == DVI_UNGROUP_INNER ? length < count : length > count)
            count = length;
    }
    return count;
}

static void put_slot(dvt_lines *lines, const dv_value *vector, int32_t slot)
{
    const dv_type item = dv_type_item(&vector->column->type);
    const dv_column_view zero = dvi_column_of_default(&item);
    dv_value value = dv_value_first(&zero);
    if (slot >= vector->length && !item.is_key && item.kind == DV_KIND_R4) {
        dvt_lines_print(lines, "\"r4:ffc00000\"");
        return;
    }
    if (slot >= vector->length && !item.is_key && item.kind == DV_KIND_R8) {
        dvt_lines_print(lines, "\"r8:fff8000000000000\"");
        return;
    }
    for (int32_t i = 0; slot < vector->length && i < dv_value_items(vector); i++)
        if (dv_value_slot(vector, i) == slot)
            value = dv_value_item(vector, i);
    put_value(lines, &value);
}

static void put_id(dvt_lines *lines, dv_u128 id)
{
    dvt_lines_print(lines, " %016llx%016llx\n", (unsigned long long)id.hi,
                    (unsigned long long)id.lo);
}

/* Rows from one on, with their ids. */
static void put_rows(dvt_lines *lines, const dvt_made_table *t, const pivots *p, int64_t skip)
{
    for (int64_t row = 0; row < t->rows; row++)
        for (int32_t slot = 0; slot < count_of(t, p, row); slot++, skip--) {
            if (skip > 0)
                continue;
            for (int32_t k = 0; k < t->columns; k++) {
                const dv_value value = dv_value_at(&t->column[k], row);
                dvt_lines_print(lines, k > 0 ? "," : "[");
                if (p->is_pivot[k])
                    put_slot(lines, &value, slot);
                else
                    put_value(lines, &value);
            }
            dvt_lines_print(lines, "]");
            put_id(lines,
                   dv_rowid_combine((dv_u128){(uint64_t)row, 0}, (dv_u128){(uint64_t)slot, 0}));
        }
}

/* --- Comparing -------------------------------------------------------------------------------- */

static void put_with_ids(dvt_lines *lines, const dv_batch *batch)
{
    dv_value value[DVT_MADE_COLUMNS];
    for (int32_t k = 0; k < batch->columns; k++)
        value[k] = dv_value_first(dv_batch_column(batch, k));
    for (int64_t i = 0; i < batch->rows; i++) {
        for (int32_t k = 0; k < batch->columns; k++) {
            dvt_lines_print(lines, k > 0 ? "," : "[");
            put_value(lines, &value[k]);
            if (i + 1 < batch->rows)
                dv_value_next(&value[k]);
        }
        dvt_lines_print(lines, "]");
        put_id(lines, batch->ids[i]);
    }
}

static dv_view *open_ungroup(dvt_made_table *t, const pivots *p, const dv_allocator *allocator)
{
    dv_text names[DVT_MADE_COLUMNS];
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    for (int32_t i = 0; i < p->n; i++)
        names[i] = dv_text_of(letters[p->column[i]]);
    dv_view *source = dvt_made_table_open(t, allocator);
    cr_assert_eq(dvi_ungroup_view(&view, source, names, p->n, p->mode, allocator, &err), DV_OK,
                 "%s", err.message);
    dv_view_release(&source);
    return view;
}

static void compare(dvt_made_table *t, const pivots *p, const dv_cursor_options *options, int seed)
{
    dvt_lines want = {0}, got = {0};
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_ungroup(t, p, NULL);
    put_rows(&want, t, p, options->first_row);
    cr_assert_eq(dvt_put_rows(&got, view, options, put_with_ids, &err), DV_OK, "seed %d: %s", seed,
                 err.message);
    cr_expect_str_eq(got.data ? got.data : "", want.data ? want.data : "", "seed %d", seed);
    dvt_lines_free(&want);
    dvt_lines_free(&got);
    dv_view_release(&view);
}

/* Vectors of which some, drawn, are pivots; the last ones come first if the seed is odd. */
static pivots draw_pivots(const dvt_made_table *t, uint64_t seed)
{
    pivots p = {.mode = modes[seed % COUNT(modes)]};
    for (int32_t k = 0; k < t->columns; k++) {
        const int32_t column = seed % 2 ? t->columns - 1 - k : k;
        const dv_type item = dv_type_item(&t->column[column].type);
        const bool is_left_out = p.n > 0 && seed >> (4 + k) & 1;
        if (!dv_type_is_vector(&t->column[column].type) || !dv_type_is_primitive(&item) ||
            is_left_out)
            continue;
        p.is_pivot[column] = true;
        p.column[p.n++] = column;
    }
    return p;
}

Test(tf_ungroup, as_a_loop_over_the_slots)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    int compared = 0;
    for (uint64_t seed = 1; seed <= 600; seed += (uint64_t)DVT_FAIL_STEP) {
        dvt_random_table *random = dvt_random_table_create(seed);
        const pivots p = draw_pivots(&random->table, seed * 2654435761u);
        memset(random->table.name, 0, sizeof random->table.name); /* letters */
        for (size_t i = 0; p.n > 0 && i < 2 * COUNT(sizes); i++, compared++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.batch_rows = sizes[i / 2];
            options.first_row = i % 2 ? (int64_t)(seed % 31) : 0;
            options.threads = 1 + (int32_t)(seed % 2);
            options.ids = true;
            compare(&random->table, &p, &options, (int)seed);
        }
        dvt_random_table_free(random);
    }
    cr_expect_geq(compared, 1000 / DVT_FAIL_STEP);
}

/* --- Vectors of one size ---------------------------------------------------------------------- */

#define SLOTS 100000

typedef struct sparse {
    dvt_made_table made;
    dv_column_view items;
    int32_t count[3], index[3], number[3];
    float item[3];
    int32_t length[3];
} sparse;

/* Three vectors of many slots, the second without items, and a number. */
static void make_sparse(sparse *s, bool is_variable)
{
    *s = (sparse){.made = {.columns = 2, .rows = 3, .block_rows = 2, .bad_row = -1},
                  .count = {2, 0, 1},
                  .index = {0, SLOTS - 1, 70000},
                  .number = {5, 6, 7},
                  .item = {1, 2, 3},
                  .length = {SLOTS, SLOTS, SLOTS}};
    s->items = dvt_made_fixed(dv_type_of(DV_KIND_R4), s->item, 3);
    s->made.column[0] =
        (dv_column_view){.type = dv_type_vector(s->items.type, is_variable ? 0 : SLOTS),
                         .layout = DV_LAYOUT_VECTOR,
                         .rows = 3};
    s->made.column[0].as.vector =
        (dv_vector_layout){.length = is_variable ? 0 : SLOTS,
                           .counts = {s->count, sizeof s->count, NULL, true, true},
                           .indices = {s->index, sizeof s->index, NULL, true, true},
                           .items = &s->items};
    if (is_variable)
        s->made.column[0].as.vector.lengths =
            (dv_buffer){s->length, sizeof s->length, NULL, true, true};
    s->made.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I4), s->number, 3);
}

/* Rows are known by number; those that are not asked for are not read, nor are other columns. */
Test(tf_ungroup, finds_rows_of_vectors_of_one_size)
{
    static const pivots p = {.n = 1, .is_pivot = {true}};
    static const int32_t number = 1;
    for (int is_variable = 0; is_variable < 2; is_variable++) {
        static sparse s;
        dvt_lines got = {0};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        make_sparse(&s, is_variable);
        dv_view *view = open_ungroup(&s.made, &p, NULL);
        cr_expect_eq(dv_view_rows(view), is_variable ? DV_ROWS_UNKNOWN : 3 * SLOTS);
        options.columns = &number;
        options.columns_count = 1;
        options.first_row = 2 * SLOTS + 9;
        options.end_row = 2 * SLOTS + 11;
        options.threads = 1;
        atomic_store(&s.made.read, 0);
        cr_assert_eq(dvt_put_rows(&got, view, &options, dvt_put_batch_by_value, NULL), DV_OK);
        cr_expect_str_eq(got.data, "[7]\n[7]\n");
        cr_expect_eq(atomic_load(&s.made.read), is_variable ? 6 : 1);
        dvt_lines_free(&got);
        options.zero_copy_only = true;
        cr_expect_eq(dvt_put_rows(&got, view, &options, dvt_put_batch_by_value, NULL), DV_ERR_COPY);
        dvt_lines_free(&got);
        dv_view_release(&view);
    }
}

/* A vector of many slots is not one batch. */
Test(tf_ungroup, batches_are_bounded)
{
    static const pivots p = {.n = 1, .is_pivot = {true}};
    static sparse s;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t rows = 0;
    double sum = 0;
    make_sparse(&s, true);
    dv_view *view = open_ungroup(&s.made, &p, NULL);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        const float *values = dv_batch_column(batch, 0)->as.fixed.values.data;
        cr_expect_leq(batch->rows, 65536);
        for (int64_t i = 0; i < batch->rows; i++)
            sum += values[i] * (double)(rows + i + 1);
        rows += batch->rows;
    }
    cr_expect_eq(rows, 3 * SLOTS);
    cr_expect_eq(sum, 1.0 + 2.0 * SLOTS + 3.0 * (2 * SLOTS + 70001));
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

/* Nor are copies of a long text, even if they do not fit into a batch's ends. */
Test(tf_ungroup, long_texts_are_repeated_in_several_batches)
{
    static char text[20000];
    static const int32_t ends[] = {sizeof text, sizeof text, sizeof text};
    static const pivots p = {.n = 1, .is_pivot = {true}};
    static sparse s;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    int64_t rows = 0;
    memset(text, 'x', sizeof text);
    make_sparse(&s, false);
    s.made.column[1] = dvt_made_text(DV_KIND_TX, text, ends, 3);
    dv_view *view = open_ungroup(&s.made, &p, NULL);
    options.end_row = 10000;
    options.threads = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        cr_expect_leq(batch->rows * (int64_t)sizeof text, 64 << 20);
        rows += batch->rows;
    }
    cr_expect_eq(rows, 10000);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

/* --- Refusals --------------------------------------------------------------------------------- */

Test(tf_ungroup, what_is_wrong_is_named)
{
    static const struct {
        const char *first, *second, *message;
    } table[] = {{NULL, NULL, "at least one"},
                 {"z", NULL, "no column \"z\""},
                 {"b", NULL, "column \"b\""},
                 {"a", "a", "twice"}};
    static sparse s;
    make_sparse(&s, true);
    dv_view *source = dvt_made_table_open(&s.made, NULL);
    for (size_t i = 0; i < COUNT(table); i++) {
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        const dv_text names[] = {dv_text_of(table[i].first), dv_text_of(table[i].second)};
        const int32_t n = (table[i].first != NULL) + (table[i].second != NULL);
        cr_expect_eq(dvi_ungroup_view(&view, source, names, n, DVI_UNGROUP_INNER, NULL, &err),
                     DV_ERR_ARGUMENT);
        cr_expect_null(view);
        cr_expect(strstr(err.message, table[i].message), "%s", err.message);
    }
    dv_view_release(&source);
}

Test(tf_ungroup, identities_differ)
{
    static sparse s;
    dvt_identities identities = {.n = 0};
    for (int is_variable = 0; is_variable < 2; is_variable++)
        for (size_t i = 0; i < COUNT(modes); i++) {
            const pivots p = {.n = 1, .is_pivot = {true}, .mode = modes[i]};
            make_sparse(&s, is_variable);
            dv_view *view = open_ungroup(&s.made, &p, NULL);
            const char *same = dvt_identities_add(&identities, "ungroup", dvt_identity_of(view));
            cr_expect_null(same, "%d %d", is_variable, (int)i);
        }
}
