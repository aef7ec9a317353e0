/* SPDX-License-Identifier: MIT */
/* check.h: how does a failure leave a function? */
#ifndef DVI_BASE_CHECK_H
#define DVI_BASE_CHECK_H

#include "base/attrs.h"
#include "base/error.h"

/* Pass a failure on as it is. */
#define DVI_TRY(call)                                                                              \
    do {                                                                                           \
        const dv_status dvi_try_ = (call);                                                         \
        if (DVI_UNLIKELY(dvi_try_ < 0))                                                            \
            return dvi_try_;                                                                       \
    } while (0)

/* A mutant is the same source with the check on one line taken out (./dev mutants): a check that
 * can go without any test noticing is not tested. */
#ifdef DVI_MUTANT_LINE
#define DVI_CHECKED (__LINE__ != DVI_MUTANT_LINE)
#else
#define DVI_CHECKED 1
#endif

/* Return `failure`, evaluated only then, unless the condition holds. */
#define DVI_REQUIRE(condition, failure)                                                            \
    do {                                                                                           \
        if (DVI_UNLIKELY(DVI_CHECKED && !(condition)))                                             \
            return (failure);                                                                      \
    } while (0)

/* The commonest check: a number from a file lies in least..most, or the bytes are corrupt. */
#define DVI_REQUIRE_IN(err, value, least, most, rule, offset, what)                                \
    DVI_REQUIRE((int64_t)(value) >= (least) && (int64_t)(value) <= (most),                         \
                dvi_fail_range(err, rule, offset, what, least, most, value))

#endif
