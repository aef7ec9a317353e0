/* SPDX-License-Identifier: MIT */
/* starved.h: checks that views survive failing allocations, and batches the end of everything else.
 */
#ifndef DVT_STARVED_H
#define DVT_STARVED_H

#include "support/allocator.h"
#include "support/produce.h"

/* Inspect the view, append its rows to the lines, verify the view. */
dv_status dvt_use_view(dv_view *view, dvt_producer *produce, const dv_cursor_options *options,
                       dvt_lines *lines, dv_error *err);

/* Opens `what` with the allocator, uses all of it and closes it. */
typedef dv_status dvt_attempt(const void *what, const dv_allocator *allocator,
                              const dv_cursor_options *options, dvt_lines *lines, dv_error *err);

/* Let allocation 1, 2, … of an attempt fail, until none does.  Each attempt must end with
 * DV_ERR_MEMORY or write the same lines, and leak nothing. */
void dvt_fail_each_allocation(dvt_attempt *attempt, const void *what, const char *name,
                              const dv_cursor_options *options);

/* Read the view while allocation 1, 2, … fails, and go on at the token (again.h): no row may be
 * lost or come twice, and more than `least` calls must fail.  Takes the view, the last user of
 * `counted`.
 */
void dvt_resume_after_failures(dv_view *view, dvt_allocator *counted,
                               const dv_cursor_options *options, int least, const char *name);

/* Retained batches, 300 at most, must outlive cursor and view with the same rows and
 * ids, which differ from row to row.  Takes the view, the last user of `counted`. */
void dvt_outlive_view(dv_view *view, dvt_allocator *counted, const dv_cursor_options *options);

#endif
