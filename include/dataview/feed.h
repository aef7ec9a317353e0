/* SPDX-License-Identifier: MIT */
/* feed.h: batches for training loops.
 *
 * A feed reads the rows of a view, epoch after epoch, and turns every batch_rows of them into
 * matrices: of features, of labels, of whatever else the loop has names for.  It may read ahead in
 * a thread of its own.  What it delivers depends on the view and on the options; prefetch and
 * threads change nothing.  After a crash a token continues with the very next batch:
 * docs/training.md. */
#ifndef DATAVIEW_FEED_H
#define DATAVIEW_FEED_H

#include <dataview/dense.h>
#include <dataview/epoch.h>
#include <dataview/token.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of the matrices of a batch: its columns, as in dense.h but by their numbers in the view, and
 * its items, any that dv_batch_dense has.  columns NULL with columns_count -1: all columns that are
 * neither hidden nor in another matrix. */
typedef struct dv_feed_matrix {
    const dv_dense_options *columns; /* NULL: DV_DENSE_OPTIONS_INIT */
    dv_kind items;
    const char *name; /* in messages of dv_feed_open; NULL: it has none */
} dv_feed_matrix;

/* What a feed delivers.  Start from DV_FEED_OPTIONS_INIT, and set at least batch_rows. */
typedef struct dv_feed_options {
    size_t size; /* of this struct: set by the INIT */

    const dv_feed_matrix *matrices; /* each batch has these; NULL: all columns, R4 */
    int32_t matrices_count;         /* 1 to DV_FEED_MATRICES_MOST; 0 with columns */

    /* Also deliver these as they are, of any type: text, vectors of varying size. */
    const int32_t *columns;
    int32_t columns_count;

    int64_t batch_rows; /* >= 1: rows of each batch; no batch has rows of two epochs */
    bool drop_last;     /* drop the rest of an epoch; else it is a batch with fewer rows */
    bool ids;           /* deliver row ids too */

    const dv_epoch_options *order; /* of each epoch; `epoch` and `start` are those of the first.
                                      NULL: DV_EPOCH_OPTIONS_INIT */
    int64_t epochs;                /* number of epochs; -1: without end */

    int32_t prefetch;  /* batches that a thread of the feed fills ahead, at most
                          DV_FEED_PREFETCH_MOST, however many are asked for; 0: no thread */
    int32_t threads;   /* that decode, make rows (pictures), or copy them into a batch; 0: the
                          library chooses, at most 8 */
    const char *token; /* continue after the batch after which dv_feed_token wrote it; NULL: start
                          at the first batch */

    dv_progress progress; /* while rows that the view does not know are counted, at the beginning
                             of each epoch (dv_view_epoch); that of `order` is not used.  Called in
                             the thread of dv_feed_open for the first epoch, then in the one that
                             fills batches: with prefetch the feed's own */

    int32_t worker, workers; /* deliver only the batches whose number, less that of the first batch
                                of this feed, is `worker` modulo `workers` (1 to
                                DV_FEED_WORKERS_MOST): feeds of several processes deliver each batch
                                once between them.  The others cost nothing if rows are reached by
                                number and need no decoding, or are made at a cost, such as
                                pictures, in an order that does not go by blocks; else they are read
                                and dropped */

    bool lent; /* the matrices are those that dv_feed_lend lends: the feed has none of its own */
} dv_feed_options;

#define DV_FEED_MATRICES_MOST 64
#define DV_FEED_PREFETCH_MOST 1024
#define DV_FEED_WORKERS_MOST 1024

#define DV_FEED_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(dv_feed_options), NULL, 0, NULL, 0, 0, false, false, NULL, 1, 0, 0, NULL,           \
            {NULL, NULL}, 0, 1, false                                                              \
    }

/* A matrix in memory: row i begins at item i * stride. */
typedef struct dv_feed_items {
    void *items;
    size_t stride; /* items, >= dv_feed_width */
} dv_feed_items;

/* Read-only; grows at its end only, so reach it by pointer. */
typedef struct dv_feed_batch {
    int64_t rows;     /* batch_rows, or fewer at the end of an epoch */
    int64_t epoch;    /* as in dv_epoch_options */
    int64_t position; /* rows of the epoch that this shard has had before, those before a token
                         included */
    int64_t number;   /* of the batch, over all epochs and workers: 0, 1, 2, ...; a token continues
                         it */

    /* As many as the options have, in their order.  The feed's own have no gaps (stride is the
     * width) and begin at a multiple of 64 bytes. */
    const dv_feed_items *matrices;

    /* The columns that were asked for as they are, of these rows; NULL: none were.  It lives as
     * long as the matrices; retain it to keep it longer (dv_batch_retain). */
    const dv_batch *columns;
    const dv_u128 *ids; /* of the rows (semantics:5.4); NULL if not requested */
} dv_feed_batch;

/* Batches of one epoch after the other.  One thread at a time; independent of other feeds and
 * cursors of the view. */
typedef struct dv_feed dv_feed;

/* Make a feed, positioned before its first batch.  With prefetch its thread starts to read at
 * once; if the system refuses a thread, the feed works without one.  options are copied, with
 * everything that they point to.  The feed holds a reference to the view.  Any thread.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no options, or of unknown size; batch_rows < 1; a negative number; a worker that
 *                  is not one of `workers`, or too many of them; columns, as in dense.h; items of
 *                  another kind; matrices too large for memory; an order that dv_view_epoch
 *                  refuses; a token that is damaged, or of another view, order or seed, or, within
 *                  an epoch, of another number of shards by blocks: the message has what was
 *                  expected and found
 * DV_ERR_STOPPED   `progress` returned false: there is no feed
 * DV_ERR_MEMORY
 * DV_ERR_*         what dv_view_epoch and dv_cursor_open return
 */
