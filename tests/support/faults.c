/* SPDX-License-Identifier: MIT */
/* faults.c: counts system calls, and lets them fail. */
#include "support/faults.h"
#include "base/os.h"
#include "base/thread.h"
#include "codec/key_hash.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Changed only while no other thread calls: before the start and after the stop. */
static struct {
    const char *only; /* NULL: all count */
    int64_t at;
    dvt_fault fault;
    int os_code;
} plan;
static atomic_bool is_on;
static atomic_int_fast64_t calls, widest, end;
static _Atomic(const char *) hit;

void dvt_faults_start_at(const char *call, int64_t at, dvt_fault fault, int os_code)
{
    plan.only = call;
    plan.at = at;
    plan.fault = fault;
    plan.os_code = os_code;
    atomic_store(&calls, 0);
    atomic_store(&widest, 0);
    atomic_store(&end, 0);
    atomic_store(&hit, "");
    atomic_store(&is_on, true);
}

void dvt_faults_start(int64_t at, dvt_fault fault, int os_code)
{
    dvt_faults_start_at(NULL, at, fault, os_code);
}

int64_t dvt_faults_stop(void)
{
    atomic_store(&is_on, false);
    return atomic_load(&calls);
}

const char *dvt_faults_hit(void)
{
    const char *name = atomic_load(&hit);
    return name ? name : "";
}

int64_t dvt_faults_widest(void)
{
    return atomic_load(&widest);
}

int64_t dvt_faults_end(void)
{
    return atomic_load(&end);
}

/* Decide what happens to this call; errno is set if it shall fail. */
static dvt_fault step(const char *name)
{
    if (!atomic_load(&is_on) || (plan.only && strcmp(plan.only, name) != 0))
        return DVT_FAULT_NONE;
    const int64_t k = atomic_fetch_add(&calls, 1) + 1;
    const bool is_lasting = plan.fault == DVT_FAULT_PRETEND || plan.fault == DVT_FAULT_FROM;
    const dvt_fault fault = plan.fault == DVT_FAULT_FROM ? DVT_FAULT_ERROR : plan.fault;
    if (is_lasting ? k < plan.at : k != plan.at)
        return DVT_FAULT_NONE;
    if (k == plan.at)
        atomic_store(&hit, name);
    errno = fault == DVT_FAULT_ERROR ? plan.os_code : errno;
    return fault;
}

static void after(dvt_fault fault)
{
    if (fault == DVT_FAULT_KILL)
        kill(getpid(), SIGKILL);
}

