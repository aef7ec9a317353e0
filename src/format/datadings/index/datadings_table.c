/* SPDX-License-Identifier: MIT */
/* datadings_table.c: a hash table with open addressing by cache lines. */
#include "format/datadings/index/datadings_table.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/compiler.h"
#include "base/os.h"
#include "base/size.h"
#include <string.h>

__extension__ typedef unsigned __int128 u128;

_Static_assert(sizeof(dvi_key_line) == DVI_ALIGNMENT, "as allocations are aligned");

#define LARGE_PAGE ((size_t)2 << 20)

/* Slot k of a line. */
typedef struct slot {
    dvi_key_line *line;
    size_t k;
} slot;

void dvi_key_table_init(dvi_key_table *table, const dv_allocator *allocator)
{
    *table = (dvi_key_table){.allocator = dvi_allocator_of(allocator)};
    if (!DVI_ATTEMPT("datadings_table.c dvi_key_table_init",
                     dvi_os_random(&table->seed, sizeof table->seed)))
        table->seed = (uint64_t)(uintptr_t)table; /* still differs between processes */
}

static size_t lines_nbytes(const dvi_key_table *table)
{
    return table->count * sizeof *table->lines;
}

void dvi_key_table_free(dvi_key_table *table)
{
    dvi_free(&table->allocator, table->lines, lines_nbytes(table));
    table->lines = NULL;
    table->count = table->used = 0;
}

void dvi_key_table_clear(dvi_key_table *table)
{
    if (table->lines)
        memset(table->lines, 0, lines_nbytes(table));
    table->used = 0;
}

/* The line where the search for a hash starts. Hashes of a sound file are as good as random, those
 * of a forged file need not be: a secret odd factor spreads them. */
static size_t start_of(const dvi_key_table *table, uint64_t hash)
{
    return (size_t)((u128)(hash * (table->seed | 1)) * table->count >> 64);
}

static uint64_t hash_of(const dvi_key_line *line, size_t k)
{
    return (uint64_t)line->high[k] << 32 | line->low[k];
}

/* The slot of a hash, or the free slot for it. */
static slot find_slot(const dvi_key_table *table, uint64_t hash)
{
    for (size_t i = start_of(table, hash);; i = i + 1 < table->count ? i + 1 : 0) {
        dvi_key_line *line = &table->lines[i];
        for (size_t k = 0; k < DVI_KEY_SLOTS; k++)
            if (line->row[k] == 0 || hash_of(line, k) == hash)
                return (slot){line, k};
    }
}

static void fill_slot(slot s, uint64_t hash, uint32_t row)
{
    s.line->low[s.k] = (uint32_t)hash;
    s.line->high[s.k] = (uint32_t)(hash >> 32);
    s.line->row[s.k] = row;
}

/* Ask for huge pages, because each look-up reads another page. Not for memory of a caller's
 * allocator. */
static dv_status alloc_lines(const dvi_key_table *table, void **lines_out, size_t nbytes,
                             dv_error *err)
{
    const dv_allocator *a = &table->allocator;
    if (nbytes < LARGE_PAGE || a->allocate != dvi_allocator_of(NULL).allocate)
        return dvi_alloc_zeroed(a, lines_out, nbytes, err);
    *lines_out = a->allocate(a->ctx, nbytes, LARGE_PAGE);
    if (!*lines_out)
        return dvi_fail_memory(err, nbytes);
    dvi_os_want_huge_pages(*lines_out, nbytes);
    memset(*lines_out, 0, nbytes);
    return DV_OK;
}

dv_status dvi_key_table_reserve(dvi_key_table *table, size_t n, dv_error *err)
{
    dvi_key_table wider = *table;
    size_t nbytes;
    void *lines;
    if (n <= dvi_key_table_room(table))
        return DV_OK;
    wider.count = (n / (3 * DVI_KEY_SLOTS) + 1) * 4;
    if (!dvi_size_mul(wider.count, sizeof *wider.lines, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(alloc_lines(table, &lines, nbytes, err));
    wider.lines = lines;
    for (size_t i = 0; i < table->count; i++)
        for (size_t k = 0; k < DVI_KEY_SLOTS && table->lines[i].row[k] != 0; k++) {
            const uint64_t hash = hash_of(&table->lines[i], k);
            fill_slot(find_slot(&wider, hash), hash, table->lines[i].row[k]);
        }
    dvi_free(&table->allocator, table->lines, lines_nbytes(table));
    *table = wider;
    return DV_OK;
}

int64_t dvi_key_table_put(dvi_key_table *table, uint64_t hash, int64_t row)
{
    const slot s = find_slot(table, hash);
    if (s.line->row[s.k] != 0)
        return (int64_t)s.line->row[s.k] - 1;
    fill_slot(s, hash, (uint32_t)(row + 1));
    table->used++;
    return -1;
}

int64_t dvi_key_table_get(const dvi_key_table *table, uint64_t hash)
{
    if (table->count == 0)
        return -1;
    const slot s = find_slot(table, hash);
    return (int64_t)s.line->row[s.k] - 1;
}

void dvi_key_table_prefetch(const dvi_key_table *table, uint64_t hash)
{
    if (table->count > 0)
        DVI_FETCH(&table->lines[start_of(table, hash)]);
}
