/* SPDX-License-Identifier: MIT */
/* test.h: which framework runs the tests?  Criterion; where it does not start, plain.h. */
#ifndef DVT_TEST_H
#define DVT_TEST_H

#ifdef DVT_PLAIN
#include "support/plain.h"
#else
#include <criterion/criterion.h>
#endif

#endif
