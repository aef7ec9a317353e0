/* SPDX-License-Identifier: MIT */
/* bootstrap.h: a bootstrap sample under a generator of the caller's. */
#ifndef DVI_BOOTSTRAP_H
#define DVI_BOOTSTRAP_H

#include "base/random.h"
#include <dataview/view.h>

/* As dv_view_bootstrap, whose generator is that of its seed: where a source or the sample is
 * shuffled, theirs are drawn from it first (semantics:7.17). */
dv_status dvi_bootstrap_of(dv_view **view_out, dv_view *source, dvi_random random, bool complement,
                           const dv_allocator *allocator, dv_error *err);

#endif
