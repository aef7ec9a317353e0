/* SPDX-License-Identifier: MIT */
/* cpus.h: counts the CPUs that the calling thread may use. */
#ifndef DVI_BASE_CPUS_H
#define DVI_BASE_CPUS_H

#include <stdint.h>

/* The number of CPUs that the calling thread may run on, as limited by taskset and containers; 1 if
 * the system does not report it. */
int32_t dvi_cpus_usable(void);

#endif
