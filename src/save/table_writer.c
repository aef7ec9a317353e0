/* SPDX-License-Identifier: MIT */
/* table_writer.c: a file that is written from batches as they come (dv_writer). */
#include "save/table_writer.h"
#include "base/alloc.h"
#include "base/check.h"
#include "view/batch.h"
#include "view/view.h"
#include "save/resolved.h"
#include <inttypes.h>
#include <string.h>

struct dv_writer {
    dv_allocator allocator;
    dv_save_options options;
    dvi_resolved resolved;
    const dv_type **types; /* of the saver's columns */
    dvi_writer *file;
    dvi_saver *saver;
    dv_view *source; /* of the last batch, rows of which the saver may hold back; NULL: none */
    int64_t rows;    /* appended */
    dv_status status;
    dv_error error;
    size_t nbytes; /* of this struct with the path */
    char path[];
};

const dv_schema *dvi_table_writer_schema(const dv_writer *w)
{
    return w->resolved.saving.schema;
}

const dv_allocator *dvi_table_writer_allocator(const dv_writer *w)
{
    return &w->allocator;
}

dv_status dvi_table_writer_failure(const dv_writer *w, dv_error *err)
{
    if (w->status < 0 && err)
        *err = w->error;
    return w->status;
}

dv_status dvi_table_writer_fail(dv_writer *w, dv_status status, const dv_error *err)
{
    w->status = status;
    w->error = *err;
    return status;
}

/* --- Opening and freeing ---------------------------------------------------------------------- */

void dv_writer_abandon(dv_writer **writer)
{
    dv_writer *w = *writer;
    *writer = NULL;
    if (!w)
        return;
    const dv_allocator allocator = w->allocator;
    const size_t n = w->saver ? (size_t)w->saver->columns_count : 0;
    dvi_free(&allocator, w->types, n * sizeof *w->types);
    if (w->saver)
        w->saver->free(w->saver);
    dvi_writer_close(&w->file);
    dv_view_release(&w->source);
    dvi_resolved_free(&w->resolved);
    dvi_free(&allocator, w, w->nbytes);
}

static dv_status list_types(dv_writer *w, dv_error *err)
{
    const dvi_saver *saver = w->saver;
    void *made;
    DVI_TRY(dvi_alloc(&w->allocator, &made, (size_t)saver->columns_count * sizeof *w->types, err));
    w->types = made;
    for (int32_t k = 0; k < saver->columns_count; k++)
        w->types[k] = &dv_schema_column(w->resolved.saving.schema, saver->columns[k])->type;
    return DV_OK;
}

static dv_status begin(dv_writer *w, const dvi_format *format, const dv_schema *schema,
                       int64_t rows, dv_error *err)
{
    const dv_save_options *options = &w->options;
    const dv_save_options plain = DV_SAVE_OPTIONS_INIT;
    if (options->first_row != plain.first_row || options->end_row != plain.end_row ||
        options->skip != plain.skip || options->take != plain.take)
        return dvi_fail_argument(err, "a writer chooses no rows: leave first_row, end_row, skip "
                                      "and take as they are, and append the rows you want");
    if (rows < DV_ROWS_UNKNOWN)
        return dvi_fail_argument(err, "%" PRId64 " rows: use a number, or DV_ROWS_UNKNOWN", rows);
    DVI_TRY(dvi_resolved_make(&w->resolved, NULL, schema, rows, options, err));
    w->resolved.saving.path = w->path;
    DVI_TRY(dvi_resolved_check(&w->resolved, format, NULL, NULL, err));
    DVI_TRY(dvi_save_create(&w->file, format, w->path, options, err));
    DVI_TRY(dvi_saving_progress(&w->resolved.saving, 0, err));
    DVI_TRY(format->begin_save(&w->saver, &w->resolved.saving, w->file, err));
    return list_types(w, err);
}

