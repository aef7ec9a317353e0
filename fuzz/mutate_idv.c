/* SPDX-License-Identifier: MIT */
/* mutate_idv.c: the mutator of fuzz_idv: draws a change to an .idv file and makes it. */
#include "mutate_idv.h"
#include <stdlib.h>
#include <string.h>

enum { POOL_NBYTES = 24 << 20, ROWS_MOST = 300 };

/* The memory of all mutations; only one thread mutates. */
static dvt_pool *empty_pool(void)
{
    static dvt_pool pool;
    if (!pool.memory) {
        pool.memory = malloc(POOL_NBYTES);
        pool.cap = pool.memory ? POOL_NBYTES : 0;
    }
    pool.used = 0;
    return &pool;
}

static size_t mutate_bytes(uint8_t *data, size_t n, size_t most)
{
    return most > 0 ? LLVMFuzzerMutate(data, n, most) : n;
}

/* Apply libFuzzer's mutations, with its dictionary, inside one part of the model. */
static void mutate_part(dvt_pool *pool, dvt_bytes *bytes)
{
    const size_t most = bytes->n + 64;
    dvt_bytes copy = dvt_bytes_copy(pool, bytes->data, bytes->n);
    dvt_bytes_reserve(pool, &copy, most);
    copy.n = mutate_bytes(copy.data, copy.n, most);
    *bytes = copy;
}

/* --- Mutations of a model --------------------------------------------------------------------- */

static dvt_idv_column *any_column(const dvt_idv_model *m, dvt_draw *draw)
{
    return m->columns[dvt_draw_below(draw, m->columns_count)];
}

static void change_version(dvt_idv_model *m, dvt_draw *draw)
{
    m->compatible = DVT_IDV_VERSION(1 + dvt_draw_below(draw, 7));
    m->version = m->compatible;
    if (dvt_draw_one_in(draw, 4))
        m->version = DVT_IDV_VERSION(1 + dvt_draw_below(draw, 7));
    if (m->compatible == DVT_IDV_VERSION(3) && m->columns_count > 0) {
        dvt_idv_column *column = any_column(m, draw);
        column->has_slot_names = true;
        column->slot_names = (dvt_bytes){NULL, 0, 0};
        column->slot_names_count = (int32_t)dvt_draw_below(draw, 5);
        for (int32_t i = 0; i < column->slot_names_count; i++) {
            const size_t slot = dvt_draw_one_in(draw, 4) ? dvt_draw_below(draw, 9) : (size_t)i;
            const dvt_bytes name = dvt_idv_make_name(m->pool, draw);
            dvt_bytes_add_number(m->pool, &column->slot_names, slot, 4);
            dvt_bytes_add_leb(m->pool, &column->slot_names, name.n);
            dvt_bytes_add(m->pool, &column->slot_names, name.data, name.n);
        }
    }
}

static void change_layout(dvt_idv_model *m, dvt_draw *draw)
{
    static const size_t gaps[] = {0, 1, 2, 4, 8, 63};
    m->order = (dvt_idv_order)dvt_draw_below(draw, DVT_IDV_ORDERS);
    m->gap = gaps[dvt_draw_below(draw, sizeof gaps / sizeof *gaps)];
    m->shares_blocks = dvt_draw_one_in(draw, 2);
    if (dvt_draw_one_in(draw, 4))
        mutate_part(m->pool, &m->trailer);
}

static void change_rows(dvt_idv_model *m, dvt_draw *draw)
{
    const int64_t rows = (int64_t)dvt_draw_number(draw, (uint64_t)m->rows, 4);
    m->rows = rows < 0 || rows > ROWS_MOST ? (int64_t)dvt_draw_below(draw, 40) : rows;
    dvt_idv_fit_blocks(m, draw, false);
}

static void change_rows_per_block(dvt_idv_model *m, dvt_draw *draw)
{
    static const uint64_t some[] = {1, 2, 3, 7, 8, 16, 33, 8192, INT32_MAX};
    const uint64_t rows_per_block = dvt_draw_one_in(draw, 16)
                                        ? dvt_draw_number(draw, 5, 8)
                                        : some[dvt_draw_below(draw, sizeof some / sizeof *some)];
    for (size_t c = 0; c < m->columns_count; c++)
        m->columns[c]->rows_per_block = rows_per_block;
    if (m->rows > ROWS_MOST)
        m->rows = ROWS_MOST;
    dvt_idv_fit_blocks(m, draw, false);
}

