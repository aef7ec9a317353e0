/* SPDX-License-Identifier: MIT */
/* mapper_part.c: divides batches of the source whose rows are too large to be made at once. */
#include "transform/mapper_part.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/growing_column.h"
#include <dataview/cursor_set.h>
#include <inttypes.h>

/* A row for which the bound is larger is measured. */
#define MEASURED_ROW_NBYTES 4096

/* Bytes of the buffers, which may hold more than the batch shows: an upper bound in constant time.
 */
static size_t scalars_bound(const dv_column_view *view)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        return view->as.fixed.values.nbytes;
    case DV_LAYOUT_ZONED:
        return view->as.zoned.ticks.nbytes + view->as.zoned.minutes.nbytes;
    default:
        return view->as.text.utf8.nbytes + view->as.text.ends.nbytes;
    }
}

static int64_t bound(const dvi_part_use *use, const dv_batch *batch)
{
    size_t sum = 0;
    for (int32_t i = 0; i < use->n; i++) {
        const dv_column_view *view = dv_batch_column(batch, use->slots[i]);
        const bool is_vector = view->layout == DV_LAYOUT_VECTOR;
        if (is_vector && use->fills_slots && view->as.vector.counts.nbytes > 0)
            return INT64_MAX; /* rows may be sparse */
        sum += scalars_bound(is_vector ? view->as.vector.items : view);
        if (is_vector)
            sum += view->as.vector.indices.nbytes;
    }
    return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

/* Bytes of the rows of a column that was made.  Few rows may use a part of the buffers. */
static int64_t made_nbytes(const dv_column_view *made)
{
    const bool is_vector = made->layout == DV_LAYOUT_VECTOR;
    size_t nbytes = scalars_bound(is_vector ? made->as.vector.items : made) +
                    (is_vector ? made->as.vector.indices.nbytes : 0);
    if (nbytes / (size_t)dvi_max_i64(made->rows, 1) > MEASURED_ROW_NBYTES) {
        dvi_growing_size size = {0};
        dvi_growing_measure(&size, made, made->rows);
        nbytes = dvi_growing_nbytes(&made->type, &size);
    }
    return nbytes > INT64_MAX ? INT64_MAX : (int64_t)nbytes;
}

/* Values and items of the first rows of what the use takes. */
static int64_t count_values(const dvi_part_use *use, const dv_batch *batch, int64_t from,
                            int64_t rows)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < use->n; i++) {
        dvi_column column;
        dvi_column_assign(&column, dv_batch_column(batch, use->slots[i]));
        dvi_column_advance(&column.view, from);
        sum += column.view.layout == DV_LAYOUT_VECTOR
                   ? dvi_vector_extent(&column.view.as.vector, rows).items
                   : rows;
    }
    return sum;
}

/* As many of these rows as fit once they are made, at least one, if each value becomes as large as
 * any does. */
static int64_t fitting_made(const dvi_part *part, const dvi_part_use *use, const dv_batch *batch,
                            int64_t from, int64_t rows)
{
    if (use->value_nbytes == 0)
        return rows;
    while (rows > 1 && count_values(use, batch, from, rows) > part->rows_nbytes / use->value_nbytes)
        rows /= 2;
    return rows;
}

/* Bytes of the first rows of a column, with an item for each slot. */
static int64_t filled_nbytes(const dv_column_view *view, int64_t rows)
{
    const dv_vector_layout *vector = &view->as.vector;
    const int64_t width = dvi_max_i64((int64_t)dvi_width_of(&vector->items->type), 4);
    int64_t slots = 0;
    for (int64_t row = 0; row < rows && slots < INT64_MAX / 64; row++)
        slots += dvi_vector_length(vector, row);
    return slots * width;
}

/* Bytes of the first rows of what the use takes. */
static int64_t measure(const dvi_part_use *use, const dv_batch *batch, int64_t from, int64_t rows)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < use->n; i++) {
        dvi_column column;
        dvi_growing_size size = {0};
        dvi_column_assign(&column, dv_batch_column(batch, use->slots[i]));
        dvi_column_advance(&column.view, from);
        dvi_growing_measure(&size, &column.view, rows);
        size_t nbytes = dvi_growing_nbytes(&column.view.type, &size);
        if (use->fills_slots && column.view.layout == DV_LAYOUT_VECTOR)
            nbytes += (size_t)filled_nbytes(&column.view, rows);
        if (nbytes > INT64_MAX || __builtin_add_overflow(sum, (int64_t)nbytes, &sum))
            return INT64_MAX;
    }
    return sum;
}

