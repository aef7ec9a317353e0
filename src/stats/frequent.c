/* SPDX-License-Identifier: MIT */
/* frequent.c: a table of counts that drops rare values when it is full. */
#include "stats/frequent.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/sort.h"
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define POSITIONS_LEAST ((size_t)64)

void dvi_frequent_init(dvi_frequent *f, size_t limit, size_t limit_nbytes,
                       const dv_allocator *allocator)
{
    *f = (dvi_frequent){.allocator = *allocator, .limit = limit, .limit_nbytes = limit_nbytes};
}

void dvi_frequent_free(dvi_frequent *f)
{
    dvi_free(&f->allocator, f->entry, f->cap * sizeof *f->entry);
    dvi_free(&f->allocator, f->bytes, f->bytes_cap);
    dvi_free(&f->allocator, f->position, f->positions * sizeof *f->position);
    dvi_frequent_init(f, f->limit, f->limit_nbytes, &f->allocator);
}

static bool is_long(size_t nbytes)
{
    return nbytes > DVI_FREQUENT_INLINE;
}

const char *dvi_frequent_bytes(const dvi_frequent *f, size_t i)
{
    const dvi_frequent_entry *e = &f->entry[i];
    return is_long((size_t)e->nbytes) ? f->bytes + e->own.at : e->own.bytes;
}

