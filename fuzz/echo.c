/* SPDX-License-Identifier: MIT */
/* echo.c: a view of the user's kind, with the values of another view. */
#include "echo.h"
#include "reading.h"
#include <dataview/cursor.h>
#include <dataview/own_view.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 5, AHEAD = 7 }; /* of a column; at most this many unused items before the others */

/* A column of a batch. */
typedef struct piece {
    dv_column_view view, items;
    dv_buffer buffers[BUFFERS]; /* owned */
    int32_t buffers_count;
    uint64_t draws;
    bool breaks;
} piece;

static uint64_t draw(piece *p, uint64_t below)
{
    p->draws = dvt_hash_number(p->draws, 0xEC0);
    return (p->draws >> 16) % below;
}

/* Now and then. */
static bool is_broken(piece *p)
{
    return p->breaks && draw(p, 6) == 0;
}

/* --- Buffers ---------------------------------------------------------------------------------- */

/* A copy of n items after `ahead` unused items, at an odd address or not.  NULL: empty. */
static uint8_t *copy(piece *p, dv_buffer *buffer, int64_t ahead, int64_t n, size_t width)
{
    const size_t odd = draw(p, 2), before = (size_t)ahead * width, nbytes = (size_t)n * width;
    const void *src = buffer->data;
    uint8_t *const memory = malloc(odd + before + nbytes + 1);
    *buffer = (dv_buffer){0};
    if (!memory)
        return NULL;
    memset(memory, 0xEE, odd + before);
    if (nbytes > 0)
        memcpy(memory + odd + before, src, nbytes);
    if (dv_buffer_wrap(buffer, memory + odd, before + nbytes, width > 8 ? 8 : width, free, memory,
                       NULL, NULL) != DV_OK) {
        free(memory);
        return NULL;
    }
    p->buffers[p->buffers_count++] = *buffer;
    return memory + odd + before;
}

static int32_t load(const uint8_t *data, int64_t i)
{
    int32_t number;
    memcpy(&number, data + 4 * i, 4);
    return number;
}

static void store(uint8_t *data, int64_t i, int32_t number)
{
    memcpy(data + 4 * i, &number, 4);
}

/* --- Columns ---------------------------------------------------------------------------------- */

static void echo_fixed(piece *p, dv_column_view *view, int64_t ahead)
{
    static const int8_t odd_booleans[] = {2, -1, 127};
    const dv_kind kind = view->type.kind;
    const size_t width = (size_t)dv_kind_width(kind);
    uint8_t *data = copy(p, &view->as.fixed.values, ahead, view->rows, width);
    if (data && view->rows > 0 && is_broken(p) && kind == DV_KIND_BL)
        memcpy(data, &odd_booleans[draw(p, 3)], 1);
    if (data && view->rows > 0 && is_broken(p) && kind == DV_KIND_DT)
        memcpy(data, &(int64_t){DV_TICKS_MAX + 1}, 8);
}

static void echo_zoned(piece *p, dv_column_view *view, int64_t ahead)
{
    uint8_t *ticks = copy(p, &view->as.zoned.ticks, ahead, view->rows, 8);
    uint8_t *minutes = copy(p, &view->as.zoned.minutes, ahead, view->rows, 2);
    if (ticks && minutes && view->rows > 0 && is_broken(p)) {
        memcpy(ticks, &(int64_t){(int64_t)draw(p, 2) - 1}, 8);
        memcpy(minutes, &(int16_t){(int16_t)(draw(p, 3) * 840)}, 2);
    }
}

/* Unused bytes precede the first row; `ahead` rows are empty. */
static void echo_text(piece *p, dv_column_view *view, int64_t ahead)
{
    dv_text_layout *text = &view->as.text;
    const uint8_t *old_ends = text->ends.data;
    const int64_t rows = view->rows;
    const int32_t last = rows > 0 ? load(old_ends, rows - 1) & INT32_MAX : text->first;
    const int32_t n = last - text->first, shift = (int32_t)draw(p, AHEAD);
    if (n > 0)
        text->utf8.data = (const uint8_t *)text->utf8.data + text->first;
    uint8_t *bytes = copy(p, &text->utf8, shift, n, 1);
    uint8_t *ends = copy(p, &text->ends, ahead, rows, 4);
    if (!bytes || !ends)
        return;
    for (int64_t i = 0; i < rows; i++)
        store(ends, i, load(ends, i) + shift - text->first);
    for (int64_t i = 0; i < ahead; i++)
        store(ends - 4 * ahead, i, shift);
    text->first = shift;
    if (n > 0 && is_broken(p))
        bytes[draw(p, (uint64_t)n)] = (uint8_t)(0x80 + draw(p, 0x80));
    if (rows > 1 && is_broken(p))
        store(ends, (int64_t)draw(p, (uint64_t)rows - 1),
              shift + (int32_t)draw(p, (uint64_t)n + 1));
}

static void echo_scalar(piece *p, dv_column_view *view, int64_t ahead)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        echo_fixed(p, view, ahead);
        break;
    case DV_LAYOUT_ZONED:
        echo_zoned(p, view, ahead);
        break;
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        echo_text(p, view, ahead);
        break;
    case DV_LAYOUT_VECTOR:
        break;
    }
    view->rows += ahead;
}

/* A dense row stores an item for each slot. */
static void make_full(piece *p, dv_vector_layout *vector, int64_t rows, uint8_t *counts)
{
    const int64_t row = (int64_t)draw(p, (uint64_t)rows);
    const uint8_t *lengths = vector->lengths.nbytes > 0 ? vector->lengths.data : NULL;
    const int32_t length = lengths ? load(lengths, row) : vector->length;
    if (load(counts, row) == -1 && length == 0)
        store(counts, row, 0);
}

