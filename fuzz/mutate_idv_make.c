/* SPDX-License-Identifier: MIT */
/* mutate_idv_make.c: generates codecs, blocks, columns and metadata. */
#include "mutate_idv.h"
#include <string.h>

#define TICKS_MAX INT64_C(3155378975999999999)
#define ITEMS_MOST 2048 /* values generated for one block */

dvt_bytes dvt_idv_make_name(dvt_pool *pool, dvt_draw *draw)
{
    static const char *const names[] = {
        "x",    "y",   "Label", "Features", "\xC3\xA9", "a b", "\xF0\x9F\x98\x80", "\xEF\xBB\xBF",
        "\x01", "\"\\"};
    static const char *const bad[] = {"", "\xC0\x80", "\xED\xA0\x80", "\xFF", "\xF4\x90\x80\x80"};
    if (dvt_draw_one_in(draw, 16))
        return dvt_bytes_of(pool, bad[dvt_draw_below(draw, sizeof bad / sizeof *bad)]);
    return dvt_bytes_of(pool, names[dvt_draw_below(draw, sizeof names / sizeof *names)]);
}

static dvt_idv_codec *codec_named(dvt_pool *pool, const char *name)
{
    dvt_idv_codec *codec = dvt_pool_take(pool, sizeof *codec);
    codec->name = dvt_bytes_of(pool, name);
    return codec;
}

static dvt_idv_codec *make_key(dvt_pool *pool, dvt_draw *draw)
{
    static const char *const inner[] = {"Byte", "UInt16", "UInt32", "UInt64"};
    static const uint64_t most[] = {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX};
    const size_t kind = dvt_draw_below(draw, 4);
    const bool is_old = dvt_draw_one_in(draw, 2);
    dvt_idv_codec *key = codec_named(pool, is_old ? "Key" : "Key2");
    key->inner = codec_named(pool, inner[kind]);
    key->count = dvt_draw_one_in(draw, 4) ? most[kind] : 1 + dvt_draw_below(draw, 20);
    if (is_old) {
        key->contiguous = !dvt_draw_one_in(draw, 4);
        key->min = dvt_draw_one_in(draw, 2) ? 0 : dvt_draw_number(draw, 5, 8) >> 1;
        key->count = !key->contiguous || dvt_draw_one_in(draw, 3) ? 0 : key->count & INT32_MAX;
    }
    if (dvt_draw_one_in(draw, 24))
        key->count = dvt_draw_number(draw, key->count, 8);
    return key;
}

static dvt_idv_codec *make_vector(dvt_pool *pool, dvt_draw *draw)
{
    static const int32_t sizes[] = {0, 0, 0, 1, 2, 3, 5, 8, 100, 65536};
    dvt_idv_codec *vector = codec_named(pool, "VBuffer");
    vector->inner = dvt_idv_make_codec(pool, draw, dvt_draw_one_in(draw, 64));
    vector->rank = (int32_t)(dvt_draw_one_in(draw, 3) ? dvt_draw_below(draw, 5) : 1);
    for (int32_t i = 0; i < vector->rank; i++)
        vector->dims[i] = i > 0 ? (int32_t)dvt_draw_below(draw, 4)
                                : sizes[dvt_draw_below(draw, sizeof sizes / sizeof *sizes)];
    if (vector->rank > 0 && dvt_draw_one_in(draw, 24))
        vector->dims[0] = (int32_t)dvt_draw_number(draw, 3, 4);
    return vector;
}

dvt_idv_codec *dvt_idv_make_codec(dvt_pool *pool, dvt_draw *draw, bool may_be_vector)
{
    if (may_be_vector && dvt_draw_one_in(draw, 3))
        return make_vector(pool, draw);
    if (dvt_draw_one_in(draw, 5))
        return make_key(pool, draw);
    if (dvt_draw_one_in(draw, 3)) /* the shapes that are not an array of numbers */
        return codec_named(pool, dvt_idv_names[10 + dvt_draw_below(draw, 9)].name);
    if (dvt_draw_one_in(draw, 40)) {
        dvt_idv_codec *unknown = codec_named(pool, dvt_draw_one_in(draw, 2) ? "Image" : "");
        unknown->parameters = dvt_idv_make_name(pool, draw);
        return unknown;
    }
    return codec_named(pool, dvt_idv_names[dvt_draw_below(draw, dvt_idv_names_count - 3)].name);
}

