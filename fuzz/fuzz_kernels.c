/* SPDX-License-Identifier: MIT */
/* fuzz_kernels.c: any kernel of the list, with sizes, addresses and numbers from the bytes: every
 * level computes the bits of scalar and accesses nothing else.  The drivers are those of the tests.
 */
#include "simd/check_kernels.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define CHECK(level, shape, name, D, S, contract) {#name, dvt_check_##name},
static const struct {
    const char *name;
    const char *(*check)(void);
} checks[] = {DVI_KERNEL_LIST(CHECK, _)};

/* Two bytes select the kernel; the rest is for its driver. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2)
        return 0;
    const size_t k = (data[0] | (size_t)data[1] << 8) % (sizeof checks / sizeof *checks);
    dvt_trial_begin(data + 2, n - 2);
    const char *differs = checks[k].check();
    dvt_trial_end();
    if (differs) {
        fprintf(stderr, "%s: %s\n", checks[k].name, differs);
        abort();
    }
    return 0;
}
