/* SPDX-License-Identifier: MIT */
/* kernel_rates.h: times each kernel at each level of this machine. */
#ifndef DVI_CLI_KERNEL_RATES_H
#define DVI_CLI_KERNEL_RATES_H

#include "cli/terminal/out.h"
#include "cli/terminal/say.h"

/* Write a table of rates, next to memcpy.  DVI_EXIT_DONE, or DVI_EXIT_SYSTEM after a message that
 * memory ran out. */
dvi_exit dvi_kernel_rates(dvi_out *out);
/* The same as a JSON document. */
dvi_exit dvi_kernel_rates_json(dvi_out *out);

#endif
