/* SPDX-License-Identifier: MIT */
/* materialize.c: rows of a view, copied into memory (transform.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/identity.h"
#include "scan/cursor.h"
#include "scan/derived.h"
#include "scan/token.h"
#include "table/column_store.h"
#include <dataview/digest.h>
#include <dataview/transform.h>

typedef struct materialized {
    dvi_derived base;
    dvi_column_store *held; /* of each column */
    int32_t columns;
    int64_t rows;
    /* What was asked of the source: column numbers, and rows. */
    dv_u128 columns_digest;
    int64_t first, end;
} materialized;

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "materialized rows",
                        "rows as they are stored|copies in memory");
    return dvi_memory_cursor_open(self, request, cursor_out, err);
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    dvi_memory_cursor *r = cursor;
    const materialized *h = r->view;
    int32_t none;
    return dvi_column_stores_next(h->held, r, r->request->columns, r->request->columns_count,
                                  h->rows, batch, &none, err);
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const materialized *)self)->rows;
}

static void close_materialized(void *self)
{
    materialized *h = self;
    for (int32_t i = 0; h->held && i < h->columns; i++)
        dvi_column_store_free(&h->held[i], &h->base.arena.allocator);
    dvi_derived_close(h);
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const materialized *h = self;
    dv_identity_add(identity, &h->columns_digest, sizeof h->columns_digest);
    dvi_identity_add_i8(identity, h->first);
    dvi_identity_add_i8(identity, h->end);
    return dv_identity_add_view(identity, h->base.source, err);
}

static const dv_view_class materialize_class = {.size = sizeof materialize_class,
                                                .kind = "materialize",
                                                .rows = count_rows,
                                                .can_shuffle = dvi_always_shuffles,
                                                .close = close_materialized,
                                                .open_cursor = open_cursor,
                                                .next = next,
                                                .close_cursor = dvi_memory_cursor_close,
                                                .check = dvi_nothing_to_check,
                                                .inspect = dvi_no_facts,
                                                .seek = dvi_memory_cursor_seek,
                                                .block_rows = dvi_single_rows,
                                                .identify = identify};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status read_batches(materialized *h, dvi_filler *filler, dv_cursor *cursor,
                              const dv_progress *progress, dv_error *err)
{
    dv_status status;
    const int64_t known = dv_view_rows(h->base.source);
    const int64_t total =
        known < 0 ? -1 : dvi_min_i64(known, h->end) - dvi_min_i64(known, h->first);
    DVI_TRY(dvi_report_progress(progress, "rows not copied", h->rows, total, err));
    while ((status = dvi_filler_read(filler, cursor, &h->rows, err)) == DV_OK)
        DVI_TRY(dvi_report_progress(progress, "rows not copied", h->rows, total, err));
    return status < 0 ? status : DV_OK;
}

static dv_status read_rows(materialized *h, const dv_cursor_options *options,
                           const dv_progress *progress, dv_error *err)
{
    void *held;
    dvi_filler filler = {0};
    dv_cursor *cursor;
    DVI_TRY(dvi_arena_alloc(&h->base.arena, &held, (size_t)h->columns * sizeof *h->held, err));
    h->held = held;
    DVI_TRY(dv_cursor_open(&cursor, h->base.source, options, err));
    dv_status status = dvi_filler_init(&filler, h->held, NULL, h->columns, &h->base.arena.allocator,
                                       NULL, NULL, err);
    if (status == DV_OK)
        status = read_batches(h, &filler, cursor, progress, err);
    dvi_filler_free(&filler);
    dv_cursor_close(&cursor);
    return status;
}

static dv_status make_schema(dv_schema **schema_out, materialized *h, const int32_t *columns,
                             dv_error *err)
{
    const dv_schema *source = dv_view_schema(h->base.source);
    DVI_TRY(dv_schema_create(schema_out, &h->base.arena.allocator, err));
    for (int32_t k = 0; k < h->columns; k++)
        DVI_TRY(dvi_schema_add_column(*schema_out, source, columns[k],
                                      dv_schema_column(source, columns[k])->name, err));
    return DV_OK;
}

/* Choose the columns and read the rows; the schema becomes the caller's. */
static dv_status fill(materialized *h, dv_schema **schema_out, const dv_cursor_options *options,
                      const dv_progress *progress, dv_error *err)
{
    int32_t *columns;
    const dv_allocator *allocator = &h->base.arena.allocator;
    dv_status status = dvi_cursor_read_columns(dv_view_schema(h->base.source), options, allocator,
                                               &columns, &h->columns, err);
    if (status == DV_OK) {
        h->columns_digest = dv_digest_16(columns, (size_t)h->columns * sizeof *columns, 0);
        status = make_schema(schema_out, h, columns, err);
    }
    if (status == DV_OK)
        status = read_rows(h, options, progress, err);
    dvi_free(allocator, columns, (size_t)h->columns * sizeof *columns);
    return status;
}

dv_status dv_view_materialize(dv_view **view_out, dv_view *source,
                              const dv_materialize_options *given, const dv_allocator *allocator,
                              dv_error *err)
{
    dv_materialize_options how = DV_MATERIALIZE_OPTIONS_INIT;
    void *made;
    dv_schema *schema = NULL;
    dv_cursor_options options;
    dvi_position range;
    *view_out = NULL;
    DVI_TRY(dvi_options_read(&how, sizeof how, given, "DV_MATERIALIZE_OPTIONS_INIT", err));
    DVI_TRY(dvi_cursor_read_options(how.cursor, &options, err));
    DVI_TRY(dvi_token_apply(&range, &options, source, err));
    options.ids = options.zero_copy_only = false;
    options.progress = (dv_progress){NULL, NULL}; /* reported below */
    options.batch_rows = 0;
    DVI_TRY(dvi_derived_create(&made, sizeof(materialized), source, allocator, err));
    materialized *h = made;
    range = dvi_position_of(&options);
    h->first = range.first;
    h->end = range.end;
    dv_status status = fill(h, &schema, &options, &how.progress, err);
    if (status == DV_OK)
        return dvi_derived_view(view_out, &materialize_class, h, schema, err);
    dv_schema_free(&schema);
    close_materialized(h);
    return status;
}
