/* SPDX-License-Identifier: MIT */
/* batch.h: how do the values of a run of rows lie in memory?  (semantics:3) */
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

/*   values   rows x width bytes, one value per row; BL is one signed byte: 0, 1, or NA (any other)
 */
typedef struct dv_fixed_layout {
    dv_buffer values;
} dv_fixed_layout;

/* Two parallel arrays; ticks minus minutes, UTC, lies in the same range.
 *
 *   ticks    int64[rows]  local clock, 0..DV_TICKS_MAX, or DV_TICKS_NA
 *   minutes  int16[rows]  ahead of UTC, -840..840; anything when ticks is NA
 */
typedef struct dv_zoned_layout {
    dv_buffer ticks, minutes;
} dv_zoned_layout;

/* Texts laid end to end: the shape of an .idv text block.
 *
 *   utf8   all the bytes, valid UTF-8 unless DV_LAYOUT_BYTES
 *   first  the byte where row 0 starts
 *   ends   int32[rows]  the byte after each row; bit 31: the row is NA, and the rest repeats the
 *          end before.  Row i is the bytes end(i-1) .. end(i), end(-1) being `first`.
 */
typedef struct dv_text_layout {
    dv_buffer utf8, ends;
    int32_t first;
} dv_text_layout;

/* Vectors laid end to end: the shape of an .idv block (idv:5.6).
 *
 *   lengths     int32[rows]  slots of each row; empty when every row has `length` slots
 *   counts      int32[rows]  items stored for the row; -1: dense, all of them
 *   indices     int32[...]   slots of the sparse rows, strictly increasing within a row; those of
 *               row 0 start at index_base
 *   items       one per index and per slot of a dense row, in row order; those of row 0 start at
 *               row item_base of `items`, a column view of its own (no vector)
 *
 * A slot without an item holds the default, never NA.  Counts and indices have been checked.
 */
typedef struct dv_vector_layout {
    int32_t length;
    dv_buffer lengths, counts, indices;
    int64_t index_base, item_base;
    const dv_column_view *items;
} dv_vector_layout;

/* The values of one column in a batch.  Read-only; grows at its end only, so reach it by pointer.
 */
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

/* A run of consecutive rows in cursor order, with a view of each active column.  Made by cursors.
 */
typedef struct dv_batch {
    int64_t rows;      /* >= 1 */
    int64_t position;  /* rows that this cursor delivered before */
    int64_t first_row; /* number of the first row in the view, unshuffled */
    int32_t columns;
    const dv_u128
        *ids; /* a row id per row when the cursor was asked for them, else NULL (semantics 5.4) */
} dv_batch;

/* Active column k of the batch, 0..columns-1 in the order in which they were asked for; NULL
 * outside.  Lives as long as the batch. */
DV_API const dv_column_view *dv_batch_column(const dv_batch *batch, int32_t k);

/* Keep the batch, and the map or memory behind it, beyond the next call on its cursor: until as
 * many releases, also after cursor and view are closed.  Any thread.  May cost the cursor one
 * allocation later.  dv_batch_release sets the pointer to NULL; NULL is fine. */
DV_API void dv_batch_retain(const dv_batch *batch);
DV_API void dv_batch_release(const dv_batch **batch);

/* Where the indices and items of each row of a vector column start: int64[rows + 1] each, counted
 * in `indices` and `items` as they are (bases included).  Made at the first request, kept in the
 * batch, in the thread that owns its cursor.  Either output may be NULL.
 * DV_OK; DV_ERR_ARGUMENT: no such column, or no vector; DV_ERR_MEMORY. */
DV_API dv_status dv_vector_offsets(const dv_batch *batch, int32_t k, const int64_t **indices_out,
                                   const int64_t **items_out, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