static int64_t make_ticks(dvt_draw *draw)
{
    static const int64_t edges[] = {0, 1, TICKS_MAX, TICKS_MAX - 1, INT64_MIN, 504000000000};
    static const int64_t bad[] = {-1, TICKS_MAX + 1, INT64_MAX, INT64_MIN + 1};
    if (dvt_draw_one_in(draw, 200))
        return bad[dvt_draw_below(draw, 4)];
    if (dvt_draw_one_in(draw, 3))
        return edges[dvt_draw_below(draw, 6)];
    return (int64_t)(dvt_draw_bits(draw) % (uint64_t)TICKS_MAX);
}

static void make_fixed(dvt_pool *pool, dvt_draw *draw, size_t width, size_t n, dvt_bytes *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t left = width; left > 0; left -= left > 8 ? 8 : left)
            dvt_bytes_add_number(pool, out, dvt_draw_number(draw, i, width > 8 ? 8 : width),
                                 left > 8 ? 8 : left);
}

static void make_keys(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *key, size_t width,
                      size_t n, dvt_bytes *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = dvt_draw_bits(draw);
        if (key->count > 0 && key->count < UINT64_MAX && !dvt_draw_one_in(draw, 64))
            value %= key->count + 1;
        dvt_bytes_add_number(pool, out, value, width);
    }
}

static void make_zoned(dvt_pool *pool, dvt_draw *draw, size_t n, dvt_bytes *out)
{
    static const int16_t edges[] = {0, 840, -840, 60, -480, INT16_MIN, 841};
    const size_t kinds = dvt_draw_one_in(draw, 8) ? 7 : 6;
    for (size_t i = 0; i < n; i++)
        dvt_bytes_add_number(pool, out, (uint16_t)edges[dvt_draw_below(draw, kinds)], 2);
    for (size_t i = 0; i < n; i++)
        dvt_bytes_add_number(pool, out,
                             dvt_draw_one_in(draw, 8) ? (uint64_t)make_ticks(draw)
                                                      : UINT64_C(638000000000000000) + i,
                             8);
}

static void make_bits2(dvt_pool *pool, dvt_draw *draw, size_t n, dvt_bytes *out)
{
    for (size_t word = 0; word < (n + 15) / 16; word++) {
        uint64_t bits = dvt_draw_bits(draw);
        if (!dvt_draw_one_in(draw, 32)) /* 3 is no value */
            bits &= ~((bits & UINT64_C(0x55555555)) << 1);
        dvt_bytes_add_number(pool, out, bits, 4);
    }
}

static void make_text(dvt_pool *pool, dvt_draw *draw, size_t n, dvt_bytes *out)
{
    static const struct {
        const char *utf8;
        uint32_t units;
    } parts[] = {{"", 0},
                 {"a", 1},
                 {"xyz", 3},
                 {"0.5", 3},
                 {" ", 1},
                 {"\n\"\\", 3},
                 {"\x7F\x01", 2},
                 {"\xC3\xA9", 1},
                 {"\xE2\x82\xAC", 1},
                 {"\xEF\xBF\xBD", 1},
                 {"\xF0\x9F\x98\x80", 2},
                 {"\xF4\x8F\xBF\xBF", 2}};
    const size_t kinds = dvt_draw_one_in(draw, 2) ? 7 : 12; /* all ASCII, or not */
    dvt_bytes utf8 = {NULL, 0, 0};
    uint32_t units = 0, hold = 0; /* hold: a high surrogate, completed by the next value */
    dvt_bytes_add_number(pool, out, n, 4);
    for (size_t i = 0; i < n; i++) {
        const bool is_na = hold == 0 && dvt_draw_one_in(draw, 10);
        for (size_t k = dvt_draw_below(draw, 4); !is_na && k > 0; k--) {
            const size_t part = dvt_draw_below(draw, kinds);
            dvt_bytes_add(pool, &utf8, parts[part].utf8, strlen(parts[part].utf8));
            units += parts[part].units;
            hold = part >= 10 && k == 1 && i + 1 < n && dvt_draw_one_in(draw, 4);
        }
        dvt_bytes_add_number(pool, out, (units - hold) | (is_na ? UINT32_C(1) << 31 : 0), 4);
        hold = hold && dvt_draw_one_in(draw, 3);
    }
    dvt_bytes_add_leb(pool, out, utf8.n);
    dvt_bytes_add(pool, out, utf8.data, utf8.n);
}

