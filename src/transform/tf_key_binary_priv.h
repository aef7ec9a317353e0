/* SPDX-License-Identifier: MIT */
/* tf_key_binary_priv.h: what the files of the step `binary` share. */
#ifndef DVI_TRANSFORM_TF_KEY_BINARY_PRIV_H
#define DVI_TRANSFORM_TF_KEY_BINARY_PRIV_H

#include "base/owner.h"
#include "transform/tf_key_binary.h"

/* A column of the bits of keys. */
typedef struct dvi_key_binary {
    const dv_schema *schema; /* of the source */
    int32_t column;          /* of the source */
    dv_allocator allocator;
    dv_type type;    /* of the new column */
    int32_t dims[2]; /* of that type */
    int32_t bits;    /* of a key, 2 to 32 */
    bool is_vector;  /* the keys are those of vectors */
} dvi_key_binary;

/* A dvi_maker's `fill`, with its memory. */
typedef struct dvi_key_binary_memory {
    dvi_memory *numbers, *counts, *lengths, *indices, *items;
} dvi_key_binary_memory;

dv_status dvi_key_binary_fill(const dvi_filling *filling, dvi_column *dst, dv_error *err);
void dvi_key_binary_free(void *memory);

#endif
