/* SPDX-License-Identifier: MIT */
/* walk.h: what does a walk over a table deliver?  Hashes of its values, so that two walks that must
 * deliver the same can be compared, whatever their batches, threads and cursors. */
#ifndef DVT_WALK_H
#define DVT_WALK_H

#include <dataview/cursor.h>
#include <dataview/row.h>

enum { DVT_WALK_COLUMNS = 16 };

/* How to walk. */
typedef struct dvt_walk {
    const int32_t *columns; /* of the schema; at most DVT_WALK_COLUMNS */
    int32_t columns_count;
    int64_t first_row, end_row; /* of the view; end_row -1: to the end */
    bool by_skip;               /* ask for them with skip and take */
    bool by_default;            /* the columns are those that are not hidden: name none */
    int32_t threads;
    int64_t batch_rows;
    bool by_row; /* with a row cursor */
    bool zero_copy_only, ids;
    bool own_ids;                   /* which are not the numbers of the rows */
    bool writes;                    /* also write values as text, the first few thousand */
    int64_t marked_row, marked_end; /* rows of the view that have a hash of their own */
    int64_t rows, cost; /* where to stop: rows, and bytes or items looked at; 0: nowhere */
} dvt_walk;

/* What came of it. */
typedef struct dvt_answer {
    dv_status status; /* DV_END: all rows; DV_OK: stopped; else the error */
    dv_error err;
    int64_t rows, cost;
    uint64_t hash[DVT_WALK_COLUMNS], marked[DVT_WALK_COLUMNS];
} dvt_answer;

/* An allocation that fails is tried again, up to three times. */
dvt_answer dvt_walk_view(dv_view *view, const dvt_walk *walk);

/* The same status, rule, offset, rows and hashes? */
bool dvt_answer_same(const dvt_answer *a, const dvt_answer *b);

/* Hash one value behind others, and check what batch.h promises of it; adds to *cost. */
uint64_t dvt_hash_value(uint64_t hash, const dv_value *value, int64_t *cost);
uint64_t dvt_hash_bytes(uint64_t hash, const void *data, size_t n);
uint64_t dvt_hash_number(uint64_t hash, uint64_t number);

/* Write it in both styles: text must be UTF-8, and the exact form one JSON value in one line. */
void dvt_write_value(const dv_value *value);

#endif
