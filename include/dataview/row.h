/* SPDX-License-Identifier: MIT */
/* row.h: reads a view row by row, with typed getters (semantics:5.2). */
#ifndef DATAVIEW_ROW_H
#define DATAVIEW_ROW_H

#include <dataview/cursor.h>
#include <dataview/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A cursor that moves from row to row, made of a batch cursor (cursor.h).  One thread at a time. */
typedef struct dv_row_cursor dv_row_cursor;

/* Open a row cursor before the first row; free it, and set the pointer to NULL (NULL is fine).
 * options may be NULL; batch_rows has no visible effect.  Statuses as dv_cursor_open. */
DV_API dv_status dv_row_cursor_open(dv_row_cursor **cursor_out, dv_view *view,
                                    const dv_cursor_options *options, dv_error *err);
DV_API void dv_row_cursor_close(dv_row_cursor **cursor);

/* Move to the next row, or by `rows` >= 1 rows.  No allocation, but when many rows are passed:
 * where rows can be addressed by number (dv_view_block_rows), these are not read, so that the time
 * does not depend on their number, and what is wrong with them stays unknown.
 *
 * DV_OK            a row is current
 * DV_END           no rows are left; every later call returns it again
 * DV_ERR_ARGUMENT  rows is less than 1
 * DV_ERR_*         as dv_cursor_next, and final as there: no row is current */
DV_API dv_status dv_row_next(dv_row_cursor *cursor, dv_error *err);
DV_API dv_status dv_row_skip(dv_row_cursor *cursor, int64_t rows, dv_error *err);

/* The number of rows that this cursor delivered before the current one; -1 if no row is current. */
DV_API int64_t dv_row_position(const dv_row_cursor *cursor);
/* Write a token of the position after the current row or, if none is current, after the last row
 * that was passed.  dv_row_next of a cursor that is opened with it moves to the row after that.
 * Cost and statuses as dv_cursor_token. */
DV_API dv_status dv_row_token(const dv_row_cursor *cursor, dv_token *token_out, dv_error *err);
/* Whether a column of the schema is active, so that it can be read. */
DV_API bool dv_row_is_active(const dv_row_cursor *cursor, int32_t column);
/* The id of the current row (semantics:5.4).  DV_OK; DV_ERR_ARGUMENT: no row is current. */
DV_API dv_status dv_row_id(const dv_row_cursor *cursor, dv_u128 *id_out, dv_error *err);

/* The value of the current row in a column of the schema, of any type.  Valid until the next move.
 * DV_OK; DV_ERR_ARGUMENT: no row is current, or the column is not active. */
DV_API dv_status dv_row_value(const dv_row_cursor *cursor, int32_t column, dv_value *value_out,
                              dv_error *err);

/* Typed getters, one per kind: dv_row_i4(cursor, column, &value, &err) and so on.  They neither
 * convert nor allocate.  Keys are read by the getter of their kind; text is valid until the next
 * move.
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
