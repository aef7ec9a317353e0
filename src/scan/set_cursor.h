/* SPDX-License-Identifier: MIT */
/* set_cursor.h: one cursor over the members of a set, which its own threads advance. */
#ifndef DVI_SCAN_SET_CURSOR_H
#define DVI_SCAN_SET_CURSOR_H

#include "scan/scan.h"

typedef struct dvi_set dvi_set;

/* A set for a cursor on the view. *set_out is NULL if threads would gain nothing. */
dv_status dvi_set_create(dvi_set **set_out, dv_view *view, const dv_cursor_request *request,
                         dv_error *err);
/* A set of n open members, with as many threads. Opening a cursor on it takes the members and sets
 * members[] to NULL. */
dv_status dvi_set_of(dvi_set **set_out, dv_view *view, dvi_scan *scan, dv_cursor *members[],
                     int32_t n, dv_error *err);

const dvi_scan *dvi_set_scan(const dvi_set *set);
/* The threads that read members, besides the caller's. */
int32_t dvi_set_workers(const dvi_set *set);

/* The set as a cursor. self is the set; open_cursor takes it, also on failure. */
extern const dv_view_class dvi_set_class;

#endif
