/* SPDX-License-Identifier: MIT */
/* test_dense.c: a column fills a matrix as dense.h specifies. */
#include "support/columns.h"
#include "support/golden_files.h"
#include "support/own_table.h"
#include "support/page.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/dense.h>
#include <dataview/value.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNTOUCHED (-77.0f)

static dv_error err;

static void start(void)
{
    err = (dv_error)DV_ERROR_INIT;
}

TestSuite(dense, .init = start);

/* --- Columns made by hand, their bytes at odd addresses --- */

#define F4_1 "0000803F "
#define F4_2 "00000040 "
#define F4_3 "00004040 "
#define F4_NAN "010080FF "
#define DENSE "FFFFFFFF "
#define NONE "00000000 "
#define ONE "01000000 "
#define TWO "02000000 "
#define THREE "03000000 "

static dv_column_view f4_items(const char *hex)
{
    return dvt_column_fixed(dv_type_of(DV_KIND_R4), hex);
}

static void expect_row(const float *dst, size_t n, const float *want)
{
    for (size_t i = 0; i < n; i++)
        cr_expect_eq(dst[i], want[i], "slot %zu: %g, not %g", i, (double)dst[i], (double)want[i]);
}

static void fill_untouched(float *dst, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = UNTOUCHED;
}

Test(dense, scalars_go_one_per_row)
{
    dv_column_view x = f4_items(F4_1 F4_2 F4_3);
    float dst[9];
    fill_untouched(dst, 9);
    cr_assert_eq(dv_column_dense(&x, DV_KIND_R4, dst, 1, 4, &err), DV_OK, "%s", err.message);
    const float *u = (const float[]){UNTOUCHED};
    expect_row(dst, 9, (const float[]){1, *u, *u, *u, 2, *u, *u, *u, 3});
    cr_assert_eq(dv_column_dense(&x, DV_KIND_R4, dst, 1, 1, &err), DV_OK, "%s", err.message);
    expect_row(dst, 4, (const float[]){1, 2, 3, *u});
    cr_assert_eq(dv_column_dense(&x, DV_KIND_R4, dst, 2, 3, &err), DV_OK, "%s", err.message);
    expect_row(dst, 9, (const float[]){1, 0, 3, 2, 0, *u, 3, 0, 3});
    dvt_column_free(&x);
}

Test(dense, bits_of_NA_are_kept)
{
    dv_column_view x = f4_items(F4_NAN F4_2);
    uint32_t bits[2];
    float dst[2];
    cr_assert_eq(dv_column_dense(&x, DV_KIND_R4, dst, 1, 1, &err), DV_OK);
    memcpy(bits, dst, sizeof bits);
    cr_expect_eq(bits[0], UINT32_C(0xFF800001));
    dvt_column_free(&x);
}

Test(dense, f8_is_filled_from_R8)
{
    dv_column_view items =
        dvt_column_fixed(dv_type_of(DV_KIND_R8), "000000000000F03F 0000000000000040");
    dv_column_view v = dvt_column_vector(&items, 3, ONE ONE, TWO NONE);
    double dst[6];
    cr_assert_eq(dv_column_dense(&v, DV_KIND_R8, dst, 3, 3, &err), DV_OK, "%s", err.message);
    const double want[] = {0, 0, 1, 2, 0, 0};
    cr_expect_arr_eq(dst, want, sizeof want);
    dvt_column_free(&v);
    dvt_column_free(&items);
}

/* Nothing outside a vector's buffers is touched: inaccessible pages surround them. */
Test(dense, nothing_outside_is_touched)
{
    dv_column_view items = f4_items(F4_1 F4_2 F4_3);
    dv_column_view v = dvt_column_vector(&items, 3, ONE TWO, TWO NONE TWO);
    dvt_page page = dvt_page_create(100);
    for (size_t gap = 0; gap < 3; gap++) {
        const size_t nbytes = (6 + gap) * sizeof(float);
        float *const dsts[] = {(void *)dvt_page_start(page, nbytes),
                               (void *)dvt_page_end(page, nbytes)};
        for (int i = 0; i < 2; i++) {
            fill_untouched(dsts[i], 6 + gap);
            cr_assert_eq(dv_column_dense(&v, DV_KIND_R4, dsts[i], 3, 3 + gap, &err), DV_OK);
            expect_row(dsts[i], 3, (const float[]){0, 0, 1});
            expect_row(dsts[i] + 3 + gap, 3, (const float[]){2, 0, 3});
            for (size_t k = 0; k < gap; k++)
                cr_expect_eq(dsts[i][3 + k], UNTOUCHED);
        }
    }
    dvt_page_free(&page);
    dvt_column_free(&v);
    dvt_column_free(&items);
}

