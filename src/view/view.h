/* SPDX-License-Identifier: MIT */
/* view.h: what is behind a view? */
#ifndef DVI_VIEW_VIEW_H
#define DVI_VIEW_VIEW_H

#include <dataview/view.h>

const dv_view_class *dvi_view_class(const dv_view *view);
void *dvi_view_self(const dv_view *view);
const dv_allocator *dvi_view_allocator(const dv_view *view);

/* Its identity (identity.h), if it is kept; and keep it.  Any thread. */
bool dvi_view_kept_identity(const dv_view *view, dv_u16 *identity_out);
void dvi_view_keep_identity(dv_view *view, dv_u16 identity);

/* Is all that batches of the view point into still there? */
dv_status dvi_view_check(const dv_view *view, dv_error *err);

#endif
