/* SPDX-License-Identifier: MIT */
/* test.h: the test framework: Criterion, or plain.h where Criterion does not start. */
#ifndef DVT_TEST_H
#define DVT_TEST_H

#ifdef DVT_PLAIN
#include "support/plain.h"
#else
#include <criterion/criterion.h>
#endif

#endif
