/* SPDX-License-Identifier: MIT */
/* mutate_idv_read.c: reads an .idv file, sound or not, into a model. */
#include "mutate_idv.h"
#include <libdeflate.h>
#include <string.h>

/* The position of the reader.  Past the end it gives up, and the file is mutated as bytes. */
typedef struct source {
    dvt_pool *pool;
    const uint8_t *data;
    size_t at, n;
} source;

static const uint8_t *take(source *s, uint64_t n)
{
    if (n > s->n - s->at)
        dvt_pool_give_up(s->pool);
    const uint8_t *p = s->data + s->at;
    s->at += (size_t)n;
    return p;
}

static uint64_t take_number(source *s, size_t width)
{
    return dvt_number(take(s, width), width);
}

static uint64_t take_leb(source *s)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t c = *take(s, 1);
        value |= (uint64_t)(c & 0x7F) << shift;
        if (c < 0x80)
            break;
    }
    return value;
}

static dvt_bytes take_bytes(source *s, uint64_t n)
{
    return dvt_bytes_copy(s->pool, take(s, n), (size_t)n);
}

static source source_at(const source *s, uint64_t at)
{
    if (at > s->n)
        dvt_pool_give_up(s->pool);
    return (source){s->pool, s->data, (size_t)at, s->n};
}

static dvt_idv_codec *take_codec(source *s, int depth);

/* Parse a VBuffer or key; false: its parameters stay bytes. */
static bool take_parts(source *s, dvt_idv_codec *codec, int depth)
{
    const bool is_vector = dvt_idv_is_named(codec, "VBuffer");
    const size_t fixed = is_vector ? 4 : dvt_idv_is_named(codec, "Key") ? 13 : 8;
    if (depth == 0 || s->n - s->at < 2 + fixed)
        return false;
    /* An inner definition that passes the end does not give up. */
    const size_t name = s->data[s->at];
    if (name >= 0x80 || 2 + name > s->n - s->at)
        return false;
    const size_t parameters = s->data[s->at + 1 + name];
    if (parameters >= 0x80 || 2 + name + parameters + fixed > s->n - s->at)
        return false;

    codec->inner = take_codec(s, depth - 1);
    if (is_vector) {
        codec->rank = (int32_t)take_number(s, 4);
        if (codec->rank < 0 || codec->rank > DVT_IDV_RANK || s->n - s->at < 4 * (size_t)codec->rank)
            return false;
        for (int32_t i = 0; i < codec->rank; i++)
            codec->dims[i] = (int32_t)take_number(s, 4);
    } else if (dvt_idv_is_named(codec, "Key")) {
        codec->contiguous = (uint8_t)take_number(s, 1);
        codec->min = take_number(s, 8);
        codec->count = take_number(s, 4);
    } else {
        codec->count = take_number(s, 8);
    }
    return s->at == s->n;
}

static dvt_idv_codec *take_codec(source *s, int depth)
{
    dvt_idv_codec *codec = dvt_pool_take(s->pool, sizeof *codec);
    codec->name = take_bytes(s, take_leb(s));
    const uint64_t n = take_leb(s);
    source inside = *s;
    codec->parameters = take_bytes(s, n);
    inside.at = s->at - codec->parameters.n;
    inside.n = s->at;
    const bool has_parts = dvt_idv_is_named(codec, "VBuffer") || dvt_idv_is_named(codec, "Key") ||
                           dvt_idv_is_named(codec, "Key2");
    if (has_parts && !take_parts(&inside, codec, depth))
        codec->inner = NULL;
    return codec;
}

/* Inflate with code 1 or 2; false if the stream or its length is not sound. */
static bool inflate(dvt_pool *pool, uint8_t compression, dvt_bytes stored, size_t most,
                    dvt_bytes *out)
{
    static struct libdeflate_decompressor *inflater;
    if (!inflater)
        inflater = libdeflate_alloc_decompressor();
    if (!inflater || (compression != 1 && compression != 2) || most > DVT_IDV_CONTENT)
        return false;
    const size_t mark = pool->used;
    dvt_bytes room = {NULL, 0, 0};
    dvt_bytes_reserve(pool, &room, most ? most : 1);
    size_t in = 0;
    const enum libdeflate_result result =
        compression == 1 ? libdeflate_deflate_decompress_ex(inflater, stored.data, stored.n,
                                                            room.data, most, &in, &room.n)
                         : libdeflate_zlib_decompress_ex(inflater, stored.data, stored.n, room.data,
                                                         most, &in, &room.n);
    if (result != LIBDEFLATE_SUCCESS || in != stored.n) {
        pool->used = mark;
        return false;
    }
    *out = room;
    return true;
}

