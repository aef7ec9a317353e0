/* SPDX-License-Identifier: MIT */
/* check.h: macros that return failures. */
#ifndef DVI_BASE_CHECK_H
#define DVI_BASE_CHECK_H

#include "base/compiler.h"
#include "base/error.h"

/* Return the status of a call if it is a failure. */
#define DVI_TRY(call)                                                                              \
    do {                                                                                           \
        const dv_status dvi_try_ = (call);                                                         \
        if (DVI_UNLIKELY(dvi_try_ < 0))                                                            \
            return dvi_try_;                                                                       \
    } while (0)

/* A mutant is the same source without the check on one line (./dev mutants). If all tests pass
 * without a check, it is not tested. */
#ifdef DVI_MUTANT_LINE
#define DVI_CHECKED (__LINE__ != DVI_MUTANT_LINE)
#else
#define DVI_CHECKED 1
#endif

/* Return `failure` unless the condition holds; `failure` is evaluated only then. */
#define DVI_REQUIRE(condition, failure)                                                            \
    do {                                                                                           \
        if (DVI_UNLIKELY(DVI_CHECKED && !(condition)))                                             \
            return (failure);                                                                      \
    } while (0)

/* Check that a number from a file lies in least..most; otherwise return DV_ERR_CORRUPT. */
#define DVI_REQUIRE_IN(err, value, least, most, rule, offset, what)                                \
    DVI_REQUIRE((int64_t)(value) >= (least) && (int64_t)(value) <= (most),                         \
                dvi_fail_range(err, rule, offset, what, least, most, value))

#endif
