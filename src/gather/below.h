/* SPDX-License-Identifier: MIT */
/* below.h: the rows of a view as rows of one below it, if the view only chooses or reorders
 * rows by number: taken, left out, drawn. Read there, they are in place, and blocks are shared. */
#ifndef DVI_GATHER_BELOW_H
#define DVI_GATHER_BELOW_H

#include <dataview/view.h>

#define DVI_BELOW_MOST 8

typedef struct dvi_below {
    dv_view *view;                        /* whose rows are read; no reference of its own */
    const dv_view *above[DVI_BELOW_MOST]; /* the views passed on the way down */
    int32_t n;
} dvi_below;

/* Go down from a view as far as its rows are known by number. */
dvi_below dvi_below_of(dv_view *view);

/* Replace n numbers of rows of the first view, in an epoch, by their numbers below. */
void dvi_below_renumber(const dvi_below *below, int64_t epoch, int64_t *rows, int64_t n);

#endif
