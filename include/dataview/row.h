/* SPDX-License-Identifier: MIT */
/* row.h: how does one walk row by row, with typed getters?  (semantics:5.2) */
#ifndef DATAVIEW_ROW_H
#define DATAVIEW_ROW_H

#include <dataview/cursor.h>
#include <dataview/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A walk over rows, one at a time, on top of a batch cursor.  One thread at a time. */
typedef struct dv_row_cursor dv_row_cursor;

/* As dv_cursor_open; options->batch_rows is of no use here. */
DV_API dv_status dv_row_cursor_open(dv_row_cursor **cursor_out, dv_view *view,
                                    const dv_cursor_options *options, dv_error *err);
DV_API void dv_row_cursor_close(dv_row_cursor **cursor);

/* Move to the next row, or by `rows` >= 1 rows at once.  DV_OK: a row is current; DV_END: the rows
 * ran out, for good; errors as dv_cursor_next.  After DV_ERR_MEMORY no row is current, and the same
 * call, repeated, finishes the move.  No allocation. */
DV_API dv_status dv_row_next(dv_row_cursor *cursor, dv_error *err);
DV_API dv_status dv_row_skip(dv_row_cursor *cursor, int64_t rows, dv_error *err);

/* Rows that this cursor delivered before the current one; -1 when no row is current. */
DV_API int64_t dv_row_position(const dv_row_cursor *cursor);
/* As dv_cursor_token, but after the current row, so that dv_row_next of a cursor opened with it
 * moves to the one after it; without a current row after the last one that was passed. */
DV_API dv_status dv_row_token(const dv_row_cursor *cursor, dv_token *token_out, dv_error *err);
/* Is the column of the schema active, so that its getters work? */
DV_API bool dv_row_is_active(const dv_row_cursor *cursor, int32_t column);
/* The id of the current row.  DV_OK; DV_ERR_ARGUMENT: no row is current. */
DV_API dv_status dv_row_id(const dv_row_cursor *cursor, dv_u128 *id_out, dv_error *err);

/* The current row's value in a column of the schema: any type; lives until the next move.
 * DV_OK; DV_ERR_ARGUMENT: no row is current, or the column is not active. */
DV_API dv_status dv_row_value(const dv_row_cursor *cursor, int32_t column, dv_value *value_out,
                              dv_error *err);

/* Typed getters: dv_row_i4(cursor, column, &value, &err) and so on, one per kind.  They neither
 * convert nor allocate; keys are read by the getter of their kind.
 * DV_OK; DV_ERR_ARGUMENT: as dv_row_value, or the column is of another kind or a vector. */
#define DV_ROW_GETTER(name, ctype)                                                                 \
    DV_API dv_status dv_row_##name(const dv_row_cursor *cursor, int32_t column, ctype *value_out,  \
                                   dv_error *err);
#define DV_ROW_GETTER_LIST(X)                                                                      \
    X(i1, int8_t)                                                                                  \
    X(u1, uint8_t)                                                                                 \
    X(i2, int16_t)                                                                                 \
    X(u2, uint16_t)                                                                                \
    X(i4, int32_t)                                                                                 \
    X(u4, uint32_t)                                                                                \
    X(i8, int64_t)                                                                                 \
    X(u8, uint64_t)                                                                                \
    X(r4, float)                                                                                   \
    X(r8, double)                                                                                  \
    X(bl, int8_t)                                                                                  \
    X(ts, int64_t)                                                                                 \
    X(dt, int64_t)                                                                                 \
    X(dz, dv_zoned)                                                                                \
    X(ug, dv_u128)                                                                                 \
    X(tx, dv_text)                                                                                 \
    X(by, dv_text)
DV_ROW_GETTER_LIST(DV_ROW_GETTER)
#undef DV_ROW_GETTER

#ifdef __cplusplus
}
#endif

#endif
