/* SPDX-License-Identifier: MIT */
/* tf_hash_names.h: learns from which values keys were made, and names them so (semantics:7.7). */
#ifndef DVI_TRANSFORM_TF_HASH_NAMES_H
#define DVI_TRANSFORM_TF_HASH_NAMES_H

#include "transform/tf_hash.h"

/* The values of each key that come first by row and slot. -0 is the value 0, and of ordered vectors
 * the slot is part of the value. */
typedef struct dvi_hash_names dvi_hash_names;

/* Start with no values, for a column of the source, of that type. The source must live as long as
 * this. options: as those of the keys; its `names` is not read. invert: the most values of a key,
 * 1 or more; -1: all.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  as dvi_hash_plan; combined vectors; bits above DVI_HASH_NAMED_BITS; `invert`
 *                  outside its range
 * DV_ERR_MEMORY */
dv_status dvi_hash_names_create(dvi_hash_names **out, const dv_type *source_type,
                                const dv_schema *source, int32_t column,
                                const dvi_hash_options *options, int32_t invert,
                                const dv_allocator *allocator, dv_error *err);
void dvi_hash_names_free(dvi_hash_names **names); /* sets NULL; NULL is fine */

/* Take the rows of the column from first_row on: each call takes later rows than those before.
 * DV_OK; DV_ERR_LIMIT: values of more than 1 GiB, or a batch with too many slots; DV_ERR_MEMORY:
 * call again. */
dv_status dvi_hash_names_see(dvi_hash_names *names, const dv_column_view *src, int64_t first_row,
                             dv_error *err);

/* Add the values of another one with the same options, which has seen other rows: then `names` is
 * as if it had seen all of them. It is to see no more rows. DV_OK; DV_ERR_LIMIT, DV_ERR_MEMORY:
 * neither has changed. */
dv_status dvi_hash_names_merge(dvi_hash_names *names, const dvi_hash_names *other, dv_error *err);

/* Make a table of the names in memory, for dvi_hash_options: a row for each key that has one, with
 * `Key` U4 and `Text` TX, by key. It needs nothing of `names`.
 *
 * DV_OK
 * DV_ERR_LIMIT  names of more than 1 GiB
 * DV_ERR_MEMORY, and what reading the KeyValues of the source returns */
dv_status dvi_hash_names_table(const dvi_hash_names *names, dv_view **table_out, dv_error *err);

/* Check such a table, which may come from a file: its columns are Key and Text, without metadata,
 * keys rise, and have at most so many bits. DV_OK; DV_ERR_CORRUPT: it is none; DV_ERR_LIMIT: names
 * of more than 1 GiB; DV_ERR_MEMORY, and what reading the table returns. */
dv_status dvi_hash_names_check(dv_view *names, int32_t bits, dv_error *err);

#endif
