/* SPDX-License-Identifier: MIT */
/* line_format.c: a format of the test suite, to test saving without a real one. */
#include "support/line_format.h"
#include "base/check.h"
#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>

#define HEADER_NBYTES 8

static dv_status check_line(const dvi_saving *saving, dvi_losses *losses, dv_error *err)
{
    (void)err;
    for (int32_t k = 0; k < saving->columns_count; k++) {
        const int32_t column = saving->columns[k];
        const dv_column_info *info = dv_schema_column(saving->schema, column);
        if (info->type.kind == DV_KIND_TX && !dv_type_is_vector(&info->type))
            dvi_losses_add(losses, DV_LOSS_COLUMNS, column, dv_text_of(""), "text has no place");
        if (info->type.kind == DV_KIND_DZ)
            dvi_losses_add(losses, DV_LOSS_NONE, column, dv_text_of(""), "a DZ has no place");
        for (int32_t i = 0; i < info->metadata_count; i++)
            dvi_losses_add(losses, DV_LOSS_METADATA, column,
                           dv_schema_metadata(saving->schema, column, i)->kind, "%s",
                           "there is no place for it");
    }
    return DV_OK;
}

/* Where the text of values goes, and what became of it. */
typedef struct sink {
    dvi_writer *writer;
    dv_status status;
    dv_error *err;
} sink;

static bool write_text(void *ctx, const char *data, size_t nbytes)
{
    sink *to = ctx;
    to->status = dvi_writer_write(to->writer, data, nbytes, to->err);
    return to->status == DV_OK;
}

static dv_status write_value(const dvi_saving *saving, sink *to, const dv_value *value, int64_t row)
{
    const dv_sink text = {write_text, to};
    if (value->column->type.kind == DV_KIND_BL && dv_value_is_na(value) &&
        !dvi_saving_allows(saving, DV_LOSS_NA))
        return dvi_fail(to->err, DV_ERR_LOSS, "allow_loss", -1, "value", "no NA|row %" PRId64, row);
    dv_value_write(value, DV_STYLE_EXACT, &text);
    DVI_TRY(to->status);
    return dvi_writer_write(to->writer, "\n", 1, to->err);
}

static dv_status write_batch(const dvi_saving *saving, sink *to, const dv_batch *batch)
{
    for (int64_t row = 0; row < batch->rows; row++)
        for (int32_t k = 0; k < batch->columns; k++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, k), row);
            DVI_TRY(write_value(saving, to, &value, batch->position + row));
        }
    return DV_OK;
}

static dv_status write_rows(const dvi_saving *saving, dv_cursor *cursor, sink *to,
                            int64_t *rows_out)
{
    const dv_batch *batch;
    dv_status status;
    *rows_out = 0;
    while ((status = dv_cursor_next(cursor, &batch, to->err)) == DV_OK) {
        DVI_TRY(write_batch(saving, to, batch));
        *rows_out += batch->rows;
        DVI_TRY(dvi_saving_progress(saving, *rows_out, to->err));
    }
    return status == DV_END ? DV_OK : status;
}

static dv_status save_line(const dvi_saving *saving, dvi_writer *writer, dv_error *err)
{
    sink to = {writer, DV_OK, err};
    dv_cursor *cursor;
    int64_t rows;
    DVI_TRY(dvi_writer_pad(writer, HEADER_NBYTES, err));
    DVI_TRY(
        dvi_saving_open_cursor(saving, &cursor, saving->columns, saving->columns_count, 0, 0, err));
    const dv_status status = write_rows(saving, cursor, &to, &rows);
    dv_cursor_close(&cursor);
    DVI_TRY(status);
    return dvi_writer_write_at(writer, 0, &rows, sizeof rows, err);
}

const dvi_format dvt_line_format = {
    .info = {.name = "line", .extensions = ".line", .can_save = true},
    .check_save = check_line,
    .save = save_line,
};