/* As many of these rows as fit, at least one.  *row_nbytes: of the values of a row. */
static int64_t fitting(const dvi_part *part, const dvi_part_use *use, const dv_batch *batch,
                       int64_t from, int64_t rows, int64_t *row_nbytes)
{
    int64_t nbytes = bound(use, batch); /* counts whole buffers, of which few rows may use a part */
    if (nbytes > part->rows_nbytes || nbytes / rows > MEASURED_ROW_NBYTES)
        for (nbytes = measure(use, batch, from, rows); rows > 1 && nbytes > part->rows_nbytes;
             nbytes = measure(use, batch, from, rows))
            rows /= 2;
    *row_nbytes = nbytes / rows;
    return rows;
}

/* Show rows of the batch in a batch of their own. */
static dv_status show(dvi_part *part, const dv_batch *batch, const dv_allocator *allocator,
                      dv_error *err)
{
    const int64_t rows = part->end - part->from;
    if (part->batch)
        dvi_batch_clear(part->batch);
    else
        DVI_TRY(dvi_batch_create(&part->batch, NULL, part->types, part->columns, allocator, err));
    DVI_TRY(dv_batch_start(part->batch, batch->first_row + part->from, rows, err));
    dvi_batch_follow(part->batch, batch);
    for (int32_t k = 0; k < batch->columns; k++) {
        dvi_column column;
        dvi_column_assign(&column, dv_batch_column(batch, k));
        dvi_column_advance(&column.view, part->from);
        dvi_column_limit(&column.view, rows);
        dvi_batch_set_slot(part->batch, k, &column.view);
    }
    if (batch->ids) {
        dv_column_view ids = dvi_batch_ids_column(batch, batch->rows);
        dvi_column_advance(&ids, part->from);
        dvi_batch_lend_ids(part->batch, &ids.as.fixed.values);
    }
    return DV_OK;
}

/* The limit row_nbytes is exceeded. */
static dv_status refuse(const dvi_part *part, const dvi_part_use *use, int64_t nbytes,
                        dv_error *err)
{
    dvi_fail(err, DV_ERR_LIMIT, "row_nbytes", -1, "values of one row from which steps make columns",
             "at most %" PRId64 " bytes (option row_nbytes)|%" PRId64, part->row_nbytes, nbytes);
    dvi_error_within(err, "column \"%s\"", dvi_show(use->name).text);
    return DV_ERR_LIMIT;
}

void dvi_part_limit(dvi_part *part, int64_t row_nbytes, int32_t depth)
{
    part->row_nbytes = row_nbytes;
    part->rows_nbytes = row_nbytes / 4 / (1 + depth);
}

dv_status dvi_part_take(dvi_part *part, const dv_batch **batch, dvi_part_use *uses, int32_t n,
                        int64_t *below_out, const dv_allocator *allocator, dv_error *err)
{
    const int64_t from = part->end;
    int64_t rows = (*batch)->rows - from;
    *below_out = dvi_batch_below(*batch);
    for (int32_t k = 0; k < n; k++) {
        rows = fitting_made(part, &uses[k], *batch, from, rows);
        rows = fitting(part, &uses[k], *batch, from, rows, &uses[k].nbytes);
        if (uses[k].nbytes > part->row_nbytes - *below_out)
            return refuse(part, &uses[k], *below_out + uses[k].nbytes, err);
        *below_out += uses[k].nbytes;
    }
    part->from = from;
    part->end = from + rows;
    if (rows == (*batch)->rows)
        return DV_OK;
    const dv_status status = show(part, *batch, allocator, err);
    if (status < 0)
        part->end = from;
    else
        *batch = part->batch;
    return status;
}

dv_status dvi_part_made(const dvi_part *part, const dvi_part_use *use, const dv_column_view *made,
                        int64_t *below, dv_error *err)
{
    const int64_t each = made_nbytes(made) / dvi_max_i64(made->rows, 1);
    const int64_t more = dvi_max_i64(each - use->nbytes, 0);
    if (more > part->row_nbytes - *below)
        return refuse(part, use, *below + more, err);
    *below += more;
    return DV_OK;
}

void dvi_part_free(dvi_part *part)
{
    const dv_batch *batch = part->batch;
    dv_batch_release(&batch);
    part->batch = NULL;
}
