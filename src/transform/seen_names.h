/* SPDX-License-Identifier: MIT */
/* seen_names.h: names of keys, made of the values that each was made of (semantics:7.7). */
#ifndef DVI_TRANSFORM_SEEN_NAMES_H
#define DVI_TRANSFORM_SEEN_NAMES_H

#include "transform/tf_hash_names_priv.h"

/* Names in progress. */
typedef struct dvi_seen_writer dvi_seen_writer;

/* Add to the name in progress. DV_ERR_LIMIT: names of more than 1 GiB; DV_ERR_MEMORY. */
dv_status dvi_seen_append(dvi_seen_writer *writer, const char *text, size_t n, dv_error *err);

/* Add a value to the name in progress. */
typedef dv_status dvi_seen_print(void *ctx, dvi_seen_writer *writer, const dvi_seen_value *value,
                                 dv_error *err);

/* The numbers of the values, by key, then by place: the key above, the number below. The caller
 * frees *order_out, seen->count of them. DV_ERR_MEMORY. */
dv_status dvi_seen_sort(uint64_t **order_out, const dvi_seen_values *seen, dv_error *err);
/* Add the values order[first..end-1] of one key: in braces if they are several. */
dv_status dvi_seen_append_values(dvi_seen_writer *writer, const dvi_seen_values *seen,
                                 const uint64_t *order, size_t first, size_t end,
                                 dvi_seen_print *print, void *ctx, dv_error *err);
/* Make the table of the names of all keys (dvi_hash_names_table). */
dv_status dvi_seen_table(dv_view **table_out, const dvi_seen_values *seen, dvi_seen_print *print,
                         void *ctx, dv_error *err);

#endif
