/* SPDX-License-Identifier: MIT */
/* arrow_array.c: makes Arrow arrays of rows of a batch: structs, lists, and how many rows at a
 * time. */
#include "interop/arrow_array.h"
#include "base/check.h"
#include "base/size.h"
#include "simd/sparse.h"
#include "interop/arrow_node.h"
#include <inttypes.h>
#include <string.h>

#define OVERHEAD 16                      /* bytes made for a value: offsets, times, validity */
#define DENSE_NBYTES (INT64_C(64) << 20) /* slots that are not stored, whatever made_nbytes is */

/* Rows of a vector column, which start at its first row. */
typedef struct rows {
    const dvi_arrow_plan *plan;
    const dvi_arrow_field *field;
    const dv_batch *batch;
    dvi_column column;
    int64_t n, row;
    dvi_extent extent; /* of what is stored */
    int64_t slots;     /* of all rows */
    bool has_sparse;   /* some slots are not stored */
} rows;

/* --- Slots ------------------------------------------------------------------------------------ */

/* Slots that are not stored take no bytes of a file, so their number needs a limit. */
static dv_status check_dense(const rows *r, dv_error *err)
{
    const dv_type item = dv_type_item(&r->column.view.type);
    const int64_t width = dvi_max_i64((int64_t)dvi_width_of(&item), 4); /* ends of text */
    const int64_t most = dvi_max_i64(r->plan->options.made_nbytes, DENSE_NBYTES);
    DVI_REQUIRE(!r->has_sparse || r->field->list == DVI_ARROW_SPARSE || r->slots <= most / width,
                dvi_fail(err, DV_ERR_LIMIT, "made_nbytes", -1, "dense vectors",
                         "at most %" PRId64 " bytes, or sparse ones|%" PRId64 " slots", most,
                         r->slots));
    return DV_OK;
}

static dv_status count_slots(rows *r, dv_error *err)
{
    const dv_vector_layout *vector = &r->column.view.as.vector;
    r->extent = dvi_vector_extent(vector, r->n);
    r->slots = 0;
    if (vector->lengths.nbytes == 0) {
        r->slots = r->n * vector->length; /* rows are below 2^31, as lengths are */
    } else {
        for (int64_t i = 0; i < r->n; i++)
            r->slots += dvi_vector_length(vector, i);
    }
    r->has_sparse = r->extent.items != r->slots;
    DVI_TRY(check_dense(r, err));
    const int64_t items = r->field->list == DVI_ARROW_SPARSE ? r->extent.items : r->slots;
    DVI_REQUIRE(r->field->list == DVI_ARROW_FIXED || items <= INT32_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "items of lists",
                         "at most %" PRId32 "|%" PRId64, INT32_MAX, items));
    return DV_OK;
}

/* The items of rows, n of them from `item` on. */
static dv_column_view items_of(const dv_vector_layout *vector, int64_t n)
{
    dv_column_view items = *vector->items;
    dvi_column_jump(&items, vector->item_base, (dvi_extent){0, 0});
    dvi_column_limit(&items, n);
    return items;
}

/* What is stored, as scalars; all_slots: a scalar for every slot. */
static dvi_arrow_source source_of(const rows *r, bool all_slots)
{
    const dv_vector_layout *vector = &r->column.view.as.vector;
    dvi_arrow_source source = {.batch = r->batch, .n = r->extent.items, .row = -1, .rows = r->n};
    source.scalars = items_of(vector, r->extent.items);
    if (all_slots && r->has_sparse) {
        source.n = r->slots;
        source.vectors = vector;
    }
    return source;
}

static dv_status add_slots(struct ArrowArray *array_out, const rows *r, dv_error *err)
{
    const dvi_arrow_source source = source_of(r, true);
    return dvi_arrow_array_of_scalars(array_out, r->plan, r->field, &source, err);
}

/* --- Sparse rows ------------------------------------------------------------------------------ */

