/* SPDX-License-Identifier: MIT */
/* tf_group.c: one row for each run of rows with equal keys (semantics:7.19). */
#include "transform/tf_group.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "type/schema.h"
#include "codec/datetime.h"
#include "view/batch.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "scan/cursor.h"
#include "scan/derived.h"
#include <dataview/value.h>
#include <string.h>

/* A batch ends after the group with which it has one of these. */
#define GROUPS_MOST 4096
#define VALUES_MOST 65536
#define TEXT_MOST ((size_t)16 << 20)

typedef struct group {
    dvi_derived base;
    int32_t *column; /* of the source, for each column; the keys come first */
    int32_t n, keys;
} group;

typedef struct group_cursor {
    dvi_gathering_cursor base;
    int32_t *key_slots;       /* of each key, in the source's batch */
    dvi_growing_column *last; /* of each key: its value in the row before the source's batch */
    dv_u128 last_id;          /* of that row */
    int32_t *slots;           /* of each active column, in the source's batch */

    /* The batch that is made. base.gather has the scalars of each active column: one per group of a
     * key, one per row of the others. */
    dvi_memory *lengths, *counts, *ids; /* of each group */
    int64_t groups, values;             /* that are finished; rows of them and of the open group */
    bool is_ready;                      /* to be returned */

    int64_t seen;   /* groups before it */
    int64_t at;     /* rows of the source's batch that are in a group */
    int64_t opened; /* rows of the open group; 0: none is open */

    /* Bytes of the open group, and of the largest group of the batch with the values from which
     * steps below made its rows. */
    int64_t open_nbytes, below;
} group_cursor;

