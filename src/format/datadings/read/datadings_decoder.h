/* SPDX-License-Identifier: MIT */
/* datadings_decoder.h: values of messages, one after the other, as columns.  (datadings:12) */
#ifndef DVI_DATADINGS_DECODER_H
#define DVI_DATADINGS_DECODER_H

#include "view/batch.h"
#include "format/datadings/read/datadings_locator.h"

/* The rule of a value that does not fit its column. */
#define DVI_DATADINGS_MISFIT "datadings:12"

/* A column that grows.  What holds values may be the message's own bytes: then there is one row. */
typedef struct dvi_datadings_builder {
    const dvi_datadings_column *column;
    int32_t cell;
    dv_type item;
    bool is_vector, is_text; /* the items are TX or BY */
    size_t width;            /* of an item; 0: text */
    dvi_memory *main;        /* items, or the bytes of text */
    dvi_memory *ends;        /* of text */
    dvi_memory *counts, *lengths;
    size_t main_cap, ends_cap; /* bytes there that nobody else holds */
    int64_t items;             /* of all rows */
    size_t nbytes;             /* of text */
    const uint8_t *place;      /* the message's bytes instead of main; NULL: main */
} dvi_datadings_builder;

typedef struct dvi_datadings_decoder {
    dvi_datadings_file *file;
    dv_allocator allocator;
    dvi_datadings_locator walk;
    dvi_datadings_builder *builders; /* one for each column asked for, in their order */
    int32_t count;
    int64_t rows;
    int64_t row_nbytes; /* of fixed width, of all columns together */
    bool in_place;      /* bytes of the message may be handed out: one row */
    bool tells_misfits; /* as errors, whatever the options say */
    bool checks_text;   /* each text; or all of them together at the end */
    dvi_datadings_misfit misfit;
    int64_t misfits;  /* of these rows, given as missing */
    int32_t key_cell; /* of the message's own key, asked for or not; -1: nobody knows it */
} dvi_datadings_decoder;

dv_status dvi_datadings_decoder_create(dvi_datadings_decoder *decoder, dvi_datadings_file *file,
                                       const int32_t *columns, int32_t count,
                                       const dv_allocator *allocator, dv_error *err);
void dvi_datadings_decoder_free(dvi_datadings_decoder *decoder);

/* No rows any more. */
void dvi_datadings_decoder_clear(dvi_datadings_decoder *decoder, bool in_place, bool checks_text);

/* One message more.  After a failure the rows are of no use but to be cleared.
 * DV_OK; DV_ERR_CORRUPT: what is wrong with the message, or a value that does not fit its column;
 * DV_ERR_LIMIT, DV_ERR_MEMORY. */
dv_status dvi_datadings_decoder_add(dvi_datadings_decoder *decoder,
                                    const dvi_msgpack_reader *message, dv_error *err);

/* Are all texts UTF-8?  Asked once after the last row, unless checks_text. */
bool dvi_datadings_decoder_is_text(const dvi_datadings_decoder *decoder);

/* Column k, as a batch has it; no reference is added.  span: where the last message lies. */
void dvi_datadings_decoder_view(const dvi_datadings_decoder *decoder, int32_t k,
                                const dvi_span *span, dv_column_view *view_out,
                                dv_column_view *items_out);

/* --- datadings_value.c ------------------------------------------------------------------------ */

/* Append the value of a cell to a column.  DV_NOT_FOUND: it does not fit, and the misfit tells; or
 * as dvi_datadings_decoder_add. */
dv_status dvi_datadings_append(dvi_datadings_decoder *decoder, dvi_datadings_builder *builder,
                               const dvi_datadings_cell *cell, const dvi_msgpack_reader *message,
                               dv_error *err);
/* Append what stands for a value that is missing. */
dv_status dvi_datadings_append_missing(dvi_datadings_decoder *decoder,
                                       dvi_datadings_builder *builder, dv_error *err);

/* Room for so many items, or bytes of text and their end, after those that are there. */
dv_status dvi_datadings_grow(dvi_datadings_decoder *decoder, dvi_datadings_builder *builder,
                             size_t main_nbytes, size_t ends_nbytes, dv_error *err);

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
