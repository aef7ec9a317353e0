/* SPDX-License-Identifier: MIT */
/* mix_order.c: the choices of a mix (docs/shuffling.md, Mixing).
 *
 * The exact order is periodic: the choices of one period are stored.  A random order shuffles them
 * block by block.  Both begin again, in a new phase, where a source drops out. */
#include "order/mix_order.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "order/permutation.h"
#include <string.h>

#define BLOCK INT64_C(4096) /* choices that are shuffled together */
#define AT_ONCE 256         /* rows that are numbered together */
#define PERIOD_MOST (DVI_MIX_PERIOD + DV_MIX_SOURCES_MOST)
#define MARK 1024 /* choices of a period from one mark to the next */

/* The pass of a source whose order is at hand. */
typedef struct pass {
    int64_t number; /* -1: none yet */
    dvi_permutation rows;
} pass;

struct dvi_mix_order {
    dv_allocator allocator;
    const dvi_mix_plan *plan;
    uint64_t key, choices_key;
    pass *passes;                       /* one for each source; NULL: their rows are not shuffled */
    int64_t position;                   /* where the next choice is */
    int64_t taken[DV_MIX_SOURCES_MOST]; /* rows of each source before it */

    /* The phase, in which no source drops out. */
    int64_t first;                       /* its first position */
    int64_t rows;                        /* INT64_MAX: no end is known */
    int32_t ends;                        /* the source that has no row for the position after it */
    int32_t shares[DV_MIX_SOURCES_MOST]; /* 0: the source has dropped out */
    int64_t before[DV_MIX_SOURCES_MOST]; /* taken at its first position */
    int32_t period;                      /* 0: no source is left */
    uint8_t pattern[PERIOD_MOST];        /* the source of each choice of a period */
    int32_t marks[PERIOD_MOST / MARK + 1][DV_MIX_SOURCES_MOST]; /* rows of each source in it before
                                                                   every MARK-th choice */

    int64_t block; /* whose order is at hand; -1: none */
    dvi_permutation choices;
};

/* --- A pattern -------------------------------------------------------------------------------- */

