/* SPDX-License-Identifier: MIT */
/* stats_cell.h: adds statistics to the cells of a table. */
#ifndef DVI_CLI_STATS_CELL_H
#define DVI_CLI_STATS_CELL_H

#include "cli/terminal/table.h"
#include <dataview/stats.h>

/* A value of the column; blank if there are none.  Whole numbers are written in full, or if
 * is_short and they are long, with 5 digits; reals in full if that is short, otherwise with 5
 * digits; times have no fraction, and only the date if they span
 * many days; DZ is in UTC. */
void dvi_stats_add_value(dvi_table *table, const dv_type *type, const dv_column_stats *stats,
                         dv_stats_value value, bool is_short);
/* The mean with the digits that it has, at most 12; the standard deviation with 5. */
void dvi_stats_add_mean(dvi_table *table, const dv_type *type, const dv_column_stats *stats);
void dvi_stats_add_sd(dvi_table *table, const dv_type *type, const dv_column_stats *stats);

/* "0", "<0.1 %", "12.5 %", "100 %"; blank if whole is 0. */
void dvi_stats_add_share(dvi_table *table, int64_t part, int64_t whole);
/* "17", "~12.3 k" when it is an estimate, blank if they are not counted. */
void dvi_stats_add_distinct(dvi_table *table, const dv_column_stats *stats);
/* The bins as bars: "▁▃█ ▁"; empty if there are no finite values. */
#define DVI_STATS_BARS_CAP (3 * DV_STATS_BINS + 1)
void dvi_stats_write_bars(char text_out[DVI_STATS_BARS_CAP], const dv_column_stats *stats);
void dvi_stats_add_bins(dvi_table *table, const dv_column_stats *stats);
/* "0..7, mean 2.25": slots of vectors of varying length, else bytes of texts; are there any? */
bool dvi_stats_has_length(const dv_type *type, const dv_column_stats *stats);
void dvi_stats_add_length(dvi_table *table, const dv_type *type, const dv_column_stats *stats);
/* "red ×12, blue ×7": the most frequent values. */
void dvi_stats_add_top(dvi_table *table, const dv_type *type, const dv_column_stats *stats);

#endif
