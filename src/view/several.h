/* SPDX-License-Identifier: MIT */
/* several.h: what have views in common that are made from several views? */
#ifndef DVI_TRANSFORM_SEVERAL_H
#define DVI_TRANSFORM_SEVERAL_H

#include <dataview/inspect.h>
#include <dataview/own_view.h>

/* Say which view failed, unless a file is named already: names[i], or "view i" where names is NULL.
 * Returns the status. */
dv_status dvi_blame_view(const char *const *names, int32_t i, dv_status status, dv_error *err);

/* Verify one view after the other, as one (dv_verify). */
dv_status dvi_verify_views(dv_view *const *views, const char *const *names, int32_t n,
                           const dv_verify_options *options, dv_error *err);

/* Is all that batches of these views point into still there?  dv_view_class's check. */
dv_status dvi_several_check(dv_view *const *views, const char *const *names, int32_t n,
                            dv_error *err);

/* What dv_view_block_rows says of a view of these views: 0 if rows of one of them are reached by
 * walking there, else the largest. */
int64_t dvi_several_block_rows(dv_view *const *views, int32_t n);

#endif
