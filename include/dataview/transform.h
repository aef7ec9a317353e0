/* SPDX-License-Identifier: MIT */
/* transform.h: which views are made from other views? */
#ifndef DATAVIEW_TRANSFORM_H
#define DATAVIEW_TRANSFORM_H

#include <dataview/buffer.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All rows of the first view, then all of the second, and so on: n views as one.
 *
 * views      n >= 1; each is retained, so the caller's references stay the caller's
 * allocator  NULL: malloc
 *
 * schema     that of the first view, metadata too.  The others have the same columns: names, order
 *            and types, hidden ones included; their metadata may differ, and are not seen
 * rows       the sum; unknown when one of them is
 * ids        dv_rowid_combine(id of the row, {number of its view, 0})  (semantics.md 5.4)
 * batches    those of the views, not copied; none crosses from one view into the next, unless
 *            batch_rows asks for it.  Only views that the rows asked for lie in are read, one after
 *            the other: each has a cursor of its own, opened when its turn comes.  A view that does
 *            not know how many rows it has is read once more, without columns, to pass over rows
 *
 * errors     as the view tells them, after the rows before; "view 1" in front when no file is named
 *
 * facts      summed up; verification checks one view after the other
 *
 * One view is no concatenation: then *view_out is that view, and its ids are as they were.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n < 1; more than 2^63-1 rows; a view differs from the first: err names view and
 *                  column, what was expected and what was found
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_view_append(dv_view **view_out, dv_view *const *views, int32_t n,
                                const dv_allocator *allocator, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
