/* SPDX-License-Identifier: MIT */
/* documents.h: a table of documents of drawn lengths, as vectors and as text. */
#ifndef DVT_DOCUMENTS_H
#define DVT_DOCUMENTS_H

#include "support/made_table.h"

#define DVT_DOCUMENTS_MOST 500   /* rows */
#define DVT_DOCUMENT_ITEMS 20000 /* in all rows */

/* Columns of a row: n its number (I8), ids and mask vectors (I4 and R8), text (TX) and length (I2);
 * the last four have its length.  Some rows are sparse. */
typedef struct dvt_documents {
    dvt_made_table made;
    int64_t number[DVT_DOCUMENTS_MOST];
    int32_t length[DVT_DOCUMENTS_MOST], mask_length[DVT_DOCUMENTS_MOST];
    int16_t short_length[DVT_DOCUMENTS_MOST];
    int32_t ids_count[DVT_DOCUMENTS_MOST], mask_count[DVT_DOCUMENTS_MOST];
    int32_t ids_slot[DVT_DOCUMENT_ITEMS], ids_item[DVT_DOCUMENT_ITEMS];
    double mask_item[DVT_DOCUMENT_ITEMS];
    int32_t ends[DVT_DOCUMENTS_MOST];
    char utf8[DVT_DOCUMENT_ITEMS];
    dv_column_view ids_items, mask_items;
} dvt_documents;

/* n rows of up to `most` items, a tenth of them empty, in blocks.  0 block_rows: reached only in
 * sequence.  The table must outlive the view; it may be changed before rows are read. */
dv_view *dvt_documents_open(dvt_documents *documents, int64_t n, int32_t most, int64_t block_rows,
                            uint64_t seed, const dv_allocator *allocator);

/* The value of a slot of a row: ids (0 where a sparse row stores nothing), mask. */
int32_t dvt_document_id(const dvt_documents *documents, int64_t row, int32_t slot);
double dvt_document_mask(int64_t row, int32_t slot);

#endif
