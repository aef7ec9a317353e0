/* SPDX-License-Identifier: MIT */
/* derived.c: what views made of one other view have in common. */
#include "scan/derived.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/batch.h"
#include "view/inspect.h"
#include "scan/cursor.h"
#include <stdio.h>

/* --- Ownership -------------------------------------------------------------------------------- */

dv_status dvi_derived_create(void **self_out, size_t nbytes, dv_view *source,
                             const dv_allocator *given, dv_error *err)
{
    const dv_allocator allocator = dvi_allocator_of(given);
    DVI_TRY(dvi_alloc_zeroed(&allocator, self_out, nbytes, err));
    dvi_derived *d = *self_out;
    dvi_arena_init(&d->arena, &allocator);
    d->nbytes = nbytes;
    d->source = source;
    d->rows_most = INT64_MAX;
    dv_view_retain(source);
    return DV_OK;
}

void dvi_derived_close(void *self)
{
    dvi_derived *d = self;
    dv_view_release(&d->source);
    const dv_allocator allocator = d->arena.allocator;
    dvi_arena_free(&d->arena);
    dvi_free(&allocator, d, d->nbytes);
}

/* --- Answers of the source -------------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    const dvi_derived *d = self;
    const int64_t known = dv_view_rows(d->source);
    if (known < 0)
        return d->rows_most == 0 ? 0 : known;
    return dvi_min_i64(dvi_max_i64(known - d->first_row, 0), d->rows_most);
}

int64_t dvi_derived_source_row(const dvi_derived *d, int64_t row)
{
    int64_t sum;
    return __builtin_add_overflow(dvi_min_i64(row, d->rows_most), d->first_row, &sum) ? INT64_MAX
                                                                                      : sum;
}

static bool can_shuffle(void *self)
{
    return dv_view_can_shuffle(((const dvi_derived *)self)->source);
}

int64_t dvi_derived_block_rows(void *self)
{
    return dv_view_block_rows(((const dvi_derived *)self)->source);
}

static dv_status check(void *self, dv_error *err)
{
    return dvi_view_check(((const dvi_derived *)self)->source, err);
}

/* Copy all facts except the rows. A column that the source does not have has no facts. */
static dv_status copy_facts(const dvi_derived *d, dv_facts *facts, const dv_facts *source,
                            dv_error *err)
{
    facts->format = source->format;
    facts->file_nbytes = source->file_nbytes;
    facts->rows_per_block = source->rows_per_block;
    facts->blocks_per_column = source->blocks_per_column;
    facts->dead_columns = source->dead_columns;
    facts->dead_metadata = source->dead_metadata;
    facts->items = source->items;
    facts->source = source->source;
    DVI_TRY(dv_facts_set_version(facts, source->version, err));
    for (int32_t i = 0; i < facts->columns; i++) {
        const int32_t origin = d->origin ? d->origin[i] : i;
        if (origin >= 0)
            DVI_TRY(dv_facts_set_column(facts, i, &source->column[origin], err));
    }
    for (int32_t i = 0; i < source->warnings; i++)
        DVI_TRY(dv_facts_warn(facts, source->warning[i], err));
    return DV_OK;
}

static dv_status inspect(void *self, dv_facts *facts, dv_error *err)
{
    const dvi_derived *d = self;
    dv_facts *source;
    DVI_TRY(dvi_inspect(&source, d->source, dvi_facts_are_brief(facts), err));
    const dv_status status = copy_facts(d, facts, source, err);
    dv_facts_free(&source);
    return status;
}

static dv_status verify(void *self, const dv_verify_options *options, dv_error *err)
{
    return dv_verify(((const dvi_derived *)self)->source, options, err);
}

static dv_view *source_of(void *self)
{
    return ((const dvi_derived *)self)->source;
}

const dvi_view_traits dvi_reordered_traits = {.reordered = source_of};

/* --- Constant answers ------------------------------------------------------------------------- */

int64_t dvi_rows_unknown(void *self)
{
    (void)self;
    return DV_ROWS_UNKNOWN;
}

bool dvi_never_shuffles(void *self)
{
    (void)self;
    return false;
}

bool dvi_always_shuffles(void *self)
{
    (void)self;
    return true;
}

int64_t dvi_no_block_rows(void *self)
{
    (void)self;
    return 0;
}

