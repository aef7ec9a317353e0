/* SPDX-License-Identifier: MIT */
/* image_paths.h: when a pipeline is fitted, looks whether paths lead to files at all.
 *
 * A path that leads nowhere is a missing picture; if all do, the folder is the wrong one, and
 * nothing but NA would come of the table. */
#ifndef DVI_IMAGE_PATHS_H
#define DVI_IMAGE_PATHS_H

#include "image/image_load.h"

/* What a class learns with: nothing that is kept.  It looks at the first 100 rows, until one has a
 * path that leads to a file, unless the step says `strict`, and `strict-` too.  Where filters leave
 * fewer of the first chunk, and more of others, nothing is said of them.  `begin` of the class
 * first finds out whether the step is sound. */
bool dvi_paths_learns(const dv_step *step);
dv_status dvi_paths_begin(void **learner_out, const dv_step_binding *binding, dv_error *err);
dv_status dvi_paths_begin_chunk(void *learner, int64_t chunk, dv_error *err);
dv_status dvi_paths_see(void *learner, const dv_column_view *const *sources, int64_t place,
                        dv_error *err);
bool dvi_paths_is_full(const void *learner);
dv_status dvi_paths_merge(void **learners, int32_t n, dv_error *err);
dv_status dvi_paths_finish(void **learned_out, void **learner, const dv_step_binding *binding,
                           dv_error *err);
void dvi_paths_free(void *learner);

/* Whether the sources are paths, so that files are opened. */
bool dvi_paths_acts(const dv_step_binding *binding);

#define DVI_PATHS_CLASS(name)                                                                      \
    .learns = dvi_paths_learns, .begin = begin_##name, .free_learner = dvi_paths_free,             \
    .begin_chunk = dvi_paths_begin_chunk, .see = dvi_paths_see, .is_full = dvi_paths_is_full,      \
    .merge = dvi_paths_merge, .finish = dvi_paths_finish, .free_learned = dvi_block_free,          \
    .acts_outside = true, .acts = dvi_paths_acts

#endif
