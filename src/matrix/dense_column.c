/* SPDX-License-Identifier: MIT */
/* dense_column.c: checks that a column can be written into a matrix, and finds the conversion. */
#include "matrix/dense_column.h"
#include "base/check.h"
#include "simd/dispatch.h"
#include "simd/kinds.h"
#include "simd/na.h"
#include "simd/sparse.h"
#include <string.h>

/* --- Types ------------------------------------------------------------------------------------ */

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
    dvi_items_map *map;
    const dv_type item = dv_type_item(type);
    if (dvi_items_to_via(&map, &item, kind))
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
    own.width = m->cut == DV_DENSE_CUT_REFUSED ? width : SIZE_MAX; /* no row is too long */
    return column->layout == DV_LAYOUT_VECTOR ? check_vectors(column, &own, err)
                                              : check_scalars(column, &own, err);
}

dvi_dense_column dvi_dense_column_of_type(const dv_type *type, dv_kind items)
{
    const dv_type item = dv_type_item(type);
    const dv_kind stored = item.kind == DV_KIND_TS ? DV_KIND_I8 : item.kind;
    dvi_dense_column dense = {.item_nbytes = dvi_width_of(&item),
                              .is_vector = dv_type_is_vector(type),
                              .has_na = dv_type_has_na(&item),
                              .is_key_vector = item.is_key && dv_type_is_vector(type),
                              .rule = dvi_na_of(&item),
                              .is_own = stored == items && !item.is_key};
    dense.to_via = dvi_items_direct(&item, items);
    dense.is_direct = dense.to_via != NULL;
    if (!dense.is_direct)
        dvi_items_to_via(&dense.to_via, &item, items);
    if (dense.is_vector && item.kind != DV_KIND_DT && !item.is_key)
        dense.densify = dvi_densify_find(stored, items);
    return dense;
}

dvi_dense_column dvi_dense_column_of(const dv_column_view *column, int32_t number, size_t slot,
                                     size_t width, dv_kind kind)
{
    dvi_dense_column dense = dvi_dense_column_of_type(&column->type, kind);
    dense.number = number;
    dense.slot = slot;
    dense.width = width;
    if (dense.is_vector)
        dense.rows = dvi_vector_sparse(&column->as.vector, column->rows);
    else
        dense.values = column->as.fixed.values.data;
    return dense;
}

bool dvi_dense_is_plain(const dvi_dense_column *dense, const dvi_dense_matrix *m)
{
    return (m->na == DV_DENSE_NA_KEEP || (!dense->has_na && m->na != DV_DENSE_NA_MASK)) &&
           (dense->is_vector ? dense->densify != NULL : dense->is_own);
}
