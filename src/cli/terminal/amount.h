/* SPDX-License-Identifier: MIT */
/* amount.h: bytes, counts and shares as text for people. */
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

/* A bar in eighths of a column, in proportion of share to whole; at least an eighth if share > 0.
 */
const char *dvi_amount_bar(char text[DVI_BAR_CAP], int64_t share, int64_t whole);

#endif
