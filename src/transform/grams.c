/* SPDX-License-Identifier: MIT */
/* grams.c: an open hash table from grams to numbers, and the grams in their order. Single keys that
 * are small, as numbers of words are, have an array instead. */
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/os.h"
#include "view/identity.h"
#include "transform/grams_priv.h"
#include <string.h>

#define SLOTS_LEAST 64

/* --- Grams of a row --------------------------------------------------------------------------- */

dv_status dvi_gram_shape_check(const dvi_gram_shape *s, dv_error *err)
{
    if (s->n < 1 || s->skips < 0 || s->n + s->skips > DVI_GRAM_KEYS)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.9", -1, "n and skips of grams",
                        "1 or more, and at most %d together|%d and %d", DVI_GRAM_KEYS, (int)s->n,
                        (int)s->skips);
    if (s->n == 1 && s->skips > 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.9", -1, "skips in grams of one key",
                        "0|%d", (int)s->skips);
    return DV_OK;
}

/* Of grams that begin with one key and have `length` keys more, C(length + skips, skips). */
int32_t dvi_gram_shape_starts(const dvi_gram_shape *s)
{
    int32_t sum = 0, ways = 1;
    for (int32_t length = 0; length < s->n; length++) {
        sum += ways;
        ways = ways * (length + 1 + s->skips) / (length + 1);
    }
    return sum;
}

void dvi_gram_extend(const dvi_gram_shape *s, const uint32_t *keys, int32_t n, int32_t at,
                     uint32_t *gram, int32_t length, int32_t left, dvi_gram_visit *visit, void *ctx)
{
    if (s->all || length == s->n)
        visit(ctx, gram, length);
    if (length == s->n)
        return;
    for (int32_t skipped = 0; skipped <= left && at + 1 + skipped < n; skipped++) {
        gram[length] = keys[at + 1 + skipped];
        dvi_gram_extend(s, keys, n, at + 1 + skipped, gram, length + 1, left - skipped, visit, ctx);
    }
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status check_options(const dvi_gram_options *o, dv_error *err)
{
    int64_t sum = 0;
    DVI_TRY(dvi_gram_shape_check(&o->shape, err));
    for (int32_t i = o->shape.all ? 0 : o->shape.n - 1; i < o->shape.n; i++)
        sum += o->most[i];
    if (sum >= INT32_MAX)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.9", -1, "grams of all lengths (max)",
                        "at most 2^31-2|%lld", (long long)sum);
    return DV_OK;
}

dv_status dvi_grams_create(dvi_grams **grams_out, const dvi_gram_options *options,
                           const dv_allocator *allocator, dv_error *err)
{
    void *made;
    const dv_allocator with = dvi_allocator_of(allocator);
    *grams_out = NULL;
    DVI_TRY(check_options(options, err));
    DVI_TRY(dvi_alloc_zeroed(&with, &made, sizeof(dvi_grams), err));
    dvi_grams *g = made;
    g->allocator = with;
    g->options = *options;
    for (int32_t length = 1; length <= options->shape.n; length++)
        if (options->shape.all || length == options->shape.n)
            g->most[length] = options->most[length - 1];
    if (!DVI_ATTEMPT("grams.c dvi_grams_create", dvi_os_random(&g->seed, sizeof g->seed)))
        g->seed = (uint64_t)(uintptr_t)g;
    *grams_out = g;
    return DV_OK;
}

static void end_learning(dvi_grams *g)
{
    dvi_memory_release(&g->places);
    dvi_memory_release(&g->within);
    dvi_memory_release(&g->last);
}

void dvi_grams_free(dvi_grams **grams)
{
    dvi_grams *g = *grams;
    *grams = NULL;
    if (!g)
        return;
    const dv_allocator allocator = g->allocator;
    end_learning(g);
    dvi_memory_release(&g->keys);
    dvi_memory_release(&g->ends);
    dvi_memory_release(&g->idf);
    dvi_free(&allocator, g->slots, g->cap * sizeof *g->slots);
    dvi_free(&allocator, g->ones, g->ones_cap * sizeof *g->ones);
    dvi_free(&allocator, g, sizeof *g);
}

int64_t dvi_grams_count(const dvi_grams *g)
{
    return g->count;
}

const dvi_gram_options *dvi_grams_options(const dvi_grams *g)
{
    return &g->options;
}

int32_t dvi_grams_at(const dvi_grams *g, int64_t number, const uint32_t **keys_out)
{
    const uint64_t *ends = dvi_grams_ends(g), first = number > 0 ? ends[number - 1] : 0;
    *keys_out = (const uint32_t *)(const void *)g->keys->data + first;
    return (int32_t)(ends[number] - first);
}

double dvi_grams_idf(const dvi_grams *g, int64_t number)
{
    return ((const double *)(const void *)g->idf->data)[number];
}

/* --- The table -------------------------------------------------------------------------------- */

/* The seed keeps a file from being made whose grams collide. */
static inline uint32_t hash_of(const dvi_grams *g, const uint32_t *keys, int32_t length)
{
    uint64_t hash = g->seed;
    for (int32_t i = 0; i < length; i++) {
        hash = (hash ^ keys[i]) * UINT64_C(0x9FB21C651E98DF25);
        hash ^= hash >> 29;
    }
    return (uint32_t)((hash * UINT64_C(0xD6E8FEB86659FD93)) >> 32);
}

static inline bool is_gram(const dvi_grams *g, int64_t number, const uint32_t *keys, int32_t length)
{
    const uint32_t *known;
    return dvi_grams_at(g, number, &known) == length &&
           memcmp(known, keys, (size_t)length * sizeof *keys) == 0;
}