int64_t dvi_single_rows(void *self)
{
    (void)self;
    return 1;
}

dv_status dvi_nothing_to_check(void *self, dv_error *err)
{
    (void)self;
    (void)err;
    return DV_OK;
}

dv_status dvi_no_facts(void *self, dv_facts *facts, dv_error *err)
{
    (void)self;
    (void)facts;
    (void)err;
    return DV_OK;
}

/* --- Reading ---------------------------------------------------------------------------------- */

dv_status dvi_find_column(const dv_schema *schema, dv_text name, int32_t *column_out, dv_error *err)
{
    if (dv_schema_find(schema, name, column_out) == DV_OK)
        return DV_OK;
    dvi_fail_argument(err, "there is no column \"%s\"", dvi_show(name).text);
    if (err) {
        snprintf(err->expected, sizeof err->expected, "a name of the schema");
        snprintf(err->found, sizeof err->found, "%s", dvi_show(name).text);
    }
    dvi_schema_advise(schema, name, err);
    return DV_ERR_ARGUMENT;
}

dv_status dvi_needed_alloc(dvi_needed *needed_out, dvi_arena *arena, const dv_view *source,
                           dv_error *err)
{
    const size_t nbytes = (size_t)dv_schema_columns(dv_view_schema(source)) * sizeof(int32_t);
    void *columns, *slots;
    DVI_TRY(dvi_arena_alloc(arena, &columns, nbytes, err));
    DVI_TRY(dvi_arena_alloc(arena, &slots, nbytes, err));
    *needed_out = (dvi_needed){.columns = columns, .slots = slots};
    return DV_OK;
}

int32_t dvi_needed_slot(dvi_needed *needed, int32_t column)
{
    if (needed->slots[column] == 0) {
        needed->columns[needed->count++] = column;
        needed->slots[column] = needed->count;
    }
    return needed->slots[column] - 1;
}

static dv_status open_source(dv_cursor **cursor_out, dv_view *source,
                             const dv_cursor_request *request, const int32_t *columns,
                             int32_t columns_count, int64_t batch_rows, int64_t first_row,
                             int64_t end_row, dvi_vector_sink *sink, unsigned how, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = columns_count;
    options.first_row = first_row;
    options.end_row = end_row == INT64_MAX ? -1 : end_row;
    options.batch_rows = batch_rows;
    options.threads = request->threads;
    options.ids = request->ids;
    options.epoch = request->epoch;
    options.zero_copy_only = request->zero_copy_only;
    if (!dvi_request_member(request)) /* a member may be read by any thread */
        options.progress = dvi_request_progress(request);
    return dvi_cursor_open_onto(cursor_out, source, &options, dvi_request_member(request), sink,
                                how, err);
}

dv_status dvi_open_source(dv_cursor **cursor_out, dv_view *source, const dv_cursor_request *request,
                          const int32_t *columns, int32_t columns_count, int64_t batch_rows,
                          int64_t first_row, int64_t end_row, dv_error *err)
{
    return open_source(cursor_out, source, request, columns, columns_count, batch_rows, first_row,
                       end_row, NULL, 0, err);
}

dv_status dvi_pass_source(dv_cursor **cursor_out, dv_view *source, const dv_cursor_request *request,
                          const int32_t *columns, int32_t columns_count, int64_t batch_rows,
                          int64_t first_row, int64_t end_row, dv_error *err)
{
    const unsigned how = dvi_request_in_place(request) ? DVI_CURSOR_IN_PLACE : 0;
    return open_source(cursor_out, source, request, columns, columns_count, batch_rows, first_row,
                       end_row, dvi_request_sink(request), how, err);
}

/* --- Cursors ---------------------------------------------------------------------------------- */

dv_status dvi_source_cursor_read(dvi_source_cursor *s, dv_error *err)
{
    return s->batch ? DV_OK : dv_cursor_next(s->cursor, &s->batch, err);
}

dv_status dvi_source_cursor_check(void *cursor, dv_error *err)
{
    return dvi_cursor_check(((const dvi_source_cursor *)cursor)->cursor, err);
}

dv_status dvi_source_cursor_seek(void *cursor, dv_error *err)
{
    dvi_source_cursor *s = cursor;
    s->batch = NULL;
    return dvi_cursor_seek(s->cursor, dvi_derived_source_row(s->view, s->request->first_row),
                           dvi_derived_source_row(s->view, s->request->end_row), err);
}

