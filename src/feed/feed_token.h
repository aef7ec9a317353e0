/* SPDX-License-Identifier: MIT */
/* feed_token.h: the position of a feed as text.  (docs/training.md) */
#ifndef DVI_FEED_TOKEN_H
#define DVI_FEED_TOKEN_H

#include "feed/feed_plan.h"

/* DV_OK; DV_ERR_*: what the view has instead of an identity. */
dv_status dvi_feed_token_write(dv_token *token_out, const dvi_feed_plan *plan,
                               const dvi_feed_position *position, dv_error *err);

/* Where a feed of this plan goes on.
 * DV_OK; DV_ERR_ARGUMENT: no token, or not one of this view and this order; as above. */
dv_status dvi_feed_token_read(dvi_feed_position *position_out, const dvi_feed_plan *plan,
                              const char *token, dv_error *err);

#endif
