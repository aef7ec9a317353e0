/* SPDX-License-Identifier: MIT */
/* cpus.c: counts the CPUs that the calling thread may use. */
#include "base/cpus.h"
#include "base/attempt.h"
#include <errno.h>
#include <sched.h>

/* A cpu_set_t of the C library holds 1,024 CPUs. The system refuses a set smaller than its own,
 * which has up to 8,192 on Linux. This many sets hold 65,536. */
#define SETS 64

/* A function of its own, so that the usual case does not use 8 KiB of stack: every cursor calls it.
 */
static int32_t count_many(void)
{
    cpu_set_t cpus[SETS];
    if (sched_getaffinity(0, sizeof cpus, cpus) != 0)
        return 1;
    return CPU_COUNT_S(sizeof cpus, cpus);
}

int32_t dvi_cpus_usable(void)
{
    cpu_set_t cpus;
    if (DVI_ATTEMPT("cpus.c dvi_cpus_usable", sched_getaffinity(0, sizeof cpus, &cpus) == 0))
        return CPU_COUNT(&cpus);
    return errno == EINVAL ? count_many() : 1;
}
