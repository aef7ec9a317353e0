/* SPDX-License-Identifier: MIT */
/* datadings_decoder.c: decodes messages into columns, row by row. */
#include "format/datadings/read/datadings_decoder.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include <string.h>

#define NO_PLAIN (-1)

/* --- Life ------------------------------------------------------------------------------------- */

static void start_builder(dvi_datadings_decoder *d, dvi_datadings_builder *b,
                          const dvi_datadings_column *column)
{
    b->column = column;
    b->cell = d->locator.cell_of[column->field];
    b->item = dv_type_item(&column->type);
    b->is_vector = column->type.rank > 0;
    b->width = (size_t)dv_kind_width(b->item.kind);
    b->is_text = b->width == 0;
    b->plain = b->is_vector || column->is_opaque ? NO_PLAIN
               : b->item.kind == DV_KIND_TX      ? DVI_MSGPACK_STR
               : b->item.kind == DV_KIND_BY      ? DVI_MSGPACK_BIN
               : b->item.kind == DV_KIND_I8      ? DVI_MSGPACK_UINT
                                                 : NO_PLAIN;
    /* a row of vectors has a count and a length, one of texts an end */
    d->row_nbytes += b->is_vector ? 8 : b->is_text ? 4 : (int64_t)b->width;
}

static dv_status start_locator(dvi_datadings_decoder *d, const int32_t *columns, dv_error *err)
{
    void *made;
    const size_t nbytes = ((size_t)d->count + 1) * sizeof(int32_t);
    DVI_TRY(dvi_alloc(&d->allocator, &made, nbytes, err));
    int32_t *requested = made, n = 0;
    for (int32_t k = 0; k < d->count; k++)
        requested[n++] = d->file->columns[columns[k]].field;
    const int32_t key = dvi_datadings_fields_find(&d->file->fields, 0, dv_text_of("key"));
    const bool is_requested = key >= 0 && d->file->options.strict;
    if (is_requested)
        requested[n++] = key;
    const dv_status status = dvi_datadings_locator_create(&d->locator, &d->file->fields, requested,
                                                          n, &d->allocator, err);
    dvi_free(&d->allocator, requested, nbytes);
    if (status == DV_OK && is_requested)
        d->key_cell = d->locator.cell_of[key];
    return status;
}

dv_status dvi_datadings_decoder_create(dvi_datadings_decoder *d, dvi_datadings_file *file,
                                       const int32_t *columns, int32_t count,
                                       const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *d = (dvi_datadings_decoder){
        .file = file, .allocator = *allocator, .count = count, .key_cell = -1};
    DVI_TRY(start_locator(d, columns, err));
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, (size_t)count * sizeof *d->builders, err));
    d->builders = made;
    for (int32_t k = 0; k < count; k++)
        start_builder(d, &d->builders[k], &file->columns[columns[k]]);
    return DV_OK;
}

void dvi_datadings_decoder_free(dvi_datadings_decoder *d)
{
    for (int32_t k = 0; d->builders && k < d->count; k++) {
        dvi_datadings_builder *b = &d->builders[k];
        dvi_memory_release(&b->main);
        dvi_memory_release(&b->ends);
        dvi_memory_release(&b->counts);
        dvi_memory_release(&b->lengths);
    }
    dvi_memory_release(&d->listed_memory);
    dvi_free(&d->allocator, d->listed, DVI_DATADINGS_WINDOW * sizeof *d->listed);
    dvi_free(&d->allocator, d->builders, (size_t)d->count * sizeof *d->builders);
    dvi_datadings_locator_free(&d->locator);
}

/* --- Rows ------------------------------------------------------------------------------------- */

void dvi_datadings_decoder_clear(dvi_datadings_decoder *d, int64_t sample, bool in_place,
                                 bool checks_text)
{
    d->first_row = sample;
    d->rows = d->mismatches = 0;
    d->in_place = in_place;
    d->checks_text = checks_text;
    for (int32_t k = 0; k < d->count; k++) {
        d->builders[k].items = 0;
        d->builders[k].nbytes = 0;
        d->builders[k].main_cap = d->builders[k].ends_cap = 0; /* a batch may hold the memory */
        d->builders[k].borrowed = NULL;
    }
}