/* Lend the indices; with dense rows they are made. */
static dv_status add_indices(struct ArrowArray *array_out, const rows *r, dv_error *err)
{
    const dv_vector_layout *vector = &r->column.view.as.vector;
    const dv_sparse sparse = dvi_vector_sparse(vector, r->n);
    const size_t n = (size_t)r->extent.items;
    void *made;
    DVI_TRY(dvi_arrow_array_create(array_out, (int64_t)n, 2, 0, false, r->batch,
                                   &r->plan->allocator, err));
    if (r->extent.indices == r->extent.items && (uintptr_t)sparse.indices % 4 == 0) {
        dvi_arrow_array_set(array_out, 1, sparse.indices, 4 * n);
        return DV_OK;
    }
    DVI_TRY(dvi_arrow_array_make(array_out, 4 * n, &made, err));
    dvi_arrow_array_set(array_out, 1, made, 4 * n);
    int32_t *to = made;
    size_t at = 0; /* of the indices */
    for (int64_t row = 0; row < r->n; row++) {
        const int32_t count = dvi_vector_count(vector, row);
        const int32_t length = count < 0 ? dvi_vector_length(vector, row) : 0;
        for (int32_t i = 0; i < length; i++)
            *to++ = i;
        for (int32_t i = 0; i < count; i++)
            *to++ = dvi_sparse_index(&sparse, at++);
    }
    return DV_OK;
}

static dv_status add_pairs(struct ArrowArray *array_out, const rows *r, dv_error *err)
{
    const dvi_arrow_source source = source_of(r, false);
    DVI_TRY(
        dvi_arrow_array_create(array_out, source.n, 1, 2, false, NULL, &r->plan->allocator, err));
    DVI_TRY(add_indices(array_out->children[0], r, err));
    return dvi_arrow_array_of_scalars(array_out->children[1], r->plan, r->field, &source, err);
}

/* --- Lists ------------------------------------------------------------------------------------ */

static dv_status add_offsets(struct ArrowArray *array, const rows *r, dv_error *err)
{
    const dv_vector_layout *vector = &r->column.view.as.vector;
    const bool is_sparse = r->field->list == DVI_ARROW_SPARSE;
    const size_t nbytes = 4 * ((size_t)r->n + 1);
    void *made;
    DVI_TRY(dvi_arrow_array_make(array, nbytes, &made, err));
    int32_t *offsets = made;
    offsets[0] = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const int32_t count = is_sparse ? dvi_vector_count(vector, i) : -1;
        offsets[i + 1] = offsets[i] + (count < 0 ? dvi_vector_length(vector, i) : count);
    }
    dvi_arrow_array_set(array, 1, offsets, nbytes);
    return DV_OK;
}

static dv_status add_list(struct ArrowArray *array_out, rows *r, dv_error *err)
{
    const bool is_fixed = r->field->list == DVI_ARROW_FIXED;
    DVI_TRY(count_slots(r, err));
    DVI_TRY(dvi_arrow_array_create(array_out, r->n, is_fixed ? 1 : 2, 1, false, NULL,
                                   &r->plan->allocator, err));
    if (!is_fixed)
        DVI_TRY(add_offsets(array_out, r, err));
    return r->field->list == DVI_ARROW_SPARSE ? add_pairs(array_out->children[0], r, err)
                                              : add_slots(array_out->children[0], r, err);
}

