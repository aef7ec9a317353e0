/* SPDX-License-Identifier: MIT */
/* tf_concat.c: the rows of several views, one view after another. */
#include "transform/tf_concat.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/batch.h"
#include "view/inspect.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "scan/derived.h"
#include "scan/scan.h"
#include "scan/several.h"
#include <dataview/cursor.h>
#include <dataview/rowid.h>
#include <stdio.h>
#include <string.h>

#define TYPE_NBYTES 96 /* of a type's notation in a message */

typedef struct concat {
    dvi_several base;
    int64_t rows; /* of all views; DV_ROWS_UNKNOWN */
    int64_t most; /* the view ends after this many rows; INT64_MAX: no limit */
} concat;

/* --- Cursor ----------------------------------------------------------------------------------- */

typedef struct concat_cursor {
    const concat *view;
    const dv_cursor_request *request;
    int64_t end;
    /* of the requested rows */
    int64_t at;
    /* next row of the concatenation */
    int32_t number;
    /* of the view with that row, or of an earlier one */
    int64_t base;
    /* row of the concatenation that is that view's row 0 */
    dv_cursor *cursor;
    /* on that view; NULL: not open */
    const dv_batch *batch;
    /* of that cursor, not returned yet; NULL: none */
} concat_cursor;

/* Count the rows of a view that does not know their number, up to `most`. Defects after these rows
 * are not looked for. */
static dv_status count_rows(const concat_cursor *c, dv_view *view, int64_t most, int64_t *rows_out,
                            dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    int64_t rows = 0;
    options.columns_count = 0;
    options.take = most;
    options.threads = 1;
    options.progress = dvi_request_progress(c->request);
    DVI_TRY(dv_cursor_open(&cursor, view, &options, err));
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        rows += batch->rows;
    dv_cursor_close(&cursor);
    *rows_out = rows;
    return status < 0 ? status : DV_OK;
}

static dv_status open_view(concat_cursor *c, dv_error *err)
{
    const dv_cursor_request *request = c->request;
    const int64_t end = c->end == INT64_MAX ? c->end : c->end - c->base;
    return dvi_pass_source(&c->cursor, c->view->base.views[c->number], request, request->columns,
                           request->columns_count, 0, c->at - c->base, end, err);
}

/* Open the view that contains the next row. DV_END: there is none. */
static dv_status find_view(concat_cursor *c, dv_error *err)
{
    for (; c->number < c->view->base.n && c->at < c->end; c->number++) {
        dv_view *view = c->view->base.views[c->number];
        int64_t rows = dv_view_rows(view);
        if (rows < 0 && c->at > c->base)
            DVI_TRY(count_rows(c, view, c->at - c->base + 1, &rows, err));
        if (rows < 0 || c->at - c->base < rows)
            return open_view(c, err);
        c->base += rows;
    }
    return DV_END;
}

/* The view has ended: move on to the next one. */
static void leave_view(concat_cursor *c)
{
    const int64_t rows = dv_view_rows(c->view->base.views[c->number]);
    dv_cursor_close(&c->cursor);
    c->base = rows < 0 ? c->at : c->base + rows;
    c->at = dvi_max_i64(c->at, c->base);
    c->number++;
}

static dv_status next_batch(concat_cursor *c, dv_error *err)
{
    while (!c->batch) {
        dv_status status = c->cursor ? DV_OK : find_view(c, err);
        if (status == DV_OK)
            status = dv_cursor_next(c->cursor, &c->batch, err);
        if (status < 0 || !c->cursor)
            return dvi_several_blame(c->view, c->number, status, err);
        if (status == DV_END)
            leave_view(c);
    }
    return DV_OK;
}

static dv_status combine_ids(const concat_cursor *c, dv_batch *batch, dv_error *err)
{
    dv_u128 *ids;
    DVI_TRY(dvi_batch_reserve_ids(batch, &ids, err));
    const dv_u128 number = {(uint64_t)c->number, 0};
    for (int64_t i = 0; i < batch->rows; i++)
        ids[i] = dv_rowid_combine(c->batch->ids[i], number);
    return DV_OK;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    concat_cursor *c = cursor;
    const dv_status status = next_batch(c, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dv_batch_start(batch, c->base + c->batch->first_row, c->batch->rows, err));
    dvi_batch_set_below(batch, dvi_batch_below(c->batch));
    for (int32_t k = 0; k < batch->columns; k++)
        DVI_TRY(dv_batch_fill(batch, k, dv_batch_column(c->batch, k), err));
    if (c->request->ids)
        DVI_TRY(combine_ids(c, batch, err));
    c->at = batch->first_row + batch->rows;
    c->batch = NULL;
    return DV_OK;
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    DVI_TRY(dvi_alloc_zeroed(request->allocator, cursor_out, sizeof(concat_cursor), err));
    const concat *a = self;
    const int64_t end = dvi_min_i64(request->end_row, a->most);
    *(concat_cursor *)*cursor_out =
        (concat_cursor){.view = a, .request = request, .end = end, .at = request->first_row};
    return DV_OK;
}

