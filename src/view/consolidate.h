/* SPDX-License-Identifier: MIT */
/* consolidate.h: one cursor over the members of a set, which threads of its own move. */
#ifndef DVI_VIEW_CONSOLIDATE_H
#define DVI_VIEW_CONSOLIDATE_H

#include "view/split_cursor.h"

typedef struct dvi_set dvi_set;

/* A set for a cursor on the view, if threads would gain from it; *set_out is NULL where not. */
dv_status dvi_set_create(dvi_set **set_out, dv_view *view, const dv_cursor_request *request,
                         dv_error *err);
/* A set of n members that are open, with as many threads.  They are taken, and NULL, when a cursor
 * is opened on it. */
dv_status dvi_set_of(dvi_set **set_out, dv_view *view, dvi_split *split, dv_cursor *members[],
                     int32_t n, dv_error *err);

/* The set as a cursor: what dv_view_class has; self is the set, which open_cursor takes, also on
 * failure. */
extern const dv_view_class dvi_set_class;

#endif
