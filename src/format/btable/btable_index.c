/* SPDX-License-Identifier: MIT */
/* btable_index.c: where does row r start?
 *
 * Rows chain forward only, so somebody has to walk; what one has walked over, all others know.  An
 * entry for every 64th row is at most a 32nd of the file. */
#include "base/alloc.h"
#include "base/size.h"
#include "format/btable/btable_priv.h"
#include <inttypes.h>

void dvi_btable_publish_rows(dvi_btable_file *file, int64_t rows)
{
    atomic_store(&file->rows, rows);
}

static dv_status remember(dvi_btable_file *file, int64_t at, dv_error *err)
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

/* Let the index know of all rows up to `row`, or up to the end; the lock is held. */
static dv_status extend(dvi_btable_file *file, int64_t row, dv_error *err)
{
    dvi_btable_index *index = &file->index;
    dvi_btable_scan walk = {.file = file, .row = index->row, .at = index->at};
    dv_status status = DV_OK;
    while (walk.row < row && status == DV_OK) {
        if (walk.row == (int64_t)index->n * DVI_BTABLE_SAMPLED)
            status = remember(file, walk.at, err);
        if (status == DV_OK)
            status = dvi_btable_scan_next(&walk, NULL, err);
        index->row = walk.row;
        index->at = walk.at;
    }
    dvi_btable_scan_free(&walk);
    if (status == DV_END)
        dvi_btable_publish_rows(file, walk.row);
    if (status < 0)
        dvi_error_within(err, "row %" PRId64, walk.row);
    return status < 0 ? status : DV_OK;
}

/* From the entry before the row to the row itself, of which the index knows. */
static dv_status walk_to(const dvi_btable_file *file, dvi_btable_scan walk, int64_t row,
                         int64_t *at_out, dv_error *err)
{
    dv_status status = DV_OK;
    walk.file = file;
    while (walk.row < row && status == DV_OK)
        status = dvi_btable_scan_next(&walk, NULL, err);
    dvi_btable_scan_free(&walk);
    *at_out = walk.at;
    return status;
}

dv_status dvi_btable_find_row(dvi_btable_file *file, int64_t row, int64_t *row_out, int64_t *at_out,
                              dv_error *err)
{
    dvi_btable_index *index = &file->index;
    pthread_mutex_lock(&index->lock);
    const dv_status status = extend(file, row, err);
    const int64_t known = dvi_min_i64(row, index->row);
    dvi_btable_scan walk = {.row = index->row, .at = index->at};
    const int64_t entry = known / DVI_BTABLE_SAMPLED;
    if (known < index->row && entry < (int64_t)index->n)
        walk = (dvi_btable_scan){.row = entry * DVI_BTABLE_SAMPLED, .at = index->offset[entry]};
    pthread_mutex_unlock(&index->lock);
    DVI_TRY(status);
    *row_out = known;
    return walk_to(file, walk, known, at_out, err);
}

void dvi_btable_index_free(dvi_btable_file *file)
{
    dvi_btable_index *index = &file->index;
    dvi_free(&file->allocator, index->offset, index->cap * sizeof *index->offset);
    pthread_mutex_destroy(&index->lock);
}
