/* SPDX-License-Identifier: MIT */
/* tf_concat.h: appending views that have names. */
#ifndef DVI_TRANSFORM_TF_APPEND_H
#define DVI_TRANSFORM_TF_APPEND_H

#include <dataview/transform.h>

/* As dv_view_concat, of at most so many rows, all views together; errors and warnings call view i
 * names[i], which is copied.  NULL: "view i". */
dv_status dvi_concat_named(dv_view **view_out, dv_view *const *views, const char *const *names,
                           int32_t n, int64_t most, const dv_allocator *allocator, dv_error *err);

#endif
