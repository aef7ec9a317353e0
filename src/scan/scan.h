/* SPDX-License-Identifier: MIT */
/* scan.h: divides the rows at the base of a chain of views among the members of a cursor set.
 *
 * A member is a cursor on the view that was opened with a dvi_member. Each view of the chain passes
 * the dvi_member to the cursor of its source. At the base, the dvi_member itself is the cursor: it
 * takes a chunk from the scan, delivers the rows of the chunk, and takes the next one. A chunk is
 * a run of row numbers or a split (splits.h), which the member reads with its own cursor, or a
 * group of batches of one reading cursor that all members share.
 *
 * Where rows are slow to make, chunks are small: then a set is fine. If blocks are larger than its
 * chunks, members share a reading cursor, so that no block is decoded twice. */
#ifndef DVI_SCAN_SCAN_H
#define DVI_SCAN_SCAN_H

#include "scan/splits.h"
#include <dataview/cursor.h>

#define DVI_GROUP_MAX 64
#define DVI_CHUNK_ROWS_LEAST INT64_C(1024)

/* Batches of the reading cursor, retained: at to n - 1. */
typedef struct dvi_group {
    const dv_batch *batch[DVI_GROUP_MAX];
    int32_t at, n;
} dvi_group;

void dvi_group_release(dvi_group *group);

typedef struct dvi_member dvi_member;

/* One per set. Its creator and its members hold references. */
typedef struct dvi_scan dvi_scan;

/* The facts that are known before a member is open. */
typedef struct dvi_scan_how {
    bool is_range;    /* not all rows of the view are requested */
    int64_t job_rows; /* dvi_scan_job_rows */
    int32_t threads;  /* that read members */
    /* Chunks may be splits, because one caller gives them to members and takes them in order: the
     * request of that caller. NULL: they may not. */
    const dv_cursor_request *in_order;
} dvi_scan_how;

/* The rows of a chunk, in whole blocks of the view: enough to be worth a task, but where rows are
 * slow to make (job_rows > 0) few enough that each thread gets some. */
int64_t dvi_scan_chunk_rows(const dv_view *view, const dv_cursor_request *request, int64_t job_rows,
                            int32_t threads);
/* The rows that are enough for a chunk of these columns; 0: all are quick to make. A chunk is at
 * most as large as a batch of the consumer, so that nothing is copied. */
int64_t dvi_scan_job_rows(const dv_view *view, const int32_t *columns, int32_t n,
                          int64_t batch_rows);

dv_status dvi_scan_create(dvi_scan **scan_out, dv_view *view, const dvi_scan_how *how,
                          dv_error *err);
/* Make the scan of a set for a cursor on the view. *workers_out: the threads that read members,
 * besides the caller's; the scan's reading cursor gets the others. 0: a set does not pay; the scan
 * may be NULL. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_scan_plan(dvi_scan **scan_out, int32_t *workers_out, dv_view *view,
                        const dv_cursor_request *request, dv_error *err);
void dvi_scan_retain(dvi_scan *scan);
void dvi_scan_release(dvi_scan **scan);

/* The view whose rows are divided. */
dv_view *dvi_scan_base(const dvi_scan *scan);
/* Three kinds of chunks. */
typedef enum dvi_chunks {
    DVI_CHUNKS_OF_ROWS,
    DVI_CHUNKS_ARE_SPLITS,
    DVI_CHUNKS_ARE_GROUPS
} dvi_chunks;
dvi_chunks dvi_scan_kind(const dvi_scan *scan);
bool dvi_scan_is_fine(const dvi_scan *scan);
/* Set the threads of the reading cursor. */
void dvi_scan_use_threads(dvi_scan *scan, int32_t reader_threads);
/* Members take no chunks by themselves: dvi_member_give gives them. */
void dvi_scan_assign(dvi_scan *scan);
/* Has a member taken a chunk? */
bool dvi_scan_has_begun(const dvi_scan *scan);

/* The request to the base, once a member is open; and the most splits that it may have. */
const dv_cursor_request *dvi_scan_asked(const dvi_scan *scan);
int64_t dvi_scan_splits_most(const dvi_scan *scan);
/* Find the splits, once a member is open, in the caller's thread. request: the caller's, for
 * progress. DV_OK; DV_END: there are no rows; another status. */
dv_status dvi_scan_find_splits(dvi_scan *scan, const dv_cursor_request *request,
                               dvi_splits_found *found_out, dv_error *err);
/* Note that `rows` rows of the splits were delivered. */
void dvi_scan_end_splits(dvi_scan *scan, int64_t rows, bool is_end);
/* Complete the error of a member whose chunk follows `rows` rows of the splits. */
void dvi_scan_blame(const dvi_scan *scan, const dvi_member *member, int64_t rows, dv_error *err);

/* The number of chunks, once a member is open and splits are found. INT64_MAX: known only at the
 * end; 0: no rows are requested of the base. */
int64_t dvi_scan_chunks(const dvi_scan *scan);

/* Read the next group from the reading cursor, or return its status: DV_END or an error, which
 * later calls return again. For one thread at a time. */
dv_status dvi_scan_read(dvi_scan *scan, dvi_group *group, dv_error *err);

/* Open a member: a cursor on the view with its own dvi_member. */
dv_status dvi_scan_open_member(dvi_scan *scan, dv_cursor **cursor_out, dv_view *view,
                               const dv_cursor_options *options, dv_error *err);

bool dvi_member_is_at_base(const dvi_member *member, const dv_view *view);
dvi_scan *dvi_member_scan(const dvi_member *member);
void dvi_member_free(dvi_member *member);
/* Give the member a chunk, after it has delivered the one before, and a copy of its group, unless
 * chunks are runs of row numbers. Then call dvi_cursor_seek on the member. */
void dvi_member_give(dvi_member *member, int64_t chunk, const dvi_group *group);

/* If chunks are splits, after dvi_member_give: how the chunk is read; `splits` and `number` are set
 * here. rows_most and is_ahead may change later. */
void dvi_member_place(dvi_member *member, const dvi_split *how);
/* The rows that were read of the split; where it began, where it ended, after DV_END. */
int64_t dvi_member_rows(const dvi_member *member);
void dvi_member_bounds(const dvi_member *member, int64_t *from_out, int64_t *to_out);
/* Take the counts of the rows that were read since the last call; NULL: there are none. Then add
 * them, if they are delivered: their split follows `rows` rows; or drop them. The last two set
 * *counts to NULL. DV_OK, DV_ERR_MEMORY. */
void *dvi_member_take_counts(dvi_member *member);
dv_status dvi_scan_add_counts(dvi_scan *scan, int64_t rows, void **counts, dv_error *err);
void dvi_scan_drop_counts(const dvi_scan *scan, void **counts);
/* Are ids numbers of rows in the split? */
bool dvi_member_numbers_ids(const dvi_member *member);

/* A member as the cursor at the base. self is the member. */
extern const dv_view_class dvi_member_class;

#endif
