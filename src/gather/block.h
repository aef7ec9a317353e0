/* SPDX-License-Identifier: MIT */
/* block.h: a batch of which only the buffers are kept, so that each row is found at once; a block
 * of such batches; and marks for its rows. */
#ifndef DVI_GATHER_BLOCK_H
#define DVI_GATHER_BLOCK_H

#include "base/owner.h"
#include "gather/row_ref.h"

typedef struct dvi_kept_batch {
    struct dvi_kept_batch *next;
    int64_t rows;
    int64_t left;        /* of rows that were copied together: how many are not delivered yet */
    int64_t held_nbytes; /* memory that this batch keeps alive, not counting the struct itself */
    dvi_memory **offsets;
    dv_owner **owners; /* one reference each */
    size_t owners_count, nbytes;
    int32_t columns;
    dvi_kept_column column[];
} dvi_kept_batch;

/* Keep `rows` rows of n columns.  before: a batch whose memory is not counted again if this one
 * shares it; NULL: none.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_kept_batch_make(dvi_kept_batch **kept_out, const dv_column_view *const *columns,
                              int32_t n, int64_t rows, const dvi_kept_batch *before,
                              const dv_allocator *allocator, dv_error *err);
void dvi_kept_batch_free(dvi_kept_batch *kept, const dv_allocator *allocator); /* NULL is fine */

/* The rows of a block, in order.  Once they were read it does not change, and any number of threads
 * hold references. */
typedef struct dvi_kept_block {
    dv_owner owner;
    dv_allocator allocator;
    dvi_kept_batch *batches, *last;
    int64_t rows;
    bool is_made;        /* not all of its values are mapped or kept by the source */
    int64_t held_nbytes; /* memory that its batches keep alive */
    int64_t nbytes;      /* the same, and all structs */
} dvi_kept_block;

/* An empty block; and keep a batch as its next rows.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_kept_block_create(dvi_kept_block **block_out, const dv_allocator *allocator,
                                dv_error *err);
dv_status dvi_kept_block_append(dvi_kept_block *block, const dv_column_view *const *columns,
                                int32_t n, int64_t rows, dv_error *err);
void dvi_kept_block_release(dvi_kept_block **block); /* sets NULL; NULL is fine */

/* Find a row of the block, which has it. */
static inline dvi_row_ref dvi_kept_block_find(const dvi_kept_block *block, int64_t row)
{
    const dvi_kept_batch *kept = block->batches;
    for (; row >= kept->rows; kept = kept->next)
        row -= kept->rows;
    return (dvi_row_ref){kept->column, row};
}

/* Marks of rows of a block, and after dvi_row_marks_number the numbers of those without one. */
typedef struct dvi_row_marks {
    uint64_t *words;
    uint32_t *numbers; /* for each word: rows before it without a mark */
} dvi_row_marks;

/* The memory of marks; make them in this memory, which is zeroed. */
size_t dvi_row_marks_nbytes(int64_t rows);
void dvi_row_marks_init(dvi_row_marks *marks, void *memory, int64_t rows);

static inline bool dvi_row_marks_have(const dvi_row_marks *marks, int64_t row)
{
    return marks->words[row / 64] >> row % 64 & 1;
}

static inline void dvi_row_marks_add(dvi_row_marks *marks, int64_t row)
{
    marks->words[row / 64] |= UINT64_C(1) << row % 64;
}

/* Number the rows without a mark; the number of one of them. */
void dvi_row_marks_number(dvi_row_marks *marks, int64_t rows);
int64_t dvi_row_marks_number_of(const dvi_row_marks *marks, int64_t row);

/* Does keeping this column cost no memory except its dvi_kept_column? */
bool dvi_kept_batch_is_free(const dv_column_view *column);

#endif
