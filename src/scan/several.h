/* SPDX-License-Identifier: MIT */
/* several.h: what the views that are made of several views have in common. */
#ifndef DVI_SCAN_SEVERAL_H
#define DVI_SCAN_SEVERAL_H

#include "base/arena.h"
#include "view/view.h"
#include <dataview/inspect.h>

/* The beginning of what such a view is made of. */
typedef struct dvi_several {
    dvi_arena arena;    /* of all that the view keeps */
    dv_view **views;    /* one reference each */
    const char **names; /* of the views, for errors; NULL: they have none */
    int32_t n;
    /* The column of view i that column `column` is; -1: none of its columns.  NULL: each view has
     * the same columns. */
    int32_t (*column_of)(const void *self, int32_t i, int32_t column);
    bool is_joined;     /* its rows are those of the views, one view after another */
    bool may_take_long; /* a row of one of the views may: thousands of files need not be asked */

    size_t nbytes; /* of the struct that begins with this one */
} dvi_several;

/* A zeroed struct of nbytes with a reference to each of n >= 1 views and a copy of their names
 * (NULL: none).  Freed by dvi_several_close. */
dv_status dvi_several_create(void **self_out, size_t nbytes, dv_view *const *views,
                             const char *const *names, int32_t n, const dv_allocator *allocator,
                             dv_error *err);

/* Make a view of that class.  The class lacks what all such views do alike: close, verify, check,
 * block_rows (0 if one of the views has to read the rows before, else the largest), traits and, if
 * it is NULL, identify.  The schema is taken, and freed on failure.  If `status` is a failure, it
 * is returned.  On failure self is closed. */
dv_status dvi_several_view(dv_view **view_out, const dv_view_class *cls, void *self,
                           dv_schema *schema, dv_status status, dv_error *err);

/* Name view i in the error, unless it names a file already: names[i], or "view i" without names.
 * Returns the status. */
dv_status dvi_several_blame(const void *self, int32_t i, dv_status status, dv_error *err);

/* If the view is a concatenation: how many views it joins, *views_out; else 0. */
int32_t dvi_several_joined(const dv_view *view, dv_view *const **views_out);
/* Check view i of a concatenation alone (dvi_view_check). */
dv_status dvi_several_check(const dv_view *view, int32_t i, dv_error *err);

/* Members of dv_view_class. */
void dvi_several_close(void *self);
dv_status dvi_several_identify(void *self, dv_identity *identity, dv_error *err);

#endif
