/* SPDX-License-Identifier: MIT */
/* idv_save.c: saves a view as an .idv file, and reports what would be lost (idv:7). */
#include "base/alloc.h"
#include "base/size.h"
#include "format/idv/save/idv_save_priv.h"

/* The library's default, as ML.NET's (idv:7.1). */
#define ROWS_PER_BLOCK 8192
#define BLOCK_NBYTES (INT64_C(80) << 20)

static dv_status read_dialect(const dvi_saving *saving, dvi_idv_dialect *dialect, dv_error *err)
{
    const dv_save_options *options = saving->options;
    const char *version = options->idv_version ? options->idv_version : "1.1.1.6";
    *dialect = (dvi_idv_dialect){
        .version = DVI_IDV_VERSION(strcmp(version, "1.1.1.5") == 0 ? 5u : 6u),
        .old_keys = options->idv_old_keys,
        .two_bits = options->idv_bool_2bit,
        .na_may_be_false = dvi_saving_allows(saving, DV_LOSS_NA),
    };
    if (strcmp(version, "1.1.1.5") == 0 || strcmp(version, "1.1.1.6") == 0)
        return DV_OK;
    return dvi_fail_argument(err,
                             "unknown idv_version \"%s\": use 1.1.1.6, or 1.1.1.5 for old readers",
                             dvi_show(dv_text_of(version)).text);
}

/* --- What is lost ----------------------------------------------------------------------------- */

/* NA Booleans are the only metadata values that can be lost. */
static dv_status check_value(const dvi_saving *saving, const dvi_idv_dialect *dialect,
                             const dvi_idv_codec *codec, int32_t column, int32_t i,
                             dvi_losses *losses, dv_error *err)
{
    const dv_batch *batch;
    const dv_metadata_info *info = dv_schema_metadata(saving->schema, column, i);
    dvi_idv_dialect strict = *dialect;
    strict.na_may_be_false = false;
    const dvi_idv_source source = {&strict, saving->allocator,
                                   dv_schema_column(saving->schema, column)->name, -1};
    dvi_idv_encoded encoded = {.count = 0};
    DVI_TRY(dv_schema_metadata_value(saving->schema, column, i, &batch, err));
    const dv_status status =
        dvi_idv_encode(&source, codec, dv_batch_column(batch, 0), &encoded, err);
    dvi_idv_encoded_free(&encoded);
    dv_batch_release(&batch);
    if (status != DV_ERR_LOSS)
        return status;
    dvi_losses_add(losses, DV_LOSS_NA, column, info->kind,
                   "a Boolean of one bit cannot hold NA (option idv_bool_2bit keeps it)");
    return DV_OK;
}

static dv_status check_metadata(const dvi_saving *saving, const dvi_idv_dialect *dialect,
                                int32_t column, dvi_losses *losses, dv_error *err)
{
    dvi_idv_codec codec;
    const dv_column_info *c = dv_schema_column(saving->schema, column);
    for (int32_t i = 0; i < c->metadata_count; i++) {
        const dv_metadata_info *info = dv_schema_metadata(saving->schema, column, i);
        const char *why = dvi_idv_is_mark(&c->type, info->kind)
                              ? "of this name are what makes bytes of vectors"
                              : dvi_idv_choose_codec(dialect, &info->type, &codec);
        if (why)
            dvi_losses_add(losses, DV_LOSS_METADATA, column, info->kind, "%s", why);
        else if (codec.encoding == DVI_IDV_BITS)
            DVI_TRY(check_value(saving, dialect, &codec, column, i, losses, err));
    }
    return DV_OK;
}

dv_status dvi_idv_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err)
{
    dvi_idv_dialect dialect;
    dvi_idv_codec codec;
    DVI_TRY(read_dialect(saving, &dialect, err));
    for (int32_t k = 0; k < saving->columns_count; k++) {
        const int32_t column = saving->columns[k];
        const dv_column_info *info = dv_schema_column(saving->schema, column);
        const char *why = dvi_idv_choose_column_codec(&dialect, &info->type, &codec);
        if (why)
            dvi_losses_add(losses, DV_LOSS_COLUMNS, column, dv_text_of(""), "%s", why);
        else
            DVI_TRY(check_metadata(saving, &dialect, column, losses, err));
    }
    return DV_OK;
}

/* --- Saving ----------------------------------------------------------------------------------- */

/* Choose the columns that have a codec; dropping the others was allowed. */
static dv_status choose_columns(dvi_idv_saver *saver, dv_error *err)
{
    const dvi_saving *saving = saver->saving;
    const size_t n = (size_t)saving->columns_count;
    void *made;
    DVI_TRY(dvi_alloc(saving->allocator, &made, n * sizeof *saver->columns, err));
    saver->columns = made;
    DVI_TRY(dvi_alloc(saving->allocator, &made, n * sizeof *saver->codecs, err));
    saver->codecs = made;
    DVI_TRY(dvi_alloc(saving->allocator, &made, n * sizeof *saver->types, err));
    saver->types = made;
    for (int32_t k = 0; k < saving->columns_count; k++) {
        const dv_column_info *info = dv_schema_column(saving->schema, saving->columns[k]);
        const int32_t at = saver->columns_count;
        if (dvi_idv_choose_column_codec(&saver->dialect, &info->type, &saver->codecs[at]))
            continue;
        saver->columns[at] = saving->columns[k];
        saver->types[at] = &info->type;
        saver->columns_count++;
    }
    return DV_OK;
}

