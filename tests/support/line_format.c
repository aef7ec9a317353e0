/* SPDX-License-Identifier: MIT */
/* line_format.c: a format of the test suite, to test saving without a real one. */
#include "support/line_format.h"
#include "base/alloc.h"
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

typedef struct saver {
    dvi_saver base;
    const dvi_saving *saving;
    dvi_writer *writer;
    int64_t rows;
} saver;

static dv_status put(dvi_saver *base, const dv_batch *batch, dv_error *err)
{
    saver *s = (saver *)base;
    sink to = {s->writer, DV_OK, err};
    for (int64_t row = 0; row < batch->rows; row++, s->rows++)
        for (int32_t k = 0; k < batch->columns; k++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, k), row);
            DVI_TRY(write_value(s->saving, &to, &value, s->rows));
        }
    return dvi_saving_progress(s->saving, s->rows, err);
}

static dv_status end(dvi_saver *base, dv_error *err)
{
    saver *s = (saver *)base;
    return dvi_writer_write_at(s->writer, 0, &s->rows, sizeof s->rows, err);
}

static void free_saver(dvi_saver *base)
{
    dvi_free(((saver *)base)->saving->allocator, base, sizeof(saver));
}

static dv_status begin_line(dvi_saver **saver_out, const dvi_saving *saving, dvi_writer *writer,
                            dv_error *err)
{
    void *made;
    *saver_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(saving->allocator, &made, sizeof(saver), err));
    saver *s = made;
    s->base = (dvi_saver){.columns = saving->columns,
                          .columns_count = saving->columns_count,
                          .put = put,
                          .end = end,
                          .free = free_saver};
    s->saving = saving;
    s->writer = writer;
    const dv_status status = dvi_writer_pad(writer, HEADER_NBYTES, err);
    if (status < 0)
        free_saver(&s->base);
    else
        *saver_out = &s->base;
    return status;
}

const dvi_format dvt_line_format = {
    .info = {.name = "line", .extensions = ".line", .can_save = true},
    .check_save = check_line,
    .begin_save = begin_line,
};
