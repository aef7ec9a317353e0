/* SPDX-License-Identifier: MIT */
/* tf_chars.c: writes the units of texts. */
#include "transform/tf_chars.h"
#include "base/check.h"
#include "base/size.h"
#include "base/utf8.h"
#include "view/identity.h"
#include "transform/text_items.h"
#include "transform/tf_words.h"

/* The params of a column. */
typedef struct params {
    const dv_allocator *allocator;
    int32_t column; /* of the source */
    bool has_markers;
} params;

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_memory *units, *lengths, *counts;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory_release(&m->units);
    dvi_memory_release(&m->lengths);
    dvi_memory_release(&m->counts);
}

/* --- A batch ---------------------------------------------------------------------------------- */

size_t dvi_chars_write(uint16_t *dst, dv_text text)
{
    size_t used = 0;
    for (int64_t i = 0; i < text.nbytes;) {
        const uint8_t c = (uint8_t)text.data[i];
        const size_t width = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        const uint32_t code = dvi_utf8_code(text.data + i, width);
        if (code < 0x10000) {
            dst[used++] = (uint16_t)code;
        } else {
            dst[used++] = (uint16_t)(0xD800 + ((code - 0x10000) >> 10));
            dst[used++] = (uint16_t)(0xDC00 + (code & 0x3FF));
        }
        i += (int64_t)width;
    }
    return used;
}

/* Write the next row; returns its units. */
static size_t write_row(const params *p, uint16_t *dst, dvi_text_rows *rows)
{
    int64_t first;
    size_t used = 0;
    const int32_t n = dvi_text_rows_next(rows, &first);
    if (!rows->vector && dvi_text_rows_at(rows, first).nbytes <= 0)
        return 0;
    if (p->has_markers)
        dst[used++] = DVI_CHARS_START;
    for (int32_t i = 0; i < n; i++) {
        const dv_text text = dvi_text_rows_at(rows, first + i);
        if (text.nbytes <= 0)
            continue;
        if (i > 0)
            dst[used++] = DVI_CHARS_BORDER;
        used += dvi_chars_write(dst + used, text);
    }
    if (p->has_markers)
        dst[used++] = DVI_CHARS_END;
    return used;
}

/* A unit has a byte or more; a row at most two markers, and a text one border. */
static dv_status reserve(const dvi_filling *f, const dv_column_view *src, dv_error *err)
{
    memory *m = f->memory;
    const dvi_text_extent extent = dvi_text_extent_of(src, src->rows);
    const size_t rows = (size_t)src->rows;
    const size_t units = (size_t)(extent.nbytes + extent.texts) + 2 * rows;
    DVI_TRY(dvi_memory_reserve(&m->units, f->allocator, 2 * units, err));
    DVI_TRY(dvi_memory_reserve(&m->lengths, f->allocator, 4 * rows, err));
    return dvi_memory_reserve(&m->counts, f->allocator, 4 * rows, err);
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    dvi_text_rows rows = dvi_text_rows_of(src);
    size_t used = 0;
    DVI_TRY(reserve(f, src, err));
    uint16_t *units = (uint16_t *)(void *)m->units->data;
    for (int64_t row = 0; row < src->rows; row++) {
        const size_t n = write_row(f->params, units + used, &rows);
        if (n > INT32_MAX)
            return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "slots of a vector",
                            "at most 2^31-1|%zu", n);
        dvi_store_i32(m->lengths->data + 4 * row, (int32_t)n);
        dvi_store_i32(m->counts->data + 4 * row, -1);
        used += n;
    }
    dst->items = (dv_column_view){
        .type = dv_type_item(f->type), .layout = DV_LAYOUT_FIXED, .rows = (int64_t)used};
    dst->items.as.fixed.values = dvi_memory_buffer(m->units, 0, 2 * used, 2);
    dvi_column_set_vectors(dst, f->type, src->rows, m->lengths, m->counts, m->counts, 0);
    return DV_OK;
}

/* --- Planning --------------------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const params *p = made->mapped.params;
    (void)source;
    return dvi_chars_add_key_values(schema, column, p->allocator, err);
}

static void identify(const void *of, dv_identity *identity)
{
    const params *p = of;
    dvi_identity_add_i8(identity, p->has_markers);
}

static const dvi_maker maker = {.name = "chars",
                                .identify = identify,
                                .describe = describe,
                                .fill = fill,
                                .memory = sizeof(memory),
                                .release = release_memory};

dv_status dvi_chars_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                         int32_t column, bool has_markers, dv_error *err)
{
    void *room;
    DVI_TRY(dvi_words_check(source, column, err));
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(params), err));
    params *p = room;
    *p = (params){&arena->allocator, column, has_markers};
    column_out->type = dv_type_vector(dv_type_key(DV_KIND_U2, 0, DVI_CHARS_COUNT), 0);
    column_out->mapped = (dvi_mapped){&maker, p, &p->column, 1};
    return DV_OK;
}
