/* SPDX-License-Identifier: MIT */
/* pack.h: rows that are packs of documents, for language models. */
#ifndef DATAVIEW_PACK_H
#define DATAVIEW_PACK_H

#include <dataview/buffer.h>
#include <dataview/status.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A document is a row of the source: vectors of tokens, one or several of equal length (ids,
 * labels, a loss mask).  A pack has at most `tokens` items of documents, one after the other. Which
 * documents it has depends on their lengths and on the options alone: docs/shuffling.md defines it.
 */

typedef enum dv_pack_how {
    DV_PACK_WHOLE = 0, /* documents stay whole: packs are filled by first fit, longest first */
    DV_PACK_STREAM = 1 /* documents follow each other, and are cut after every `tokens` items: each
                          pack but the last is full */
} dv_pack_how;

/* How WHOLE treats a document of more than `tokens` items. */
typedef enum dv_pack_long {
    DV_PACK_LONG_REFUSE = 0, /* DV_ERR_ARGUMENT */
    DV_PACK_LONG_DROP = 1,   /* it is left out */
    DV_PACK_LONG_CUT = 2,    /* its first `tokens` items are packed */
    DV_PACK_LONG_SPLIT = 3   /* it becomes pieces of `tokens` items, and one of the rest */
} dv_pack_long;

#define DV_PACK_COLUMNS_MOST 64

/* Start from DV_PACK_OPTIONS_INIT, and name columns. */
typedef struct dv_pack_options {
    size_t size; /* set by the INIT: the size of this struct */

    /* The columns to pack: 1 to DV_PACK_COLUMNS_MOST of the source's, each of vectors of
     * fixed-width items.  The first one has the lengths.  Not kept */
    const int32_t *columns;
    int32_t columns_count;

    int64_t tokens; /* the most items of a pack: 1 to 2^31-1 */
    dv_pack_how how;
    dv_pack_long too_long; /* with WHOLE */
    bool drop_last;        /* with STREAM: leave out the last pack if it is not full */
    int64_t window; /* with WHOLE: documents are packed together until they have `window` times
                       `tokens` items: 1 to 65536.  A larger window fills packs better, and
                       puts documents into a pack that lie further apart in the source */

    bool shuffle; /* documents are shuffled by the seed before they are packed; the packs of all
                     epochs are the same.  An order of a feed shuffles packs */
    uint64_t seed;

    int32_t threads;      /* that read the first column; 0: the library chooses, at most 8 */
    dv_progress progress; /* while it is read */
} dv_pack_options;

#define DV_PACK_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(dv_pack_options), NULL, 0, 2048, DV_PACK_WHOLE, DV_PACK_LONG_REFUSE, false, 1024,   \
            false, 0, 0,                                                                           \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Make a view whose rows are packs.  Any thread.
 *
 * source     retained.  Its rows are read by number, and their lengths are the same in each epoch
 * allocator  NULL: malloc.  While the view is made 4 bytes for each document, and with WHOLE 60 for
 *            each, 60 MiB at most; then 16 bytes for each piece of a document and 8 for each pack,
 *            or up to twice that, as arrays grow
 *
 * schema     the packed columns under their names, vectors of any length, and
 *
 *            cu_seqlens    V<I4,*>  0, and where each piece of a document ends in the pack
 *            position_ids  V<I4,*>  the position of each item in its piece: 0 after each boundary
 *                                   of cu_seqlens, so also where a pack begins within a document
 *            rows          V<I8,*>  the row of the source of each piece
 *
 * rows       known.  ids: the number of the pack
 * batches    copies; opening a cursor with zero_copy_only fails with DV_ERR_COPY.  A slot that a
 *            sparse vector does not store is 0
 * cost       this call reads the first column.  A pack is found at once; its documents are read by
 *            number, in any order.  A document that spans packs is read for each of them
 * empty      documents without items are in no pack.  Warnings of dv_inspect have the number of
 *            documents that are empty, left out or cut
 * tokens     the identity depends on all options
 *
 * DV_OK
 * DV_ERR_ARGUMENT  options of an unknown size; a number out of range, or an unknown enum value; no
 *                  columns, a column twice, one that is not of vectors of one dimension with
 *                  fixed-width items, or one called cu_seqlens, position_ids or rows; drop_last
 *                  with WHOLE, or too_long with STREAM; a document that is too long, which the
 *                  message names with its row and length; a source whose rows are reached only in
 *                  sequence: materialize (dv_view_materialize) or cache it first
 * DV_ERR_LIMIT     all documents have more than 2^62 items; or (length) a sparse vector has more
 *                  than 2^20 slots and stores less than one in 1024
 * DV_ERR_STOPPED   `progress` returned false: there is no view
 * DV_ERR_MEMORY
 * DV_ERR_*         what the source returns while it is read
 *
 * Reading a pack: DV_ERR_ARGUMENT, a document has a different length in another packed column, or
 * than it had when the view was made; the message names its row. */
DV_API dv_status dv_view_pack(dv_view **view_out, dv_view *source, const dv_pack_options *options,
                              const dv_allocator *allocator, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