/* A call that returns an int, -1 on failure. */
#define WRAP(name, parameters, arguments)                                                          \
    int __real_##name parameters;                                                                  \
    int __wrap_##name parameters;                                                                  \
    int __wrap_##name parameters                                                                   \
    {                                                                                              \
        const dvt_fault fault = step(#name);                                                       \
        if (fault == DVT_FAULT_ERROR)                                                              \
            return -1;                                                                             \
        const int result = __real_##name arguments;                                                \
        after(fault);                                                                              \
        return result;                                                                             \
    }

WRAP(stat, (const char *path, struct stat *st), (path, st))
WRAP(fstat, (int fd, struct stat *st), (fd, st))
WRAP(fstatat, (int fd, const char *path, struct stat *st, int flags), (fd, path, st, flags))
WRAP(faccessat, (int fd, const char *path, int mode, int flags), (fd, path, mode, flags))
WRAP(flock, (int fd, int operation), (fd, operation))
WRAP(fchown, (int fd, uid_t owner, gid_t group), (fd, owner, group))
WRAP(fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(fsync, (int fd), (fd))
WRAP(syncfs, (int fd), (fd))
WRAP(renameat, (int from, const char *a, int to, const char *b), (from, a, to, b))
WRAP(dvi_os_swap_names, (int folder, const char *a, const char *b), (folder, a, b))
WRAP(unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
WRAP(madvise, (void *data, size_t n, int advice), (data, n, advice))

/* A machine of 4,096 CPUs, of which 3,000 may be used: it refuses a smaller set. */
int __real_sched_getaffinity(pid_t pid, size_t n, cpu_set_t *cpus);
int __wrap_sched_getaffinity(pid_t pid, size_t n, cpu_set_t *cpus);
int __wrap_sched_getaffinity(pid_t pid, size_t n, cpu_set_t *cpus)
{
    const dvt_fault fault = plan.only ? step("sched_getaffinity") : DVT_FAULT_NONE;
    if (fault == DVT_FAULT_PRETEND && n >= 4096 / 8) {
        CPU_ZERO_S(n, cpus);
        for (size_t i = 0; i < 3000; i++)
            CPU_SET_S(i, n, cpus);
        return 0;
    }
    if (fault == DVT_FAULT_PRETEND)
        errno = EINVAL;
    if (fault == DVT_FAULT_PRETEND || fault == DVT_FAULT_ERROR)
        return -1;
    const int result = __real_sched_getaffinity(pid, n, cpus);
    after(fault);
    return result;
}

/* No call of the system: hashes of 6 bits, of which some are the same. */
void __real_dvi_key_probes(dvi_key_probe *dst, const dvi_key_salt *salt, const dv_text *keys,
                           size_t n);
void __wrap_dvi_key_probes(dvi_key_probe *dst, const dvi_key_salt *salt, const dv_text *keys,
                           size_t n);
void __wrap_dvi_key_probes(dvi_key_probe *dst, const dvi_key_salt *salt, const dv_text *keys,
                           size_t n)
{
    __real_dvi_key_probes(dst, salt, keys, n);
    if (salt && plan.only && step("dvi_key_probes") == DVT_FAULT_ERROR)
        for (size_t i = 0; i < n; i++)
            dst[i].first &= 63;
}

/* No call of the system: an attempt of the library (base/attempt.h), which fails by its name. */
bool __wrap_dvi_may_attempt(const char *place);
bool __wrap_dvi_may_attempt(const char *place)
{
    return !plan.only || step(place) == DVT_FAULT_NONE;
}

/* No call of the system: of a file only the first page is in memory. */
static atomic_bool is_uncached;
dvi_page __real_dvi_os_page(int fd, int64_t offset);
dvi_page __wrap_dvi_os_page(int fd, int64_t offset);
dvi_page __wrap_dvi_os_page(int fd, int64_t offset)
{
    if (!atomic_load(&is_uncached))
        return __real_dvi_os_page(fd, offset);
    return offset == 0 ? DVI_PAGE_THERE : DVI_PAGE_MISSING;
}

void dvt_faults_uncached(bool is)
{
    atomic_store(&is_uncached, is);
}

/* The system has no thread left. */
bool __real_dvi_thread_start(dvi_thread *thread, void *(*run)(void *ctx), void *ctx, size_t n);
bool __wrap_dvi_thread_start(dvi_thread *thread, void *(*run)(void *ctx), void *ctx, size_t n);
bool __wrap_dvi_thread_start(dvi_thread *thread, void *(*run)(void *ctx), void *ctx, size_t n)
{
    thread->is_started = false;
    if (plan.only && step("dvi_thread_start") == DVT_FAULT_ERROR)
        return false;
    return __real_dvi_thread_start(thread, run, ctx, n);
}

DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd)
{
    const dvt_fault fault = step("fdopendir");
    if (fault == DVT_FAULT_ERROR)
        return NULL;
    DIR *const result = __real_fdopendir(fd);
    after(fault);
    return result;
}

/* A call that gives how many bytes it moved; can it move fewer? */
#define WRAP_BYTES(name, can_be_short, parameters, arguments)                                      \
    ssize_t __real_##name parameters;                                                              \
    ssize_t __wrap_##name parameters;                                                              \
    ssize_t __wrap_##name parameters                                                               \
    {                                                                                              \
        const dvt_fault fault = step(#name);                                                       \
        if (fault == DVT_FAULT_ERROR || fault == DVT_FAULT_ZERO)                                   \
            return fault == DVT_FAULT_ZERO ? 0 : -1;                                               \
        if (fault == DVT_FAULT_SHORT && can_be_short)                                              \
            n -= n / 2;                                                                            \
        const ssize_t result = __real_##name arguments;                                            \
        after(fault);                                                                              \
        return result;                                                                             \
    }

WRAP_BYTES(pread, true, (int fd, void *data, size_t n, off_t offset), (fd, data, n, offset))
WRAP_BYTES(getrandom, true, (void *data, size_t n, unsigned int flags), (data, n, flags))
WRAP_BYTES(readlink, false, (const char *path, char *data, size_t n), (path, data, n))

#define SYSTEM_MOST ((size_t)0x7FFFF000) /* that one call writes */

ssize_t __real_pwrite(int fd, const void *data, size_t n, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t n, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t n, off_t offset)
{
    const dvt_fault fault = step("pwrite");
    if (atomic_load(&is_on) && (int64_t)n > atomic_load(&widest))
        atomic_store(&widest, (int64_t)n);
    if (fault == DVT_FAULT_ERROR || fault == DVT_FAULT_ZERO)
        return fault == DVT_FAULT_ZERO ? 0 : -1;
    if (fault == DVT_FAULT_SHORT)
        n -= n / 2;
    if (fault == DVT_FAULT_PRETEND)
        n = n < SYSTEM_MOST ? n : SYSTEM_MOST;
    const ssize_t result =
        fault == DVT_FAULT_PRETEND ? (ssize_t)n : __real_pwrite(fd, data, n, offset);
    atomic_store(&end, offset + result);
    after(fault);
    return result;
}

off_t __real_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence)
{
    const dvt_fault fault = step("lseek");
    if (fault == DVT_FAULT_ERROR)
        return -1;
    const off_t result = __real_lseek(fd, offset, whence);
    after(fault);
    return result;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    const dvt_fault fault = step("close");
    const int os_code = errno;
    const int result = __real_close(fd);
    after(fault);
    errno = fault == DVT_FAULT_ERROR ? os_code : errno;
    return fault == DVT_FAULT_ERROR ? -1 : result;
}

/* Only a call that creates a file passes a mode; without one the argument is not read. */
static mode_t mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    const dvt_fault fault = step("open");
    if (fault == DVT_FAULT_ERROR)
        return -1;
    const int result = __real_open(path, flags, mode);
    after(fault);
    return result;
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    const dvt_fault fault = step("openat");
    if (fault == DVT_FAULT_ERROR)
        return -1;
    const int result = __real_openat(folder, path, flags, mode);
    after(fault);
    return result;
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    const int argument = va_arg(args, int);
    va_end(args);
    const dvt_fault fault = step("fcntl");
    if (fault == DVT_FAULT_ERROR)
        return -1;
    const int result = __real_fcntl(fd, command, argument);
    after(fault);
    return result;
}
