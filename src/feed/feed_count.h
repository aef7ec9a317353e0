/* SPDX-License-Identifier: MIT */
/* feed_count.h: where a feed stands after a number of batches, without reading them. */
#ifndef DVI_FEED_COUNT_H
#define DVI_FEED_COUNT_H

#include "feed/feed_plan.h"

/* The position after `batches` batches from plan->first, those of all workers counted.
 * DV_OK; DV_ERR_ARGUMENT: see dv_feed_token_after. */
dv_status dvi_feed_count(dvi_feed_position *after_out, const dvi_feed_plan *plan, int64_t batches,
                         dv_error *err);

#endif
