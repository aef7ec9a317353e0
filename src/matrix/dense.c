/* SPDX-License-Identifier: MIT */
/* dense.c: fills the caller's matrix from columns. */
#include <dataview/dense.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "simd/na.h"
#include "simd/store.h"
#include "scan/cursor.h"
#include "matrix/dense.h"
#include "matrix/dense_fill.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define LINE 64

/* --- Options --- */

dv_status dvi_dense_read_options(const dv_dense_options *given, dv_dense_options *options,
                                 dv_error *err)
{
    *options = (dv_dense_options)DV_DENSE_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_DENSE_OPTIONS_INIT", err));
    DVI_REQUIRE(options->columns_count >= -1 && (options->columns_count >= 0 || !options->columns),
                dvi_fail_argument(err, "columns and columns_count do not agree"));
    DVI_REQUIRE(options->na >= DV_DENSE_NA_KEEP && options->na <= DV_DENSE_NA_REFUSED,
                dvi_fail_argument(err, "na is %d: no such policy", (int)options->na));
    return DV_OK;
}

/* Can an item of the matrix hold the NA replacement? 2^63 is the smallest double above all I8; no
 * float lies between FLT_MAX and infinity. */
static dv_status check_na_value(const dv_dense_options *options, dv_kind kind, dv_error *err)
{
    const double value = options->na_value;
    if (options->na != DV_DENSE_NA_VALUE)
        return DV_OK;
    DVI_REQUIRE(kind != DV_KIND_I8 || (value >= -0x1p63 && value < 0x1p63 && value == floor(value)),
                dvi_fail_argument(err, "na_value is %g: not a whole number of 8 bytes", value));
    DVI_REQUIRE(kind != DV_KIND_R4 || !isfinite(value) || fabs(value) <= (double)FLT_MAX,
                dvi_fail_argument(err, "na_value is %g: too large for a float", value));
    return DV_OK;
}

/* The number in the batch of column k from the left; and the width given for it. */
static int32_t number_of(const dv_dense_options *options, int32_t k)
{
    return options->columns ? options->columns[k] : k;
}

static size_t given_width(const dv_dense_options *options, int32_t k)
{
    return options->widths ? options->widths[k] : 0;
}

/* The bits of the checked NA replacement; unused without that policy. */
static uint64_t na_bits(const dv_dense_options *options, dv_kind kind)
{
    uint64_t bits = 0;
    if (options->na != DV_DENSE_NA_VALUE)
        return bits;
    if (kind == DV_KIND_I8)
        return (uint64_t)(int64_t)options->na_value;
    if (kind == DV_KIND_R8) {
        memcpy(&bits, &options->na_value, sizeof options->na_value);
        return bits;
    }
    const float f4 = (float)options->na_value;
    memcpy(&bits, &f4, sizeof f4);
    return bits;
}

/* The matrix to write, with this many rows. */
static dvi_dense_matrix matrix_of(void *dst, int64_t rows, size_t stride, dv_kind kind,
                                  const dv_dense_options *options)
{
    const dv_type type = dv_type_of(kind);
    return (dvi_dense_matrix){.to = {.dst = dst, .stride = stride, .item = kind},
                              .rows = (size_t)rows,
                              .item_nbytes = (size_t)dv_kind_width(kind),
                              .na = options->na,
                              .rule = dvi_na_of(&type),
                              .value = na_bits(options, kind)};
}

static dv_status check_matrix(dvi_dense_matrix *m, size_t width, dv_error *err)
{
    m->to.width = width;
    DVI_TRY(dvi_matrix_check(&m->to, (int64_t)m->rows, err));
    const dvi_store store = dvi_densify_form(m->rows * width * m->item_nbytes);
    m->store =
        store == DVI_STORE_CACHED ? store : DVI_STORE_STREAM; /* tiles are copied, not filled */
    return DV_OK;
}

/* --- Several columns -------------------------------------------------------------------------- */

/* Add the width of column k from the left to *total. */
static dv_status add_width(size_t *total, const dv_type *type, const dv_dense_options *options,
                           int32_t k, dv_error *err)
{
    const size_t width = dvi_dense_width_of(type, given_width(options, k));
    DVI_REQUIRE(width > 0, dvi_fail_argument(
                               err, "vectors of varying size: give the number of slots in widths"));
    DVI_REQUIRE(dvi_size_add(*total, width, total),
                dvi_fail_argument(err, "the width of the matrix does not fit in memory"));
    return DV_OK;
}

static dv_status check_column(size_t *total, const dvi_dense_matrix *m,
                              const dv_column_view *column, const dv_dense_options *options,
                              int32_t k, dv_error *err)
{
    DVI_TRY(add_width(total, &column->type, options, k, err));
    return dvi_dense_check(column, dvi_dense_width_of(&column->type, given_width(options, k)), m,
                           err);
}

