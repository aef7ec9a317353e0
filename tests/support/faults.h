/* SPDX-License-Identifier: MIT */
/* faults.h: lets the k-th system call fail, do only half, or be the last one of the process.
 *
 * In a test that includes this, the linker replaces the system calls of the library by ours
 * (cmake/tests.cmake names them; faults.c has one for each), which count and fail on request. Calls
 * of the test itself count too, so start late and stop early. Any thread may call. */
#ifndef DVT_FAULTS_H
#define DVT_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum dvt_fault {
    DVT_FAULT_NONE,   /* only count */
    DVT_FAULT_ERROR,  /* it fails with os_code; a close closes nevertheless */
    DVT_FAULT_FROM,   /* so do all that follow */
    DVT_FAULT_SHORT,  /* half of the bytes are read or written */
    DVT_FAULT_ZERO,   /* none is, and nothing has failed */
    DVT_FAULT_KILL,   /* after it the process is killed by SIGKILL */
    DVT_FAULT_PRETEND /* from it on bytes are not written, as if to a huge disk; a machine is huge
                       */
} dvt_fault;

/* Spoil call number `at`, counted from 1 from now on. */
void dvt_faults_start(int64_t at, dvt_fault fault, int os_code);
/* The same, counting only the calls of that name, static text. */
void dvt_faults_start_at(const char *call, int64_t at, dvt_fault fault, int os_code);
/* No more.  How many calls were counted. */
int64_t dvt_faults_stop(void);
/* The name of the call that was spoiled, static text; "" while none was. */
const char *dvt_faults_hit(void);

/* Does the library find only the first page of a file in the page cache? */
void dvt_faults_uncached(bool is);

/* Since the start: the largest pwrite in bytes, and the end of the last one. */
int64_t dvt_faults_widest(void);
int64_t dvt_faults_end(void);

#endif
