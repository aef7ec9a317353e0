/* SPDX-License-Identifier: MIT */
/* tf_concat.h: the concatenation of views that have names, such as files. */
#ifndef DVI_TRANSFORM_TF_CONCAT_H
#define DVI_TRANSFORM_TF_CONCAT_H

#include <dataview/transform.h>

/* As dv_view_concat, but ends after `most` rows of all views together. Errors and warnings call
 * view i names[i], which is copied; without names (NULL) they say "view i". */
dv_status dvi_concat_named(dv_view **view_out, dv_view *const *views, const char *const *names,
                           int32_t n, int64_t most, const dv_allocator *allocator, dv_error *err);

#endif
