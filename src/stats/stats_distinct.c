/* SPDX-License-Identifier: MIT */
/* stats_distinct.c: counts or estimates distinct values. */
#include "stats/stats_distinct.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/sort.h"
#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define PENDING_MOST                                                                               \
    ((size_t)1 << 14) /* few enough to stay in the cache, many enough to sort rarely */
#define PENDING_LEAST ((size_t)16)
#define REGISTER_BITS 14
#define RANK_MOST (64 - REGISTER_BITS + 1)

/* --- Lists of entries ------------------------------------------------------------------------- */

static void free_entries(dvi_entries *list, const dv_allocator *allocator)
{
    dvi_free(allocator, list->entry, list->cap * sizeof *list->entry);
    dvi_free(allocator, list->tail, list->cap * sizeof *list->tail);
    *list = (dvi_entries){0};
}

/* An empty list with room for n. */
static dv_status make_entries(dvi_entries *list_out, size_t n, bool has_tails,
                              const dv_allocator *allocator, dv_error *err)
{
    void *entry, *tail = NULL;
    *list_out = (dvi_entries){0};
    DVI_TRY(dvi_alloc(allocator, &entry, n * sizeof *list_out->entry, err));
    if (has_tails && dvi_alloc(allocator, &tail, n * sizeof *list_out->tail, err) < 0) {
        dvi_free(allocator, entry, n * sizeof *list_out->entry);
        return DV_ERR_MEMORY;
    }
    *list_out = (dvi_entries){entry, tail, 0, n};
    return DV_OK;
}

static void append(dvi_entries *dst, const dvi_entries *src, size_t i)
{
    dst->entry[dst->n] = src->entry[i];
    if (dst->tail)
        dst->tail[dst->n] = src->tail[i];
    dst->n++;
}

static bool is_before(const dvi_entry *a, const dvi_entry *b)
{
    return a->hi != b->hi ? a->hi < b->hi : a->lo < b->lo;
}

static bool is_same(const dvi_entry *a, const dvi_entry *b)
{
    return a->hi == b->hi && a->lo == b->lo;
}

static int64_t add_counts(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Merge two sorted lists; dst has room for both. */
static void merge_entries(dvi_entries *dst, const dvi_entries *a, const dvi_entries *b)
{
    size_t i = 0, k = 0;
    while (i < a->n || k < b->n) {
        if (k == b->n || (i < a->n && is_before(&a->entry[i], &b->entry[k]))) {
            append(dst, a, i++);
        } else if (i == a->n || !is_same(&a->entry[i], &b->entry[k])) {
            append(dst, b, k++);
        } else {
            append(dst, a, i++);
            dvi_entry *entry = &dst->entry[dst->n - 1];
            entry->count = add_counts(entry->count, b->entry[k++].count);
        }
    }
}

/* Sort the list: by the upper bits of the hashes first, which leaves next to nothing to do. */
static void find_order(const dvi_entries *list, uint64_t *order, uint64_t *scratch)
{
    const uint64_t number = PENDING_MOST - 1;
    for (size_t i = 0; i < list->n; i++)
        order[i] = (list->entry[i].hi & ~number) | i;
    dvi_sort_u64(order, scratch, list->n);
    for (size_t i = 0; i < list->n; i++) {
        const uint64_t own = order[i] & number;
        size_t k = i;
        for (; k > 0 && is_before(&list->entry[own], &list->entry[order[k - 1]]); k--)
            order[k] = order[k - 1];
        order[k] = own;
    }
}

static dv_status sort_entries(dvi_entries *list, const dv_allocator *allocator, dv_error *err)
{
    dvi_entries sorted;
    void *keys;
    const size_t nbytes = 2 * list->n * sizeof(uint64_t);
    DVI_TRY(dvi_alloc(allocator, &keys, nbytes, err));
    uint64_t *order = keys;
    const dv_status status = make_entries(&sorted, list->n, list->tail != NULL, allocator, err);
    if (status == DV_OK) {
        find_order(list, order, order + list->n);
        for (size_t i = 0; i < list->n; i++)
            append(&sorted, list, order[i]);
        free_entries(list, allocator);
        *list = sorted;
    }
    dvi_free(allocator, keys, nbytes);
    return status;
}

static void free_pending(dvi_distinct *d)
{
    dvi_free(&d->allocator, d->positions, 2 * d->pending.cap * sizeof *d->positions);
    d->positions = NULL;
    free_entries(&d->pending, &d->allocator);
}

/* --- The estimate ----------------------------------------------------------------------------- */

static void mark(uint8_t *registers, uint64_t hash)
{
    uint8_t *reg = &registers[hash >> (64 - REGISTER_BITS)];
    const uint64_t rest = hash << REGISTER_BITS | (uint64_t)1 << (REGISTER_BITS - 1);
    const uint8_t rank = (uint8_t)(1 + __builtin_clzll(rest));
    if (*reg < rank)
        *reg = rank;
}

/* Turn the entries counted so far into registers. */
static dv_status start_estimate(dvi_distinct *d, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(&d->allocator, &made, DVI_DISTINCT_REGISTERS, err));
    d->registers = made;
    for (size_t i = 0; i < d->entries.n; i++)
        mark(d->registers, d->entries.entry[i].hi);
    for (size_t i = 0; i < d->pending.n; i++)
        mark(d->registers, d->pending.entry[i].hi);
    free_entries(&d->entries, &d->allocator);
    free_pending(d);
    atomic_store_explicit(d->many, true, memory_order_relaxed);
    return DV_OK;
}