static dvt_idv_block take_block(source *s, uint8_t compression, uint64_t stored, uint64_t inflated)
{
    dvt_idv_block block = {.level = 6, .claimed_nbytes = (int32_t)inflated};
    const bool fits = s->at >= 256 && stored <= s->n - s->at;
    const dvt_bytes bytes = take_bytes(s, fits ? stored : 0);
    const bool is_metadata = inflated == UINT64_MAX;
    if (compression == 0 && fits && (is_metadata || stored == inflated)) {
        block.content = bytes;
    } else if (!inflate(s->pool, compression, bytes, is_metadata ? 1 << 16 : (size_t)inflated,
                        &block.content) ||
               (!is_metadata && block.content.n != inflated)) {
        block.is_stored = true;
        block.content = bytes;
    }
    return block;
}

static void read_blocks(source s, int64_t rows, dvt_idv_column *column)
{
    const int64_t per_block =
        column->rows_per_block > INT32_MAX ? INT32_MAX : (int64_t)column->rows_per_block;
    if (rows <= 0 || per_block == 0)
        return;
    const uint64_t count = (uint64_t)((rows - 1) / per_block) + 1;
    const uint64_t room = (s.n - s.at) / 16;
    uint64_t most = count < room ? count : room;
    if (most > DVT_IDV_BLOCKS)
        most = DVT_IDV_BLOCKS;
    column->blocks_count = (size_t)most;
    column->blocks = dvt_pool_take(s.pool, (size_t)most * sizeof *column->blocks);
    for (uint64_t k = 0; k < most; k++) {
        const uint64_t at = take_number(&s, 8);
        const uint64_t stored = take_number(&s, 4);
        const uint64_t inflated = take_number(&s, 4);
        source there = at <= s.n ? source_at(&s, at) : source_at(&s, s.n);
        column->blocks[k] = take_block(&there, column->compression, stored, inflated);
        const int64_t left = rows - (int64_t)k * per_block;
        column->blocks[k].rows = (int32_t)(left < per_block ? left : per_block);
    }
}

static void read_metadata(source s, dvt_idv_column *column)
{
    uint64_t count = take_leb(&s);
    if (count > DVT_IDV_METADATA)
        count = DVT_IDV_METADATA;
    for (uint64_t i = 0; i < count; i++) {
        dvt_idv_metadata *m = &column->metadata[i];
        m->kind = take_bytes(&s, take_leb(&s));
        m->codec = take_codec(&s, 4);
        m->compression = (uint8_t)take_number(&s, 1);
        const uint64_t at = take_number(&s, 8);
        const uint64_t stored = take_leb(&s);
        source there = at <= s.n ? source_at(&s, at) : source_at(&s, s.n);
        m->block = take_block(&there, m->compression, stored, UINT64_MAX);
        column->metadata_count = (size_t)i + 1;
    }
}

/* Pairs are kept as bytes: their lengths say where they end. */
static void read_slot_names(source s, uint64_t nbytes, int32_t count, dvt_idv_column *column)
{
    column->has_slot_names = true;
    column->slot_names = take_bytes(&s, nbytes);
    column->slot_names_count = count;
}

static dvt_idv_column *take_column(source *s, const dvt_idv_model *model)
{
    dvt_idv_column *column = dvt_pool_take(s->pool, sizeof *column);
    column->name = take_bytes(s, take_leb(s));
    column->codec = take_codec(s, 4);
    column->compression = (uint8_t)take_number(s, 1);
    column->rows_per_block = take_leb(s);
    const uint64_t lookup = take_number(s, 8);
    if (model->rows > 0 && lookup <= s->n)
        read_blocks(source_at(s, lookup), model->rows, column);
    if (model->compatible == DVT_IDV_VERSION(2))
        return column;
    const uint64_t more = take_number(s, 8);
    if (model->compatible == DVT_IDV_VERSION(3) && (int64_t)more > 0) {
        const uint64_t nbytes = take_number(s, 8);
        const int32_t count = (int32_t)take_number(s, 4);
        read_slot_names(source_at(s, more), nbytes, count, column);
    } else if (model->compatible != DVT_IDV_VERSION(3) && more != 0) {
        read_metadata(source_at(s, more), column);
    }
    return column;
}

dvt_idv_model *dvt_idv_read(dvt_pool *pool, const uint8_t *data, size_t n)
{
    source s = {pool, data, 0, n};
    dvt_idv_model *model = dvt_pool_take(pool, sizeof *model);
    model->pool = pool;
    take(&s, 8);
    model->version = take_number(&s, 8);
    model->compatible = take_number(&s, 8);
    const uint64_t columns_at = take_number(&s, 8);
    const uint64_t tail = take_number(&s, 8);
    model->rows = (int64_t)take_number(&s, 8);
    int32_t count = (int32_t)take_number(&s, 4);
    if (count < 0 || count > DVT_IDV_COLUMNS)
        count = DVT_IDV_COLUMNS;
    if (count > 0) {
        s = source_at(&s, columns_at);
        for (int32_t i = 0; i < count; i++) {
            model->columns[i] = take_column(&s, model);
            model->columns_count++;
        }
    }
    if (tail < n && n - tail > 8)
        model->trailer = dvt_bytes_copy(pool, data + tail + 8, n - (size_t)tail - 8);
    return model;
}
