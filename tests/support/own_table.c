/* SPDX-License-Identifier: MIT */
/* own_table.c: a view that a user might have made.  Each column is in memory once, and batches are
 * runs of its rows, so texts, indices and items start in the middle. */
#include "support/own_table.h"
#include <pthread.h>
#include <stdlib.h>

#define NA DV_TICKS_NA
#define NA_TEXT(end) ((int32_t)((uint32_t)(end) | UINT32_C(0x80000000)))

static const float x_values[DVT_OWN_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const char t_utf8[] = "ab\xC3\xA9"
                             "cdef"
                             "\xF0\x9F\x98\x80"
                             "ghi";
static const int32_t t_ends[DVT_OWN_ROWS] = {1,  4,  4,  NA_TEXT(4), 5,           8,
                                             12, 12, 13, 14,         NA_TEXT(14), 15};
#define Z INT64_C(637134336000000000)
static const int64_t z_ticks[DVT_OWN_ROWS] = {0,      Z + 10, Z + 20, NA,     Z + 40, Z + 50,
                                              Z + 60, Z + 70, Z + 80, Z + 90, NA,     Z + 110};
static const int16_t z_minutes[DVT_OWN_ROWS] = {0, 1, -840, 7, 840, 5, 6, 7, 8, 9, 10, 11};
static const int32_t v_lengths[DVT_OWN_ROWS] = {2, 0, 5, 3, 1, 4, 9, 2, 0, 7, 3, 2};
static const int32_t v_counts[DVT_OWN_ROWS] = {-1, -1, 2, 0, -1, 1, 3, -1, -1, 2, 1, -1};
static const int32_t v_indices[] = {1, 4, 3, 0, 5, 8, 2, 6, 0};
static const float v_items[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const int32_t w_counts[DVT_OWN_ROWS] = {1, -1, 0, 0, 2, -1, 1, 1, 0, -1, 2, 0};
static const int32_t w_indices[] = {2, 0, 1, 1, 0, 1, 2};
static const char w_utf8[] = "aBcDeFgHiJkLmNoP";
static const int32_t w_ends[] = {1, 2, 3, 4, 5, 6, NA_TEXT(6), 7, 8, 9, 9, 10, 11, 12, 13, 16};
static const int8_t b_values[DVT_OWN_ROWS] = {0, 1, DV_BL_NA, 1, 0, 0, 1, 7, 0, 1, -1, 0};

const char dvt_own_truth[] =
    "{\"rows\":12,\"columns\":[{\"name\":\"t\",\"type\":\"TX\",\"metadata\":{}},"
    "{\"name\":\"z\",\"type\":\"DZ\",\"metadata\":{}},"
    "{\"name\":\"v\",\"type\":\"V<R4,*>\",\"metadata\":{"
    "\"Note\":{\"type\":\"TX\",\"value\":\"a\"},"
    "\"Ticks\":{\"type\":\"V<TX,3>\",\"value\":{\"len\":3,\"idx\":[2],\"val\":[\"a\"]}}}},"
    "{\"name\":\"w\",\"type\":\"V<TX,3>\",\"metadata\":{}},"
    "{\"name\":\"x\",\"type\":\"BL\",\"metadata\":{}}]}\n"
    "[\"a\",\"dz:0:0\",{\"len\":2,\"dense\":[\"r4:3f800000\",\"r4:40000000\"]},"
    "{\"len\":3,\"idx\":[2],\"val\":[\"a\"]},false]\n"
    "[\"b\xC3\xA9\",\"dz:637134336000000010:1\",{\"len\":0,\"dense\":[]},"
    "{\"len\":3,\"dense\":[\"B\",\"c\",\"D\"]},true]\n"
    "[\"\",\"dz:637134336000000020:-840\",{\"len\":5,\"idx\":[1,4],\"val\":[\"r4:40400000\",\"r4:"
    "40800000\"]},"
    "{\"len\":3,\"idx\":[],\"val\":[]},null]\n"
    "[null,null,{\"len\":3,\"idx\":[],\"val\":[]},{\"len\":3,\"idx\":[],\"val\":[]},true]\n"
    "[\"c\",\"dz:637134336000000040:840\",{\"len\":1,\"dense\":[\"r4:40a00000\"]},"
    "{\"len\":3,\"idx\":[0,1],\"val\":[\"e\",\"F\"]},false]\n"
    "[\"def\",\"dz:637134336000000050:5\",{\"len\":4,\"idx\":[3],\"val\":[\"r4:40c00000\"]},"
    "{\"len\":3,\"dense\":[null,\"g\",\"H\"]},false]\n"
    "[\"\xF0\x9F\x98\x80\",\"dz:637134336000000060:6\",{\"len\":9,\"idx\":[0,5,8],\"val\":[\"r4:"
    "40e00000\","
    "\"r4:41000000\",\"r4:41100000\"]},{\"len\":3,\"idx\":[1],\"val\":[\"i\"]},true]\n"
    "[\"\",\"dz:637134336000000070:7\",{\"len\":2,\"dense\":[\"r4:41200000\",\"r4:41300000\"]},"
    "{\"len\":3,\"idx\":[0],\"val\":[\"\"]},null]\n"
    "[\"g\",\"dz:637134336000000080:8\",{\"len\":0,\"dense\":[]},{\"len\":3,\"idx\":[],\"val\":[]},"
    "false]\n"
    "[\"h\",\"dz:637134336000000090:9\",{\"len\":7,\"idx\":[2,6],\"val\":[\"r4:41400000\",\"r4:"
    "41500000\"]},"
    "{\"len\":3,\"dense\":[\"J\",\"k\",\"L\"]},true]\n"
    "[null,null,{\"len\":3,\"idx\":[0],\"val\":[\"r4:41600000\"]},"
    "{\"len\":3,\"idx\":[1,2],\"val\":[\"m\",\"NoP\"]},null]\n"
    "[\"i\",\"dz:637134336000000110:11\",{\"len\":2,\"dense\":[\"r4:41700000\",\"r4:41800000\"]},"
    "{\"len\":3,\"idx\":[],\"val\":[]},false]\n";

/* --- Column views of a run of rows --------------------------------------------------------------
 */

/* A column view with room for a vector's items, and the buffers in it that were wrapped. */
typedef struct piece {
    const dv_cursor_request *request; /* whose schema and allocator */
    dv_column_view view, items;
    dv_buffer *wrapped[6];
    int count;
} piece;

static void count_release(void *ctx)
{
    atomic_fetch_add(&((dvt_own_table *)ctx)->released, 1);
}

/* Wrap n items of `width` bytes from item `first` on. */
static dv_status wrap(dvt_own_table *table, piece *p, dv_buffer *buffer, const void *items,
                      int64_t first, int64_t n, size_t width, dv_error *err)
{
    const dv_status status =
        dv_buffer_wrap(buffer, (const char *)items + (size_t)first * width, (size_t)n * width,
                       width > 8 ? 8 : width, count_release, table, p->request->allocator, err);
    if (status == DV_OK) {
        atomic_fetch_add(&table->wrapped, 1);
        p->wrapped[p->count++] = buffer;
    }
    return status;
}

/* What the rows before take of the indices and items. */
static void add_up(const int32_t *lengths, int32_t length, const int32_t *counts, int64_t rows,
                   int64_t *indices, int64_t *items)
{
    *indices = *items = 0;
    for (int64_t i = 0; i < rows; i++) {
        *indices += counts[i] < 0 ? 0 : counts[i];
        *items += counts[i] < 0 ? (lengths ? lengths[i] : length) : counts[i];
    }
}

static dv_status put_text(dvt_own_table *table, piece *p, int64_t first, int64_t rows,
                          dv_error *err)
{
    dv_text_layout *text = &p->view.as.text;
    text->first = first > 0 ? t_ends[first - 1] & INT32_MAX : 0;
    const dv_status status = wrap(table, p, &text->utf8, t_utf8, 0, sizeof t_utf8 - 1, 1, err);
    return status == DV_OK ? wrap(table, p, &text->ends, t_ends, first, rows, 4, err) : status;
}

static dv_status put_zoned(dvt_own_table *table, piece *p, int64_t first, int64_t rows,
                           dv_error *err)
{
    dv_zoned_layout *zoned = &p->view.as.zoned;
    const dv_status status = wrap(table, p, &zoned->ticks, z_ticks, first, rows, 8, err);
    return status == DV_OK ? wrap(table, p, &zoned->minutes, z_minutes, first, rows, 2, err)
                           : status;
}

/* Indices are wrapped where these rows' start; items stay whole, with a base. */
static dv_status put_numbers(dvt_own_table *table, piece *p, int64_t first, int64_t rows,
                             dv_error *err)
{
    dv_vector_layout *v = &p->view.as.vector;
    int64_t indices;
    add_up(v_lengths, 0, v_counts, first, &indices, &v->item_base);
    p->items = (dv_column_view){
        .type = dv_type_of(DV_KIND_R4), .layout = DV_LAYOUT_FIXED, .rows = sizeof v_items / 4};
    v->items = &p->items;
    dv_status status = wrap(table, p, &v->lengths, v_lengths, first, rows, 4, err);
    if (status == DV_OK)
        status = wrap(table, p, &v->counts, v_counts, first, rows, 4, err);
    if (status == DV_OK)
        status = wrap(table, p, &v->indices, v_indices, indices,
                      (int64_t)(sizeof v_indices / 4) - indices, 4, err);
    return status == DV_OK
               ? wrap(table, p, &p->items.as.fixed.values, v_items, 0, p->items.rows, 4, err)
               : status;
}

/* Indices and items whole, each with a base; static bytes, which need no owner. */
static dv_status put_texts(piece *p, int64_t first, int64_t rows)
{
    dv_vector_layout *w = &p->view.as.vector;
    add_up(NULL, 3, w_counts, first, &w->index_base, &w->item_base);
    p->items = (dv_column_view){
        .type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = sizeof w_ends / 4};
    p->items.as.text.utf8 = (dv_buffer){w_utf8, sizeof w_utf8 - 1, NULL, true, true};
    p->items.as.text.ends = (dv_buffer){w_ends, sizeof w_ends, NULL, true, true};
    w->length = 3;
    w->counts = (dv_buffer){w_counts + first, (size_t)rows * 4, NULL, true, true};
    w->indices = (dv_buffer){w_indices, sizeof w_indices, NULL, true, true};
    w->items = &p->items;
    return DV_OK;
}

static dv_status put_column(dvt_own_table *table, piece *p, int32_t column, int64_t first,
                            int64_t rows, dv_error *err)
{
    static const dv_layout layouts[] = {DV_LAYOUT_FIXED,  DV_LAYOUT_TEXT,   DV_LAYOUT_ZONED,
                                        DV_LAYOUT_VECTOR, DV_LAYOUT_VECTOR, DV_LAYOUT_FIXED};
    *p = (piece){.request = p->request};
    p->view.type = dv_schema_column(p->request->schema, column)->type;
    p->view.layout = layouts[column];
    p->view.rows = rows;
    switch (column) {
    case 0:
        return wrap(table, p, &p->view.as.fixed.values, x_values, first, rows, 4, err);
    case 1:
        return put_text(table, p, first, rows, err);
    case 2:
        return put_zoned(table, p, first, rows, err);
    case 3:
        return put_numbers(table, p, first, rows, err);
    case 4:
        return put_texts(p, first, rows);
    default:
        return wrap(table, p, &p->view.as.fixed.values, b_values, first, rows, 1, err);
    }
}

/* --- The view -----------------------------------------------------------------------------------
 */

typedef struct walk {
    dvt_own_table *table;
    const dv_cursor_request *request;
    int64_t row;
} walk;

static int64_t count_rows(void *self)
{
    const dvt_own_table *table = self;
    return table->rows_unknown ? DV_ROWS_UNKNOWN : DVT_OWN_ROWS;
}

static void close_view(void *self)
{
    atomic_fetch_add(&((dvt_own_table *)self)->views_closed, 1);
}

/* Several threads may open cursors at once: the last request stays. */
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    dvt_own_table *table = self;
    *cursor_out = NULL;
    if (table->open_status != DV_OK) {
        if (err)
            err->status = table->open_status;
        return table->open_status;
    }
    walk *w = malloc(sizeof *w);
    if (!w)
        abort();
    *w = (walk){table, request, request->first_row};
    pthread_mutex_lock(&request_lock);
    table->request = *request;
    pthread_mutex_unlock(&request_lock);
    atomic_fetch_add(&table->cursors_opened, 1);
    *cursor_out = w;
    return DV_OK;
}

static void close_walk(void *cursor)
{
    walk *w = cursor;
    atomic_fetch_add(&w->table->cursors_closed, 1);
    free(w);
}

/* Where the batch of that row ends. */
static int64_t batch_end(int64_t row)
{
    static const int64_t ends[] = {2, 5, 6, 10, DVT_OWN_ROWS};
    int i = 0;
    while (ends[i] <= row)
        i++;
    return ends[i];
}

static dv_status fill(walk *w, dv_batch *batch, int32_t k, int64_t rows, dv_error *err)
{
    piece p = {.request = w->request};
    dv_status status = put_column(w->table, &p, w->request->columns[k], w->row, rows, err);
    if (status == DV_OK)
        status = dv_batch_fill(batch, k, &p.view, err);
    while (p.count > 0)
        dv_buffer_release(p.wrapped[--p.count]);
    return status;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    const int64_t end = w->request->end_row < DVT_OWN_ROWS ? w->request->end_row : DVT_OWN_ROWS;
    if (w->row >= end)
        return DV_END;
    const int64_t stop = batch_end(w->row) < end ? batch_end(w->row) : end;
    if (w->table->next_status != DV_OK && w->row <= 6 && stop > 6) {
        if (err)
            err->status = w->table->next_status;
        return w->table->next_status;
    }
    dv_status status = dv_batch_start(batch, w->row, stop - w->row, err);
    for (int32_t k = 0; status == DV_OK && k < w->request->columns_count; k++)
        status = fill(w, batch, k, stop - w->row, err);
    if (status == DV_OK)
        w->row = stop;
    return status;
}

static const dv_view_class own_class = {.size = sizeof own_class,
                                        .kind = "own table",
                                        .rows = count_rows,
                                        .close = close_view,
                                        .open_cursor = open_walk,
                                        .next = next,
                                        .close_cursor = close_walk};

/* Metadata of column v: the first text of t, and the first vector of w, which is sparse. */
static dv_status add_metadata(dvt_own_table *table, dv_schema *schema, dv_error *err)
{
    piece p = {.request = &table->request};
    dv_status status = DV_OK;
    static const char *const kinds[] = {"Note", "Ticks"};
    static const int32_t columns[] = {1, 4};
    for (int i = 0; status == DV_OK && i < 2; i++) {
        status = put_column(table, &p, columns[i], 0, 3, err);
        if (status == DV_OK)
            status = dv_schema_add_metadata(schema, 3, dv_text_of(kinds[i]), &p.view, err);
        while (p.count > 0)
            dv_buffer_release(p.wrapped[--p.count]);
    }
    return status;
}

dv_status dvt_own_table_open(dv_view **view_out, dvt_own_table *table,
                             const dv_allocator *allocator, dv_error *err)
{
    static const char *const names[] = {"x", "t", "z", "v", "w", "x"};
    const dv_type types[] = {dv_type_of(DV_KIND_R4),
                             dv_type_of(DV_KIND_TX),
                             dv_type_of(DV_KIND_DZ),
                             dv_type_vector(dv_type_of(DV_KIND_R4), 0),
                             dv_type_vector(dv_type_of(DV_KIND_TX), 3),
                             dv_type_of(DV_KIND_BL)};
    dv_schema *schema;
    *view_out = NULL;
    dv_status status = dv_schema_create(&schema, allocator, err);
    for (int i = 0; status == DV_OK && i < 6; i++)
        status = dv_schema_add(schema, dv_text_of(names[i]), &types[i], NULL, err);
    table->request = (dv_cursor_request){.schema = schema, .allocator = allocator};
    if (status == DV_OK)
        status = add_metadata(table, schema, err);
    if (status == DV_OK)
        status = dv_view_create(view_out, &own_class, table, &schema, allocator, err);
    dv_schema_free(&schema);
    return status;
}
