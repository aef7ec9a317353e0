/* SPDX-License-Identifier: MIT */
/* pack_cursor.c: reads packs.
 *
 * A gatherer reads the documents of the pieces by number; their items are copied once, to where
 * they lie in the batch. */
#include "order/pack_cursor.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "view/batch.h"
#include "gather/row_gatherer.h"
#include <string.h>

/* A batch ends at this many packs or, unless a number was asked for, bytes of a column. */
#define BATCH_PACKS 1024
#define BATCH_NBYTES (1 << 20)
#define BATCH_NBYTES_MOST (64 << 20)

/* A packed column that is active. */
typedef struct packed {
    dvi_memory *items;
    size_t width;
    dvi_kept_column *kept; /* where its rows in a batch of the source are; see take_batch */
    dvi_memory *offsets;
} packed;

typedef struct pack_cursor {
    const dvi_pack *view;
    const dv_cursor_request *request;
    dv_cursor_request read; /* reads documents: its rows are pieces */
    dvi_arena arena;
    int32_t *columns; /* read.columns */
    int32_t *slots;   /* for each active column, which of these it is; -1: it is made */
    packed *packed;   /* each of them */
    dvi_kept_column *kept;
    dvi_row_gatherer *gatherer; /* NULL: no document is read */

    int64_t pack;                /* the first one of the batch */
    int64_t end_pack, end_piece; /* where the planned batch ends */
    int64_t filling, piece;      /* the pack and the piece that come next */
    int32_t used;                /* items of that pack before the piece */
    int64_t items, at;           /* items in the batch; copied so far */

    dvi_memory *dense;                /* counts of dense rows */
    dvi_memory *lengths[3], *made[3]; /* of items, and of the columns that are made */
    bool wants[DVI_PACK_MADE];        /* is the column active? */
    dv_status ended; /* what the next call returns, after the packs before it were delivered */
    dv_error error;
} pack_cursor;

/* --- Documents -------------------------------------------------------------------------------- */

static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const dvi_pack_plan *plan = &((const pack_cursor *)ctx)->view->plan;
    n = dvi_min_i64(n, plan->pieces_count - position);
    for (int64_t i = 0; i < n; i++)
        rows_out[i] = plan->pieces[position + i].row;
    return dvi_max_i64(n, 0);
}

static dvi_shown name_of(const pack_cursor *c, int32_t column)
{
    return dvi_show(dv_schema_column(c->read.schema, column)->name);
}

static dv_status check_length(const pack_cursor *c, const dvi_row_ref *ref, int32_t k,
                              const dvi_pack_piece *piece, dv_error *err)
{
    const int32_t length = dvi_row_ref_length(ref, k);
    DVI_REQUIRE(length == piece->length,
                dvi_fail_argument(err,
                                  "column \"%s\": row %lld has %d items, but column \"%s\" had %d "
                                  "when the pack was planned",
                                  name_of(c, c->columns[k]).text, (long long)piece->row,
                                  (int)length, name_of(c, c->view->columns[0]).text,
                                  (int)piece->length));
    return DV_OK;
}

/* Copy the items of the next piece, of which `ref` is the document. */
static dv_status copy_piece(pack_cursor *c, const dvi_row_ref *ref, dv_error *err)
{
    const dvi_pack_plan *plan = &c->view->plan;
    const dvi_pack_piece *piece = &plan->pieces[c->piece];
    const int32_t n = dvi_pack_piece_items(plan, piece, c->used);
    for (int32_t k = 0; k < c->read.columns_count; k++) {
        const packed *p = &c->packed[k];
        DVI_TRY(check_length(c, ref, k, piece, err));
        DVI_TRY(dvi_row_ref_slots(ref, k, p->width, piece->first, n,
                                  p->items->data + (size_t)c->at * p->width, err));
    }
    c->at += n;
    c->used += n;
    if (++c->piece == plan->ends[c->filling]) {
        c->filling++;
        c->used = 0;
    }
    return DV_OK;
}

static int64_t room(void *ctx, int64_t *wanted_out)
{
    const pack_cursor *c = ctx;
    return *wanted_out = c->end_piece - c->piece;
}

static dv_status take_refs(void *ctx, const dvi_row_ref *refs, int64_t n, int64_t *taken_out,
                           dv_error *err)
{
    for (int64_t i = 0; i < n; i++)
        DVI_TRY(copy_piece(ctx, &refs[i], err));
    *taken_out = n;
    return DV_OK;
}

