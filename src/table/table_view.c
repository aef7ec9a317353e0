/* SPDX-License-Identifier: MIT */
/* table_view.c: makes a view of arrays in memory (table.h).
 *
 * Rows are delivered in blocks.  The texts of a block lie end to end, and their ends count from its
 * first byte, so that a column may have more than 2^31 bytes. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/error.h"
#include "base/load.h"
#include "base/options.h"
#include "base/owner.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "view/batch.h"
#include "view/column.h"
#include "view/identity.h"
#include "view/view.h"
#include "scan/derived.h"
#include "gather/places.h"
#include "table/column_store.h"
#include <dataview/own_view.h>
#include <dataview/schema.h>
#include <dataview/table.h>
#include <string.h>

#define BLOCK_ROWS 65536
#define BLOCK_TEXTS (1 << 20) /* fewer rows if texts have many slots */

typedef struct column {
    dv_type type, item;
    dv_layout layout; /* of the items */
    size_t width;     /* of an item; of text, of its end */
    int64_t slots;    /* of each row */
    dv_buffer values; /* values, ticks, or ends of text */
    dv_buffer more;   /* minutes, or bytes of text */
    int64_t *starts;  /* of text: the first byte of each block, and the end of the last one */
} column;

/* Arrays of the caller that are used in place. */
typedef struct lent_arrays {
    dv_owner owner;
    dv_allocator allocator;
    void (*release)(void *ctx); /* NULL until the view is made */
    void *ctx;
} lent_arrays;

typedef struct table {
    dv_allocator allocator;
    column *columns;
    int32_t n;
    int64_t rows, block_rows, blocks;
    lent_arrays *lent; /* NULL: columns are copies */
    dv_buffer counts;  /* -1 for each row of a block: vectors are dense */
} table;

/* --- Memory ----------------------------------------------------------------------------------- */

/* Items of a column before a row. */
static int64_t items_of(const column *c, int64_t rows)
{
    return rows * c->slots;
}

