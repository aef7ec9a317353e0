/* SPDX-License-Identifier: MIT */
/* kernel_side.c: gives the comparisons with NumPy the kernels of the level in use, by name. */
#include "simd/kernel.h"
#include <string.h>

__attribute__((visibility("default"))) void *dvb_kernel(const char *name);

void *dvb_kernel(const char *name)
{
    const dvi_kernel_table *k = dvi_kernels();
    void *kernel = NULL;
#define FIND(level, shape, member, D, S, contract)                                                 \
    if (strcmp(name, #member) == 0)                                                                \
        memcpy(&kernel, &k->member, sizeof kernel);
    DVI_KERNEL_LIST(FIND, _)
    return kernel;
}
