/* SPDX-License-Identifier: MIT */
/* test_dense_options.c: each invalid request to dense.h has its own message. */
#include "view/batch.h"
#include "support/columns.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/dense.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#define UNTOUCHED (-77.0f)

static dv_error err;
static const dv_batch *batch;
static dv_column_view numbers, bytes, items, vectors, texts;

/* A batch of two rows: I4 1, NA; U1 3, 200; V<R4,*> of 1 and 2 slots; TX. */
static void start(void)
{
    err = (dv_error)DV_ERROR_INIT;
    numbers = dvt_column_fixed(dv_type_of(DV_KIND_I4), "01000000 00000080");
    bytes = dvt_column_fixed(dv_type_of(DV_KIND_U1), "03 C8");
    items = dvt_column_fixed(dv_type_of(DV_KIND_R4), "0000803F 00000040");
    vectors = dvt_column_vector(&items, 0, "FFFFFFFF 01000000", "01000000");
    vectors.as.vector.lengths = dvt_column_bytes("01000000 02000000");
    texts = dvt_column_text(DV_KIND_TX, "ab", 0, "01000000 02000000");
    const dv_type *types[] = {&numbers.type, &bytes.type, &vectors.type, &texts.type};
    const dv_column_view *columns[] = {&numbers, &bytes, &vectors, &texts};
    dv_batch *made;
    cr_assert_eq(dvi_batch_create(&made, NULL, types, 4, NULL, &err), DV_OK);
    cr_assert_eq(dv_batch_start(made, 0, 2, &err), DV_OK);
    for (int32_t k = 0; k < 4; k++)
        cr_assert_eq(dv_batch_fill(made, k, columns[k], &err), DV_OK, "%s", err.message);
    batch = made;
}

static void stop(void)
{
    dv_batch_release(&batch);
    dv_column_view *const all[] = {&numbers, &bytes, &vectors, &items, &texts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvt_column_free(all[i]);
}

TestSuite(dense_options, .init = start, .fini = stop);

static dv_dense_options choose(const int32_t *columns, int32_t n, const size_t *widths)
{
    dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = n;
    options.widths = widths;
    return options;
}

/* The call fails with `message` and writes nothing. */
static void refuse(const dv_batch *of, size_t stride, const dv_dense_options *options,
                   const char *message)
{
    float dst[16];
    double wide[16];
    for (int i = 0; i < 16; i++)
        wide[i] = (double)(dst[i] = UNTOUCHED);
    err = (dv_error)DV_ERROR_INIT;
    cr_expect_eq(dv_batch_dense(of, DV_KIND_R4, dst, stride, options, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(err.status, DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, message), "\"%s\" does not say %s", err.message,
                       message);
    cr_expect_eq(dv_batch_dense(of, DV_KIND_R8, wide, stride, options, NULL), DV_ERR_ARGUMENT);
    for (int i = 0; i < 16; i++) {
        cr_expect_eq(dst[i], UNTOUCHED);
        cr_expect_eq(wide[i], (double)UNTOUCHED);
    }
}

Test(dense_options, columns_and_widths_are_as_asked)
{
    const int32_t columns[] = {2, 0, 1};
    const dv_dense_options options = choose(columns, 3, (const size_t[]){3, 0, 2});
    float dst[14] = {0};
    dst[6] = dst[13] = UNTOUCHED;
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 7, &options, &err), DV_OK, "%s",
                 err.message);
    const float want[] = {1, 0, 0, 1, 3, 0, UNTOUCHED, 0, 2, 0, 0, 200, 0, UNTOUCHED};
    cr_expect(dst[10] != dst[10]);
    dst[10] = 0;
    cr_expect_arr_eq(dst, want, sizeof want);
}

Test(dense_options, no_options_are_all_columns)
{
    refuse(batch, 9, NULL, "column 2: vectors of varying size: give the number of slots in widths");
    dv_dense_options few = DV_DENSE_OPTIONS_INIT;
    few.columns_count = 2; /* the first ones */
    double dst[4];
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_R8, dst, 2, &few, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dst[0], 1);
    cr_expect_eq(dst[3], 200);
    few.columns_count = 0;
    cr_expect_eq(dv_batch_dense(batch, DV_KIND_R8, NULL, 0, &few, &err), DV_OK, "%s", err.message);
}

