/* SPDX-License-Identifier: MIT */
/* cpus.c: how many CPUs this process may use. */
#include "base/cpus.h"
#include <errno.h>
#include <sched.h>

/* A set of 1,024 CPUs is the C library's own size.  The system refuses a set that is smaller than
 * its own, which Linux can be built with 8,192 of; this is room for 65,536. */
#define SETS 64

/* Apart from the usual case, which must not pay for 8 KiB of stack: every cursor asks. */
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
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        return CPU_COUNT(&cpus);
    return errno == EINVAL ? count_many() : 1;
}
