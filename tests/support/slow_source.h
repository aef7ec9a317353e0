/* SPDX-License-Identifier: MIT */
/* slow_source.h: a source of bytes in memory, or of a file, that is slow, fails and counts. */
#ifndef DVT_SLOW_SOURCE_H
#define DVT_SLOW_SOURCE_H

#include <dataview/source.h>
#include <stdatomic.h>

/* What the sources of a test have in common.  Zeroed: they neither wait nor fail. */
typedef struct dvt_store {
    int64_t delay_ns;     /* of a request */
    int32_t fail_each;    /* every n-th request fails with DV_ERR_IO; 0: none */
    atomic_int fail_with; /* every request fails with this status; DV_OK: none */
    bool is_mute;         /* requests that fail say nothing */

    atomic_int_fast64_t requests, nbytes;
    atomic_int running, most; /* requests at the same time */
    atomic_int live;          /* sources that are not released */
    atomic_bool is_outside;   /* a request was empty, or outside the source */
} dvt_store;

/* A source of nbytes at data, which stay the test's, with a name and nothing beside it. */
dv_source dvt_slow_memory(dvt_store *store, const void *data, size_t nbytes, const char *name);
/* A source of a file, with the files beside it. */
dv_source dvt_slow_file(dvt_store *store, const char *path);
/* Count from 0 again. */
void dvt_store_reset(dvt_store *store);

#endif