Test(dense_options, NA_is_kept_replaced_or_refused)
{
    const int32_t columns[] = {1, 0};
    dv_dense_options options = choose(columns, 2, NULL);
    float dst[4];
    uint32_t bits;
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 2, &options, &err), DV_OK);
    memcpy(&bits, &dst[3], sizeof bits);
    cr_expect_eq(bits, DV_R4_NA_BITS);
    options.na = DV_DENSE_NA_VALUE;
    options.na_value = 0.1;
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 2, &options, &err), DV_OK);
    cr_expect_eq(dst[3], 0.1f);
    options.na = DV_DENSE_NA_REFUSED;
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 2, &options, NULL), DV_ERR_LIMIT);
    cr_assert_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 2, &options, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "na");
    cr_expect_str_eq(err.found, "one in row 1, slot 0");
    cr_expect_not_null(strstr(err.message, "column 0"), "%s", err.message);
    options.columns_count = 1;
    cr_expect_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 2, &options, &err), DV_OK);
}

/* Regression: a value above the largest float was converted, which is undefined in C. */
Test(dense_options, NA_is_replaced_only_by_what_a_float_holds)
{
    static const double good[] = {3.4028234663852886e38, -3.4028234663852886e38, (double)INFINITY,
                                  (double)NAN, 5e-324};
    static const double bad[] = {3.4028235e38, -1e39, 1e308};
    const int32_t columns[] = {0};
    dv_dense_options options = choose(columns, 1, NULL);
    float dst[2];
    double wide[2];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.na = DV_DENSE_NA_VALUE;
        options.na_value = bad[i];
        cr_expect_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 1, &options, &err), DV_ERR_ARGUMENT);
        cr_expect_not_null(strstr(err.message, "na_value"), "%s", err.message);
        cr_expect_eq(dv_batch_dense(batch, DV_KIND_R8, wide, 1, &options, &err), DV_OK);
        cr_expect_eq(wide[1], bad[i]);
        options.na = DV_DENSE_NA_KEEP; /* then it is not read */
        cr_expect_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 1, &options, &err), DV_OK);
    }
    options.na = DV_DENSE_NA_VALUE;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        options.na_value = good[i];
        cr_expect_eq(dv_batch_dense(batch, DV_KIND_R4, dst, 1, &options, &err), DV_OK, "%s",
                     err.message);
        cr_expect(dst[1] == (float)good[i] || (isnan(dst[1]) && isnan(good[i])), "%g", good[i]);
    }
}

Test(dense_options, refuses_what_cannot_be)
{
    const int32_t some[] = {0, 1}, none[] = {0, 4}, text[] = {0, 3}, vector[] = {0, 2};
    dv_dense_options o = choose(some, 2, NULL);
    refuse(NULL, 2, &o, "batch is NULL");
    refuse(batch, 1, &o, "stride 1 is below width 2");
    refuse(batch, SIZE_MAX / 4, &o, "do not fit in memory");
    cr_expect_eq(dv_batch_dense(batch, DV_KIND_R4, NULL, 2, &o, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "dst is NULL"), "%s", err.message);
    o = choose(none, 2, NULL);
    refuse(batch, 2, &o, "column 4: the batch has 4");
    o = choose((const int32_t[]){-1}, 1, NULL);
    refuse(batch, 2, &o, "column -1: the batch has 4");
    o = choose(NULL, 5, NULL);
    refuse(batch, 9, &o, "column 2");
    o = choose(text, 2, NULL);
    refuse(batch, 2, &o, "column 3: a column of type TX");
    o = choose(vector, 2, (const size_t[]){0, 1});
    refuse(batch, 4, &o, "column 2: row 1 has 2 slots, width is 1");
    o = choose(some, 2, (const size_t[]){SIZE_MAX, 1});
    refuse(batch, 4, &o, "the width of the matrix does not fit");
}

Test(dense_options, refuses_options_that_are_none)
{
    dv_dense_options o = DV_DENSE_OPTIONS_INIT;
    o.size = 0;
    refuse(batch, 2, &o, "DV_DENSE_OPTIONS_INIT");
    o.size = sizeof o + 1;
    refuse(batch, 2, &o, "DV_DENSE_OPTIONS_INIT");
    o = (dv_dense_options)DV_DENSE_OPTIONS_INIT;
    o.columns_count = -2;
    refuse(batch, 2, &o, "do not agree");
    o = choose((const int32_t[]){0}, -1, NULL);
    refuse(batch, 2, &o, "do not agree");
    o = choose((const int32_t[]){0}, 1, NULL);
    o.na = (dv_dense_na)4;
    refuse(batch, 2, &o, "na is 4");
    o.na = (dv_dense_na)-1;
    refuse(batch, 2, &o, "na is");
}

/* --- Threads: each fills its own slots of one matrix --- */

#define THREADS 4

static float shared[2 * 2 * THREADS];

static void *fill_two_slots(void *at)
{
    const int32_t columns[] = {0, 1};
    dv_dense_options options = choose(columns, 2, NULL);
    options.na = DV_DENSE_NA_VALUE;
    for (int i = 0; i < 1000; i++)
        if (dv_batch_dense(batch, DV_KIND_R4, at, 2 * THREADS, &options, NULL) != DV_OK)
            return NULL;
    return at;
}

