/* SPDX-License-Identifier: MIT */
/* epoch_order.c: the rows of an epoch, number by number (docs/shuffling.md).
 *
 * A shard takes its rows from a sequence (shard.h).  Without a pool the row at any position is
 * computed; with a pool rows are drawn from the beginning. */
#include "order/epoch_order.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "order/permutation.h"
#include "order/shard.h"
#include <dataview/order.h>

#define AT_ONCE 64 /* rows that are drawn together */

struct dvi_epoch_order {
    dv_allocator allocator;
    dvi_epoch_plan plan;
    int64_t position; /* of the next number of the shard */

    dvi_permutation all;  /* of a uniform epoch; or of the blocks */
    dvi_permutation rows; /* of the rows in one block */
    int64_t block;        /* the current block; -1: none yet */
    int64_t last_index;   /* of the last block among the shard's own; -1: it is another shard's */

    /* A pool is a ring: a drawn row is replaced by the oldest row, and that by the next row. */
    uint32_t *drawn; /* the order of blocks, or of the rows of a cache; NULL: in order */
    int64_t *ring;   /* of pool_cap rows; NULL: no pool */
    int64_t pool_cap, pool_held, pool_oldest;
    int64_t input_index, input_offset; /* of the row that comes into the pool next: block among the
                                          shard's own, and row of it */
    int64_t sequence_at;               /* of the next row that is drawn */
    dvi_random random, begin;          /* now, and before the first draw from the pool */
};

/* --- Blocks ----------------------------------------------------------------------------------- */

static int64_t block_at(const dvi_epoch_order *o, int64_t index)
{
    int64_t block = dvi_shard_block(&o->plan, index);
    if (o->plan.shuffle == DV_SHUFFLE_BLOCKS)
        dvi_permutation_fill(&o->all, block, 1, &block, 1);
    else if (o->drawn)
        block = o->drawn[block];
    return block;
}

static int64_t rows_of_block(const dvi_epoch_order *o, int64_t block)
{
    const dvi_epoch_plan *p = &o->plan;
    return block == p->blocks - 1 ? dvi_epoch_plan_last_rows(p) : p->block_rows;
}

/* Which of the shard's blocks has row `at` of the sequence, and which row of the block is it?  The
 * last block of the view may be short, so later blocks begin before a multiple of block_rows. */
static int64_t find_block(const dvi_epoch_order *o, int64_t at, int64_t *offset_out)
{
    const int64_t block_rows = o->plan.block_rows, last = o->last_index;
    const int64_t last_rows = dvi_epoch_plan_last_rows(&o->plan);
    if (last < 0 || at / block_rows < last) {
        *offset_out = at % block_rows;
        return at / block_rows;
    }
    const int64_t after = at - last * block_rows; /* from the first row of the last block on */
    if (after < last_rows) {
        *offset_out = after;
        return last;
    }
    *offset_out = (after - last_rows) % block_rows;
    return last + 1 + (after - last_rows) / block_rows;
}

/* --- Sequences that are computed -------------------------------------------------------------- */

static void enter_block(dvi_epoch_order *o, int64_t block)
{
    if (o->block == block)
        return;
    o->block = block;
    if (o->plan.shuffle == DV_SHUFFLE_BLOCKS)
        dvi_permutation_make(&o->rows, rows_of_block(o, block),
                             dvi_key_derive(o->plan.key, (uint64_t)block));
}

/* n rows of the sequence, each `step` after the one before. */
static void fill_from_blocks(dvi_epoch_order *o, int64_t at, int64_t step, int64_t *out, int64_t n)
{
    for (int64_t done = 0; done < n;) {
        int64_t offset;
        const int64_t block = block_at(o, find_block(o, at + done * step, &offset));
        const int64_t here = (rows_of_block(o, block) - offset - 1) / step + 1;
        const int64_t count = dvi_min_i64(here, n - done), first = block * o->plan.block_rows;
        enter_block(o, block);
        if (o->plan.shuffle == DV_SHUFFLE_BLOCKS)
            dvi_permutation_fill(&o->rows, offset, step, out + done, count);
        for (int64_t i = 0; i < count; i++)
            out[done + i] =
                first + (o->plan.shuffle == DV_SHUFFLE_BLOCKS ? out[done + i] : offset + i * step);
        done += count;
    }
}

/* --- Pools ------------------------------------------------------------------------------------ */

static void start_drawing(dvi_epoch_order *o)
{
    o->random = o->begin;
    o->pool_held = o->pool_oldest = 0;
    o->input_index = o->input_offset = 0;
    o->sequence_at = 0;
    o->block = -1;
}

