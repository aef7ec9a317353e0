/* SPDX-License-Identifier: MIT */
/* pack_plan.c: which pieces of documents are in which pack. */
#include "order/pack_plan.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "order/pack_documents.h"
#include "order/pack_window.h"

#define ITEMS_MOST (INT64_C(1) << 62)

/* --- Pieces ----------------------------------------------------------------------------------- */

int32_t dvi_pack_items(const dvi_pack_plan *p, uint32_t length)
{
    const int32_t items = (int32_t)length; /* a vector has at most 2^31-1 */
    if (p->how == DV_PACK_STREAM || p->too_long == DV_PACK_LONG_SPLIT || items <= p->tokens)
        return items;
    return p->too_long == DV_PACK_LONG_CUT ? p->tokens : 0;
}

int64_t dvi_pack_first_piece(const dvi_pack_plan *p, int64_t pack)
{
    return pack > 0 ? p->ends[pack - 1] : 0;
}

int32_t dvi_pack_piece_items(const dvi_pack_plan *p, const dvi_pack_piece *piece, int32_t used)
{
    return (int32_t)dvi_min_i64(piece->length - piece->first, p->tokens - used);
}

dv_status dvi_pack_add(dvi_pack_plan *p, dvi_pack_piece piece, dv_error *err)
{
    void *pieces = p->pieces;
    DVI_TRY(dvi_array_reserve(&p->allocator, &pieces, &p->pieces_cap, (size_t)p->pieces_count + 1,
                              sizeof piece, err));
    p->pieces = pieces;
    p->pieces[p->pieces_count++] = piece;
    return DV_OK;
}

dv_status dvi_pack_end(dvi_pack_plan *p, dv_error *err)
{
    void *ends = p->ends;
    DVI_TRY(dvi_array_reserve(&p->allocator, &ends, &p->ends_cap, (size_t)p->packs + 1,
                              sizeof *p->ends, err));
    p->ends = ends;
    p->ends[p->packs++] = p->pieces_count;
    return DV_OK;
}

void dvi_pack_plan_free(dvi_pack_plan *p)
{
    dvi_free(&p->allocator, p->pieces, p->pieces_cap * sizeof *p->pieces);
    dvi_free(&p->allocator, p->ends, p->ends_cap * sizeof *p->ends);
    p->pieces = NULL;
    p->ends = NULL;
}

/* --- Lengths ---------------------------------------------------------------------------------- */

static dv_status refuse_long(const dvi_pack_plan *p, int64_t row, uint32_t length, dv_error *err)
{
    return dvi_fail_argument(err,
                             "row %lld has %u items, more than the %d of a pack: drop, cut or "
                             "split documents that are too long (too_long), or stream them",
                             (long long)row, (unsigned)length, (int)p->tokens);
}

static dv_status count_document(dvi_pack_plan *p, int64_t row, uint32_t length, dv_error *err)
{
    const bool is_long = p->how == DV_PACK_WHOLE && length > (uint32_t)p->tokens;
    DVI_REQUIRE(!is_long || p->too_long != DV_PACK_LONG_REFUSE, refuse_long(p, row, length, err));
    p->empty += length == 0;
    p->dropped += is_long && p->too_long == DV_PACK_LONG_DROP;
    p->cut += is_long && p->too_long == DV_PACK_LONG_CUT;
    p->split += is_long && p->too_long == DV_PACK_LONG_SPLIT;
    return DV_OK;
}

/* Count what becomes of documents, before anything is allocated for them. */
static dv_status count_documents(dvi_pack_plan *p, const uint32_t *lengths, dv_error *err)
{
    int64_t items = 0;
    for (int64_t row = 0; row < p->documents; row++) {
        DVI_TRY(count_document(p, row, lengths[row], err));
        items += dvi_pack_items(p, lengths[row]); /* below 2^63 */
        DVI_REQUIRE(items <= ITEMS_MOST, dvi_fail(err, DV_ERR_LIMIT, "tokens", -1,
                                                  "items of all documents", "2^62 at most|more"));
    }
    return DV_OK;
}

/* --- A stream --------------------------------------------------------------------------------- */

/* Add a document to the stream; *used is what the pack has. */
static dv_status add_to_stream(dvi_pack_plan *p, int64_t row, int32_t length, int32_t *used,
                               dv_error *err)
{
    dvi_pack_piece piece = {row, 0, length};
    while (piece.first < length) {
        const int32_t items = dvi_pack_piece_items(p, &piece, *used);
        DVI_TRY(dvi_pack_add(p, piece, err));
        piece.first += items;
        *used += items;
        if (*used < p->tokens)
            continue;
        DVI_TRY(dvi_pack_end(p, err));
        *used = 0;
    }
    return DV_OK;
}

static dv_status plan_stream(dvi_pack_plan *p, dvi_documents *documents, dv_error *err)
{
    int64_t row;
    uint32_t length;
    int32_t used = 0;
    while (dvi_documents_next(documents, &row, &length))
        DVI_TRY(add_to_stream(p, row, (int32_t)length, &used, err));
    if (used == 0)
        return DV_OK;
    if (!p->drop_last)
        return dvi_pack_end(p, err);
    p->rest = used;
    p->pieces_count = dvi_pack_first_piece(p, p->packs);
    return DV_OK;
}

/* --- The plan --------------------------------------------------------------------------------- */

dv_status dvi_pack_plan_make(dvi_pack_plan *p, const uint32_t *lengths, dv_error *err)
{
    dvi_documents *documents;
    DVI_TRY(count_documents(p, lengths, err));
    DVI_TRY(DVI_NEW(&p->allocator, &documents, 1, err));
    dvi_documents_start(documents, p, lengths);
    const dv_status status = p->how == DV_PACK_STREAM ? plan_stream(p, documents, err)
                                                      : dvi_pack_windows(p, documents, err);
    dvi_free(&p->allocator, documents, sizeof *documents);
    return status;
}
