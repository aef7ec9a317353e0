/* SPDX-License-Identifier: MIT */
/* test_cpus.c: CPUs are counted on machines of any size. */
#include "base/cpus.h"
#include "support/faults.h"
#include "support/test.h"
#include <errno.h>
#include <sched.h>

Test(cpus, are_those_that_the_process_may_use)
{
    cpu_set_t all[64], one[64];
    cr_assert_eq(sched_getaffinity(0, sizeof all, all), 0);
    cr_expect_eq(dvi_cpus_usable(), CPU_COUNT_S(sizeof all, all));
    CPU_ZERO_S(sizeof one, one);
    CPU_SET_S((size_t)sched_getcpu(), sizeof one, one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, one), 0);
    cr_expect_eq(dvi_cpus_usable(), 1);
    cr_assert_eq(sched_setaffinity(0, sizeof all, all), 0);
}

/* The system refused the C library's set of 1,024 CPUs on a larger machine, and one thread was
 * used. */
Test(cpus, may_be_more_than_a_thousand)
{
    dvt_faults_start_at("sched_getaffinity", 1, DVT_FAULT_PRETEND, 0);
    const int32_t count = dvi_cpus_usable();
    dvt_faults_stop();
    cr_expect_eq(count, 3000);
}

Test(cpus, is_one_if_the_system_fails)
{
    dvt_faults_start_at("sched_getaffinity", 1, DVT_FAULT_ERROR, EPERM);
    const int32_t count = dvi_cpus_usable();
    dvt_faults_stop();
    cr_expect_eq(count, 1);
}
