/* SPDX-License-Identifier: MIT */
/* mutate_idv_write.c: writes the model as a file with correct offsets and lengths. */
#include "mutate_idv.h"
#include <libdeflate.h>
#include <string.h>

typedef enum region_kind {
    BLOCK,
    LOOKUP,
    METADATA_BLOCK,
    METADATA,
    SLOT_NAMES,
    COLUMNS
} region_kind;

/* A run of bytes that other fields point to. */
typedef struct region {
    region_kind kind;
    size_t column, item;
} region;

/* The offsets of a column's regions: determined in the first of two equal passes, used in the
 * second. */
typedef struct home {
    uint64_t *blocks, lookup, metadata[DVT_IDV_METADATA], metadata_table, slot_names;
    dvt_bytes *stored, stored_metadata[DVT_IDV_METADATA];
} home;

typedef struct writer {
    const dvt_idv_model *model;
    dvt_idv_file file;
    home *homes;
    uint64_t columns_at;
    region *regions;
    size_t regions_count;
} writer;

static struct libdeflate_compressor *deflater(int32_t level)
{
    static struct libdeflate_compressor *of_level[13];
    const size_t i = level < 0 || level > 12 ? 6 : (size_t)level;
    if (!of_level[i])
        of_level[i] = libdeflate_alloc_compressor((int)i);
    return of_level[i];
}

static dvt_bytes encode(dvt_pool *pool, const dvt_idv_block *block, uint8_t compression)
{
    if (block->is_stored || (compression != 1 && compression != 2))
        return block->content;
    struct libdeflate_compressor *c = deflater(block->level);
    if (!c)
        dvt_pool_give_up(pool);
    const dvt_bytes *in = &block->content;
    dvt_bytes out = {NULL, 0, 0};
    dvt_bytes_reserve(pool, &out, libdeflate_zlib_compress_bound(c, in->n));
    out.n = compression == 1 ? libdeflate_deflate_compress(c, in->data, in->n, out.data, out.cap)
                             : libdeflate_zlib_compress(c, in->data, in->n, out.data, out.cap);
    return out;
}

static void encode_all(writer *w)
{
    const dvt_idv_model *m = w->model;
    w->homes = dvt_pool_take(m->pool, m->columns_count * sizeof *w->homes);
    for (size_t c = 0; c < m->columns_count; c++) {
        const dvt_idv_column *column = m->columns[c];
        home *h = &w->homes[c];
        h->blocks = dvt_pool_take(m->pool, column->blocks_count * sizeof *h->blocks);
        h->stored = dvt_pool_take(m->pool, column->blocks_count * sizeof *h->stored);
        for (size_t k = 0; k < column->blocks_count; k++)
            h->stored[k] = encode(m->pool, &column->blocks[k], column->compression);
        for (size_t i = 0; i < column->metadata_count; i++)
            h->stored_metadata[i] =
                encode(m->pool, &column->metadata[i].block, column->metadata[i].compression);
    }
}

static void add_region(writer *w, region_kind kind, size_t column, size_t item)
{
    w->regions[w->regions_count++] = (region){kind, column, item};
}

static void list_regions(writer *w)
{
    const dvt_idv_model *m = w->model;
    size_t most = 1, deepest = 0;
    for (size_t c = 0; c < m->columns_count; c++) {
        const dvt_idv_column *column = m->columns[c];
        most += column->blocks_count + column->metadata_count + 3;
        deepest = deepest < column->blocks_count ? column->blocks_count : deepest;
    }
    w->regions = dvt_pool_take(m->pool, most * sizeof *w->regions);
    for (size_t k = 0; k < deepest; k++)
        for (size_t c = 0; c < m->columns_count; c++)
            if (k < m->columns[c]->blocks_count)
                add_region(w, BLOCK, c, k);
    for (size_t c = 0; c < m->columns_count; c++)
        add_region(w, LOOKUP, c, 0);
    for (size_t c = 0; c < m->columns_count; c++) {
        for (size_t i = 0; i < m->columns[c]->metadata_count; i++)
            add_region(w, METADATA_BLOCK, c, i);
        if (m->columns[c]->metadata_count > 0)
            add_region(w, METADATA, c, 0);
        if (m->columns[c]->has_slot_names)
            add_region(w, SLOT_NAMES, c, 0);
    }
    add_region(w, COLUMNS, 0, 0);
}

