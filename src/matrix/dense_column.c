/* SPDX-License-Identifier: MIT */
/* dense_column.c: checks that a column can be written into a matrix, and finds the conversion. */
#include "matrix/dense_column.h"
#include "base/check.h"
#include "simd/dispatch.h"
#include "simd/kinds.h"
#include "simd/sparse.h"
#include <string.h>

/* --- Types ------------------------------------------------------------------------------------ */

#define MAP(X, level, from, to)                                                                    \
    static void map_##from##_##to(void *dst, const void *src, size_t n)                            \
    {                                                                                              \
        dvi_kernels()->convert_##from##_##to(dst, src, n);                                         \
    }
DVI_DENSIFY_LIST(MAP, _, _)

typedef void map_fn(void *dst, const void *src, size_t n);

/* By the kind of the column's items; [1]: the matrix has R8. */
static map_fn *const maps[DV_KIND_BY + 1][2] = {
#define TO_f4 0
#define TO_f8 1
#define ENTRY(X, level, from, to) [DVI_KIND_##from][TO_##to] = map_##from##_##to,
    DVI_DENSIFY_LIST(ENTRY, _, _)
#undef ENTRY
};

/* To I8, for labels: few columns per row, so plain loops suffice. `na` is true for NA, which
 * becomes NA of I8. */
#define WHOLE(name, ctype, na, result)                                                             \
    static void whole_##name(void *dst, const void *src, size_t n)                                 \
    {                                                                                              \
        int64_t *const to = dst;                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            ctype v;                                                                               \
            memcpy(&v, (const uint8_t *)src + i * sizeof v, sizeof v);                             \
            to[i] = (na) ? INT64_MIN : (int64_t)(result);                                          \
        }                                                                                          \
    }
WHOLE(i1, int8_t, v == INT8_MIN, v)
WHOLE(i2, int16_t, v == INT16_MIN, v)
WHOLE(i4, int32_t, v == INT32_MIN, v)
WHOLE(u1, uint8_t, false, v)
WHOLE(u2, uint16_t, false, v)
WHOLE(u4, uint32_t, false, v)
WHOLE(u8, uint64_t, v > INT64_MAX, v)
WHOLE(bl, uint8_t, v > 1, v)
WHOLE(key_1, uint8_t, v == 0, v - 1)
WHOLE(key_2, uint16_t, v == 0, v - 1)
WHOLE(key_4, uint32_t, v == 0, v - UINT32_C(1))
WHOLE(key_8, uint64_t, v == 0 || v > (uint64_t)INT64_MAX, v - 1)

static map_fn *const wholes[DV_KIND_BY + 1] = {
    [DV_KIND_I1] = whole_i1, [DV_KIND_I2] = whole_i2, [DV_KIND_I4] = whole_i4,
    [DV_KIND_U1] = whole_u1, [DV_KIND_U2] = whole_u2, [DV_KIND_U4] = whole_u4,
    [DV_KIND_U8] = whole_u8, [DV_KIND_BL] = whole_bl,
};
static map_fn *const keys[DV_KIND_BY + 1] = {
    [DV_KIND_U1] = whole_key_1,
    [DV_KIND_U2] = whole_key_2,
    [DV_KIND_U4] = whole_key_4,
    [DV_KIND_U8] = whole_key_8,
};

/* Ticks are stored as I8. */
static dv_kind stored_kind(dv_kind kind)
{
    return kind == DV_KIND_TS || kind == DV_KIND_DT ? DV_KIND_I8 : kind;
}

/* The conversion from items of a type stored as a kind; NULL: none is needed, or none exists. */
static map_fn *map_of(const dv_type *item, dv_kind stored, dv_kind kind)
{
    if (stored > DV_KIND_BY || (item->is_key && kind != DV_KIND_I8))
        return NULL;
    if (kind == DV_KIND_I8)
        return item->is_key ? keys[stored] : wholes[stored];
    return maps[stored][kind == DV_KIND_R8];
}

void dvi_dense_within_column(dv_error *err, const dvi_dense_names *names, int32_t number)
{
    if (names)
        dvi_error_within(
            err, "column \"%s\"",
            dvi_show(dv_schema_column(names->schema, names->active[number])->name).text);
    else
        dvi_error_within(err, "column %d", number);
}

dv_status dvi_dense_check_type(const dv_type *type, dv_kind kind, dv_error *err)
{
    char name[128];
    const dv_kind stored = stored_kind(type->kind);
    const bool is_same = !type->is_key && (kind == DV_KIND_I8 ? stored : type->kind) == kind;
    const bool is_sparse_key = type->is_key && dv_type_is_vector(type); /* no slot has key 0 */
    if (is_same || (!is_sparse_key && map_of(type, stored, kind)))
        return DV_OK;
    dv_type_print(type, name, sizeof name);
    return dvi_fail_argument(err, "a column of type %s: its items cannot be converted to %s%s",
                             name, dv_kind_name(kind),
                             type->kind == DV_KIND_TX && !type->is_key
                                 ? "; the step term makes keys of texts, onehot and hash vectors"
                                 : "");
}

size_t dvi_dense_width_of(const dv_type *type, size_t given)
{
    return given > 0 ? given : (size_t)dv_type_value_count(type);
}

/* --- Scalars ---------------------------------------------------------------------------------- */

