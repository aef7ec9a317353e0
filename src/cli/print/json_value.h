/* SPDX-License-Identifier: MIT */
/* json_value.h: values as plain JSON that other programs understand. */
#ifndef DVI_CLI_JSON_VALUE_H
#define DVI_CLI_JSON_VALUE_H

#include <dataview/schema.h>
#include <dataview/value.h>

#define DVI_JSON_SLOTS 1000 /* sparse vectors up to this length are written slot by slot */

/* Write a value as docs/cli.md describes for jsonl.  false: the sink stopped. */
bool dvi_json_value(const dv_value *value, const dv_sink *sink);
/* The same of a column, whose metadata may say that it is msgpack: then it is nested. */
bool dvi_json_cell(const dv_schema *schema, int32_t column, const dv_value *value,
                   const dv_sink *sink);

/* The key of a column in the object of a row: its name, and for a hidden column also its index,
 * "x#0".  *owned_out is memory that the caller frees, or NULL.  NA: out of memory. */
dv_text dvi_json_key(const dv_schema *schema, int32_t column, char **owned_out);

#endif
