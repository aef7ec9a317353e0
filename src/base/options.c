/* SPDX-License-Identifier: MIT */
/* options.c: reads the structs of options that callers fill. */
#include "base/options.h"
#include "base/check.h"
#include <inttypes.h>
#include <string.h>

dv_status dvi_options_read_grown(void *options, size_t nbytes, const size_t *earlier, size_t n,
                                 const void *given, const char *init, dv_error *err)
{
    size_t size;
    if (!given)
        return DV_OK;
    memcpy(&size, given, sizeof size);
    bool is_known = size == nbytes;
    for (size_t i = 0; i < n; i++)
        is_known |= size == earlier[i];
    DVI_REQUIRE(is_known,
                dvi_fail_argument(err, "options of %zu bytes, expected %zu: start from %s", size,
                                  nbytes, init));
    memcpy(options, given, size);
    memcpy(options, &nbytes, sizeof nbytes);
    return DV_OK;
}

dv_status dvi_options_read(void *options, size_t nbytes, const void *given, const char *init,
                           dv_error *err)
{
    return dvi_options_read_grown(options, nbytes, NULL, 0, given, init, err);
}

dv_status dvi_options_least(const char *name, int64_t value, int least, dv_error *err)
{
    DVI_REQUIRE(value >= least,
                dvi_fail_argument(err, "%s is %" PRId64 ": at least %d", name, value, least));
    return DV_OK;
}