/* Check that all columns can be written and fit. */
static dv_status check_columns(dvi_dense_matrix *m, const dv_batch *batch,
                               const dv_dense_options *options, int32_t columns, dv_error *err)
{
    size_t total = 0;
    for (int32_t k = 0; k < columns; k++) {
        const int32_t number = number_of(options, k);
        const dv_column_view *column = dv_batch_column(batch, number);
        DVI_REQUIRE(column, dvi_fail_argument(err, "column %d: the batch has %d columns", number,
                                              batch->columns));
        const dv_status status = check_column(&total, m, column, options, k, err);
        if (status < 0)
            dvi_dense_within_column(err, m->names, number);
        DVI_TRY(status);
    }
    return check_matrix(m, total, err);
}

/* How many slots the first group of columns has less, so that all others begin with a line of the
 * cache: a line that two groups share is written twice. 0 if rows lie in their lines each in
 * another way. Large arrays of NumPy begin 16 bytes into a line. */
static size_t slots_before(const dvi_dense_matrix *m)
{
    const size_t pitch = m->to.stride * m->item_nbytes, before = (uintptr_t)m->to.dst % LINE;
    return pitch % LINE == 0 && before % m->item_nbytes == 0 ? before / m->item_nbytes : 0;
}

/* Fill in groups of columns that are written together. */
static dv_status fill_columns(const dvi_dense_matrix *m, const dv_batch *batch,
                              const dv_dense_options *options, int32_t columns, dv_error *err)
{
    dvi_dense_column list[DVI_DENSE_COLUMNS];
    const size_t before = slots_before(m);
    size_t most = DVI_DENSE_STRIPE / m->item_nbytes - before;
    size_t columns_most = DVI_DENSE_COLUMNS - before;
    size_t n = 0, slot = 0, width;
    for (int32_t k = 0; k < columns; k++, slot += width) {
        const int32_t number = number_of(options, k);
        const dv_column_view *column = dv_batch_column(batch, number);
        width = dvi_dense_width_of(&column->type, given_width(options, k));
        if (n == columns_most || (n > 0 && slot - list[0].slot + width > most)) {
            DVI_TRY(dvi_dense_fill(m, list, n, err));
            n = 0;
            most = DVI_DENSE_STRIPE / m->item_nbytes;
            columns_most = DVI_DENSE_COLUMNS;
        }
        list[n++] = dvi_dense_column_of(column, number, slot, width, m->to.item);
    }
    return n > 0 ? dvi_dense_fill(m, list, n, err) : DV_OK;
}

/* Columns are written in groups, so the NA that was met may not be the first one. Report the first:
 * in the order of rows, and in a row in the order of columns. */
static dv_status find_first_na(const dvi_dense_matrix *m, const dv_batch *batch,
                               const dv_dense_options *options, int32_t columns, dv_error *err)
{
    dvi_dense_matrix before = *m; /* rows before the first NA that was found */
    dv_status status = DV_OK;
    size_t slot = 0, width;
    for (int32_t k = 0; k < columns && before.rows > 0; k++, slot += width) {
        const int32_t number = number_of(options, k);
        const dv_column_view *column = dv_batch_column(batch, number);
        width = dvi_dense_width_of(&column->type, given_width(options, k));
        dvi_dense_column one = dvi_dense_column_of(column, number, slot, width, m->to.item);
        size_t row;
        before.na_row = &row;
        if (dvi_dense_fill(&before, &one, 1, err) < 0) {
            status = DV_ERR_LIMIT;
            before.rows = row;
        }
    }
    return status;
}

dv_status dvi_dense_rows(const dv_batch *batch, int64_t first_row, void *dst, size_t stride,
                         dv_kind kind, const dv_dense_options *given, const dvi_dense_names *names,
                         dv_error *err)
{
    dv_dense_options options;
    DVI_REQUIRE(batch, dvi_fail_argument(err, "batch is NULL"));
    DVI_TRY(dvi_dense_read_options(given, &options, err));
    DVI_TRY(check_na_value(&options, kind, err));
    const int32_t columns = options.columns_count < 0 ? batch->columns : options.columns_count;
    dvi_dense_matrix m = matrix_of(dst, batch->rows, stride, kind, &options);
    m.to.first_row = first_row;
    m.names = names;
    DVI_TRY(check_columns(&m, batch, &options, columns, err));
    if (m.rows == 0)
        return DV_OK;
    const dv_status status = fill_columns(&m, batch, &options, columns, err);
    return status < 0 ? find_first_na(&m, batch, &options, columns, err) : status;
}

