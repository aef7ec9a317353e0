/* SPDX-License-Identifier: MIT */
/* tf_key_vector_priv.h: what the files of the step `vector` share. */
#ifndef DVI_TRANSFORM_TF_KEY_VECTOR_PRIV_H
#define DVI_TRANSFORM_TF_KEY_VECTOR_PRIV_H

#include "base/owner.h"
#include "transform/tf_key_vector.h"

/* A column of vectors made of keys. */
typedef struct dvi_key_vector {
    const dv_schema *schema; /* of the source */
    int32_t column;          /* of the source */
    dv_allocator allocator;
    dv_type type;    /* of the new column */
    int32_t dims[2]; /* of that type */
    uint32_t count;  /* of values of a key */
    bool bag;
    bool is_vector; /* the keys are those of vectors */
} dvi_key_vector;

/* A dvi_maker's `fill`, with its memory. */
typedef struct dvi_key_vector_memory {
    dvi_memory *indices; /* positions of keys at first */
    dvi_memory *counts, *lengths;
    dvi_memory *ones;  /* all items are 1; it may be shared with batches that others keep */
    dvi_memory *items; /* of bags */
    dvi_memory *long_row;
} dvi_key_vector_memory;

dv_status dvi_key_vector_fill(const dvi_filling *filling, dvi_column *dst, dv_error *err);
void dvi_key_vector_free(void *memory);

#endif
