/* SPDX-License-Identifier: MIT */
/* stats_json.h: writes statistics as a JSON document. */
#ifndef DVI_CLI_STATS_JSON_H
#define DVI_CLI_STATS_JSON_H

#include "cli/args/args.h"
#include "cli/terminal/out.h"
#include <dataview/schema.h>
#include <dataview/stats.h>

/* Write the document.  DVI_EXIT_DONE, or DVI_EXIT_SYSTEM after a message that memory ran out. */
dvi_exit dvi_stats_json(const dv_stats *stats, const dv_schema *schema, const dvi_args *args,
                        dvi_out *out);

#endif
