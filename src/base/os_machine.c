/* SPDX-License-Identifier: MIT */
/* os_machine.c: CPUs, random bytes, errors, the environment and the clock of conditions. */
#include "base/attempt.h"
#include "base/os.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/random.h>
#endif

/* --- CPUs ------------------------------------------------------------------------------------- */

#ifdef __linux__
/* A cpu_set_t of the C library holds 1,024 CPUs. The system refuses a set smaller than its own,
 * which has up to 8,192 on Linux. This many sets hold 65,536. */
#define SETS 64

/* A function of its own, so that the usual case does not use 8 KiB of stack: every cursor calls it.
 */
static int32_t count_many(void)
{
    cpu_set_t cpus[SETS];
    if (sched_getaffinity(0, sizeof cpus, cpus) != 0)
        return 1;
    return CPU_COUNT_S(sizeof cpus, cpus);
}

int32_t dvi_os_cpus(void)
{
    cpu_set_t cpus;
    if (DVI_ATTEMPT("os_machine.c dvi_os_cpus", sched_getaffinity(0, sizeof cpus, &cpus) == 0))
        return CPU_COUNT(&cpus);
    return errno == EINVAL ? count_many() : 1;
}
#else
int32_t dvi_os_cpus(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count <= INT32_MAX ? (int32_t)count : 1;
}
#endif

/* --- Random bytes ----------------------------------------------------------------------------- */

bool dvi_os_random(void *dst, size_t nbytes)
{
#ifdef __linux__
    return getrandom(dst, nbytes, GRND_NONBLOCK) == (ssize_t)nbytes;
#else
    arc4random_buf(dst, nbytes);
    return true;
#endif
}

/* --- Errors ----------------------------------------------------------------------------------- */

/* strerror may translate, and may return memory that another thread overwrites. */
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
static const char *describe(int os_code)
{
    return strerrordesc_np(os_code);
}
#else
static const char *describe(int os_code)
{
    return strerror_l(os_code, newlocale(LC_ALL_MASK, "C", NULL)); /* that locale is static */
}
#endif

void dvi_os_describe(char *dst, size_t cap, int os_code)
{
    const char *text = describe(os_code);
    snprintf(dst, cap, "%s", text ? text : "an error without a name");
}
#else
void dvi_os_describe(char *dst, size_t cap, int os_code)
{
    const int failure = strerror_r(os_code, dst, cap);
    if (failure != 0 && failure != ERANGE) /* the text was cut */
        snprintf(dst, cap, "an error without a name");
}
#endif

/* --- The environment -------------------------------------------------------------------------- */

const char *dvi_os_environment(const char *name)
{
#ifdef __APPLE__
    return issetugid() ? NULL : getenv(name);
#else
    return secure_getenv(name);
#endif
}

/* --- Conditions ------------------------------------------------------------------------------- */

#ifdef __APPLE__
void dvi_os_condition_init(pthread_cond_t *condition)
{
    pthread_cond_init(condition, NULL);
}

/* Conditions follow the time of day there, but can wait for a length of time. */
bool dvi_os_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock,
                                 const struct timespec *due)
{
    struct timespec now, left = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t ns =
        (int64_t)(due->tv_sec - now.tv_sec) * 1000000000 + due->tv_nsec - now.tv_nsec;
    if (ns > 0)
        left = (struct timespec){ns / 1000000000, ns % 1000000000};
    return pthread_cond_timedwait_relative_np(condition, lock, &left) != ETIMEDOUT;
}
#else
void dvi_os_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool dvi_os_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock,
                                 const struct timespec *due)
{
    return pthread_cond_timedwait(condition, lock, due) != ETIMEDOUT;
}
#endif
