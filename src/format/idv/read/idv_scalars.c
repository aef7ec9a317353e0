/* SPDX-License-Identifier: MIT */
/* idv_scalars.c: decodes blocks of numbers, keys, Booleans, times and ids (idv:5.1 to idv:5.3,
 * idv:5.5). */
#include "simd/dispatch.h"
#include "codec/datetime.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>
#include <string.h>

/* Blocks of fixed width had their length checked; only vector items can be short. */
static dv_status take_fixed(dvi_idv_content *content, int64_t nbytes, size_t width,
                            dv_buffer *buffer_out, dv_error *err)
{
    *buffer_out = dvi_idv_take(content, (size_t)nbytes, width);
    DVI_REQUIRE_READ(err, &content->r, "idv:5.6", "idv:5.6", "values");
    return DV_OK;
}

static dv_status check_datetimes(dvi_idv_content *content, size_t start, int64_t n, dv_error *err)
{
    const uint8_t *ticks = content->r.data + start;
    const size_t sound = dvi_kernels()->ticks_check(ticks, (size_t)n);
    DVI_REQUIRE(sound == (size_t)n,
                dvi_fail_range(err, "idv:5.1", dvi_idv_blame(content, start + 8 * sound),
                               "date-time", 0, DV_TICKS_MAX, dvi_load_i64(ticks + 8 * sound)));
    return DV_OK;
}

/* One bit per value becomes one byte. */
static dv_status open_bits(dvi_idv_content *content, int64_t n, dv_buffer *values, dv_error *err)
{
    dv_buffer bits;
    DVI_TRY(take_fixed(content, (n + 7) / 8, 1, &bits, err));
    DVI_TRY(dvi_idv_decode_into(content, (size_t)n, "Booleans of one bit", err));
    dvi_memory *memory = content->opened->decoded;
    dvi_kernels()->bits_expand((int8_t *)memory->data, bits.data, (size_t)n);
    *values = dvi_memory_buffer(memory, 0, (size_t)n, 1);
    return DV_OK;
}

/* Two bits per value: 0 false, 1 true, 2 NA; 3 is invalid. */
static dv_status open_pairs(dvi_idv_content *content, int64_t n, dv_buffer *values, dv_error *err)
{
    const size_t start = content->r.at;
    dv_buffer pairs;
    DVI_TRY(take_fixed(content, (n + 15) / 16 * 4, 1, &pairs, err));
    DVI_TRY(dvi_idv_decode_into(content, (size_t)n, "Booleans of two bits", err));
    dvi_memory *memory = content->opened->decoded;
    const size_t sound = dvi_kernels()->pairs_expand((int8_t *)memory->data, pairs.data, (size_t)n);
    DVI_REQUIRE(sound == (size_t)n,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:5.3", dvi_idv_blame(content, start + sound / 4),
                         "two-bit Boolean", "0, 1 or 2|3 in row %zu of the block", sound));
    *values = dvi_memory_buffer(memory, 0, (size_t)n, 1);
    return DV_OK;
}

/* Check a date-time with offset that is not NA. at, ticks_at: where its offset and ticks are. */
static dv_status check_zoned(dvi_idv_content *content, int64_t ticks, int64_t minutes, size_t at,
                             size_t ticks_at, dv_error *err)
{
    DVI_REQUIRE(minutes >= -DV_MINUTES_MAX && minutes <= DV_MINUTES_MAX,
                dvi_fail_range(err, "idv:5.5", dvi_idv_blame(content, at), "offset in minutes",
                               -DV_MINUTES_MAX, DV_MINUTES_MAX, minutes));
    DVI_REQUIRE(!dvi_datetime_is_na(ticks),
                dvi_fail_range(err, "idv:5.5", dvi_idv_blame(content, ticks_at), "local time", 0,
                               DV_TICKS_MAX, ticks));
    const int64_t utc = ticks - minutes * DVI_TICKS_PER_MINUTE;
    DVI_REQUIRE(!dvi_datetime_is_na(utc),
                dvi_fail_range(err, "idv:5.5", dvi_idv_blame(content, ticks_at), "UTC time", 0,
                               DV_TICKS_MAX, utc));
    return DV_OK;
}

static dv_status check_all_zoned(dvi_idv_content *content, size_t start, int64_t n,
                                 bool *has_min_out, dv_error *err)
{
    const uint8_t *minutes = content->r.data + start, *ticks = minutes + 2 * n;
    *has_min_out = false;
    for (int64_t i = 0; i < n; i++) {
        const int64_t t = dvi_load_i64(ticks + 8 * i);
        const int64_t stored = dvi_load_i16(minutes + 2 * i);
        *has_min_out |= stored == INT16_MIN;
        if (t == DV_TICKS_NA)
            continue;
        const size_t at = start + 2 * (size_t)i, ticks_at = start + 2 * (size_t)n + 8 * (size_t)i;
        DVI_TRY(check_zoned(content, t, stored == INT16_MIN ? 0 : stored, at, ticks_at, err));
    }
    return DV_OK;
}

/* The minimum as an offset means 0, so offsets are rewritten. */
static dv_status decode_minutes(dvi_idv_content *content, size_t start, int64_t n,
                                dv_buffer *minutes, dv_error *err)
{
    DVI_TRY(dvi_idv_decode_into(content, 2 * (size_t)n, "an offset of -32768", err));
    uint8_t *dst = content->opened->decoded->data;
    for (int64_t i = 0; i < n; i++) {
        const int16_t stored = dvi_load_i16(content->r.data + start + 2 * (size_t)i);
        dvi_store_i16(dst + 2 * i, stored == INT16_MIN ? 0 : stored);
    }
    *minutes = dvi_memory_buffer(content->opened->decoded, 0, 2 * (size_t)n, 2);
    return DV_OK;
}

static dv_status open_zoned(dvi_idv_content *content, int64_t n, dv_zoned_layout *zoned,
                            dv_error *err)
{
    const size_t start = content->r.at;
    bool has_min;
    DVI_TRY(take_fixed(content, 2 * n, 2, &zoned->minutes, err));
    DVI_TRY(take_fixed(content, 8 * n, 8, &zoned->ticks, err));
    DVI_TRY(check_all_zoned(content, start, n, &has_min, err));
    return has_min ? decode_minutes(content, start, n, &zoned->minutes, err) : DV_OK;
}

dv_status dvi_idv_open_scalars(dvi_idv_content *content, const dvi_idv_codec *codec, int64_t n,
                               dv_column_view *view, dv_error *err)
{
    const dv_type type = dv_type_item(&codec->type);
    const size_t start = content->r.at, width = (size_t)dv_kind_width(type.kind);
    *view = (dv_column_view){.type = type, .layout = dvi_layout_of(&type), .rows = n};
    dv_buffer *values = &view->as.fixed.values;
    switch (codec->encoding) {
    case DVI_IDV_RAW:
        return take_fixed(content, n * (int64_t)width, dvi_idv_alignment_of(width), values, err);
    case DVI_IDV_DATETIME:
        DVI_TRY(take_fixed(content, 8 * n, 8, values, err));
        return check_datetimes(content, start, n, err);
    case DVI_IDV_BITS:
        return open_bits(content, n, values, err);
    case DVI_IDV_PAIRS:
        return open_pairs(content, n, values, err);
    case DVI_IDV_ZONED:
        return open_zoned(content, n, &view->as.zoned, err);
    case DVI_IDV_BYTES:
        return dvi_idv_open_byte_strings(content, n, view, err);
    case DVI_IDV_TEXT:
        break;
    }
    return dvi_idv_open_text(content, n, view, err);
}
