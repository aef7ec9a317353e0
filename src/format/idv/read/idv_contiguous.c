/* SPDX-License-Identifier: MIT */
/* idv_contiguous.c: uses contiguous stored blocks in place, or reads them, as one.
 *
 * A usual block of numbers is small, 32 KiB, and asking the system for the file's length costs as
 * much as reading a fifth of it; so does asking for less than could be read. So contiguous blocks
 * are delivered together, which forces no further copy. The blocks of a regular file are at equal
 * distances, so lookup entries are read ahead and kept as one distance. */
#include "base/size.h"
#include "format/idv/read/idv_priv.h"

/* Lookup entries read at a time: more if the last series was long, so that the first row of a long
 * file costs no more than that of a short one. */
#define ENTRIES_LEAST 16
#define ENTRIES_MOST 256

/* Is it the entry of a stored block of nbytes? */
static bool is_regular(const dvi_idv_block *block, int64_t nbytes)
{
    return (int64_t)block->stored == nbytes && (int64_t)block->inflated == nbytes;
}

static int64_t block_nbytes(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k)
{
    return dvi_idv_fixed_nbytes(&column->codec, dvi_idv_block_rows(file, k));
}

/* Read the entries of block k and of the blocks after it at the same distance. An invalid entry
 * ends the series; dvi_idv_open_block reports it. */
static void read_series(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                        dvi_idv_series *series, bool *is_checked)
{
    dvi_idv_block blocks[ENTRIES_MOST];
    dvi_memory *memory = NULL;
    const int64_t more = dvi_max_i64(ENTRIES_LEAST, dvi_min_i64(ENTRIES_MOST, 2 * series->blocks));
    const int64_t most = dvi_min_i64(more, file->blocks - k);
    const int64_t n = dvi_idv_sound_entries(file, column, k, most, *is_checked, &memory, blocks);
    *is_checked = n > 0;
    dvi_memory_release(&memory);
    *series = (dvi_idv_series){.first = k};
    for (int64_t i = 0; i < n && is_regular(&blocks[i], block_nbytes(file, column, k + i)); i++) {
        if (i == 1)
            series->distance = blocks[1].offset - blocks[0].offset;
        if (i > 1 && blocks[i].offset - blocks[i - 1].offset != series->distance)
            break;
        series->blocks = i + 1;
    }
    series->offset = n > 0 ? blocks[0].offset : 0;
}

int64_t dvi_idv_count_contiguous(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                                 int64_t most, dvi_idv_run *run, bool *is_checked)
{
    dvi_idv_series *series = &run->series;
    if (k < series->first || k >= series->first + series->blocks)
        read_series(file, column, k, series, is_checked);
    if (series->blocks == 0 || block_nbytes(file, column, k) > file->limits.block_nbytes)
        return 0;
    const bool touch = series->distance == block_nbytes(file, column, series->first);
    return touch ? dvi_min_i64(most, series->first + series->blocks - k) : 1;
}

dv_status dvi_idv_locate(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                         dvi_located *located_out, dv_error *err)
{
    dvi_idv_series series = {0};
    bool is_checked = false;
    dvi_span bytes;
    read_series(file, column, k, &series, &is_checked);
    if (series.blocks == 0 || block_nbytes(file, column, k) > file->limits.block_nbytes)
        return DV_NOT_FOUND;
    const size_t nbytes = (size_t)block_nbytes(file, column, k);
    DVI_TRY(dvi_map_span_unchecked(file->map, series.offset, nbytes, NULL, &bytes, err));
    *located_out = (dvi_located){bytes.data, series.distance, series.blocks};
    return DV_OK;
}

dv_status dvi_idv_open_contiguous(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                                  int64_t n, dvi_idv_run *run, dv_column_view *view_out,
                                  dv_error *err)
{
    const dv_type type = column->codec.type;
    const dvi_idv_series *series = &run->series;
    const size_t width = (size_t)dv_kind_width(type.kind);
    const int64_t rows = (n - 1) * file->rpb + dvi_idv_block_rows(file, k + n - 1);
    const int64_t offset = series->offset + (k - series->first) * series->distance;
    dvi_span bytes;
    DVI_TRY(
        dvi_map_span_unchecked(file->map, offset, (size_t)rows * width, &run->stored, &bytes, err));
    run->offset = offset;
    run->nbytes = (int64_t)bytes.nbytes;
    *view_out = (dv_column_view){.type = type, .layout = DV_LAYOUT_FIXED, .rows = rows};
    view_out->as.fixed.values =
        (dv_buffer){bytes.data, bytes.nbytes, bytes.owner, bytes.is_borrowed,
                    (uintptr_t)bytes.data % dvi_idv_alignment_of(width) == 0};
    return DV_OK;
}
