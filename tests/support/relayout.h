/* SPDX-License-Identifier: MIT */
/* relayout.h: the same vectors in another layout. */
#ifndef DVT_RELAYOUT_H
#define DVT_RELAYOUT_H

#include <dataview/view.h>

/* A view with the visible columns of the source, whose vectors are all dense, or sparse without an
 * item that is the default.  Takes the source. */
dv_view *dvt_relayout(dv_view *source, bool is_dense);

#endif
