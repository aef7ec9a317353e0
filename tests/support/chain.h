/* SPDX-License-Identifier: MIT */
/* chain.h: makes views of views from JSON, in the notation of golden/transform. */
#ifndef DVT_CHAIN_H
#define DVT_CHAIN_H

#include "support/json_tree.h"
#include <dataview/epoch.h>
#include <dataview/view.h>

/* One step, or the steps of a "Chain", or an array of them; the steps in "before" come first.
 * Returns the status of the transform, or DV_ERR_UNSUPPORTED if there is none of that name. */
dv_status dvt_chain_apply(dv_view **view_out, dv_view *source, const dvt_json *step,
                          const dv_allocator *allocator, dv_error *err);
/* The same from text, which must be JSON. */
dv_status dvt_chain_of(dv_view **view_out, dv_view *source, const char *text,
                       const dv_allocator *allocator, dv_error *err);

/* The options of a step "Epoch". */
dv_epoch_options dvt_chain_epoch(const dvt_json *params);

#endif