static void close_cursor(void *cursor)
{
    concat_cursor *c = cursor;
    dv_cursor_close(&c->cursor);
    dvi_free(c->request->allocator, c, sizeof *c);
}

/* Batches point only into the view that is being read. */
static dv_status check_cursor(void *cursor, dv_error *err)
{
    const concat_cursor *c = cursor;
    return c->cursor ? dvi_several_blame(c->view, c->number, dvi_cursor_check(c->cursor, err), err)
                     : DV_OK;
}

/* --- Facts of all views ----------------------------------------------------------------------- */

static int64_t count_all(void *self)
{
    const concat *a = self;
    return dvi_min_i64(a->rows, a->most);
}

static bool can_shuffle(void *self)
{
    const concat *a = self;
    for (int32_t i = 0; i < a->base.n; i++)
        if (!dv_view_can_shuffle(a->base.views[i]))
            return false;
    return true;
}

/* The sum, or -1 if one of the two is unknown or the sum overflows. */
static int64_t sum(int64_t a, int64_t b)
{
    int64_t total;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &total) ? -1 : total;
}

static int64_t common(int64_t a, int64_t b)
{
    return a == b ? a : -1;
}

static const char *common_text(const char *a, const char *b, const char *otherwise)
{
    return strcmp(a, b) == 0 ? a : otherwise;
}

static dv_status add_column(dv_facts *facts, int32_t i, const dv_column_facts *more, dv_error *err)
{
    dv_column_facts all = facts->column[i];
    all.blocks = sum(all.blocks, more->blocks);
    all.stored_nbytes = sum(all.stored_nbytes, more->stored_nbytes);
    all.inflated_nbytes = sum(all.inflated_nbytes, more->inflated_nbytes);
    all.in_place_blocks = sum(all.in_place_blocks, more->in_place_blocks);
    all.aligned_blocks = sum(all.aligned_blocks, more->aligned_blocks);
    all.compression = common_text(all.compression, more->compression, "mixed");
    return dv_facts_set_column(facts, i, &all, err);
}

/* Adds "b.idv: sentence" or "view 1: sentence". */
static dv_status warn(const concat *a, int32_t i, dv_facts *facts, const char *sentence,
                      dv_error *err)
{
    dv_error named = DV_ERROR_INIT;
    dvi_fail_argument(&named, "%s", sentence);
    dvi_several_blame(a, i, named.status, &named);
    return dv_facts_warn(facts, named.message, err);
}

static void add_cost(dv_source_facts *all, const dv_source_facts *more)
{
    all->requests += more->requests;
    all->fetched_nbytes += more->fetched_nbytes;
    all->disk_read_nbytes += more->disk_read_nbytes;
    all->disk_kept_nbytes += more->disk_kept_nbytes;
    all->disk_note = *all->disk_note ? all->disk_note : more->disk_note;
}

/* Add the facts of view i; view 0 comes first. */
static dv_status add_facts(const concat *a, int32_t i, dv_facts *facts, const dv_facts *more,
                           dv_error *err)
{
    if (i > 0) {
        facts->format = common_text(facts->format, more->format, "several formats");
        facts->file_nbytes = sum(facts->file_nbytes, more->file_nbytes);
        facts->io = common_text(facts->io, more->io, "mmap and pread");
        facts->file_system = *more->file_system ? more->file_system : facts->file_system;
        facts->rows_per_block = common(facts->rows_per_block, more->rows_per_block);
        facts->blocks_per_column = sum(facts->blocks_per_column, more->blocks_per_column);
        facts->dead_columns += more->dead_columns;
        facts->rows = sum(facts->rows, more->rows);
        facts->items = sum(facts->items, more->items);
        add_cost(&facts->source, &more->source);
        if (strcmp(facts->version, more->version) != 0)
            DVI_TRY(dv_facts_set_version(facts, "several versions", err));
    } else {
        facts->format = more->format;
        facts->file_nbytes = more->file_nbytes;
        facts->io = more->io;
        facts->file_system = more->file_system;
        facts->rows_per_block = more->rows_per_block;
        facts->blocks_per_column = more->blocks_per_column;
        facts->dead_columns = more->dead_columns;
        facts->dead_metadata =
            more->dead_metadata; /* the concatenation has the metadata of view 0 */
        facts->rows = more->rows;
        facts->items = more->items;
        facts->source = more->source;
        DVI_TRY(dv_facts_set_version(facts, more->version, err));
    }
    for (int32_t k = 0; k < facts->columns; k++)
        DVI_TRY(i > 0 ? add_column(facts, k, &more->column[k], err)
                      : dv_facts_set_column(facts, k, &more->column[k], err));
    for (int32_t k = 0; k < more->warnings; k++)
        DVI_TRY(warn(a, i, facts, more->warning[k], err));
    return DV_OK;
}

