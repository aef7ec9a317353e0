/* SPDX-License-Identifier: MIT */
/* btable_rows.c: checks rows, and finds the next row by the count (btable:7). */
#include "base/size.h"
#include "format/btable/btable_priv.h"
#include <inttypes.h>

#define WINDOW_NBYTES (INT64_C(1) << 20)

dv_status dvi_btable_check_count(const dvi_btable_file *file, int64_t at, const uint8_t *p,
                                 bool is_lenient, int32_t *n_out, dv_error *err)
{
    const int64_t left = dvi_map_nbytes(file->map) - at;
    if (left == 0 || (left < 4 && is_lenient))
        return DV_END;
    DVI_REQUIRE(left >= 4, dvi_fail(err, DV_ERR_CORRUPT, "btable:COUNT_TRUNC", at, "row count",
                                    "4 bytes, or the end|%" PRId64, left));
    const int32_t n = dvi_load_i32_be(p);
    const int32_t most = is_lenient ? INT32_MAX : file->header.slots;
    DVI_REQUIRE(n >= 0, dvi_fail_range(err, "btable:COUNT_NEG", at, "row count", 0, most, n));
    DVI_REQUIRE(n <= most, dvi_fail_range(err, "btable:COUNT_GT_N", at, "row count", 0, most, n));
    DVI_REQUIRE_IN(err, n, 0, (left - 4) / DVI_BTABLE_PAIR_NBYTES, "btable:ROW_TRUNC", at,
                   "row count");
    *n_out = n;
    return DV_OK;
}

dv_status dvi_btable_check_pairs(const dvi_btable_file *file, int64_t at, const uint8_t *pairs,
                                 int32_t n, dv_error *err)
{
    const int32_t slots = file->header.slots;
    int32_t before = -1;
    for (int32_t k = 0; k < n; k++) {
        const int64_t offset = (int64_t)DVI_BTABLE_PAIR_NBYTES * k;
        const int32_t index = dvi_load_i32_be(pairs + offset);
        const int64_t here = at + 4 + offset;
        DVI_REQUIRE(index >= 0,
                    dvi_fail_range(err, "btable:INDEX_NEG", here, "index", 0, slots - 1, index));
        DVI_REQUIRE_IN(err, index, 0, slots - 1, "btable:INDEX_RANGE", here, "index");
        DVI_REQUIRE(index != before,
                    dvi_fail(err, DV_ERR_CORRUPT, "btable:INDEX_DUP", here, "index",
                             "above %" PRId32 "|%" PRId32 " again", before, index));
        DVI_REQUIRE(index > before, dvi_fail(err, DV_ERR_CORRUPT, "btable:INDEX_ORDER", here,
                                             "index", "above %" PRId32 "|%" PRId32, before, index));
        before = index;
    }
    return DV_OK;
}

/* Load the bytes of the next count, as far as the file has them. */
static dv_status load_count(dvi_btable_row_reader *reader, const uint8_t **p_out, dv_error *err)
{
    dvi_map *map = reader->file->map;
    const dvi_span *span = &reader->span;
    const int64_t left = dvi_map_nbytes(map) - reader->at;
    const int64_t need = dvi_min_i64(left, 4);
    if (reader->at < span->offset || reader->at + need > span->offset + (int64_t)span->nbytes) {
        const size_t n = (size_t)dvi_min_i64(left, WINDOW_NBYTES);
        DVI_TRY(dvi_map_span(map, reader->at, n, &reader->memory, &reader->span, err));
    }
    *p_out = span->data + (reader->at - span->offset);
    return DV_OK;
}

dv_status dvi_btable_row_reader_next(dvi_btable_row_reader *reader, int32_t *n_out, dv_error *err)
{
    const uint8_t *p;
    int32_t n = 0;
    DVI_TRY(load_count(reader, &p, err));
    const dv_status status =
        dvi_btable_check_count(reader->file, reader->at, p, reader->file->limits.lenient, &n, err);
    if (status != DV_OK)
        return status;
    reader->row++;
    reader->at += 4 + (int64_t)DVI_BTABLE_PAIR_NBYTES * n;
    if (n_out)
        *n_out = n;
    return DV_OK;
}

void dvi_btable_row_reader_free(dvi_btable_row_reader *reader)
{
    dvi_memory_release(&reader->memory);
}
