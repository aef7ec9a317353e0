/* SPDX-License-Identifier: MIT */
/* amount.h: how do people read an amount of bytes, a share, a count? */
#ifndef DVI_CLI_AMOUNT_H
#define DVI_CLI_AMOUNT_H

#include <stddef.h>
#include <stdint.h>

#define DVI_AMOUNT_CAP 32

/* "11.3 KiB", "0 B"; "?" below 0.  Returns text. */
const char *dvi_amount_bytes(char text[DVI_AMOUNT_CAP], int64_t nbytes);

/* "1 row", "2 rows".  Returns text. */
const char *dvi_amount_count(char text[DVI_AMOUNT_CAP], int64_t n, const char *noun);

#define DVI_BAR_COLUMNS 8
#define DVI_BAR_CAP (3 * DVI_BAR_COLUMNS + 1)

/* A bar of eighths of a column, as long as part is of whole; at least an eighth when part > 0. */
const char *dvi_amount_bar(char text[DVI_BAR_CAP], int64_t part, int64_t whole);

#endif
