/* SPDX-License-Identifier: MIT */
/* tf_key_value_priv.h: what the files of the step `value` share. */
#ifndef DVI_TRANSFORM_TF_KEY_VALUE_PRIV_H
#define DVI_TRANSFORM_TF_KEY_VALUE_PRIV_H

#include "base/owner.h"
#include "transform/tf_key_value.h"

/* A column of the values of keys. */
typedef struct dvi_key_value {
    int32_t column; /* of the source */
    uint32_t count; /* of keys */
    bool is_vector; /* the keys are those of vectors */
    bool has_na;    /* the value of key 0 is NA, and differs from the default */
    /* The values that the KeyValues store; then that of key 0; then the default. */
    dv_column_view table;
    int32_t stored;
    int64_t longest;      /* bytes of the longest text; 0: not text */
    const uint8_t *slots; /* of the stored values, int32 each; NULL: each key has one */
} dvi_key_value;

/* A dvi_maker's `fill`, with its memory. */
typedef struct dvi_key_value_memory {
    dvi_memory *rows;   /* of the table, for each key */
    dvi_memory *spread; /* the same for each slot */
    dvi_memory *counts;
    dvi_memory *first, *second; /* values; or ticks and minutes; or ends and utf8 */
} dvi_key_value_memory;

dv_status dvi_key_value_fill(const dvi_filling *filling, dvi_column *dst, dv_error *err);
void dvi_key_value_free(void *memory);

#endif