Test(dense_options, threads_fill_different_slots_at_once)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, fill_two_slots, shared + 2 * i), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *done;
        pthread_join(threads[i], &done);
        cr_expect_eq(done, (void *)(shared + 2 * i));
    }
    for (size_t i = 0; i < THREADS; i++) {
        const float *first = shared + 2 * i, *second = first + 2 * THREADS;
        cr_expect(first[0] == 1 && first[1] == 3 && second[0] == 0 && second[1] == 200);
    }
}

/* The columns of a batch are checked only as far as they can be read, which excludes their
 * indices. */
Test(dense_options, refuses_a_column_that_is_not_sound)
{
    dv_column_view bad = dvt_column_vector(&items, 2, "01000000 01000000", "01000000 02000000");
    const dv_type *types[] = {&numbers.type, &bad.type};
    dv_batch *made;
    cr_assert_eq(dvi_batch_create(&made, NULL, types, 2, NULL, &err), DV_OK);
    cr_assert_eq(dv_batch_start(made, 0, 2, &err), DV_OK);
    cr_assert_eq(dv_batch_fill(made, 0, &numbers, &err), DV_OK);
    cr_assert_eq(dv_batch_fill(made, 1, &bad, &err), DV_OK);
    refuse(made, 3, NULL, "column 1: row 1: an index");
    const dv_batch *gone = made;
    dv_batch_release(&gone);
    dvt_column_free(&bad);
}

/* --- Widths --- */

static dv_view *open_table(dvt_made_table *table)
{
    *table = (dvt_made_table){.columns = 4, .rows = 2, .block_rows = 2, .bad_row = -1};
    table->column[0] = numbers;
    table->column[1] = bytes;
    table->column[2] = vectors;
    table->column[3] = texts;
    return dvt_made_table_open(table, NULL);
}

Test(dense_options, width_is_that_of_the_cursors_columns)
{
    static dvt_made_table table;
    dv_view *view = open_table(&table);
    const dv_schema *schema = dv_view_schema(view);
    const int32_t active[] = {2, 1}, twice[] = {1, 1, 0};
    const size_t widths[] = {0, 7, 5};
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = active;
    cursor.columns_count = 2;
    dv_dense_options o = choose(twice, 3, widths);
    size_t width = 0;
    cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, &cursor, &o, &err), DV_OK, "%s",
                 err.message);
    cr_expect_eq(width, 1 + 7 + 5);
    o.columns_count = 0;
    cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, NULL, &o, &err), DV_OK);
    cr_expect_eq(width, 0);
    dv_view_release(&view);
}

/* Keys fill matrices of integers alone. */
Test(dense_options, width_is_that_of_the_items)
{
    dv_schema *schema;
    const dv_type key = dv_type_key(DV_KIND_U4, 0, 5), real = dv_type_of(DV_KIND_R4);
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("key"), &key, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("real"), &real, NULL, NULL), DV_OK);
    for (int32_t k = 0; k < 2; k++) {
        dv_dense_options o = choose(&k, 1, NULL);
        size_t width = 0;
        const dv_status reals = k == 0 ? DV_ERR_ARGUMENT : DV_OK;
        cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R4, NULL, &o, &err), reals);
        cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, NULL, &o, &err), reals);
        cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_I8, NULL, &o, &err), DV_OK);
        cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_B2, NULL, &o, &err), reals);
        cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_TX, NULL, &o, &err), DV_ERR_ARGUMENT);
    }
    dv_schema_free(&schema);
}

Test(dense_options, width_says_what_filling_would)
{
    static dvt_made_table table;
    dv_view *view = open_table(&table);
    const dv_schema *schema = dv_view_schema(view);
    dv_dense_options o = choose((const int32_t[]){4}, 1, NULL);
    size_t width = 9;
    cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, NULL, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "column \"c\": vectors of varying size"), "%s",
                       err.message);
    cr_expect_eq(width, 0);
    cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, NULL, &o, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "column 4: a batch has 4"), "%s", err.message);
    o = choose((const int32_t[]){3}, 1, NULL);
    cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, NULL, &o, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "column \"d\": a column of type TX"), "%s", err.message);
    o = choose((const int32_t[]){0, 1}, 2, (const size_t[]){SIZE_MAX, 1});
    cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, NULL, &o, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "does not fit"), "%s", err.message);
    o.size = 1000;
    cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, NULL, &o, &err), DV_ERR_ARGUMENT);
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = (const int32_t[]){4};
    cursor.columns_count = 1;
    cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, &cursor, NULL, &err), DV_ERR_ARGUMENT);
    cursor.size = 0;
    cr_expect_eq(dv_dense_width(&width, schema, DV_KIND_R8, &cursor, NULL, &err), DV_ERR_ARGUMENT);
    dv_view_release(&view);
}
