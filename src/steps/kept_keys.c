/* SPDX-License-Identifier: MIT */
/* kept_keys.c: keeps the keys of rows by their numbers.
 *
 * If anything stands in the way, as rows outside the view or no memory for the runs, nothing is
 * kept: whoever reads the rows then looks their values up. */
#include "steps/kept_keys.h"
#include "base/attempt.h"
#include "base/check.h"
#include <stdlib.h>
#include <string.h>

typedef struct run {
    int64_t first, end;
} run;

static run *runs_of(const dvi_kept_keys *k)
{
    return (run *)(void *)k->runs->data;
}

void dvi_kept_keys_start(dvi_kept_keys *k, dvi_memory *keys, const int64_t *first_row,
                         const dv_allocator *allocator)
{
    dvi_kept_keys_stop(k);
    dvi_owner_retain(&keys->owner);
    *k = (dvi_kept_keys){.keys = keys,
                         .first_row = first_row,
                         .rows = (int64_t)(keys->cap / sizeof(uint32_t)),
                         .allocator = *allocator};
}

void dvi_kept_keys_stop(dvi_kept_keys *k)
{
    dvi_memory_release(&k->keys);
    dvi_memory_release(&k->runs);
    *k = (dvi_kept_keys){.keys = NULL};
}

static bool note(dvi_kept_keys *k, int64_t first, int64_t rows)
{
    const size_t n = k->runs_count;
    if (first < 0 || first > k->rows || rows > k->rows - first)
        return false;
    if (n > 0 && runs_of(k)[n - 1].end == first) {
        runs_of(k)[n - 1].end += rows;
        return true;
    }
    if (!DVI_ATTEMPT("kept_keys.c note",
                     dvi_memory_extend(&k->runs, n * sizeof(run), (n + 1) * sizeof(run),
                                       &k->allocator, NULL) == DV_OK))
        return false;
    runs_of(k)[k->runs_count++] = (run){first, first + rows};
    return true;
}

uint32_t *dvi_kept_keys_next(dvi_kept_keys *k, int64_t rows)
{
    if (!k->keys)
        return NULL;
    const int64_t first = *k->first_row;
    if (note(k, first, rows))
        return (uint32_t *)(void *)k->keys->data + first;
    dvi_kept_keys_stop(k);
    return NULL;
}

void dvi_kept_keys_map(const dvi_kept_keys *k, const uint32_t *map)
{
    for (size_t i = 0; map && k->keys && i < k->runs_count; i++) {
        uint32_t *keys = (uint32_t *)(void *)k->keys->data;
        for (int64_t row = runs_of(k)[i].first; row < runs_of(k)[i].end; row++)
            keys[row] = map[keys[row]];
    }
}

/* --- All learners ----------------------------------------------------------------------------- */

void dvi_kept_keys_join(dvi_kept_keys *k, dvi_kept_keys *other)
{
    const size_t n = k->runs_count, more = other->runs_count, width = sizeof(run);
    const bool is_kept = k->keys && other->keys;
    if (DVI_ATTEMPT("kept_keys.c dvi_kept_keys_join",
                    is_kept && more > 0 &&
                        dvi_memory_extend(&k->runs, n * width, (n + more) * width, &k->allocator,
                                          NULL) == DV_OK)) {
        memcpy(runs_of(k) + n, runs_of(other), more * width);
        k->runs_count += more;
    } else if (!is_kept || more > 0) {
        dvi_kept_keys_stop(k);
    }
    dvi_kept_keys_stop(other);
}

static int compare_runs(const void *of_a, const void *of_b)
{
    const run *a = of_a, *b = of_b;
    return (a->first > b->first) - (a->first < b->first);
}

bool dvi_kept_keys_are_all(dvi_kept_keys *k)
{
    int64_t next = 0;
    if (!k->keys)
        return false;
    if (k->runs_count > 0)
        qsort(k->runs->data, k->runs_count, sizeof(run), compare_runs);
    for (size_t i = 0; i < k->runs_count; i++) {
        if (runs_of(k)[i].first != next)
            return false;
        next = runs_of(k)[i].end;
    }
    return next == k->rows;
}
