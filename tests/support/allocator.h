/* SPDX-License-Identifier: MIT */
/* allocator.h: an allocator that counts, and fails on request. */
#ifndef DVT_ALLOCATOR_H
#define DVT_ALLOCATOR_H

#include <dataview/buffer.h>
#include <stdatomic.h>

/* Hand &counted.allocator to the library.  Memory comes filled with garbage; a release of other
 * memory, or with another size, aborts.  Any thread. */
typedef struct dvt_allocator {
    dv_allocator allocator;
    int64_t fail_at;             /* the allocation that fails, counted from 1; 0: none */
    size_t nbytes_most;          /* larger ones fail, too; 0: none */
    atomic_int_fast64_t asked;   /* allocations, the failed one included */
    atomic_int_fast64_t live;    /* not released */
    atomic_int_fast64_t nbytes;  /* of these */
    atomic_int_fast64_t highest; /* that nbytes was */
} dvt_allocator;

/* With DV_FAILED_FILE=PATH in the environment each allocation that fails on purpose appends a byte
 * to that file. */
void dvt_allocator_init(dvt_allocator *counted, int64_t fail_at);

/* From one allocation to fail to the next, if there are thousands.  DV_FAIL_STEP=N in the
 * environment: N; otherwise `plain`, or `sanitized` in a build with a sanitizer. */
int64_t dvt_fail_step(int64_t plain, int64_t sanitized);
#define DVT_FAIL_STEP dvt_fail_step(1, 7)

#endif
