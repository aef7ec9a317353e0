/* SPDX-License-Identifier: MIT */
/* datadings_verify.c: verifies the files of a set and the types of all values. */
#include "base/alloc.h"
#include "base/check.h"
#include "scan/verify.h"
#include "format/datadings/read/datadings_decoder.h"
#include <inttypes.h>

#define RUN_NBYTES (INT64_C(1) << 20)

/* Report a value that does not fit its column: a warning with mismatch=na; and a message that is
 * not a map, which only these columns cannot read. dvi_datadings_verify_files has reported other
 * defects of the sample, and with `strict` this one. */
static dv_status report(const dvi_datadings_file *file, const dv_verify_options *options,
                        int64_t row, dv_error *found, dv_error *err)
{
    const bool is_no_map = strcmp(found->rule, "datadings:8.30") == 0 && !file->options.strict;
    const bool is_mismatch = strcmp(found->rule, DVI_DATADINGS_MISMATCH) == 0;
    if (found->status == DV_ERR_CORRUPT && !is_mismatch && !is_no_map)
        return DV_OK;
    dvi_error_within(found, "sample %" PRId64, row);
    dvi_error_set_file(found, dvi_map_name(file->map));
    if (is_mismatch && file->options.mismatch_na)
        found->status = DV_OK;
    return found->status == DV_ERR_LIMIT ? DV_OK : dvi_verify_report(options, found, err);
}

/* Check the values of a run of samples. DV_END: the caller stops. */
static dv_status check_run(dvi_datadings_decoder *decoder, const dvi_datadings_source *source,
                           const dv_verify_options *options, int64_t row, int64_t rows,
                           dv_error *err)
{
    dv_status status = DV_OK;
    for (int64_t end = row + rows; row < end && status == DV_OK; row++) {
        dv_error found = DV_ERROR_INIT;
        dvi_msgpack_reader message = dvi_datadings_source_message(source, row);
        dvi_datadings_decoder_clear(decoder, row, false, true);
        if (dvi_datadings_decoder_add(decoder, &message, &found) < 0)
            status = report(decoder->file, options, row, &found, err);
    }
    return status;
}

/* Check that the messages of a run are maps, which options keep and drop take apart. */
static dv_status check_maps(const dvi_datadings_source *source, const dv_verify_options *options,
                            int64_t row, int64_t rows, dv_error *err)
{
    dv_status status = DV_OK;
    for (int64_t end = row + rows; row < end && status == DV_OK; row++) {
        dv_error found = DV_ERROR_INIT;
        const dvi_msgpack_reader message = dvi_datadings_source_message(source, row);
        if (dvi_datadings_check_map(&message, &found) < 0)
            status = report(source->file, options, row, &found, err);
    }
    return status;
}

/* decoder NULL: only whether messages are maps. */
static dv_status check_rows(dvi_datadings_decoder *decoder, dvi_datadings_source *source,
                            const dv_verify_options *options, dv_error *err)
{
    const int64_t rows = dvi_datadings_rows(source->file->set);
    dv_status status = DV_OK;
    for (int64_t row = 0, n; row < rows && status == DV_OK; row += n) {
        n = 1;
        const dv_status found =
            dvi_datadings_source_run(source, row, rows, RUN_NBYTES, INT64_MAX, &n, err);
        if (found == DV_ERR_CORRUPT || found == DV_ERR_LIMIT)
            continue; /* reported by dvi_datadings_verify_files */
        DVI_TRY(found);
        status = decoder ? check_run(decoder, source, options, row, n, err)
                         : check_maps(source, options, row, n, err);
    }
    return status;
}

static dv_status check_samples(dvi_datadings_file *file, dvi_datadings_decoder *decoder,
                               const dv_verify_options *options, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(&file->allocator, &made, sizeof(dvi_datadings_source), err));
    dvi_datadings_source *source = made;
    source->file = file;
    const dv_status status = check_rows(decoder, source, options, err);
    dvi_datadings_source_free(source);
    dvi_free(&file->allocator, source, sizeof *source);
    return status;
}

static dv_status check_values(dvi_datadings_file *file, const dv_verify_options *options,
                              dv_error *err)
{
    void *made;
    dvi_datadings_decoder decoder;
    const size_t nbytes = (size_t)file->columns_count * sizeof(int32_t);
    DVI_TRY(dvi_alloc(&file->allocator, &made, nbytes, err));
    int32_t *columns = made;
    for (int32_t i = 0; i < file->columns_count; i++)
        columns[i] = i;
    dv_status status = dvi_datadings_decoder_create(&decoder, file, columns, file->columns_count,
                                                    &file->allocator, err);
    dvi_free(&file->allocator, columns, nbytes);
    decoder.reports_mismatches = true;
    if (status == DV_OK)
        status = check_samples(file, &decoder, options, err);
    dvi_datadings_decoder_free(&decoder);
    return status;
}

dv_status dvi_datadings_verify(void *self, const struct dv_verify_options *options, dv_error *err)
{
    dvi_datadings_file *file = self;
    dv_status status = dvi_verify_metadata(dv_view_schema(file->view), options, err);
    if (status == DV_OK)
        status = dvi_datadings_verify_files(file->set, file->options.strict, options, err);
    if (status != DV_OK)
        return status;
    if (!file->options.raw)
        return check_values(file, options, err);
    return file->options.names_count > 0 ? check_samples(file, NULL, options, err) : DV_OK;
}
