/* SPDX-License-Identifier: MIT */
/* dense_ragged.c: rows of varying length: how long they are, and their slots end to end. */
#include "base/check.h"
#include "matrix/dense.h"
#include "matrix/dense_fill.h"
#include <inttypes.h>

/* --- Lengths ---------------------------------------------------------------------------------- */

static dv_status check_column(const dv_column_view *column, dv_error *err)
{
    DVI_REQUIRE(column, dvi_fail_argument(err, "column is NULL"));
    DVI_REQUIRE(column->rows >= 0,
                dvi_fail_argument(err, "a column of %" PRId64 " rows", column->rows));
    if (!dv_type_is_vector(&column->type))
        return DV_OK;
    const size_t nbytes = column->as.vector.lengths.nbytes;
    DVI_REQUIRE(nbytes == 0 || (uint64_t)column->rows <= nbytes / 4,
                dvi_fail_argument(err, "lengths: %" PRId64 " rows do not fit in %zu bytes",
                                  column->rows, nbytes));
    return DV_OK;
}

dv_status dv_column_lengths(const dv_column_view *column, int64_t *lengths_out, dv_error *err)
{
    DVI_TRY(check_column(column, err));
    const bool is_vector = dv_type_is_vector(&column->type);
    for (int64_t i = 0; i < column->rows; i++) {
        const int32_t length = is_vector ? dvi_vector_length(&column->as.vector, i) : 1;
        DVI_REQUIRE(length >= 0, dvi_fail_argument(err, "row %" PRId64 ": invalid length", i));
        lengths_out[i] = length;
    }
    return DV_OK;
}

/* --- Slots ------------------------------------------------------------------------------------ */

/* The slots of all rows of a checked column. */
static int64_t count_slots(const dv_column_view *column)
{
    int64_t slots = 0;
    if (!dv_type_is_vector(&column->type))
        return column->rows;
    for (int64_t i = 0; i < column->rows; i++)
        slots += dvi_vector_length(&column->as.vector, i);
    return slots;
}

static dv_status write_column(dvi_dense_matrix *m, const dv_column_view *column, size_t room,
                              dv_error *err)
{
    DVI_TRY(dvi_dense_check(column, SIZE_MAX, m, err));
    const int64_t slots = count_slots(column);
    DVI_REQUIRE((uint64_t)slots <= room,
                dvi_fail_argument(err, "%" PRId64 " slots, and room for %zu", slots, room));
    DVI_REQUIRE(m->to.dst || slots == 0, dvi_fail_argument(err, "dst is NULL"));
    if (slots == 0)
        return DV_OK;
    dvi_dense_column dense = dvi_dense_column_of(column, -1, 0, 1, m->to.item);
    return dvi_dense_fill_ragged(m, &dense, err);
}

dv_status dv_batch_ragged(const dv_batch *batch, int32_t number, dv_kind items, void *dst,
                          size_t room, const dv_dense_options *given, dv_error *err)
{
    dv_dense_options options;
    DVI_REQUIRE(batch, dvi_fail_argument(err, "batch is NULL"));
    DVI_TRY(dvi_dense_read_options(given, &options, err));
    options.fill = 0;
    options.left = false;
    options.cut = DV_DENSE_CUT_REFUSED;
    DVI_TRY(dvi_dense_check_items(&options, items, err));
    const dv_column_view *column = dv_batch_column(batch, number);
    DVI_REQUIRE(column, dvi_fail_argument(err, "column %d: the batch has %d columns", number,
                                          batch->columns));
    dvi_dense_matrix m = dvi_dense_matrix_of(dst, batch->rows, 0, items, &options);
    const dv_status status = write_column(&m, column, room, err);
    if (status < 0)
        dvi_dense_within_column(err, NULL, number);
    return status;
}