dv_status dvi_datadings_grow(dvi_datadings_decoder *d, dvi_datadings_builder *b, size_t main_nbytes,
                             size_t ends_nbytes, dv_error *err)
{
    const size_t n = (size_t)b->items, used = b->is_text ? b->nbytes : b->width * n;
    if (ends_nbytes > 0) {
        DVI_TRY(dvi_memory_extend(&b->ends, 4 * n, ends_nbytes, &d->allocator, err));
        b->ends_cap = b->ends->cap;
    }
    DVI_TRY(dvi_memory_extend(&b->main, used, main_nbytes, &d->allocator, err));
    b->main_cap = b->main->cap;
    return DV_OK;
}

static dv_status fail_mismatch(const dvi_datadings_decoder *d, const dvi_msgpack_reader *message,
                               dv_error *err)
{
    const dvi_datadings_mismatch *m = &d->mismatch;
    const dvi_datadings_field *field = &d->file->fields.field[m->field];
    char type[40] = "map";
    if (field->column >= 0)
        dv_type_print(&d->file->columns[field->column].type, type, sizeof type);
    const bool is_partly = d->file->options.specs_count == 0 && d->file->seen < d->file->samples;
    return dvi_fail(err, DV_ERR_CORRUPT, DVI_DATADINGS_MISMATCH,
                    message->offset + (m->at - message->start), dvi_show(field->key).text,
                    "%s (or option %smismatch=na)|%s", type, is_partly ? "infer=all, or " : "",
                    m->found);
}

/* Count a mismatch, DV_NOT_FOUND, and return DV_OK or DV_ERR_CORRUPT as the options require. */
static dv_status count_mismatch(dvi_datadings_decoder *d, dv_status status,
                                const dvi_msgpack_reader *message, dv_error *err)
{
    if (status != DV_NOT_FOUND)
        return status;
    d->mismatches++;
    return d->file->options.mismatch_na && !d->reports_mismatches ? DV_OK
                                                                  : fail_mismatch(d, message, err);
}

/* Get the key that the set lists for the row that is being added; NA: none. Few messages lack their
 * own, or all do: the keys of the samples after it are read as well. */
static dv_status listed_key(dvi_datadings_decoder *d, dv_text *key_out, dv_error *err)
{
    const int64_t row = d->first_row + d->rows;
    void *made;
    if (!d->listed) {
        DVI_TRY(dvi_alloc(&d->allocator, &made, DVI_DATADINGS_WINDOW * sizeof *d->listed, err));
        d->listed = made;
    }
    if (row < d->listed_row || row >= d->listed_row + d->listed_rows) {
        const int64_t left = dvi_datadings_rows(d->file->set) - row;
        const int64_t n = dvi_min_i64(left, DVI_DATADINGS_WINDOW);
        d->listed_rows = 0;
        DVI_TRY(
            dvi_datadings_keys(d->file->set, row, (size_t)n, d->listed, &d->listed_memory, err));
        d->listed_row = row;
        d->listed_rows = n;
    }
    *key_out = d->listed[row - d->listed_row];
    return DV_OK;
}

/* A sample without a key of its own has the listed one (datadings:3.1). */
static dv_status add_missing(dvi_datadings_decoder *d, dvi_datadings_builder *b, dv_error *err)
{
    dv_text key = {NULL, -1};
    if (b->column->is_key)
        DVI_TRY(listed_key(d, &key, err));
    return key.nbytes < 0 ? dvi_datadings_append_missing(d, b, err)
                          : dvi_datadings_append_listed(d, b, key, err);
}

/* Append what most values are: a text or an integer whose type is that of the column, for which
 * there is room. false: nothing was appended, and dvi_datadings_append decides. */
static inline bool add_plain(const dvi_datadings_decoder *d, dvi_datadings_builder *b,
                             const dvi_datadings_cell *cell)
{
    const dvi_msgpack *t = &cell->token;
    const size_t n = (size_t)b->items, room = (size_t)(cell->end - cell->at);
    if ((int)t->kind != b->plain || d->in_place || d->checks_text)
        return false;
    if (!b->is_text) {
        if (t->u > INT64_MAX || b->main_cap < 8 * (n + 1))
            return false;
        dvi_store_u64(b->main->data + 8 * n, t->u);
    } else {
        const bool is_cut = b->plain == DVI_MSGPACK_STR && t->n > 0 && (*t->data & 0xC0) == 0x80;
        if (is_cut || room > b->main_cap - b->nbytes || b->ends_cap < 4 * (n + 1))
            return false;
        memcpy(b->main->data + b->nbytes, t->data, t->n);
        b->nbytes += t->n;
        dvi_store_u32(b->ends->data + 4 * n, (uint32_t)b->nbytes);
    }
    b->items++;
    return true;
}

