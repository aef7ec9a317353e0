/* SPDX-License-Identifier: MIT */
/* json_value.h: how does a value read as JSON that other programs take for what it is? */
#ifndef DVI_CLI_JSON_VALUE_H
#define DVI_CLI_JSON_VALUE_H

#include <dataview/value.h>

#define DVI_JSON_SLOTS 1000 /* sparse vectors up to this length are written slot by slot */

/* Write it: docs/cli.md "jsonl".  false: the sink stopped. */
bool dvi_json_value(const dv_value *value, const dv_sink *sink);

#endif
