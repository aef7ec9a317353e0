/* SPDX-License-Identifier: MIT */
/* token_vectors.h: writes vectors of texts, V<TX,*>, row by row. */
#ifndef DVI_TRANSFORM_TOKEN_VECTORS_H
#define DVI_TRANSFORM_TOKEN_VECTORS_H

#include "view/column.h"

/* Of one column and cursor, at first zero; its memory is used again for each batch. */
typedef struct dvi_token_vectors {
    dvi_memory *utf8, *ends, *lengths, *counts;
    size_t used;            /* bytes */
    int64_t tokens, before; /* written, and those of the rows that have ended */
    int64_t rows;
} dvi_token_vectors;

/* Start a batch of so many rows, whose tokens take about nbytes. */
dv_status dvi_token_vectors_start(dvi_token_vectors *vectors, int64_t rows, size_t nbytes,
                                  const dv_allocator *allocator, dv_error *err);
/* Room for the next token, of nbytes at most; dvi_token_vectors_add says how many they are.
 * DV_ERR_LIMIT: more than 2^31-1 bytes of text; DV_ERR_MEMORY. */
dv_status dvi_token_vectors_room(dvi_token_vectors *vectors, size_t nbytes, char **room_out,
                                 const dv_allocator *allocator, dv_error *err);
void dvi_token_vectors_add(dvi_token_vectors *vectors, size_t nbytes);
/* Add n tokens, none of them empty. Up to `limit`, bytes behind each may be read. Statuses as
 * dvi_token_vectors_room. */
dv_status dvi_token_vectors_add_texts(dvi_token_vectors *vectors, const dv_text *tokens, int n,
                                      const char *limit, const dv_allocator *allocator,
                                      dv_error *err);
/* The tokens that follow are those of the next row. */
void dvi_token_vectors_end_row(dvi_token_vectors *vectors);
/* Set dst to the vectors; all are dense. */
void dvi_token_vectors_column(const dvi_token_vectors *vectors, const dv_type *type,
                              dvi_column *dst);
/* Set dst to the texts of all rows, which have no vectors. */
void dvi_token_vectors_texts(const dvi_token_vectors *vectors, const dv_type *type,
                             dvi_column *dst);
void dvi_token_vectors_free(dvi_token_vectors *vectors);

#endif
