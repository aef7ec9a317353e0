/* SPDX-License-Identifier: MIT */
/* arrow_flat.c: makes the slots of sparse rows scalars, one for each slot. */
#include "interop/arrow_flat.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/sparse.h"
#include "interop/arrow_node.h"
#include <string.h>

/* Walks over the stored items: which slot each one has. */
typedef struct walk {
    const dv_vector_layout *vectors;
    int64_t row, rows;
    int64_t slot;          /* of all slots, where the row begins */
    int64_t item;          /* of all items, where the row begins */
    size_t index;          /* of all indices, where the row begins */
    int32_t length, count; /* of the row */
    dv_sparse sparse;
} walk;

static walk start(const dvi_arrow_source *source)
{
    return (walk){.vectors = source->vectors,
                  .row = -1,
                  .rows = source->rows,
                  .sparse = dvi_vector_sparse(source->vectors, source->rows)};
}

/* The slot of item i of a sparse row. */
static int32_t slot_of(const walk *w, int32_t i)
{
    return dvi_sparse_index(&w->sparse, w->index + (size_t)i);
}

static int32_t items_of_row(const walk *w)
{
    return w->count < 0 ? w->length : w->count;
}

/* Move to the next row; false: there is none. */
static bool next_row(walk *w)
{
    if (w->row >= 0) {
        w->slot += w->length;
        w->item += items_of_row(w);
        w->index += w->count < 0 ? 0 : (size_t)w->count;
    }
    if (++w->row == w->rows)
        return false;
    w->length = dvi_vector_length(w->vectors, w->row);
    w->count = dvi_vector_count(w->vectors, w->row);
    return true;
}

/* Values of any width: runs of a dense row, single ones of a sparse one. */
static void place(uint8_t *dst, const uint8_t *src, size_t width, const dvi_arrow_source *source)
{
    walk w = start(source);
    memset(dst, 0, (size_t)source->n * width);
    while (next_row(&w)) {
        if (items_of_row(&w) == 0)
            continue; /* without any there may be no buffer */
        uint8_t *row = dst + (size_t)w.slot * width;
        const uint8_t *items = src + (size_t)w.item * width;
        if (w.count < 0)
            memcpy(row, items, (size_t)w.length * width);
        for (int32_t i = 0; i < w.count; i++)
            memcpy(row + (size_t)slot_of(&w, i) * width, items + (size_t)i * width, width);
    }
}

/* Items stay end to end, so only their ends are new: a slot without an item ends where the one
 * before it ends. */
static void place_ends(int32_t *dst, const dv_text_layout *text, const dvi_arrow_source *source)
{
    walk w = start(source);
    const uint8_t *ends = text->ends.data;
    int32_t last = text->first;
    while (next_row(&w)) {
        int32_t *row = dst + w.slot;
        int32_t i = 0; /* the next item */
        for (int32_t slot = 0; slot < w.length; slot++) {
            const bool is_stored = w.count < 0 || (i < w.count && slot_of(&w, i) == slot);
            const int32_t end = is_stored ? dvi_load_i32(ends + 4 * (w.item + i)) : last;
            row[slot] = end;
            last = end & INT32_MAX;
            i += is_stored;
        }
    }
}

static dv_status flatten_buffer(dv_buffer *buffer, size_t width, const dvi_arrow_source *source,
                                struct ArrowArray *array, dv_error *err)
{
    void *made;
    size_t nbytes;
    DVI_REQUIRE(dvi_size_mul((size_t)source->n, width, &nbytes), dvi_fail_memory(err, SIZE_MAX));
    DVI_TRY(dvi_arrow_array_make(array, nbytes, &made, err));
    place(made, buffer->data, width, source);
    *buffer = (dv_buffer){made, nbytes, NULL, false, true};
    return DV_OK;
}

static dv_status flatten_text(dv_text_layout *text, const dvi_arrow_source *source,
                              struct ArrowArray *array, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arrow_array_make(array, 4 * (size_t)source->n, &made, err));
    place_ends(made, text, source);
    text->ends = (dv_buffer){made, 4 * (size_t)source->n, NULL, false, true};
    return DV_OK;
}

dv_status dvi_arrow_flatten(dv_column_view *flat_out, const dvi_arrow_source *source,
                            struct ArrowArray *array, dv_error *err)
{
    dv_column_view *flat = flat_out;
    *flat = source->scalars;
    if (!source->vectors)
        return DV_OK;
    flat->rows = source->n;
    switch (flat->layout) {
    case DV_LAYOUT_FIXED:
        return flatten_buffer(&flat->as.fixed.values, dvi_width_of(&flat->type), source, array,
                              err);
    case DV_LAYOUT_ZONED:
        DVI_TRY(flatten_buffer(&flat->as.zoned.ticks, 8, source, array, err));
        return flatten_buffer(&flat->as.zoned.minutes, 2, source, array, err);
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        return flatten_text(&flat->as.text, source, array, err);
    case DV_LAYOUT_VECTOR:
        break;
    }
    return dvi_fail_argument(err, "a vector cannot be the item of a vector");
}
