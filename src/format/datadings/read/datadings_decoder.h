/* SPDX-License-Identifier: MIT */
/* datadings_decoder.h: decodes messages into columns (datadings:12). */
#ifndef DVI_DATADINGS_DECODER_H
#define DVI_DATADINGS_DECODER_H

#include "view/batch.h"
#include "format/datadings/read/datadings_locator.h"

/* The rule of an error for a value that does not fit its column. */
#define DVI_DATADINGS_MISMATCH "datadings:12"

/* A column under construction. With one row its values may point into the message. */
typedef struct dvi_datadings_builder {
    const dvi_datadings_column *column;
    int32_t cell;
    dv_type item;
    bool is_vector, is_text; /* the items are TX or BY */
    int plain;               /* the kind of token that add_plain takes; NO_PLAIN: none */
    size_t width;            /* of an item; 0: text */
    dvi_memory *main;        /* items, or the bytes of text */
    dvi_memory *ends;        /* of text */
    dvi_memory *counts, *lengths;
    size_t main_cap, ends_cap; /* bytes that may be written: 0 if a batch may hold the memory */
    int64_t items;             /* of all rows */
    size_t nbytes;             /* of text */
    const uint8_t *borrowed;   /* values in the message, instead of main; NULL: in main */
} dvi_datadings_builder;

typedef struct dvi_datadings_decoder {
    dvi_datadings_file *file;
    dv_allocator allocator;
    dvi_datadings_locator locator;
    dvi_datadings_builder *builders; /* one per requested column, in their order */
    int32_t count;
    int64_t rows;
    int64_t row_nbytes;      /* memory of a row in all columns, without texts and items */
    bool in_place;           /* values may point into the message: there is one row */
    bool reports_mismatches; /* as errors, even with mismatch=na */
    bool checks_text;        /* each text by itself; else dvi_datadings_decoder_is_text does */
    dvi_datadings_mismatch mismatch;
    int64_t mismatches; /* values of these rows that became NA */
    int32_t key_cell;   /* of the message's own key, with option strict; -1: not located */
    int64_t first_row;  /* of the set: the sample of row 0 */
    dv_text *listed;    /* keys that the set lists, from sample listed_row on; NULL: none yet */
    int64_t listed_row, listed_rows;
    dvi_memory *listed_memory;
} dvi_datadings_decoder;

dv_status dvi_datadings_decoder_create(dvi_datadings_decoder *decoder, dvi_datadings_file *file,
                                       const int32_t *columns, int32_t count,
                                       const dv_allocator *allocator, dv_error *err);
void dvi_datadings_decoder_free(dvi_datadings_decoder *decoder);

/* Remove all rows; the next one is that of this sample. */
void dvi_datadings_decoder_clear(dvi_datadings_decoder *decoder, int64_t sample, bool in_place,
                                 bool checks_text);

/* Add a row for a message, at whose end the reader is then. After a failure the decoder must be
 * cleared. DV_OK; DV_ERR_CORRUPT: the message is broken, or a value does not fit its column;
 * DV_ERR_LIMIT, DV_ERR_MEMORY. */
dv_status dvi_datadings_decoder_add(dvi_datadings_decoder *decoder, dvi_msgpack_reader *message,
                                    dv_error *err);

/* Are all texts UTF-8? Needed after the last row unless checks_text. */
bool dvi_datadings_decoder_is_text(const dvi_datadings_decoder *decoder);

/* Set *view_out to column k, without a new reference; items of vectors are *items_out. span: the
 * bytes of the last message. */
void dvi_datadings_decoder_view(const dvi_datadings_decoder *decoder, int32_t k,
                                const dvi_span *span, dv_column_view *view_out,
                                dv_column_view *items_out);

/* --- datadings_value.c ------------------------------------------------------------------------ */

/* Append the value of a cell to a column. DV_NOT_FOUND: it does not fit, and decoder->mismatch
 * describes it; other statuses as for dvi_datadings_decoder_add. */
dv_status dvi_datadings_append(dvi_datadings_decoder *decoder, dvi_datadings_builder *builder,
                               const dvi_datadings_cell *cell, const dvi_msgpack_reader *message,
                               dv_error *err);
/* Append a key that the set lists, to a column of TX. */
dv_status dvi_datadings_append_listed(dvi_datadings_decoder *decoder,
                                      dvi_datadings_builder *builder, dv_text key, dv_error *err);
/* Append the value that represents a missing one. */
dv_status dvi_datadings_append_missing(dvi_datadings_decoder *decoder,
                                       dvi_datadings_builder *builder, dv_error *err);

/* Reserve main_nbytes and ends_nbytes in all. */
dv_status dvi_datadings_grow(dvi_datadings_decoder *decoder, dvi_datadings_builder *builder,
                             size_t main_nbytes, size_t ends_nbytes, dv_error *err);

/* Reserve memory for more items, of fixed width or with text_nbytes bytes of text. */
static inline dv_status dvi_datadings_room(dvi_datadings_decoder *decoder, dvi_datadings_builder *b,
                                           size_t items, size_t text_nbytes, dv_error *err)
{
    const size_t n = (size_t)b->items + items;
    const size_t main = b->is_text ? b->nbytes + text_nbytes : b->width * n;
    const size_t ends = b->is_text ? 4 * n : 0;
    return b->main && main <= b->main_cap && ends <= b->ends_cap
               ? DV_OK
               : dvi_datadings_grow(decoder, b, main, ends, err);
}

#endif
