/* SPDX-License-Identifier: MIT */
/* terms_keys.c: what makes values of each type equal, and which of them are terms. */
#include "base/check.h"
#include "codec/datetime.h"
#include "view/column.h"
#include "transform/terms_priv.h"
#include <math.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

__extension__ typedef unsigned __int128 u128;

/* Mix all bits of a key: the seeds keep a file from being made whose values collide. */
static inline uint32_t hash_of(const dvi_terms *t, uint64_t lo, uint64_t hi)
{
    const u128 product = (u128)(lo ^ t->seeds[0]) * (hi ^ t->seeds[1]);
    return (uint32_t)(((uint64_t)product ^ (uint64_t)(product >> 64)) * 0x9FB21C651E98DF25u >> 32);
}

uint32_t dvi_term_hash(const dvi_terms *t, int64_t number)
{
    const uint64_t *keys = (const uint64_t *)(const void *)t->keys->data;
    return t->is_wide ? hash_of(t, keys[2 * number], keys[2 * number + 1])
                      : hash_of(t, keys[number], 0);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* The key of a text that is long, or too near to the end of the buffer to read 16 bytes. */
static void read_text(const dvi_terms *t, dv_text text, uint64_t words[2])
{
    words[0] = words[1] = 0;
    if (text.nbytes <= DVI_TERM_SHORT) {
        memcpy(words, text.data, (size_t)text.nbytes);
        words[1] |= (uint64_t)text.nbytes << 56;
        return;
    }
    words[0] = XXH3_64bits_withSeed(text.data, (size_t)text.nbytes, t->seeds[0]);
    words[1] = DVI_TERM_LONG | (uint64_t)text.nbytes;
}

static void read_texts(const dvi_terms *t, const dv_text_layout *column, int64_t first, int n,
                       dvi_term_keys *keys)
{
    const char *ends = column->ends.data, *utf8 = column->utf8.data;
    const int64_t nbytes = (int64_t)column->utf8.nbytes;
    int32_t from = dvi_text_end(column, first);
    for (int i = 0; i < n; i++) {
        const uint32_t end = dvi_load_u32(ends + 4 * (first + i));
        const int32_t to = (int32_t)(end & INT32_MAX);
        const int32_t count = end <= INT32_MAX ? to - from : 0;
        uint64_t words[2] = {0, 0};
        if (count <= DVI_TERM_SHORT && nbytes - from >= 16) {
            dvi_short_text_read(words, utf8 + from, count);
        } else if (count > 0) {
            read_text(t, (dv_text){utf8 + from, count}, words);
        }
        keys->is_term[i] = count > 0;
        keys->lo[i] = words[0];
        keys->hi[i] = words[1];
        keys->hash[i] = hash_of(t, words[0], words[1]);
        from = to;
    }
}

void dvi_term_keys_read_words(const dvi_terms *t, const dv_text *words, int n, const char *end,
                              dvi_term_keys *keys_out)
{
    for (int i = 0; i < n; i++) {
        const dv_text word = words[i];
        uint64_t key[2];
        if (word.nbytes <= DVI_TERM_SHORT && end - word.data >= 16) {
            dvi_short_text_read(key, word.data, (int32_t)word.nbytes);
        } else {
            read_text(t, word, key);
        }
        keys_out->is_term[i] = true;
        keys_out->lo[i] = key[0];
        keys_out->hi[i] = key[1];
        keys_out->hash[i] = hash_of(t, key[0], key[1]);
    }
}

/* --- Others ----------------------------------------------------------------------------------- */

static void read_zoned(const dv_zoned_layout *column, int64_t first, int n, dvi_term_keys *keys)
{
    const char *ticks = column->ticks.data, *minutes = column->minutes.data;
    for (int i = 0; i < n; i++) {
        const dv_zoned zoned = {dvi_load_i64(ticks + 8 * (first + i)),
                                dvi_load_i16(minutes + 2 * (first + i))};
        keys->is_term[i] = !dvi_zoned_is_na(zoned);
        keys->lo[i] = keys->is_term[i] ? (uint64_t)dvi_zoned_utc(zoned) : 0;
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
    for (int i = 0; i < n; i++)
        keys_out->hash[i] = hash_of(t, keys_out->lo[i], t->is_wide ? keys_out->hi[i] : 0);
}
