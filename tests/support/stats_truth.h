/* SPDX-License-Identifier: MIT */
/* stats_truth.h: statistics by brute force, and as text, so that two of them can be compared. */
#ifndef DVT_STATS_TRUTH_H
#define DVT_STATS_TRUTH_H

#include "support/lines.h"
#include <dataview/stats.h>

/* Every field to its last bit, a line per field. */
void dvt_stats_print(dvt_lines *lines, const dv_stats *stats);

/* Read all rows that the options deliver into memory, value by value (value.h), and compute what is
 * exact anew; numbers that are sums may differ in their last digits.  Returns false with a sentence
 * when they do not agree.  Only for statistics without estimates. */
bool dvt_stats_agree(const dv_stats *stats, dv_view *view, const dv_cursor_options *options,
                     char message_out[256]);

/* Of n numbers: how far a quantile is from where it should be, as a share: at most rank_error. */
double dvt_rank_distance(const double *sorted, int64_t n, double p, double reported);

#endif
