/* SPDX-License-Identifier: MIT */
/* counts.h: counts how often each value of a column occurs, in bounded memory. */
#ifndef DATAVIEW_COUNTS_H
#define DATAVIEW_COUNTS_H

#include <dataview/batch.h>
#include <dataview/cursor.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most frequent values of a column; owned by the caller, freed with dv_counts_free.
 *
 * Each slot of a vector is a value, stored or not.  Values are the same if their bits are; 0 and -0
 * are one value.  DZ with equal instants in different zones differ.  NA (dv_value_is_na) is
 * counted, but is no value of the list.
 *
 * missed_most is 0 if all counts are exact.  Otherwise there were more different values than the
 * options allow: each count is then too low by at most missed_most, and a value that is not listed
 * although there is room occurs at most missed_most times. */
typedef struct dv_counts {
    int64_t rows;       /* rows read */
    int64_t values, na; /* all values; those that are NA */
    int64_t distinct;   /* different values without NA; -1: too many to count */
    int64_t missed_most;
    int64_t n; /* values in the list, the most frequent first; equally frequent ones in the
                  order in which they first occur */
    const int64_t *count; /* of each */
    dv_column_view value; /* n rows: the values, as scalars */
} dv_counts;

/* Start from DV_COUNTS_OPTIONS_INIT.
 *
 * cursor          rows, threads and batch_rows, as for dv_cursor_open, without ids; its columns are
 *                 ignored.  NULL: DV_CURSOR_OPTIONS_INIT
 * most            values in the list, at most
 * exact_distinct  counts are exact for up to this many different values, at least 1
 * memory_nbytes   ... whose texts take at most this
 * progress        of rows
 */
typedef struct dv_counts_options {
    size_t size; /* of this struct: set by the INIT */
    const dv_cursor_options *cursor;
    int64_t most;           /* 0..exact_distinct */
    int64_t exact_distinct; /* 1..2^30 */
    int64_t memory_nbytes;  /* 0..2^31-1 */
    dv_progress progress;
} dv_counts_options;

#define DV_COUNTS_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(dv_counts_options), NULL, 10, 1000000, INT64_C(1) << 28,                            \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Count the values of a column, 0..columns-1 of the schema.  options may be NULL.  Any thread.
 *
 * The rows are read once, in order.  The result is the same for any number of threads and any
 * batches.
 *
 * Memory, from the view's allocator, while it counts: up to 72 bytes for each different value up to
 * exact_distinct, and twice the bytes of texts up to memory_nbytes; beyond that, rare values are
 * dropped, and missed_most says what that costs (Misra and Gries: at most
 * values / (exact_distinct / 2), if the texts fit).
 *
 * DV_OK            the counts
 * DV_ERR_STOPPED   `progress` returned false: no result
 * DV_ERR_ARGUMENT  as dv_cursor_open; options of unknown size; a number outside its range
 * DV_ERR_MEMORY    the call may be repeated
 * DV_ERR_*         as dv_cursor_next
 */
DV_API dv_status dv_counts_create(dv_counts **counts_out, dv_view *view, int32_t column,
                                  const dv_counts_options *options, dv_error *err);
/* Free the counts and set the pointer to NULL; NULL is fine. */
DV_API void dv_counts_free(dv_counts **counts);

#ifdef __cplusplus
}
#endif

#endif