static void add_column(dvt_idv_model *m, dvt_draw *draw)
{
    if (m->columns_count == DVT_IDV_COLUMNS)
        return;
    if (m->columns_count == 0 && m->rows > ROWS_MOST)
        m->rows = ROWS_MOST;
    m->columns[m->columns_count] = dvt_idv_make_column(m, draw);
    m->columns_count++;
    dvt_idv_fit_blocks(m, draw, false);
}

static void remove_column(dvt_idv_model *m, dvt_draw *draw)
{
    const size_t at = dvt_draw_below(draw, m->columns_count);
    m->columns_count--;
    memmove(m->columns + at, m->columns + at + 1, (m->columns_count - at) * sizeof *m->columns);
}

static void repeat_column(dvt_idv_model *m, dvt_draw *draw)
{
    if (m->columns_count == DVT_IDV_COLUMNS)
        return;
    dvt_idv_column *copy = dvt_pool_take(m->pool, sizeof *copy);
    *copy = *any_column(m, draw);
    if (dvt_draw_one_in(draw, 3))
        copy->compression = (uint8_t)dvt_draw_below(draw, 3);
    m->columns[m->columns_count++] = copy;
}

static void swap_columns(dvt_idv_model *m, dvt_draw *draw)
{
    const size_t a = dvt_draw_below(draw, m->columns_count);
    const size_t b = dvt_draw_below(draw, m->columns_count);
    dvt_idv_column *column = m->columns[a];
    m->columns[a] = m->columns[b];
    m->columns[b] = column;
}

static void rename_column(dvt_idv_model *m, dvt_draw *draw)
{
    dvt_idv_column *column = any_column(m, draw);
    if (dvt_draw_one_in(draw, 2))
        column->name = dvt_idv_make_name(m->pool, draw);
    else if (dvt_draw_one_in(draw, 2))
        column->name = any_column(m, draw)->name;
    else
        mutate_part(m->pool, &column->name);
}

static void change_compression(dvt_idv_model *m, dvt_draw *draw)
{
    dvt_idv_column *column = any_column(m, draw);
    column->compression = (uint8_t)dvt_draw_below(draw, dvt_draw_one_in(draw, 16) ? 256 : 3);
    for (size_t k = 0; k < column->blocks_count; k++)
        column->blocks[k].level = (int32_t)dvt_draw_below(draw, 13);
}

static void change_codec(dvt_idv_model *m, dvt_draw *draw)
{
    dvt_idv_column *column = any_column(m, draw);
    column->codec = dvt_idv_make_codec(m->pool, draw, true);
    if (dvt_draw_one_in(draw, 4) || m->rows > ROWS_MOST)
        return; /* the old blocks with another codec name */
    column->blocks_count = 0;
    dvt_idv_fit_blocks(m, draw, false);
}

/* Change a number or name inside a codec definition. */
static void bend_codec(dvt_idv_model *m, dvt_draw *draw)
{
    dvt_idv_codec *codec = any_column(m, draw)->codec;
    if (codec->inner && dvt_draw_one_in(draw, 3))
        codec = codec->inner;
    switch (dvt_draw_below(draw, 6)) {
    case 0:
        codec->rank = (int32_t)dvt_draw_below(draw, DVT_IDV_RANK + 1);
        break;
    case 1:
        codec->dims[dvt_draw_below(draw, 3)] = (int32_t)dvt_draw_number(draw, 3, 4);
        break;
    case 2:
        codec->count = dvt_draw_number(draw, codec->count, 8);
        break;
    case 3:
        codec->min = dvt_draw_number(draw, codec->min, 8);
        codec->contiguous = (uint8_t)dvt_draw_below(draw, 3);
        break;
    case 4:
        codec->name = dvt_bytes_of(
            m->pool, dvt_idv_names[dvt_draw_below(draw, dvt_idv_names_count - 3)].name);
        if (codec->inner)
            codec->inner = NULL, codec->parameters.n = 0;
        break;
    default:
        mutate_part(m->pool, codec->inner ? &codec->name : &codec->parameters);
    }
}

static dvt_idv_block *any_block(const dvt_idv_model *m, dvt_draw *draw,
                                const dvt_idv_codec **codec_out)
{
    dvt_idv_column *column = any_column(m, draw);
    *codec_out = column->codec;
    if (column->metadata_count > 0 && (column->blocks_count == 0 || dvt_draw_one_in(draw, 5))) {
        dvt_idv_metadata *one = &column->metadata[dvt_draw_below(draw, column->metadata_count)];
        *codec_out = one->codec;
        return &one->block;
    }
    return column->blocks_count > 0 ? &column->blocks[dvt_draw_below(draw, column->blocks_count)]
                                    : NULL;
}

