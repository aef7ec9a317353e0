/* SPDX-License-Identifier: MIT */
/* drawn_chain.h: makes chains of views that bytes determine. */
#ifndef DVT_DRAWN_CHAIN_H
#define DVT_DRAWN_CHAIN_H

#include "support/lines.h"
#include <dataview/view.h>

/* Decisions, a byte each; none are left: 0. */
typedef struct dvt_draws {
    const uint8_t *at;
    size_t left;
} dvt_draws;

uint32_t dvt_next_draw(dvt_draws *draws, uint32_t n); /* 0..n-1, n <= 256 */

#define DVT_DRAWN_STEPS 7 /* at most */

/* A view of the source through zero or more steps of any transform, with drawn parameters. Steps
 * that the library refuses are skipped. log: receives the names of the steps; NULL: nothing.
 *
 * The view is not much larger than the source: rows are concatenated and columns copied only if
 * there are few, and no vector of many slots becomes text.
 *
 * DV_OK; DV_ERR_MEMORY. */
dv_status dvt_drawn_chain(dv_view **view_out, dv_view *source, dvt_draws *draws,
                          const dv_allocator *allocator, dvt_lines *log, dv_error *err);

#endif
