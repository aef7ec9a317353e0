/* SPDX-License-Identifier: MIT */
/* split_shares.h: shares of the rows, and how many rows each is. */
#ifndef DVI_CLI_SPLIT_SHARES_H
#define DVI_CLI_SPLIT_SHARES_H

#include "cli/terminal/say.h"
#include <stdint.h>

#define DVI_SHARES_MOST 1000
#define DVI_SHARES_WHOLE INT64_C(1000000000)

/* Shares of DVI_SHARES_WHOLE, which they add up to. */
typedef struct dvi_shares {
    int64_t part[DVI_SHARES_MOST];
    int count;
} dvi_shares;

/* Read "0.8,0.2" or "80%,20%".  DVI_EXIT_DONE, or DVI_EXIT_USAGE after a message. */
dvi_exit dvi_shares_read(dvi_shares *shares_out, const char *text);

/* Share `rows` rows out, by largest remainder: each part has its share rounded down, and the rows
 * that are left go to the parts that lost most by that, of equal ones to the first.  rows_out has
 * room for all parts. */
void dvi_shares_rows(const dvi_shares *shares, int64_t rows, int64_t *rows_out);

/* The name of a part: train, test; with three, valid between them; NULL: there are more. */
const char *dvi_shares_name(const dvi_shares *shares, int part);

#endif