static void bend_block(dvt_idv_model *m, dvt_draw *draw)
{
    const dvt_idv_codec *codec;
    dvt_idv_block *block = any_block(m, draw, &codec);
    if (block)
        dvt_idv_tweak_block(m->pool, draw, codec, block);
}

static void mutate_block(dvt_idv_model *m, dvt_draw *draw)
{
    const dvt_idv_codec *codec;
    dvt_idv_block *block = any_block(m, draw, &codec);
    if (block)
        mutate_part(m->pool, &block->content);
}

static void renew_block(dvt_idv_model *m, dvt_draw *draw)
{
    const dvt_idv_codec *codec;
    dvt_idv_block *block = any_block(m, draw, &codec);
    if (block)
        dvt_idv_make_block(m->pool, draw, codec, block->rows > 0 ? (size_t)block->rows : 1, block);
}

/* Change the stored form: what the inflater sees. */
static void break_stream(dvt_idv_model *m, dvt_draw *draw)
{
    dvt_idv_column *column = any_column(m, draw);
    if (column->blocks_count == 0)
        return;
    dvt_idv_block *block = &column->blocks[dvt_draw_below(draw, column->blocks_count)];
    if (!block->is_stored) { /* deflate it through its own file */
        dvt_idv_column alone = *column;
        alone.blocks = block;
        alone.blocks_count = 1;
        alone.metadata_count = 0;
        alone.has_slot_names = false;
        const dvt_idv_model small = {
            .pool = m->pool, .rows = 1, .columns = {&alone}, .columns_count = 1};
        const dvt_idv_file file = dvt_idv_write(&small);
        const uint8_t *lookup = file.bytes.data + dvt_number(file.bytes.data + 24, 8) - 16;
        block->claimed_nbytes = (int32_t)block->content.n;
        block->content =
            dvt_bytes_copy(m->pool, file.bytes.data + 256, (size_t)dvt_number(lookup + 8, 4));
        block->is_stored = true;
    }
    switch (dvt_draw_below(draw, 5)) {
    case 0:
        block->claimed_nbytes = (int32_t)dvt_draw_number(draw, (uint32_t)block->claimed_nbytes, 4);
        return;
    case 1:
        block->content.n = dvt_draw_below(draw, block->content.n + 1);
        return;
    case 2:
        dvt_bytes_add_number(m->pool, &block->content, dvt_draw_bits(draw), 1);
        return;
    default:
        mutate_part(m->pool, &block->content);
    }
}

static void copy_block(dvt_idv_model *m, dvt_draw *draw)
{
    dvt_idv_column *from = any_column(m, draw), *to = any_column(m, draw);
    if (from->blocks_count > 0 && to->blocks_count > 0)
        to->blocks[dvt_draw_below(draw, to->blocks_count)] =
            from->blocks[dvt_draw_below(draw, from->blocks_count)];
}

static void add_metadata(dvt_idv_model *m, dvt_draw *draw)
{
    dvt_idv_column *column = any_column(m, draw);
    if (column->metadata_count < DVT_IDV_METADATA)
        dvt_idv_make_metadata(m->pool, draw, column, &column->metadata[column->metadata_count++]);
    if (m->compatible < DVT_IDV_VERSION(4)) /* which has none */
        m->version = m->compatible = DVT_IDV_VERSION(6);
}

static void change_metadata(dvt_idv_model *m, dvt_draw *draw)
{
    dvt_idv_column *column = any_column(m, draw);
    if (column->metadata_count == 0)
        return;
    dvt_idv_metadata *one = &column->metadata[dvt_draw_below(draw, column->metadata_count)];
    switch (dvt_draw_below(draw, 4)) {
    case 0:
        mutate_part(m->pool, &one->kind);
        return;
    case 1:
        one->compression = (uint8_t)dvt_draw_below(draw, 4);
        return;
    case 2:
        one->codec = dvt_idv_make_codec(m->pool, draw, true);
        dvt_idv_make_block(m->pool, draw, one->codec, 1, &one->block);
        return;
    default:
        *one = column->metadata[--column->metadata_count];
    }
}

typedef struct mutation {
    void (*apply)(dvt_idv_model *m, dvt_draw *draw);
    size_t weight;
    bool needs_column;
} mutation;