static dv_status inspect(void *self, dv_facts *facts, dv_error *err)
{
    const concat *a = self;
    for (int32_t i = 0; i < a->base.n; i++) {
        dv_facts *more;
        dv_status status = dvi_inspect(&more, a->base.views[i], dvi_facts_are_brief(facts), err);
        if (status == DV_OK)
            status = add_facts(a, i, facts, more, err);
        dv_facts_free(&more);
        if (status < 0)
            return dvi_several_blame(a, i, status, err);
    }
    facts->rows = dvi_min_i64(facts->rows, a->most);
    return DV_OK;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const concat *a = self;
    dv_identity_add(identity, &a->most, sizeof a->most);
    return dvi_several_identify(self, identity, err);
}

/* --- Making ----------------------------------------------------------------------------------- */

static const dv_view_class concat_class = {.size = sizeof concat_class,
                                           .kind = "concat",
                                           .rows = count_all,
                                           .can_shuffle = can_shuffle,
                                           .open_cursor = open_cursor,
                                           .next = next,
                                           .close_cursor = close_cursor,
                                           .inspect = inspect,
                                           .check_cursor = check_cursor,
                                           .identify = identify};

/* The name for a message; the column may be missing. */
static dvi_shown show_name(const dv_column_info *info)
{
    return dvi_show(info ? info->name : dv_text_of("none"));
}

static dv_status check_column(const dv_column_info *want, const dv_column_info *got, int32_t i,
                              dv_error *err)
{
    char what[128], expected[TYPE_NBYTES], found[TYPE_NBYTES];
    snprintf(what, sizeof what, "column %d", i);
    if (!want || !got || !dv_text_equal(want->name, got->name))
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, what, "%s|%s", show_name(want).text,
                        show_name(got).text);
    if (dv_type_equal(&want->type, &got->type))
        return DV_OK;
    dv_type_print(&want->type, expected, sizeof expected);
    dv_type_print(&got->type, found, sizeof found);
    snprintf(what, sizeof what, "column %d \"%s\"", i, dvi_show(want->name).text);
    return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, what, "%s|%s", expected, found);
}

/* Every view has the columns of the first one. */
static dv_status check_columns(const dv_schema *first, const dv_schema *other, dv_error *err)
{
    const int32_t n = dv_schema_columns(first), m = dv_schema_columns(other);
    if (other == first)
        return DV_OK; /* files share it */
    for (int32_t i = 0; i < n || i < m; i++)
        DVI_TRY(check_column(dv_schema_column(first, i), dv_schema_column(other, i), i, err));
    return DV_OK;
}

/* Check the columns of all views, add up their rows, and make the schema. */
static dv_status describe(concat *a, dv_schema **schema_out, dv_error *err)
{
    dv_view *const *views = a->base.views;
    const dv_schema *first = dv_view_schema(views[0]);
    for (int32_t i = 0; i < a->base.n; i++) {
        const int64_t rows = dv_view_rows(views[i]);
        const dv_status status = check_columns(first, dv_view_schema(views[i]), err);
        if (status < 0 && !a->base.names)
            dvi_error_advise(err, "select the same columns of all views, or open the files "
                                  "together (dv_open_many, a list in Python), so that they share "
                                  "columns");
        DVI_TRY(dvi_several_blame(a, i, status, err));
        if (rows > INT64_MAX - dvi_max_i64(a->rows, 0))
            return dvi_fail_argument(err, "%d views have more than 2^63-1 rows", i + 1);
        a->rows = sum(a->rows, rows);
    }
    DVI_TRY(dv_schema_create(schema_out, &a->base.arena.allocator, err));
    DVI_TRY(dvi_schema_add_columns(*schema_out, first, err));
    for (int32_t i = 1; i < a->base.n; i++) {
        const dv_schema *other = dv_view_schema(views[i]);
        for (int32_t k = 0; other != first && k < dv_schema_columns(first); k++)
            DVI_TRY(dvi_schema_mark(*schema_out, k, dvi_schema_marks(other, k), err));
    }
    return DV_OK;
}

dv_status dvi_concat_named(dv_view **view_out, dv_view *const *views, const char *const *names,
                           int32_t n, int64_t most, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dv_schema *schema = NULL;
    *view_out = NULL;
    if (n < 1)
        return dvi_fail_argument(err, "a view cannot be made of %d views; pass at least one", n);
    if (n == 1) {
        dv_view_retain(views[0]);
        *view_out = views[0];
        return DV_OK;
    }
    DVI_TRY(dvi_several_create(&made, sizeof(concat), views, names, n, allocator, err));
    concat *a = made;
    a->base.is_joined = true;
    a->most = most;

    const dv_status status = describe(a, &schema, err);
    return dvi_several_view(view_out, &concat_class, a, schema, status, err);
}

dv_status dv_view_concat(dv_view **view_out, dv_view *const *views, int32_t n,
                         const dv_allocator *allocator, dv_error *err)
{
    return dvi_concat_named(view_out, views, NULL, n, INT64_MAX, allocator, err);
}
