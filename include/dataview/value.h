/* SPDX-License-Identifier: MIT */
/* value.h: what is the value in one row of a column, and how does it read as text? */
#ifndef DATAVIEW_VALUE_H
#define DATAVIEW_VALUE_H

#include <dataview/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value: a place in a column view.  A plain value, borrowing: it lives as long as the column's
 * batch.  Walk with dv_value_first and dv_value_next; no allocation. */
typedef struct dv_value {
    const dv_column_view *column;
    int64_t row;
    int32_t length;      /* vectors: slots */
    int32_t count;       /* vectors: stored items, -1: dense */
    int64_t index, item; /* vectors: where the row's indices and items start */
} dv_value;

/* The value in row 0, and the one in the row after.  The column must have that row. */
DV_API dv_value dv_value_first(const dv_column_view *column);
DV_API void dv_value_next(dv_value *value);
/* The value in any row: O(1) but for vectors, which walk from the first row. */
DV_API dv_value dv_value_at(const dv_column_view *column, int64_t row);

/* Stored item i of a vector as a value of its own, and the slot it stands in; i must be
 * 0..dv_value_items()-1. */
DV_API int32_t dv_value_items(const dv_value *value); /* length when dense, else count */
DV_API dv_value dv_value_item(const dv_value *value, int32_t i);
DV_API int32_t dv_value_slot(const dv_value *value, int32_t i);

/* The bits of a scalar.  The column's layout must be the one named: fixed of that width, text or
 * bytes, zoned.  No conversion, no NA check; any address. */
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

/* Is it NA, is it the default (semantics:3.4)?  NA is also a key over its count, and a DT or DZ
 * outside the calendar.  Of a vector: is any stored item NA (for keys a slot without an item too);
 * are all items the default? */
DV_API bool dv_value_is_na(const dv_value *value);
DV_API bool dv_value_is_default(const dv_value *value);

/* The same value: types equal, bits equal (so NaN equals itself, -0 differs from 0); NA equals NA
 * whatever its bits, except of keys and reals; vectors slot by slot, dense or sparse. */
DV_API bool dv_value_same(const dv_value *a, const dv_value *b);

/* Where text goes.  write returns false to stop; the writer then returns false too. */
typedef struct dv_sink {
    bool (*write)(void *ctx, const char *data, size_t nbytes);
    void *ctx;
} dv_sink;

typedef enum dv_style {
    DV_STYLE_TEXT, /* semantics:4.4: NA and missing keys blank; bytes in hex; vectors as [1 2 3],
                      sparse ones as {5: 0:1 3:2} (length, then slot:item) */
    DV_STYLE_EXACT /* one JSON value, lossless: docs/cli.md "exact"; extensions as BY */
} dv_style;

/* Write one value.  false: the sink stopped. */
DV_API bool dv_value_write(const dv_value *value, dv_style style, const dv_sink *sink);
/* Write text as a JSON string, quotes included; NA as null. */
DV_API bool dv_text_write_json(dv_text text, const dv_sink *sink);

/* A scalar on its own: the member of its type.  Keys: u1, u2, u4 or u8, as stored. */
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
    dv_text tx; /* as given: it lives as long as the text */
    dv_zoned dz;
    dv_u128 ug;
} dv_scalar;

/* Read a value of that type from text: the standard conversion (semantics:4.3).  What prints as
 * text (DV_STYLE_TEXT) reads as the same value.  Reals are correctly rounded, with '.' as decimal
 * point; the locale plays no part; dates that need to know today's are refused.
 *
 * scalar_out  the value.  NA and the tokens ?, NA, N/A, NaN (in any case) give NA, or the default
 *             where the type has no NA; empty text gives the default; so does, or NA, a bad text.
 * type        a scalar: a standard one or a key.
 *
 * Cost: no allocation.  Result: was the text good?  false: it says no such value (so do the tokens
 * for U1..U8 and UG), or the type is a vector, BY or an extension: then nothing is written.
 */
DV_API bool dv_value_parse(dv_scalar *scalar_out, const dv_type *type, dv_text text);

#ifdef __cplusplus
}
#endif

#endif
