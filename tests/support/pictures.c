/* SPDX-License-Identifier: MIT */
/* pictures.c: makes columns of files of pictures, and reads pixels. */
#include "support/pictures.h"
#include "support/file.h"
#include "support/made_table.h"
#include <dataview/cursor.h>
#include <dataview/pipeline.h>
#include <dataview/value.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *larger(void *memory, size_t nbytes)
{
    void *grown = realloc(memory, nbytes);
    if (!grown)
        abort();
    return grown;
}

void dvt_pictures_add(dvt_pictures *pictures, const void *data, size_t nbytes)
{
    const int64_t n = pictures->n++;
    const size_t start = n > 0 ? (size_t)pictures->ends[n - 1] : 0;
    pictures->bytes = larger(pictures->bytes, start + nbytes + 1);
    pictures->ends = larger(pictures->ends, (size_t)pictures->n * sizeof *pictures->ends);
    if (nbytes > 0)
        memcpy(pictures->bytes + start, data, nbytes);
    pictures->ends[n] = (int32_t)(start + nbytes);
}

uint8_t *dvt_golden_picture(const char *name, size_t *nbytes_out)
{
    char path[512];
    const char *root = getenv("DV_TEST_ROOT");
    snprintf(path, sizeof path, "%s/golden/image/%s", root ? root : "tests", name);
    return dvt_file_read(path, nbytes_out);
}

void dvt_pictures_add_golden(dvt_pictures *pictures, const char *name)
{
    size_t nbytes;
    uint8_t *data = dvt_golden_picture(name, &nbytes);
    dvt_pictures_add(pictures, data, nbytes);
    free(data);
}

void dvt_pictures_free(dvt_pictures *pictures)
{
    free(pictures->bytes);
    free(pictures->ends);
    *pictures = (dvt_pictures){0};
}

static void append(dvt_made_pixels *made, const void *data, size_t nbytes)
{
    made->data = larger(made->data, made->nbytes + nbytes + 1);
    if (nbytes > 0)
        memcpy(made->data + made->nbytes, data, nbytes);
    made->nbytes += nbytes;
}

static void take(dvt_made_pixels *made, const dv_column_view *column)
{
    if (column->layout == DV_LAYOUT_BYTES) {
        dv_value value = dv_value_first(column);
        for (int64_t i = 0; i < column->rows; i++, dv_value_next(&value))
            append(made, dv_value_tx(&value).data, (size_t)dv_value_tx(&value).nbytes);
        return;
    }
    const dv_column_view *items = column->as.vector.items;
    const size_t width = (size_t)dv_kind_width(items->type.kind);
    const size_t nbytes = (size_t)column->rows * (size_t)column->as.vector.length * width;
    const char *data = items->as.fixed.values.data;
    append(made, data + (size_t)column->as.vector.item_base * width, nbytes);
}

static dv_status read_all(dvt_made_pixels *made, dv_view *view, int64_t batch_rows, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = batch_rows;
    dv_status status = dv_cursor_options_column(&options, dv_view_schema(view), "X", err);
    if (status == DV_OK)
        status = dv_cursor_open(&cursor, view, &options, err);
    if (status != DV_OK)
        return status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        take(made, dv_batch_column(batch, 0));
    dv_cursor_close(&cursor);
    return status == DV_END ? DV_OK : status;
}

dv_status dvt_pictures_pipe(dvt_made_pixels *made, const dvt_pictures *pictures,
                            const char *pipeline, int64_t batch_rows, const dv_allocator *allocator,
                            dv_error *err)
{
    dv_view *piped;
    dvt_made_table table = {
        .column = {dvt_made_text(pictures->are_paths ? DV_KIND_TX : DV_KIND_BY,
                                 (const char *)pictures->bytes, pictures->ends, pictures->n)},
        .columns = 1,
        .rows = pictures->n,
        .block_rows = pictures->n,
        .bad_row = -1,
        .name = {"F"}};
    *made = (dvt_made_pixels){0};
    dv_view *source = dvt_made_table_open(&table, NULL);
    dv_status status = dv_view_pipe(&piped, source, dv_text_of(pipeline), NULL, allocator, err);
    dv_view_release(&source);
    if (status == DV_OK) {
        status = read_all(made, piped, batch_rows, err);
        dv_view_release(&piped);
    }
    return status;
}
