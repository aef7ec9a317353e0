/* SPDX-License-Identifier: MIT */
/* json_value.h: how does a value read as JSON that other programs take for what it is? */
#ifndef DVI_CLI_JSON_VALUE_H
#define DVI_CLI_JSON_VALUE_H

#include <dataview/schema.h>
#include <dataview/value.h>

#define DVI_JSON_SLOTS 1000 /* sparse vectors up to this length are written slot by slot */

/* Write it: docs/cli.md "jsonl".  false: the sink stopped. */
bool dvi_json_value(const dv_value *value, const dv_sink *sink);

/* The key of a column in the object of a row: its name; that of a hidden one tells which it is,
 * "x#0", in memory that the caller frees (*owned_out, else NULL).  NA: out of memory. */
dv_text dvi_json_key(const dv_schema *schema, int32_t column, char **owned_out);

#endif