static void make_values(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *codec, size_t n,
                        dvt_bytes *out);

/* Write the lengths and counts of n vectors; returns the number of their items. */
static size_t make_counts(dvt_draw *draw, int64_t size, size_t n, int32_t *lengths, int32_t *counts)
{
    const bool varies = size == 0 && !dvt_draw_one_in(draw, 3);
    const int32_t common = (int32_t)dvt_draw_below(draw, 6);
    const size_t style = dvt_draw_below(draw, 3); /* all dense, all sparse, mixed */
    size_t items = 0;
    for (size_t i = 0; i < n; i++) {
        lengths[i] = size > 0 ? (int32_t)size : varies ? (int32_t)dvt_draw_below(draw, 9) : common;
        if (varies && dvt_draw_one_in(draw, 64))
            lengths[i] = INT32_MAX;
        const int32_t most = lengths[i] > 9 ? 9 : lengths[i];
        const bool dense = lengths[i] == 0 || (style == 0 && lengths[i] < 128) ||
                           (style == 2 && lengths[i] < 128 && dvt_draw_one_in(draw, 2));
        counts[i] = dense ? -1 : (int32_t)dvt_draw_below(draw, (size_t)most);
        items += (size_t)(dense ? lengths[i] : counts[i]);
        if (items > ITEMS_MOST)
            counts[i] = lengths[i] > 0 ? 0 : -1, items = ITEMS_MOST;
    }
    items = 0;
    for (size_t i = 0; i < n; i++)
        items += (size_t)(counts[i] < 0 ? lengths[i] : counts[i]);
    return items;
}

static void make_vectors(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *codec, size_t n,
                         dvt_bytes *out)
{
    const int64_t size = dvt_idv_size_of(codec);
    int32_t *lengths = dvt_pool_take(pool, n * sizeof *lengths);
    int32_t *counts = dvt_pool_take(pool, n * sizeof *counts);
    const size_t items = make_counts(draw, size < 0 ? 0 : size, n, lengths, counts);
    bool equal = n > 0 && lengths[0] > 0;
    size_t indices = 0;
    for (size_t i = 0; i < n; i++) {
        equal = equal && lengths[i] == lengths[0];
        indices += counts[i] > 0 ? (size_t)counts[i] : 0;
    }
    const bool is_common = size > 0 || (equal && !dvt_draw_one_in(draw, 3));
    dvt_bytes_add_number(pool, out, n, 4);
    dvt_bytes_add_number(pool, out,
                         !is_common ? 0
                         : size > 0 ? (uint64_t)size
                                    : (uint64_t)lengths[0],
                         4);
    for (size_t i = 0; !is_common && i < n; i++)
        dvt_bytes_add_number(pool, out, (uint32_t)lengths[i], 4);
    for (size_t i = 0; i < n; i++)
        dvt_bytes_add_number(pool, out, (uint32_t)counts[i], 4);
    dvt_bytes_add_number(pool, out, indices, 4);
    for (size_t i = 0; i < n; i++) {
        int32_t slot = -1;
        for (int32_t k = 0; k < counts[i]; k++) {
            const int32_t room = lengths[i] - (slot + 1) - (counts[i] - 1 - k);
            slot += 1 + (int32_t)dvt_draw_below(draw, (size_t)(room > 1 ? room : 1));
            dvt_bytes_add_number(pool, out, (uint32_t)slot, 4);
        }
    }
    make_values(pool, draw, codec->inner, items, out);
}

static void make_values(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *codec, size_t n,
                        dvt_bytes *out)
{
    size_t width;
    switch (dvt_idv_shape_of(codec, &width)) {
    case DVT_IDV_UNKNOWN:
        break;
    case DVT_IDV_FIXED:
        make_fixed(pool, draw, width, n, out);
        break;
    case DVT_IDV_TICKS:
        for (size_t i = 0; i < n; i++)
            dvt_bytes_add_number(pool, out, (uint64_t)make_ticks(draw), 8);
        break;
    case DVT_IDV_ZONED:
        make_zoned(pool, draw, n, out);
        break;
    case DVT_IDV_BITS:
        make_fixed(pool, draw, 1, (n + 7) / 8, out);
        break;
    case DVT_IDV_BITS2:
        make_bits2(pool, draw, n, out);
        break;
    case DVT_IDV_TEXT:
        make_text(pool, draw, n, out);
        break;
    case DVT_IDV_KEY:
        make_keys(pool, draw, codec, width, n, out);
        break;
    case DVT_IDV_VECTOR:
        make_vectors(pool, draw, codec, n, out);
        break;
    }
}