static dv_status add_value(dvi_datadings_decoder *d, dvi_datadings_builder *b,
                           const dvi_msgpack_reader *message, dv_error *err)
{
    const dvi_datadings_cell *cell = &d->locator.cells[b->cell];
    const bool is_there = cell->stamp == d->locator.stamp &&
                          (b->column->is_opaque || cell->token.kind != DVI_MSGPACK_NIL);
    if (is_there && add_plain(d, b, cell))
        return DV_OK;
    const dv_status status = is_there ? dvi_datadings_append(d, b, cell, message, err) : DV_END;
    DVI_TRY(count_mismatch(d, status, message, err));
    return status == DV_OK    ? DV_OK
           : status == DV_END ? add_missing(d, b, err)
                              : dvi_datadings_append_missing(d, b, err);
}

dv_status dvi_datadings_decoder_add(dvi_datadings_decoder *d, dvi_msgpack_reader *message,
                                    dv_error *err)
{
    DVI_TRY(count_mismatch(d, dvi_datadings_locator_find(&d->locator, message, &d->mismatch, err),
                           message, err));
    for (int32_t k = 0; k < d->count; k++)
        DVI_TRY(add_value(d, &d->builders[k], message, err));
    d->rows++;
    return DV_OK;
}

bool dvi_datadings_decoder_is_text(const dvi_datadings_decoder *d)
{
    size_t units;
    for (int32_t k = 0; k < d->count; k++) {
        const dvi_datadings_builder *b = &d->builders[k];
        if (b->item.kind == DV_KIND_TX && b->nbytes > 0 && !b->borrowed &&
            dvi_kernels()->utf8_units(b->main->data, b->nbytes, &units) != b->nbytes)
            return false;
    }
    return true;
}

/* --- Views ------------------------------------------------------------------------------------ */

/* The values of a column: in the message, or decoded. */
static dv_buffer buffer_of(const dvi_datadings_builder *b, size_t nbytes, const dvi_span *span)
{
    const size_t width = b->is_text ? 1 : b->width;
    if (!b->borrowed)
        return b->main ? dvi_memory_buffer(b->main, 0, nbytes, width) : (dv_buffer){.data = NULL};
    return (dv_buffer){b->borrowed, nbytes, span->owner, span->is_borrowed,
                       (uintptr_t)b->borrowed % width == 0};
}

static dv_buffer memory_of(dvi_memory *memory, int64_t n)
{
    return n > 0 ? dvi_memory_buffer(memory, 0, 4 * (size_t)n, 4) : (dv_buffer){.data = NULL};
}

/* The items as a column of scalars. */
static dv_column_view view_items(const dvi_datadings_builder *b, const dvi_span *span)
{
    dv_column_view view = {.type = b->item, .layout = dvi_layout_of(&b->item), .rows = b->items};
    if (b->is_text) {
        view.as.text.utf8 = buffer_of(b, b->nbytes, span);
        view.as.text.ends = memory_of(b->ends, b->items);
    } else {
        view.as.fixed.values = buffer_of(b, b->width * (size_t)b->items, span);
    }
    return view;
}

void dvi_datadings_decoder_view(const dvi_datadings_decoder *d, int32_t k, const dvi_span *span,
                                dv_column_view *view_out, dv_column_view *items_out)
{
    const dvi_datadings_builder *b = &d->builders[k];
    *items_out = view_items(b, span);
    *view_out = *items_out;
    if (!b->is_vector)
        return;
    *view_out =
        (dv_column_view){.type = b->column->type, .layout = DV_LAYOUT_VECTOR, .rows = d->rows};
    dv_vector_layout *vector = &view_out->as.vector;
    vector->length = b->column->type.size;
    vector->counts = memory_of(b->counts, d->rows);
    if (vector->length == 0)
        vector->lengths = memory_of(b->lengths, d->rows);
    vector->items = items_out;
}
