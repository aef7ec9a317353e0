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
    static const size_t earlier[] = {offsetof(dv_dense_options, fill)};
    *options = (dv_dense_options)DV_DENSE_OPTIONS_INIT;
    DVI_TRY(dvi_options_read_grown(options, sizeof *options, earlier, 1, given,
                                   "DV_DENSE_OPTIONS_INIT", err));
    DVI_REQUIRE(options->columns_count >= -1 && (options->columns_count >= 0 || !options->columns),
                dvi_fail_argument(err, "columns and columns_count do not agree"));
    DVI_REQUIRE(options->na >= DV_DENSE_NA_KEEP && options->na <= DV_DENSE_NA_MASK,
                dvi_fail_argument(err, "na is %d: no such policy", (int)options->na));
    DVI_REQUIRE(options->cut >= DV_DENSE_CUT_REFUSED && options->cut <= DV_DENSE_CUT_START,
                dvi_fail_argument(err, "cut is %d: no such rule", (int)options->cut));
    return DV_OK;
}

static dv_status check_items(dv_kind items, dv_error *err)
{
    DVI_REQUIRE(dvi_items_via(items) != DV_KIND_NONE,
                dvi_fail_argument(err, "items of %s: I1 to I8, U1 to U8, R2, B2, R4 or R8",
                                  dv_kind_name(items)));
    return DV_OK;
}

/* Can an integer of the matrix hold a number of the options?  2^63 is the least double above all
 * I8. */
static bool holds_whole(dv_kind items, double value)
{
    int64_t least, most;
    dvi_items_range(items, &least, &most);
    return value >= -0x1p63 && value < 0x1p63 && value == floor(value) &&
           (int64_t)value >= least - (least < 0) && (int64_t)value <= most;
}

/* FLT_MAX is the last float below infinity. */
static bool holds_real(dv_kind items, double value)
{
    float f4 = dvi_items_odd(value);
    uint16_t small;
    dvi_items_map *const round = dvi_items_from_via(items);
    return items == DV_KIND_R8 || !isfinite(value) ||
           (fabs(value) <= (double)FLT_MAX && (!round || round(&small, &f4, 1) == 1));
}

static dv_status check_number(const char *name, double value, dv_kind kind, dv_error *err)
{
    const bool holds =
        dvi_items_via(kind) == DV_KIND_I8 ? holds_whole(kind, value) : holds_real(kind, value);
    DVI_REQUIRE(holds,
                dvi_fail_argument(err, "%s is %g: no item of %s", name, value, dv_kind_name(kind)));
    return DV_OK;
}

