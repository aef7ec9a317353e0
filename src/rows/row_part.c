/* SPDX-License-Identifier: MIT */
/* row_part.c: a batch of which only the buffers are kept. */
#include "rows/row_part.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/owner.h"

#define BUFFERS_MAX 5 /* of a column */

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

/* Bytes that would be given back if nobody held this buffer. */
static size_t cost_of(const dv_buffer *buffer)
{
    const bool is_free = buffer->is_borrowed || !buffer->owner || buffer->owner->stays;
    return is_free ? 0 : buffer->nbytes;
}

bool dvi_row_part_is_free(const dv_column_view *column)
{
    const dv_buffer *buffers[BUFFERS_MAX];
    const size_t count = all_buffers(column, buffers);
    for (size_t i = 0; i < count; i++)
        if (cost_of(buffers[i]) > 0)
            return false;
    return true;
}

/* Most buffers of a batch have the same owner, the file's map: that is held once. */
static void hold(dvi_row_part *part, const dv_column_view *column)
{
    const dv_buffer *buffers[BUFFERS_MAX];
    const size_t count = all_buffers(column, buffers);
    for (size_t i = 0; i < count; i++) {
        dv_owner *owner = buffers[i]->owner;
        part->held_nbytes += (int64_t)cost_of(buffers[i]);
        if (!owner || (part->owners_count > 0 && part->owners[part->owners_count - 1] == owner))
            continue;
        dvi_owner_retain(owner);
        part->owners[part->owners_count++] = owner;
    }
}

dv_status dvi_row_part_make(dvi_row_part **part_out, const dv_column_view *const *columns,
                            int32_t n, int64_t rows, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    const size_t count = (size_t)n;
    const size_t each =
        sizeof(dvi_row_lane) + sizeof(dvi_memory *) + BUFFERS_MAX * sizeof(dv_owner *);
    const size_t nbytes = sizeof(dvi_row_part) + count * each;
    *part_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, nbytes, err));
    dvi_row_part *part = made;
    part->rows = rows;
    part->columns = n;
    part->nbytes = nbytes;
    part->offsets = (dvi_memory **)(void *)(part->lanes + count);
    part->owners = (dv_owner **)(void *)(part->offsets + count);
    for (int32_t k = 0; k < n; k++) {
        const dv_status status =
            dvi_lane_make(&part->lanes[k], columns[k], &part->offsets[k], allocator, err);
        if (status < 0) {
            dvi_row_part_free(part, allocator);
            return status;
        }
        hold(part, columns[k]);
        part->held_nbytes += part->offsets[k] ? (int64_t)part->offsets[k]->cap : 0;
    }
    *part_out = part;
    return DV_OK;
}

void dvi_row_part_free(dvi_row_part *part, const dv_allocator *allocator)
{
    if (!part)
        return;
    for (size_t i = 0; i < part->owners_count; i++)
        dvi_owner_release(part->owners[i]);
    for (int32_t k = 0; k < part->columns; k++)
        dvi_memory_release(&part->offsets[k]);
    dvi_free(allocator, part, part->nbytes);
}