static int64_t add_counts(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* --- Positions -------------------------------------------------------------------------------- */

/* The position of a value, or the free position where it belongs. */
static uint32_t *find(const dvi_frequent *f, uint64_t hash, const void *data, size_t nbytes)
{
    const size_t mask = f->positions - 1;
    size_t i = (size_t)hash & mask;
    for (; f->position[i]; i = (i + 1) & mask) {
        const size_t k = f->position[i] - 1;
        if (f->entry[k].hash == hash && (size_t)f->entry[k].nbytes == nbytes &&
            (nbytes == 0 || memcmp(dvi_frequent_bytes(f, k), data, nbytes) == 0))
            break;
    }
    return &f->position[i];
}

/* Enter all entries again; they are all different. */
static void enter_all(dvi_frequent *f)
{
    const size_t mask = f->positions - 1;
    memset(f->position, 0, f->positions * sizeof *f->position);
    for (size_t k = 0; k < f->n; k++) {
        size_t i = (size_t)f->entry[k].hash & mask;
        while (f->position[i])
            i = (i + 1) & mask;
        f->position[i] = (uint32_t)(k + 1);
    }
}

static dv_status reserve(dvi_frequent *f, dv_error *err)
{
    void *entries = f->entry, *made;
    const dv_status status =
        dvi_array_reserve(&f->allocator, &entries, &f->cap, f->n + 1, sizeof *f->entry, err);
    f->entry = entries;
    DVI_TRY(status);
    if (2 * (f->n + 1) <= f->positions)
        return DV_OK;
    const size_t positions = f->positions ? 2 * f->positions : POSITIONS_LEAST;
    DVI_TRY(dvi_alloc(&f->allocator, &made, positions * sizeof *f->position, err));
    dvi_free(&f->allocator, f->position, f->positions * sizeof *f->position);
    f->position = made;
    f->positions = positions;
    enter_all(f);
    return DV_OK;
}

/* --- Rare values ------------------------------------------------------------------------------ */

/* The median count: what is taken from all counts, so that half of the values go. */
static dv_status find_median(const dvi_frequent *f, int64_t *median_out, dv_error *err)
{
    void *made;
    const size_t nbytes = 2 * f->n * sizeof(uint64_t);
    DVI_TRY(dvi_alloc(&f->allocator, &made, nbytes, err));
    uint64_t *counts = made;
    for (size_t i = 0; i < f->n; i++)
        counts[i] = (uint64_t)f->entry[i].count;
    dvi_sort_u64(counts, counts + f->n, f->n);
    *median_out = (int64_t)counts[f->n / 2];
    dvi_free(&f->allocator, made, nbytes);
    return DV_OK;
}

/* Take the median from all counts.  Entries and their bytes keep their order. */
static dv_status drop_rare(dvi_frequent *f, dv_error *err)
{
    int64_t median = 0;
    size_t n = 0, used = 0;
    DVI_TRY(find_median(f, &median, err));
    for (size_t i = 0; i < f->n; i++) {
        dvi_frequent_entry e = f->entry[i];
        if (e.count <= median)
            continue;
        e.count -= median;
        if (is_long((size_t)e.nbytes)) {
            memmove(f->bytes + used, f->bytes + e.own.at, (size_t)e.nbytes);
            e.own.at = used;
            used += (size_t)e.nbytes;
        }
        f->entry[n++] = e;
    }
    f->n = n;
    f->used = used;
    f->missed = add_counts(f->missed, median);
    enter_all(f);
    return DV_OK;
}

/* --- Adding ----------------------------------------------------------------------------------- */

static bool is_full(const dvi_frequent *f, size_t nbytes)
{
    return f->n >= f->limit || (is_long(nbytes) && nbytes > f->limit_nbytes - f->used);
}

static dv_status append(dvi_frequent *f, uint64_t hash, const void *data, size_t nbytes,
                        int64_t count, dv_error *err)
{
    DVI_TRY(reserve(f, err));
    dvi_frequent_entry e = {.hash = hash, .count = count, .nbytes = (int32_t)nbytes};
    if (is_long(nbytes)) {
        void *bytes = f->bytes;
        const dv_status status =
            dvi_array_reserve(&f->allocator, &bytes, &f->bytes_cap, f->used + nbytes, 1, err);
        f->bytes = bytes;
        DVI_TRY(status);
        memcpy(f->bytes + f->used, data, nbytes);
        e.own.at = f->used;
        f->used += nbytes;
    } else if (nbytes > 0) {
        memcpy(e.own.bytes, data, nbytes);
    }
    *find(f, hash, data, nbytes) = (uint32_t)(f->n + 1);
    f->entry[f->n++] = e;
    return DV_OK;
}

dv_status dvi_frequent_add(dvi_frequent *f, const void *data, size_t nbytes, int64_t count,
                           dv_error *err)
{
    /* An address, which a file cannot predict, keeps a hostile file from sending all values to one
     * position. */
    const uint64_t hash = XXH3_64bits_withSeed(nbytes ? data : "", nbytes, (uintptr_t)f);
    if (f->positions) {
        const uint32_t there = *find(f, hash, data, nbytes);
        if (there) {
            f->entry[there - 1].count = add_counts(f->entry[there - 1].count, count);
            return DV_OK;
        }
    }
    while (f->n > 0 && is_full(f, nbytes))
        DVI_TRY(drop_rare(f, err));
    if (is_full(f, nbytes)) { /* a text that has no room at all */
        f->missed = add_counts(f->missed, count);
        return DV_OK;
    }
    return append(f, hash, data, nbytes, count, err);
}

/* --- The most frequent ------------------------------------------------------------------------ */

static bool is_less(const dvi_frequent *f, uint32_t a, uint32_t b)
{
    const int64_t x = f->entry[a].count, y = f->entry[b].count;
    return x != y ? x < y : a > b;
}

/* Sink the item at i of a heap with the least one on top. */
static void sink(const dvi_frequent *f, uint32_t *heap, size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && is_less(f, heap[child + 1], heap[child]);
        if (!is_less(f, heap[child], heap[i]))
            return;
        const uint32_t item = heap[i];
        heap[i] = heap[child];
        heap[child] = item;
    }
}

dv_status dvi_frequent_top(const dvi_frequent *f, size_t most, uint32_t **top_out,
                           size_t *count_out, dv_error *err)
{
    void *made;
    *top_out = NULL;
    *count_out = 0;
    DVI_TRY(dvi_alloc(&f->allocator, &made, f->n * sizeof **top_out, err));
    uint32_t *heap = made;
    const size_t k = most < f->n ? most : f->n;
    for (size_t i = 0; i < k; i++)
        heap[i] = (uint32_t)i;
    for (size_t i = k / 2; i-- > 0;)
        sink(f, heap, k, i);
    for (size_t i = k; i < f->n && k > 0; i++)
        if (is_less(f, heap[0], (uint32_t)i)) {
            heap[0] = (uint32_t)i;
            sink(f, heap, k, 0);
        }
    for (size_t n = k; n > 1; n--) { /* the least one goes to the end */
        const uint32_t least = heap[0];
        heap[0] = heap[n - 1];
        heap[n - 1] = least;
        sink(f, heap, n - 1, 0);
    }
    *top_out = heap;
    *count_out = k;
    return DV_OK;
}
