/* SPDX-License-Identifier: MIT */
/* opened.h: opens any bytes as a view, within limits that keep a fuzzer fast. */
#ifndef DVT_OPENED_H
#define DVT_OPENED_H

#include "meter.h"
#include <dataview/inspect.h>
#include <dataview/open.h>

/* Bytes in their own allocation, and draws that depend on them. */
typedef struct dvt_input {
    uint8_t *data;
    size_t n;
    uint64_t draws;
} dvt_input;

/* false: too long to test.  Free it in any case. */
bool dvt_input_read(dvt_input *input_out, const uint8_t *data, size_t n);
void dvt_input_free(dvt_input *input);
uint64_t dvt_input_draw(dvt_input *input, uint64_t below);

/* At most DVT_READ_COLUMNS columns (reading.h), DVT_OPENED_ROWS rows where there are no columns,
 * blocks of 64 KiB.  The input must outlive the view.  NULL: the bytes do not open as .idv. */
#define DVT_OPENED_ROWS 2048
dv_view *dvt_opened(const dvt_input *input, dv_io io, const dv_allocator *allocator);

/* --- Any format, with failing allocations ----------------------------------------------------- */

#define DVT_METERED_FAILURES 3 /* consecutive allocations: the library can retry on its own */

typedef struct dvt_metered {
    dvt_meter meter;
    int tries, releases; /* to open, and those of the library: once each */
    dv_view *view;
    dv_status status;
    dv_error err;
} dvt_metered;

/* Open n bytes with these options, except the allocator, and at most most_nbytes of memory.  From
 * allocation fail_at on (0: none) some fail, and the call is repeated.  If opening fails, the
 * reason is neither the system nor memory. */
void dvt_metered_open(dvt_metered *m, const void *data, size_t n, const dv_open_options *how,
                      long long most_nbytes, long long fail_at);
/* Open the same bytes as a new view: one that was read has learned about them. */
void dvt_metered_reopen(dvt_metered *m, const void *data, size_t n, const dv_open_options *how);
/* Let `count` allocations fail, from the `at`th from now on. */
void dvt_metered_fail(dvt_metered *m, long long at, long long count);
/* All memory must be given back. */
void dvt_metered_close(dvt_metered *m);

/* The findings of dv_verify, stopped at this many defects and warnings (0: not stopped). */
typedef struct dvt_verdict {
    int64_t defects, warnings, stop_at;
    int64_t bare; /* those without a rule, or without expected and found */
} dvt_verdict;
dvt_verdict dvt_metered_verify(const dvt_metered *m, int64_t stop_at);

#endif