DV_API dv_status dv_feed_open(dv_feed **feed_out, dv_view *view, const dv_feed_options *options,
                              dv_error *err);

/* The number of slots in a row of a matrix; 0: there is no such matrix. */
DV_API size_t dv_feed_width(const dv_feed *feed, int32_t matrix);

/* Fill the next batch in memory of the feed, or deliver one that was filled ahead.
 *
 * batch_out  the batch; NULL unless DV_OK.  It and its matrices live until the next call on this
 *            feed
 *
 * Cost: in steady state the only allocations are those at the beginning of an epoch.  A uniform
 * order of scalar columns that are used in place reads the rows of many batches together, into
 * memory of 16 MiB at most.  There are prefetch + 1 matrices; without prefetch
 * the first call makes the only one.
 *
 * With `lent` its matrices are the caller's, and lent no more.
 *
 * DV_OK          a batch
 * DV_END         no epoch is left, or 64 in a row had no batch; every later call returns it again
 * DV_ERR_ARGUMENT with `lent` no matrices are lent; nothing has moved
 * DV_ERR_STOPPED `progress` returned false
 * DV_ERR_MEMORY
 * DV_ERR_*       as dv_batch_dense and dv_cursor_next, in place of the batch with the row at
 *                fault; all batches before were sound
 *
 * Every error but DV_ERR_ARGUMENT for want of matrices is final: later calls return it again.  To
 * go on, for example after DV_ERR_MEMORY, open a feed with the token of this one (dv_feed_token).
 */
DV_API dv_status dv_feed_next(dv_feed *feed, const dv_feed_batch **batch_out, dv_error *err);

/* Fill the next batch into matrices of the caller; without prefetch nothing is copied in between.
 *
 * matrices  as many as the options have, each with room for (batch_rows - 1) * stride + width
 *           items, aligned to them.  Gaps between rows are not written; rows after batch->rows may
 *           be written too
 * batch     is written, with the caller's matrices; ids live until the next call
 *
 * As dv_feed_next; but unless it returns DV_OK, any part of the matrices may have been written.
 * DV_ERR_ARGUMENT: no matrix, a stride less than its width, or the option `lent`; nothing has
 * moved.
 */
DV_API dv_status dv_feed_fill(dv_feed *feed, const dv_feed_items *matrices, dv_feed_batch *batch,
                              dv_error *err);

/* Lend the feed the matrices of one more batch, with the option `lent`: dv_feed_next delivers them,
 * in the order in which they were lent, and nothing is copied in between.  With prefetch its thread
 * fills all that are lent.  They are the feed's until they are delivered, then the caller's again;
 * those that are not, after dv_feed_close.  prefetch + 1 may be lent at a time.
 *
 * matrices  as for dv_feed_fill; the list itself is copied
 *
 * DV_OK
 * DV_ERR_ARGUMENT  the feed was opened without `lent`; too many are lent; no matrix, or a stride
 *                  less than its width; nothing is lent then
 * DV_ERR_MEMORY    for ids; nothing is lent, call again */
DV_API dv_status dv_feed_lend(dv_feed *feed, const dv_feed_items *matrices, dv_error *err);

/* Return the batch of dv_feed_next early: the thread may fill its memory again before the next
 * call, which otherwise returns it first. */
DV_API void dv_feed_return_batch(dv_feed *feed);

/* Write the position of the feed as a token: after the batch that was delivered last, whatever has
 * been filled ahead; before the first batch, the position at which the feed began.
 *
 * A feed that is opened with the token, on the same rows and with the same order, seed and shard,
 * delivers the same next batch.  Columns, items, prefetch, threads and batch_rows may differ:
 * the next batch begins at the same row.  If rows are dealt to shards one by one, the number of
 * shards may differ, too.  All of them are then opened with the token of a shard that has delivered
 * as many rows as the others, and continue after these rows, in the same epoch.  Shards by blocks
 * may differ from those before only where an epoch begins or has ended.  A token of a cursor is
 * refused.
 *
 * With `workers` that is the position after a batch of this worker, where those of other workers
 * may be missing: use dv_feed_token_after.  No token depends on worker and workers, which may both
 * be others when it is used.
 *
 * Cost: the first token of a view reads 128 KiB of each of its files, later ones nothing.
 *
 * DV_OK; DV_ERR_*: the view has no identity, as for dv_cursor_token. */
DV_API dv_status dv_feed_token(const dv_feed *feed, dv_token *token_out, dv_error *err);

/* Write the position after the first `batches` batches from where this feed began, those of all
 * workers counted: what dv_feed_token writes after as many batches of one worker.  For a loop that
 * runs behind its feeds, as one that takes batches from worker processes in turn.
 *
 * Reads no row.  Cost: a step for each epoch that these batches pass.  Thread: as the others of the
 * feed.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  batches is negative, or more than the feed has; or the view does not know its
 *                  number of rows: cache it (dv_view_cache), or use dv_feed_token
 * DV_ERR_*         the view has no identity, as for dv_cursor_token */
DV_API dv_status dv_feed_token_after(const dv_feed *feed, int64_t batches, dv_token *token_out,
                                     dv_error *err);

/* Close the feed and set the pointer to NULL; NULL is fine.  Waits until its thread has filled the
 * current batch. */
DV_API void dv_feed_close(dv_feed **feed);

#ifdef __cplusplus
}
#endif

#endif