static dv_status take_batch(void *ctx, const dv_batch *batch, bool *is_taken_out, dv_error *err)
{
    pack_cursor *c = ctx;
    for (int32_t k = 0; k < c->read.columns_count; k++)
        DVI_TRY(dvi_kept_column_make(&c->kept[k], dv_batch_column(batch, k), &c->packed[k].offsets,
                                     c->request->allocator, err));
    for (int64_t i = 0; i < batch->rows; i++) {
        const dvi_row_ref ref = {c->kept, i};
        DVI_TRY(copy_piece(c, &ref, err));
    }
    *is_taken_out = true;
    return DV_OK;
}

static dv_status read_documents(pack_cursor *c, dv_error *err)
{
    const dvi_row_sink sink = {
        .room = room, .take_refs = take_refs, .take_batch = take_batch, .ctx = c};
    if (!c->gatherer) {
        c->filling = c->end_pack;
        c->piece = c->end_piece;
        return DV_OK;
    }
    DVI_TRY(dvi_row_gatherer_fill(c->gatherer, &sink, err));
    DVI_REQUIRE(c->piece == c->end_piece,
                dvi_fail(err, DV_ERR_CORRUPT, "", -1, "documents of packs", "row %lld|no more rows",
                         (long long)c->view->plan.pieces[c->piece].row));
    return DV_OK;
}

/* --- Batches ---------------------------------------------------------------------------------- */

static int64_t count_items(const dvi_pack_plan *plan, int64_t pack)
{
    int32_t used = 0;
    for (int64_t i = dvi_pack_first_piece(plan, pack); i < plan->ends[pack]; i++)
        used += dvi_pack_piece_items(plan, &plan->pieces[i], used);
    return used;
}

/* The bytes of an item of the widest column. */
static int64_t widest(const pack_cursor *c)
{
    size_t width = c->wants[DVI_PACK_ROWS] ? 8 : 4;
    for (int32_t k = 0; k < c->read.columns_count; k++)
        width = c->packed[k].width > width ? c->packed[k].width : width;
    return (int64_t)width;
}

/* Plan a batch of at least one pack, before pack `end`. */
static void plan_batch(pack_cursor *c, int64_t end)
{
    const int64_t asked = c->request->batch_rows, most = asked > 0 ? asked : BATCH_PACKS;
    const int64_t fit = (asked > 0 ? BATCH_NBYTES_MOST : BATCH_NBYTES) / widest(c);
    const dvi_pack_plan *plan = &c->view->plan;
    c->items = count_items(plan, c->pack);
    c->end_pack = c->pack + 1;
    while (c->end_pack < end && c->end_pack - c->pack < most) {
        const int64_t items = count_items(plan, c->end_pack);
        if (c->items + items > fit)
            break;
        c->items += items;
        c->end_pack++;
    }
    c->end_piece = plan->ends[c->end_pack - 1];
    c->at = 0;
}