static const group *group_of(const group_cursor *c)
{
    return (const group *)c->base.source.view;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static dv_status plan(group_cursor *c, dvi_needed *needed, dv_error *err)
{
    const dv_cursor_request *request = c->base.source.request;
    const group *g = group_of(c);
    const size_t keys = (size_t)g->keys, active = (size_t)request->columns_count;
    void *key_slots, *last, *slots;
    DVI_TRY(dvi_needed_alloc(needed, &c->base.arena, g->base.source, err));
    DVI_TRY(dvi_arena_alloc(&c->base.arena, &key_slots, keys * sizeof *c->key_slots, err));
    DVI_TRY(dvi_arena_alloc(&c->base.arena, &last, keys * sizeof *c->last, err));
    DVI_TRY(dvi_arena_alloc(&c->base.arena, &slots, active * sizeof *c->slots, err));
    c->key_slots = key_slots;
    c->last = last;
    c->slots = slots;
    for (int32_t i = 0; i < g->keys; i++)
        c->key_slots[i] = dvi_needed_slot(needed, g->column[i]);
    for (int32_t k = 0; k < request->columns_count; k++)
        c->slots[k] = dvi_needed_slot(needed, g->column[request->columns[k]]);
    return DV_OK;
}

static dv_status open_source(void *cursor, dv_error *err)
{
    group_cursor *c = cursor;
    dvi_needed needed;
    DVI_TRY(plan(c, &needed, err));
    return dvi_open_source(&c->base.source.cursor, c->base.source.view->source,
                           c->base.source.request, needed.columns, needed.count, 0, 0, INT64_MAX,
                           err);
}

static void close_cursor(void *cursor)
{
    group_cursor *c = cursor;
    for (int32_t i = 0; c->last && i < group_of(c)->keys; i++)
        dvi_growing_free(&c->last[i]);
    dvi_memory_release(&c->lengths);
    dvi_memory_release(&c->counts);
    dvi_memory_release(&c->ids);
    dvi_gathering_close(c);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    static const dvi_gathering kind = {sizeof(group_cursor), "groups, into which rows are copied",
                                       open_source, close_cursor};
    return dvi_gathering_open(cursor_out, &kind, self, request, err);
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* Are two values of one type the same key? */
static bool is_same(const dv_value *a, const dv_value *b)
{
    const dv_type *type = &a->column->type;
    const bool is_na = dv_value_is_na(a);
    if (is_na || dv_value_is_na(b))
        return is_na && dv_value_is_na(b);
    if (type->kind == DV_KIND_R4)
        return dv_value_r4(a) == dv_value_r4(b);
    if (type->kind == DV_KIND_R8)
        return dv_value_r8(a) == dv_value_r8(b);
    if (type->kind == DV_KIND_DZ)
        return dvi_zoned_utc(dv_value_dz(a)) == dvi_zoned_utc(dv_value_dz(b));
    return dv_value_same(a, b);
}

/* Has a row of the source's batch the keys of the row before, which for row 0 was kept? */
static bool continues(const group_cursor *c, int64_t row)
{
    for (int32_t i = 0; i < group_of(c)->keys; i++) {
        const dv_column_view *column = dv_batch_column(c->base.source.batch, c->key_slots[i]);
        const dv_value value = dv_value_at(column, row);
        dvi_column kept;
        if (row == 0)
            dvi_growing_view(&c->last[i], &column->type, &kept);
        const dv_value before =
            row == 0 ? dv_value_first(&kept.view) : dv_value_at(column, row - 1);
        if (!is_same(&value, &before))
            return false;
    }
    return true;
}

/* Part of a scalar column: n rows from a row on. */
static dv_column_view part_of(const dv_column_view *column, int64_t row, int64_t n)
{
    dv_column_view part = *column;
    dvi_column_advance(&part, row);
    dvi_column_limit(&part, n);
    return part;
}

/* Keep the keys of the last row of the source's batch. */
static dv_status keep_last(group_cursor *c, dv_error *err)
{
    const int64_t row = c->base.source.batch->rows - 1;
    for (int32_t i = 0; i < group_of(c)->keys; i++) {
        const dv_column_view value =
            part_of(dv_batch_column(c->base.source.batch, c->key_slots[i]), row, 1);
        dvi_growing_reset(&c->last[i]);
        DVI_TRY(
            dvi_growing_reserve(&c->last[i], &value, 1, c->base.source.request->allocator, err));
        dvi_growing_append(&c->last[i], &value, 1);
    }
    if (c->base.source.request->ids)
        c->last_id = c->base.source.batch->ids[row];
    return DV_OK;
}

/* --- Groups ----------------------------------------------------------------------------------- */

static bool is_key(const group_cursor *c, int32_t k)
{
    return c->base.source.request->columns[k] < group_of(c)->keys;
}

/* Is the open group, or the one that is opened next, before the first row asked for? */
static bool is_skipped(const group_cursor *c)
{
    return c->seen + c->groups < c->base.source.request->first_row;
}

/* The bytes of the open group with n more rows: a group is one row. */
static dv_status measure_group(const group_cursor *c, int32_t columns, int64_t n,
                               int64_t *nbytes_out, dv_error *err)
{
    const int64_t limit = dvi_view_limits_of(c->base.source.view->source)->row_nbytes;
    int64_t sum = c->open_nbytes;
    for (int32_t k = 0; k < columns; k++) {
        const dv_column_view part =
            part_of(dv_batch_column(c->base.source.batch, c->slots[k]), c->at, n);
        dvi_growing_size size = {0};
        if (!is_key(c, k))
            dvi_growing_measure(&size, &part, n);
        else if (c->opened == 0)
            dvi_growing_measure(&size, &part, 1);
        sum += (int64_t)dvi_growing_nbytes(&part.type, &size);
    }
    const int64_t below = dvi_batch_below(c->base.source.batch);
    if (sum > limit - below)
        return dvi_fail(err, DV_ERR_LIMIT, "row_nbytes", -1, "values of a group, which is one row",
                        "at most %lld bytes (option row_nbytes)|%lld", (long long)limit,
                        (long long)(below + sum));
    *nbytes_out = sum;
    return DV_OK;
}

/* Add rows up to `end` of the source's batch to the open group: those of all columns, or none. */
static dv_status add_rows(group_cursor *c, int64_t end, dv_error *err)
{
    const int64_t n = end - c->at;
    int64_t nbytes = 0;
    const int32_t columns = is_skipped(c) ? 0 : c->base.source.request->columns_count;
    if (c->opened + n > INT32_MAX)
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "rows of a group", "at most 2^31-1|%lld",
                        (long long)(c->opened + n));
    DVI_TRY(measure_group(c, columns, n, &nbytes, err));
    for (int32_t k = 0; k < columns; k++) {
        const dv_column_view *column = dv_batch_column(c->base.source.batch, c->slots[k]);
        const dv_column_view part = part_of(column, c->at, n);
        if (!is_key(c, k))
            DVI_TRY(dvi_growing_reserve(&c->base.gather[k], &part, n,
                                        c->base.source.request->allocator, err));
    }
    for (int32_t k = 0; k < columns; k++) {
        const dv_column_view *column = dv_batch_column(c->base.source.batch, c->slots[k]);
        const dv_column_view part = part_of(column, c->at, n);
        if (!is_key(c, k))
            dvi_growing_append(&c->base.gather[k], &part, n);
    }
    c->open_nbytes = nbytes;
    c->below = dvi_max_i64(c->below, dvi_batch_below(c->base.source.batch) + nbytes);
    c->opened += n;
    c->values += n;
    c->at = end;
    return DV_OK;
}

/* The value of an active key in the last row of the open group. */
static dv_column_view last_value(const group_cursor *c, int32_t k, dvi_column *kept)
{
    if (c->at > 0)
        return part_of(dv_batch_column(c->base.source.batch, c->slots[k]), c->at - 1, 1);
    const int32_t key = c->base.source.request->columns[k];
    const dv_schema *source = dv_view_schema(c->base.source.view->source);
    dvi_growing_view(&c->last[key], &dv_schema_column(source, group_of(c)->column[key])->type,
                     kept);
    return kept->view;
}

static dv_status reserve_group(group_cursor *c, dv_error *err)
{
    const dv_allocator *allocator = c->base.source.request->allocator;
    const size_t n = (size_t)c->groups;
    DVI_TRY(dvi_memory_extend(&c->lengths, 4 * n, 4 * (n + 1), allocator, err));
    DVI_TRY(dvi_memory_extend(&c->counts, 4 * n, 4 * (n + 1), allocator, err));
    if (c->base.source.request->ids)
        DVI_TRY(dvi_memory_extend(&c->ids, sizeof(dv_u128) * n, sizeof(dv_u128) * (n + 1),
                                  allocator, err));
    for (int32_t k = 0; k < c->base.source.request->columns_count; k++) {
        dvi_column kept;
        if (!is_key(c, k))
            continue;
        const dv_column_view value = last_value(c, k, &kept);
        DVI_TRY(dvi_growing_reserve(&c->base.gather[k], &value, 1, allocator, err));
    }
    return DV_OK;
}

/* Write what the open group has once: its length, its id and its keys. */
static void write_group(group_cursor *c)
{
    const size_t n = (size_t)c->groups;
    dvi_store_i32(c->lengths->data + 4 * n, (int32_t)c->opened);
    dvi_store_i32(c->counts->data + 4 * n, -1);
    if (c->base.source.request->ids) {
        const dv_u128 id = c->at > 0 ? c->base.source.batch->ids[c->at - 1] : c->last_id;
        memcpy(c->ids->data + sizeof id * n, &id, sizeof id);
    }
    for (int32_t k = 0; k < c->base.source.request->columns_count; k++) {
        dvi_column kept;
        if (!is_key(c, k))
            continue;
        const dv_column_view value = last_value(c, k, &kept);
        dvi_growing_append(&c->base.gather[k], &value, 1);
    }
}

static bool is_full(const group_cursor *c)
{
    const int64_t asked = c->base.source.request->batch_rows;
    if (c->groups >= (asked > 0 ? dvi_min_i64(asked, GROUPS_MOST) : GROUPS_MOST) ||
        c->values >= VALUES_MOST || c->seen + c->groups >= c->base.source.request->end_row)
        return true;
    for (int32_t k = 0; k < c->base.source.request->columns_count; k++)
        if (c->base.gather[k].text >= TEXT_MOST)
            return true;
    return false;
}

/* After a failure the group is still open. */
static dv_status finish_group(group_cursor *c, dv_error *err)
{
    if (is_skipped(c)) {
        c->seen++;
        c->values = 0;
    } else {
        DVI_TRY(reserve_group(c, err));
        write_group(c);
        c->groups++;
        c->is_ready = is_full(c);
    }
    c->opened = c->open_nbytes = 0;
    return DV_OK;
}

/* The end of the rows from c->at on that have the same keys. */
static int64_t find_end(const group_cursor *c)
{
    int64_t end = c->at + 1;
    while (end < c->base.source.batch->rows && continues(c, end))
        end++;
    return end;
}

/* The source has no more rows. */
static dv_status finish_last(group_cursor *c, dv_error *err)
{
    if (c->opened > 0)
        DVI_TRY(finish_group(c, err));
    c->is_ready = c->groups > 0;
    return c->is_ready ? DV_OK : DV_END;
}

/* Read the next batch of the source. If it cannot be read, groups that are finished come first: the
 * source returns its error again when the next batch is asked for. */
static dv_status read_source(group_cursor *c, dv_error *err)
{
    dv_error failure = DV_ERROR_INIT;
    const dv_status status = dvi_source_cursor_read(&c->base.source, &failure);
    if (status >= 0)
        return status;
    if (status != DV_ERR_MEMORY && c->groups > 0) {
        c->is_ready = true;
        return DV_OK;
    }
    if (err)
        *err = failure;
    return status;
}

/* Read rows until the batch is ready. */
static dv_status find_groups(group_cursor *c, dv_error *err)
{
    while (!c->is_ready) {
        if (c->seen + c->groups >= c->base.source.request->end_row)
            return DV_END;
        const dv_status status = read_source(c, err);
        if (status == DV_END)
            return finish_last(c, err);
        DVI_TRY(status);
        if (c->is_ready)
            return DV_OK;
        if (c->at == c->base.source.batch->rows) {
            DVI_TRY(keep_last(c, err));
            c->base.source.batch = NULL;
            c->at = 0;
        } else if (c->opened > 0 && !continues(c, c->at)) {
            DVI_TRY(finish_group(c, err));
        } else {
            DVI_TRY(add_rows(c, find_end(c), err));
        }
    }
    return DV_OK;
}

/* --- Batches ---------------------------------------------------------------------------------- */

static void show_column(const group_cursor *c, dv_batch *batch, int32_t k)
{
    const dv_type *type =
        &dv_schema_column(c->base.source.request->schema, c->base.source.request->columns[k])->type;
    const dv_type item = dv_type_item(type);
    dvi_column made = {0};
    if (is_key(c, k)) {
        dvi_growing_view(&c->base.gather[k], type, &made);
    } else {
        dvi_column scalars;
        const size_t nbytes = 4 * (size_t)c->groups;
        dvi_growing_view(&c->base.gather[k], &item, &scalars);
        made.items = scalars.view;
        made.view = (dv_column_view){.type = *type, .layout = DV_LAYOUT_VECTOR, .rows = c->groups};
        made.view.as.vector.lengths = dvi_memory_buffer(c->lengths, 0, nbytes, 4);
        made.view.as.vector.counts = dvi_memory_buffer(c->counts, 0, nbytes, 4);
        made.view.as.vector.items = &made.items;
    }
    dvi_batch_set_slot(batch, k, &made.view);
}

static void begin_batch(group_cursor *c)
{
    c->seen += c->groups;
    c->groups = c->values = c->below = 0;
    c->is_ready = false;
    for (int32_t k = 0; k < c->base.source.request->columns_count; k++)
        dvi_growing_reset(&c->base.gather[k]);
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    group_cursor *c = cursor;
    const dv_status status = find_groups(c, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dv_batch_start(batch, c->seen, c->groups, err));
    if (c->base.source.request->ids)
        DVI_TRY(dv_batch_fill_ids(batch, (const dv_u128 *)(const void *)c->ids->data, err));
    for (int32_t k = 0; k < batch->columns; k++)
        show_column(c, batch, k);
    dvi_batch_set_below(batch, c->below);
    begin_batch(c);
    return DV_OK;
}

/* The number of a group is known only after all rows before have been read: start again. */
static dv_status seek(void *cursor, dv_error *err)
{
    group_cursor *c = cursor;
    begin_batch(c);
    c->base.source.batch = NULL;
    c->seen = c->at = c->opened = c->open_nbytes = 0;
    return dvi_cursor_seek(c->base.source.cursor, 0, INT64_MAX, err);
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const group *g = self;
    dvi_identity_add_i8(identity, g->keys);
    for (int32_t i = 0; i < g->n; i++)
        dvi_identity_add_i8(identity, g->column[i]);
    return dv_identity_add_view(identity, g->base.source, err);
}

static const dv_view_class group_class = {.size = sizeof group_class,
                                          .kind = "group",
                                          .rows = dvi_rows_unknown,
                                          .can_shuffle = dvi_never_shuffles,
                                          .block_rows = dvi_no_block_rows,
                                          .check = dvi_nothing_to_check,
                                          .open_cursor = open_cursor,
                                          .next = next,
                                          .close_cursor = close_cursor,
                                          .identify = identify,
                                          .seek = seek};

/* Add a column of vectors, with the metadata that does not speak of the column's slots. */
static dv_status add_vectors(const group *g, dv_schema *schema, int32_t from, dv_error *err)
{
    const dv_schema *source = dv_view_schema(g->base.source);
    const dv_column_info *info = dv_schema_column(source, from);
    const dv_type type = dv_type_vector(info->type, 0);
    int32_t column;
    DVI_TRY(dv_schema_add(schema, info->name, &type, &column, err));
    DVI_TRY(dvi_schema_mark(schema, column, dvi_schema_marks(source, from), err));
    for (int32_t i = 0; i < info->metadata_count; i++) {
        const dv_text kind = dv_schema_metadata(source, from, i)->kind;
        if (dv_text_equal(kind, dv_text_of(DV_IS_NORMALIZED)) ||
            dv_text_equal(kind, dv_text_of(DV_KEY_VALUES)))
            DVI_TRY(dvi_inherit_metadata(schema, column, source, from, i, err));
    }
    return DV_OK;
}

/* Add column i of the group. */
static dv_status add_column(group *g, dv_schema *schema, int32_t i, int32_t *origin, dv_text name,
                            dv_error *err)
{
    const dv_schema *source = dv_view_schema(g->base.source);
    DVI_TRY(dvi_find_column(source, name, &g->column[i], err));
    const dv_type *type = &dv_schema_column(source, g->column[i])->type;
    if (!dv_type_is_primitive(type)) {
        char found[96];
        dv_type_print(type, found, sizeof found);
        dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, "column to group",
                 "neither a vector nor an extension|%s", found);
        dvi_error_within(err, "column \"%s\"", dvi_show(name).text);
        return DV_ERR_ARGUMENT;
    }
    origin[i] = i < g->keys ? g->column[i] : -1;
    return i < g->keys ? dvi_schema_add_column(schema, source, g->column[i], name, err)
                       : add_vectors(g, schema, g->column[i], err);
}

