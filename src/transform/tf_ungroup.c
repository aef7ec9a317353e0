/* SPDX-License-Identifier: MIT */
/* tf_ungroup.c: one row for each slot of vectors (semantics:7.19). */
#include "transform/tf_ungroup.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/batch.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "scan/cursor.h"
#include "scan/derived.h"
#include "transform/tf_ungroup_priv.h"
#include <dataview/rowid.h>
#include <string.h>

#define ROWS_MOST 65536                  /* of a batch */
#define REPEATED_MOST ((size_t)64 << 20) /* bytes of repeated values in a batch */

typedef struct ungroup {
    dvi_derived base;
    int32_t n;
    int32_t *column; /* of the source, for each column */
    bool *is_pivot;
    dvi_ungroup_mode mode;

    /* The rows that are made of one: `fixed`, if there are no pivots of variable size. */
    int32_t *counting, counting_count; /* columns of the source: the pivots to look at */
    int32_t fixed;                     /* what those of a fixed size say */
} ungroup;

/* A place in the source's batch: a row, and a slot of it. */
typedef struct place {
    int64_t row;
    int32_t slot;
} place;

typedef struct ungroup_cursor {
    dvi_gathering_cursor base;
    int32_t *slots;           /* of each active column, in the source's batch */
    int32_t *counting_slots;  /* of each pivot to look at */
    dvi_column *rest, *ahead; /* of each active column, from a row on: `at`; where a batch ends */
    dvi_memory *counts;       /* int32 of each row of the source's batch */
    bool is_counted;          /* the source's batch is */
    place at, end;            /* of the batch: it begins and ends there */
    int64_t rows;             /* of the batch; 0: it is not planned yet */
    int64_t seen;             /* rows of the view before it */
} ungroup_cursor;

static const ungroup *ungroup_of(const ungroup_cursor *c)
{
    return (const ungroup *)c->base.source.view;
}