/* Memory that lives as long as the view, and is freed with it. */
static dv_status create_memory(dv_buffer *buffer_out, const table *t, int64_t n, size_t width,
                               dv_error *err)
{
    dvi_memory *memory;
    size_t nbytes;
    if (!dvi_size_mul((size_t)n, width, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_memory_create(&memory, &t->allocator, nbytes, err));
    memory->owner.stays = true;
    *buffer_out = dvi_memory_buffer(memory, 0, nbytes, width);
    return DV_OK;
}

static uint8_t *bytes_of(const dv_buffer *buffer)
{
    return ((dvi_memory *)(void *)buffer->owner)->data;
}

static void release_lent(dv_owner *owner)
{
    const lent_arrays lent = *(const lent_arrays *)(const void *)owner;
    dvi_free(&lent.allocator, owner, sizeof(lent_arrays));
    if (lent.release)
        lent.release(lent.ctx);
}

static dv_status create_lent(table *t, dv_error *err)
{
    DVI_TRY(DVI_NEW(&t->allocator, &t->lent, 1, err));
    dvi_owner_init(&t->lent->owner, release_lent);
    t->lent->owner.stays = true;
    t->lent->allocator = t->allocator;
    return DV_OK;
}

static void close_table(void *self)
{
    table *t = self;
    const dv_allocator allocator = t->allocator;
    for (int32_t i = 0; t->columns && i < t->n; i++) {
        column *c = &t->columns[i];
        if (!c->values.is_borrowed)
            dv_buffer_release(&c->values);
        dv_buffer_release(&c->more);
        dvi_free(&allocator, c->starts, ((size_t)t->blocks + 1) * sizeof *c->starts);
    }
    dv_buffer_release(&t->counts);
    if (t->lent)
        dvi_owner_release(&t->lent->owner);
    dvi_free(&allocator, t->columns, (size_t)t->n * sizeof *t->columns);
    dvi_free(&allocator, t, sizeof *t);
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status fail_column(const dv_table_column *from, const char *what, dv_error *err)
{
    return dvi_fail_argument(err, "column \"%s\": %s", dvi_show(dv_text_of(from->name)).text, what);
}

static dv_status check_column(const dv_table_column *from, int64_t rows, dv_error *err)
{
    if (!from->name || from->name[0] == '\0')
        return dvi_fail_argument(err, "a column without a name: give each of them one");
    DVI_TRY(dv_type_check(&from->type, err));
    const dv_kind kind = dv_type_item(&from->type).kind;
    const bool is_text = kind == DV_KIND_TX || kind == DV_KIND_BY;
    if (kind == DV_KIND_EXTENSION)
        return fail_column(from, "its type is an extension: give one of DV_TYPE_LIST", err);
    if (from->type.rank > 0 && from->type.size == 0)
        return fail_column(from, "its vectors have no known size: give a size of 1 or more", err);
    if (from->texts && (from->values || !is_text))
        return fail_column(from,
                           is_text ? "it has both values and texts: give one of them"
                                   : "it has texts, but its type is not TX or BY: give values",
                           err);
    if (rows > 0 && !from->texts && (!from->values || kind == DV_KIND_BY))
        return fail_column(from, kind == DV_KIND_BY ? "it has no texts" : "it has no values", err);
    return DV_OK;
}

static dv_text text_at(const dv_table_column *from, int64_t i)
{
    if (from->texts)
        return from->texts[i];
    const char *text = ((const char *const *)from->values)[i];
    return text ? dv_text_of(text) : (dv_text){"", -1};
}

static dv_status check_text(const dv_table_column *from, const column *c, dv_text text, int64_t i,
                            dv_error *err)
{
    size_t units;
    const size_t n = (size_t)text.nbytes;
    if (c->layout == DV_LAYOUT_BYTES || dvi_kernels()->utf8_units(text.data, n, &units) == n)
        return DV_OK;
    return dvi_fail_argument(err, "column \"%s\", row %lld: text that is not UTF-8",
                             dvi_show(dv_text_of(from->name)).text, (long long)(i / c->slots));
}

/* Find where the bytes of each block start. */
static dv_status measure_texts(const table *t, column *c, const dv_table_column *from,
                               dv_error *err)
{
    int64_t at = 0;
    DVI_TRY(DVI_NEW(&t->allocator, &c->starts, (size_t)t->blocks + 1, err));
    for (int64_t block = 0; block < t->blocks; block++) {
        const int64_t first = items_of(c, block * t->block_rows);
        const int64_t end = items_of(c, dvi_min_i64((block + 1) * t->block_rows, t->rows));
        for (int64_t i = first; i < end; i++) {
            const dv_text text = text_at(from, i);
            if (text.nbytes > 0)
                DVI_TRY(check_text(from, c, text, i, err));
            at += text.nbytes > 0 ? text.nbytes : 0;
            if (at - c->starts[block] > INT32_MAX)
                return dvi_fail_argument(
                    err, "column \"%s\": more than 2^31-1 bytes of text in %lld rows",
                    dvi_show(dv_text_of(from->name)).text, (long long)t->block_rows);
        }
        c->starts[block + 1] = at;
    }
    return DV_OK;
}

static dv_status copy_texts(const table *t, column *c, const dv_table_column *from, dv_error *err)
{
    const int64_t n = items_of(c, t->rows);
    DVI_TRY(measure_texts(t, c, from, err));
    DVI_TRY(create_memory(&c->values, t, n, 4, err));
    DVI_TRY(create_memory(&c->more, t, c->starts[t->blocks], 1, err));
    uint8_t *ends = bytes_of(&c->values), *bytes = bytes_of(&c->more);
    const int64_t block_items = items_of(c, t->block_rows);
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        const dv_text text = text_at(from, i);
        if (text.nbytes > 0)
            memcpy(bytes + at, text.data, (size_t)text.nbytes);
        at += text.nbytes > 0 ? text.nbytes : 0;
        const uint32_t end = (uint32_t)(at - c->starts[i / block_items]);
        const uint32_t na = text.nbytes < 0 ? UINT32_C(1) << 31 : 0;
        dvi_store_i32(ends + 4 * i, (int32_t)(end | na));
    }
    return DV_OK;
}

/* Ticks and minutes are separate arrays in a batch. */
static dv_status copy_zoned(const table *t, column *c, const dv_zoned *from, dv_error *err)
{
    const int64_t n = items_of(c, t->rows);
    DVI_TRY(create_memory(&c->values, t, n, 8, err));
    DVI_TRY(create_memory(&c->more, t, n, 2, err));
    uint8_t *ticks = bytes_of(&c->values), *minutes = bytes_of(&c->more);
    for (int64_t i = 0; i < n; i++) {
        dvi_store_i64(ticks + 8 * i, from[i].ticks);
        dvi_store_i16(minutes + 2 * i, from[i].minutes);
    }
    return DV_OK;
}

static dv_status take_numbers(const table *t, column *c, const void *from, dv_error *err)
{
    const int64_t n = items_of(c, t->rows);
    if (t->lent) {
        c->values = (dv_buffer){from, (size_t)n * c->width, &t->lent->owner, true,
                                (uintptr_t)from % (c->width < 8 ? c->width : 8) == 0};
        return DV_OK;
    }
    DVI_TRY(create_memory(&c->values, t, n, c->width, err));
    if (n > 0)
        memcpy(bytes_of(&c->values), from, (size_t)n * c->width);
    return DV_OK;
}

static dv_status take_column(const table *t, column *c, const dv_table_column *from, dv_error *err)
{
    switch (c->layout) {
    case DV_LAYOUT_FIXED:
        return take_numbers(t, c, from->values, err);
    case DV_LAYOUT_ZONED:
        return copy_zoned(t, c, from->values, err);
    default:
        return copy_texts(t, c, from, err);
    }
}

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_buffer slice(const dv_buffer *buffer, int64_t first, int64_t n, size_t width)
{
    dv_buffer part = *buffer;
    if (n > 0) /* a pointer past the end is not formed */
        part.data = (const uint8_t *)buffer->data + (size_t)first * width;
    part.nbytes = (size_t)n * width;
    return part;
}

/* The items of the rows first..end-1, which are those of a block, or its last ones. */
static void view_items(const table *t, const column *c, int64_t first, int64_t end,
                       dv_column_view *view)
{
    const int64_t at = items_of(c, first), n = items_of(c, end - first);
    const int64_t block = first / t->block_rows;
    *view = (dv_column_view){.type = c->item, .layout = c->layout, .rows = n};
    switch (c->layout) {
    case DV_LAYOUT_FIXED:
        view->as.fixed.values = slice(&c->values, at, n, c->width);
        break;
    case DV_LAYOUT_ZONED:
        view->as.zoned.ticks = slice(&c->values, at, n, 8);
        view->as.zoned.minutes = slice(&c->more, at, n, 2);
        break;
    default:
        view->as.text.ends = slice(&c->values, at, n, 4);
        view->as.text.utf8 =
            slice(&c->more, c->starts[block], c->starts[block + 1] - c->starts[block], 1);
        if (first % t->block_rows > 0)
            view->as.text.first =
                dvi_load_i32((const uint8_t *)c->values.data + 4 * (at - 1)) & INT32_MAX;
        break;
    }
}

static void view_rows(const table *t, const column *c, int64_t first, int64_t end,
                      dvi_column *column_out)
{
    if (c->type.rank == 0) {
        view_items(t, c, first, end, &column_out->view);
        return;
    }
    view_items(t, c, first, end, &column_out->items);
    column_out->view =
        (dv_column_view){.type = c->type, .layout = DV_LAYOUT_VECTOR, .rows = end - first};
    dv_vector_layout *vector = &column_out->view.as.vector;
    vector->length = c->type.size;
    vector->counts = slice(&t->counts, 0, end - first, 4);
    vector->items = &column_out->items;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    dvi_memory_cursor *c = cursor;
    const table *t = c->view;
    const int64_t row = c->at, block_end = (row / t->block_rows + 1) * t->block_rows;
    const int64_t end = dvi_min_i64(dvi_min_i64(c->request->end_row, t->rows), block_end);
    if (row >= end)
        return DV_END;
    DVI_TRY(dv_batch_start(batch, row, end - row, err));
    for (int32_t k = 0; k < c->request->columns_count; k++) {
        dvi_column made;
        view_rows(t, &t->columns[c->request->columns[k]], row, end, &made);
        dvi_batch_set_slot(batch, k, &made.view);
    }
    c->at = end;
    return DV_OK;
}

/* --- The view --------------------------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const table *)self)->rows;
}

static int64_t block_rows(void *self)
{
    return ((const table *)self)->block_rows;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const table *t = self;
    (void)err;
    for (int32_t i = 0; i < t->n; i++) {
        dv_identity_add(identity, t->columns[i].values.data, t->columns[i].values.nbytes);
        dv_identity_add(identity, t->columns[i].more.data, t->columns[i].more.nbytes);
    }
    return DV_OK;
}

/* All values of a column lie end to end. */
static dv_status locate(void *self, int32_t number, int64_t block, dvi_located *located_out,
                        dv_error *err)
{
    const table *t = self;
    const column *c = &t->columns[number];
    (void)err;
    if (c->layout != DV_LAYOUT_FIXED || c->type.rank > 0)
        return DV_NOT_FOUND;
    const int64_t distance = t->block_rows * (int64_t)c->width;
    *located_out = (dvi_located){(const uint8_t *)c->values.data + block * distance, distance,
                                 t->blocks - block};
    return DV_OK;
}

static const dvi_view_traits traits = {.locate = locate};

static const dv_view_class table_class = {
    .size = sizeof(dv_view_class),
    .kind = "table",
    .rows = count_rows,
    .can_shuffle = dvi_always_shuffles,
    .close = close_table,
    .open_cursor = dvi_memory_cursor_open,
    .next = next,
    .close_cursor = dvi_memory_cursor_close,
    .seek = dvi_memory_cursor_seek,
    .block_rows = block_rows,
    .identify = identify,
};

/* Describe the columns, and choose the rows of a block by them. */
static dv_status plan_columns(table *t, const dv_table_column *from, dv_schema *schema,
                              dv_error *err)
{
    int64_t most = 1;
    for (int32_t i = 0; i < t->n; i++) {
        column *c = &t->columns[i];
        size_t items;
        DVI_TRY(check_column(&from[i], t->rows, err));
        DVI_TRY(dv_schema_add(schema, dv_text_of(from[i].name), &from[i].type, NULL, err));
        c->type = dv_schema_column(schema, i)->type;
        c->item = dv_type_item(&c->type);
        c->layout = dvi_layout_of(&c->item);
        c->width = c->layout == DV_LAYOUT_FIXED ? dvi_width_of(&c->item) : 4;
        c->slots = c->type.rank > 0 ? c->type.size : 1;
        if (!dvi_size_mul((size_t)t->rows, 16 * (size_t)c->slots, &items))
            return dvi_fail_memory(err, SIZE_MAX);
        if (c->layout == DV_LAYOUT_TEXT || c->layout == DV_LAYOUT_BYTES)
            most = dvi_max_i64(most, c->slots);
    }
    t->block_rows = dvi_max_i64(1, dvi_min_i64(BLOCK_ROWS, BLOCK_TEXTS / most));
    t->blocks = (t->rows + t->block_rows - 1) / t->block_rows;
    return DV_OK;
}

static dv_status fill_counts(table *t, dv_error *err)
{
    DVI_TRY(create_memory(&t->counts, t, dvi_min_i64(t->rows, t->block_rows), 4, err));
    if (t->counts.nbytes > 0)
        memset(bytes_of(&t->counts), 0xFF, t->counts.nbytes);
    return DV_OK;
}

static dv_status fill(table *t, const dv_table_column *from, dv_schema *schema,
                      const dv_table_options *options, dv_error *err)
{
    DVI_TRY(DVI_NEW(&t->allocator, &t->columns, (size_t)t->n, err));
    if (options->lend)
        DVI_TRY(create_lent(t, err));
    DVI_TRY(plan_columns(t, from, schema, err));
    DVI_TRY(fill_counts(t, err));
    for (int32_t i = 0; i < t->n; i++)
        DVI_TRY(take_column(t, &t->columns[i], &from[i], err));
    return DV_OK;
}

static dv_status make_view(dv_view **view_out, table *t, const dv_table_column *from,
                           const dv_table_options *options, dv_error *err)
{
    dv_schema *schema;
    DVI_TRY(dv_schema_create(&schema, &t->allocator, err));
    dv_status status = fill(t, from, schema, options, err);
    if (status == DV_OK)
        status = dvi_view_create(view_out, &table_class, &traits, t, &schema, NULL, 0,
                                 &t->allocator, err);
    dv_schema_free(&schema);
    return status;
}

dv_status dv_table_create(dv_view **view_out, const dv_table_column *columns, int32_t n,
                          int64_t rows, const dv_table_options *given, dv_error *err)
{
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    table *t;
    *view_out = NULL;
    DVI_TRY(dvi_options_read(&options, sizeof options, given, "DV_TABLE_OPTIONS_INIT", err));
    if (n < 0 || rows < 0)
        return dvi_fail_argument(err, "a table of %d columns and %lld rows", n, (long long)rows);
    const dv_allocator allocator = dvi_allocator_of(options.allocator);
    DVI_TRY(DVI_NEW(&allocator, &t, 1, err));
    t->allocator = allocator;
    t->n = n;
    t->rows = rows;
    const dv_status status = make_view(view_out, t, columns, &options, err);
    if (status < 0) {
        close_table(t);
    } else if (t->lent) {
        t->lent->release = options.release;
        t->lent->ctx = options.ctx;
    }
    return status;
}