static dv_status add_columns(group *g, dv_schema **schema_out, const dv_text *keys,
                             const dv_text *columns, dv_error *err)
{
    void *column, *origin;
    const size_t nbytes = (size_t)g->n * sizeof(int32_t);
    DVI_TRY(dvi_arena_alloc(&g->base.arena, &column, nbytes, err));
    DVI_TRY(dvi_arena_alloc(&g->base.arena, &origin, nbytes, err));
    g->column = column;
    g->base.origin = origin;
    DVI_TRY(dv_schema_create(schema_out, &g->base.arena.allocator, err));
    for (int32_t i = 0; i < g->n; i++)
        DVI_TRY(add_column(g, *schema_out, i, origin, i < g->keys ? keys[i] : columns[i - g->keys],
                           err));
    return DV_OK;
}

dv_status dvi_group_view(dv_view **view_out, dv_view *source, const dv_text *keys,
                         int32_t keys_count, const dv_text *columns, int32_t columns_count,
                         const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dv_schema *schema = NULL;
    *view_out = NULL;
    if (keys_count < 1 || columns_count < 0 || columns_count > INT32_MAX - keys_count)
        return dvi_fail_argument(err, "rows are grouped by %d columns; give at least one",
                                 keys_count);
    DVI_TRY(dvi_derived_create(&made, sizeof(group), source, allocator, err));
    group *g = made;
    g->keys = keys_count;
    g->n = keys_count + columns_count;
    const dv_status status = add_columns(g, &schema, keys, columns, err);
    if (status == DV_OK)
        return dvi_derived_view(view_out, &group_class, g, schema, err);
    dv_schema_free(&schema);
    dvi_derived_close(g);
    return status;
}
