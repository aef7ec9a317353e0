/* SPDX-License-Identifier: MIT */
/* test_dense_whole.c: labels become whole numbers, and keys become numbers from 0 on. */
#include "view/batch.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/dense.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 700 /* more than one tile, and more than are converted at once */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_error err;

/* A type, and the meaning of its bits. */
typedef struct sort {
    const char *type;
    size_t nbytes;
    int64_t (*mean)(uint64_t bits);
} sort;

#define NA INT64_MIN
#define SIGNED(name, ctype, least)                                                                 \
    static int64_t name(uint64_t bits)                                                             \
    {                                                                                              \
        return (ctype)bits == (least) ? NA : (ctype)bits;                                          \
    }
SIGNED(of_i1, int8_t, INT8_MIN)
SIGNED(of_i2, int16_t, INT16_MIN)
SIGNED(of_i4, int32_t, INT32_MIN)
SIGNED(of_i8, int64_t, INT64_MIN)

static int64_t of_u(uint64_t bits)
{
    return (int64_t)bits;
}

static int64_t of_key(uint64_t bits)
{
    return bits == 0 ? NA : (int64_t)bits - 1;
}

static int64_t of_bl(uint64_t bits)
{
    return bits > 1 ? NA : (int64_t)bits;
}

static int64_t of_dt(uint64_t bits)
{
    return bits > (uint64_t)DV_TICKS_MAX ? NA : (int64_t)bits;
}

static const sort sorts[] = {
    {"I1", 1, of_i1},       {"I2", 2, of_i2},       {"I4", 4, of_i4},      {"I8", 8, of_i8},
    {"U1", 1, of_u},        {"U2", 2, of_u},        {"U4", 4, of_u},       {"U8", 8, of_u},
    {"BL", 1, of_bl},       {"TS", 8, of_i8},       {"DT", 8, of_dt},      {"U1[0-*]", 1, of_key},
    {"U2[0-*]", 2, of_key}, {"U4[0-9]", 4, of_key}, {"U8[0-*]", 8, of_key}};
#define SORTS COUNT(sorts)

/* Columns of all types at odd addresses, with special values among them. */
typedef struct table {
    dv_type type[SORTS];
    dv_column_view column[SORTS];
    uint8_t *memory[SORTS];
    uint64_t bits[SORTS][ROWS];
    dv_batch *batch;
} table;

static uint64_t draw_bits(uint64_t *state, size_t nbytes)
{
    const uint64_t bits = dvt_draw(state) ^ dvt_draw(state) << 20 ^ dvt_draw(state) << 44;
    const uint64_t least = UINT64_C(1) << (8 * nbytes - 1), mask = least | (least - 1);
    const uint64_t edges[] = {0, 1, least, least - 1, mask, 2};
    const uint64_t pick = dvt_draw(state) % 12;
    return (pick < COUNT(edges) ? edges[pick] : bits >> (pick % 3 * 8)) & mask;
}

static table *make(void)
{
    table *t = calloc(1, sizeof *t);
    const dv_type *types[SORTS];
    uint64_t state = 5;
    cr_assert_not_null(t);
    for (size_t k = 0; k < SORTS; k++) {
        const size_t nbytes = sorts[k].nbytes;
        cr_assert_eq(dv_type_parse(&t->type[k], dv_text_of(sorts[k].type), NULL, 0, &err), DV_OK,
                     "%s", err.message);
        types[k] = &t->type[k];
        t->memory[k] = malloc(ROWS * nbytes + 1);
        for (size_t i = 0; i < ROWS; i++) {
            t->bits[k][i] = draw_bits(&state, nbytes);
            if (sorts[k].mean == of_u || sorts[k].mean == of_key) /* more does not fit in I8 */
                t->bits[k][i] &= INT64_MAX;
            memcpy(t->memory[k] + 1 + i * nbytes, &t->bits[k][i], nbytes);
        }
        t->column[k] =
            (dv_column_view){t->type[k], DV_LAYOUT_FIXED, ROWS,
                             .as = {{{t->memory[k] + 1, ROWS * nbytes, NULL, true, false}}}};
    }
    cr_assert_eq(dvi_batch_create(&t->batch, NULL, types, SORTS, NULL, &err), DV_OK);
    cr_assert_eq(dv_batch_start(t->batch, 0, ROWS, &err), DV_OK);
    for (size_t k = 0; k < SORTS; k++)
        cr_assert_eq(dv_batch_fill(t->batch, (int32_t)k, &t->column[k], &err), DV_OK, "%s",
                     err.message);
    return t;
}

