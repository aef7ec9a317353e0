/* SPDX-License-Identifier: MIT */
/* gram_keys.h: the keys of a row, as grams take them: those of a column, whatever its width, or
 * what the words of texts are numbered or hashed to. */
#ifndef DVI_TRANSFORM_GRAM_KEYS_H
#define DVI_TRANSFORM_GRAM_KEYS_H

#include "base/owner.h"
#include "view/column.h"
#include <dataview/schema.h>
#include <dataview/value.h>

/* Check that a column has vectors of keys that 32 bits hold. */
dv_status dvi_gram_keys_check(const dv_schema *source, int32_t column, dv_error *err);

/* Reads a column row by row; start from {0}. */
typedef struct dvi_gram_keys {
    dv_value at;
    dvi_memory *keys; /* uint32, of the last row */
    int32_t n;
} dvi_gram_keys;

/* Start with a column of keys, or again with another one. */
void dvi_gram_keys_start(dvi_gram_keys *keys, const dv_column_view *column);
/* Read the next row: keys above the count of the type become 0, as slots without an item are.
 * DV_OK; DV_ERR_LIMIT: the row has more than 2^28 slots; DV_ERR_MEMORY. */
dv_status dvi_gram_keys_next(dvi_gram_keys *keys, const dv_allocator *allocator, dv_error *err);
void dvi_gram_keys_free(dvi_gram_keys *keys);

static inline const uint32_t *dvi_gram_keys_list(const dvi_gram_keys *keys)
{
    return (const uint32_t *)(const void *)keys->keys->data;
}

#endif
