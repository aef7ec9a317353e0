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
    const int32_t n = dv_schema_column(saving->schema, column)->metadata_count;
    for (int32_t i = 0; i < n; i++) {
        const dv_metadata_info *info = dv_schema_metadata(saving->schema, column, i);
        const char *why = dvi_idv_choose_codec(dialect, &info->type, &codec);
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
        const char *why = dvi_idv_choose_codec(&dialect, &info->type, &codec);
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
    for (int32_t k = 0; k < saving->columns_count; k++) {
        const dv_column_info *info = dv_schema_column(saving->schema, saving->columns[k]);
        const int32_t at = saver->columns_count;
        if (dvi_idv_choose_codec(&saver->dialect, &info->type, &saver->codecs[at]))
            continue;
        saver->columns[at] = saving->columns[k];
        saver->columns_count++;
    }
    return DV_OK;
}

static dv_status save(dvi_idv_saver *saver, dv_error *err)
{
    const dv_save_options *options = saver->saving->options;
    const dvi_idv_limits limits = {
        dvi_min_i64(options->rows_per_block > 0 ? options->rows_per_block : ROWS_PER_BLOCK,
                    INT32_MAX),
        options->block_nbytes > 0 ? options->block_nbytes : BLOCK_NBYTES};
    DVI_TRY(choose_columns(saver, err));
    DVI_TRY(dvi_idv_plan_rows(saver->saving, &limits, saver->columns, saver->codecs,
                              saver->columns_count, &saver->rpb, err));
    DVI_TRY(dvi_writer_pad(saver->writer, DVI_IDV_HEADER_NBYTES, err));
    DVI_TRY(dvi_idv_write_blocks(saver, err));
    return dvi_idv_write_tables(saver, err);
}

dv_status dvi_idv_save(const dvi_saving *saving, dvi_writer *writer, dv_error *err)
{
    const dv_save_options *options = saving->options;
    static const dvi_idv_compression codes[] = {[DV_COMPRESSION_NONE] = DVI_IDV_STORED,
                                                [DV_COMPRESSION_DEFLATE] = DVI_IDV_DEFLATE,
                                                [DV_COMPRESSION_ZLIB] = DVI_IDV_ZLIB};
    dvi_idv_saver saver = {.saving = saving,
                           .writer = writer,
                           .compression = codes[options->compression],
                           .level = options->level > 0 ? options->level : DVI_DEFLATE_LEVEL};
    DVI_TRY(read_dialect(saving, &saver.dialect, err));
    const dv_status status = save(&saver, err);
    const size_t n = (size_t)saving->columns_count;
    dvi_free(saving->allocator, saver.entries, saver.entries_cap * sizeof *saver.entries);
    dvi_free(saving->allocator, saver.codecs, n * sizeof *saver.codecs);
    dvi_free(saving->allocator, saver.columns, n * sizeof *saver.columns);
    return status;
}
