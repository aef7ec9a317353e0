/* SPDX-License-Identifier: MIT */
/* stats.h: computes statistics of columns in one pass over their values. */
#ifndef DATAVIEW_STATS_H
#define DATAVIEW_STATS_H

#include <dataview/cursor.h>
#include <dataview/type.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shares p for which quantiles are computed. */
#define DV_STATS_QUANTILE_LIST(X) X(0.01) X(0.05) X(0.25) X(0.5) X(0.75) X(0.95) X(0.99)
#define DV_STATS_QUANTILES 7
#define DV_STATS_MEDIAN 3 /* index of the median */
#define DV_STATS_BINS 10
#define DV_STATS_TOP 5
#define DV_STATS_SLOTS_MOST 100000 /* slots of all slot_columns together */
#define DV_STATS_TEXT_NBYTES 36    /* bytes kept of a frequent text */

/* An ordered value: i8 for I1 to I8, and for ticks of TS, DT and DZ (in UTC); u8 for U1 to U8, BL,
 * and keys as stored; r8 for R4 and R8. */
typedef union dv_stats_value {
    int64_t i8;
    uint64_t u8;
    double r8;
} dv_stats_value;

typedef enum dv_stats_form {
    DV_STATS_NONE = 0, /* TX, BY, UG, extensions: no order, so `ordered` is 0 */
    DV_STATS_I8 = 1,
    DV_STATS_U8 = 2,
    DV_STATS_R8 = 3
} dv_stats_form;

/* Lengths; if there are none, least and most are -1 and mean is NaN. */
typedef struct dv_stats_lengths {
    int64_t least, most;
    double mean;
} dv_stats_lengths;

/* A frequent value. */
typedef struct dv_stats_top {
    int64_t count;
    dv_stats_value value; /* if the column has a form */
    dv_text text;        /* TX and BY: the text or its beginning, cut between characters; else NA */
    int64_t text_nbytes; /* of the whole text */
} dv_stats_top;

/* The statistics of a column, or of one slot of it.  Each slot of a vector is a value, stored or
 * not; counts beyond 2^62 are reported as INT64_MAX.  NA and default are those of dv_value_is_na
 * and dv_value_is_default; for keys 0 is both.
 *
 * `ordered` values are not NA and of a kind with an order; all that follows is about these.  If
 * there are none, the numbers are NaN and 0.
 *
 * Quantile p is a value of the column: the smallest one such that a share p of all ordered values
 * is not above it.  rank_error is 0 if it is exact; otherwise it is a proven bound for these
 * values: the share of values below the quantile is at most p + rank_error, the share up to it at
 * least p - rank_error.
 *
 * mean and sd are IEEE doubles, added in a fixed order: infinite or NaN over infinite values,
 * perhaps infinite over values near 1e308.  sd is that of a sample: it divides by n - 1, and is NaN
 * for one value.  Keys have neither; for times they are in ticks.
 *
 * Bins have equal width from the least to the greatest finite value; -0 is 0.  bin[i] counts reals
 * from low * (1 - i/10.) + high * (i/10.), and whole numbers from low + ceil((high - low + 1) *
 * i/10); the last bin includes `high`; equal values are all in the first bin.  Bins come from the
 * same summary as the quantiles: they are exact if those are, and otherwise each is within 2 *
 * rank_error * ordered.
 */
typedef struct dv_column_stats {
    int32_t column; /* index in the schema */
    int32_t slot;   /* of one slot of a vector: its number; else -1 */
    int64_t values, na, defaults;
    dv_stats_lengths vector_length; /* slots of vectors; none for a single slot */
    dv_stats_lengths text_nbytes;   /* bytes of texts that are not NA, also in vectors */

    dv_stats_form form;
    int64_t ordered;
    int64_t negative_infinities, positive_infinities; /* of these */
    dv_stats_value min, max, quantile[DV_STATS_QUANTILES];
    double rank_error;
    double mean, sd;
    dv_stats_value bin_low, bin_high; /* set if there are finite values */
    int64_t bin[DV_STATS_BINS];

    /* Distinct values without NA; -1 for R4 and R8, which are not counted.  distinct_error is 0 if
     * exact, otherwise the relative standard error of the estimate (HyperLogLog), which is never
     * above the number of values.  Texts, UG and extensions are compared by 128 bits of XXH3, so
     * values constructed to collide count as one.  top lists the most frequent values, most
     * frequent first, if `distinct` is exact, except for UG and extensions; among equally frequent
     * values the choice is arbitrary, but always the same. */
    int64_t distinct;
    double distinct_error;
    int32_t top_count; /* up to DV_STATS_TOP */
    const dv_stats_top *top;
} dv_column_stats;

