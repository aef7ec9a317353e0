/* SPDX-License-Identifier: MIT */
/* test.h: the test framework: Criterion, or plain.h where Criterion does not start. */
#ifndef DVT_TEST_H
#define DVT_TEST_H

#ifdef DVT_PLAIN
#include "support/plain.h"
#else
#include <criterion/criterion.h>
#endif

/* TSan sees what threads share and nothing else: what starts none is left out there. */
#ifdef DVT_TSAN
#define DVT_THREADS_ONLY true
#define DVT_TEST_WITHOUT_THREADS(S, N) __attribute__((unused)) static void S##_##N##_left_out(void)
#else
#define DVT_THREADS_ONLY false
#define DVT_TEST_WITHOUT_THREADS(S, N) Test(S, N)
#endif

#endif
