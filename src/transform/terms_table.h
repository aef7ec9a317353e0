/* SPDX-License-Identifier: MIT */
/* terms_table.h: the terms of a dictionary as a table, and back. */
#ifndef DVI_TRANSFORM_TERMS_TABLE_H
#define DVI_TRANSFORM_TERMS_TABLE_H

#include "transform/terms.h"
#include <dataview/view.h>

/* A table in memory with the terms in order, in a column Term of their type. It needs nothing of
 * the dictionary. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_terms_table(dv_view **table_out, const dvi_terms *terms,
                          const dv_allocator *allocator, dv_error *err);

/* The dictionary of a table that may come from a file: its only column is Term, of a type that has
 * terms, and all its values are different terms, `most` at most.
 *
 * DV_OK
 * DV_ERR_CORRUPT  the table is none of terms
 * DV_ERR_LIMIT    texts of more than 2^31-1 bytes
 * DV_ERR_MEMORY, and what reading the table returns */
dv_status dvi_terms_from_table(dvi_terms **terms_out, dv_view *table, int64_t most,
                               const dv_allocator *allocator, dv_error *err);

/* Add the terms of such a table, whose type must be the dictionary's, as if its values came next. A
 * full dictionary takes none. Statuses: dvi_terms_from_table. */
dv_status dvi_terms_add_table(dvi_terms *terms, dv_view *table, dv_error *err);

#endif
