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

#endif