/* The n rows that enter the pool next, block by block. */
static void take_in(dvi_epoch_order *o, int64_t *out, int64_t n)
{
    while (n > 0) {
        if (o->input_offset == 0)
            o->block = block_at(o, o->input_index);
        const int64_t rows = rows_of_block(o, o->block);
        const int64_t count = dvi_min_i64(n, rows - o->input_offset);
        const int64_t first = o->block * o->plan.block_rows + o->input_offset;
        for (int64_t i = 0; i < count; i++)
            out[i] = first + i;
        o->input_offset += count;
        if (o->input_offset == rows) {
            o->input_offset = 0;
            o->input_index++;
        }
        out += count;
        n -= count;
    }
}

/* The slot of the row that is drawn next, among `held` rows from slot `oldest` on. */
static int64_t draw_slot(dvi_random *random, int64_t oldest, int64_t held, int64_t cap)
{
    const int64_t at = oldest + dvi_random_below(random, (uint32_t)held);
    return at >= cap ? at - cap : at;
}

/* Draw from a full pool while rows enter it.  The oldest row moves to the slot that was drawn, and
 * the entering row to the slot of the oldest.  All slots are drawn first, so that no draw waits for
 * the ring. */
static void draw_and_refill(dvi_epoch_order *o, int64_t *out, int n)
{
    int64_t coming[AT_ONCE] = {0},
            slots[AT_ONCE]; /* zeros for the analyser, which does not see that take_in writes n */
    int64_t *const ring = o->ring, cap = o->pool_cap, held = o->pool_held;
    dvi_random random = o->random;
    take_in(o, coming, n);
    int64_t oldest = o->pool_oldest;
    for (int i = 0; i < n; i++) {
        slots[i] = draw_slot(&random, oldest, held, cap);
        oldest = oldest + 1 == cap ? 0 : oldest + 1;
    }
    oldest = o->pool_oldest;
    for (int i = 0; i < n; i++) {
        out[i] = ring[slots[i]];
        ring[slots[i]] = ring[oldest];
        ring[oldest] = coming[i];
        oldest = oldest + 1 == cap ? 0 : oldest + 1;
    }
    o->pool_oldest = oldest;
    o->random = random;
}

static void draw_rest(dvi_epoch_order *o, int64_t *out, int n)
{
    for (int i = 0; i < n; i++) {
        const int64_t slot = draw_slot(&o->random, o->pool_oldest, o->pool_held, o->pool_cap);
        out[i] = o->ring[slot];
        o->ring[slot] = o->ring[o->pool_oldest];
        o->pool_oldest = o->pool_oldest + 1 == o->pool_cap ? 0 : o->pool_oldest + 1;
        o->pool_held--;
    }
}

/* Draw up to n rows of the sequence, at most AT_ONCE: returns how many. */
static int draw_rows(dvi_epoch_order *o, int64_t *out, int64_t n)
{
    const int64_t coming = o->plan.length - o->sequence_at - o->pool_held;
    int count = (int)dvi_min_i64(n, AT_ONCE);
    if (!o->ring) {
        take_in(o, out, count);
    } else if (coming > 0) {
        count = (int)dvi_min_i64(count, coming);
        draw_and_refill(o, out, count);
    } else {
        draw_rest(o, out, count);
    }
    o->sequence_at += count;
    return count;
}

static void draw_up_to(dvi_epoch_order *o, int64_t at)
{
    int64_t passed[AT_ONCE];
    if (at < o->sequence_at)
        start_drawing(o);
    if (o->ring && o->pool_held == 0 && o->sequence_at == 0) {
        o->pool_held = dvi_min_i64(o->pool_cap, o->plan.length);
        take_in(o, o->ring, o->pool_held);
    }
    while (o->sequence_at < at)
        draw_rows(o, passed, at - o->sequence_at);
}

static void fill_by_drawing(dvi_epoch_order *o, int64_t at, int64_t step, int64_t *out, int64_t n)
{
    for (int64_t done = 0; done < n;) {
        draw_up_to(o, at + done * step);
        done += draw_rows(o, out + done, step == 1 ? n - done : 1);
    }
}

/* --- The stream ------------------------------------------------------------------------------- */

static void fill(dvi_epoch_order *o, int64_t at, int64_t step, int64_t *out, int64_t n)
{
    const dvi_epoch_plan *p = &o->plan;
    if (p->shuffle == DV_SHUFFLE_UNIFORM)
        dvi_permutation_fill(&o->all, at, step, out, n);
    else if (p->shuffle == DV_SHUFFLE_POOL && p->input == DVI_POOL_OF_A_CACHE)
        for (int64_t i = 0; i < n; i++)
            out[i] = o->drawn[at + i * step];
    else if (p->shuffle == DV_SHUFFLE_POOL)
        fill_by_drawing(o, at, step, out, n);
    else
        fill_from_blocks(o, at, step, out, n);
}

