/* SPDX-License-Identifier: MIT */
/* kernel_rates.h: how fast is each kernel at each level that this machine has? */
#ifndef DVI_CLI_KERNEL_RATES_H
#define DVI_CLI_KERNEL_RATES_H

#include "cli/out.h"
#include "cli/say.h"

/* Write a table of them, next to memcpy.  DVI_EXIT_DONE, or DVI_EXIT_SYSTEM when told that memory
 * ran out. */
dvi_exit dvi_kernel_rates(dvi_out *out);
/* The same as a JSON document. */
dvi_exit dvi_kernel_rates_json(dvi_out *out);

#endif
