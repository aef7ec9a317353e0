/* SPDX-License-Identifier: MIT */
/* terms_keys.c: what makes values of each type equal, and which of them are terms. */
#include "base/check.h"
#include "codec/datetime.h"
#include "view/column.h"
#include "transform/terms_priv.h"
#include <math.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Mix all bits of a number into all others: the seed keeps a file from being made whose values
 * collide. */
static uint32_t hash_number(uint64_t seed, uint64_t value)
{
    value = (value ^ seed) * 0x9FB21C651E98DF25u;
    value ^= value >> 35;
    value *= 0xD6E8FEB86659FD93u;
    return (uint32_t)(value >> 32);
}

static void read_texts(const dvi_terms *t, const dv_text_layout *column, int64_t first, int n,
                       dvi_term_keys *keys)
{
    const char *ends = column->ends.data, *utf8 = column->utf8.data;
    int32_t from = dvi_text_end(column, first);
    for (int i = 0; i < n; i++) {
        const uint32_t end = dvi_load_u32(ends + 4 * (first + i));
        const int32_t to = (int32_t)(end & INT32_MAX);
        keys->is_term[i] = end <= INT32_MAX && to > from;
        const dv_text text = {keys->is_term[i] ? utf8 + from : "", to - from};
        keys->text[i] = text;
        keys->hash[i] = 0;
        if (keys->is_term[i])
            keys->hash[i] =
                (uint32_t)(XXH3_64bits_withSeed(text.data, (size_t)text.nbytes, t->seed) >> 32);
        from = to;
    }
}

static void read_zoned(const dv_zoned_layout *column, int64_t first, int n, dvi_term_keys *keys)
{
    const char *ticks = column->ticks.data, *minutes = column->minutes.data;
    for (int i = 0; i < n; i++) {
        const dv_zoned zoned = {dvi_load_i64(ticks + 8 * (first + i)),
                                dvi_load_i16(minutes + 2 * (first + i))};
        keys->is_term[i] = !dvi_zoned_is_na(zoned);
        keys->lo[i] =
            keys->is_term[i] ? (uint64_t)(zoned.ticks - zoned.minutes * DVI_TICKS_PER_MINUTE) : 0;
    }
}

/* For each value x of a column: how it is loaded, whether it is a term, and its key. */
#define READ(load, width, is, key)                                                                 \
    for (int i = 0; i < n; i++) {                                                                  \
        const char *at = src + (width) * (first + i);                                              \
        load;                                                                                      \
        keys->is_term[i] = (is);                                                                   \
        keys->lo[i] = (uint64_t)(key);                                                             \
    }                                                                                              \
    break

static void read_fixed(const dv_type *type, const char *src, int64_t first, int n,
                       dvi_term_keys *keys)
{
    const uint64_t most = type->is_key && type->key_count > 0 ? type->key_count : UINT64_MAX;
    const uint64_t least = type->is_key;
    switch (type->kind) {
    case DV_KIND_I1:
        READ(const int8_t x = *(const int8_t *)at, 1, x != INT8_MIN, x);
    case DV_KIND_I2:
        READ(const int16_t x = dvi_load_i16(at), 2, x != INT16_MIN, x);
    case DV_KIND_I4:
        READ(const int32_t x = dvi_load_i32(at), 4, x != INT32_MIN, x);
    case DV_KIND_I8:
    case DV_KIND_TS:
        READ(const int64_t x = dvi_load_i64(at), 8, x != INT64_MIN, x);
    case DV_KIND_DT:
        READ(const int64_t x = dvi_load_i64(at), 8, !dvi_datetime_is_na(x), x);
    case DV_KIND_BL:
        READ(const uint8_t x = *(const uint8_t *)at, 1, x <= 1, x);
    case DV_KIND_U1:
        READ(const uint64_t x = *(const uint8_t *)at, 1, x >= least && x <= most, x);
    case DV_KIND_U2:
        READ(const uint64_t x = dvi_load_u16(at), 2, x >= least && x <= most, x);
    case DV_KIND_U4:
        READ(const uint64_t x = dvi_load_u32(at), 4, x >= least && x <= most, x);
    case DV_KIND_U8:
        READ(const uint64_t x = dvi_load_u64(at), 8, x >= least && x <= most, x);
    case DV_KIND_R4: /* + 0 makes -0 +0 */
        READ(const float x = dvi_load_f4(at) + 0.0f; uint32_t bits;
             memcpy(&bits, &x, 4), 4, !isnan(x), bits);
    case DV_KIND_R8:
        READ(const double x = dvi_load_f8(at) + 0.0; uint64_t bits;
             memcpy(&bits, &x, 8), 8, !isnan(x), bits);
    case DV_KIND_UG:
        for (int i = 0; i < n; i++)
            keys->hi[i] = dvi_load_u64(src + 16 * (first + i) + 8);
        READ(const uint64_t x = dvi_load_u64(at), 16, true, x);
    default: /* TX and DZ have other layouts; the rest has no dictionary */
        break;
    }
}

void dvi_term_keys_read(const dvi_terms *t, const dv_column_view *values, int64_t first, int n,
                        dvi_term_keys *keys_out)
{
    if (t->type.kind == DV_KIND_TX) {
        read_texts(t, &values->as.text, first, n, keys_out);
        return;
    }
    if (t->type.kind == DV_KIND_DZ)
        read_zoned(&values->as.zoned, first, n, keys_out);
    else
        read_fixed(&values->type, values->as.fixed.values.data, first, n, keys_out);
    const bool is_wide = t->type.kind == DV_KIND_UG;
    for (int i = 0; i < n; i++) {
        const uint64_t hi = is_wide ? hash_number(~t->seed, keys_out->hi[i]) : 0;
        keys_out->hash[i] = hash_number(t->seed, keys_out->lo[i] ^ hi << 32);
    }
}
