/* SPDX-License-Identifier: MIT */
/* gram_hash.c: hashes grams, and remembers those of each slot. */
#include "transform/gram_hash.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "simd/murmur_steps.h"

static uint32_t hash_keys(const dvi_gram_hash *h, const uint32_t *gram, int32_t length)
{
    uint32_t hash = h->seed;
    for (int32_t i = 0; i < length; i++)
        hash = dvi_murmur_add(hash, gram[i]);
    return dvi_murmur_end(dvi_murmur_add(hash, (uint32_t)length));
}

static inline uint32_t slot_of(const dvi_gram_hash *h, const uint32_t *gram, int32_t length,
                               int32_t source)
{
    uint32_t hash = length == 1 && !h->rehash ? gram[0] : hash_keys(h, gram, length);
    if (h->is_ordered) {
        if (source > 0)
            hash = dvi_murmur_add(hash, (uint32_t)source);
        hash = dvi_murmur_end(hash);
    }
    return hash & (UINT32_MAX >> (32 - h->bits));
}

uint32_t dvi_gram_hash_slot(const dvi_gram_hash *h, const uint32_t *gram, int32_t length,
                            int32_t source)
{
    return slot_of(h, gram, length, source);
}

void dvi_gram_hash_ones(const dvi_gram_hash *h, const uint32_t *keys, int n, int32_t source,
                        uint32_t *slots_out)
{
    for (int i = 0; i < n; i++)
        slots_out[i] = slot_of(h, keys + i, 1, source);
}

/* --- Seeing ----------------------------------------------------------------------------------- */

dv_status dvi_gram_seen_init(dvi_gram_seen *s, const dvi_gram_hash *hash, int32_t sources,
                             bool has_words, int32_t most, const dv_allocator *allocator,
                             dv_error *err)
{
    void *words = NULL;
    *s = (dvi_gram_seen){
        .allocator = dvi_allocator_of(allocator), .hash = *hash, .sources = sources};
    if (has_words)
        DVI_TRY(dvi_alloc(allocator, &words, (size_t)sources * sizeof *s->words, err));
    s->words = words;
    dvi_seen_init(&s->grams, false, most, &s->allocator);
    for (int32_t i = 0; has_words && i < sources; i++)
        dvi_seen_init(&s->words[i], false, most, &s->allocator);
    return DV_OK;
}

void dvi_gram_seen_free(dvi_gram_seen *s)
{
    if (!s->grams.allocator)
        return;
    dvi_seen_free(&s->grams);
    for (int32_t i = 0; s->words && i < s->sources; i++)
        dvi_seen_free(&s->words[i]);
    dvi_free(&s->allocator, s->words, (size_t)s->sources * sizeof *s->words);
}

typedef struct seeing {
    dvi_gram_seen *seen;
    int32_t source;
    int64_t place;
    dv_status status;
    dv_error *err;
} seeing;

/* The bytes of a gram are its source and its keys. */
static void see_gram(void *ctx, const uint32_t *gram, int32_t length)
{
    seeing *s = ctx;
    uint32_t bytes[DVI_GRAM_KEYS + 1] = {(uint32_t)s->source};
    if (s->status < 0)
        return;
    memcpy(bytes + 1, gram, 4 * (size_t)length);
    const dvi_seen_value value = {
        .key = dvi_gram_hash_slot(&s->seen->hash, gram, length, s->source) + 1,
        .row = s->place,
        .bytes = {(const char *)bytes, 4 * ((int64_t)length + 1)}};
    s->status = dvi_seen_add(&s->seen->grams, &value, s->err);
}

dv_status dvi_gram_seen_row(dvi_gram_seen *seen, int32_t source, const uint32_t *keys, int32_t n,
                            int64_t place, dv_error *err)
{
    seeing s = {seen, source, place, DV_OK, err};
    for (int32_t at = 0; at < n && s.status == DV_OK; at++)
        dvi_gram_each(&seen->hash.shape, keys, n, at, see_gram, &s);
    return s.status;
}

dv_status dvi_gram_seen_merge(dvi_gram_seen *s, const dvi_gram_seen *other, dv_error *err)
{
    for (int32_t i = 0; s->words && i < s->sources; i++)
        DVI_TRY(dvi_seen_merge(&s->words[i], &other->words[i], err));
    return dvi_seen_merge(&s->grams, &other->grams, err);
}