static int32_t common_divisor(int32_t a, int32_t b)
{
    while (b > 0) {
        const int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Sources that are left have the least whole shares. */
static void reduce_shares(dvi_mix_order *o)
{
    int32_t divisor = 0;
    o->period = 0;
    for (int32_t i = 0; i < o->plan->n; i++)
        divisor = common_divisor(o->shares[i], divisor);
    for (int32_t i = 0; i < o->plan->n && divisor > 0; i++) {
        o->shares[i] /= divisor;
        o->period += o->shares[i];
    }
}

/* Each choice is the source that lacks most of its share, the first one of several. */
static void make_pattern(dvi_mix_order *o)
{
    int32_t lacking[DV_MIX_SOURCES_MOST] = {0}, taken[DV_MIX_SOURCES_MOST] = {0};
    for (int32_t p = 0; p < o->period; p++) {
        int32_t chosen = -1;
        if (p % MARK == 0)
            memcpy(o->marks[p / MARK], taken, sizeof taken);
        for (int32_t i = 0; i < o->plan->n; i++) {
            lacking[i] += o->shares[i];
            if (o->shares[i] > 0 && (chosen < 0 || lacking[i] > lacking[chosen]))
                chosen = i;
        }
        lacking[chosen] -= o->period;
        taken[chosen]++;
        o->pattern[p] = (uint8_t)chosen;
    }
}

/* Where is a row due, in the exact order, from a source that has none left?  INT64_MAX: nowhere
 * before 2^62. */
static int64_t find_exact_end(dvi_mix_order *o)
{
    const dvi_mix_plan *plan = o->plan;
    int32_t seen[DV_MIX_SOURCES_MOST] = {0};
    int64_t rows = INT64_MAX;
    for (int32_t p = 0; p < o->period; p++) {
        const int32_t i = o->pattern[p];
        const int64_t left = plan->counts[i] - o->before[i];
        int64_t end;
        if (seen[i]++ == left % o->shares[i] &&
            !__builtin_mul_overflow(left / o->shares[i], o->period, &end) &&
            end < DVI_MIX_ROWS_MOST && end + p < rows) {
            rows = end + p;
            o->ends = i;
        }
    }
    return rows;
}

/* --- Choices ---------------------------------------------------------------------------------- */

/* Shuffle the choices of a block. */
static void enter_block(dvi_mix_order *o, int64_t block)
{
    if (o->block == block)
        return;
    o->block = block;
    const uint64_t first = (uint64_t)(o->first + block * BLOCK);
    dvi_permutation_make(&o->choices, BLOCK, dvi_key_derive(o->choices_key, first));
}

/* The source of choice `at` of the phase. */
static int32_t choose(dvi_mix_order *o, int64_t at)
{
    if (o->plan->order == DV_MIX_RANDOM) {
        enter_block(o, at / BLOCK);
        dvi_permutation_fill(&o->choices, at % BLOCK, 1, &at, 1);
        at += o->block * BLOCK;
    }
    return o->pattern[at % o->period];
}

static void take(dvi_mix_order *o, int32_t source)
{
    o->taken[source]++;
    o->position++;
}

/* Go to choice `at` of the phase, which is not over before.  At the bounds of blocks both orders
 * have taken the same rows. */
static void go_to(dvi_mix_order *o, int64_t at)
{
    const int64_t sure = o->plan->order == DV_MIX_RANDOM ? at / BLOCK * BLOCK : at;
    const int64_t periods = sure / o->period, rest = sure % o->period;
    const int32_t *mark = o->marks[rest / MARK];
    for (int32_t i = 0; i < o->plan->n; i++)
        o->taken[i] = o->before[i] + periods * o->shares[i] + mark[i];
    for (int64_t p = rest / MARK * MARK; p < rest; p++)
        o->taken[o->pattern[p]]++;
    o->position = o->first + sure;
    while (o->position - o->first < at)
        take(o, choose(o, o->position - o->first));
}

/* --- Phases ----------------------------------------------------------------------------------- */

/* The phase ends where a row is due from a source that has none left.  In a random order this is in
 * the same block as in the exact one. */
static void find_end(dvi_mix_order *o)
{
    const dvi_mix_plan *plan = o->plan;
    const bool ends = plan->is_counted && plan->stop != DV_MIX_REPEAT;
    const int64_t exact = ends ? find_exact_end(o) : INT64_MAX;
    o->rows = exact;
    if (exact == INT64_MAX || plan->order == DV_MIX_EXACT)
        return;
    go_to(o, exact / BLOCK * BLOCK);
    for (;;) {
        o->ends = choose(o, o->position - o->first);
        if (o->taken[o->ends] == plan->counts[o->ends])
            break;
        take(o, o->ends);
    }
    o->rows = o->position - o->first;
    go_to(o, 0);
}

/* Begin a phase at this position, with the sources that are left. */
static void begin_phase(dvi_mix_order *o)
{
    o->first = o->position;
    o->block = -1;
    memcpy(o->before, o->taken, sizeof o->before);
    reduce_shares(o);
    make_pattern(o);
    find_end(o);
}

static void begin(dvi_mix_order *o)
{
    o->position = 0;
    memset(o->taken, 0, sizeof o->taken);
    memcpy(o->shares, o->plan->shares, (size_t)o->plan->n * sizeof *o->shares);
    begin_phase(o);
}

static void drop(dvi_mix_order *o, int32_t source)
{
    o->shares[source] = 0;
    begin_phase(o);
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* Is the phase over, and no other one begins?  Then no source is left, or the mix ends with the
 * first that was exhausted. */
static bool is_over(dvi_mix_order *o)
{
    while (o->period > 0 && o->position - o->first >= o->rows) {
        if (o->plan->stop == DV_MIX_FIRST)
            return true;
        drop(o, o->ends);
    }
    return o->period == 0;
}

int32_t dvi_mix_order_source(dvi_mix_order *o)
{
    return is_over(o) ? -1 : choose(o, o->position - o->first);
}

void dvi_mix_order_step(dvi_mix_order *o)
{
    const int32_t source = dvi_mix_order_source(o);
    if (source >= 0)
        take(o, source);
}

void dvi_mix_order_drop(dvi_mix_order *o)
{
    const int32_t source = dvi_mix_order_source(o);
    if (source >= 0)
        drop(o, source);
}

int64_t dvi_mix_order_taken(const dvi_mix_order *o, int32_t source)
{
    return o->taken[source];
}

void dvi_mix_order_seek(dvi_mix_order *o, int64_t position)
{
    if (position == o->position)
        return;
    if (position < o->first)
        begin(o);
    while (o->period > 0 && position - o->first >= o->rows) {
        go_to(o, o->rows);
        if (is_over(o))
            return;
    }
    if (o->period > 0)
        go_to(o, position - o->first);
}

int64_t dvi_mix_order_count(const dvi_mix_order *o)
{
    const dvi_mix_plan *plan = o->plan;
    int64_t rows = 0;
    if (plan->stop == DV_MIX_REPEAT)
        return INT64_MAX;
    if (plan->stop == DV_MIX_FIRST)
        return o->rows;
    for (int32_t i = 0; i < plan->n; i++)
        rows += plan->counts[i];
    return rows < DVI_MIX_ROWS_MOST ? rows : INT64_MAX;
}

/* --- Row numbers ------------------------------------------------------------------------------ */

/* The row of the source with which row k of its passes begins, and up to n - 1 more of that pass:
 * returns how many. */
static int64_t number_some(dvi_mix_order *o, int32_t source, int64_t k, int64_t n, int64_t *out)
{
    const int64_t rows = o->plan->counts[source], number = k / rows, at = k % rows;
    pass *p = o->passes ? &o->passes[source] : NULL;
    n = dvi_min_i64(n, rows - at);
    if (p && p->number != number) {
        const uint64_t key = dvi_key_derive(o->key, (uint64_t)source + 1);
        p->number = number;
        dvi_permutation_make(&p->rows, rows, dvi_key_derive(key, (uint64_t)number));
    }
    if (p)
        dvi_permutation_fill(&p->rows, at, 1, out, n);
    for (int64_t j = 0; j < n; j++)
        out[j] = o->plan->firsts[source] + (p ? out[j] : at + j);
    return n;
}

/* Take up to n rows, at most AT_ONCE, and list their sources; returns how many. */
static int take_some(dvi_mix_order *o, uint8_t *sources, int64_t n)
{
    int count = 0;
    for (; count < n && count < AT_ONCE; count++) {
        const int32_t source = dvi_mix_order_source(o);
        if (source < 0)
            break;
        sources[count] = (uint8_t)source;
        take(o, source);
    }
    return count;
}

/* Source by source, whose rows follow each other; then in the order of the mix. */
int64_t dvi_mix_order_rows(dvi_mix_order *o, int64_t *out, int64_t n)
{
    int64_t from[DV_MIX_SOURCES_MOST], numbers[AT_ONCE], done = 0;
    uint8_t sources[AT_ONCE];
    int at[DV_MIX_SOURCES_MOST], count = -1;
    while (done < n && count != 0) {
        int used = 0;
        memcpy(from, o->taken, sizeof from);
        count = take_some(o, sources, n - done);
        for (int32_t i = 0; i < o->plan->n; i++) {
            at[i] = used;
            for (int64_t k = from[i]; k < o->taken[i];) {
                const int64_t some = number_some(o, i, k, o->taken[i] - k, numbers + used);
                k += some;
                used += (int)some;
            }
        }
        for (int j = 0; j < count; j++)
            out[done + j] = numbers[at[sources[j]]++];
        done += count;
    }
    return done;
}

/* --- Life ------------------------------------------------------------------------------------- */

dv_status dvi_mix_order_create(dvi_mix_order **order_out, const dvi_mix_plan *plan, uint64_t key,
                               const dv_allocator *allocator, dv_error *err)
{
    dvi_mix_order *o;
    DVI_TRY(DVI_NEW(allocator, order_out, 1, err));
    o = *order_out;
    o->allocator = dvi_allocator_of(allocator);
    o->plan = plan;
    o->key = key;
    /* With FIRST the order of sources is the same in all epochs, which then have as many rows. */
    o->choices_key =
        dvi_key_derive(plan->stop == DV_MIX_FIRST ? dvi_key_derive(plan->seed, 0) : key, 0);
    if (plan->shuffle) {
        const dv_status status = DVI_NEW(allocator, &o->passes, (size_t)plan->n, err);
        if (status < 0) {
            dvi_mix_order_free(order_out);
            return status;
        }
        for (int32_t i = 0; i < plan->n; i++)
            o->passes[i].number = -1;
    }
    begin(o);
    return DV_OK;
}

void dvi_mix_order_free(dvi_mix_order **order)
{
    dvi_mix_order *o = *order;
    *order = NULL;
    if (!o)
        return;
    const dv_allocator allocator = o->allocator;
    dvi_free(&allocator, o->passes, o->passes ? (size_t)o->plan->n * sizeof *o->passes : 0);
    dvi_free(&allocator, o, sizeof *o);
}
