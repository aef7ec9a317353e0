/* SPDX-License-Identifier: MIT */
/* read_cursor.h: the cursor of a view whose class has `read` (own_view.h). */
#ifndef DVI_VIEW_READ_CURSOR_H
#define DVI_VIEW_READ_CURSOR_H

#include "view/splits.h"

/* self is the view. */
extern const dv_view_class dvi_read_class;
/* The splits of such a view. */
extern const dvi_splits_class dvi_read_splits;

#endif
