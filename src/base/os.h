/* SPDX-License-Identifier: MIT */
/* os.h: calls that differ between operating systems. The rest of the library uses only calls that
 * every supported system has. Linux (glibc 2.28 or newer, musl 1.2.3 or newer) has all of these. A
 * call that macOS or FreeBSD lacks fails with ENOSYS there, or does nothing if it is only advice.
 */
#ifndef DVI_BASE_OS_H
#define DVI_BASE_OS_H

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* --- The machine (os_machine.c) --------------------------------------------------------------- */

/* The number of CPUs that the calling thread may run on, as limited by taskset and containers; 1 if
 * the system does not report it. */
int32_t dvi_os_cpus(void);

/* Fill `dst` with random bytes, without waiting. Returns false if the system has none yet. */
bool dvi_os_random(void *dst, size_t nbytes);

/* Write the description of an errno code in English, whatever the locale; it ends with NUL. */
void dvi_os_describe(char *dst, size_t cap, int os_code);

/* The value of an environment variable; NULL if it is not set, or if the program has more rights
 * than its caller. */
const char *dvi_os_environment(const char *name);

/* A condition whose timed wait follows CLOCK_MONOTONIC. */
void dvi_os_condition_init(pthread_cond_t *condition);
/* Wait until the condition is signalled or the time has come. Returns false at that time. */
bool dvi_os_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock,
                                 const struct timespec *due);

/* --- Memory (os_memory.c) --------------------------------------------------------------------- */

/* Advise the system to use huge pages for whole pages of memory. */
void dvi_os_want_huge_pages(void *page, size_t nbytes);
/* Read pages of a mapped file into memory. Returns 0, or an errno code: EFAULT if the file does not
 * have these pages, and EINVAL if the system cannot do it. */
int dvi_os_populate(void *page, size_t nbytes);

/* --- Files (os_file.c) ------------------------------------------------------------------------ */

/* Flag for opening a folder only to reach what is in it, which needs no right to list it. */
#if defined(O_PATH)
#define DVI_OS_FOLDER O_PATH
#elif defined(O_SEARCH)
#define DVI_OS_FOLDER O_SEARCH
#else
#define DVI_OS_FOLDER O_RDONLY
#endif

typedef enum dvi_os_advice {
    DVI_OS_IN_ORDER, /* the file is read from start to end */
    DVI_OS_SOON,     /* these bytes will be read */
    DVI_OS_FORGET    /* these bytes will not be read again */
} dvi_os_advice;

void dvi_os_advise_file(int fd, int64_t offset, int64_t nbytes, dvi_os_advice advice);

/* Identifies a file. The time of birth is included because a new file may get the inode number of a
 * removed one; it is 0 if the file system does not record it. */
typedef struct dvi_os_identity {
    uint64_t device, inode;
    int64_t birth, birth_ns;
} dvi_os_identity;

/* Identify an open file (path ""), or the file at a path (fd AT_FDCWD). Returns false on failure,
 * with errno. */
bool dvi_os_identify(int fd, const char *path, dvi_os_identity *identity_out);

/* When the contents of a file changed, and when its facts did, in nanoseconds since 1970. */
void dvi_os_times(const struct stat *facts, int64_t times_out[2]);

/* Open a file or folder below `folder`; the system follows links that stay below it. Returns -1 on
 * failure: EXDEV or ELOOP if the path leads out, ENOSYS if the system cannot do it. */
int dvi_os_open_below(int folder, const char *path, int flags);

/* Open a new file without a name in a folder, to write and read. Returns -1 on failure: EOPNOTSUPP
 * if that is impossible here. */
int dvi_os_open_unnamed(const char *folder);

/* Swap two names in a folder. Returns 0, or -1 with errno. */
int dvi_os_swap_names(int folder, const char *a, const char *b);

/* Write to the disk all that the file system of an open file holds in memory. Returns 0, or -1. */
int dvi_os_sync_file_system(int fd);

/* --- What the system keeps of a file (os_page_cache.c) ---------------------------------------- */

typedef enum dvi_page {
    DVI_PAGE_UNKNOWN, /* the system does not say */
    DVI_PAGE_MISSING,
    DVI_PAGE_THERE /* in the page cache, or on its way there */
} dvi_page;

/* Whether the page with this byte is in memory. Asking starts no reading, except on Linux before
 * 6.5. */
dvi_page dvi_os_page(int fd, int64_t offset);

/* --- Network file systems (os_network.c) ------------------------------------------------------ */

/* The name of an open file's file system, such as "NFS", if its files can be cut by another machine
 * or become unreachable while they are mapped; "" if not, or if the system does not say. */
const char *dvi_os_network(int fd);

/* The same by the number of a file system, which Linux has. */
const char *dvi_os_network_of(uint32_t magic);

#endif