static int64_t count_rows(void *self)
{
    const ungroup *u = self;
    int64_t product;
    const int64_t rows = dv_view_rows(u->base.source);
    if (rows == 0)
        return 0;
    if (rows < 0 || u->counting_count > 0 || __builtin_mul_overflow(rows, u->fixed, &product))
        return DV_ROWS_UNKNOWN;
    return product;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static dv_status plan(ungroup_cursor *c, dvi_needed *needed, dv_error *err)
{
    const dv_cursor_request *request = c->base.source.request;
    const ungroup *u = ungroup_of(c);
    const size_t active = (size_t)request->columns_count;
    const size_t counting = (size_t)u->counting_count;
    void *slots, *counting_slots, *rest, *ahead;
    DVI_TRY(dvi_needed_alloc(needed, &c->base.arena, u->base.source, err));
    DVI_TRY(dvi_arena_alloc(&c->base.arena, &slots, active * sizeof *c->slots, err));
    DVI_TRY(dvi_arena_alloc(&c->base.arena, &counting_slots, counting * sizeof *c->slots, err));
    DVI_TRY(dvi_arena_alloc(&c->base.arena, &rest, active * sizeof *c->rest, err));
    DVI_TRY(dvi_arena_alloc(&c->base.arena, &ahead, active * sizeof *c->ahead, err));
    c->slots = slots;
    c->counting_slots = counting_slots;
    c->rest = rest;
    c->ahead = ahead;
    for (int32_t k = 0; k < request->columns_count; k++)
        c->slots[k] = dvi_needed_slot(needed, u->column[request->columns[k]]);
    for (int32_t i = 0; i < u->counting_count; i++)
        c->counting_slots[i] = dvi_needed_slot(needed, u->counting[i]);
    return DV_OK;
}

/* The row of the source where reading begins: each row of a known number of slots is skipped
 * unread. */
static int64_t find_first(ungroup_cursor *c)
{
    const ungroup *u = ungroup_of(c);
    c->seen = 0;
    if (u->counting_count > 0)
        return 0;
    const int64_t row = c->base.source.request->first_row / u->fixed;
    c->seen = row * u->fixed;
    return row;
}

static dv_status open_source(void *cursor, dv_error *err)
{
    ungroup_cursor *c = cursor;
    dvi_needed needed;
    DVI_TRY(plan(c, &needed, err));
    return dvi_open_source(&c->base.source.cursor, c->base.source.view->source,
                           c->base.source.request, needed.columns, needed.count, 0, find_first(c),
                           INT64_MAX, err);
}

static void close_cursor(void *cursor)
{
    ungroup_cursor *c = cursor;
    dvi_memory_release(&c->counts);
    dvi_gathering_close(c);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    static const dvi_gathering kind = {sizeof(ungroup_cursor), "a row for each slot of vectors",
                                       open_source, close_cursor};
    return dvi_gathering_open(cursor_out, &kind, self, request, err);
}

/* --- The rows of a batch ---------------------------------------------------------------------- */

static int32_t combine_counts(dvi_ungroup_mode mode, int32_t a, int32_t b)
{
    if (mode == DVI_UNGROUP_INNER)
        return a < b ? a : b;
    return a > b ? a : b;
}

static int32_t count_of(const ungroup_cursor *c, int64_t row)
{
    return dvi_load_i32(c->counts->data + 4 * row);
}

/* Count the rows that are made of each row of the source's batch. */
static dv_status count_batch(ungroup_cursor *c, dv_error *err)
{
    const ungroup *u = ungroup_of(c);
    const int64_t rows = c->base.source.batch->rows;
    size_t nbytes;
    if (!dvi_size_mul((size_t)rows, 4, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_memory_reserve(&c->counts, c->base.source.request->allocator, nbytes, err));
    for (int64_t row = 0; row < rows; row++) {
        int32_t count = u->fixed;
        for (int32_t i = 0; i < u->counting_count; i++) {
            const dv_column_view *pivot =
                dv_batch_column(c->base.source.batch, c->counting_slots[i]);
            count = combine_counts(u->mode, count, dvi_vector_length(&pivot->as.vector, row));
        }
        dvi_store_i32(c->counts->data + 4 * row, count);
    }
    for (int32_t k = 0; k < c->base.source.request->columns_count; k++)
        dvi_column_assign(&c->rest[k], dv_batch_column(c->base.source.batch, c->slots[k]));
    c->at = (place){0, 0};
    c->is_counted = true;
    return DV_OK;
}

static void next_row(const ungroup_cursor *c, dvi_column *columns, place *at)
{
    for (int32_t k = 0; k < c->base.source.request->columns_count; k++)
        dvi_column_advance(&columns[k].view, 1);
    *at = (place){at->row + 1, 0};
}

/* Pass rows without slots, and those before the first one asked for. */
static void skip_rows(ungroup_cursor *c)
{
    while (c->at.row < c->base.source.batch->rows) {
        const int32_t left = count_of(c, c->at.row) - c->at.slot;
        const int64_t before = dvi_max_i64(c->base.source.request->first_row - c->seen, 0);
        const int32_t skipped = (int32_t)dvi_min_i64(left, before);
        c->seen += skipped;
        c->at.slot += skipped;
        if (skipped < left)
            return;
        next_row(c, c->rest, &c->at);
    }
}

/* Bytes that the row at `ahead` takes each time that it is repeated. */
static size_t repeated_nbytes(const ungroup_cursor *c)
{
    size_t sum = 0;
    for (int32_t k = 0; k < c->base.source.request->columns_count; k++) {
        dvi_growing_size size = {0};
        const dv_column_view *view = &c->ahead[k].view;
        if (ungroup_of(c)->is_pivot[c->base.source.request->columns[k]])
            continue;
        dvi_growing_measure(&size, view, 1);
        if (!dvi_size_add(sum, dvi_growing_nbytes(&view->type, &size), &sum))
            return SIZE_MAX;
    }
    return sum;
}

/* Find where the batch ends that begins here. */
static void plan_batch(ungroup_cursor *c)
{
    const int64_t asked = c->base.source.request->batch_rows;
    int64_t most = asked > 0 ? dvi_min_i64(asked, ROWS_MOST) : ROWS_MOST;
    size_t room = REPEATED_MOST;
    most = dvi_min_i64(most, c->base.source.request->end_row - c->seen);
    c->end = c->at;
    for (int32_t k = 0; k < c->base.source.request->columns_count; k++)
        dvi_column_assign(&c->ahead[k], &c->rest[k].view);
    while (c->end.row < c->base.source.batch->rows && c->rows < most) {
        const size_t nbytes = repeated_nbytes(c);
        const int32_t left = count_of(c, c->end.row) - c->end.slot;
        int64_t n = dvi_min_i64(left, most - c->rows);
        if (nbytes > 0 && room / nbytes < (size_t)n)
            n = (int64_t)(room / nbytes);
        if (n == 0 && left > 0 && c->rows > 0)
            return;
        n = left > 0 ? dvi_max_i64(n, 1) : 0; /* a batch has a row, however large */
        room -= nbytes * (size_t)n < room ? nbytes * (size_t)n : room;
        c->rows += n;
        c->end.slot += (int32_t)n;
        if (n < left)
            return;
        next_row(c, c->ahead, &c->end);
    }
}

static void leave_batch(ungroup_cursor *c)
{
    c->base.source.batch = NULL;
    c->is_counted = false;
    c->rows = 0;
}

/* Plan the next batch. */
static dv_status find_batch(ungroup_cursor *c, dv_error *err)
{
    while (c->rows == 0) {
        if (c->seen >= c->base.source.request->end_row)
            return DV_END;
        const dv_status status = dvi_source_cursor_read(&c->base.source, err);
        if (status != DV_OK)
            return status;
        if (!c->is_counted)
            DVI_TRY(count_batch(c, err));
        skip_rows(c);
        if (c->at.row < c->base.source.batch->rows)
            plan_batch(c);
        else
            leave_batch(c);
    }
    return DV_OK;
}

/* --- Values ----------------------------------------------------------------------------------- */

/* The slots of a row of the source that are in the batch. */
static void find_slots(const ungroup_cursor *c, int64_t row, int32_t *first_out, int32_t *end_out)
{
    *first_out = row == c->at.row ? c->at.slot : 0;
    *end_out = row == c->end.row ? c->end.slot : count_of(c, row);
}

static dv_status fill(ungroup_cursor *c, dv_batch *batch, int32_t k, dv_error *err)
{
    const int32_t number = c->base.source.request->columns[k];
    const bool is_pivot = ungroup_of(c)->is_pivot[number];
    const dv_allocator *allocator = c->base.source.request->allocator;
    dvi_growing_column *gather = &c->base.gather[k];
    dvi_column rest, made = {0};
    dvi_column_assign(&rest, &c->rest[k].view);
    dvi_growing_reset(gather);
    for (int64_t row = c->at.row; gather->rows < c->rows; row++) {
        int32_t first, end;
        find_slots(c, row, &first, &end);
        DVI_TRY(is_pivot ? dvi_ungroup_slots(gather, &rest.view, first, end, allocator, err)
                         : dvi_ungroup_repeat(gather, &rest.view, end - first, allocator, err));
        dvi_column_advance(&rest.view, 1);
    }
    dvi_growing_view(gather, &dv_schema_column(c->base.source.request->schema, number)->type,
                     &made);
    dvi_batch_set_slot(batch, k, &made.view);
    return DV_OK;
}

static dv_status fill_ids(ungroup_cursor *c, dv_batch *batch, dv_error *err)
{
    dv_u128 *ids;
    DVI_TRY(dvi_batch_reserve_ids(batch, &ids, err));
    const dv_u128 *const all = ids + c->rows;
    for (int64_t row = c->at.row; ids < all; row++) {
        int32_t first, end;
        find_slots(c, row, &first, &end);
        for (int32_t slot = first; slot < end; slot++)
            *ids++ = dv_rowid_combine(c->base.source.batch->ids[row], (dv_u128){(uint64_t)slot, 0});
    }
    return DV_OK;
}

/* Move to the end of the batch. */
static void pass_batch(ungroup_cursor *c)
{
    c->seen += c->rows;
    c->rows = 0;
    c->at = c->end;
    for (int32_t k = 0; k < c->base.source.request->columns_count; k++)
        dvi_column_assign(&c->rest[k], &c->ahead[k].view);
    if (c->at.row == c->base.source.batch->rows)
        leave_batch(c);
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    ungroup_cursor *c = cursor;
    const dv_status status = find_batch(c, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dv_batch_start(batch, c->seen, c->rows, err));
    for (int32_t k = 0; k < batch->columns; k++)
        DVI_TRY(fill(c, batch, k, err));
    if (c->base.source.request->ids)
        DVI_TRY(fill_ids(c, batch, err));
    dvi_batch_set_below(batch, dvi_batch_below(c->base.source.batch));
    pass_batch(c);
    return DV_OK;
}

static dv_status seek(void *cursor, dv_error *err)
{
    ungroup_cursor *c = cursor;
    leave_batch(c);
    c->rows = 0;
    return dvi_cursor_seek(c->base.source.cursor, find_first(c), INT64_MAX, err);
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const ungroup *u = self;
    dvi_identity_add_i8(identity, u->mode);
    dvi_identity_add_i8(identity, u->fixed);
    dvi_identity_add_i8(identity, u->counting_count);
    for (int32_t i = 0; i < u->counting_count; i++)
        dvi_identity_add_i8(identity, u->counting[i]);
    for (int32_t i = 0; i < u->n; i++) {
        dvi_identity_add_i8(identity, u->column[i]);
        dvi_identity_add_i8(identity, u->is_pivot[i]);
    }
    return dv_identity_add_view(identity, u->base.source, err);
}

static const dv_view_class ungroup_class = {.size = sizeof ungroup_class,
                                            .kind = "ungroup",
                                            .rows = count_rows,
                                            .block_rows = dvi_no_block_rows,
                                            .check = dvi_nothing_to_check,
                                            .open_cursor = open_cursor,
                                            .next = next,
                                            .close_cursor = close_cursor,
                                            .identify = identify,
                                            .seek = seek};

static dv_status add_pivot(dv_schema *schema, const dv_schema *source, int32_t from, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(source, from);
    const dv_type type = dv_type_item(&info->type);
    int32_t column;
    DVI_TRY(dv_schema_add(schema, info->name, &type, &column, err));
    DVI_TRY(dvi_schema_mark(schema, column, dvi_schema_marks(source, from), err));
    for (int32_t i = 0; i < info->metadata_count; i++)
        if (dvi_is_of_items(dv_schema_metadata(source, from, i)->kind))
            DVI_TRY(dvi_inherit_metadata(schema, column, source, from, i, err));
    return DV_OK;
}

static dv_status check_pivot(const dv_column_info *info, bool is_known, dv_error *err)
{
    char found[96];
    const dv_type item = dv_type_item(&info->type);
    if (is_known)
        return dvi_fail_argument(err, "column \"%s\" is a pivot twice", dvi_show(info->name).text);
    if (dv_type_is_vector(&info->type) && dv_type_is_primitive(&item))
        return DV_OK;
    dv_type_print(&info->type, found, sizeof found);
    dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, "column to ungroup",
             "vectors, not of an extension|%s", found);
    dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    return DV_ERR_ARGUMENT;
}

/* Find the pivots, mark them among the columns of the source, and plan how rows are counted. */
static dv_status find_pivots(ungroup *u, const dv_text *pivots, int32_t n, bool *is_pivot,
                             dv_error *err)
{
    const dv_schema *source = dv_view_schema(u->base.source);
    void *counting;
    DVI_TRY(dvi_arena_alloc(&u->base.arena, &counting, (size_t)n * sizeof(int32_t), err));
    u->counting = counting;
    u->fixed = u->mode == DVI_UNGROUP_INNER ? INT32_MAX : 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t column;
        DVI_TRY(dvi_find_column(source, pivots[i], &column, err));
        const dv_column_info *info = dv_schema_column(source, column);
        DVI_TRY(check_pivot(info, is_pivot[column], err));
        is_pivot[column] = true;
        if (i > 0 && u->mode == DVI_UNGROUP_FIRST)
            continue;
        if (info->type.size > 0)
            u->fixed = combine_counts(u->mode, u->fixed, info->type.size);
        else
            u->counting[u->counting_count++] = column;
    }
    return DV_OK;
}

