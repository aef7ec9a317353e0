/* SPDX-License-Identifier: MIT */
/* cpus.h: how many CPUs this process may use. */
#ifndef DVI_BASE_CPUS_H
#define DVI_BASE_CPUS_H

#include <stdint.h>

/* CPUs that the calling thread may run on, as taskset and containers limit them; 1 where the system
 * does not say. */
int32_t dvi_cpus_usable(void);

#endif
