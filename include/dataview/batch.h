/* SPDX-License-Identifier: MIT */
/* batch.h: the layout of columns in memory, and batches of rows (semantics:3, semantics:5.3). */
#ifndef DATAVIEW_BATCH_H
#define DATAVIEW_BATCH_H

#include <dataview/buffer.h>
#include <dataview/type.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dv_column_view dv_column_view;

typedef enum dv_layout {
    DV_LAYOUT_FIXED = 1, /* numbers, keys, BL, TS, DT, UG, extensions: `fixed` */
    DV_LAYOUT_ZONED = 2, /* DZ: `zoned` */
    DV_LAYOUT_TEXT = 3,  /* TX: `text` */
    DV_LAYOUT_BYTES = 4, /* BY: `text`, without the UTF-8 promise */
    DV_LAYOUT_VECTOR = 5 /* any vector: `vector` */
} dv_layout;

/* One value of fixed width per row.
 *
 *   values   rows x width bytes; a BL is one signed byte: 0, 1, or NA (any other)
 */
typedef struct dv_fixed_layout {
    dv_buffer values;
} dv_fixed_layout;

/* Two parallel arrays.  The time in UTC, ticks less minutes, is in the range of ticks too.
 *
 *   ticks    int64[rows]  the local clock, 0..DV_TICKS_MAX, or DV_TICKS_NA
 *   minutes  int16[rows]  by which it is ahead of UTC, -840..840; undefined if ticks is NA
 */
typedef struct dv_zoned_layout {
    dv_buffer ticks, minutes;
} dv_zoned_layout;

/* Texts end to end, as in a text block of .idv (idv:5.4).
 *
 *   utf8   the bytes of all rows; valid UTF-8, except in DV_LAYOUT_BYTES
 *   first  offset of the first byte of row 0
 *   ends   int32[rows]  offset of the byte after each row.  Bit 31: the row is NA, and the other
 *          bits repeat the end of the row before.  Row i is the bytes from end(i-1) to end(i)-1;
 *          end(-1) is `first`
 */
typedef struct dv_text_layout {
    dv_buffer utf8, ends;
    int32_t first;
} dv_text_layout;

/* Vectors end to end, as in a block of .idv (idv:5.6).
 *
 *   lengths     int32[rows]  slots of each row; empty if every row has `length` slots
 *   counts      int32[rows]  stored items of each row; -1: dense, one for each slot
 *   indices     int32[...]   the slots of the items of sparse rows, strictly increasing within a
 *               row; those of row 0 start at index index_base
 *   items       a column view of scalars: the items of all rows, in row order; those of row 0 start
 *               at its row item_base
 *
 * A slot without an item holds the default, never NA.  Counts and indices are checked before a
 * batch is delivered.
 */
typedef struct dv_vector_layout {
    int32_t length;
    dv_buffer lengths, counts, indices;
    int64_t index_base, item_base;
    const dv_column_view *items;
} dv_vector_layout;

/* The values of one column in a batch.  Read-only.  Later versions add members at the end, so
 * access it by pointer. */
struct dv_column_view {
    dv_type type;
    dv_layout layout;
    int64_t rows;
    union {
        dv_fixed_layout fixed;
        dv_zoned_layout zoned;
        dv_text_layout text;
        dv_vector_layout vector;
    } as;
};

/* Consecutive rows in the order of the cursor, with a column view for each active column.  Cursors
 * make batches; dv_cursor_next (cursor.h) states how long one is valid.  Any thread may read it. */
typedef struct dv_batch {
    int64_t rows;      /* >= 1 */
    int64_t position;  /* rows that this cursor delivered before */
    int64_t first_row; /* number of the first row in the view, unshuffled */
    int32_t columns;
    const dv_u128 *ids; /* the id of each row (semantics:5.4); NULL if not requested */
} dv_batch;

/* Active column k of the batch, 0..columns-1 in the order of dv_cursor_options.columns; NULL if k
 * is outside.  Valid as long as the batch. */
DV_API const dv_column_view *dv_batch_column(const dv_batch *batch, int32_t k);

/* Keep the batch beyond the next call on its cursor, with the mapped file or the memory that it
 * points into; drop that reference.  A batch is valid until each retain has had its release, even
 * after cursor and view are closed.  Any thread.  A retained batch may cost its cursor an
 * allocation later.  dv_batch_release sets the pointer to NULL; NULL is fine. */
DV_API void dv_batch_retain(const dv_batch *batch);
DV_API void dv_batch_release(const dv_batch **batch);

/* The starts of the indices and of the items of each row of vector column k: int64[rows + 1] each,
 * which count from the beginning of `indices` and of `items` (so the bases are included).  The
 * arrays are made by the first call and belong to the batch.  Either output may be NULL.  Any
 * thread, also several for the same batch at the same time.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column, or not a vector
 * DV_ERR_MEMORY */
DV_API dv_status dv_vector_offsets(const dv_batch *batch, int32_t k, const int64_t **indices_out,
                                   const int64_t **items_out, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
