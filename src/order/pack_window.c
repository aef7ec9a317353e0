/* SPDX-License-Identifier: MIT */
/* pack_window.c: packs whole documents, window by window.
 *
 * What a document has beyond full packs of its own is its rest.  Rests go, longest first, into the
 * first pack of the window with room for them: a tree over the packs has the most room below each
 * node. */
#include "order/pack_window.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/sort.h"

#define NO_PACK (-1)

typedef struct entry {
    int64_t row;
    int32_t length, items; /* all of the document; the packed ones */
    int32_t pack, next;    /* where its rest goes; the next document there, or -1 */
} entry;

typedef struct window {
    dvi_pack_plan *plan;
    dvi_documents *documents;
    size_t cap;
    entry *entries;
    int64_t n;
    uint64_t *keys, *scratch;
    int32_t *room;  /* of packs: leaf i is room[leaves + i], node k has nodes 2k and 2k + 1 below */
    int32_t *first; /* document of each pack */
    size_t leaves;
} window;

/* --- The documents ---------------------------------------------------------------------------- */

static void read_window(window *w)
{
    const int64_t enough = w->plan->window * w->plan->tokens;
    int64_t row, items = 0;
    uint32_t length;
    w->n = 0;
    for (size_t i = 0; i < w->cap && items < enough; i++) {
        if (!dvi_documents_next(w->documents, &row, &length))
            return;
        const int32_t packed = dvi_pack_items(w->plan, length);
        if (packed > 0)
            w->entries[w->n++] = (entry){row, (int32_t)length, packed, NO_PACK, -1};
        items += packed;
    }
}

static int32_t rest_of(const window *w, int64_t i)
{
    return w->entries[i].items % w->plan->tokens;
}

/* List the documents with a rest, longest first. */
static int64_t sort_rests(window *w)
{
    int64_t n = 0;
    for (int64_t i = 0; i < w->n; i++)
        if (rest_of(w, i) > 0)
            w->keys[n++] = (uint64_t)(w->plan->tokens - rest_of(w, i)) << 32 | (uint64_t)i;
    dvi_sort_u64(w->keys, w->scratch, (size_t)n);
    return n;
}

/* --- First fit -------------------------------------------------------------------------------- */

/* As many empty packs as there are rests. */
static void empty_packs(window *w, int64_t n)
{
    w->leaves = 1;
    while (w->leaves < (size_t)n)
        w->leaves *= 2;
    for (size_t k = 1; k < 2 * w->leaves; k++)
        w->room[k] = w->plan->tokens;
    for (int64_t i = 0; i < n; i++)
        w->first[i] = -1;
}

static int32_t take_room(window *w, int32_t items)
{
    size_t k = 1;
    while (k < w->leaves)
        k = w->room[2 * k] >= items ? 2 * k : 2 * k + 1;
    const int32_t pack = (int32_t)(k - w->leaves);
    w->room[k] -= items;
    while (k > 1) {
        k /= 2;
        w->room[k] = w->room[2 * k] > w->room[2 * k + 1] ? w->room[2 * k] : w->room[2 * k + 1];
    }
    return pack;
}

static void fill_packs(window *w)
{
    const int64_t n = sort_rests(w);
    empty_packs(w, n);
    for (int64_t k = 0; k < n; k++) {
        entry *e = &w->entries[w->keys[k] & UINT32_MAX];
        e->pack = take_room(w, e->items % w->plan->tokens);
    }
    for (int64_t i = w->n - 1; i >= 0; i--) {
        entry *e = &w->entries[i];
        if (e->pack == NO_PACK)
            continue;
        e->next = w->first[e->pack];
        w->first[e->pack] = (int32_t)i;
    }
}

/* --- Packs in the order of their first documents ---------------------------------------------- */

static dv_status add_rests(window *w, int32_t first, dv_error *err)
{
    for (int32_t i = first; i >= 0; i = w->entries[i].next) {
        const entry *e = &w->entries[i];
        const dvi_pack_piece piece = {e->row, e->items - e->items % w->plan->tokens, e->length};
        DVI_TRY(dvi_pack_add(w->plan, piece, err));
    }
    return dvi_pack_end(w->plan, err);
}

static dv_status add_packs(window *w, dv_error *err)
{
    for (int64_t i = 0; i < w->n; i++) {
        const entry *e = &w->entries[i];
        for (int32_t full = 0; full < e->items / w->plan->tokens; full++) {
            const dvi_pack_piece piece = {e->row, full * w->plan->tokens, e->length};
            DVI_TRY(dvi_pack_add(w->plan, piece, err));
            DVI_TRY(dvi_pack_end(w->plan, err));
        }
        if (e->pack != NO_PACK && w->first[e->pack] == i)
            DVI_TRY(add_rests(w, (int32_t)i, err));
    }
    return DV_OK;
}

/* --- All windows ------------------------------------------------------------------------------ */

static dv_status allocate(window *w, dv_error *err)
{
    const dv_allocator *allocator = &w->plan->allocator;
    size_t leaves = 1;
    w->cap = (size_t)dvi_min_i64(w->plan->documents, DVI_WINDOW_DOCUMENTS);
    while (leaves < w->cap)
        leaves *= 2;
    w->leaves = leaves;
    DVI_TRY(DVI_NEW(allocator, &w->entries, w->cap, err));
    DVI_TRY(DVI_NEW(allocator, &w->keys, 2 * w->cap, err));
    DVI_TRY(DVI_NEW(allocator, &w->room, 2 * leaves, err));
    w->scratch = w->keys + w->cap;
    return DVI_NEW(allocator, &w->first, w->cap, err);
}

static void release(const window *w, size_t leaves)
{
    const dv_allocator *allocator = &w->plan->allocator;
    dvi_free(allocator, w->entries, w->cap * sizeof *w->entries);
    dvi_free(allocator, w->keys, 2 * w->cap * sizeof *w->keys);
    dvi_free(allocator, w->room, 2 * leaves * sizeof *w->room);
    dvi_free(allocator, w->first, w->cap * sizeof *w->first);
}

dv_status dvi_pack_windows(dvi_pack_plan *plan, dvi_documents *documents, dv_error *err)
{
    window w = {.plan = plan, .documents = documents};
    dv_status status = allocate(&w, err);
    const size_t leaves = w.leaves;
    while (status == DV_OK && documents->position < plan->documents) {
        read_window(&w);
        fill_packs(&w);
        status = add_packs(&w, err);
    }
    release(&w, leaves);
    return status;
}
