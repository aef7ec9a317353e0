/* SPDX-License-Identifier: MIT */
/* stats.h: what do the values of each column look like, all together? */
#ifndef DATAVIEW_STATS_H
#define DATAVIEW_STATS_H

#include <dataview/cursor.h>
#include <dataview/type.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shares of the values that the quantiles are told for. */
#define DV_STATS_QUANTILE_LIST(X) X(0.01) X(0.05) X(0.25) X(0.5) X(0.75) X(0.95) X(0.99)
#define DV_STATS_QUANTILES 7
#define DV_STATS_MEDIAN 3 /* which of them is the median */
#define DV_STATS_BINS 10
#define DV_STATS_TOP 5
#define DV_STATS_TEXT_NBYTES 36 /* of a frequent text this much is kept */

/* One ordered value, and which member holds it: i8 for I1..I8, and ticks for TS, DT and DZ (of DZ
 * those of UTC); u8 for U1..U8, BL, and keys as stored; r8 for R4 and R8. */
typedef union dv_stats_value {
    int64_t i8;
    uint64_t u8;
    double r8;
} dv_stats_value;

typedef enum dv_stats_form {
    DV_STATS_NONE = 0, /* of TX, BY, UG and extensions nothing below `ordered` is told */
    DV_STATS_I8 = 1,
    DV_STATS_U8 = 2,
    DV_STATS_R8 = 3
} dv_stats_form;

/* How long; least and most are -1, mean is NaN, when there are none. */
typedef struct dv_stats_lengths {
    int64_t least, most;
    double mean;
} dv_stats_lengths;

/* A value that is there often. */
typedef struct dv_stats_top {
    int64_t count;
    dv_stats_value value; /* when the column has a form */
    dv_text text;         /* of TX and BY: the text, or its beginning, cut between characters; else
                             NA */
    int64_t text_nbytes;  /* of all of it */
} dv_stats_top;

/* One column.  Each slot of a vector is a value, stored or not; counts that pass 2^62 are told as
 * INT64_MAX.  NA and default are those of dv_value_is_na and dv_value_is_default; of keys 0 is
 * both.
 *
 * `ordered` values are neither NA nor of a kind without an order; all that follows is about these.
 * When there are none, the numbers are NaN and 0.
 *
 * Quantile p is a value of the column: the smallest one that p of all ordered values do not pass.
 * rank_error is 0 when it is exact; else it is proven for just these values: those below what is
 * told are at most p + rank_error of all, those up to it at least p - rank_error.
 *
 * mean and sd are those of IEEE doubles, added in a fixed order: over infinite values infinite or
 * NaN, over values near 1e308 perhaps infinite.  sd is that of a sample: it divides by n - 1, and
 * is NaN for one value.  Of keys neither is told; of times they are ticks.
 *
 * Bins are of equal width between the least and the largest finite value; -0 is 0.  bin[i] counts
 * reals from low * (1 - i/10.) + high * (i/10.) on, and whole numbers from low + ceil((high - low +
 * 1) * i/10) on; the last bin includes `high`; values that are all the same are in the
 * first.  They come from the same summary as the quantiles:
 * exact with them, else each within 2 * rank_error * ordered.
 */
typedef struct dv_column_stats {
    int32_t column; /* of the schema */
    int64_t values, na, defaults;
    dv_stats_lengths vector_length; /* of the vectors, slots */
    dv_stats_lengths text_nbytes;   /* of texts that are not NA, bytes; items of vectors too */

    dv_stats_form form;
    int64_t ordered;
    int64_t negative_infinities, positive_infinities; /* of these */
    dv_stats_value min, max, quantile[DV_STATS_QUANTILES];
    double rank_error;
    double mean, sd;
    dv_stats_value bin_low, bin_high; /* when there are finite values */
    int64_t bin[DV_STATS_BINS];

    /* Different values but NA: -1 for R4 and R8, whose values are not counted.  distinct_error is 0
     * when it is exact, else the relative standard error of an estimate (HyperLogLog).  Texts, UG
     * and extensions are told apart by 128 bits of XXH3: those that somebody made to collide count
     * as one.  The most frequent ones, most first, are told when `distinct` is exact, and not of UG
     * and extensions; among those as frequent as the last the choice is arbitrary, but always the
     * same. */
    int64_t distinct;
    double distinct_error;
    int32_t top_count; /* up to DV_STATS_TOP */
    const dv_stats_top *top;
} dv_column_stats;

/* Statistics of some columns; owned by the caller, freed with dv_stats_free. */
typedef struct dv_stats {
    int64_t rows;                  /* that were read */
    int32_t columns;               /* in the order of the options */
    const dv_column_stats *column; /* one per column */
} dv_stats;

/* Start from DV_STATS_OPTIONS_INIT.
 *
 * cursor    which columns and rows, with how many threads, and batch_rows: as dv_cursor_open reads
 *           it, ids aside; NULL: DV_CURSOR_OPTIONS_INIT
 * exact_values    up to so many values of a column, quantiles are exact; infinite values and those
 *                 that are zero, which cost no memory, do not count
 * exact_distinct  up to so many different values of a column, they are counted exactly
 * memory_nbytes   columns are read in groups, so that what is kept of those of a group stays below
 *                 this; one column at least
 * progress  called now and then in the caller's thread: so many rows of so many are done, those of
 *           each group counted (all: -1 when that is not known); false stops; may be NULL
 */
typedef struct dv_stats_options {
    size_t size; /* of this struct: set by the INIT */
    const dv_cursor_options *cursor;
    int64_t exact_values, exact_distinct; /* 0..INT32_MAX */
    int64_t memory_nbytes;
    bool (*progress)(void *ctx, int64_t done, int64_t all);
    void *ctx;
} dv_stats_options;

#define DV_STATS_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_stats_options), NULL, 100000, 100000, INT64_C(1) << 30, NULL, NULL               \
    }

/* Read the values of the columns once, and tell what they look like.  Any thread.  options may be
 * NULL.
 *
 * The result is the same to the last bit for any number of threads, any batch_rows, any size of the
 * file's blocks, and whichever other columns are asked for.
 * Cost: each block of each column is decoded once where rows per block is a power of two and rows
 * start at a block; else few of them twice.  Memory, from the view's allocator: for each column of
 * a group 8 bytes per value up to exact_values, for at most log2(rows / 1024) + 2 parts of the
 * rows; 24 bytes (64 of texts) per different value up to exact_distinct; sketches of some 50 KiB;
 * as much again for each of (threads + 2) runs of rows that are in work, but for no more values
 * than the run has.  memory_nbytes bounds the sum of that.  Besides, each thread's cursor has its
 * block of every column of the group (open.h: cursor_nbytes), and the result has 400 bytes a column
 * and the texts in `top`.
 *
 * DV_OK            all was read
 * DV_END           progress stopped it: no result
 * DV_ERR_ARGUMENT  what dv_cursor_open says of the options; an unknown size of options; a negative
 *                  limit, or one over INT32_MAX
 * DV_ERR_*         what reading says: the failure in the first run of rows that has one, of the
 *                  first group
 * DV_ERR_MEMORY    the call may be repeated
 */
DV_API dv_status dv_stats_create(dv_stats **stats_out, dv_view *view,
                                 const dv_stats_options *options, dv_error *err);
/* Sets the pointer to NULL; NULL is fine. */
DV_API void dv_stats_free(dv_stats **stats);

#ifdef __cplusplus
}
#endif

#endif
