/* SPDX-License-Identifier: MIT */
/* idv_encode_scalars.c: encodes numbers, keys, Booleans, times and ids (idv:5.1 to idv:5.3,
 * idv:5.5). */
#include "simd/dispatch.h"
#include "codec/datetime.h"
#include "format/idv/save/idv_save_priv.h"

/* Ticks outside the calendar are NA; the file has one value for NA. */
static dv_status encode_datetimes(const dvi_idv_encoder *e, const uint8_t *ticks, size_t n,
                                  dv_error *err)
{
    if (dvi_kernels()->ticks_check(ticks, n) == n) {
        dvi_idv_append_fragment(e->out, ticks, 8 * n);
        return DV_OK;
    }
    uint8_t *memory;
    DVI_TRY(dvi_idv_reserve_decoded(e, 8 * n, &memory, err));
    for (size_t i = 0; i < n; i++) {
        const int64_t t = dvi_load_i64(ticks + 8 * i);
        dvi_store_i64(memory + 8 * i, dvi_datetime_is_na(t) ? DV_TICKS_NA : t);
    }
    dvi_idv_append_fragment(e->out, memory, 8 * n);
    return DV_OK;
}

/* --- Booleans --------------------------------------------------------------------------------- */

static dv_status encode_bits(const dvi_idv_encoder *e, const uint8_t *values, size_t n,
                             dv_error *err)
{
    uint8_t *bits;
    const size_t nbytes = (n + 7) / 8;
    DVI_TRY(dvi_idv_reserve_decoded(e, nbytes, &bits, err));
    const size_t others = dvi_kernels()->bits_pack(bits, values, n);
    if (others > 0 && !e->source->dialect->na_may_be_false) {
        size_t i = 0;
        while (values[i] <= 1)
            i++;
        return dvi_idv_fail_item(e, (int64_t)i, DV_ERR_LOSS, "allow_loss",
                                 "true or false, or option idv_bool_2bit, or loss na allowed|NA",
                                 err);
    }
    dvi_idv_append_fragment(e->out, bits, nbytes);
    return DV_OK;
}

/* Words of sixteen values each; unused bits are 0. */
static dv_status encode_pairs(const dvi_idv_encoder *e, const uint8_t *values, size_t n,
                              dv_error *err)
{
    uint8_t *pairs;
    const size_t nbytes = (n + 15) / 16 * 4;
    DVI_TRY(dvi_idv_reserve_decoded(e, nbytes, &pairs, err));
    for (size_t k = 0; k < nbytes; k++) {
        pairs[k] = 0;
        for (size_t i = 4 * k; i < n && i < 4 * k + 4; i++)
            pairs[k] |= (uint8_t)((values[i] > 1 ? 2 : values[i]) << 2 * (i % 4));
    }
    dvi_idv_append_fragment(e->out, pairs, nbytes);
    return DV_OK;
}

/* --- Date-times with an offset --- */

/* The value as it is stored: the offset of NA is 0, which older readers require. */
static dv_zoned zoned_at(const uint8_t *ticks, const uint8_t *minutes, size_t i)
{
    const dv_zoned zoned = {dvi_load_i64(ticks + 8 * i), dvi_load_i16(minutes + 2 * i)};
    return dvi_zoned_is_na(zoned) ? (dv_zoned){DV_TICKS_NA, 0} : zoned;
}

static bool is_zoned_exact(const uint8_t *ticks, const uint8_t *minutes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const dv_zoned zoned = zoned_at(ticks, minutes, i);
        if (zoned.ticks != dvi_load_i64(ticks + 8 * i) ||
            zoned.minutes != dvi_load_i16(minutes + 2 * i))
            return false;
    }
    return true;
}

static dv_status encode_zoned(const dvi_idv_encoder *e, const uint8_t *ticks,
                              const uint8_t *minutes, size_t n, dv_error *err)
{
    if (!is_zoned_exact(ticks, minutes, n)) {
        uint8_t *memory;
        DVI_TRY(dvi_idv_reserve_decoded(e, 10 * n, &memory, err));
        for (size_t i = 0; i < n; i++) {
            const dv_zoned zoned = zoned_at(ticks, minutes, i);
            dvi_store_i64(memory + 8 * i, zoned.ticks);
            dvi_store_i16(memory + 8 * n + 2 * i, zoned.minutes);
        }
        ticks = memory;
        minutes = memory + 8 * n;
    }
    dvi_idv_append_fragment(e->out, minutes, 2 * n);
    e->out->widest = e->out->nbytes;
    dvi_idv_append_fragment(e->out, ticks, 8 * n);
    return DV_OK;
}

dv_status dvi_idv_encode_scalars(const dvi_idv_encoder *e, const dvi_idv_codec *codec,
                                 const dv_column_view *items, dv_error *err)
{
    const size_t n = (size_t)items->rows;
    const uint8_t *values = items->as.fixed.values.data;
    e->out->widest = e->out->nbytes;
    switch (codec->encoding) {
    case DVI_IDV_RAW:
        dvi_idv_append_fragment(e->out, values, n * (size_t)dv_kind_width(codec->type.kind));
        return DV_OK;
    case DVI_IDV_DATETIME:
        return encode_datetimes(e, values, n, err);
    case DVI_IDV_BITS:
        return encode_bits(e, values, n, err);
    case DVI_IDV_PAIRS:
        return encode_pairs(e, values, n, err);
    case DVI_IDV_ZONED:
        return encode_zoned(e, items->as.zoned.ticks.data, items->as.zoned.minutes.data, n, err);
    case DVI_IDV_BYTES:
        return dvi_idv_encode_byte_strings(e, items, err);
    case DVI_IDV_TEXT:
        break;
    }
    return dvi_idv_encode_text(e, items, err);
}
