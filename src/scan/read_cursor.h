/* SPDX-License-Identifier: MIT */
/* read_cursor.h: the cursor of a view whose class has `read` (own_view.h). */
#ifndef DVI_SCAN_READ_CURSOR_H
#define DVI_SCAN_READ_CURSOR_H

#include "scan/splits.h"

/* The class by which cursors are opened on the view, and its self. A class without `read` is used
 * itself. */
const dv_view_class *dvi_view_reader(dv_view *view, void **self_out);

/* How the rows of the view are divided into splits; NULL: they are not. */
const dvi_splits_class *dvi_view_splits(const dv_view *view);

#endif