dv_status dvi_arrow_array_of_items(struct ArrowArray *array_out, const dvi_arrow_plan *plan,
                                   const dvi_arrow_field *field, const dv_batch *batch,
                                   const dv_column_view *vector, dv_error *err)
{
    rows r = {.plan = plan, .field = field, .batch = batch, .n = 1};
    dvi_column_assign(&r.column, vector);
    DVI_TRY(count_slots(&r, err));
    return add_slots(array_out, &r, err);
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status add_column(struct ArrowArray *array_out, rows *r, dv_error *err)
{
    if (r->field->list != DVI_ARROW_SCALAR)
        return add_list(array_out, r, err);
    const dvi_arrow_source source = {
        .batch = r->batch, .n = r->n, .row = r->row, .scalars = r->column.view};
    return dvi_arrow_array_of_scalars(array_out, r->plan, r->field, &source, err);
}

dv_status dvi_arrow_array_of_column(struct ArrowArray *array_out, const dvi_arrow_plan *plan,
                                    const dv_batch *batch, int32_t k, int64_t first, int64_t n,
                                    dv_error *err)
{
    rows r = {.plan = plan,
              .field = &plan->fields[k],
              .batch = batch,
              .n = n,
              .row = batch->position + first};
    dvi_column_assign(&r.column, dv_batch_column(batch, k));
    dvi_column_advance(&r.column.view, first);
    dvi_column_limit(&r.column.view, n);
    const dv_status status = add_column(array_out, &r, err);
    if (status != DV_OK) {
        dvi_error_within(err, "column %.*s", (int)dvi_min_i64(r.field->name.nbytes, 200),
                         r.field->name.data);
        dvi_arrow_array_drop(array_out);
    }
    return status;
}

dv_status dvi_arrow_array_of(struct ArrowArray *array_out, const dvi_arrow_plan *plan,
                             const dv_batch *batch, int64_t first, int64_t n, dv_error *err)
{
    dv_status status =
        dvi_arrow_array_create(array_out, n, 1, plan->n, false, NULL, &plan->allocator, err);
    for (int32_t k = 0; k < plan->n && status == DV_OK; k++)
        status = dvi_arrow_array_of_column(array_out->children[k], plan, batch, k, first, n, err);
    if (status != DV_OK)
        dvi_arrow_array_drop(array_out);
    return status;
}

/* --- How many rows ---------------------------------------------------------------------------- */

/* Whether slots of the column are made: some of its rows are sparse, and it is no sparse list. */
static bool is_made(const dvi_arrow_field *field, const dv_column_view *view)
{
    if (field->list != DVI_ARROW_FIXED && field->list != DVI_ARROW_LIST)
        return false;
    for (int64_t row = 0; row < view->rows; row++)
        if (dvi_vector_count(&view->as.vector, row) >= 0)
            return true;
    return false;
}

/* Bytes made for a slot of the column, validity included. */
static int64_t made_for_slot(const dvi_arrow_field *field, const dv_column_view *view)
{
    const dv_type item = dv_type_item(&view->type);
    return (is_made(field, view) ? (int64_t)dvi_width_of(&item) : 0) +
           (field->form == DVI_ARROW_PLAIN ? 0 : OVERHEAD) + field->is_nullable;
}

/* Of one column, of at most n rows. */
static int64_t rows_that_fit(const dvi_arrow_field *field, const dv_column_view *view,
                             int64_t first, int64_t n, int64_t limit)
{
    const dv_vector_layout *vector = &view->as.vector;
    const bool is_list = field->list == DVI_ARROW_FIXED || field->list == DVI_ARROW_LIST;
    const int64_t slot = is_list ? made_for_slot(field, view) : 0;
    int64_t fit = 0;
    if (!is_list || vector->lengths.nbytes == 0) { /* as much for each row */
        fit = dvi_min_i64(n, limit / (OVERHEAD + (is_list ? slot * vector->length : 0)));
    } else {
        for (int64_t nbytes = 0; fit < n; fit++) {
            nbytes += OVERHEAD + slot * dvi_vector_length(vector, first + fit);
            if (nbytes > limit)
                break;
        }
    }
    return dvi_max_i64(fit, 1);
}

int64_t dvi_arrow_rows_that_fit(const dvi_arrow_plan *plan, const dv_batch *batch, int64_t first)
{
    int64_t n = batch->rows - first;
    const int64_t limit = plan->options.made_nbytes / dvi_max_i64(plan->n, 1);
    for (int32_t k = 0; k < plan->n; k++)
        n = rows_that_fit(&plan->fields[k], dv_batch_column(batch, k), first, n, limit);
    return n;
}