/* The place of the slot of a gram, or of the free slot for it. */
static inline size_t find_place(const dvi_grams *g, uint32_t hash, const uint32_t *keys,
                                int32_t length)
{
    size_t at = hash & (g->cap - 1);
    for (uint64_t slot; (slot = g->slots[at]) != 0; at = (at + 1) & (g->cap - 1))
        if ((uint32_t)(slot >> 32) == hash && is_gram(g, (int64_t)(uint32_t)slot - 1, keys, length))
            break;
    return at;
}

int64_t dvi_grams_find(const dvi_grams *g, const uint32_t *keys, int32_t length)
{
    if (g->cap == 0)
        return -1;
    if (length == 1 && *keys < g->ones_cap)
        return (int64_t)g->ones[*keys] - 1;
    const size_t at = find_place(g, hash_of(g, keys, length), keys, length);
    return (int64_t)(uint32_t)g->slots[at] - 1;
}

static void list_ones(dvi_grams *g)
{
    for (int64_t i = 0; g->ones_cap > 0 && i < g->count; i++) {
        const uint32_t *keys;
        if (dvi_grams_at(g, i, &keys) == 1 && *keys < g->ones_cap)
            g->ones[*keys] = (uint32_t)i + 1;
    }
}

static dv_status grow_table(dvi_grams *g, size_t cap, dv_error *err)
{
    void *made, *ones;
    const size_t ones_cap = g->options.shape.all || g->options.shape.n == 1 ? cap : 0;
    DVI_TRY(dvi_alloc_zeroed(&g->allocator, &made, cap * sizeof *g->slots, err));
    const dv_status status =
        dvi_alloc_zeroed(&g->allocator, &ones, ones_cap * sizeof *g->ones, err);
    if (status < 0) {
        dvi_free(&g->allocator, made, cap * sizeof *g->slots);
        return status;
    }
    uint64_t *slots = made;
    for (size_t i = 0; i < g->cap; i++) {
        size_t at = (size_t)(g->slots[i] >> 32) & (cap - 1);
        while (g->slots[i] && slots[at])
            at = (at + 1) & (cap - 1);
        if (g->slots[i])
            slots[at] = g->slots[i];
    }
    dvi_free(&g->allocator, g->slots, g->cap * sizeof *g->slots);
    dvi_free(&g->allocator, g->ones, g->ones_cap * sizeof *g->ones);
    g->slots = slots;
    g->ones = ones;
    g->cap = cap;
    g->ones_cap = ones_cap;
    list_ones(g);
    return DV_OK;
}

/* Make room for more items, at first a little and then twice as much. */
static dv_status extend(dvi_grams *g, dvi_memory **memory, size_t used, size_t more, size_t width,
                        dv_error *err)
{
    if (*memory && (*memory)->cap / width - used >= more)
        return DV_OK;
    return dvi_memory_extend(memory, width * used, width * (used + (more > used ? more : used)),
                             &g->allocator, err);
}

dv_status dvi_grams_reserve(dvi_grams *g, int64_t more, dv_error *err)
{
    const size_t n = (size_t)g->count, add = (size_t)more;
    size_t cap = g->cap ? g->cap : SLOTS_LEAST;
    while (2 * (n + add) > cap)
        cap *= 2;
    if (cap > g->cap)
        DVI_TRY(grow_table(g, cap, err));
    DVI_TRY(extend(g, &g->keys, g->keys_count, add * (size_t)g->options.shape.n, 4, err));
    DVI_TRY(extend(g, &g->ends, n, add, 8, err));
    DVI_TRY(extend(g, &g->places, n, add, 8, err));
    if (g->options.weight == DVI_GRAM_TF)
        return DV_OK;
    DVI_TRY(extend(g, &g->within, n, add, 8, err));
    return extend(g, &g->last, n, add, 8, err);
}

int64_t dvi_grams_put(dvi_grams *g, const uint32_t *keys, int32_t length)
{
    const bool is_one = length == 1 && *keys < g->ones_cap;
    const uint32_t hash = is_one ? 0 : hash_of(g, keys, length);
    const size_t at = is_one ? 0 : find_place(g, hash, keys, length);
    const uint32_t known = is_one ? g->ones[*keys] : (uint32_t)g->slots[at];
    if (known)
        return (int64_t)known - 1;
    if (g->counts[length] >= g->most[length]) {
        g->has_left_out = g->has_left_out || g->most[length] > 0;
        return -1;
    }
    memcpy(g->keys->data + 4 * g->keys_count, keys, 4 * (size_t)length);
    g->keys_count += (size_t)length;
    dvi_grams_ends(g)[g->count] = g->keys_count;
    g->count++;
    g->counts[length]++;
    if (is_one)
        g->ones[*keys] = (uint32_t)g->count;
    else
        g->slots[at] = (uint64_t)hash << 32 | (uint64_t)g->count;
    return g->count - 1;
}

/* --- Identity --------------------------------------------------------------------------------- */

void dvi_grams_identify(const dvi_grams *g, dv_identity *identity)
{
    const dvi_gram_options *o = &g->options;
    const int64_t numbers[] = {o->shape.n, o->shape.skips, o->shape.all, o->weight, g->count};
    dv_identity_add(identity, numbers, sizeof numbers);
    if (g->count == 0)
        return;
    dv_identity_add(identity, g->keys->data, 4 * g->keys_count);
    dv_identity_add(identity, g->ends->data, 8 * (size_t)g->count);
    if (g->idf)
        dv_identity_add(identity, g->idf->data, 8 * (size_t)g->count);
}