static void drop(table *t)
{
    const dv_batch *batch = t->batch;
    dv_batch_release(&batch);
    for (size_t k = 0; k < SORTS; k++)
        free(t->memory[k]);
    free(t);
}

Test(dense_whole, all_types_side_by_side_and_alone)
{
    table *t = make();
    static int64_t got[ROWS][SORTS + 1], alone[ROWS];
    for (int policy = DV_DENSE_NA_KEEP; policy <= DV_DENSE_NA_VALUE; policy++) {
        dv_dense_options options = DV_DENSE_OPTIONS_INIT;
        options.na = (dv_dense_na)policy;
        options.na_value = -100;
        memset(got, 0xA5, sizeof got);
        cr_assert_eq(dv_batch_dense(t->batch, DV_KIND_I8, got[0], SORTS + 1, &options, &err), DV_OK,
                     "%s", err.message);
        for (int32_t k = 0; k < (int32_t)SORTS; k++) {
            options.columns = &k;
            options.columns_count = 1;
            cr_assert_eq(dv_batch_dense(t->batch, DV_KIND_I8, alone, 1, &options, &err), DV_OK);
            for (size_t i = 0; i < ROWS; i++) {
                const int64_t value = sorts[k].mean(t->bits[k][i]);
                const int64_t want = value == NA && policy == DV_DENSE_NA_VALUE ? -100 : value;
                cr_assert_eq(got[i][k], want, "%s, row %zu", sorts[k].type, i);
                cr_assert_eq(alone[i], want, "%s, row %zu", sorts[k].type, i);
                cr_assert_eq(got[i][SORTS], INT64_C(-0x5A5A5A5A5A5A5A5B));
            }
            options.columns = NULL;
            options.columns_count = -1;
        }
    }
    drop(t);
}

Test(dense_whole, tells_the_first_na_where_it_is_refused)
{
    table *t = make();
    static int64_t got[ROWS];
    for (int32_t k = 0; k < (int32_t)SORTS; k++) {
        dv_dense_options options = DV_DENSE_OPTIONS_INIT;
        options.columns = &k;
        options.columns_count = 1;
        options.na = DV_DENSE_NA_REFUSED;
        size_t first = 0;
        while (first < ROWS && sorts[k].mean(t->bits[k][first]) != NA)
            first++;
        const dv_status status = dv_batch_dense(t->batch, DV_KIND_I8, got, 1, &options, &err);
        char row[32];
        snprintf(row, sizeof row, "one in row %zu, slot 0", first);
        cr_assert_eq(status, first < ROWS ? DV_ERR_LIMIT : DV_OK, "%s", sorts[k].type);
        cr_assert(status == DV_OK || strstr(err.message, row), "%s: %s", sorts[k].type,
                  err.message);
    }
    drop(t);
}

/* A batch of one column of two rows. */
static dv_status fill_one(const char *name, dv_column_view *column, int64_t *dst, size_t stride,
                          const dv_dense_options *options)
{
    dv_type type;
    const dv_type *types = &type;
    dv_batch *batch;
    cr_assert_eq(dv_type_parse(&type, dv_text_of(name), NULL, 0, &err), DV_OK, "%s", err.message);
    column->type = type;
    column->rows = 2;
    cr_assert_eq(dvi_batch_create(&batch, NULL, &types, 1, NULL, &err), DV_OK);
    cr_assert_eq(dv_batch_start(batch, 0, 2, &err), DV_OK);
    cr_assert_eq(dv_batch_fill(batch, 0, column, &err), DV_OK, "%s", err.message);
    const dv_status status = dv_batch_dense(batch, DV_KIND_I8, dst, stride, options, &err);
    const dv_batch *held = batch;
    dv_batch_release(&held);
    return status;
}