/* Statistics of some columns; owned by the caller, freed with dv_stats_free. */
typedef struct dv_stats {
    int64_t rows;                  /* rows read */
    int32_t columns;               /* items of `column`, in the order of the options */
    const dv_column_stats *column; /* one per column, and for slot_columns one per slot */
} dv_stats;

/* Start from DV_STATS_OPTIONS_INIT.
 *
 * cursor          columns, rows, threads and batch_rows, as for dv_cursor_open, without ids; NULL:
 *                 DV_CURSOR_OPTIONS_INIT
 * slot_columns    of these columns, each slot has statistics of its own, as if it were a column: a
 *                 list of slot_columns_count columns of the cursor, vectors of known size, with
 *                 DV_STATS_SLOTS_MOST slots in all
 * exact_values    quantiles are exact up to this many values of a column; zeros and infinite
 *                 values, which cost no memory, do not count
 * exact_distinct  distinct values are counted exactly up to this many
 * memory_nbytes   columns are read in groups whose summaries stay below this; a group has at least
 *                 one column
 * progress        of rows over all groups: each group reads all rows.  Where rows are read in order
 *                 (see below), their sum grows when memory runs out
 */
typedef struct dv_stats_options {
    size_t size; /* of this struct: set by the INIT */
    const dv_cursor_options *cursor;
    const int32_t *slot_columns;
    int32_t slot_columns_count;
    int64_t exact_values, exact_distinct; /* 0..INT32_MAX */
    int64_t memory_nbytes;
    dv_progress progress;
} dv_stats_options;

#define DV_STATS_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_stats_options), NULL, NULL, 0, 100000, 100000, INT64_C(1) << 30,                 \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Compute statistics of columns in one pass over their values.  The caller frees them with
 * dv_stats_free; they need neither view nor file.  Any thread.  options may be NULL.
 *
 * The result is the same to the last bit for any number of threads, any batch_rows, any block size
 * of the file, and any other columns that are computed with it.
 *
 * Cost: each block of each column is decoded once if the rows per block are a power of two and the
 * rows start at a block; otherwise a few blocks are decoded twice.  If a row costs reading all rows
 * before it (dv_view_block_rows is 0: text, filters), or the number of rows is unknown, the view is
 * read once, in order, for all columns together, which the threads share.  Only if their summaries
 * reach memory_nbytes, it is read again for the columns that did not fit; dv_view_cache_disk
 * (cache.h) avoids that.
 *
 * Memory, from the view's allocator, for each column of a group: 8 bytes per value up to
 * exact_values, for at most log2(rows / 1024) + 2 ranges of rows; 24 bytes (texts 64) per distinct
 * value up to exact_distinct; sketches of about 50 KiB; the same again for each of the threads + 2
 * runs of rows that are summarized at once, but for no more values than the run has.  memory_nbytes
 * limits the sum of these.  In addition, the cursor of each thread holds its block of every column
 * of the group (open.h: cursor_nbytes), and the result has 400 bytes per column, or slot, and the
 * texts in `top`.
 *
 * DV_OK            the statistics
 * DV_ERR_STOPPED   `progress` returned false: no result
 * DV_ERR_ARGUMENT  as dv_cursor_open; options of unknown size; a limit below 0 or above INT32_MAX;
 *                  slot_columns with another column, or too many slots; a view of your own whose
 *                  cursor delivers more or fewer rows than it said, if it has blocks
 * DV_ERR_MEMORY    the call may be repeated
 * DV_ERR_*         as dv_cursor_next: the error of the first run of rows that has one, in the first
 *                  group that has one
 */
DV_API dv_status dv_stats_create(dv_stats **stats_out, dv_view *view,
                                 const dv_stats_options *options, dv_error *err);
/* Free the statistics and set the pointer to NULL; NULL is fine. */
DV_API void dv_stats_free(dv_stats **stats);

#ifdef __cplusplus
}
#endif

#endif
