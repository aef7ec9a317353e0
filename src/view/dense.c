/* SPDX-License-Identifier: MIT */
/* dense.c: how does a column fill a matrix of the caller's?
 *
 * A column that a cursor gave has been checked, but one may be made by hand; and a wrong index here
 * is a write anywhere.  So all of it is checked again, by the kernels that read fastest. */
#include <dataview/dense.h>

#include "base/check.h"
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include "simd/store.h"
#include "view/column.h"
#include "view/matrix.h"
#include <string.h>

static size_t item_nbytes_of(const dvi_matrix *m)
{
    return (size_t)dv_kind_width(m->item);
}

/* Are there n items from `first` on? */
static bool holds(const dv_buffer *buffer, int64_t first, int64_t n, size_t width)
{
    return first >= 0 && n >= 0 && (uint64_t)first <= buffer->nbytes / width &&
           (uint64_t)n <= buffer->nbytes / width - (uint64_t)first;
}

static dv_status check_type(const dv_column_view *column, dv_kind kind, dv_error *err)
{
    const dv_type item = dv_type_item(&column->type);
    const bool is_ours = item.kind == kind && !item.is_key;
    char name[128];
    dv_type_print(&column->type, name, sizeof name);
    if (!is_ours)
        return dvi_fail_argument(err, "a column of type %s: its items are not %s", name,
                                 dv_kind_name(kind));
    DVI_REQUIRE(
        column->layout == dvi_layout_of(&column->type),
        dvi_fail_argument(err, "a column of type %s in layout %d", name, (int)column->layout));
    return DV_OK;
}

static dv_status dense_scalars(const dv_column_view *column, const dvi_matrix *m, dv_error *err)
{
    const dv_buffer *values = &column->as.fixed.values;
    const size_t size = item_nbytes_of(m);
    DVI_REQUIRE(holds(values, 0, column->rows, size),
                dvi_fail_argument(err, "values: %lld rows do not lie in %zu bytes",
                                  (long long)column->rows, values->nbytes));
    DVI_REQUIRE(m->width > 0 || column->rows == 0, dvi_matrix_fail_width(m, 0, 1, err));
    const char *src = values->data;
    char *dst = m->dst;
    if (m->stride == 1 && column->rows > 0) {
        memcpy(dst, src, (size_t)column->rows * size);
        return DV_OK;
    }
    for (int64_t i = 0; i < column->rows; i++, src += size, dst += m->stride * size) {
        memcpy(dst, src, size);
        memset(dst + size, 0, (m->width - 1) * size);
    }
    return DV_OK;
}

/* No row longer than width. */
static dv_status check_lengths(const dv_sparse *rows, const dvi_matrix *m, dv_error *err)
{
    if (!rows->lengths)
        return rows->n == 0 || (size_t)rows->length <= m->width
                   ? DV_OK
                   : dvi_matrix_fail_width(m, 0, rows->length, err);
    for (size_t i = 0; i < rows->n; i++) {
        const int32_t length = dvi_sparse_length(rows, i);
        DVI_REQUIRE((size_t)length <= m->width, dvi_matrix_fail_width(m, (int64_t)i, length, err));
    }
    return DV_OK;
}

/* Counts, indices, and as many items as they say. */
static dv_status check_rows(const dv_vector_layout *vector, const dv_sparse *rows,
                            const dvi_matrix *m, dv_error *err)
{
    int64_t sums[2];
    const size_t counted = dvi_kernels()->counts_check(rows, 0, sums);
    DVI_REQUIRE(counted == rows->n,
                dvi_fail_argument(err, "row %zu: length or count is not sound", counted));
    DVI_TRY(check_lengths(rows, m, err));

    DVI_REQUIRE(holds(&vector->indices, vector->index_base, sums[0], 4),
                dvi_fail_argument(err, "indices: %lld from %lld on do not lie in %zu bytes",
                                  (long long)sums[0], (long long)vector->index_base,
                                  vector->indices.nbytes));
    const dv_buffer *items = &vector->items->as.fixed.values;
    DVI_REQUIRE(holds(items, vector->item_base, sums[1], item_nbytes_of(m)),
                dvi_fail_argument(err, "items: %lld from %lld on do not lie in %zu bytes",
                                  (long long)sums[1], (long long)vector->item_base, items->nbytes));
    return dvi_matrix_check_indices(rows, (size_t)sums[0], 0, err);
}

static dv_status dense_vectors(const dv_column_view *column, const dvi_matrix *m, dv_error *err)
{
    const dv_vector_layout *vector = &column->as.vector;
    const dv_column_view *items = vector->items;
    DVI_REQUIRE(items && items->layout == DV_LAYOUT_FIXED && !dv_type_is_vector(&items->type) &&
                    dvi_width_of(&items->type) == item_nbytes_of(m),
                dvi_fail_argument(err, "the items are not of the vector's item type"));
    const bool has_lengths = vector->lengths.nbytes > 0;
    DVI_REQUIRE(holds(&vector->counts, 0, column->rows, 4) &&
                    (!has_lengths || holds(&vector->lengths, 0, column->rows, 4)),
                dvi_fail_argument(err, "lengths or counts of %lld rows: there are less",
                                  (long long)column->rows));
    DVI_REQUIRE(holds(&vector->indices, vector->index_base, 0, 4) &&
                    holds(&items->as.fixed.values, vector->item_base, 0, item_nbytes_of(m)),
                dvi_fail_argument(err, "indices or items start outside their buffer"));
    const dv_sparse rows = dvi_vector_sparse(vector, column->rows);
    DVI_TRY(check_rows(vector, &rows, m, err));
    if (m->dst) /* else there is nothing to write */
        dvi_densify(dvi_densify_find(m->item, m->item), m->dst, m->stride, m->width, &rows);
    return DV_OK;
}

static dv_status dense(const dv_column_view *column, const dvi_matrix *m, dv_error *err)
{
    DVI_REQUIRE(column, dvi_fail_argument(err, "no column"));
    DVI_TRY(check_type(column, m->item, err));
    DVI_REQUIRE(column->rows >= 0,
                dvi_fail_argument(err, "a column of %lld rows", (long long)column->rows));
    DVI_TRY(dvi_matrix_check(m, column->rows, err));
    if (column->layout == DV_LAYOUT_VECTOR)
        return dense_vectors(column, m, err);
    return dense_scalars(column, m, err);
}

dv_status dv_column_dense_f4(const dv_column_view *column, float *dst, size_t width, size_t stride,
                             dv_error *err)
{
    const dvi_matrix m = {dst, width, stride, DV_KIND_R4};
    return dense(column, &m, err);
}

dv_status dv_column_dense_f8(const dv_column_view *column, double *dst, size_t width, size_t stride,
                             dv_error *err)
{
    const dvi_matrix m = {dst, width, stride, DV_KIND_R8};
    return dense(column, &m, err);
}