static void echo_vector(piece *p, dv_column_view *view)
{
    dv_vector_layout *vector = &view->as.vector;
    const int64_t rows = view->rows, ahead = (int64_t)draw(p, AHEAD);
    const int64_t indices = (int64_t)(vector->indices.nbytes / 4);
    if (vector->lengths.nbytes > 0)
        copy(p, &vector->lengths, 0, rows, 4);
    uint8_t *counts = copy(p, &vector->counts, 0, rows, 4);
    uint8_t *places = copy(p, &vector->indices, ahead, indices, 4);
    if (!counts || !places)
        return;
    if (p->breaks)
        make_full(p, vector, rows, counts);
    if (indices > vector->index_base && is_broken(p))
        store(places, vector->index_base, (int32_t)draw(p, 4) - 2);
    vector->index_base += ahead;
    p->items = *vector->items;
    echo_scalar(p, &p->items, ahead);
    vector->item_base += ahead;
    vector->items = &p->items;
}

/* --- The cursor ------------------------------------------------------------------------------- */

typedef struct echo_cursor {
    dvt_echo *echo;
    dv_cursor *source;
    const dv_cursor_request *request;
} echo_cursor;

static int64_t rows_of(void *self)
{
    const dvt_echo *echo = self;
    return echo->hides_rows ? DV_ROWS_UNKNOWN : dv_view_rows(echo->source);
}

static void close_echo(void *cursor)
{
    echo_cursor *w = cursor;
    dv_cursor_close(&w->source);
    free(w);
}

static dv_status open_echo(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    static const int64_t batch_rows[] = {0, 1, 3, 100};
    dvt_echo *echo = self;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = request->columns;
    options.columns_count = request->columns_count;
    options.first_row = request->first_row;
    options.end_row = request->end_row == INT64_MAX ? -1 : request->end_row;
    options.threads = request->threads;
    options.batch_rows = batch_rows[echo->breaks ? 3 : echo->seed % 4]; /* or breaks move */
    echo_cursor *w = malloc(sizeof *w);
    if (!w)
        return DV_ERR_MEMORY;
    *w = (echo_cursor){.echo = echo, .request = request};
    const dv_status status = dv_cursor_open(&w->source, echo->source, &options, err);
    if (status != DV_OK)
        close_echo(w);
    else
        *cursor_out = w;
    return status;
}

static dv_status fill(const echo_cursor *w, dv_batch *batch, const dv_batch *from, int32_t k,
                      dv_error *err)
{
    piece p = {
        .view = *dv_batch_column(from, k), .draws = w->echo->seed, .breaks = w->echo->breaks};
    p.draws = dvt_hash_number(p.draws, (uint64_t)w->request->columns[k]);
    p.draws = dvt_hash_number(p.draws, (uint64_t)from->first_row);
    if (p.view.layout == DV_LAYOUT_VECTOR)
        echo_vector(&p, &p.view);
    else
        echo_scalar(&p, &p.view, 0);
    const dv_status status = dv_batch_fill(batch, k, &p.view, err);
    while (p.buffers_count > 0)
        dv_buffer_release(&p.buffers[--p.buffers_count]);
    return status;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    const echo_cursor *w = cursor;
    const dv_batch *from;
    dv_status status = dv_cursor_next(w->source, &from, err);
    if (status != DV_OK)
        return status;
    status = dv_batch_start(batch, from->first_row, from->rows, err);
    for (int32_t k = 0; status == DV_OK && k < w->request->columns_count; k++)
        status = fill(w, batch, from, k, err);
    return status;
}

/* --- The view --------------------------------------------------------------------------------- */

static dv_status copy_metadata(dv_schema *schema, const dv_schema *source, int32_t column,
                               int32_t i)
{
    const dv_batch *batch;
    dv_status status = dv_schema_metadata_value(source, column, i, &batch, NULL);
    if (status == DV_OK)
        status = dv_schema_add_metadata(schema, column, dv_schema_metadata(source, column, i)->kind,
                                        dv_batch_column(batch, 0), NULL);
    dv_batch_release(&batch);
    return status;
}

static dv_status copy_schema(dv_schema *schema, const dv_schema *source)
{
    dv_status status = DV_OK;
    for (int32_t c = 0; status == DV_OK && c < dv_schema_columns(source); c++) {
        const dv_column_info *info = dv_schema_column(source, c);
        status = dv_schema_add(schema, info->name, &info->type, NULL, NULL);
        for (int32_t i = 0; status == DV_OK && i < info->metadata_count; i++)
            status = copy_metadata(schema, source, c, i);
    }
    return status;
}

static const dv_view_class echo_class = {.size = sizeof echo_class,
                                         .kind = "echo",
                                         .rows = rows_of,
                                         .open_cursor = open_echo,
                                         .next = next,
                                         .close_cursor = close_echo};

dv_view *dvt_echo_open(dvt_echo *echo)
{
    dv_schema *schema;
    dv_view *view = NULL;
    if (dv_schema_create(&schema, echo->allocator, NULL) != DV_OK)
        return NULL;
    if (copy_schema(schema, dv_view_schema(echo->source)) == DV_OK)
        dv_view_create(&view, &echo_class, echo, &schema, echo->allocator, NULL);
    dv_schema_free(&schema);
    return view;
}
