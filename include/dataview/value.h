/* SPDX-License-Identifier: MIT */
/* value.h: single values of a column: access, comparison, printing and parsing. */
#ifndef DATAVIEW_VALUE_H
#define DATAVIEW_VALUE_H

#include <dataview/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value: a position in a column view.  A plain struct that borrows: it is valid as long as the
 * batch of the column.  The functions below allocate nothing, cannot fail unless they say so, and
 * may be called from any thread; each dv_value is for one thread at a time. */
typedef struct dv_value {
    const dv_column_view *column;
    int64_t row;
    int32_t length;      /* vectors: slots */
    int32_t count;       /* vectors: stored items, -1: dense */
    int64_t index, item; /* vectors: where the row's indices and items start */
} dv_value;

/* The value in row 0; advance a value to the next row.  The column must have that row. */
DV_API dv_value dv_value_first(const dv_column_view *column);
DV_API void dv_value_next(dv_value *value);
/* The value in a row, 0..rows-1.  O(1), but O(row) for vectors, whose rows have to be counted. */
DV_API dv_value dv_value_at(const dv_column_view *column, int64_t row);

/* The number of stored items of a vector; stored item i as a value, and its slot.  i must be
 * 0..dv_value_items()-1. */
DV_API int32_t dv_value_items(const dv_value *value); /* length if dense, else count */
DV_API dv_value dv_value_item(const dv_value *value, int32_t i);
DV_API int32_t dv_value_slot(const dv_value *value, int32_t i);

/* The bits of a scalar, at any address, without conversion or test for NA.  The column's layout
 * must be that of the name: fixed with that width, text or bytes (tx), zoned (dz). */
DV_API int8_t dv_value_i1(const dv_value *value); /* I1, BL */
DV_API uint8_t dv_value_u1(const dv_value *value);
DV_API int16_t dv_value_i2(const dv_value *value);
DV_API uint16_t dv_value_u2(const dv_value *value);
DV_API int32_t dv_value_i4(const dv_value *value);
DV_API uint32_t dv_value_u4(const dv_value *value);
DV_API int64_t dv_value_i8(const dv_value *value); /* I8, TS, DT */
DV_API uint64_t dv_value_u8(const dv_value *value);
DV_API float dv_value_r4(const dv_value *value);
DV_API double dv_value_r8(const dv_value *value);
DV_API dv_text dv_value_tx(const dv_value *value); /* TX, BY */
DV_API dv_zoned dv_value_dz(const dv_value *value);
DV_API dv_u128 dv_value_ug(const dv_value *value);
DV_API uint64_t dv_value_key(const dv_value *value); /* a key of any width, as stored */

/* Whether the value is NA, and whether it is the default (semantics:3.4).  A key above its count
 * and a DT or DZ outside the calendar are NA too.  A vector is NA if any stored item is, of keys
 * also if a slot has no item; it is the default if all items are. */
DV_API bool dv_value_is_na(const dv_value *value);
DV_API bool dv_value_is_default(const dv_value *value);

/* Whether two values are the same: of equal types and equal bits, so NaN equals itself and -0
 * differs from 0.  NA equals NA whatever its bits, except for keys and reals.  Vectors are compared
 * slot by slot, dense or sparse. */
DV_API bool dv_value_same(const dv_value *a, const dv_value *b);

/* A destination of text.  write is called once or more per value; it returns false to stop, and the
 * function that calls it then returns false too. */
typedef struct dv_sink {
    bool (*write)(void *ctx, const char *data, size_t nbytes);
    void *ctx;
} dv_sink;

typedef enum dv_style {
    DV_STYLE_TEXT, /* semantics:4.4: NA and missing keys are blank, bytes are hex, vectors are
                      [1 2 3], sparse ones {5: 0:1 3:2} (length, then slot:item) */
    DV_STYLE_EXACT /* one lossless JSON value, as `cat --format exact` prints it (docs/cli.md);
                      extensions as BY */
} dv_style;

/* Write one value to the sink.  Returns false if the sink stopped. */
DV_API bool dv_value_write(const dv_value *value, dv_style style, const dv_sink *sink);
/* Write text as a JSON string with its quotes; NA as null.  Controls (C0, DEL, C1), line and
 * paragraph separators and characters that change the direction of text are escaped, so that a
 * terminal only shows the text.  Returns false if the sink stopped. */
DV_API bool dv_text_write_json(dv_text text, const dv_sink *sink);

/* A scalar outside a column, in the member of its type.  Keys: u1, u2, u4 or u8, as stored. */
typedef union dv_scalar {
    int8_t i1; /* I1, BL */
    uint8_t u1;
    int16_t i2;
    uint16_t u2;
    int32_t i4;
    uint32_t u4;
    int64_t i8; /* I8, TS, DT */
    uint64_t u8;
    float r4;
    double r8;
    dv_text tx; /* points into the text that was parsed */
    dv_zoned dz;
    dv_u128 ug;
} dv_scalar;

/* Parse text as a value of a type: the standard conversion (semantics:4.3).  Text that
 * dv_value_write prints (DV_STYLE_TEXT) gives the same value.  Reals are correctly rounded, and the
 * decimal point is '.' in every locale; dates that depend on today's date are refused.
 *
 * scalar_out  the value.  NA text and the tokens ?, NA, N/A, NaN (in any case) give NA, or the
 *             default if the type has no NA.  Empty text gives the default.  Text that is not a
 *             value gives NA, or the default if the type has no NA
 * type        a scalar: a standard one or a key
 *
 * Returns false if the text is not a value of the type, as the tokens for U1..U8 and UG.  Also if
 * the type is a vector, BY or an extension: then nothing is written.
 */
DV_API bool dv_value_parse(dv_scalar *scalar_out, const dv_type *type, dv_text text);

#ifdef __cplusplus
}
#endif

#endif
