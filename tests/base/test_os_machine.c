/* SPDX-License-Identifier: MIT */
/* test_os_machine.c: what the system tells of the machine. */
#include "base/os.h"
#include "support/faults.h"
#include "support/test.h"
#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <string.h>

Test(os_machine, counts_the_cpus_that_the_process_may_use)
{
    cpu_set_t all[64], one[64];
    cr_assert_eq(sched_getaffinity(0, sizeof all, all), 0);
    cr_expect_eq(dvi_os_cpus(), CPU_COUNT_S(sizeof all, all));
    CPU_ZERO_S(sizeof one, one);
    CPU_SET_S((size_t)sched_getcpu(), sizeof one, one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, one), 0);
    cr_expect_eq(dvi_os_cpus(), 1);
    cr_assert_eq(sched_setaffinity(0, sizeof all, all), 0);
}

/* The system refused the C library's set of 1,024 CPUs on a larger machine, and one thread was
 * used. */
Test(os_machine, counts_more_than_a_thousand_cpus)
{
    dvt_faults_start_at("sched_getaffinity", 1, DVT_FAULT_PRETEND, 0);
    const int32_t count = dvi_os_cpus();
    dvt_faults_stop();
    cr_expect_eq(count, 3000);
}

Test(os_machine, counts_one_cpu_if_the_system_fails)
{
    dvt_faults_start_at("sched_getaffinity", 1, DVT_FAULT_ERROR, EPERM);
    const int32_t count = dvi_os_cpus();
    dvt_faults_stop();
    cr_expect_eq(count, 1);
}

Test(os_machine, describes_errors_in_english)
{
    char text[128];
    setlocale(LC_ALL, "de_DE.UTF-8");
    dvi_os_describe(text, sizeof text, ENOENT);
    cr_expect_str_eq(text, "No such file or directory");
    dvi_os_describe(text, sizeof text, 12345);
    cr_expect_gt(strlen(text), 0);
    dvi_os_describe(text, 4, ENOENT);
    cr_expect_str_eq(text, "No ");
}

Test(os_machine, draws_random_bytes)
{
    uint64_t a = 0, b = 0;
    cr_expect(dvi_os_random(&a, sizeof a) && dvi_os_random(&b, sizeof b));
    cr_expect_neq(a, b);
}

Test(os_machine, waits_until_a_time)
{
    pthread_cond_t condition;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct timespec due, now;
    dvi_os_condition_init(&condition);
    clock_gettime(CLOCK_MONOTONIC, &due);
    due.tv_nsec += 20 * 1000 * 1000;
    if (due.tv_nsec >= 1000 * 1000 * 1000) {
        due.tv_sec++;
        due.tv_nsec -= 1000 * 1000 * 1000;
    }
    pthread_mutex_lock(&lock);
    while (dvi_os_condition_wait_until(&condition, &lock, &due))
        ; /* woken for no reason */
    pthread_mutex_unlock(&lock);
    clock_gettime(CLOCK_MONOTONIC, &now);
    cr_expect(now.tv_sec > due.tv_sec || (now.tv_sec == due.tv_sec && now.tv_nsec >= due.tv_nsec));
    pthread_cond_destroy(&condition);
}
