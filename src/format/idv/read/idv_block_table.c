/* SPDX-License-Identifier: MIT */
/* idv_block_table.c: reads lookup tables: the offset and length of each block (idv:3.2). */
#include "base/size.h"
#include "format/idv/read/idv_priv.h"

int64_t dvi_idv_block_rows(const dvi_idv_file *file, int64_t k)
{
    return dvi_min_i64(file->rpb, file->header.rows - k * file->rpb);
}

/* r is at the entry. H10 was checked, so tail is at least 256. */
static dv_status parse_block(dvi_reader *r, uint8_t compression, int64_t tail,
                             dvi_idv_block *block_out, dv_error *err)
{
    const int64_t at = dvi_reader_offset(r);
    const int64_t offset = dvi_read_i64_le(r);
    const int64_t stored = dvi_read_i32_le(r);
    const int64_t inflated = dvi_read_i32_le(r);

    DVI_REQUIRE_IN(err, stored, 0, INT32_MAX, "idv:L2", at + 8, "stored length");
    DVI_REQUIRE_IN(err, inflated, 0, INT32_MAX, "idv:L3", at + 12, "inflated length");
    DVI_REQUIRE_IN(err, offset, DVI_IDV_HEADER_NBYTES, tail - stored, "idv:L4", at, "block offset");

    /* DEFLATE limits how far data can inflate */
    const bool is_stored = compression == DVI_IDV_STORED;
    const int64_t least = is_stored ? stored : 0;
    const int64_t most = is_stored ? stored : DVI_DEFLATE_RATIO_MAX * stored;
    DVI_REQUIRE_IN(err, inflated, least, most, "idv:6", at + 12, "inflated length");

    *block_out = (dvi_idv_block){at, offset, (size_t)stored, (size_t)inflated};
    return DV_OK;
}

/* Read n entries or up to the first invalid one; *sound_out: how many are valid. */
static dv_status read_until_bad(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                                int64_t n, bool is_checked, dvi_memory **memory,
                                dvi_idv_block *blocks_out, int64_t *sound_out, dv_error *err)
{
    dvi_span span;
    const int64_t at = column->lookup + DVI_IDV_ENTRY_NBYTES * k;
    *sound_out = 0;
    DVI_TRY((is_checked ? dvi_map_span_unchecked : dvi_map_span)(
        file->map, at, (size_t)(DVI_IDV_ENTRY_NBYTES * n), memory, &span, err));
    dvi_reader r = dvi_reader_of(span.data, span.nbytes, at, false);
    for (; *sound_out < n; ++*sound_out)
        DVI_TRY(
            parse_block(&r, column->compression, file->header.tail, &blocks_out[*sound_out], err));
    return DV_OK;
}

dv_status dvi_idv_read_entries(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                               int64_t n, dvi_memory **memory, dvi_idv_block *blocks_out,
                               dv_error *err)
{
    int64_t sound;
    return read_until_bad(file, column, k, n, false, memory, blocks_out, &sound, err);
}

int64_t dvi_idv_sound_entries(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                              int64_t n, bool is_checked, dvi_memory **memory,
                              dvi_idv_block *blocks_out)
{
    int64_t sound;
    read_until_bad(file, column, k, n, is_checked, memory, blocks_out, &sound, NULL);
    return sound;
}