static void put_number(writer *w, uint64_t value, size_t width)
{
    dvt_idv_file *f = &w->file;
    if (f->numbers_count < DVT_IDV_NUMBERS)
        f->numbers[f->numbers_count++] = (dvt_idv_number){(uint32_t)f->bytes.n, (uint32_t)width};
    dvt_bytes_add_number(w->model->pool, &f->bytes, value, width);
}

static void put_leb(writer *w, uint64_t value)
{
    dvt_idv_file *f = &w->file;
    if (f->numbers_count < DVT_IDV_NUMBERS)
        f->numbers[f->numbers_count++] = (dvt_idv_number){(uint32_t)f->bytes.n, 1};
    dvt_bytes_add_leb(w->model->pool, &f->bytes, value);
}

static void put_bytes(writer *w, dvt_bytes bytes)
{
    dvt_bytes_add(w->model->pool, &w->file.bytes, bytes.data, bytes.n);
}

static void put_codec(writer *w, const dvt_idv_codec *codec)
{
    put_leb(w, codec->name.n);
    put_bytes(w, codec->name);
    if (!codec->inner) {
        put_leb(w, codec->parameters.n);
        put_bytes(w, codec->parameters);
        return;
    }
    /* Their length comes first, so a second writer counts them. */
    const bool is_vector = dvt_idv_is_named(codec, "VBuffer");
    const bool is_old_key = dvt_idv_is_named(codec, "Key");
    writer counting = {.model = w->model};
    counting.file.numbers_count = DVT_IDV_NUMBERS;
    put_codec(&counting, codec->inner);
    const size_t own = is_vector ? 4 + 4 * (size_t)codec->rank : is_old_key ? 13 : 8;
    put_leb(w, counting.file.bytes.n + own);
    put_codec(w, codec->inner);
    if (is_vector) {
        put_number(w, (uint32_t)codec->rank, 4);
        for (int32_t i = 0; i < codec->rank; i++)
            put_number(w, (uint32_t)codec->dims[i], 4);
    } else if (is_old_key) {
        put_number(w, codec->contiguous, 1);
        put_number(w, codec->min, 8);
        put_number(w, codec->count, 4);
    } else {
        put_number(w, codec->count, 8);
    }
}

static void put_lookup(writer *w, size_t c)
{
    const dvt_idv_column *column = w->model->columns[c];
    const home *h = &w->homes[c];
    for (size_t k = 0; k < column->blocks_count; k++) {
        const dvt_idv_block *block = &column->blocks[k];
        put_number(w, h->blocks[k], 8);
        put_number(w, h->stored[k].n, 4);
        put_number(w, block->is_stored ? (uint32_t)block->claimed_nbytes : block->content.n, 4);
    }
}

static void put_metadata(writer *w, size_t c)
{
    const dvt_idv_column *column = w->model->columns[c];
    const home *h = &w->homes[c];
    put_leb(w, column->metadata_count);
    for (size_t i = 0; i < column->metadata_count; i++) {
        put_leb(w, column->metadata[i].kind.n);
        put_bytes(w, column->metadata[i].kind);
        put_codec(w, column->metadata[i].codec);
        put_number(w, column->metadata[i].compression, 1);
        put_number(w, h->metadata[i], 8);
        put_leb(w, h->stored_metadata[i].n);
    }
}

static void put_columns(writer *w)
{
    const dvt_idv_model *m = w->model;
    for (size_t c = 0; c < m->columns_count; c++) {
        const dvt_idv_column *column = m->columns[c];
        const home *h = &w->homes[c];
        put_leb(w, column->name.n);
        put_bytes(w, column->name);
        put_codec(w, column->codec);
        put_number(w, column->compression, 1);
        put_leb(w, column->rows_per_block);
        put_number(w, h->lookup, 8);
        if (m->compatible == DVT_IDV_VERSION(2))
            continue;
        const bool is_old = m->compatible == DVT_IDV_VERSION(3);
        put_number(w, is_old ? h->slot_names : h->metadata_table, 8);
        if (is_old && column->has_slot_names) {
            put_number(w, column->slot_names.n, 8);
            put_number(w, (uint32_t)column->slot_names_count, 4);
        }
    }
}

