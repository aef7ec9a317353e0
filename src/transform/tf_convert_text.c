/* SPDX-License-Identifier: MIT */
/* tf_convert_text.c: sparse vectors converted to text.
 *
 * A slot without an item is 0 in a vector of numbers, but the empty text in a vector of texts. So
 * every slot of the converted vector gets an item (semantics:10.12). */
#include "base/check.h"
#include "base/load.h"
#include "view/column.h"
#include "transform/tf_convert_priv.h"
#include <dataview/value.h>

#define NBYTES_MAX (INT64_C(1) << 30) /* of the texts of a batch */

/* The texts written so far, and the text of a slot without an item. */
typedef struct texts {
    dv_text hole;
    uint8_t *utf8, *ends;
    uint32_t used;
    int64_t n;
} texts;

static void append(texts *t, dv_text text)
{
    if (text.nbytes > 0)
        memcpy(t->utf8 + t->used, text.data, (size_t)text.nbytes);
    t->used += text.nbytes > 0 ? (uint32_t)text.nbytes : 0;
    dvi_store_u32(t->ends + 4 * t->n++, t->used | (text.nbytes < 0 ? UINT32_C(1) << 31 : 0));
}

static void append_defaults(texts *t, int32_t n)
{
    for (; n > 0; n--)
        append(t, t->hole);
}

/* Append all slots of one vector. */
static void append_vector(texts *t, const dv_value *vector)
{
    const int32_t items = dv_value_items(vector);
    dv_value item = dv_value_item(vector, 0);
    int32_t next = 0;
    for (int32_t i = 0; i < items; i++, item.row++) {
        const int32_t slot = dv_value_slot(vector, i);
        append_defaults(t, slot - next);
        append(t, dv_value_tx(&item));
        next = slot + 1;
    }
    append_defaults(t, vector->length - next);
}

static int64_t count_slots(const dv_column_view *column)
{
    const dv_vector_layout *vector = &column->as.vector;
    int64_t slots = 0;
    if (vector->lengths.nbytes == 0)
        return column->rows * vector->length;
    for (int64_t i = 0; i < column->rows; i++)
        slots += dvi_vector_length(vector, i);
    return slots;
}

/* Convert the default value to text, once. */
static dv_status print_default(const dvi_conversion *c, dvi_convert_memory *memory,
                               const dv_allocator *allocator, dv_error *err)
{
    if (memory->hole_text.data)
        return DV_OK;
    static const uint64_t zero[2];
    const dv_buffer zeros = {zero, sizeof zero, NULL, false, true};
    dv_column_view src = {.type = c->from, .layout = dvi_layout_of(&c->from), .rows = 1}, dst;
    if (src.layout == DV_LAYOUT_ZONED)
        src.as.zoned = (dv_zoned_layout){zeros, zeros};
    else
        src.as.fixed.values = zeros;
    DVI_TRY(dvi_conversion_run(c, &memory->hole, &dst, &src, 0, 1, allocator, err));
    memory->hole_text = dv_value_tx(&(dv_value){.column = &dst});
    return DV_OK;
}

static dv_status fail_size(dv_error *err)
{
    return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "vectors of a batch as text",
                    "at most 2^30 bytes|more");
}

/* Reserve memory for all texts; those of items take `stored` bytes. */
static dv_status reserve(dvi_convert_memory *memory, texts *t, int64_t slots, int64_t holes,
                         int64_t stored, const dv_allocator *allocator, dv_error *err)
{
    if (slots > NBYTES_MAX / 4 || 4 * slots + stored + holes * t->hole.nbytes > NBYTES_MAX)
        return fail_size(err);
    const size_t nbytes = (size_t)(stored + holes * t->hole.nbytes);
    DVI_TRY(dvi_memory_reserve(&memory->dense.first, allocator, nbytes, err));
    DVI_TRY(dvi_memory_reserve(&memory->dense.second, allocator, 4 * (size_t)slots, err));
    t->utf8 = memory->dense.first->data;
    t->ends = memory->dense.second->data;
    return DV_OK;
}

/* Point the column to the texts: each vector has all its slots. */
static dv_status show(dvi_convert_memory *memory, dv_column_view *dst, dv_column_view *items,
                      const texts *t, const dv_allocator *allocator, dv_error *err)
{
    const size_t nbytes = 4 * (size_t)dst->rows;
    dv_vector_layout *vector = &dst->as.vector;
    DVI_TRY(dvi_memory_reserve(&memory->counts, allocator, nbytes, err));
    memset(memory->counts->data, 0xFF, nbytes); /* -1 */
    vector->counts = dvi_memory_buffer(memory->counts, 0, nbytes, 4);
    vector->indices = (dv_buffer){0};
    vector->index_base = 0;
    items->rows = t->n;
    items->as.text.utf8 = dvi_memory_buffer(memory->dense.first, 0, t->used, 1);
    items->as.text.ends = dvi_memory_buffer(memory->dense.second, 0, 4 * (size_t)t->n, 4);
    return DV_OK;
}

dv_status dvi_convert_fill_holes(const dvi_conversion *c, dvi_convert_memory *memory,
                                 dv_column_view *dst, dv_column_view *items,
                                 const dv_allocator *allocator, dv_error *err)
{
    const int64_t slots = count_slots(dst), holes = slots - items->rows;
    const int64_t stored = (int64_t)items->as.text.utf8.nbytes;
    texts t = {0};
    if (holes == 0)
        return DV_OK;
    DVI_TRY(print_default(c, memory, allocator, err));
    t.hole = memory->hole_text;
    DVI_TRY(reserve(memory, &t, slots, holes, stored, allocator, err));
    dv_value vector = dv_value_first(dst);
    for (; vector.row < dst->rows; dv_value_next(&vector))
        append_vector(&t, &vector);
    return show(memory, dst, items, &t, allocator, err);
}

void dvi_convert_memory_free(void *of)
{
    dvi_convert_memory *memory = of;
    dvi_converted_free(&memory->values);
    dvi_converted_free(&memory->hole);
    dvi_converted_free(&memory->dense);
    dvi_memory_release(&memory->counts);
}
