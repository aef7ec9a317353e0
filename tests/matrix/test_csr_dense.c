/* SPDX-License-Identifier: MIT */
/* test_csr_dense.c: a CSR matrix converts to the same dense matrix, and every array is checked. */
#include "support/page.h"
#include "support/test.h"
#include <dataview/csr.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define UNTOUCHED (-77)

static dv_error err = DV_ERROR_INIT;

/* 0 1 0 | 0 0 0 | 2 0 3, after an entry that belongs to no row. */
static int32_t indptr_4[] = {1, 2, 2, 4};
static int64_t indptr_8[] = {1, 2, 2, 4};
static int32_t indices[] = {9, 1, 0, 2};
static float data_4[] = {9, 1, 2, 3};
static double data_8[] = {9, 1, 2, 3};

static dv_csr small(dv_kind indptr, dv_kind data)
{
    return (dv_csr){.rows = 3,
                    .entries = 4,
                    .columns = 3,
                    .indptr_kind = indptr,
                    .data_kind = data,
                    .indptr = indptr == DV_KIND_I8 ? (void *)indptr_8 : indptr_4,
                    .indices = indices,
                    .data = data == DV_KIND_R8 ? (void *)data_8 : data_4};
}

static dv_csr small_i4_r4(void)
{
    return small(DV_KIND_I4, DV_KIND_R4);
}

