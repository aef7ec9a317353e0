/* SPDX-License-Identifier: MIT */
/* pack_model.h: the packs that docs/shuffling.md says documents become: a model that shares no code
 * with src/order. */
#ifndef DVT_PACK_MODEL_H
#define DVT_PACK_MODEL_H

#include <dataview/pack.h>

#define DVT_PIECES_MOST 20000

typedef struct dvt_model_piece {
    int64_t row;
    int32_t first, items;
} dvt_model_piece;

typedef struct dvt_pack_model {
    int64_t pieces_count, packs;
    dvt_model_piece pieces[DVT_PIECES_MOST];
    int64_t ends[DVT_PIECES_MOST]; /* one for each pack */
} dvt_pack_model;

/* The packs of n <= 4096 documents; false: one is too long. */
bool dvt_pack_model_make(dvt_pack_model *model, const int32_t *lengths, int64_t n,
                         const dv_pack_options *options);

#endif
