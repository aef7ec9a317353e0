/* SPDX-License-Identifier: MIT */
/* rate.h: a clock, medians, and rates as text. */
#ifndef DVI_CLI_RATE_H
#define DVI_CLI_RATE_H

#include <stddef.h>

#define DVI_RATE_CAP 32

/* Seconds of a monotonic clock. */
double dvi_rate_clock(void);

/* The median of n >= 1 numbers, which it sorts. */
double dvi_rate_median(double *numbers, size_t n);

/* "812 MB/s", "1.24 GB/s"; unit "B" or "rows".  Decimal prefixes.  Returns text. */
const char *dvi_rate_text(char text[DVI_RATE_CAP], double per_second, const char *unit);

/* "0.31 ms", "12.4 s".  Returns text. */
const char *dvi_rate_seconds(char text[DVI_RATE_CAP], double seconds);

#endif
