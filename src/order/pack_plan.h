/* SPDX-License-Identifier: MIT */
/* pack_plan.h: which pieces of documents are in which pack (docs/shuffling.md, Packs). */
#ifndef DVI_ORDER_PACK_PLAN_H
#define DVI_ORDER_PACK_PLAN_H

#include "base/owner.h"
#include <dataview/pack.h>

/* Items of a document, from `first` on, as many as there are and as fit into the pack. */
typedef struct dvi_pack_piece {
    int64_t row;
    int32_t first, length; /* length: of the document */
} dvi_pack_piece;

/* Constant once it is made. */
typedef struct dvi_pack_plan {
    dv_allocator allocator;
    int64_t documents; /* rows of the source */
    int32_t tokens;
    dv_pack_how how;
    dv_pack_long too_long;
    bool drop_last;
    int64_t window;
    bool shuffle;
    uint64_t seed;

    dvi_pack_piece *pieces;
    int64_t *ends; /* where the pieces of each pack end */
    int64_t pieces_count, packs;
    size_t pieces_cap, ends_cap;

    /* Documents by their fate; items left out by drop_last. */
    int64_t empty, dropped, cut, split, rest;
} dvi_pack_plan;

/* Plan from the lengths of all documents.  The plan has its options, and no pieces yet.  DV_OK;
 * DV_ERR_ARGUMENT: a document is too long; DV_ERR_LIMIT: more than 2^62 items; DV_ERR_MEMORY. */
dv_status dvi_pack_plan_make(dvi_pack_plan *plan, const uint32_t *lengths, dv_error *err);
void dvi_pack_plan_free(dvi_pack_plan *plan); /* zeroed pieces and ends are fine */

/* How many items of a document are packed; 0: it is left out. */
int32_t dvi_pack_items(const dvi_pack_plan *plan, uint32_t length);

/* The first piece of a pack, also of the one after the last. */
int64_t dvi_pack_first_piece(const dvi_pack_plan *plan, int64_t pack);
/* The items that a piece has in a pack of which `used` items come before it. */
int32_t dvi_pack_piece_items(const dvi_pack_plan *plan, const dvi_pack_piece *piece, int32_t used);

/* While a plan is made: append a piece; end the pack.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_pack_add(dvi_pack_plan *plan, dvi_pack_piece piece, dv_error *err);
dv_status dvi_pack_end(dvi_pack_plan *plan, dv_error *err);

#endif
