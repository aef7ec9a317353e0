/* SPDX-License-Identifier: MIT */
/* traced.h: kills a command after its k-th system call. */
#ifndef DVT_TRACED_H
#define DVT_TRACED_H

#include <stdint.h>

typedef enum dvt_traced {
    DVT_TRACED_REFUSED, /* the system does not let us trace */
    DVT_TRACED_ENDED,   /* before that call; *status_out is the status of waitpid */
    DVT_TRACED_KILLED
} dvt_traced;

/* Run argv[0] with these arguments, and kill it by SIGKILL when system call number k, counted from
 * 1 over all of its threads, has been done.  Its output goes nowhere. */
dvt_traced dvt_trace(char *const *argv, int64_t k, int *status_out);

#endif