/* Let equal blocks share an offset; searches only a few earlier regions. */
static bool share_block(writer *w, size_t r)
{
    const region *now = &w->regions[r];
    home *h = &w->homes[now->column];
    const dvt_bytes mine = h->stored[now->item];
    for (size_t back = 1; back <= 16 && back <= r; back++) {
        const region *then = &w->regions[r - back];
        const home *other = &w->homes[then->column];
        if (then->kind == BLOCK && other->blocks[then->item] != 0 &&
            dvt_bytes_equal(mine, other->stored[then->item])) {
            h->blocks[now->item] = other->blocks[then->item];
            return true;
        }
    }
    return false;
}

static void put_region(writer *w, size_t r)
{
    const region *now = &w->regions[r];
    home *h = &w->homes[now->column];
    const uint64_t at = w->file.bytes.n;
    switch (now->kind) {
    case BLOCK:
        if (w->model->shares_blocks && w->model->order == DVT_IDV_USUAL && share_block(w, r))
            return;
        h->blocks[now->item] = at;
        put_bytes(w, h->stored[now->item]);
        return;
    case LOOKUP:
        h->lookup = at;
        put_lookup(w, now->column);
        return;
    case METADATA_BLOCK:
        h->metadata[now->item] = at;
        put_bytes(w, h->stored_metadata[now->item]);
        return;
    case METADATA:
        h->metadata_table = at;
        put_metadata(w, now->column);
        return;
    case SLOT_NAMES:
        h->slot_names = at;
        put_bytes(w, w->model->columns[now->column]->slot_names);
        return;
    case COLUMNS:
        w->columns_at = at;
        put_columns(w);
        return;
    }
}

static void put_header(writer *w, uint64_t tail)
{
    static const uint8_t zeros[256] = {0};
    const dvt_idv_model *m = w->model;
    dvt_bytes_add_number(m->pool, &w->file.bytes, UINT64_C(0x00425644004C4D43), 8);
    put_number(w, m->version, 8);
    put_number(w, m->compatible, 8);
    put_number(w, w->columns_at, 8);
    put_number(w, tail, 8);
    put_number(w, (uint64_t)m->rows, 8);
    put_number(w, m->columns_count, 4);
    dvt_bytes_add(m->pool, &w->file.bytes, zeros, 256 - w->file.bytes.n);
}

static void put_file(writer *w)
{
    static const uint8_t gap[64] = {0};
    const dvt_idv_model *m = w->model;
    const size_t before = w->file.bytes.n; /* of the first pass, in the second */
    const uint64_t tail = before ? before - m->trailer.n - 8 : 0;
    w->file.bytes.n = 0;
    w->file.numbers_count = 0;
    put_header(w, tail);
    for (size_t i = 0; i < w->regions_count; i++) {
        const bool backwards = m->order != DVT_IDV_USUAL;
        put_region(w, backwards ? w->regions_count - 1 - i : i);
        dvt_bytes_add(m->pool, &w->file.bytes, gap, m->gap < sizeof gap ? m->gap : sizeof gap);
    }
    dvt_bytes_add_number(m->pool, &w->file.bytes, UINT64_C(0x434D4C0044564200), 8);
    put_bytes(w, m->trailer);
}

dvt_idv_file dvt_idv_write(const dvt_idv_model *model)
{
    writer w = {.model = model};
    w.file.numbers = dvt_pool_take(model->pool, DVT_IDV_NUMBERS * sizeof *w.file.numbers);
    encode_all(&w);
    list_regions(&w);
    if (model->order == DVT_IDV_COLUMNS_FIRST) { /* the other regions as usual, after it */
        region *r = w.regions;
        for (size_t i = 0, j = w.regions_count - 2; w.regions_count > 2 && i < j; i++, j--) {
            const region t = r[i];
            r[i] = r[j];
            r[j] = t;
        }
    }
    put_file(&w); /* the offsets of all regions */
    put_file(&w); /* and the fields that point to them */
    return w.file;
}
