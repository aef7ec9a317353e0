/* SPDX-License-Identifier: MIT */
/* bootstrap.h: a bootstrap sample drawn with a generator of the caller. */
#ifndef DVI_ORDER_BOOTSTRAP_H
#define DVI_ORDER_BOOTSTRAP_H

#include "base/random.h"
#include <dataview/view.h>

/* As dv_view_bootstrap, whose generator comes from its seed.  If the source or the sample is
 * shuffled too, the generators for that are drawn first (semantics:7.17). */
dv_status dvi_bootstrap_of(dv_view **view_out, dv_view *source, dvi_random random, bool complement,
                           const dv_allocator *allocator, dv_error *err);

#endif