dv_status dvi_dense_check_items(const dv_dense_options *options, dv_kind kind, dv_error *err)
{
    DVI_TRY(check_items(kind, err));
    DVI_REQUIRE(options->na != DV_DENSE_NA_MASK || kind == DV_KIND_U1,
                dvi_fail_argument(err, "a mask has items of U1, not %s", dv_kind_name(kind)));
    if (options->na == DV_DENSE_NA_VALUE)
        DVI_TRY(check_number("na_value", options->na_value, kind, err));
    return options->na == DV_DENSE_NA_MASK ? DV_OK : check_number("fill", options->fill, kind, err);
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

/* The bits of a checked number of the options as an item of a kind that is not R2 or B2.  Floats
 * that are rounded again have a last bit of 1 if there are more. */
static uint64_t number_bits(double value, dv_kind kind, bool is_rounded_again)
{
    const float f4 = is_rounded_again ? dvi_items_odd(value) : (float)value;
    uint64_t bits = 0;
    if (kind == DV_KIND_R8)
        memcpy(&bits, &value, sizeof value);
    else if (kind == DV_KIND_R4)
        memcpy(&bits, &f4, sizeof f4);
    else
        bits = (uint64_t)(int64_t)value;
    return bits;
}

static dvi_dense_items items_of(const dv_dense_options *options, dv_kind kind, dv_kind items)
{
    const bool is_used =
        options->na == DV_DENSE_NA_VALUE && kind != DV_KIND_R2 && kind != DV_KIND_B2;
    const dv_type type = dv_type_of(kind);
    return (dvi_dense_items){(size_t)dv_kind_width(kind), dvi_na_of(&type),
                             is_used ? number_bits(options->na_value, kind, kind != items) : 0};
}

static uint64_t fill_bits(const dv_dense_options *options, dv_kind items)
{
    const bool is_small = items == DV_KIND_R2 || items == DV_KIND_B2;
    const float f4 = dvi_items_odd(options->fill);
    uint16_t small = 0;
    if (options->na == DV_DENSE_NA_MASK)
        return 0;
    if (is_small)
        dvi_items_from_via(items)(&small, &f4, 1);
    return is_small ? small : number_bits(options->fill, items, false);
}

/* Unsigned items cannot keep NA; the least of signed ones is NA itself. */
static dv_dense_na policy_of(const dv_dense_options *options, dv_kind items)
{
    int64_t least, most;
    if (dvi_items_via(items) != DV_KIND_I8)
        return options->na;
    dvi_items_range(items, &least, &most);
    if (options->na == DV_DENSE_NA_VALUE && options->na_value < (double)least)
        return DV_DENSE_NA_KEEP;
    return options->na == DV_DENSE_NA_KEEP && least == 0 ? DV_DENSE_NA_REFUSED : options->na;
}

dvi_dense_matrix dvi_dense_matrix_of(void *dst, int64_t rows, size_t stride, dv_kind items,
                                     const dv_dense_options *options)
{
    const uint64_t fill = fill_bits(options, items);
    return (dvi_dense_matrix){.to = {.dst = dst, .stride = stride, .item = items},
                              .rows = (size_t)rows,
                              .item_nbytes = (size_t)dv_kind_width(items),
                              .from_via = dvi_items_from_via(items),
                              .na = policy_of(options, items),
                              .via = items_of(options, dvi_items_via(items), items),
                              .own = items_of(options, items, items),
                              .pads = fill != 0 || options->left ||
                                      options->cut != DV_DENSE_CUT_REFUSED,
                              .fill = fill,
                              .left = options->left,
                              .cut = options->cut};
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
    dvi_dense_column list[DVI_DENSE_COLUMNS + 1]; /* the last one begins the next group */
    const size_t before = slots_before(m);
    size_t most = DVI_DENSE_STRIPE / m->item_nbytes - before;
    size_t columns_most = DVI_DENSE_COLUMNS - before;
    size_t n = 0, slot = 0, width;
    bool was_alone = false;
    for (int32_t k = 0; k < columns; k++, slot += width) {
        const int32_t number = number_of(options, k);
        const dv_column_view *column = dv_batch_column(batch, number);
        width = dvi_dense_width_of(&column->type, given_width(options, k));
        list[n] = dvi_dense_column_of(column, number, slot, width, m->to.item);
        const bool is_alone = dvi_dense_goes_by_rows(m, &list[n]);
        if (n == columns_most ||
            (n > 0 && (is_alone || was_alone || slot - list[0].slot + width > most))) {
            DVI_TRY(dvi_dense_fill(m, list, n, err));
            list[0] = list[n];
            n = 0;
            most = DVI_DENSE_STRIPE / m->item_nbytes;
            columns_most = DVI_DENSE_COLUMNS;
        }
        n++;
        was_alone = is_alone;
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
    DVI_TRY(dvi_dense_check_items(&options, kind, err));
    const int32_t columns = options.columns_count < 0 ? batch->columns : options.columns_count;
    dvi_dense_matrix m = dvi_dense_matrix_of(dst, batch->rows, stride, kind, &options);
    m.to.first_row = first_row;
    m.names = names;
    DVI_TRY(check_columns(&m, batch, &options, columns, err));
    if (m.rows == 0)
        return DV_OK;
    const dv_status status = fill_columns(&m, batch, &options, columns, err);
    return status < 0 ? find_first_na(&m, batch, &options, columns, err) : status;
}

dv_status dv_batch_dense(const dv_batch *batch, dv_kind items, void *dst, size_t stride,
                         const dv_dense_options *options, dv_error *err)
{
    return dvi_dense_rows(batch, 0, dst, stride, items, options, NULL, err);
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
    DVI_TRY(dvi_dense_check_items(options, kind, err));
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
    DVI_TRY(dvi_dense_read_options(given, &options, err));
    DVI_TRY(dvi_cursor_read_options(cursor, &read, err));
    dv_status status = dvi_cursor_read_columns(schema, &read, NULL, &active, &n, err);
    if (status == DV_OK)
        status = dvi_dense_sum_widths(width_out, schema, active, n, &options, items, err);
    dvi_free(NULL, active, (size_t)n * sizeof *active);
    return status;
}

/* --- One column ------------------------------------------------------------------------------- */

dv_status dv_column_dense(const dv_column_view *column, dv_kind items, void *dst, size_t width,
                          size_t stride, dv_error *err)
{
    const dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    DVI_REQUIRE(column, dvi_fail_argument(err, "column is NULL"));
    DVI_REQUIRE(column->rows >= 0,
                dvi_fail_argument(err, "a column of %lld rows", (long long)column->rows));
    DVI_TRY(check_items(items, err));
    dvi_dense_matrix m = dvi_dense_matrix_of(dst, column->rows, stride, items, &options);
    DVI_TRY(check_matrix(&m, width, err));
    DVI_TRY(dvi_dense_check(column, width, &m, err));
    if (width == 0 || m.rows == 0)
        return DV_OK;
    dvi_dense_column dense = dvi_dense_column_of(column, -1, 0, width, items);
    return dvi_dense_fill(&m, &dense, 1, err);
}