static double sigma(double x)
{
    if (x == 1)
        return INFINITY;
    double y = 1, z = x, before;
    do {
        x *= x;
        before = z;
        z += x * y;
        y += y;
    } while (z != before);
    return z;
}

static double tau(double x)
{
    if (x == 0 || x == 1)
        return 0;
    double y = 1, z = 1 - x, before;
    do {
        x = sqrt(x);
        before = z;
        y *= 0.5;
        z -= (1 - x) * (1 - x) * y;
    } while (z != before);
    return z / 3;
}

/* Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", algorithm 6. */
static int64_t estimate(const uint8_t *registers)
{
    const double m = (double)DVI_DISTINCT_REGISTERS, two_ln_2 = 1.3862943611198906;
    int64_t counts[RANK_MOST + 1] = {0};
    for (size_t i = 0; i < DVI_DISTINCT_REGISTERS; i++)
        counts[registers[i]]++;
    double z = m * tau(1 - (double)counts[RANK_MOST] / m);
    for (int k = RANK_MOST - 1; k >= 1; k--)
        z = 0.5 * (z + (double)counts[k]);
    z += m * sigma((double)counts[0] / m);
    const double count = m * m / (two_ln_2 * z) + 0.5;
    return count < 9e18 ? (int64_t)count : INT64_MAX;
}

/* --- Adding ----------------------------------------------------------------------------------- */

void dvi_distinct_init(dvi_distinct *d, size_t limit, bool has_tails, atomic_bool *many,
                       const dv_allocator *allocator)
{
    *d = (dvi_distinct){
        .allocator = *allocator, .limit = limit, .has_tails = has_tails, .many = many};
}

void dvi_distinct_clear(dvi_distinct *d)
{
    free_entries(&d->entries, &d->allocator);
    free_pending(d);
    dvi_free(&d->allocator, d->registers, DVI_DISTINCT_REGISTERS);
    d->registers = NULL;
}

/* Add the sorted list `more` to the entries; if there are too many, an estimate replaces them. */
static dv_status take_entries(dvi_distinct *d, const dvi_entries *more, dv_error *err)
{
    dvi_entries both;
    DVI_TRY(make_entries(&both, d->entries.n + more->n, d->has_tails, &d->allocator, err));
    merge_entries(&both, &d->entries, more);
    free_entries(&d->entries, &d->allocator);
    d->entries = both;
    return both.n > d->limit ? start_estimate(d, err) : DV_OK;
}

static dv_status count_pending(dvi_distinct *d, dv_error *err)
{
    if (d->pending.n == 0)
        return DV_OK;
    if (atomic_load_explicit(d->many, memory_order_relaxed))
        return start_estimate(d, err);
    dvi_free(&d->allocator, d->positions, 2 * d->pending.cap * sizeof *d->positions);
    d->positions = NULL;
    dv_status status = sort_entries(&d->pending, &d->allocator, err);
    if (status == DV_OK)
        status = take_entries(d, &d->pending, err);
    free_entries(&d->pending, &d->allocator);
    return status;
}

/* Every bit of the result depends on every bit of x, and no two x have the same result
 * (splitmix64). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* The position of an entry among those pending, or the free position where it belongs.  An address,
 * which a file cannot predict, keeps a hostile file from sending all values to one position. */
static uint16_t *find_position(const dvi_distinct *d, const dvi_entry *entry)
{
    const size_t mask = 2 * d->pending.cap - 1;
    size_t i = mix(entry->hi ^ (uintptr_t)d->positions) & mask;
    while (d->positions[i] && !is_same(&d->pending.entry[d->positions[i] - 1], entry))
        i = (i + 1) & mask;
    return &d->positions[i];
}

