/* SPDX-License-Identifier: MIT */
/* reading.h: reads a view and hashes its values, so that readings with other batches, threads and
 * cursors can be compared. */
#ifndef DVT_READING_H
#define DVT_READING_H

#include <dataview/cursor.h>
#include <dataview/row.h>

enum { DVT_READ_COLUMNS = 16 };

/* How to read a view. */
typedef struct dvt_reading {
    const int32_t *columns; /* of the schema; at most DVT_READ_COLUMNS */
    int32_t columns_count;
    int64_t first_row, end_row; /* of the view; end_row -1: to the end */
    bool by_skip;               /* select them with skip and take */
    bool by_default;            /* name no columns: the columns are those that are not hidden */
    int32_t threads;
    int64_t batch_rows;
    bool by_row; /* with a row cursor */
    bool zero_copy_only, ids;
    bool own_ids;                   /* ids are not row numbers */
    bool writes;                    /* also write values as text, the first few thousand */
    int64_t marked_row, marked_end; /* rows that also have a separate hash */
    int64_t rows, cost;             /* where to stop: rows, and bytes or items read; 0: nowhere */
} dvt_reading;

/* The result of a reading. */
typedef struct dvt_answer {
    dv_status status; /* DV_END: all rows; DV_OK: stopped; else the error */
    dv_error err;
    int64_t rows, cost;
    uint64_t hash[DVT_READ_COLUMNS], marked[DVT_READ_COLUMNS];
} dvt_answer;

/* Read the view.  A call that fails for lack of memory is repeated, up to three times. */
dvt_answer dvt_read_view(dv_view *view, const dvt_reading *reading);

/* Whether status, rule, offset, rows and hashes are equal. */
bool dvt_answer_same(const dvt_answer *a, const dvt_answer *b);

/* Continue the hash with a value, and check what batch.h promises of it; adds to *cost. */
uint64_t dvt_hash_value(uint64_t hash, const dv_value *value, int64_t *cost);
uint64_t dvt_hash_bytes(uint64_t hash, const void *data, size_t n);
uint64_t dvt_hash_number(uint64_t hash, uint64_t number);

/* Write it in both styles: text must be UTF-8, and the exact form one JSON value in a line. */
void dvt_write_value(const dv_value *value);

#endif