/* The cursor that returns the batches of the source unchanged. */

static void close_pass(void *cursor)
{
    dvi_source_cursor *s = cursor;
    const dv_allocator *allocator = s->request->allocator;
    dv_cursor_close(&s->cursor);
    dvi_free(allocator, s, sizeof *s);
}

static dv_status open_pass(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    dvi_source_cursor *s;
    DVI_TRY(DVI_NEW(request->allocator, &s, 1, err));
    *s = (dvi_source_cursor){.view = self, .request = request};
    const dv_status status = dvi_pass_source(
        &s->cursor, s->view->source, request, request->columns, request->columns_count,
        request->batch_rows, dvi_derived_source_row(s->view, request->first_row),
        dvi_derived_source_row(s->view, request->end_row), err);
    if (status < 0)
        close_pass(s);
    else
        *cursor_out = s;
    return status;
}

static dv_status next_of_pass(void *cursor, dv_batch *batch, dv_error *err)
{
    dvi_source_cursor *s = cursor;
    const dv_status status = dvi_source_cursor_read(s, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dvi_batch_show(batch, s->batch, s->batch->first_row - s->view->first_row, err));
    dvi_batch_follow(batch, s->batch);
    s->batch = NULL;
    return DV_OK;
}

static dv_status set_up(dvi_gathering_cursor *c, const dvi_gathering *kind, dv_error *err)
{
    void *gather;
    const size_t columns = (size_t)c->source.request->columns_count;
    DVI_TRY(dvi_arena_alloc(&c->arena, &gather, columns * sizeof *c->gather, err));
    c->gather = gather;
    return kind->open_source(c, err);
}

dv_status dvi_gathering_open(void **cursor_out, const dvi_gathering *kind, void *self,
                             const dv_cursor_request *request, dv_error *err)
{
    void *made;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only", "rows as they are stored|%s",
                        kind->made);
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, kind->size, err));
    dvi_gathering_cursor *c = made;
    c->source.view = self;
    c->source.request = request;
    c->size = kind->size;
    dvi_arena_init(&c->arena, request->allocator);
    const dv_status status = set_up(c, kind, err);
    if (status < 0)
        kind->close(c);
    else
        *cursor_out = c;
    return status;
}

void dvi_gathering_close(void *cursor)
{
    dvi_gathering_cursor *c = cursor;
    dv_cursor_close(&c->source.cursor);
    for (int32_t k = 0; c->gather && k < c->source.request->columns_count; k++)
        dvi_growing_free(&c->gather[k]);
    dvi_arena_free(&c->arena);
    dvi_free(c->source.request->allocator, c, c->size);
}

/* --- Making ----------------------------------------------------------------------------------- */

/* The class, with the answers of the source for members that are NULL. */
static dv_view_class fill_class(const dv_view_class *given)
{
    dv_view_class cls = *given;
    if (!cls.rows)
        cls.rows = count_rows;
    if (!cls.can_shuffle)
        cls.can_shuffle = can_shuffle;
    if (!cls.block_rows)
        cls.block_rows = dvi_derived_block_rows;
    if (!cls.check)
        cls.check = check;
    if (!cls.inspect)
        cls.inspect = inspect;
    if (!cls.verify)
        cls.verify = verify;
    if (!cls.close)
        cls.close = dvi_derived_close;
    if (!cls.open_cursor) {
        cls.open_cursor = open_pass;
        cls.next = next_of_pass;
        cls.close_cursor = close_pass;
        cls.check_cursor = dvi_source_cursor_check;
        cls.seek = dvi_source_cursor_seek;
    }
    return cls;
}

dv_status dvi_derived_view(dv_view **view_out, const dv_view_class *given, void *self,
                           dv_schema *schema, dv_error *err)
{
    dvi_derived *d = self;
    const dv_view_class cls = fill_class(given);
    if (!schema)
        schema = dvi_schema_share(dv_view_schema(d->source));
    const dv_status status = dvi_view_create(view_out, &cls, d->traits, d, &schema, &d->source, 1,
                                             &d->arena.allocator, err);
    dv_schema_free(&schema);
    if (status < 0)
        cls.close(d);
    return status;
}
