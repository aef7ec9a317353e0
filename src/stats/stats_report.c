/* SPDX-License-Identifier: MIT */
/* stats_report.c: computes quantiles, means, bins and frequent values from a summary. */
#include "stats/stats_report.h"
#include "base/check.h"
#include "base/size.h"
#include "base/utf8.h"
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

static int64_t reported(int64_t count)
{
    return count >= DVI_COUNT_MOST ? INT64_MAX : count;
}

/* --- Order ------------------------------------------------------------------------------------ */

static uint64_t zero_key(const dvi_stats_column *c)
{
    return dvi_stats_key_of(c->form, (dv_stats_value){.u8 = 0});
}

/* The number of finite values not above the key. */
static int64_t at_most(const dvi_stats_column *c, uint64_t key)
{
    return dvi_tree_at_most(&c->tree, key) + (key >= zero_key(c) ? c->zeros : 0);
}

static int64_t finite_values(const dvi_stats_column *c)
{
    return c->zeros + (c->tree.count ? c->tree.nodes[0].moments.n : 0);
}

/* The smallest key with at least `rank` finite values not above it; 1 <= rank <= all. */
static uint64_t find_rank(const dvi_stats_column *c, int64_t rank, uint64_t low, uint64_t high)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (at_most(c, middle) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ceil(p * n), but at least 1.  n can be far beyond what a double counts exactly. */
static int64_t rank_of(double p, int64_t n)
{
    const int64_t percent = (int64_t)(100 * p + 0.5);
    const int64_t rank = n / 100 * percent + (n % 100 * percent + 99) / 100;
    return dvi_max_i64(rank, 1);
}

static void report_quantiles(dv_column_stats *s, const dvi_stats_column *c, uint64_t low,
                             uint64_t high)
{
    static const double shares[] = {
#define SHARE(p) p,
        DV_STATS_QUANTILE_LIST(SHARE)
#undef SHARE
    };
    const int64_t finite = finite_values(c);
    for (int i = 0; i < DV_STATS_QUANTILES; i++) {
        const int64_t rank = rank_of(shares[i], s->ordered) - c->negative_infinities;
        if (rank <= 0)
            s->quantile[i].r8 = -INFINITY;
        else if (rank > finite)
            s->quantile[i].r8 = INFINITY;
        else
            s->quantile[i] = dvi_stats_value_of(c->form, find_rank(c, rank, low, high));
    }
    const dvi_ranks *ranks = c->tree.count ? &c->tree.nodes[0].ranks : NULL;
    if (ranks)
        s->rank_error = (double)dvi_max_i64(ranks->above, ranks->below) / (double)s->ordered;
}

static void report_ends(dv_column_stats *s, const dvi_stats_column *c, uint64_t low, uint64_t high)
{
    const bool is_finite = finite_values(c) > 0;
    if (is_finite) {
        s->bin_low = s->min = dvi_stats_value_of(c->form, low);
        s->bin_high = s->max = dvi_stats_value_of(c->form, high);
    }
    if (c->negative_infinities > 0 || !is_finite)
        s->min.r8 = c->negative_infinities > 0 ? -INFINITY : INFINITY;
    if (c->positive_infinities > 0 || !is_finite)
        s->max.r8 = c->positive_infinities > 0 ? INFINITY : -INFINITY;
}

/* The first key of bin i. */
static uint64_t bin_start(dv_stats_form form, uint64_t low, uint64_t high, int i)
{
    if (form != DV_STATS_R8)
        return low +
               (uint64_t)((((u128)(high - low) + 1) * (u128)i + DV_STATS_BINS - 1) / DV_STATS_BINS);
    const double share = (double)i / DV_STATS_BINS;
    const double start =
        dvi_stats_number_of(form, low) * (1 - share) + dvi_stats_number_of(form, high) * share;
    const uint64_t key = dvi_stats_key_of(form, (dv_stats_value){.r8 = start});
    return key < low ? low : key > high ? high : key;
}

static void report_bins(dv_column_stats *s, const dvi_stats_column *c, uint64_t low, uint64_t high)
{
    int64_t before = 0;
    for (int i = 1; i <= DV_STATS_BINS && finite_values(c) > 0; i++) {
        int64_t up_to = finite_values(c);
        if (i < DV_STATS_BINS && low < high) {
            const uint64_t start = bin_start(c->form, low, high, i);
            up_to = start > low ? at_most(c, start - 1) : 0;
        }
        up_to = dvi_max_i64(up_to, before); /* reals can be rounded the other way */
        s->bin[i - 1] = up_to - before;
        before = up_to;
    }
}

/* --- Mean ------------------------------------------------------------------------------------- */

static void report_moments(dv_column_stats *s, const dvi_stats_column *c)
{
    dvi_moments all = {.n = c->zeros};
    if (c->tree.count)
        dvi_moments_merge(&all, &c->tree.nodes[0].moments);
    s->mean = s->sd = NAN;
    if (c->item.is_key || s->ordered == 0)
        return;
    const bool down = c->negative_infinities > 0, up = c->positive_infinities > 0;
    if (down || up) {
        s->mean = down && up ? NAN : down ? -INFINITY : INFINITY;
        return;
    }
    s->mean = all.mean;
    if (all.n > 1)
        s->sd = sqrt(all.squares / (double)(all.n - 1));
}

static dv_stats_lengths report_lengths(const dvi_length_sum *sum)
{
    if (sum->count == 0)
        return (dv_stats_lengths){-1, -1, NAN};
    return (dv_stats_lengths){sum->least, sum->most, (double)sum->total / (double)sum->count};
}

/* --- Different values ------------------------------------------------------------------------- */

/* The bytes of a text to keep, without cutting a character. */
static int64_t whole_nbytes(const dvi_stats_column *c, const dvi_tail *tail)
{
    const size_t cap = sizeof tail->text;
    if (tail->nbytes <= (int32_t)cap)
        return tail->nbytes;
    size_t n = 0;
    if (c->item.kind != DV_KIND_TX)
        return (int64_t)cap;
    for (size_t step = 1; step > 0 && n < cap; n += step)
        step = dvi_utf8_step(tail->text + n, cap - n);
    return (int64_t)n;
}

static dv_status report_top(dv_column_stats *s, const dvi_stats_column *c, dvi_arena *arena,
                            dv_error *err)
{
    size_t top[DV_STATS_TOP];
    void *made;
    const dvi_entries *entries = &c->distinct.entries;
    const bool has_values = c->form != DV_STATS_NONE || c->distinct.has_tails;
    if (c->distinct.registers || entries->n == 0 || !has_values)
        return DV_OK;
    s->top_count = dvi_distinct_top(&c->distinct, top);
    DVI_TRY(dvi_arena_alloc(arena, &made, (size_t)s->top_count * sizeof *s->top, err));
    dv_stats_top *const values = made;
    for (int32_t i = 0; i < s->top_count; i++) {
        dv_stats_top *t = &values[i];
        const dvi_entry *entry = &entries->entry[top[i]];
        *t = (dv_stats_top){reported(entry->count), {.u8 = entry->lo}, dv_text_of(NULL), -1};
        if (!c->distinct.has_tails)
            continue;
        const dvi_tail *tail = &entries->tail[top[i]];
        const dv_text text = {tail->text, whole_nbytes(c, tail)};
        t->value.u8 = 0;
        t->text_nbytes = tail->nbytes;
        DVI_TRY(dvi_arena_text(arena, &t->text, text, err));
    }
    s->top = values;
    return DV_OK;
}

static dv_status report_distinct(dv_column_stats *s, dvi_stats_column *c, dvi_arena *arena,
                                 dv_error *err)
{
    s->distinct = -1;
    if (!c->has_distinct)
        return DV_OK;
    DVI_TRY(dvi_distinct_finish(&c->distinct, err));
    /* an estimate may be above the number of values */
    s->distinct = dvi_min_i64(dvi_distinct_count(&c->distinct), s->values - s->na);
    s->distinct_error = c->distinct.registers ? DVI_DISTINCT_ERROR : 0;
    return report_top(s, c, arena, err);
}

dv_status dvi_stats_report(dv_column_stats *s, dvi_stats_column *c, dvi_arena *arena, dv_error *err)
{
    DVI_TRY(dvi_tree_finish(&c->tree, err));
    s->values = reported(c->values);
    s->na = reported(c->na);
    s->defaults = reported(c->defaults);
    s->vector_length = report_lengths(&c->vectors);
    s->text_nbytes = report_lengths(&c->texts);
    s->form = c->form;
    s->negative_infinities = c->negative_infinities;
    s->positive_infinities = c->positive_infinities;
    s->ordered = finite_values(c) + c->negative_infinities + c->positive_infinities;
    report_moments(s, c);
    if (s->ordered > 0) {
        const uint64_t zero = zero_key(c);
        const uint64_t low = c->zeros && zero < c->low ? zero : c->low;
        const uint64_t high = c->zeros && zero > c->high ? zero : c->high;
        report_ends(s, c, low, high);
        report_quantiles(s, c, low, high);
        report_bins(s, c, low, high);
    }
    s->ordered = reported(s->ordered);
    return report_distinct(s, c, arena, err);
}
