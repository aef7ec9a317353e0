/* SPDX-License-Identifier: MIT */
/* mix.h: the rows of several views, mixed in proportion to weights. */
#ifndef DATAVIEW_MIX_H
#define DATAVIEW_MIX_H

#include <dataview/buffer.h>
#include <dataview/status.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A mix takes each row from one of its sources, in proportion to their weights.  The order is a
 * pure function of the options, of the epoch (dv_cursor_options, feed.h) and of how many rows the
 * sources have, whether that is known before they are read or not: the same on every machine, for
 * any number of threads, workers and rows of a batch.  docs/shuffling.md defines each order
 * exactly. */

#define DV_MIX_SOURCES_MOST 256

/* Which source the next row comes from. */
typedef enum dv_mix_order {
    DV_MIX_EXACT = 0, /* the one that lacks most of its share: after any number of rows each source
                         has its share, but for about a row */
    DV_MIX_RANDOM = 1 /* as EXACT, but each run of 4096 choices is shuffled by the seed and, unless
                         the epoch ends with FIRST, its number */
} dv_mix_order;

/* The end of an epoch, or of a pass over a source: a row is due from one that has none left. */
typedef enum dv_mix_stop {
    DV_MIX_FIRST = 0, /* the epoch ends: with the first source that is exhausted */
    DV_MIX_LAST = 1,  /* the other sources go on, with their weights: every row comes once */
    DV_MIX_REPEAT = 2 /* the source begins again; see `rows` */
} dv_mix_stop;

/* Start from DV_MIX_OPTIONS_INIT: equal weights, exact, until the first source is exhausted. */
typedef struct dv_mix_options {
    size_t size; /* the size of this struct, set by the INIT */

    const double *weights; /* one for each source, positive and finite; only proportions count.
                              Shares that are multiples of 1/N of the whole, for an N up to 65536,
                              are exact; others are rounded to 1/65536.  NULL: equal.  Not kept */
    dv_mix_order order;
    dv_mix_stop stop;

    bool shuffle;  /* the rows of each source come in a random order, a different one in each epoch
                      and in each pass over the source.  For rows that are read by number */
    uint64_t seed; /* of RANDOM and `shuffle` */

    int64_t rows; /* the epoch ends after this many rows, if `stop` does not end it before.  0: no
                     limit.  With REPEAT the rows of all epochs then form one sequence, of which
                     epoch e has rows e * rows to (e + 1) * rows - 1; without a limit the epoch
                     never ends */
} dv_mix_options;

#define DV_MIX_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(dv_mix_options), NULL, DV_MIX_EXACT, DV_MIX_FIRST, false, 0, 0                      \
    }

/* Make a view of the rows of n views, mixed.  The epoch is the cursor's; -1 counts as 0.  Any
 * thread.
 *
 * sources    1 to DV_MIX_SOURCES_MOST views, retained, with the same columns: as for dv_view_concat
 *            (transform.h).  A view may be given more than once
 * options    NULL: as INIT
 * allocator  NULL: malloc
 *
 * schema     as dv_view_concat.  ids: the same
 * rows       known if all sources know theirs.  With REPEAT: `rows`, or unknown without a limit
 * batches    copies; opening a cursor with zero_copy_only fails with DV_ERR_COPY.  A cursor keeps
 *            decoded blocks up to 64 MiB and, unless rows are shuffled, two of each source in any
 *            case; with `shuffle` the sources keep some, too, as for dv_view_take
 * order      if all sources know their rows, and can be read from any row on, rows are read by
 *            number, and a cursor starts at any row at once.  Otherwise (text, filters) a cursor of
 *            its own reads each source in sequence, and starting at a row, or at a later epoch of
 *            REPEAT, reads rows before it: each row of a source at most twice.  Put costly columns
 *            above the mix: then threads share their work
 * errors     as the sources report them, after the rows before
 * facts      none; verification checks the sources
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n out of range; options of an unknown size; an unknown enum value; a weight that
 *                  is not positive and finite; rows not 0 to 2^62; columns that differ; `shuffle`
 *                  of rows that are reached only in sequence: materialize the source
 *                  (dv_view_materialize), or read it once into a cache (cache.h); REPEAT of a
 *                  source without rows
 * DV_ERR_LIMIT     (rows) the epoch has 2^62 rows or more
 * DV_ERR_MEMORY
 *
 * Opening a cursor: DV_ERR_LIMIT (rows), with REPEAT: the epoch ends after row 2^62 of all epochs,
 * or no column is active and the mix has no end, so that its rows cannot be counted.  Reading a
 * source in sequence: DV_ERR_ARGUMENT, with REPEAT: it has no rows; it delivered fewer rows than it
 * reported. */
DV_API dv_status dv_view_mix(dv_view **view_out, dv_view *const *sources, int32_t n,
                             const dv_mix_options *options, const dv_allocator *allocator,
                             dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
