/* SPDX-License-Identifier: MIT */
/* split_cursor.h: divides the rows at the base of a chain of views among the members of a cursor
 * set.
 *
 * A member is a cursor on the view that was opened with a dvi_member. Each view of the chain passes
 * the dvi_member to the cursor of its source. At the base, the dvi_member itself is the cursor: it
 * takes a chunk from the split, delivers the rows of the chunk, and takes the next one. A chunk is
 * a run of row numbers, which the member reads with its own cursor, or a group of batches of one
 * reading cursor that all members share.
 *
 * Where rows take long, chunks are small: then a set is fine. If blocks are larger than its chunks,
 * members share a reading cursor, so that no block is decoded twice. */
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

/* One per set. Its creator and its members hold references. */
typedef struct dvi_split dvi_split;

/* What is known before a member is open. */
typedef struct dvi_split_how {
    bool is_range;    /* not all rows of the view are requested */
    int64_t job_rows; /* dvi_split_job_rows */
    int32_t threads;  /* that read members */
} dvi_split_how;

/* The rows that are enough for a chunk of these columns; 0: none of them takes long. A chunk is not
 * larger than the batches of the consumer, so that they are no copies. */
int64_t dvi_split_job_rows(const dv_view *view, const int32_t *columns, int32_t n,
                           int64_t batch_rows);

dv_status dvi_split_create(dvi_split **split_out, dv_view *view, const dvi_split_how *how,
                           dv_error *err);
void dvi_split_retain(dvi_split *split);
void dvi_split_release(dvi_split **split);

/* The view whose rows are divided, and whether chunks are runs of row numbers. */
dv_view *dvi_split_base(const dvi_split *split);
bool dvi_split_is_by_number(const dvi_split *split);
bool dvi_split_is_fine(const dvi_split *split);
/* Set the threads of the reading cursor. */
void dvi_split_use_threads(dvi_split *split, int32_t reader_threads);
/* Members take no chunks by themselves: dvi_member_give gives them. */
void dvi_split_assign(dvi_split *split);
/* Has a member taken a chunk? */
bool dvi_split_has_begun(const dvi_split *split);

/* The number of chunks, once a member is open. INT64_MAX: known only at the end; 0: no rows are
 * requested of the base. */
int64_t dvi_split_chunks(const dvi_split *split);

/* Read the next group from the reading cursor, or return its status: DV_END or an error, which
 * later calls return again. For one thread at a time. */
dv_status dvi_split_read(dvi_split *split, dvi_group *group, dv_error *err);

/* Open a member: a cursor on the view with its own dvi_member. */
dv_status dvi_split_open_member(dvi_split *split, dv_cursor **cursor_out, dv_view *view,
                                const dv_cursor_options *options, dv_error *err);

typedef struct dvi_member dvi_member;

bool dvi_member_is_at_base(const dvi_member *member, const dv_view *view);
dvi_split *dvi_member_split(const dvi_member *member);
void dvi_member_free(dvi_member *member);
/* Give the member a chunk, after it has delivered the one before, and a copy of its group, unless
 * chunks are runs of row numbers. Then call dvi_cursor_seek on the member. */
void dvi_member_give(dvi_member *member, int64_t chunk, const dvi_group *group);

/* A member as the cursor at the base. self is the member. */
extern const dv_view_class dvi_member_class;

#endif
