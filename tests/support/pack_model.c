/* SPDX-License-Identifier: MIT */
/* pack_model.c: packs of documents, as docs/shuffling.md says. */
#include "support/pack_model.h"
#include "support/drawn_rows.h"
#include "support/produce.h"
#include <string.h>

#define MOST 4096

static void add(dvt_pack_model *m, int64_t row, int32_t first, int32_t items)
{
    DVT_MUST(m->pieces_count < DVT_PIECES_MOST);
    m->pieces[m->pieces_count++] = (dvt_model_piece){row, first, items};
}

static void end_pack(dvt_pack_model *m)
{
    m->ends[m->packs++] = m->pieces_count;
}

/* Item by item. */
static void stream(dvt_pack_model *m, const int64_t *order, const int32_t *lengths, int64_t n,
                   const dv_pack_options *o)
{
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++)
        for (int32_t item = 0; item < lengths[order[i]]; item++) {
            if (item == 0 || used == 0)
                add(m, order[i], item, 0);
            m->pieces[m->pieces_count - 1].items++;
            if (++used == o->tokens) {
                end_pack(m);
                used = 0;
            }
        }
    if (used > 0 && !o->drop_last)
        end_pack(m);
    else if (used > 0)
        m->pieces_count = m->packs > 0 ? m->ends[m->packs - 1] : 0;
}

/* The pieces of a window, and the pack of each. */
typedef struct window {
    dvt_model_piece piece[DVT_PIECES_MOST];
    int pack[DVT_PIECES_MOST], n;
    int64_t room[DVT_PIECES_MOST];
} window;

/* The longest piece without a pack; of several, the first. */
static int longest(const window *w)
{
    int found = -1;
    for (int i = 0; i < w->n; i++)
        if (w->pack[i] < 0 && (found < 0 || w->piece[i].items > w->piece[found].items))
            found = i;
    return found;
}

static void fit(dvt_pack_model *m, window *w, int64_t tokens)
{
    for (int i; (i = longest(w)) >= 0;) {
        int pack = 0;
        while (w->room[pack] < w->piece[i].items)
            pack++;
        w->pack[i] = pack;
        w->room[pack] -= w->piece[i].items;
    }
    for (int i = 0; i < w->n; i++) {
        bool is_first = true;
        for (int k = 0; k < i; k++)
            is_first &= w->pack[k] != w->pack[i];
        for (int k = i; is_first && k < w->n; k++)
            if (w->pack[k] == w->pack[i])
                add(m, w->piece[k].row, w->piece[k].first, w->piece[k].items);
        if (is_first)
            end_pack(m);
    }
    w->n = 0;
    for (int i = 0; i < DVT_PIECES_MOST; i++) {
        w->pack[i] = -1;
        w->room[i] = tokens;
    }
}

static int32_t packed(int32_t length, const dv_pack_options *o)
{
    if (length <= o->tokens || o->too_long == DV_PACK_LONG_SPLIT)
        return length;
    return o->too_long == DV_PACK_LONG_CUT ? (int32_t)o->tokens : 0;
}

static void whole(dvt_pack_model *m, const int64_t *order, const int32_t *lengths, int64_t n,
                  const dv_pack_options *o)
{
    static window w;
    int64_t items = 0;
    fit(m, &w, o->tokens);
    for (int64_t i = 0; i < n; i++) {
        const int32_t all = packed(lengths[order[i]], o);
        for (int32_t first = 0; first < all; first += (int32_t)o->tokens) {
            const int32_t left = all - first;
            w.piece[w.n++] =
                (dvt_model_piece){order[i], first, left < o->tokens ? left : (int32_t)o->tokens};
        }
        items += all;
        if (items < o->window * o->tokens)
            continue;
        fit(m, &w, o->tokens);
        items = 0;
    }
    fit(m, &w, o->tokens);
}

bool dvt_pack_model_make(dvt_pack_model *m, const int32_t *lengths, int64_t n,
                         const dv_pack_options *o)
{
    static int64_t order[MOST];
    DVT_MUST(n <= MOST);
    m->pieces_count = m->packs = 0;
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        if (o->how == DV_PACK_WHOLE && o->too_long == DV_PACK_LONG_REFUSE && lengths[i] > o->tokens)
            return false;
    }
    if (o->shuffle)
        dvt_model_permutation(order, n, dvt_model_key(o->seed, 0));
    if (o->how == DV_PACK_STREAM)
        stream(m, order, lengths, n, o);
    else
        whole(m, order, lengths, n, o);
    return true;
}
