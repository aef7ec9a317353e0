/* SPDX-License-Identifier: MIT */
/* real_math.h: the functions of reals by which predictors score, of the C library. All of them are
 * called here, so that others can take their place. */
#ifndef DVI_PREDICT_REAL_MATH_H
#define DVI_PREDICT_REAL_MATH_H

#include <math.h>

static inline double dvi_exp(double x)
{
    return exp(x);
}

static inline double dvi_ln(double x)
{
    return log(x);
}

static inline double dvi_tanh(double x)
{
    return tanh(x);
}

#endif
