/* SPDX-License-Identifier: MIT */
/* btable_index.c: finds the offsets of rows.
 *
 * The offset of a row follows from the counts of all rows before it. The index keeps the offset of
 * every 64th row for all cursors; it takes at most 1/32 of the size of the file. */
#include "base/alloc.h"
#include "base/size.h"
#include "format/btable/btable_priv.h"
#include <inttypes.h>

void dvi_btable_publish_rows(dvi_btable_file *file, int64_t rows)
{
    atomic_store(&file->rows, rows);
}

static dv_status add_offset(dvi_btable_file *file, int64_t at, dv_error *err)
{
    dvi_btable_index *index = &file->index;
    void *list = index->offset;
    const dv_status status = dvi_array_reserve(&file->allocator, &list, &index->cap, index->n + 1,
                                               sizeof *index->offset, err);
    index->offset = list;
    DVI_TRY(status);
    index->offset[index->n++] = at;
    return DV_OK;
}

/* Extend the index to `row`, or to the end of the table. The lock is held. */
static dv_status extend(dvi_btable_file *file, int64_t row, dv_error *err)
{
    dvi_btable_index *index = &file->index;
    dvi_btable_row_reader reader = {.file = file, .row = index->row, .at = index->at};
    dv_status status = DV_OK;
    while (reader.row < row && status == DV_OK) {
        if (reader.row == (int64_t)index->n * DVI_BTABLE_SAMPLED)
            status = add_offset(file, reader.at, err);
        if (status == DV_OK)
            status = dvi_btable_row_reader_next(&reader, NULL, err);
        index->row = reader.row;
        index->at = reader.at;
    }
    dvi_btable_row_reader_free(&reader);
    if (status == DV_END)
        dvi_btable_publish_rows(file, reader.row);
    if (status < 0)
        dvi_error_within(err, "row %" PRId64, reader.row);
    return status < 0 ? status : DV_OK;
}

/* Read from an entry of the index to a row after it. */
static dv_status read_to(const dvi_btable_file *file, dvi_btable_row_reader reader, int64_t row,
                         int64_t *at_out, dv_error *err)
{
    dv_status status = DV_OK;
    reader.file = file;
    while (reader.row < row && status == DV_OK)
        status = dvi_btable_row_reader_next(&reader, NULL, err);
    dvi_btable_row_reader_free(&reader);
    *at_out = reader.at;
    return status;
}

dv_status dvi_btable_find_row(dvi_btable_file *file, int64_t row, int64_t *row_out, int64_t *at_out,
                              dv_error *err)
{
    dvi_btable_index *index = &file->index;
    pthread_mutex_lock(&index->lock);
    const dv_status status = extend(file, row, err);
    const int64_t known = dvi_min_i64(row, index->row);
    dvi_btable_row_reader reader = {.row = index->row, .at = index->at};
    const int64_t entry = known / DVI_BTABLE_SAMPLED;
    if (known < index->row && entry < (int64_t)index->n)
        reader =
            (dvi_btable_row_reader){.row = entry * DVI_BTABLE_SAMPLED, .at = index->offset[entry]};
    pthread_mutex_unlock(&index->lock);
    DVI_TRY(status);
    *row_out = known;
    return read_to(file, reader, known, at_out, err);
}

void dvi_btable_index_free(dvi_btable_file *file)
{
    dvi_btable_index *index = &file->index;
    dvi_free(&file->allocator, index->offset, index->cap * sizeof *index->offset);
    pthread_mutex_destroy(&index->lock);
}
