/* SPDX-License-Identifier: MIT */
/* map_columns.h: a map that is two columns of a table. */
#ifndef DVI_TRANSFORM_MAP_COLUMNS_H
#define DVI_TRANSFORM_MAP_COLUMNS_H

#include <dataview/view.h>

typedef struct dvi_map_columns {
    dv_view *table;
    dv_text key, value; /* names of columns; both NA: the two columns that there are */
    const dv_type *key_type, *value_type; /* to which they are converted; NULL: as they are */
} dvi_map_columns;

/* Copy the two columns into a table in memory, of the columns Key and Value; of columns that are
 * not converted the metadata too.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column, one name without the other, or other than two columns and no
 *                  name; no such conversion; or a value does not convert: it is not NA and would
 *                  become NA, or 0 in a type without NA. The message names row and column
 * DV_ERR_MEMORY; statuses of reading the table */
dv_status dvi_map_columns_table(dv_view **pairs_out, const dvi_map_columns *columns,
                                const dv_allocator *allocator, dv_error *err);

#endif
