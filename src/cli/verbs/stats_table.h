/* SPDX-License-Identifier: MIT */
/* stats_table.h: writes statistics as a table that fits the screen. */
#ifndef DVI_CLI_STATS_TABLE_H
#define DVI_CLI_STATS_TABLE_H

#include "cli/args/args.h"
#include "cli/terminal/out.h"
#include <dataview/schema.h>
#include <dataview/stats.h>

/* Write a line per column, then the figures without room, what was left out, and which figures are
 * not exact.  DVI_EXIT_DONE, or DVI_EXIT_SYSTEM after a message that memory ran out. */
dvi_exit dvi_stats_table(const dv_stats *stats, const dv_schema *schema, const dvi_args *args,
                         dvi_out *out);

#endif