static dv_status reserve(pack_cursor *c, dvi_memory **memory, int64_t n, size_t width,
                         dv_error *err)
{
    size_t nbytes;
    if (!dvi_size_mul((size_t)n, width, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    return dvi_memory_reserve(memory, c->request->allocator, nbytes, err);
}

static dv_status reserve_batch(pack_cursor *c, dv_error *err)
{
    const int64_t packs = c->end_pack - c->pack, pieces = c->end_piece - c->piece;
    const int64_t n[] = {pieces + packs, c->items, pieces};
    for (int32_t k = 0; k < c->read.columns_count; k++)
        DVI_TRY(reserve(c, &c->packed[k].items, c->items, c->packed[k].width, err));
    DVI_TRY(reserve(c, &c->dense, packs, 4, err));
    for (int32_t i = 0; i < DVI_PACK_MADE; i++) {
        DVI_TRY(reserve(c, &c->lengths[i], packs, 4, err));
        if (c->wants[i])
            DVI_TRY(reserve(c, &c->made[i], n[i], i == DVI_PACK_ROWS ? 8 : 4, err));
    }
    return DV_OK;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static int32_t *numbers_of(dvi_memory *memory)
{
    return (int32_t *)(void *)memory->data;
}

/* How many items the batch has in each column that is made; positions are as many as items. */
typedef struct counts {
    int64_t n[DVI_PACK_MADE];
} counts;

static void put_piece(pack_cursor *c, const dvi_pack_piece *piece, int32_t used, int32_t items,
                      counts *at)
{
    if (c->wants[DVI_PACK_ENDS])
        numbers_of(c->made[DVI_PACK_ENDS])[at->n[DVI_PACK_ENDS]] = used + items;
    for (int32_t i = 0; c->wants[DVI_PACK_POSITIONS] && i < items; i++)
        numbers_of(c->made[DVI_PACK_POSITIONS])[at->n[DVI_PACK_POSITIONS] + i] = i;
    if (c->wants[DVI_PACK_ROWS])
        memcpy(c->made[DVI_PACK_ROWS]->data + 8 * at->n[DVI_PACK_ROWS], &piece->row, 8);
    at->n[DVI_PACK_ENDS]++;
    at->n[DVI_PACK_POSITIONS] += items;
    at->n[DVI_PACK_ROWS]++;
}

static void put_pack(pack_cursor *c, int64_t pack, counts *at)
{
    const dvi_pack_plan *plan = &c->view->plan;
    const int64_t first = dvi_pack_first_piece(plan, pack), end = plan->ends[pack];
    const int64_t row = pack - c->pack;
    int32_t used = 0;
    if (c->wants[DVI_PACK_ENDS])
        numbers_of(c->made[DVI_PACK_ENDS])[at->n[DVI_PACK_ENDS]] = 0;
    at->n[DVI_PACK_ENDS]++;
    for (int64_t i = first; i < end; i++) {
        const int32_t items = dvi_pack_piece_items(plan, &plan->pieces[i], used);
        put_piece(c, &plan->pieces[i], used, items, at);
        used += items;
    }
    numbers_of(c->lengths[DVI_PACK_ENDS])[row] = (int32_t)(end - first + 1);
    numbers_of(c->lengths[DVI_PACK_POSITIONS])[row] = used;
    numbers_of(c->lengths[DVI_PACK_ROWS])[row] = (int32_t)(end - first);
    numbers_of(c->dense)[row] = -1;
}

static void set_column(const pack_cursor *c, dv_batch *batch, int32_t k, const counts *all)
{
    const dv_type *type = &dv_schema_column(c->request->schema, c->request->columns[k])->type;
    const dv_type item = dv_type_item(type);
    const int32_t slot = c->slots[k];
    const int32_t made =
        slot >= 0 ? DVI_PACK_POSITIONS : c->request->columns[k] - c->view->columns_count;
    const size_t rows = (size_t)batch->rows, n = (size_t)all->n[made];
    dvi_memory *items = slot >= 0 ? c->packed[slot].items : c->made[made];
    dvi_column column = {.items = {.type = item, .layout = DV_LAYOUT_FIXED, .rows = (int64_t)n}};
    column.items.as.fixed.values = dvi_memory_buffer(items, 0, n * dvi_width_of(&item), 1);
    column.view = (dv_column_view){.type = *type, .layout = DV_LAYOUT_VECTOR, .rows = batch->rows};
    column.view.as.vector.lengths = dvi_memory_buffer(c->lengths[made], 0, 4 * rows, 4);
    column.view.as.vector.counts = dvi_memory_buffer(c->dense, 0, 4 * rows, 4);
    column.view.as.vector.items = &column.items;
    dvi_batch_set_slot(batch, k, &column.view);
}

/* Deliver the packs that are full. */
static dv_status deliver(pack_cursor *c, dv_batch *batch, dv_error *err)
{
    counts all = {{0}};
    DVI_TRY(dv_batch_start(batch, c->pack, c->filling - c->pack, err));
    for (int64_t pack = c->pack; pack < c->filling; pack++)
        put_pack(c, pack, &all);
    for (int32_t k = 0; k < c->request->columns_count; k++)
        set_column(c, batch, k, &all);
    c->pack = c->filling;
    return DV_OK;
}

dv_status dvi_pack_cursor_next(void *cursor, dv_batch *batch, dv_error *err)
{
    pack_cursor *c = cursor;
    dv_error own = DV_ERROR_INIT;
    const int64_t end = dvi_min_i64(c->request->end_row, c->view->plan.packs);
    dv_status status = c->ended;
    if (status == DV_OK && c->pack >= end)
        return DV_END;
    if (status == DV_OK) {
        plan_batch(c, end);
        DVI_TRY(reserve_batch(c, err));
        status = read_documents(c, &own);
        c->error = own;
    }
    if (status < 0 && (c->ended < 0 || status == DV_ERR_MEMORY || c->filling == c->pack)) {
        if (err)
            *err = c->error;
        return status;
    }
    c->ended = status;
    return deliver(c, batch, err);
}

/* --- Life ------------------------------------------------------------------------------------- */

static void go_to_first_pack(pack_cursor *c)
{
    const dvi_pack_plan *plan = &c->view->plan;
    const int64_t first = dvi_min_i64(c->request->first_row, plan->packs);
    const int64_t end = dvi_min_i64(c->request->end_row, plan->packs);
    c->pack = c->filling = first;
    c->piece = c->read.first_row = dvi_pack_first_piece(plan, first);
    c->read.end_row = dvi_max_i64(dvi_pack_first_piece(plan, end), c->piece);
    c->read.epoch = c->request->epoch;
    c->used = 0;
    c->ended = DV_OK;
}

dv_status dvi_pack_cursor_seek(void *cursor, dv_error *err)
{
    pack_cursor *c = cursor;
    (void)err;
    go_to_first_pack(c);
    if (c->gatherer)
        dvi_row_gatherer_restart(c->gatherer, c->piece);
    return DV_OK;
}

void dvi_pack_cursor_close(void *cursor)
{
    pack_cursor *c = cursor;
    const dv_allocator *allocator = c->request->allocator;
    dvi_row_gatherer_free(&c->gatherer);
    for (int32_t k = 0; c->packed && k < c->request->columns_count; k++) {
        dvi_memory_release(&c->packed[k].items);
        dvi_memory_release(&c->packed[k].offsets);
    }
    dvi_memory_release(&c->dense);
    for (int32_t i = 0; i < DVI_PACK_MADE; i++) {
        dvi_memory_release(&c->lengths[i]);
        dvi_memory_release(&c->made[i]);
    }
    dvi_arena_free(&c->arena);
    dvi_free(allocator, c, sizeof *c);
}

static dv_status allocate(pack_cursor *c, dv_error *err)
{
    const size_t n = (size_t)c->request->columns_count;
    void *columns, *slots, *all, *kept;
    DVI_TRY(dvi_arena_alloc(&c->arena, &columns, n * sizeof *c->columns, err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &slots, n * sizeof *c->slots, err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &kept, n * sizeof *c->kept, err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &all, n * sizeof *c->packed, err));
    c->columns = columns;
    c->slots = slots;
    c->kept = kept;
    c->packed = all;
    return DV_OK;
}

/* The slot of a packed column, which is read once. */
static int32_t slot_of(pack_cursor *c, int32_t column)
{
    const dv_type item = dv_type_item(&dv_schema_column(c->read.schema, column)->type);
    int32_t k = 0;
    while (k < c->read.columns_count && c->columns[k] != column)
        k++;
    c->columns[k] = column;
    c->packed[k].width = dvi_width_of(&item);
    if (k == c->read.columns_count)
        c->read.columns_count++;
    return k;
}

static void find_columns(pack_cursor *c)
{
    const dvi_pack *view = c->view;
    for (int32_t k = 0; k < c->request->columns_count; k++) {
        const int32_t column = c->request->columns[k];
        const bool is_packed = column < view->columns_count;
        c->slots[k] = is_packed ? slot_of(c, view->columns[column]) : -1;
        if (!is_packed)
            c->wants[column - view->columns_count] = true;
    }
}

static dv_status set_up(pack_cursor *c, dv_error *err)
{
    const dvi_gather_plan plan = {
        .what = "documents of packs", .end_row = c->view->plan.documents, .keeps_blocks = true};
    const dvi_row_numbers numbers = {.next = next_numbers, .ctx = c};
    DVI_TRY(allocate(c, err));
    c->read = *c->request;
    c->read.size = sizeof c->read;
    c->read.schema = dv_view_schema(c->view->base.source);
    c->read.columns = c->columns;
    c->read.columns_count = 0;
    c->read.batch_rows = 0;
    c->read.ids = false;
    find_columns(c);
    go_to_first_pack(c);
    if (c->read.columns_count == 0)
        return DV_OK;
    return dvi_row_gatherer_create(&c->gatherer, c->view->base.source, &c->read, &plan, &numbers,
                                   err);
}

dv_status dvi_pack_cursor_open(void *self, const dv_cursor_request *request, void **cursor_out,
                               dv_error *err)
{
    pack_cursor *c;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "packs",
                        "rows as they are stored|documents that are put together");
    DVI_TRY(DVI_NEW(request->allocator, &c, 1, err));
    c->view = self;
    c->request = request;
    dvi_arena_init(&c->arena, request->allocator);
    const dv_status status = set_up(c, err);
    if (status < 0)
        dvi_pack_cursor_close(c);
    else
        *cursor_out = c;
    return status;
}