int64_t dvi_epoch_order_next(dvi_epoch_order *o, int64_t *rows_out, int64_t n)
{
    int64_t done = 0;
    while (done < n && o->position < o->plan.count) {
        int64_t at, step;
        const int64_t run = dvi_shard_run(&o->plan, o->position, n - done, &at, &step);
        fill(o, at, step, rows_out + done, run);
        o->position += run;
        done += run;
    }
    return done;
}

void dvi_epoch_order_seek(dvi_epoch_order *o, int64_t position)
{
    o->position = position;
}

dvi_random dvi_epoch_order_random(const dvi_epoch_order *o)
{
    return o->random;
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status draw_order(dvi_epoch_order *o, dv_error *err)
{
    const dvi_epoch_plan *p = &o->plan;
    const bool rows = p->input == DVI_POOL_OF_A_CACHE;
    const int64_t n = rows ? p->rows : p->blocks;
    void *made;
    DVI_TRY(dvi_alloc(&o->allocator, &made, (size_t)n * sizeof *o->drawn, err));
    o->drawn = made;
    dvi_random_permute(&o->random, o->drawn, (uint32_t)n);
    return DV_OK;
}

static dv_status make_pool(dvi_epoch_order *o, dv_error *err)
{
    const dvi_epoch_plan *p = &o->plan;
    void *made;
    o->random = p->random;
    if (p->input != DVI_POOL_IN_ORDER)
        DVI_TRY(draw_order(o, err));
    if (p->input != DVI_POOL_OF_A_CACHE && p->pool_rows > 1) {
        o->pool_cap = dvi_max_i64(dvi_min_i64(p->pool_rows, p->length), 1);
        DVI_TRY(dvi_alloc(&o->allocator, &made, (size_t)o->pool_cap * sizeof *o->ring, err));
        o->ring = made;
    }
    if (p->by_blocks && p->shards > 1)
        o->random = dvi_random_of((uint32_t)dvi_key_derive(p->key, (uint64_t)p->shard));
    o->begin = o->random;
    start_drawing(o);
    return DV_OK;
}

dv_status dvi_epoch_order_create(dvi_epoch_order **order_out, const dvi_epoch_plan *plan,
                                 const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *order_out = NULL;
    DVI_TRY(dvi_alloc(allocator, &made, sizeof(dvi_epoch_order), err));
    dvi_epoch_order *o = made;
    o->allocator = dvi_allocator_of(allocator);
    o->plan = *plan;
    o->position = 0;
    o->drawn = NULL;
    o->ring = NULL;
    o->pool_cap = 0;
    o->block = -1;
    o->last_index = plan->blocks && plan->shuffle != DV_SHUFFLE_POOL /* which counts rows */
                        ? dvi_shard_index(plan, dvi_epoch_plan_last_block(plan))
                        : -1;
    if (plan->shuffle == DV_SHUFFLE_UNIFORM)
        dvi_permutation_make(&o->all, plan->rows, plan->key);
    else if (plan->shuffle == DV_SHUFFLE_BLOCKS)
        dvi_permutation_make(&o->all, plan->blocks, plan->key);
    const dv_status status = plan->shuffle == DV_SHUFFLE_POOL ? make_pool(o, err) : DV_OK;
    if (status < 0)
        dvi_epoch_order_free(&o);
    *order_out = o;
    return status;
}

void dvi_epoch_order_free(dvi_epoch_order **order)
{
    dvi_epoch_order *o = *order;
    *order = NULL;
    if (!o)
        return;
    const dvi_epoch_plan *p = &o->plan;
    const int64_t drawn = p->input == DVI_POOL_OF_A_CACHE ? p->rows : p->blocks;
    const dv_allocator allocator = o->allocator;
    dvi_free(&allocator, o->drawn, (size_t)drawn * sizeof *o->drawn);
    dvi_free(&allocator, o->ring, (size_t)o->pool_cap * sizeof *o->ring);
    dvi_free(&allocator, o, sizeof *o);
}

dv_status dv_order_epoch(int64_t *numbers_out, int64_t n, int64_t *count_out, int64_t rows,
                         const dv_epoch_options *options, const dv_allocator *allocator,
                         dv_error *err)
{
    dvi_epoch_plan plan;
    dvi_epoch_order *order;
    *count_out = 0;
    if (rows < 0)
        return dvi_fail_argument(err, "%lld rows", (long long)rows);
    DVI_TRY(dvi_epoch_plan_make(&plan, rows, 1, options, err));
    DVI_TRY(dvi_epoch_order_create(&order, &plan, allocator, err));
    dvi_epoch_order_next(order, numbers_out, n);
    dvi_epoch_order_free(&order);
    *count_out = plan.count;
    return DV_OK;
}
