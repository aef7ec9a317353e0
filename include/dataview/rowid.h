/* SPDX-License-Identifier: MIT */
/* rowid.h: how do the ids of rows follow from each other?  (semantics:5.4) */
#ifndef DATAVIEW_ROWID_H
#define DATAVIEW_ROWID_H

#include <dataview/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arithmetic for those who make a view whose rows come from rows of other views, and who must give
 * each an id that no other row has: the same numbers as ML.NET's.  No failure; any thread.
 *
 * next     the id after this one in a sequence
 * fork     an id that is unlike it, the start of another sequence
 * combine  an id of both: of a row, and of which of its copies this is.  Not commutative.
 */
DV_API dv_u128 dv_rowid_next(dv_u128 id);
DV_API dv_u128 dv_rowid_fork(dv_u128 id);
DV_API dv_u128 dv_rowid_combine(dv_u128 id, dv_u128 other);

#ifdef __cplusplus
}
#endif

#endif
