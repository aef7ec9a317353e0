/* SPDX-License-Identifier: MIT */
/* test_kernel.c: checks every kernel of the list at every level that the CPU has. */
#include "simd/dispatch.h"
#include "check_kernels.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

/* DV_SKIP_KERNELS names the kernels that fail because an emulated CPU is wrong. */
static bool is_skipped(const char *name)
{
    const char *list = getenv("DV_SKIP_KERNELS");
    const size_t n = strlen(name);
    for (const char *p = list ? strstr(list, name) : NULL; p; p = strstr(p + n, name))
        if ((p == list || p[-1] == ' ') && (p[n] == 0 || p[n] == ' '))
            return true;
    return false;
}

#define X(level, shape, name, D, S, contract)                                                      \
    Test(kernel, name)                                                                             \
    {                                                                                              \
        if (is_skipped(#name))                                                                     \
            cr_skip_test("%s: this CPU is emulated wrongly", #name);                               \
        const char *differs = dvt_check_##name();                                                  \
        cr_expect(!differs, "%s", differs);                                                        \
    }
DVI_KERNEL_LIST(X, _)
#undef X
