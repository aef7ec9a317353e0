/* SPDX-License-Identifier: MIT */
/* block.c: batches of which only the buffers are kept, and blocks of them. */
#include "gather/block.h"
#include "base/alloc.h"
#include "base/check.h"

#define BUFFERS_MAX 5 /* a column has at most these */

static size_t scalar_buffers(const dv_column_view *view, const dv_buffer **out)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        out[0] = &view->as.fixed.values;
        return 1;
    case DV_LAYOUT_ZONED:
        out[0] = &view->as.zoned.ticks;
        out[1] = &view->as.zoned.minutes;
        return 2;
    default:
        out[0] = &view->as.text.utf8;
        out[1] = &view->as.text.ends;
        return 2;
    }
}

static size_t all_buffers(const dv_column_view *view, const dv_buffer *out[BUFFERS_MAX])
{
    if (view->layout != DV_LAYOUT_VECTOR)
        return scalar_buffers(view, out);
    out[0] = &view->as.vector.lengths;
    out[1] = &view->as.vector.counts;
    out[2] = &view->as.vector.indices;
    return 3 + scalar_buffers(view->as.vector.items, out + 3);
}

static bool is_free(const dv_buffer *buffer)
{
    return buffer->is_borrowed || !buffer->owner || buffer->owner->stays || buffer->nbytes == 0;
}

/* Bytes that would be freed if this were the only reference to the buffer: memory may have room to
 * spare, or hold more rows.  is_first: its owner is not counted yet. */
static size_t cost_of(const dv_buffer *buffer, bool is_first)
{
    const size_t whole = is_free(buffer) ? 0 : dvi_owner_nbytes(buffer->owner);
    if (whole > 0)
        return is_first ? whole : 0;
    return is_free(buffer) ? 0 : buffer->nbytes;
}

bool dvi_kept_batch_is_free(const dv_column_view *column)
{
    const dv_buffer *buffers[BUFFERS_MAX];
    const size_t count = all_buffers(column, buffers);
    for (size_t i = 0; i < count; i++)
        if (!is_free(buffers[i]))
            return false;
    return true;
}

/* Most buffers of a batch have one owner, the mapped file, which is retained once.  Batches that
 * were cut from one have the same owners in the same order. */
static void hold(dvi_kept_batch *kept, const dv_column_view *column, const dvi_kept_batch *before)
{
    const dv_buffer *buffers[BUFFERS_MAX];
    const size_t count = all_buffers(column, buffers);
    for (size_t i = 0; i < count; i++) {
        dv_owner *owner = buffers[i]->owner;
        const size_t n = kept->owners_count;
        const bool is_last = owner && n > 0 && kept->owners[n - 1] == owner;
        const bool was_held =
            is_last || (before && n < before->owners_count && before->owners[n] == owner);
        kept->held_nbytes += (int64_t)cost_of(buffers[i], !was_held);
        if (!owner || is_last)
            continue;
        dvi_owner_retain(owner);
        kept->owners[kept->owners_count++] = owner;
    }
}

dv_status dvi_kept_batch_make(dvi_kept_batch **kept_out, const dv_column_view *const *columns,
                              int32_t n, int64_t rows, const dvi_kept_batch *before,
                              const dv_allocator *allocator, dv_error *err)
{
    void *made;
    const size_t count = (size_t)n;
    const size_t each =
        sizeof(dvi_kept_column) + sizeof(dvi_memory *) + BUFFERS_MAX * sizeof(dv_owner *);
    const size_t nbytes = sizeof(dvi_kept_batch) + count * each;
    *kept_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, nbytes, err));
    dvi_kept_batch *kept = made;
    kept->rows = rows;
    kept->columns = n;
    kept->nbytes = nbytes;
    kept->offsets = (dvi_memory **)(void *)(kept->column + count);
    kept->owners = (dv_owner **)(void *)(kept->offsets + count);
    for (int32_t k = 0; k < n; k++) {
        const dv_status status =
            dvi_kept_column_make(&kept->column[k], columns[k], &kept->offsets[k], allocator, err);
        if (status < 0) {
            dvi_kept_batch_free(kept, allocator);
            return status;
        }
        hold(kept, columns[k], before);
        kept->held_nbytes += kept->offsets[k] ? (int64_t)kept->offsets[k]->cap : 0;
    }
    *kept_out = kept;
    return DV_OK;
}

void dvi_kept_batch_free(dvi_kept_batch *kept, const dv_allocator *allocator)
{
    if (!kept)
        return;
    for (size_t i = 0; i < kept->owners_count; i++)
        dvi_owner_release(kept->owners[i]);
    for (int32_t k = 0; k < kept->columns; k++)
        dvi_memory_release(&kept->offsets[k]);
    dvi_free(allocator, kept, kept->nbytes);
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static void release_block(dv_owner *owner)
{
    dvi_kept_block *block = (dvi_kept_block *)owner;
    const dv_allocator allocator = block->allocator;
    for (dvi_kept_batch *kept = block->batches, *next; kept; kept = next) {
        next = kept->next;
        dvi_kept_batch_free(kept, &allocator);
    }
    dvi_free(&allocator, block, sizeof *block);
}

dv_status dvi_kept_block_create(dvi_kept_block **block_out, const dv_allocator *allocator,
                                dv_error *err)
{
    DVI_TRY(DVI_NEW(allocator, block_out, 1, err));
    dvi_owner_init(&(*block_out)->owner, release_block);
    (*block_out)->allocator = dvi_allocator_of(allocator);
    (*block_out)->nbytes = sizeof **block_out;
    return DV_OK;
}

dv_status dvi_kept_block_append(dvi_kept_block *block, const dv_column_view *const *columns,
                                int32_t n, int64_t rows, dv_error *err)
{
    dvi_kept_batch *kept;
    DVI_TRY(dvi_kept_batch_make(&kept, columns, n, rows, block->last, &block->allocator, err));
    *(block->last ? &block->last->next : &block->batches) = kept;
    block->last = kept;
    block->rows += rows;
    block->held_nbytes += kept->held_nbytes;
    block->nbytes += kept->held_nbytes + (int64_t)kept->nbytes;
    return DV_OK;
}

void dvi_kept_block_release(dvi_kept_block **block)
{
    if (*block)
        dvi_owner_release(&(*block)->owner);
    *block = NULL;
}

/* --- Marks ------------------------------------------------------------------------------------ */

static size_t words_of(int64_t rows)
{
    return (size_t)(rows / 64 + (rows % 64 != 0));
}

size_t dvi_row_marks_nbytes(int64_t rows)
{
    return words_of(rows) * (sizeof(uint64_t) + sizeof(uint32_t));
}

void dvi_row_marks_init(dvi_row_marks *marks, void *memory, int64_t rows)
{
    marks->words = memory;
    marks->numbers = (uint32_t *)(void *)(marks->words + words_of(rows));
}

void dvi_row_marks_number(dvi_row_marks *marks, int64_t rows)
{
    uint32_t number = 0;
    for (size_t i = 0; i < words_of(rows); i++) {
        marks->numbers[i] = number;
        number += 64 - (uint32_t)__builtin_popcountll(marks->words[i]);
    }
}

int64_t dvi_row_marks_number_of(const dvi_row_marks *marks, int64_t row)
{
    const uint64_t before = (UINT64_C(1) << row % 64) - 1;
    return marks->numbers[row / 64] +
           (int64_t)__builtin_popcountll(~marks->words[row / 64] & before);
}