static const mutation mutations[] = {
    {change_version, 2, false}, {change_layout, 2, false},
    {change_rows, 3, false},    {change_rows_per_block, 2, false},
    {add_column, 3, false},     {remove_column, 2, true},
    {repeat_column, 1, true},   {swap_columns, 1, true},
    {rename_column, 2, true},   {change_compression, 3, true},
    {change_codec, 4, true},    {bend_codec, 4, true},
    {bend_block, 12, true},     {mutate_block, 5, true},
    {renew_block, 4, true},     {break_stream, 3, true},
    {copy_block, 1, true},      {add_metadata, 3, true},
    {change_metadata, 3, true},
};

static void mutate_model(dvt_idv_model *m, dvt_draw *draw)
{
    size_t all = 0, i = 0;
    for (size_t k = 0; k < sizeof mutations / sizeof *mutations; k++)
        all += mutations[k].weight;
    for (size_t at = dvt_draw_below(draw, all); at >= mutations[i].weight; i++)
        at -= mutations[i].weight;
    if (!mutations[i].needs_column || m->columns_count > 0)
        mutations[i].apply(m, draw);
}

/* Make one number of the file wrong. */
static void break_number(dvt_idv_file *file, dvt_draw *draw)
{
    if (file->numbers_count == 0)
        return;
    const size_t i = dvt_draw_one_in(draw, 3) ? dvt_draw_below(draw, 6) /* the header's */
                                              : dvt_draw_below(draw, file->numbers_count);
    const dvt_idv_number number = file->numbers[i < file->numbers_count ? i : 0];
    uint8_t *p = file->bytes.data + number.at;
    uint64_t value = dvt_draw_number(draw, dvt_number(p, number.width), number.width);
    if (dvt_draw_one_in(draw, 6))
        value = file->bytes.n - dvt_draw_below(draw, 32);
    dvt_set_number(p, value, number.width);
}

static size_t put(const dvt_idv_model *model, dvt_draw *draw, uint8_t *out, size_t most)
{
    dvt_idv_file file = dvt_idv_write(model);
    if (dvt_draw_one_in(draw, 8))
        break_number(&file, draw);
    if (file.bytes.n > most)
        dvt_pool_give_up(model->pool);
    memcpy(out, file.bytes.data, file.bytes.n);
    return file.bytes.n;
}

static size_t mutate_file(dvt_pool *pool, dvt_draw *draw, uint8_t *data, size_t n, size_t most)
{
    if (dvt_draw_one_in(draw, 16))
        dvt_pool_give_up(pool);
    dvt_idv_model *model = dvt_idv_read(pool, data, n);
    for (size_t times = dvt_draw_one_in(draw, 3) ? 1 + dvt_draw_below(draw, 4) : 1; times > 0;
         times--)
        mutate_model(model, draw);
    return put(model, draw, data, most);
}

size_t dvt_idv_mutate(uint8_t *data, size_t n, size_t most, uint64_t seed)
{
    const volatile size_t old_nbytes = n; /* outlives the jump */
    dvt_pool *const pool = empty_pool();
    if (setjmp(pool->give_up) != 0)
        return mutate_bytes(data, old_nbytes, most);
    dvt_draw draw = {seed};
    return mutate_file(pool, &draw, data, n, most);
}

size_t dvt_idv_cross(const uint8_t *a, size_t a_nbytes, const uint8_t *b, size_t b_nbytes,
                     uint8_t *out, size_t most, uint64_t seed)
{
    dvt_pool *const pool = empty_pool();
    if (setjmp(pool->give_up) != 0)
        return 0;
    dvt_draw draw = {seed};
    dvt_idv_model *model = dvt_idv_read(pool, a, a_nbytes);
    const dvt_idv_model *other = dvt_idv_read(pool, b, b_nbytes);
    if (other->columns_count == 0 || model->columns_count == DVT_IDV_COLUMNS)
        return 0;
    dvt_idv_column *column = any_column(other, &draw);
    if (model->columns_count > 0) {
        column->rows_per_block = model->columns[0]->rows_per_block;
        if (dvt_draw_one_in(&draw, 2)) /* instead of another, or beside it */
            remove_column(model, &draw);
    } else {
        model->rows = other->rows;
    }
    model->columns[model->columns_count++] = column;
    if (model->rows > ROWS_MOST)
        model->rows = ROWS_MOST;
    dvt_idv_fit_blocks(model, &draw, false);
    return put(model, &draw, out, most);
}
