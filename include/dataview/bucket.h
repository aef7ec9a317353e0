/* SPDX-License-Identifier: MIT */
/* bucket.h: rows in an order in which each batch has similar lengths. */
#ifndef DATAVIEW_BUCKET_H
#define DATAVIEW_BUCKET_H

#include <dataview/buffer.h>
#include <dataview/epoch.h>
#include <dataview/status.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sequences of one batch are padded to the longest of them: with similar lengths, little is
 * padding. Rows are cut into pools, sorted by length in each pool, and delivered in groups of
 * batch_rows, which are in random order.  Each epoch of a cursor (dv_cursor_options) has an order
 * of its own; it depends on the lengths, the options and the number of the epoch alone: it is the
 * same on every machine, for any threads, workers and batches.  docs/shuffling.md defines it.
 *
 * Start from DV_BUCKET_OPTIONS_INIT. */
typedef struct dv_bucket_options {
    size_t size; /* set by the INIT: the size of this struct */

    int64_t batch_rows; /* rows of a group: 1 to 2^31-1.  With m shards by rows: m times the rows of
                           a batch, so that all shards have similar lengths in the same step */
    int64_t pool_rows; /* rows that are sorted together, at most 2^31-1, rounded up to whole groups;
                          0: 100 groups.  Larger pools have lengths that are more alike, and less
                          randomness */
    dv_shuffle shuffle; /* UNIFORM: pools are drawn from all rows.  POOL: a pool has rows that
                           follow each other in the source, so that each block of a compressed file
                           is decoded once or twice; pools and groups are in random order.  NONE:
                           nothing is random, and groups come by length in each pool.  BLOCKS is
                           refused */
    uint64_t seed;

    int32_t threads;      /* that read the column; 0: the library chooses, at most 8 */
    dv_progress progress; /* while the column is read */
} dv_bucket_options;

#define DV_BUCKET_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(dv_bucket_options), 64, 0, DV_SHUFFLE_UNIFORM, 0, 0,                                \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Make a view of all rows of a source, each once, in buckets of similar lengths.  Any thread.
 *
 * source     retained.  Its rows are read by number, and are the same in each epoch
 * column     whose lengths count: the slots of vectors, the bytes of text, or the values of
 *            integers that are lengths
 * options    NULL: as INIT
 * allocator  NULL: malloc.  4 bytes for each row of the source, 8 more for the epoch that is read,
 *            and 16 for each row of a pool while an epoch begins
 *
 * schema     as the source has it, metadata included
 * rows       known.  Each row keeps its id (semantics:5.4)
 * batches    copies, as of dv_view_take; opening a cursor with zero_copy_only fails with
 *            DV_ERR_COPY
 * cost       this call reads the column.  The first cursor of an epoch sorts all of its pools; the
 *            view keeps the order for the next ones.  A row is found at once
 * tokens     the identity depends on the options.  A feed's token holds the epoch; a cursor that
 *            continues needs the same `epoch` in its options
 *
 * DV_OK
 * DV_ERR_ARGUMENT  options of an unknown size; a number out of range; BLOCKS or an unknown shuffle;
 *                  no such column, or one without lengths; a length that is NA, negative or above
 *                  2^32-1, which the message names with its row; a source whose rows are reached
 *                  only in sequence: materialize (dv_view_materialize) or cache it first
 * DV_ERR_STOPPED   `progress` returned false: there is no view
 * DV_ERR_MEMORY
 * DV_ERR_*         what the source returns while it is read
 */
DV_API dv_status dv_view_bucket(dv_view **view_out, dv_view *source, int32_t column,
                                const dv_bucket_options *options, const dv_allocator *allocator,
                                dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
