/* SPDX-License-Identifier: MIT */
/* pack_documents.h: the documents in the order in which they are packed. */
#ifndef DVI_ORDER_PACK_DOCUMENTS_H
#define DVI_ORDER_PACK_DOCUMENTS_H

#include "base/size.h"
#include "order/pack_plan.h"
#include "order/permutation.h"

#define DVI_DOCUMENTS_AT_ONCE 256

typedef struct dvi_documents {
    const dvi_pack_plan *plan;
    const uint32_t *lengths;
    int64_t position; /* the next one */
    int64_t rows[DVI_DOCUMENTS_AT_ONCE];
    dvi_permutation order;
} dvi_documents;

static inline void dvi_documents_start(dvi_documents *d, const dvi_pack_plan *plan,
                                       const uint32_t *lengths)
{
    d->plan = plan;
    d->lengths = lengths;
    d->position = 0;
    if (plan->shuffle)
        dvi_permutation_make(&d->order, plan->documents, dvi_key_derive(plan->seed, 0));
}

/* The row and the length of the next one; false: there is none. */
static inline bool dvi_documents_next(dvi_documents *d, int64_t *row_out, uint32_t *length_out)
{
    const int64_t left = d->plan->documents - d->position, at = d->position % DVI_DOCUMENTS_AT_ONCE;
    if (left == 0)
        return false;
    if (d->plan->shuffle && at == 0)
        dvi_permutation_fill(&d->order, d->position, 1, d->rows,
                             dvi_min_i64(left, DVI_DOCUMENTS_AT_ONCE));
    *row_out = d->plan->shuffle ? d->rows[at] : d->position;
    *length_out = d->lengths[*row_out];
    d->position++;
    return true;
}

#endif
