/* SPDX-License-Identifier: MIT */
/* datadings_table.c: rows by the hashes of their keys.  Open addressing, linear probing. */
#include "format/datadings/datadings_table.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include <string.h>
#include <sys/random.h>

__extension__ typedef unsigned __int128 u128;

void dvi_key_table_init(dvi_key_table *table, const dv_allocator *allocator)
{
    *table = (dvi_key_table){.allocator = dvi_allocator_of(allocator)};
    if (getrandom(&table->seed, sizeof table->seed, GRND_NONBLOCK) != sizeof table->seed)
        table->seed = (uint64_t)(uintptr_t)table; /* still differs from run to run */
}

static size_t slots_nbytes(const dvi_key_table *table)
{
    return table->cap * sizeof *table->slots;
}

void dvi_key_table_free(dvi_key_table *table)
{
    dvi_free(&table->allocator, table->slots, slots_nbytes(table));
    table->slots = NULL;
    table->cap = table->used = 0;
}

void dvi_key_table_clear(dvi_key_table *table)
{
    if (table->slots)
        memset(table->slots, 0, slots_nbytes(table));
    table->used = 0;
}

/* Where the search for a hash begins.  The hashes of a sound file are as good as random, those of
 * another one need not be; an odd factor that nobody knows spreads any of them. */
static size_t start_of(const dvi_key_table *table, uint64_t hash)
{
    return (size_t)((u128)(hash * (table->seed | 1)) * table->cap >> 64);
}

static uint64_t hash_of(const dvi_key_slot *slot)
{
    return (uint64_t)slot->hash[1] << 32 | slot->hash[0];
}

/* The slot of a hash, or the free one where it belongs. */
static dvi_key_slot *find_slot(const dvi_key_table *table, uint64_t hash)
{
    size_t i = start_of(table, hash);
    while (table->slots[i].row != 0 && hash_of(&table->slots[i]) != hash)
        i = i + 1 < table->cap ? i + 1 : 0;
    return &table->slots[i];
}

dv_status dvi_key_table_reserve(dvi_key_table *table, size_t n, dv_error *err)
{
    dvi_key_table wider = *table;
    size_t nbytes;
    void *slots;
    if (n <= table->cap / 4 * 3)
        return DV_OK;
    wider.cap = (n / 3 + 1) * 4;
    if (!dvi_size_mul(wider.cap, sizeof *wider.slots, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc_zeroed(&table->allocator, &slots, nbytes, err));
    wider.slots = slots;
    for (size_t i = 0; i < table->cap; i++)
        if (table->slots[i].row != 0)
            *find_slot(&wider, hash_of(&table->slots[i])) = table->slots[i];
    dvi_free(&table->allocator, table->slots, slots_nbytes(table));
    *table = wider;
    return DV_OK;
}

int64_t dvi_key_table_put(dvi_key_table *table, uint64_t hash, int64_t row)
{
    dvi_key_slot *slot = find_slot(table, hash);
    if (slot->row != 0)
        return (int64_t)slot->row - 1;
    *slot = (dvi_key_slot){{(uint32_t)hash, (uint32_t)(hash >> 32)}, (uint32_t)(row + 1)};
    table->used++;
    return -1;
}

int64_t dvi_key_table_get(const dvi_key_table *table, uint64_t hash)
{
    return table->cap ? (int64_t)find_slot(table, hash)->row - 1 : -1;
}

void dvi_key_table_fetch(const dvi_key_table *table, uint64_t hash)
{
    DVI_FETCH(&table->slots[start_of(table, hash)]);
}
