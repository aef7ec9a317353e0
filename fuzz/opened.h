/* SPDX-License-Identifier: MIT */
/* opened.h: any bytes as a view, within bounds that keep a fuzzer fast. */
#ifndef DVT_OPENED_H
#define DVT_OPENED_H

#include "meter.h"
#include <dataview/inspect.h>
#include <dataview/open.h>

/* Bytes in an allocation of their own, and draws that follow from them. */
typedef struct dvt_input {
    uint8_t *data;
    size_t n;
    uint64_t draws;
} dvt_input;

/* false: too long to be looked at.  Free it in any case. */
bool dvt_input_read(dvt_input *input_out, const uint8_t *data, size_t n);
void dvt_input_free(dvt_input *input);
uint64_t dvt_input_draw(dvt_input *input, uint64_t below);

/* At most DVT_WALK_COLUMNS columns (walk.h), DVT_OPENED_ROWS rows where there are no columns,
 * blocks of 64 KiB.  The input must outlive the view.  NULL: it is no .idv file that opens. */
#define DVT_OPENED_ROWS 2048
dv_view *dvt_opened(const dvt_input *input, dv_io io, const dv_allocator *allocator);

/* --- Of any format, by somebody who counts its memory ----------------------------------------- */

#define DVT_METERED_FAILURES 3 /* allocations in a row: the library may try again by itself */

typedef struct dvt_metered {
    dvt_meter meter;
    int tries, releases; /* to open, and of the bytes by the library: once each */
    dv_view *view;
    dv_status status;
    dv_error err;
} dvt_metered;

/* Open n bytes with these options, but for the allocator, and at most so many bytes of memory.
 * From allocation number fail_at on (0: none) some fail, and the call is repeated.  That it cannot
 * be opened has another reason than the system and memory. */
void dvt_metered_open(dvt_metered *m, const void *data, size_t n, const dv_open_options *how,
                      long long most_nbytes, long long fail_at);
/* The same bytes as a new view: one that was read has learned of them. */
void dvt_metered_reopen(dvt_metered *m, const void *data, size_t n, const dv_open_options *how);
/* Let `count` allocations fail, the `at`th from now on and those that follow it. */
void dvt_metered_fail(dvt_metered *m, long long at, long long count);
/* All memory must be given back. */
void dvt_metered_close(dvt_metered *m);

/* What dv_verify tells of a view, when it is stopped at so many defects and warnings (0: not). */
typedef struct dvt_verdict {
    int64_t defects, warnings, stop_at;
    int64_t bare; /* of these, without a rule, or without what was expected and found */
} dvt_verdict;
dvt_verdict dvt_metered_verify(const dvt_metered *m, int64_t stop_at);

#endif