Test(dense, several_columns_fill_one_matrix)
{
    dv_column_view x = f4_items(F4_1 F4_2), items = f4_items(F4_3 F4_1 F4_2);
    dv_column_view v = dvt_column_vector(&items, 2, ONE DENSE, ONE);
    float dst[6];
    cr_assert_eq(dv_column_dense(&x, DV_KIND_R4, dst, 1, 3, &err), DV_OK);
    cr_assert_eq(dv_column_dense(&v, DV_KIND_R4, dst + 1, 2, 3, &err), DV_OK);
    expect_row(dst, 6, (const float[]){1, 0, 3, 2, 1, 2});
    dvt_column_free(&v);
    dvt_column_free(&items);
    dvt_column_free(&x);
}

Test(dense, nothing_may_go_nowhere)
{
    dv_column_view x = f4_items(""), items = f4_items("");
    dv_column_view none = dvt_column_vector(&items, 0, "", ""); /* no rows */
    dv_column_view empty = dvt_column_vector(&items, 0, NONE DENSE, "");
    cr_expect_eq(dv_column_dense(&x, DV_KIND_R4, NULL, 1, 1, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_column_dense(&x, DV_KIND_R4, NULL, 0, 0, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_column_dense(&none, DV_KIND_R4, NULL, 5, 5, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_column_dense(&empty, DV_KIND_R4, NULL, 0, 0, &err), DV_OK, "%s", err.message);
    float dst[2] = {UNTOUCHED, UNTOUCHED};
    cr_expect_eq(dv_column_dense(&empty, DV_KIND_R4, dst, 1, 1, &err), DV_OK, "%s", err.message);
    expect_row(dst, 2, (const float[]){0, 0});
    dvt_column_free(&empty);
    dvt_column_free(&none);
    dvt_column_free(&items);
    dvt_column_free(&x);
}

/* --- Refused --- */

/* The call fails with `message` and writes nothing. */
static void refuse(const dv_column_view *column, size_t width, size_t stride, const char *message)
{
    float dst[16];
    fill_untouched(dst, 16);
    err = (dv_error)DV_ERROR_INIT;
    cr_expect_eq(dv_column_dense(column, DV_KIND_R4, dst, width, stride, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(err.status, DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, message), "\"%s\" does not say %s", err.message,
                       message);
    cr_expect_eq(dv_column_dense(column, DV_KIND_R4, dst, width, stride, NULL), DV_ERR_ARGUMENT);
    for (int i = 0; i < 16; i++)
        cr_expect_eq(dst[i], UNTOUCHED);
}

Test(dense, refuses_arguments_that_cannot_be)
{
    dv_column_view x = f4_items(F4_1 F4_2);
    refuse(NULL, 1, 1, "column is NULL");
    refuse(&x, 2, 1, "stride 1 is below width 2");
    refuse(&x, 0, 1, "row 0 has 1 slots, width is 0");
    refuse(&x, 1, SIZE_MAX / 2, "do not fit in memory");
    refuse(&x, 1, SIZE_MAX / 8, "do not fit in memory");
    cr_expect_eq(dv_column_dense(&x, DV_KIND_R4, NULL, 1, 1, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "dst"), "%s", err.message);
    dv_column_view less = x;
    less.rows = -1;
    refuse(&less, 1, 1, "a column of -1 rows");
    less.rows = 3;
    refuse(&less, 1, 1, "3 rows do not fit in 8 bytes");
    dvt_column_free(&x);
}

Test(dense, refuses_what_has_no_number)
{
    dv_column_view key = dvt_column_fixed(dv_type_key(DV_KIND_U4, 0, 10), ONE);
    refuse(&key, 1, 1, "U4[0-9]");
    dv_column_view vector = dvt_column_vector(&key, 3, ONE, ONE);
    refuse(&vector, 3, 3, "V<U4[0-9],3>");
    dv_column_view text = dvt_column_text(DV_KIND_TX, "a", 0, ONE);
    refuse(&text, 1, 1, "TX");
    dv_column_view bytes = dvt_column_text(DV_KIND_BY, "a", 0, ONE);
    refuse(&bytes, 1, 1, "BY");
    dv_column_view zoned = dvt_column_zoned("0000000000000000", "0000");
    refuse(&zoned, 1, 1, "DZ");
    dv_column_view wide = dvt_column_fixed(dv_type_of(DV_KIND_UG), ONE ONE ONE ONE);
    refuse(&wide, 1, 1, "UG");
    dv_column_view picture = dvt_column_fixed(dv_type_extension("picture", 4), ONE);
    refuse(&picture, 1, 1, "cannot be converted to R4");
    double dst;
    cr_expect_eq(dv_column_dense(&key, DV_KIND_R8, &dst, 1, 1, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "cannot be converted to R8"), "%s", err.message);
    dv_column_view *const all[] = {&vector, &key, &text, &bytes, &zoned, &wide, &picture};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvt_column_free(all[i]);
}

Test(dense, names_the_row_that_is_too_long)
{
    dv_column_view items = f4_items(F4_1 F4_2 F4_3);
    dv_column_view v = dvt_column_vector(&items, 0, ONE ONE DENSE, NONE NONE);
    v.as.vector.lengths = dvt_column_bytes(TWO THREE ONE);
    refuse(&v, 2, 2, "row 1 has 3 slots, width is 2");
    refuse(&v, 0, 2, "row 0 has 2 slots, width is 0");
    float dst[9];
    cr_expect_eq(dv_column_dense(&v, DV_KIND_R4, dst, 3, 3, &err), DV_OK);
    expect_row(dst, 9, (const float[]){1, 0, 0, 2, 0, 0, 3, 0, 0});
    dvt_column_free(&v);
    dv_column_view same = dvt_column_vector(&items, 3, DENSE, "");
    refuse(&same, 2, 4, "row 0 has 3 slots, width is 2");
    dvt_column_free(&same);
    dvt_column_free(&items);
}

/* One row with a vector that is invalid in one respect. */
static void refuse_vector(int32_t size, const char *counts, const char *indices,
                          const char *message)
{
    dv_column_view items = f4_items(F4_1 F4_2);
    dv_column_view v = dvt_column_vector(&items, size, counts, indices);
    refuse(&v, 4, 4, message);
    dvt_column_free(&v);
    dvt_column_free(&items);
}

Test(dense, refuses_vectors_that_are_not_sound)
{
    refuse_vector(4, "FEFFFFFF", "", "row 0");
    refuse_vector(4, ONE "05000000", NONE, "row 1: invalid length or count");
    refuse_vector(-1, ONE, NONE, "row 0: invalid length or count");
    refuse_vector(4, ONE, "04000000", "row 0: an index");
    refuse_vector(4, ONE, "FFFFFFFF", "row 0: an index");
    refuse_vector(4, NONE ONE ONE, THREE "04000000", "row 2: an index");
    refuse_vector(4, TWO, ONE ONE, "row 0: an index");
    refuse_vector(4, TWO, ONE, "indices: 2 from 0 on do not fit in 4 bytes");
    refuse_vector(4, DENSE, "", "items: 4 from 0 on do not fit in 8 bytes");
}

Test(dense, refuses_vectors_without_all_their_parts)
{
    dv_column_view items = f4_items(F4_1 F4_2), i8 = dvt_column_fixed(dv_type_of(DV_KIND_I8), "");
    const dv_column_view v = dvt_column_vector(&items, 4, ONE, ONE);
    dv_column_view bad = v;
    bad.as.vector.items = NULL;
    refuse(&bad, 4, 4, "items");
    bad.as.vector.items = &i8;
    refuse(&bad, 4, 4, "items");
    bad.as.vector.items = &v;
    refuse(&bad, 4, 4, "items");
    bad = v;
    bad.layout = DV_LAYOUT_FIXED;
    refuse(&bad, 4, 4, "layout");
    bad = v;
    bad.rows = 2;
    refuse(&bad, 4, 4, "2 rows");
    bad = v;
    bad.as.vector.lengths = (dv_buffer){v.as.vector.counts.data, 3, NULL, true, false};
    refuse(&bad, 4, 4, "1 rows");
    bad = v;
    bad.as.vector.index_base = -1;
    refuse(&bad, 4, 4, "start outside");
    bad.as.vector.index_base = INT64_MAX;
    refuse(&bad, 4, 4, "start outside");
    bad.as.vector.index_base = 1;
    refuse(&bad, 4, 4, "indices: 1 from 1 on do not fit in 4 bytes");
    bad = v;
    bad.as.vector.item_base = -1;
    refuse(&bad, 4, 4, "start outside");
    bad.as.vector.item_base = 3;
    refuse(&bad, 4, 4, "start outside");
    bad.as.vector.item_base = 2;
    refuse(&bad, 4, 4, "items: 1 from 2 on do not fit in 8 bytes");
    bad = v;
    dvt_column_free(&bad);
    dvt_column_free(&i8);
    dvt_column_free(&items);
}

/* --- Columns of views, against dv_value --- */

#define WIDTH_MAX 100002

/* Each row: the values, and 0 elsewhere. */
static void expect_f4(const float *row, size_t width, const dv_value *value)
{
    static float want[WIDTH_MAX];
    memset(want, 0, width * sizeof *want);
    if (!dv_type_is_vector(&value->column->type))
        want[0] = dv_value_r4(value);
    else
        for (int32_t i = 0; i < dv_value_items(value); i++) {
            const dv_value item = dv_value_item(value, i);
            want[dv_value_slot(value, i)] = dv_value_r4(&item);
        }
    cr_assert_arr_eq(row, want, width * sizeof *want);
}

static void expect_f8(const double *row, size_t width, const dv_value *value)
{
    static double want[WIDTH_MAX];
    memset(want, 0, width * sizeof *want);
    if (!dv_type_is_vector(&value->column->type))
        want[0] = dv_value_r8(value);
    else
        for (int32_t i = 0; i < dv_value_items(value); i++) {
            const dv_value item = dv_value_item(value, i);
            want[dv_value_slot(value, i)] = dv_value_r8(&item);
        }
    cr_assert_arr_eq(row, want, width * sizeof *want);
}

static int32_t slots_of(const dv_value *value)
{
    return dv_type_is_vector(&value->column->type) ? value->length : 1;
}

static int columns_seen;

/* The column of a batch, with room for two slots more than its longest row has. */
static void check_column(const dv_column_view *column, bool is_f4)
{
    int32_t longest = 0;
    dv_value value = dv_value_first(column);
    for (int64_t i = 0; i < column->rows; i++) {
        longest = slots_of(&value) > longest ? slots_of(&value) : longest;
        if (i + 1 < column->rows)
            dv_value_next(&value);
    }
    const size_t width = (size_t)longest + 2, size = is_f4 ? sizeof(float) : sizeof(double);
    dvt_page page = dvt_page_create((size_t)column->rows * width * size);
    uint8_t *const dst = dvt_page_end(page, (size_t)column->rows * width * size);
    memset(dst, 0xA5, (size_t)column->rows * width * size);
    const dv_status status =
        is_f4 ? dv_column_dense(column, DV_KIND_R4, (void *)dst, width, width, &err)
              : dv_column_dense(column, DV_KIND_R8, (void *)dst, width, width, &err);
    cr_assert_eq(status, DV_OK, "%s", err.message);
    value = dv_value_first(column);
    for (int64_t i = 0; i < column->rows; i++) {
        const uint8_t *const row = dst + (size_t)i * width * size;
        if (is_f4)
            expect_f4((const void *)row, width, &value);
        else
            expect_f8((const void *)row, width, &value);
        if (i + 1 < column->rows)
            dv_value_next(&value);
    }
    dvt_page_free(&page);
    columns_seen++;
}

/* Every column of real numbers of the view. */
static void check_view(dv_view *view)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK, "%s", err.message);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        for (int32_t k = 0; k < batch->columns; k++) {
            const dv_column_view *column = dv_batch_column(batch, k);
            const dv_kind kind = column->type.kind;
            if (kind == DV_KIND_R4 || kind == DV_KIND_R8)
                check_column(column, kind == DV_KIND_R4);
        }
    cr_assert_eq(status, DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
}

Test(dense, own_view_fills_with_indices_and_items_that_start_later)
{
    static dvt_own_table table;
    dv_view *view;
    cr_assert_eq(dvt_own_table_open(&view, &table, NULL, &err), DV_OK, "%s", err.message);
    check_view(view);
    dv_view_release(&view);
    cr_expect_eq(columns_seen, 5); /* v in five batches; x is hidden */
}

static void check_golden(const dvt_golden *golden)
{
    dv_view *view;
    cr_assert_eq(dv_open(&view, golden->path, NULL, &err), DV_OK, "%s", err.message);
    check_view(view);
    dv_view_release(&view);
}

Test(dense, golden_files_fill_as_their_values_say)
{
    const int files = dvt_golden_each(check_golden);
    cr_expect_geq(columns_seen, 20, "%d columns in %d files", columns_seen, files);
}
