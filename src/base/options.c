/* SPDX-License-Identifier: MIT */
/* options.c: reads the structs of options that callers fill. */
#include "base/options.h"
#include "base/check.h"
#include <inttypes.h>
#include <string.h>

dv_status dvi_options_read(void *options, size_t nbytes, const void *given, const char *init,
                           dv_error *err)
{
    size_t size;
    if (!given)
        return DV_OK;
    memcpy(&size, given, sizeof size);
    DVI_REQUIRE(size == nbytes,
                dvi_fail_argument(err, "options of %zu bytes, expected %zu: start from %s", size,
                                  nbytes, init));
    memcpy(options, given, nbytes);
    return DV_OK;
}

dv_status dvi_options_least(const char *name, int64_t value, int least, dv_error *err)
{
    DVI_REQUIRE(value >= least,
                dvi_fail_argument(err, "%s is %" PRId64 ": at least %d", name, value, least));
    return DV_OK;
}