void dvt_idv_make_block(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *codec, size_t n,
                        dvt_idv_block *block)
{
    *block = (dvt_idv_block){.rows = (int32_t)n, .level = (int32_t)dvt_draw_below(draw, 13)};
    if (n <= ITEMS_MOST)
        make_values(pool, draw, codec, n, &block->content);
}

void dvt_idv_make_metadata(dvt_pool *pool, dvt_draw *draw, const dvt_idv_column *column,
                           dvt_idv_metadata *metadata)
{
    static const char *const kinds[] = {
        "SlotNames",       "KeyValues", "IsNormalized", "IsUserVisible", "CategoricalSlotRanges",
        "ScoreColumnKind", "k"};
    const size_t kind = dvt_draw_below(draw, sizeof kinds / sizeof *kinds);
    metadata->kind = dvt_bytes_of(pool, kinds[kind]);
    metadata->compression = (uint8_t)dvt_draw_below(draw, 3);
    metadata->codec = dvt_idv_make_codec(pool, draw, true);
    if (kind < 2) {
        dvt_idv_codec *vector = codec_named(pool, "VBuffer");
        vector->inner = codec_named(pool, "TextSpan");
        vector->rank = 1;
        const int64_t slots = column->codec->inner ? dvt_idv_size_of(column->codec) : 0;
        vector->dims[0] = kind == 0 && slots > 0 && slots < 100 ? (int32_t)slots : 0;
        metadata->codec = vector;
    } else if (kind < 4) {
        metadata->codec = codec_named(pool, "Boolean");
    }
    if (dvt_draw_one_in(draw, 16))
        metadata->kind = dvt_idv_make_name(pool, draw);
    dvt_idv_make_block(pool, draw, metadata->codec, 1, &metadata->block);
}

dvt_idv_column *dvt_idv_make_column(const dvt_idv_model *model, dvt_draw *draw)
{
    dvt_idv_column *column = dvt_pool_take(model->pool, sizeof *column);
    column->name = dvt_idv_make_name(model->pool, draw);
    column->codec = dvt_idv_make_codec(model->pool, draw, true);
    column->compression = (uint8_t)dvt_draw_below(draw, 3);
    column->rows_per_block = model->columns_count > 0 ? model->columns[0]->rows_per_block : 3;
    while (column->metadata_count < 3 && dvt_draw_one_in(draw, 3))
        dvt_idv_make_metadata(model->pool, draw, column,
                              &column->metadata[column->metadata_count++]);
    return column;
}

static void fit_column(const dvt_idv_model *model, dvt_draw *draw, bool all_new,
                       dvt_idv_column *column)
{
    const uint64_t most = column->rows_per_block < INT32_MAX ? column->rows_per_block : INT32_MAX;
    const int64_t per_block = (int64_t)most;
    if (model->rows < 0 || (model->rows > 0 && per_block == 0))
        return;
    const int64_t count = model->rows == 0 ? 0 : (model->rows - 1) / per_block + 1;
    if (count > DVT_IDV_BLOCKS)
        return;
    const dvt_idv_block *old = column->blocks;
    const size_t old_count = column->blocks_count;
    column->blocks_count = (size_t)count;
    column->blocks = dvt_pool_take(model->pool, (size_t)count * sizeof *column->blocks);
    for (size_t k = 0; k < (size_t)count; k++) {
        const int64_t left = model->rows - (int64_t)k * per_block;
        const int64_t rows = left < per_block ? left : per_block;
        if (!all_new && k < old_count && old[k].rows == rows)
            column->blocks[k] = old[k];
        else
            dvt_idv_make_block(model->pool, draw, column->codec, (size_t)rows, &column->blocks[k]);
    }
}

void dvt_idv_fit_blocks(const dvt_idv_model *model, dvt_draw *draw, bool all_new)
{
    for (size_t c = 0; c < model->columns_count; c++)
        fit_column(model, draw, all_new, model->columns[c]);
}