Test(dense_whole, vectors_have_zeros_where_they_have_no_item)
{
    static const int32_t counts[] = {2, -1}, indices[] = {0, 2};
    static const int16_t items[] = {7, -8, 1, INT16_MIN, 3};
    dv_column_view of_items = {dv_type_of(DV_KIND_I2), DV_LAYOUT_FIXED, 5,
                               .as = {{{items, sizeof items, NULL, true, true}}}};
    dv_column_view column = {.layout = DV_LAYOUT_VECTOR};
    column.as.vector = (dv_vector_layout){.length = 3,
                                          .counts = {counts, sizeof counts, NULL, true, true},
                                          .indices = {indices, sizeof indices, NULL, true, true},
                                          .items = &of_items};
    static const int64_t want[] = {7, 0, -8, 1, NA, 3};
    int64_t got[6];
    cr_assert_eq(fill_one("V<I2,3>", &column, got, 3, NULL), DV_OK, "%s", err.message);
    cr_expect_arr_eq(got, want, sizeof want);
}

/* Slots of a sparse row of keys that have no item are NA. */
Test(dense_whole, vectors_of_keys_count_from_0)
{
    static const uint32_t keys[] = {3, 1, 10};
    static const int32_t counts[] = {-1, 1}, indices[] = {1};
    static const int64_t want[] = {2, 0, NA, 9};
    dv_column_view items = {
        .layout = DV_LAYOUT_FIXED, .rows = 3, .as = {{{keys, sizeof keys, NULL, true, true}}}};
    dv_column_view column = {.layout = DV_LAYOUT_VECTOR};
    int64_t got[4];
    cr_assert_eq(dv_type_parse(&items.type, dv_text_of("U4[0-9]"), NULL, 0, &err), DV_OK);
    column.as.vector = (dv_vector_layout){.length = 2,
                                          .counts = {counts, sizeof counts, NULL, true, true},
                                          .indices = {indices, sizeof indices, NULL, true, true},
                                          .items = &items};
    cr_assert_eq(fill_one("V<U4[0-9],2>", &column, got, 2, NULL), DV_OK, "%s", err.message);
    cr_expect_arr_eq(got, want, sizeof want);
}

Test(dense_whole, refuses_what_has_no_numbers)
{
    static const char *const bad[] = {"UG"};
    static const uint8_t bytes[64];
    dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    int64_t got[2];
    for (size_t i = 0; i < COUNT(bad); i++) {
        dv_column_view column = {.layout = DV_LAYOUT_FIXED,
                                 .as = {{{bytes, sizeof bytes, NULL, true, false}}}};
        cr_expect_eq(fill_one(bad[i], &column, got, 1, NULL), DV_ERR_ARGUMENT, "%s", bad[i]);
        cr_expect(strstr(err.message, "cannot be converted to I8"), "%s", err.message);
    }

    static const double values[] = {0.5, 0x1p63, -0x1p64, (double)NAN, (double)INFINITY};
    options.na = DV_DENSE_NA_VALUE;
    for (size_t i = 0; i < COUNT(values); i++) {
        dv_column_view column = {.layout = DV_LAYOUT_FIXED,
                                 .as = {{{bytes, sizeof bytes, NULL, true, false}}}};
        options.na_value = values[i];
        cr_expect_eq(fill_one("I4", &column, got, 1, &options), DV_ERR_ARGUMENT, "%g", values[i]);
        options.na_value = -0x1p63;
        cr_expect_eq(fill_one("I4", &column, got, 1, &options), DV_OK, "%s", err.message);
    }
}
