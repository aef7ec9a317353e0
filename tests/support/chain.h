/* SPDX-License-Identifier: MIT */
/* chain.h: views made from views as a JSON text says, in the words of golden/transform. */
#ifndef DVT_CHAIN_H
#define DVT_CHAIN_H

#include "support/json_tree.h"
#include <dataview/epoch.h>
#include <dataview/view.h>

/* One step, or the steps of a "Chain", or an array of them; what stands in "before" comes first.
 * What the transform says, or DV_ERR_UNSUPPORTED: there is no such transform here. */
dv_status dvt_chain_apply(dv_view **view_out, dv_view *source, const dvt_json *step,
                          const dv_allocator *allocator, dv_error *err);
/* The same from text, which must be JSON. */
dv_status dvt_chain_of(dv_view **view_out, dv_view *source, const char *text,
                       const dv_allocator *allocator, dv_error *err);

/* What a step "Epoch" says. */
dv_epoch_options dvt_chain_epoch(const dvt_json *params);

#endif
