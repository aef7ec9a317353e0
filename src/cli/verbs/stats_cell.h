/* SPDX-License-Identifier: MIT */
/* stats_cell.h: adds statistics to the cells of a table. */
#ifndef DVI_CLI_STATS_CELL_H
#define DVI_CLI_STATS_CELL_H

#include "cli/terminal/table.h"
#include <dataview/stats.h>

/* A value of the column; blank if there are none.  Reals have 5 digits, and so do long whole
 * numbers; times have no fraction, and only the date if they span many days; DZ is in UTC. */
void dvi_stats_add_value(dvi_table *table, const dv_type *type, const dv_column_stats *stats,
                         dv_stats_value value);
/* Mean and standard deviation, likewise. */
void dvi_stats_add_mean(dvi_table *table, const dv_type *type, const dv_column_stats *stats);
void dvi_stats_add_sd(dvi_table *table, const dv_type *type, const dv_column_stats *stats);

/* "0", "<0.1 %", "12.5 %", "100 %"; blank if whole is 0. */
void dvi_stats_add_share(dvi_table *table, int64_t part, int64_t whole);
/* "17", "~12.3 k" when it is an estimate, blank if they are not counted. */
void dvi_stats_add_distinct(dvi_table *table, const dv_column_stats *stats);
/* The bins as bars: "▁▃█ ▁". */
void dvi_stats_add_bins(dvi_table *table, const dv_column_stats *stats);
/* "0..7, mean 2.25": slots of vectors, else bytes of texts. */
void dvi_stats_add_length(dvi_table *table, const dv_type *type, const dv_column_stats *stats);
/* "red ×12, blue ×7": the most frequent values. */
void dvi_stats_add_top(dvi_table *table, const dv_type *type, const dv_column_stats *stats);

#endif
