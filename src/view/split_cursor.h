/* SPDX-License-Identifier: MIT */
/* split_cursor.h: the rows at the bottom of a chain of views, shared out among the members of a
 * cursor set.
 *
 * A member is a cursor on the view, opened with a member.  Each view of the chain hands the member
 * to its source's cursor; at the bottom the member is that cursor: it asks the split for a chunk,
 * delivers its rows, and asks for the next.  A chunk is a run of row numbers, which the member
 * reads with a cursor of its own; or a group of batches of one reading cursor, which all members
 * share. */
#ifndef DVI_VIEW_SPLIT_CURSOR_H
#define DVI_VIEW_SPLIT_CURSOR_H

#include <dataview/cursor.h>
#include <dataview/own_view.h>

#define DVI_GROUP_MAX 64

/* Batches of the reading cursor, retained: at to n - 1. */
typedef struct dvi_group {
    const dv_batch *batch[DVI_GROUP_MAX];
    int32_t at, n;
} dvi_group;

void dvi_group_release(dvi_group *group);

/* One per set.  Reference-counted: by whoever made it, and by its members. */
typedef struct dvi_split dvi_split;

/* is_range: not all rows of the view are asked for.  reader_threads: of the reading cursor. */
dv_status dvi_split_create(dvi_split **split_out, dv_view *view, bool is_range, dv_error *err);
void dvi_split_retain(dvi_split *split);
void dvi_split_release(dvi_split **split);

/* The view whose rows are shared out, and whether that is by number. */
dv_view *dvi_split_base(const dvi_split *split);
bool dvi_split_is_by_number(const dvi_split *split);
void dvi_split_use_threads(dvi_split *split, int32_t reader_threads);
/* Let members have no chunk but those they are given. */
void dvi_split_assign(dvi_split *split);
/* Has any chunk been handed out? */
bool dvi_split_has_begun(const dvi_split *split);

/* How many chunks there are, once a member is open: INT64_MAX when only reading tells; 0: the chain
 * wants no row at all. */
int64_t dvi_split_chunks(const dvi_split *split);

/* The next group of the reading cursor, or what it says: DV_END, DV_ERR_MEMORY (may be repeated),
 * another error, which is final.  For one thread at a time. */
dv_status dvi_split_read(dvi_split *split, dvi_group *group, dv_error *err);

/* A member: a cursor on the view, with a member of its own. */
dv_status dvi_split_open_member(dvi_split *split, dv_cursor **cursor_out, dv_view *view,
                                const dv_cursor_options *options, dv_error *err);

typedef struct dvi_member dvi_member;

bool dvi_member_is_bottom(const dvi_member *member, const dv_view *view);
dvi_split *dvi_member_split(const dvi_member *member);
void dvi_member_free(dvi_member *member);
/* Give the member this chunk, when those it had are done; with its group, which is emptied, unless
 * rows are shared out by number.  The member is then to be sought to its rows. */
void dvi_member_give(dvi_member *member, int64_t chunk, dvi_group *group);

/* A member as a cursor at the bottom: what dv_view_class has; self is the member. */
extern const dv_view_class dvi_member_class;

#endif
