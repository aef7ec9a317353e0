/* SPDX-License-Identifier: MIT */
/* value_map.h: a dictionary from values to values, read from a table of two columns
 * (semantics:7.19). */
#ifndef DVI_TRANSFORM_VALUE_MAP_H
#define DVI_TRANSFORM_VALUE_MAP_H

#include "gather/row_ref.h"
#include <dataview/own_view.h>

/* Values are looked up as they are: text is not trimmed, NA is found if it is a key, -0 equals +0,
 * and so do two DZ of one moment. Immutable; any number of threads may look values up. */
typedef struct dvi_value_map dvi_value_map;

typedef struct dvi_value_map_spec {
    dv_view *table;      /* two columns that are not hidden: keys, and their values */
    bool values_as_keys; /* the values become keys: numbers of the distinct ones, as they come */
    bool missing_is_na;  /* what R4 and R8 become that are no key: NaN, else 0 */
} dvi_value_map_spec;

/* Read the table, which the map retains.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  another number of columns; keys that are vectors, BY or an extension; values of
 *                  an extension, or, as keys, vectors or BY; a key that comes twice
 * DV_ERR_LIMIT     terms_nbytes: the texts of keys, or of values as keys, exceed 1 GiB; batch_rows:
 *                  those of values exceed 2^31-1 bytes
 * DV_ERR_MEMORY, and errors of reading the table */
dv_status dvi_value_map_create(dvi_value_map **map_out, const dvi_value_map_spec *spec,
                               const dv_allocator *allocator, dv_error *err);
void dvi_value_map_free(dvi_value_map **map); /* NULL is fine */

const dv_type *dvi_value_map_key_type(const dvi_value_map *map);
const dv_type *dvi_value_map_type(const dvi_value_map *map); /* of the values */
int64_t dvi_value_map_largest(const dvi_value_map *map);     /* bytes of the largest value */

/* Point to the values of rows first..first+n-1 of a column of the type of the keys; numbers: room
 * for n. The references are valid as long as the map. */
void dvi_value_map_find(const dvi_value_map *map, const dv_column_view *column, int64_t first,
                        int64_t n, uint32_t *numbers, dvi_row_ref *refs_out);

/* Add the metadata of the values to a column: all of it; of values as keys, KeyValues, which are
 * texts. The map must outlive the schema. */
dv_status dvi_value_map_describe(const dvi_value_map *map, dv_schema *schema, int32_t column,
                                 dv_error *err);
/* Add keys and values. */
void dvi_value_map_identify(const dvi_value_map *map, dv_identity *identity);

#endif