static dv_status grow_pending(dvi_distinct *d, dv_error *err)
{
    const size_t cap = d->pending.cap ? 2 * d->pending.cap : PENDING_LEAST;
    dvi_entries wider;
    void *positions;
    DVI_TRY(make_entries(&wider, cap, d->has_tails, &d->allocator, err));
    if (dvi_alloc_zeroed(&d->allocator, &positions, 2 * cap * sizeof *d->positions, err) < 0) {
        free_entries(&wider, &d->allocator);
        return DV_ERR_MEMORY;
    }
    for (size_t i = 0; i < d->pending.n; i++)
        append(&wider, &d->pending, i);
    free_pending(d);
    d->pending = wider;
    d->positions = positions;
    for (size_t i = 0; i < wider.n; i++)
        *find_position(d, &wider.entry[i]) = (uint16_t)(i + 1);
    return DV_OK;
}

/* Count an entry; *is_new_out: it is new, the last of `pending`, and needs a tail. */
static dv_status add(dvi_distinct *d, const dvi_entry *entry, bool *is_new_out, dv_error *err)
{
    *is_new_out = false;
    if (!d->registers && d->pending.n == PENDING_MOST)
        DVI_TRY(count_pending(d, err));
    if (!d->registers && d->pending.n == d->pending.cap)
        DVI_TRY(grow_pending(d, err));
    if (d->registers) {
        mark(d->registers, entry->hi);
        return DV_OK;
    }
    uint16_t *position = find_position(d, entry);
    if (*position) {
        dvi_entry *there = &d->pending.entry[*position - 1];
        there->count = add_counts(there->count, entry->count);
        return DV_OK;
    }
    d->pending.entry[d->pending.n++] = *entry;
    *position = (uint16_t)d->pending.n;
    *is_new_out = true;
    return DV_OK;
}

dv_status dvi_distinct_number(dvi_distinct *d, uint64_t number, int64_t count, dv_error *err)
{
    bool is_new;
    return add(d, &(dvi_entry){mix(number), number, count}, &is_new, err);
}

dv_status dvi_distinct_bytes(dvi_distinct *d, const void *data, size_t nbytes, int64_t count,
                             dv_error *err)
{
    bool is_new;
    const XXH128_hash_t hash = XXH3_128bits(nbytes ? data : "", nbytes);
    DVI_TRY(add(d, &(dvi_entry){hash.high64, hash.low64, count}, &is_new, err));
    if (!is_new || !d->has_tails)
        return DV_OK;
    dvi_tail *tail = &d->pending.tail[d->pending.n - 1];
    *tail = (dvi_tail){.nbytes = (int32_t)nbytes};
    if (nbytes)
        memcpy(tail->text, data, nbytes < sizeof tail->text ? nbytes : sizeof tail->text);
    return DV_OK;
}

/* --- Merging and results ---------------------------------------------------------------------- */

dv_status dvi_distinct_merge(dvi_distinct *d, dvi_distinct *other, dv_error *err)
{
    DVI_TRY(dvi_distinct_finish(other, err));
    DVI_TRY(dvi_distinct_finish(d, err));
    if (other->registers && !d->registers)
        DVI_TRY(start_estimate(d, err));
    for (size_t i = 0; other->registers && i < DVI_DISTINCT_REGISTERS; i++)
        if (d->registers[i] < other->registers[i])
            d->registers[i] = other->registers[i];
    for (size_t i = 0; d->registers && i < other->entries.n; i++)
        mark(d->registers, other->entries.entry[i].hi);
    if (!d->registers && other->entries.n > 0)
        DVI_TRY(take_entries(d, &other->entries, err));
    dvi_distinct_clear(other);
    return DV_OK;
}

dv_status dvi_distinct_finish(dvi_distinct *d, dv_error *err)
{
    return count_pending(d, err);
}

int64_t dvi_distinct_count(const dvi_distinct *d)
{
    return d->registers ? estimate(d->registers) : (int64_t)d->entries.n;
}

static bool is_more(const dvi_entry *a, const dvi_entry *b)
{
    return a->count != b->count ? a->count > b->count : a->lo < b->lo;
}

int32_t dvi_distinct_top(const dvi_distinct *d, size_t top[DV_STATS_TOP])
{
    const dvi_entry *entry = d->entries.entry;
    int32_t n = 0;
    for (size_t i = 0; i < d->entries.n; i++) {
        if (n == DV_STATS_TOP && !is_more(&entry[i], &entry[top[n - 1]]))
            continue;
        int32_t k = n < DV_STATS_TOP ? n++ : n - 1;
        for (; k > 0 && is_more(&entry[i], &entry[top[k - 1]]); k--)
            top[k] = top[k - 1];
        top[k] = i;
    }
    return n;
}
