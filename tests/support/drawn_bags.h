/* SPDX-License-Identifier: MIT */
/* drawn_bags.h: a view with bags of drawn slots, sparse and dense ones, with any weights. */
#ifndef DVT_DRAWN_BAGS_H
#define DVT_DRAWN_BAGS_H

#include <dataview/view.h>

/* A view of the rows of `source`, whose column 0 is I8, and of a column X: a bag of `size` slots,
 * 1 to 2^19, which are drawn by that number. Weights are among 0, -0, NaN, infinity and numbers
 * that are 0 or infinite in R4; is_plain: counts. Does not take the source. */
dv_view *dvt_drawn_bags(dv_view *source, int32_t size, bool is_plain,
                        const dv_allocator *allocator);

#endif