dv_status dvi_table_writer_open(dv_writer **writer_out, const dvi_format *format, const char *path,
                                const dv_schema *schema, int64_t rows,
                                const dv_save_options *options, dv_error *err)
{
    const size_t path_nbytes = strlen(path) + 1, nbytes = sizeof(dv_writer) + path_nbytes;
    void *made;
    *writer_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(options->allocator, &made, nbytes, err));
    dv_writer *w = made;
    w->allocator = dvi_allocator_of(options->allocator);
    w->nbytes = nbytes;
    w->options = *options;
    w->options.allocator = &w->allocator;
    memcpy(w->path, path, path_nbytes);
    const dv_status status = begin(w, format, schema, rows, err);
    if (dvi_is_own_failure(status))
        dvi_error_set_file(err, path);
    if (status < 0)
        dv_writer_abandon(&w);
    *writer_out = w;
    return status;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_status check_batch(const dv_writer *w, const dv_batch *batch, dv_error *err)
{
    const dv_schema *schema = w->resolved.saving.schema;
    const int32_t n = dv_schema_columns(schema);
    const int64_t announced = w->resolved.saving.rows;
    if (batch->columns != n)
        return dvi_fail_argument(err, "a batch of %" PRId32 " columns: the schema has %" PRId32,
                                 batch->columns, n);
    for (int32_t k = 0; k < n; k++) {
        const dv_column_info *info = dv_schema_column(schema, k);
        if (!dv_type_equal(&dv_batch_column(batch, k)->type, &info->type))
            return dvi_fail_argument(err, "column \"%s\": the batch has another type",
                                     dvi_show(info->name).text);
    }
    if (announced >= 0 && batch->rows > announced - w->rows)
        return dvi_fail_argument(err, "more rows than the %" PRId64 " announced", announced);
    return DV_OK;
}

/* Rows that are held back are read later: their file must not have become shorter. */
static dv_status check_source(const dv_writer *w, dv_error *err)
{
    return w->source ? dvi_view_check(w->source, err) : DV_OK;
}

static void keep_source(dv_writer *w, dv_view *view)
{
    if (view)
        dv_view_retain(view);
    dv_view_release(&w->source);
    w->source = view;
}

/* The columns of the batch that the saver writes, as a batch whose rows count on. */
static dv_status choose(const dv_writer *w, const dv_batch *batch, dv_batch **chosen_out,
                        dv_error *err)
{
    const dvi_saver *saver = w->saver;
    DVI_TRY(dvi_batch_create(chosen_out, dvi_batch_view(batch), w->types, saver->columns_count,
                             &w->allocator, err));
    DVI_TRY(dv_batch_start(*chosen_out, w->rows, batch->rows, err));
    for (int32_t k = 0; k < saver->columns_count; k++)
        dvi_batch_set_slot(*chosen_out, k, dv_batch_column(batch, saver->columns[k]));
    return DV_OK;
}

static dv_status append(dv_writer *w, const dv_batch *batch, dv_error *err)
{
    dv_batch *chosen = NULL;
    DVI_TRY(check_batch(w, batch, err));
    DVI_TRY(check_source(w, err));
    dv_status status = choose(w, batch, &chosen, err);
    if (status == DV_OK)
        status = w->saver->put(w->saver, chosen, err);
    const dv_batch *held = chosen;
    dv_batch_release(&held);
    keep_source(w, dvi_batch_view(batch));
    w->rows += batch->rows;
    return status;
}

dv_status dv_writer_append(dv_writer *w, const dv_batch *batch, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    DVI_TRY(dvi_table_writer_failure(w, err));
    const dv_status status = append(w, batch, &own);
    if (status == DV_OK)
        return DV_OK;
    if (dvi_is_own_failure(status))
        dvi_error_set_file(&own, w->path);
    dvi_table_writer_fail(w, status, &own);
    return dvi_table_writer_failure(w, err);
}

static dv_status finish(dv_writer *w, dv_error *err)
{
    const int64_t announced = w->resolved.saving.rows;
    DVI_TRY(dvi_table_writer_failure(w, err));
    if (announced >= 0 && w->rows != announced)
        return dvi_fail_argument(err, "%" PRId64 " rows of the %" PRId64 " announced", w->rows,
                                 announced);
    if (w->saver->drain) {
        DVI_TRY(check_source(w, err));
        DVI_TRY(w->saver->drain(w->saver, err));
    }
    DVI_TRY(w->saver->end(w->saver, err));
    return dvi_writer_commit(w->file, err);
}

dv_status dv_writer_close(dv_writer **writer, dv_error *err)
{
    dv_writer *w = *writer;
    if (!w)
        return DV_OK;
    const dv_status status = finish(w, err);
    if (dvi_is_own_failure(status))
        dvi_error_set_file(err, w->path);
    dv_writer_abandon(writer);
    return status;
}
