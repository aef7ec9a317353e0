/* SPDX-License-Identifier: MIT */
/* grams_learn.c: dictionaries of grams learn from rows, alone or several together.
 *
 * Grams are numbered as they come, so the place of the first of each is what merging needs. A
 * dictionary that counts rows keeps more grams than it may, since other threads may have met them
 * earlier; in the end the last ones are cut off. */
#include "base/check.h"
#include "base/size.h"
#include "transform/grams_priv.h"
#include <math.h>

#define ONES 64        /* single keys for which room is made together */
#define KEPT (1 << 20) /* grams of a length, if rows are counted */

/* --- A row ------------------------------------------------------------------------------------ */

typedef struct learning {
    dvi_grams *grams;
    int64_t place;
} learning;

static void learn_gram(void *ctx, const uint32_t *gram, int32_t length)
{
    const learning *l = ctx;
    dvi_grams *g = l->grams;
    const int64_t before = g->count, number = dvi_grams_put(g, gram, length);
    if (number == before) {
        dvi_grams_list(g->places)[number] = l->place;
        if (g->within) {
            dvi_grams_list(g->within)[number] = 0;
            dvi_grams_list(g->last)[number] = -1;
        }
    }
    if (number >= 0 && g->within && dvi_grams_list(g->last)[number] != l->place) {
        dvi_grams_list(g->last)[number] = l->place;
        dvi_grams_list(g->within)[number]++;
    }
}

static void keep_more(dvi_grams *g)
{
    for (int32_t length = 1; length <= DVI_GRAM_KEYS; length++)
        if (g->most[length] > 0 && g->options.weight != DVI_GRAM_TF)
            g->most[length] = g->most[length] > KEPT ? g->most[length] : KEPT;
}

/* Learn single keys: most are known, and only new ones matter unless rows are counted. */
static dv_status learn_ones(learning *l, const uint32_t *keys, int32_t n, dv_error *err)
{
    dvi_grams *g = l->grams;
    for (int32_t at = 0; at < n; at += ONES) {
        const int32_t end = n - at < ONES ? n : at + ONES;
        DVI_TRY(dvi_grams_reserve(g, ONES, err));
        for (int32_t i = at; i < end; i++)
            if (g->within || keys[i] >= g->ones_cap || g->ones[keys[i]] == 0)
                learn_gram(l, keys + i, 1);
    }
    return DV_OK;
}

dv_status dvi_grams_learn(dvi_grams *g, const uint32_t *keys, int32_t n, int64_t place,
                          dv_error *err)
{
    learning l = {g, place};
    const int32_t starts = dvi_gram_shape_starts(&g->options.shape);
    if (g->rows == 0)
        keep_more(g);
    g->rows++;
    if (g->options.shape.n == 1)
        return learn_ones(&l, keys, n, err);
    for (int32_t at = 0; at < n; at++) {
        DVI_TRY(dvi_grams_reserve(g, starts, err));
        dvi_gram_each(&g->options.shape, keys, n, at, learn_gram, &l);
    }
    return DV_OK;
}

void dvi_grams_map_keys(dvi_grams *g, const uint32_t *keys)
{
    for (size_t i = 0; i < g->keys_count; i++) {
        uint32_t *key = (uint32_t *)(void *)g->keys->data + i;
        *key = keys[*key];
    }
}

/* --- Several dictionaries --------------------------------------------------------------------- */

/* The dictionary whose next gram came first; -1: there is no more. */
static int32_t next_part(dvi_grams *const *parts, int32_t n, const int64_t *next)
{
    int32_t least = -1;
    for (int32_t k = 0; k < n; k++)
        if (next[k] < parts[k]->count &&
            (least < 0 || dvi_grams_list(parts[k]->places)[next[k]] <
                              dvi_grams_list(parts[least]->places)[next[least]]))
            least = k;
    return least;
}

/* Add the grams of a part that first came where the next one did. */
static dv_status add_row(dvi_grams *merged, const dvi_grams *part, int64_t *next, dv_error *err)
{
    const int64_t *places = dvi_grams_list(part->places), place = places[*next];
    for (; *next < part->count && places[*next] == place; ++*next) {
        const uint32_t *keys;
        const int32_t length = dvi_grams_at(part, *next, &keys);
        const int64_t before = merged->count;
        DVI_TRY(dvi_grams_reserve(merged, 1, err));
        if (dvi_grams_put(merged, keys, length) == before && merged->within)
            dvi_grams_list(merged->within)[before] = 0;
    }
    return DV_OK;
}

static void add_counts(dvi_grams *merged, const dvi_grams *part)
{
    merged->rows += part->rows;
    for (int64_t i = 0; part->within && i < part->count; i++) {
        const uint32_t *keys;
        const int32_t length = dvi_grams_at(part, i, &keys);
        const int64_t number = dvi_grams_find(merged, keys, length);
        if (number >= 0)
            dvi_grams_list(merged->within)[number] += dvi_grams_list(part->within)[i];
    }
}

static dv_status merge(dvi_grams *merged, dvi_grams *const *parts, int32_t n, dv_error *err)
{
    int64_t next[256] = {0}; /* DVI_LEARNERS_MAX */
    for (int32_t k; (k = next_part(parts, n, next)) >= 0;)
        DVI_TRY(add_row(merged, parts[k], &next[k], err));
    for (int32_t k = 0; k < n; k++)
        add_counts(merged, parts[k]);
    return DV_OK;
}

dv_status dvi_grams_merge(dvi_grams **merged_out, dvi_grams *const *parts, int32_t n, dv_error *err)
{
    *merged_out = NULL;
    for (int32_t k = 0; n > 1 && k < n; k++)
        if (parts[k]->has_left_out && parts[k]->options.weight != DVI_GRAM_TF)
            return DV_NOT_FOUND;
    DVI_TRY(dvi_grams_create(merged_out, &parts[0]->options, &parts[0]->allocator, err));
    const dv_status status = merge(*merged_out, parts, n, err);
    if (status < 0)
        dvi_grams_free(merged_out);
    return status;
}

/* --- The end ---------------------------------------------------------------------------------- */

static bool has_too_many(const dvi_grams *g)
{
    const dvi_gram_shape *s = &g->options.shape;
    for (int32_t length = 1; length <= s->n; length++)
        if ((s->all || length == s->n) && g->counts[length] > g->options.most[length - 1])
            return true;
    return false;
}

static dv_status find_idf(dvi_grams *g, dv_error *err)
{
    if (g->options.weight == DVI_GRAM_TF)
        return DV_OK;
    DVI_TRY(dvi_memory_create(&g->idf, &g->allocator, 8 * (size_t)g->count, err));
    double *idf = (double *)(void *)g->idf->data;
    for (int64_t i = 0; i < g->count; i++)
        idf[i] = log((double)g->rows / (double)dvi_grams_list(g->within)[i]);
    return DV_OK;
}

dv_status dvi_grams_finish(dvi_grams **grams, dv_error *err)
{
    if (has_too_many(*grams)) {
        dvi_grams *cut;
        DVI_TRY(dvi_grams_merge(&cut, grams, 1, err));
        dvi_grams_free(grams);
        *grams = cut;
    }
    DVI_TRY(find_idf(*grams, err));
    dvi_memory_release(&(*grams)->places);
    dvi_memory_release(&(*grams)->within);
    dvi_memory_release(&(*grams)->last);
    return DV_OK;
}
