/* SPDX-License-Identifier: MIT */
/* hashtab.c: a hash table from texts to numbers. Open addressing, linear probing, SipHash-1-3. */
#include "base/hashtab.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/load.h"
#include "base/os.h"
#include <stdatomic.h>

struct dvi_hashtab_slot {
    dv_text key; /* data NULL: free */
    int32_t number;
    uint32_t hash; /* of the key, which growing does not hash again */
};

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/* 32 bits are enough: numbers are of 31, so slots are at most 2^32. */
static uint32_t hash_text(uint64_t seed, dv_text key)
{
    const size_t n = key.nbytes > 0 ? (size_t)key.nbytes : 0;
    uint64_t v[4] = {seed ^ 0x736f6d6570736575u, ~seed ^ 0x646f72616e646f6du,
                     seed ^ 0x6c7967656e657261u, ~seed ^ 0x7465646279746573u};
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        const uint64_t word = dvi_load_u64(key.data + i);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    uint64_t last = (uint64_t)n << 56;
    for (size_t k = 0; i + k < n; k++)
        last |= (uint64_t)(uint8_t)key.data[i + k] << (8 * k);
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xFF;
    for (int k = 0; k < 3; k++)
        sip_round(v);
    return (uint32_t)(v[0] ^ v[1] ^ v[2] ^ v[3]);
}

void dvi_hashtab_init(dvi_hashtab *table, const dv_allocator *allocator)
{
    *table = (dvi_hashtab){.allocator = dvi_allocator_of(allocator)};
}

/* Differs between processes, and between addresses at least. */
static uint64_t draw_seed(const void *address)
{
    uint64_t seed;
    const bool is_drawn = DVI_ATTEMPT("hashtab.c draw_seed", dvi_os_random(&seed, sizeof seed));
    return is_drawn ? seed : (uint64_t)(uintptr_t)address;
}

uint32_t dvi_text_hash(dv_text text)
{
    static atomic_uint_fast64_t shared; /* 0: not drawn yet */
    uint_fast64_t seed = atomic_load_explicit(&shared, memory_order_relaxed);
    if (seed == 0) {
        const uint_fast64_t drawn = draw_seed(&shared) | 1;
        if (atomic_compare_exchange_strong(&shared, &seed, drawn))
            seed = drawn;
    }
    return hash_text(seed, text);
}

void dvi_hashtab_free(dvi_hashtab *table)
{
    dvi_free(&table->allocator, table->slots, table->cap * sizeof *table->slots);
    table->slots = NULL;
    table->cap = table->used = 0;
}

/* The slot of a key, or the free slot for it. */
static dvi_hashtab_slot *find_slot(const dvi_hashtab *table, dv_text key, uint32_t hash)
{
    size_t i = hash & (table->cap - 1);
    while (table->slots[i].key.data &&
           (table->slots[i].hash != hash || !dv_text_equal(table->slots[i].key, key)))
        i = (i + 1) & (table->cap - 1);
    return &table->slots[i];
}

static dv_status grow(dvi_hashtab *table, dv_error *err)
{
    dvi_hashtab wider = *table;
    wider.cap = table->cap ? 2 * table->cap : 16;
    if (!table->cap) /* many tables stay empty, and each draw is a call of the system */
        wider.seed = draw_seed(table);
    void *slots;
    DVI_TRY(dvi_alloc_zeroed(&table->allocator, &slots, wider.cap * sizeof *wider.slots, err));
    wider.slots = slots;
    for (size_t i = 0; i < table->cap; i++)
        if (table->slots[i].key.data)
            *find_slot(&wider, table->slots[i].key, table->slots[i].hash) = table->slots[i];
    dvi_free(&table->allocator, table->slots, table->cap * sizeof *table->slots);
    *table = wider;
    return DV_OK;
}

dv_status dvi_hashtab_put(dvi_hashtab *table, dv_text key, int32_t number, int32_t *before_out,
                          dv_error *err)
{
    if (4 * (table->used + 1) > 3 * table->cap)
        DVI_TRY(grow(table, err));
    const uint32_t hash = hash_text(table->seed, key);
    dvi_hashtab_slot *slot = find_slot(table, key, hash);
    *before_out = slot->key.data ? slot->number : -1;
    if (!slot->key.data)
        table->used++;
    if (!key.data)
        key.data = ""; /* the empty text may have NULL, which marks a free slot */
    *slot = (dvi_hashtab_slot){key, number, hash};
    return DV_OK;
}

int32_t dvi_hashtab_get(const dvi_hashtab *table, dv_text key)
{
    if (!table->cap)
        return -1;
    const dvi_hashtab_slot *slot = find_slot(table, key, hash_text(table->seed, key));
    return slot->key.data ? slot->number : -1;
}