/* Does the buffer hold n items from `first` on? */
static bool holds(const dv_buffer *buffer, int64_t first, int64_t n, size_t width)
{
    return first >= 0 && n >= 0 && (uint64_t)first <= buffer->nbytes / width &&
           (uint64_t)n <= buffer->nbytes / width - (uint64_t)first;
}

static dv_status check_scalars(const dv_column_view *column, const dvi_matrix *m, dv_error *err)
{
    const dv_buffer *values = &column->as.fixed.values;
    DVI_REQUIRE(holds(values, 0, column->rows, dvi_width_of(&column->type)),
                dvi_fail_argument(err, "values: %lld rows do not fit in %zu bytes",
                                  (long long)column->rows, values->nbytes));
    DVI_REQUIRE(m->width > 0 || column->rows == 0, dvi_matrix_fail_width(m, 0, 1, err));
    return DV_OK;
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* Check counts, indices, and the number of items. */
static dv_status check_rows(const dv_vector_layout *vector, const dv_sparse *rows,
                            const dvi_matrix *m, dv_error *err)
{
    int64_t sums[2];
    const size_t counted = dvi_kernels()->counts_check(rows, 0, sums);
    DVI_REQUIRE(counted == rows->n,
                dvi_fail_argument(err, "row %lld: invalid length or count",
                                  (long long)(m->first_row + (int64_t)counted)));
    DVI_TRY(dvi_matrix_check_lengths(rows, m, err));

    DVI_REQUIRE(holds(&vector->indices, vector->index_base, sums[0], 4),
                dvi_fail_argument(err, "indices: %lld from %lld on do not fit in %zu bytes",
                                  (long long)sums[0], (long long)vector->index_base,
                                  vector->indices.nbytes));
    const dv_buffer *items = &vector->items->as.fixed.values;
    DVI_REQUIRE(holds(items, vector->item_base, sums[1], dvi_width_of(&vector->items->type)),
                dvi_fail_argument(err, "items: %lld from %lld on do not fit in %zu bytes",
                                  (long long)sums[1], (long long)vector->item_base, items->nbytes));
    return dvi_matrix_check_indices(rows, (size_t)sums[0], m->first_row, err);
}

static dv_status check_vectors(const dv_column_view *column, const dvi_matrix *m, dv_error *err)
{
    const dv_vector_layout *vector = &column->as.vector;
    const dv_column_view *items = vector->items;
    const dv_type item = dv_type_item(&column->type);
    DVI_REQUIRE(items && items->layout == DV_LAYOUT_FIXED && !dv_type_is_vector(&items->type) &&
                    dvi_width_of(&items->type) == dvi_width_of(&item),
                dvi_fail_argument(err, "the items are not of the vector's item type"));
    const bool has_lengths = vector->lengths.nbytes > 0;
    DVI_REQUIRE(
        holds(&vector->counts, 0, column->rows, 4) &&
            (!has_lengths || holds(&vector->lengths, 0, column->rows, 4)),
        dvi_fail_argument(err, "lengths or counts: fewer than %lld rows", (long long)column->rows));
    DVI_REQUIRE(
        holds(&vector->indices, vector->index_base, 0, 4) &&
            holds(&items->as.fixed.values, vector->item_base, 0, dvi_width_of(&items->type)),
        dvi_fail_argument(err, "indices or items start outside their buffer"));
    const dv_sparse rows = dvi_vector_sparse(vector, column->rows);
    return check_rows(vector, &rows, m, err);
}

/* --- Columns ---------------------------------------------------------------------------------- */

dv_status dvi_dense_check(const dv_column_view *column, size_t width, const dvi_dense_matrix *m,
                          dv_error *err)
{
    DVI_TRY(dvi_dense_check_type(&column->type, m->to.item, err));
    DVI_REQUIRE(column->layout == dvi_layout_of(&column->type),
                dvi_fail_argument(err, "%s in layout %d",
                                  dv_type_is_vector(&column->type) ? "vectors" : "numbers",
                                  (int)column->layout));
    DVI_REQUIRE(
        (size_t)column->rows == m->rows,
        dvi_fail_argument(err, "%lld rows in a batch of %zu", (long long)column->rows, m->rows));
    dvi_matrix own = m->to;
    own.width = width;
    return column->layout == DV_LAYOUT_VECTOR ? check_vectors(column, &own, err)
                                              : check_scalars(column, &own, err);
}

dvi_dense_column dvi_dense_column_of(const dv_column_view *column, int32_t number, size_t slot,
                                     size_t width, dv_kind kind)
{
    const dv_type item = dv_type_item(&column->type);
    const dv_kind stored = stored_kind(item.kind);
    dvi_dense_column dense = {.number = number,
                              .slot = slot,
                              .width = width,
                              .item_nbytes = dvi_width_of(&item),
                              .is_vector = column->layout == DV_LAYOUT_VECTOR,
                              .is_clock = item.kind == DV_KIND_DT,
                              .map = map_of(&item, stored, kind)};
    if (dense.is_vector && !dense.is_clock)
        dense.densify = dvi_densify_find(stored, kind);
    if (dense.is_vector)
        dense.rows = dvi_vector_sparse(&column->as.vector, column->rows);
    else
        dense.values = column->as.fixed.values.data;
    return dense;
}

bool dvi_dense_is_plain(const dvi_dense_column *dense, const dvi_dense_matrix *m)
{
    return m->na == DV_DENSE_NA_KEEP &&
           (dense->is_vector ? dense->densify != NULL : !dense->map && !dense->is_clock);
}
