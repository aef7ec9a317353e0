/* SPDX-License-Identifier: MIT */
/* sample.h: rows drawn at random for training: by weight, balanced by class, once or again and
 * again. */
#ifndef DATAVIEW_SAMPLE_H
#define DATAVIEW_SAMPLE_H

#include <dataview/buffer.h>
#include <dataview/status.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which rows are drawn depends on the number of rows, on the weights or classes, and on the options
 * alone: it is the same on every machine, for any threads, workers and batches.
 * docs/shuffling.md defines each draw.
 *
 * At most one of weights, weight_column and class_column is given; without them all rows are
 * equally likely.  Start from DV_SAMPLE_OPTIONS_INIT. */
typedef struct dv_sample_options {
    size_t size; /* set by the INIT: the size of this struct */

    int64_t
        rows; /* to draw; -1: with `replace` as many as the source has, else all that can come */
    bool replace;  /* a row may come more than once: each draw is among all rows */
    bool in_order; /* the rows drawn come in the order of the source, not in the order in which they
                      are drawn; not with `replace`.  The source may then be one whose rows are
                      reached only in sequence (text, filters) */
    uint64_t seed;
    int64_t epoch; /* draw the rows of this epoch, in every epoch; -1: each epoch of a cursor
                      (dv_cursor_options) draws rows of its own, and a cursor without one draws
                      those of epoch 0 */

    const double *weights; /* one for each row of the source: finite, >= 0, in any unit; NULL:
                              none */
    int64_t weights_count; /* the number of rows of the source */
    int32_t weight_column; /* single numbers or BL, as weights; -1: none */
    int32_t class_column;  /* draw a class first, each with the same chance, then one of its rows.
                              Without `replace` each class comes as often as the one with the
                              fewest rows.  Single values, as for dv_order_groups, where NA is a
                              class too; -1: none */

    int32_t threads;      /* that read the column; 0: the library chooses, at most 8 */
    dv_progress progress; /* while rows are counted, or the column is read */
} dv_sample_options;

#define DV_SAMPLE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(dv_sample_options), -1, false, false, 0, -1, NULL, 0, -1, -1, 0,                    \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Make a view of rows drawn at random.  Any thread.
 *
 * source     retained.  If it does not know its number of rows, it is read once, without columns,
 *            to count them
 * options    NULL: as INIT, which is each row once, in an order that each epoch draws anew
 * allocator  NULL: malloc.  With weights 8 bytes for each row of the source, with classes about 8,
 *            and 24 more while the column is read; without `replace` also 8 for each row of the
 *            sample, but for equal rows out of order, and 8 more for each row of the source while
 *            an epoch is drawn
 *
 * schema     as the source has it, metadata included
 * rows       known.  Each row keeps its id (semantics:5.4), also if it comes again
 * batches    copies, as of dv_view_take; opening a cursor with zero_copy_only fails with
 *            DV_ERR_COPY
 * cost       this call reads the column.  Starting at a row costs nothing with `replace`, and for
 *            equal rows out of order.  Else the first cursor of an epoch draws all of its rows; the
 *            view keeps them for the next ones
 * tokens     the identity depends on options and weights.  A feed's token holds the epoch; a cursor
 *            that continues needs the same `epoch` in its options
 *
 * DV_OK
 * DV_ERR_ARGUMENT  options of an unknown size; a number out of range; more than one of weights,
 *                  weight_column and class_column; a weight that is negative, NA or infinite, which
 *                  the message names with its row; weights that are all 0; fewer or more weights
 *                  than rows; a column of vectors, or of values that are refused above;
 *                  in_order with replace; more rows than can come once each; rows of a source
 *                  without any; a source whose rows are reached only in sequence, unless in_order:
 *                  materialize (dv_view_materialize) or cache it first
 * DV_ERR_STOPPED   `progress` returned false: there is no view
 * DV_ERR_MEMORY
 * DV_ERR_*         what the source returns while it is read
 */
DV_API dv_status dv_view_sample(dv_view **view_out, dv_view *source,
                                const dv_sample_options *options, const dv_allocator *allocator,
                                dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
