/* SPDX-License-Identifier: MIT */
/* rowid.h: arithmetic of row ids (semantics:5.4). */
#ifndef DATAVIEW_ROWID_H
#define DATAVIEW_ROWID_H

#include <dataview/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For views of your own (own_view.h) whose rows come from rows of other views: each row needs an id
 * that no other row of the view has.  The results are those of ML.NET's DataViewRowId.  Any thread;
 * no failure.
 *
 * next     the id that follows in a sequence
 * fork     an unrelated id, which starts another sequence
 * combine  an id made of two, for example of a row and of the number of its copy.  Not commutative
 */
DV_API dv_u128 dv_rowid_next(dv_u128 id);
DV_API dv_u128 dv_rowid_fork(dv_u128 id);
DV_API dv_u128 dv_rowid_combine(dv_u128 id, dv_u128 other);

#ifdef __cplusplus
}
#endif

#endif
