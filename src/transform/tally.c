/* SPDX-License-Identifier: MIT */
/* tally.c: counts distinct values.
 *
 * Entries are appended as they come. When there is no room, they are sorted and equal ones are
 * joined; only if most of them differ does the list grow. */
#include "transform/tally.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include <inttypes.h>
#include <string.h>

#define ENTRIES_LEAST 16

dv_status dvi_tally_init(dvi_tally *t, int32_t slots, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *t = (dvi_tally){.allocator = dvi_allocator_of(allocator)};
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, (size_t)slots * sizeof *t->slot, err));
    t->slot = made;
    t->slots = slots;
    return DV_OK;
}

void dvi_tally_free(dvi_tally *t)
{
    for (int32_t i = 0; i < t->slots; i++)
        dvi_free(&t->allocator, t->slot[i].entries, t->slot[i].cap * sizeof(dvi_tally_entry));
    dvi_free(&t->allocator, t->slot, (size_t)t->slots * sizeof *t->slot);
    dvi_free(&t->allocator, t->scratch, t->scratch_cap * sizeof *t->scratch);
    *t = (dvi_tally){.slots = 0};
}

/* --- Sorting ---------------------------------------------------------------------------------- */

static inline int compare(const dvi_tally_entry *a, const dvi_tally_entry *b)
{
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->label < b->label ? -1 : a->label > b->label;
}

/* Merge two sorted lists; of equal entries that of `a` comes first. Joins equal ones. Returns the
 * number of entries in dst. */
static size_t merge(dvi_tally_entry *dst, const dvi_tally_entry *a, size_t na,
                    const dvi_tally_entry *b, size_t nb)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < na || k < nb;) {
        const bool takes_a = k == nb || (i < na && compare(&a[i], &b[k]) <= 0);
        const dvi_tally_entry *next = takes_a ? &a[i++] : &b[k++];
        if (n > 0 && compare(&dst[n - 1], next) == 0)
            dst[n - 1].count += next->count;
        else
            dst[n++] = *next;
    }
    return n;
}

/* Sort n entries by merging runs; scratch has room for n. Returns how many are left. */
static size_t sort(dvi_tally_entry *entries, size_t n, dvi_tally_entry *scratch)
{
    if (n < 2)
        return n;
    DVI_KNOWN(entries && scratch);
    const size_t half = n / 2;
    const size_t left = sort(entries, half, scratch);
    const size_t right = sort(entries + half, n - half, scratch);
    const size_t merged = merge(scratch, entries, left, entries + half, right);
    memcpy(entries, scratch, merged * sizeof *entries);
    return merged;
}

static dv_status reserve_scratch(dvi_tally *t, size_t n, dv_error *err)
{
    void *scratch = t->scratch;
    DVI_TRY(
        dvi_array_reserve(&t->allocator, &scratch, &t->scratch_cap, n, sizeof *t->scratch, err));
    t->scratch = scratch;
    return DV_OK;
}

static dv_status compact(dvi_tally *t, dvi_slot_tally *s, dv_error *err)
{
    if (s->sorted == s->n)
        return DV_OK;
    DVI_TRY(reserve_scratch(t, s->n, err));
    DVI_KNOWN(s->entries && t->scratch);
    const size_t before = s->n, late = sort(s->entries + s->sorted, s->n - s->sorted, t->scratch);
    s->n = merge(t->scratch, s->entries, s->sorted, s->entries + s->sorted, late);
    s->sorted = s->n;
    memcpy(s->entries, t->scratch, s->n * sizeof *s->entries);
    t->entries -= (int64_t)(before - s->n);
    return DV_OK;
}

dv_status dvi_tally_sort(dvi_tally *t, int32_t slot, dv_error *err)
{
    return compact(t, &t->slot[slot], err);
}

/* --- Counting --------------------------------------------------------------------------------- */

/* Make room for an entry. */
static dv_status make_room(dvi_tally *t, dvi_slot_tally *s, dv_error *err)
{
    void *entries = s->entries;
    if (s->n > 0)
        DVI_TRY(compact(t, s, err));
    if (s->n > 0 && s->n <= s->cap / 2)
        return DV_OK;
    if (t->entries >= DVI_TALLY_MOST)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.18", -1, "distinct values to learn from",
                        "at most %" PRId64 "; set \"maxrows\"|more", DVI_TALLY_MOST);
    DVI_TRY(dvi_array_reserve(&t->allocator, &entries, &s->cap,
                              s->n > 0 ? 2 * s->cap : ENTRIES_LEAST, sizeof *s->entries, err));
    s->entries = entries;
    return DV_OK;
}

static dv_status append(dvi_tally *t, dvi_slot_tally *s, const dvi_tally_entry *entry,
                        dv_error *err)
{
    dvi_tally_entry *last = s->n > s->sorted ? &s->entries[s->n - 1] : NULL;
    if (last && compare(last, entry) == 0) {
        last->count += entry->count;
        return DV_OK;
    }
    if (s->n == s->cap)
        DVI_TRY(make_room(t, s, err));
    DVI_KNOWN(s->entries);
    s->entries[s->n++] = *entry;
    t->entries++;
    return DV_OK;
}

dv_status dvi_tally_add(dvi_tally *t, int32_t slot, double value, int32_t label, int64_t count,
                        dv_error *err)
{
    const dvi_tally_entry entry = {value, count, t->items, label};
    return append(t, &t->slot[slot], &entry, err);
}

dv_status dvi_tally_join(dvi_tally *t, int32_t slot, const dvi_tally_entry *entry, dv_error *err)
{
    t->slot[slot].items += entry->count;
    return entry->value == entry->value ? append(t, &t->slot[slot], entry, err) : DV_OK;
}

dv_status dvi_tally_take(void *of, const dvi_slot_values *v, dv_error *err)
{
    dvi_tally *t = of;
    for (size_t i = 0; i < v->n; i++) {
        dvi_slot_tally *s = &t->slot[dvi_slot_of(v, i)];
        const dvi_tally_entry entry = {v->values[i], 1, t->items++, t->label};
        s->items++;
        if (v->values[i] == v->values[i])
            DVI_TRY(append(t, s, &entry, err));
    }
    return DV_OK;
}