dv_status dv_batch_dense_f4(const dv_batch *batch, float *dst, size_t stride,
                            const dv_dense_options *options, dv_error *err)
{
    return dvi_dense_rows(batch, 0, dst, stride, DV_KIND_R4, options, NULL, err);
}

dv_status dv_batch_dense_f8(const dv_batch *batch, double *dst, size_t stride,
                            const dv_dense_options *options, dv_error *err)
{
    return dvi_dense_rows(batch, 0, dst, stride, DV_KIND_R8, options, NULL, err);
}

dv_status dv_batch_dense_i8(const dv_batch *batch, int64_t *dst, size_t stride,
                            const dv_dense_options *options, dv_error *err)
{
    return dvi_dense_rows(batch, 0, dst, stride, DV_KIND_I8, options, NULL, err);
}

/* --- Their width ------------------------------------------------------------------------------ */

bool dvi_dense_is_own(const dv_type *type, dv_kind items, size_t width)
{
    const bool is_ticks = type->kind == DV_KIND_TS && items == DV_KIND_I8;
    const size_t slots = (size_t)dv_type_value_count(type);
    return !type->is_key && (type->kind == items || is_ticks) && slots > 0 &&
           (width == 0 || width == slots);
}

dv_status dvi_dense_sum_widths(size_t *width_out, const dv_schema *schema, const int32_t *active,
                               int32_t n, const dv_dense_options *options, dv_kind kind,
                               dv_error *err)
{
    const int32_t columns = options->columns_count < 0 ? n : options->columns_count;
    size_t total = 0;
    DVI_TRY(check_na_value(options, kind, err));
    for (int32_t k = 0; k < columns; k++) {
        const int32_t number = number_of(options, k);
        DVI_REQUIRE(number >= 0 && number < n,
                    dvi_fail_argument(err, "column %d: a batch has %d columns", number, n));
        const dv_type *type = &dv_schema_column(schema, active[number])->type;
        dv_status status = dvi_dense_check_type(type, kind, err);
        if (status == DV_OK)
            status = add_width(&total, type, options, k, err);
        if (status < 0)
            dvi_dense_within_column(err, &(dvi_dense_names){schema, active}, number);
        DVI_TRY(status);
    }
    *width_out = total;
    return DV_OK;
}

dv_status dv_dense_width(size_t *width_out, const dv_schema *schema, dv_kind items,
                         const dv_cursor_options *cursor, const dv_dense_options *given,
                         dv_error *err)
{
    dv_dense_options options;
    dv_cursor_options read;
    int32_t *active, n;
    *width_out = 0;
    DVI_REQUIRE(
        items == DV_KIND_R4 || items == DV_KIND_R8 || items == DV_KIND_I8,
        dvi_fail_argument(err, "items of a matrix must be DV_KIND_R4, DV_KIND_R8 or DV_KIND_I8"));
    DVI_TRY(dvi_dense_read_options(given, &options, err));
    DVI_TRY(dvi_cursor_read_options(cursor, &read, err));
    dv_status status = dvi_cursor_read_columns(schema, &read, NULL, &active, &n, err);
    if (status == DV_OK)
        status = dvi_dense_sum_widths(width_out, schema, active, n, &options, items, err);
    dvi_free(NULL, active, (size_t)n * sizeof *active);
    return status;
}

/* --- One column ------------------------------------------------------------------------------- */

static dv_status column_dense(const dv_column_view *column, void *dst, size_t width, size_t stride,
                              dv_kind kind, dv_error *err)
{
    const dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    DVI_REQUIRE(column, dvi_fail_argument(err, "column is NULL"));
    DVI_REQUIRE(column->rows >= 0,
                dvi_fail_argument(err, "a column of %lld rows", (long long)column->rows));
    dvi_dense_matrix m = matrix_of(dst, column->rows, stride, kind, &options);
    DVI_TRY(check_matrix(&m, width, err));
    DVI_TRY(dvi_dense_check(column, width, &m, err));
    if (width == 0 || m.rows == 0)
        return DV_OK;
    dvi_dense_column dense = dvi_dense_column_of(column, -1, 0, width, kind);
    return dvi_dense_fill(&m, &dense, 1, err);
}

dv_status dv_column_dense_f4(const dv_column_view *column, float *dst, size_t width, size_t stride,
                             dv_error *err)
{
    return column_dense(column, dst, width, stride, DV_KIND_R4, err);
}

dv_status dv_column_dense_f8(const dv_column_view *column, double *dst, size_t width, size_t stride,
                             dv_error *err)
{
    return column_dense(column, dst, width, stride, DV_KIND_R8, err);
}