static void free_saver(dvi_saver *base)
{
    dvi_idv_saver *saver = (dvi_idv_saver *)base;
    const dv_allocator *allocator = saver->saving->allocator;
    const size_t n = (size_t)saver->saving->columns_count;
    dvi_idv_pipeline_close(&saver->pipeline);
    dvi_row_queue_close(&saver->queue);
    dvi_free(allocator, saver->planner.columns,
             (size_t)saver->columns_count * sizeof *saver->planner.columns);
    dvi_free(allocator, saver->entries, saver->entries_cap * sizeof *saver->entries);
    dvi_free(allocator, saver->types, n * sizeof *saver->types);
    dvi_free(allocator, saver->codecs, n * sizeof *saver->codecs);
    dvi_free(allocator, saver->columns, n * sizeof *saver->columns);
    dvi_free(allocator, saver, sizeof *saver);
}

/* The queue's limit batch_rows is rows_per_block here. */
static dv_status name_option(const dvi_idv_saver *saver, dv_status status, dv_error *err)
{
    if (status != DV_ERR_LIMIT || !err || strcmp(err->rule, "batch_rows") != 0)
        return status;
    char found[sizeof err->found];
    memcpy(found, err->found, sizeof found);
    dvi_fail(err, DV_ERR_LIMIT, "rows_per_block", -1, "text of one block",
             "at most 2^31-1 bytes (option rows_per_block)|%s", found);
    dvi_error_set_file(err, saver->saving->path);
    return DV_ERR_LIMIT;
}

/* Make a block of the first rows in the queue. */
static dv_status put_block(dvi_idv_saver *saver, int64_t rows, dv_error *err)
{
    const dv_batch *batch;
    const dv_status status = dvi_row_queue_take(&saver->queue, rows, &batch, err);
    return status < 0 ? name_option(saver, status, err)
                      : dvi_idv_pipeline_put(saver->pipeline, batch, err);
}

static dv_status put_blocks(dvi_idv_saver *saver, dv_error *err)
{
    saver->rpb = saver->planner.rows;
    while (saver->queue.rows >= saver->rpb)
        DVI_TRY(put_block(saver, saver->rpb, err));
    return DV_OK;
}

static dv_status put(dvi_saver *base, const dv_batch *batch, dv_error *err)
{
    dvi_idv_saver *saver = (dvi_idv_saver *)base;
    if (saver->columns_count == 0) { /* only count rows */
        saver->rows += batch->rows;
        return dvi_saving_progress(saver->saving, saver->rows, err);
    }
    DVI_TRY(dvi_row_queue_add(&saver->queue, batch, err));
    dvi_idv_planner_add(&saver->planner, batch);
    if (saver->planner.is_done)
        DVI_TRY(put_blocks(saver, err));
    return dvi_idv_pipeline_report(saver->pipeline, err);
}

static dv_status drain(dvi_saver *base, dv_error *err)
{
    dvi_idv_saver *saver = (dvi_idv_saver *)base;
    dvi_idv_planner_end(&saver->planner);
    saver->rpb = saver->planner.rows;
    if (saver->columns_count == 0)
        return DV_OK;
    DVI_TRY(put_blocks(saver, err));
    if (saver->queue.rows > 0)
        DVI_TRY(put_block(saver, saver->queue.rows, err));
    return dvi_idv_pipeline_drain(saver->pipeline, err);
}

static dv_status end(dvi_saver *base, dv_error *err)
{
    return dvi_idv_write_tables((dvi_idv_saver *)base, err);
}

static dv_status begin(dvi_idv_saver *saver, dv_error *err)
{
    const dv_save_options *options = saver->saving->options;
    const dv_allocator *allocator = saver->saving->allocator;
    const dvi_idv_limits limits = {
        dvi_min_i64(options->rows_per_block > 0 ? options->rows_per_block : ROWS_PER_BLOCK,
                    INT32_MAX),
        options->block_nbytes > 0 ? options->block_nbytes : BLOCK_NBYTES};
    DVI_TRY(read_dialect(saver->saving, &saver->dialect, err));
    DVI_TRY(choose_columns(saver, err));
    saver->base.columns = saver->columns;
    saver->base.columns_count = saver->columns_count;
    saver->base.threads = 1;
    DVI_TRY(dvi_idv_planner_open(&saver->planner, &limits, saver->codecs, saver->columns_count,
                                 allocator, err));
    DVI_TRY(dvi_writer_pad(saver->writer, DVI_IDV_HEADER_NBYTES, err));
    if (saver->columns_count == 0)
        return DV_OK;
    saver->base.batch_rows = saver->planner.is_done ? saver->planner.rows : 0;
    DVI_TRY(dvi_row_queue_open(&saver->queue, saver->types, saver->columns_count, allocator, err));
    return dvi_idv_pipeline_open(&saver->pipeline, saver, err);
}

dv_status dvi_idv_begin_save(dvi_saver **saver_out, const dvi_saving *saving, dvi_writer *writer,
                             dv_error *err)
{
    const dv_save_options *options = saving->options;
    static const dvi_idv_compression codes[] = {[DV_COMPRESSION_NONE] = DVI_IDV_STORED,
                                                [DV_COMPRESSION_DEFLATE] = DVI_IDV_DEFLATE,
                                                [DV_COMPRESSION_ZLIB] = DVI_IDV_ZLIB};
    void *made;
    *saver_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(saving->allocator, &made, sizeof(dvi_idv_saver), err));
    dvi_idv_saver *saver = made;
    saver->base = (dvi_saver){.put = put, .drain = drain, .end = end, .free = free_saver};
    saver->saving = saving;
    saver->writer = writer;
    saver->compression = codes[options->compression];
    saver->level = options->level > 0 ? options->level : DVI_DEFLATE_LEVEL;
    const dv_status status = begin(saver, err);
    if (status < 0)
        free_saver(&saver->base);
    else
        *saver_out = &saver->base;
    return status;
}
