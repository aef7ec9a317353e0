/* SPDX-License-Identifier: MIT */
/* power.c: the powers of ten. */
#include "codec/power.h"

const uint64_t dvi_powers[DVI_POWER_LAST - DVI_POWER_FIRST + 1][2] = {
#include "codec/power_tbl.h"
};