static dv_status add_columns(ungroup *u, dv_schema **schema_out, const dv_text *pivots, int32_t n,
                             dv_error *err)
{
    const dv_schema *source = dv_view_schema(u->base.source);
    const size_t columns = (size_t)dv_schema_columns(source);
    void *column, *is_pivot, *origin, *marks;
    DVI_TRY(dvi_arena_alloc(&u->base.arena, &column, columns * sizeof *u->column, err));
    DVI_TRY(dvi_arena_alloc(&u->base.arena, &origin, columns * sizeof *u->column, err));
    DVI_TRY(dvi_arena_alloc(&u->base.arena, &is_pivot, columns * sizeof(bool), err));
    DVI_TRY(dvi_arena_alloc(&u->base.arena, &marks, columns * sizeof(bool), err));
    u->column = column;
    u->is_pivot = is_pivot;
    u->base.origin = origin;
    DVI_TRY(find_pivots(u, pivots, n, marks, err));
    DVI_TRY(dv_schema_create(schema_out, &u->base.arena.allocator, err));
    for (int32_t i = 0; i < (int32_t)columns; i++) {
        const dv_column_info *info = dv_schema_column(source, i);
        if (info->is_hidden)
            continue;
        u->is_pivot[u->n] = ((const bool *)marks)[i];
        ((int32_t *)origin)[u->n] = u->is_pivot[u->n] ? -1 : i;
        DVI_TRY(u->is_pivot[u->n] ? add_pivot(*schema_out, source, i, err)
                                  : dvi_schema_add_column(*schema_out, source, i, info->name, err));
        u->column[u->n++] = i;
    }
    return DV_OK;
}

dv_status dvi_ungroup_view(dv_view **view_out, dv_view *source, const dv_text *pivots,
                           int32_t pivots_count, dvi_ungroup_mode mode,
                           const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dv_schema *schema = NULL;
    *view_out = NULL;
    if (pivots_count < 1)
        return dvi_fail_argument(err, "rows are made of %d columns; give at least one",
                                 pivots_count);
    DVI_TRY(dvi_derived_create(&made, sizeof(ungroup), source, allocator, err));
    ungroup *u = made;
    u->mode = mode;
    const dv_status status = add_columns(u, &schema, pivots, pivots_count, err);
    if (status == DV_OK)
        return dvi_derived_view(view_out, &ungroup_class, u, schema, err);
    dv_schema_free(&schema);
    dvi_derived_close(u);
    return status;
}