Test(csr_dense, all_kinds_give_the_same)
{
    static const dv_kind indptrs[] = {DV_KIND_I4, DV_KIND_I8}, datas[] = {DV_KIND_R4, DV_KIND_R8};
    const float want_4[] = {0, 1, 0, 0, 0, 0, 2, 0, 3};
    const double want_8[] = {0, 1, 0, 0, 0, 0, 2, 0, 3};
    for (size_t i = 0; i < 4; i++) {
        const dv_csr csr = small(indptrs[i / 2], datas[i % 2]);
        float f4[9];
        double f8[9];
        cr_assert_eq(dv_csr_dense_f4(&csr, 0, -1, f4, 3, 3, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_csr_dense_f8(&csr, 0, -1, f8, 3, 3, &err), DV_OK, "%s", err.message);
        cr_expect_arr_eq(f4, want_4, sizeof want_4);
        cr_expect_arr_eq(f8, want_8, sizeof want_8);
    }
}

Test(csr_dense, what_is_wider_is_rounded)
{
    dv_csr csr = small(DV_KIND_I4, DV_KIND_R8);
    double values[] = {0, 16777217, (double)NAN, 1e300};
    float dst[9];
    uint32_t bits;
    csr.data = values;
    cr_assert_eq(dv_csr_dense_f4(&csr, 0, -1, dst, 3, 3, NULL), DV_OK);
    memcpy(&bits, &dst[6], sizeof bits);
    cr_expect_eq(dst[1], 16777216);
    cr_expect_eq(bits, DV_R4_NA_BITS);
    cr_expect_eq(dst[8], INFINITY);
}

Test(csr_dense, rows_of_it_and_no_byte_more)
{
    const dv_csr csr = small_i4_r4();
    dvt_page page = dvt_page_create(100);
    const size_t nbytes = 9 * sizeof(float); /* two rows of 4, 5 apart */
    float *const dsts[] = {(void *)dvt_page_start(page, nbytes),
                           (void *)dvt_page_end(page, nbytes)};
    const float want[] = {0, 0, 0, 0, UNTOUCHED, 2, 0, 3, 0};
    for (int i = 0; i < 2; i++) {
        dsts[i][4] = UNTOUCHED;
        cr_assert_eq(dv_csr_dense_f4(&csr, 1, 3, dsts[i], 4, 5, &err), DV_OK, "%s", err.message);
        cr_expect_arr_eq(dsts[i], want, sizeof want);
    }
    dvt_page_free(&page);
}

/* Only the entries of the rows are read. */
Test(csr_dense, other_rows_may_be_anything)
{
    int32_t starts[] = {-5, 2, 2, 4, 3}, columns[] = {9, 9, 0, 2};
    dv_csr csr = small_i4_r4();
    float dst[6];
    csr.rows = 4;
    csr.indptr = starts;
    csr.indices = columns;
    cr_expect_eq(dv_csr_dense_f4(&csr, 1, 3, dst, 3, 3, NULL), DV_OK);
    cr_expect_eq(dst[5], 3);
}

Test(csr_dense, nothing_needs_no_arrays)
{
    const int64_t starts[] = {0, 0, 0};
    dv_csr csr = {.columns = 2, .indptr_kind = DV_KIND_I8, .data_kind = DV_KIND_R8};
    float dst[4] = {1, 1, 1, 1};
    cr_expect_eq(dv_csr_dense_f4(&csr, 0, -1, NULL, 2, 2, &err), DV_OK, "%s", err.message);
    csr.rows = 2;
    csr.indptr = (void *)(uintptr_t)starts;
    cr_expect_eq(dv_csr_dense_f4(&csr, 2, 2, NULL, 0, 0, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_csr_dense_f4(&csr, 0, 2, dst, 2, 2, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dst[0] + dst[1] + dst[2] + dst[3], 0);
    csr.columns = 0;
    cr_expect_eq(dv_csr_dense_f4(&csr, 0, 2, NULL, 0, 0, &err), DV_OK, "%s", err.message);
}

/* --- Many rows -------------------------------------------------------------------------------- */

#define ROWS 10000
#define COLUMNS 5

/* Row i has the entries i % 4, at the columns from 0 on. */
typedef struct many {
    int64_t indptr[ROWS + 1];
    int32_t indices[4 * ROWS];
    double data[4 * ROWS];
    dv_csr csr;
} many;

static many *make_many(void)
{
    many *m = calloc(1, sizeof *m);
    cr_assert_not_null(m);
    int64_t n = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < i % 4; j++, n++) {
            m->indices[n] = j;
            m->data[n] = i + j;
        }
        m->indptr[i + 1] = n;
    }
    m->csr = (dv_csr){ROWS, n, COLUMNS, DV_KIND_I8, DV_KIND_R8, m->indptr, m->indices, m->data};
    return m;
}

Test(csr_dense, rows_are_taken_in_parts)
{
    many *m = make_many();
    float *dst = calloc(ROWS * COLUMNS, sizeof *dst);
    cr_assert_eq(dv_csr_dense_f4(&m->csr, 0, -1, dst, COLUMNS, COLUMNS, &err), DV_OK);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            cr_assert_eq(dst[i * COLUMNS + j], j < i % 4 ? (float)(i + j) : 0, "row %d", i);
    free(dst);
    free(m);
}

Test(csr_dense, the_row_is_reported_wherever_it_is)
{
    many *m = make_many();
    float *dst = calloc(ROWS * COLUMNS, sizeof *dst);
    m->indices[m->indptr[9003]] = COLUMNS;
    cr_expect_eq(dv_csr_dense_f4(&m->csr, 7, -1, dst, COLUMNS, COLUMNS, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "row 9003:"), "%s", err.message);
    m->indptr[8000] = -1;
    cr_expect_eq(dv_csr_dense_f4(&m->csr, 7, -1, dst, COLUMNS, COLUMNS, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "row 7999 "), "%s", err.message);
    free(dst);
    free(m);
}

/* --- Refused ---------------------------------------------------------------------------------- */

static void expect_refused(const dv_csr *csr, int64_t first, int64_t end, size_t width,
                           size_t stride, const char *message)
{
    float dst[9];
    cr_expect_eq(dv_csr_dense_f4(csr, first, end, dst, width, stride, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, message), "%s; not %s", err.message, message);
    cr_expect_eq(dv_csr_dense_f4(csr, first, end, dst, width, stride, NULL), DV_ERR_ARGUMENT);
}

Test(csr_dense, a_matrix_that_cannot_be_is_refused)
{
    const dv_csr good = small_i4_r4();
    dv_csr csr = good;
    expect_refused(NULL, 0, -1, 3, 3, "csr is NULL");
    csr.indptr_kind = DV_KIND_U8;
    expect_refused(&csr, 0, -1, 3, 3, "indptr_kind");
    csr = good;
    csr.data_kind = DV_KIND_I4;
    expect_refused(&csr, 0, -1, 3, 3, "data_kind");
    csr = good;
    csr.rows = -1;
    expect_refused(&csr, 0, -1, 3, 3, "-1 rows");
    csr = good;
    csr.entries = -1;
    expect_refused(&csr, 0, -1, 3, 3, "-1 entries");
    csr = good;
    csr.columns = -1;
    expect_refused(&csr, 0, -1, 3, 3, "-1 columns");
}

Test(csr_dense, arrays_that_are_missing_are_refused)
{
    const dv_csr good = small_i4_r4();
    dv_csr csr = good;
    csr.indptr = NULL;
    expect_refused(&csr, 0, -1, 3, 3, "NULL");
    csr = good;
    csr.indices = NULL;
    expect_refused(&csr, 0, -1, 3, 3, "NULL");
    csr = good;
    csr.data = NULL;
    expect_refused(&csr, 0, -1, 3, 3, "NULL");
    cr_expect_eq(dv_csr_dense_f8(&good, 0, -1, NULL, 3, 3, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "dst is NULL"), "%s", err.message);
}

Test(csr_dense, rows_and_sizes_that_do_not_fit_are_refused)
{
    dv_csr csr = small_i4_r4();
    expect_refused(&csr, -1, 2, 3, 3, "rows -1..2 of 3");
    expect_refused(&csr, 2, 1, 3, 3, "rows 2..1 of 3");
    expect_refused(&csr, 0, 4, 3, 3, "rows 0..4 of 3");
    expect_refused(&csr, 4, -1, 3, 3, "rows 4..3 of 3");
    expect_refused(&csr, 0, -2, 3, 3, "rows 0..-2 of 3");
    expect_refused(&csr, 0, -1, 2, 3, "row 0 has 3 slots, width is 2");
    expect_refused(&csr, 0, -1, 3, 2, "stride 2 is below width 3");
    expect_refused(&csr, 0, -1, 3, SIZE_MAX / 4, "do not fit in memory");
}

Test(csr_dense, offsets_are_checked)
{
    static const int32_t bad[][4] = {{-1, 2, 2, 4},
                                     {1, 0, 2, 4},
                                     {1, 2, 1, 4},
                                     {1, 2, 2, 5},
                                     {5, 5, 5, 5},
                                     {0, 4, 4, 4},
                                     {INT32_MIN, INT32_MAX, 2, 4}};
    static const char *const rows[] = {"row 0", "row 0", "row 1", "row 2",
                                       "row 0", "row 0", "row 0"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        dv_csr csr = small_i4_r4();
        int64_t wide[4];
        for (int j = 0; j < 4; j++)
            wide[j] = bad[i][j];
        csr.indptr = (void *)(uintptr_t)bad[i];
        expect_refused(&csr, 0, -1, 3, 3, rows[i]);
        csr.indptr = wide;
        csr.indptr_kind = DV_KIND_I8;
        expect_refused(&csr, 0, -1, 3, 3, rows[i]);
    }
}

Test(csr_dense, indices_rise_below_the_columns)
{
    int32_t bad[][4] = {{0, 3, 0, 2}, {0, -1, 0, 2}, {0, 1, 2, 0}, {0, 1, 2, 2}, {0, 1, 0, 3}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        dv_csr csr = small_i4_r4();
        csr.indices = bad[i];
        expect_refused(&csr, 0, -1, 3, 3, i < 2 ? "row 0:" : "row 2:");
    }
}
