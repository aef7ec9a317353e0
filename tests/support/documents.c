/* SPDX-License-Identifier: MIT */
/* documents.c: a table of documents of drawn lengths. */
#include "support/documents.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include <string.h>

static bool is_sparse(const dvt_documents *d, int64_t row)
{
    return d->ids_count[row] >= 0;
}

int32_t dvt_document_id(const dvt_documents *d, int64_t row, int32_t slot)
{
    return is_sparse(d, row) && slot % 3 != 1 ? 0 : (int32_t)row * 1000 + slot + 1;
}

double dvt_document_mask(int64_t row, int32_t slot)
{
    return (double)row + slot / 64.0;
}

static dv_column_view vectors(dv_type item, int64_t n, const int32_t *lengths,
                              const int32_t *counts, const int32_t *indices, int64_t indices_count,
                              const dv_column_view *items)
{
    dv_column_view view = {.type = dv_type_vector(item, 0), .layout = DV_LAYOUT_VECTOR, .rows = n};
    view.as.vector.lengths = dvt_made_fixed(dv_type_of(DV_KIND_I4), lengths, n).as.fixed.values;
    view.as.vector.counts = dvt_made_fixed(dv_type_of(DV_KIND_I4), counts, n).as.fixed.values;
    view.as.vector.indices =
        dvt_made_fixed(dv_type_of(DV_KIND_I4), indices, indices_count).as.fixed.values;
    view.as.vector.items = items;
    return view;
}

static void fill_row(dvt_documents *d, int64_t row, int32_t length, bool sparse, int64_t *items,
                     int64_t *slots, int64_t *masks)
{
    d->number[row] = row;
    d->length[row] = d->mask_length[row] = length;
    d->short_length[row] = (int16_t)length;
    d->ids_count[row] = sparse ? 0 : -1;
    d->mask_count[row] = -1;
    for (int32_t slot = 0; slot < length; slot++) {
        d->utf8[*masks] = (char)('a' + row % 26);
        d->mask_item[(*masks)++] = dvt_document_mask(row, slot);
        if (sparse && slot % 3 != 1)
            continue;
        d->ids_item[(*items)++] = dvt_document_id(d, row, slot);
        if (sparse) {
            d->ids_slot[(*slots)++] = slot;
            d->ids_count[row]++;
        }
    }
    d->ends[row] = (int32_t)*masks;
}

dv_view *dvt_documents_open(dvt_documents *d, int64_t n, int32_t most, int64_t block_rows,
                            uint64_t seed, const dv_allocator *allocator)
{
    static const char *const names[] = {"n", "ids", "mask", "text", "length"};
    uint64_t state = seed + 1;
    int64_t items = 0, slots = 0, masks = 0;
    memset(d, 0, sizeof *d);
    DVT_MUST(n <= DVT_DOCUMENTS_MOST && n * most <= DVT_DOCUMENT_ITEMS);
    for (int64_t row = 0; row < n; row++) {
        const uint64_t drawn = dvt_draw(&state);
        const int32_t length = drawn % 10 == 0 ? 0 : (int32_t)(drawn / 10 % (uint64_t)(most + 1));
        fill_row(d, row, length, dvt_draw(&state) % 5 == 0, &items, &slots, &masks);
    }
    d->ids_items = dvt_made_fixed(dv_type_of(DV_KIND_I4), d->ids_item, items);
    d->mask_items = dvt_made_fixed(dv_type_of(DV_KIND_R8), d->mask_item, masks);
    d->made = (dvt_made_table){.columns = 5,
                               .rows = n,
                               .block_rows = block_rows > 0 ? block_rows : 50,
                               .in_blocks = block_rows > 0,
                               .bad_row = -1};
    memcpy(d->made.name, names, sizeof names);
    d->made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), d->number, n);
    d->made.column[1] = vectors(dv_type_of(DV_KIND_I4), n, d->length, d->ids_count, d->ids_slot,
                                slots, &d->ids_items);
    d->made.column[2] =
        vectors(dv_type_of(DV_KIND_R8), n, d->mask_length, d->mask_count, NULL, 0, &d->mask_items);
    d->made.column[3] = dvt_made_text(DV_KIND_TX, d->utf8, d->ends, n);
    d->made.column[4] = dvt_made_fixed(dv_type_of(DV_KIND_I2), d->short_length, n);
    return dvt_made_table_open(&d->made, allocator);
}
