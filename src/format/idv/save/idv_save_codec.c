/* SPDX-License-Identifier: MIT */
/* idv_save_codec.c: chooses the codec of a type and writes its definition (idv:4). */
#include "format/idv/save/idv_save_priv.h"

static bool is_old(const dvi_idv_dialect *dialect)
{
    return dialect->version < DVI_IDV_VERSION(6);
}

/* Only the old codec has a minimum, and allows keys without a count. */
static bool has_old_key(const dvi_idv_dialect *dialect, const dv_type *type)
{
    return dialect->old_keys || is_old(dialect) || type->key_count == 0;
}

static const char *check_key(const dvi_idv_dialect *dialect, const dv_type *type)
{
    const bool may_be_old = dialect->old_keys || is_old(dialect);
    const bool is_large = type->key_count > INT32_MAX;
    if (is_large && type->key_min > 0)
        return "no codec holds a key that starts above 0 and has more than 2^31-1 values";
    if (!may_be_old && type->key_min > 0)
        return "a key that starts above 0 needs the old codec (option idv_old_keys)";
    if (!may_be_old && !type->key_is_contiguous)
        return "a key that is not contiguous needs the old codec (option idv_old_keys)";
    if (is_large && is_old(dialect))
        return "version 1.1.1.5 cannot hold a key of more than 2^31-1 values; version 1.1.1.6 can";
    if (is_large && may_be_old)
        return "the old codec cannot hold a key of more than 2^31-1 values: drop option "
               "idv_old_keys";
    return NULL;
}

static dvi_idv_encoding encoding_of(const dvi_idv_dialect *dialect, dv_kind kind)
{
    switch (kind) {
    case DV_KIND_TX:
        return DVI_IDV_TEXT;
    case DV_KIND_BL:
        return dialect->two_bits || is_old(dialect) ? DVI_IDV_PAIRS : DVI_IDV_BITS;
    case DV_KIND_DT:
        return DVI_IDV_DATETIME;
    case DV_KIND_DZ:
        return DVI_IDV_ZONED;
    default:
        return DVI_IDV_RAW;
    }
}

const char *dvi_idv_choose_codec(const dvi_idv_dialect *dialect, const dv_type *type,
                                 dvi_idv_codec *codec_out)
{
    const dvi_idv_encoding encoding = encoding_of(dialect, type->kind);
    if (!dvi_idv_codec_name(type->kind, encoding, is_old(dialect)))
        return "no codec has this type";
    *codec_out = (dvi_idv_codec){.type = *type, .encoding = encoding};
    return type->is_key ? check_key(dialect, type) : NULL;
}

const char *dvi_idv_choose_column_codec(const dvi_idv_dialect *dialect, const dv_type *type,
                                        dvi_idv_codec *codec_out)
{
    if (type->kind != DV_KIND_BY || type->rank > 0)
        return dvi_idv_choose_codec(dialect, type, codec_out);
    *codec_out = (dvi_idv_codec){.type = *type, .encoding = DVI_IDV_BYTES};
    return NULL;
}

bool dvi_idv_is_mark(const dv_type *column, dv_text kind)
{
    return column->kind == DV_KIND_BY && column->rank == 0 &&
           dv_text_equal(kind, dv_text_of(DVI_IDV_BYTES_KIND));
}

/* --- Bytes ------------------------------------------------------------------------------------ */

size_t dvi_idv_store_leb(uint64_t value, uint8_t *dst)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7, n++)
        if (dst)
            dst[n] = (uint8_t)(value | 0x80);
    if (dst)
        dst[n] = (uint8_t)value;
    return n + 1;
}

size_t dvi_idv_store_str(dv_text text, uint8_t *dst)
{
    const size_t n = (size_t)text.nbytes, at = dvi_idv_store_leb(n, dst);
    if (dst && n > 0)
        memcpy(dst + at, text.data, n);
    return at + n;
}

static size_t store_name(const char *name, size_t parameters_nbytes, uint8_t *dst)
{
    const size_t n = dvi_idv_store_str(dv_text_of(name), dst);
    return n + dvi_idv_store_leb(parameters_nbytes, dst ? dst + n : NULL);
}

static size_t store_scalar(const dvi_idv_dialect *dialect, const dvi_idv_codec *codec, uint8_t *dst)
{
    return store_name(dvi_idv_codec_name(codec->type.kind, codec->encoding, is_old(dialect)), 0,
                      dst);
}

static size_t store_key(const dvi_idv_dialect *dialect, const dvi_idv_codec *codec, uint8_t *dst)
{
    const dv_type *key = &codec->type;
    const bool old = has_old_key(dialect, key);
    const size_t inner = store_scalar(dialect, codec, NULL), fields = old ? 1 + 8 + 4 : 8;
    const size_t at = store_name(old ? "Key" : "Key2", inner + fields, dst);
    if (!dst)
        return at + inner + fields;
    uint8_t *p = dst + at + store_scalar(dialect, codec, dst + at);
    if (old) {
        p[0] = key->key_is_contiguous;
        dvi_store_u64(p + 1, key->key_min);
        dvi_store_u32(p + 9, (uint32_t)key->key_count);
    } else {
        dvi_store_u64(p, key->key_count);
    }
    return at + inner + fields;
}

static size_t store_item(const dvi_idv_dialect *dialect, const dvi_idv_codec *codec, uint8_t *dst)
{
    return codec->type.is_key ? store_key(dialect, codec, dst) : store_scalar(dialect, codec, dst);
}

size_t dvi_idv_store_codec(const dvi_idv_dialect *dialect, const dvi_idv_codec *codec, uint8_t *dst)
{
    const dvi_idv_codec vectors = {.type = dv_type_vector(dv_type_of(DV_KIND_U1), 0)};
    const dv_type *type = &codec->type;
    if (codec->encoding == DVI_IDV_BYTES)
        return dvi_idv_store_codec(dialect, &vectors, dst);
    if (type->rank == 0)
        return store_item(dialect, codec, dst);
    const size_t inner = store_item(dialect, codec, NULL), fields = 4 + 4 * (size_t)type->rank;
    const size_t at = store_name("VBuffer", inner + fields, dst);
    if (!dst)
        return at + inner + fields;
    uint8_t *p = dst + at + store_item(dialect, codec, dst + at);
    dvi_store_i32(p, type->rank);
    for (int32_t i = 0; i < type->rank; i++)
        dvi_store_i32(p + 4 + 4 * i, dv_type_dim(type, i));
    return at + inner + fields;
}
