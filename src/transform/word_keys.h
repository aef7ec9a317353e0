/* SPDX-License-Identifier: MIT */
/* word_keys.h: the keys of the words of a row, straight from its texts: no word is copied. */
#ifndef DVI_TRANSFORM_WORD_KEYS_H
#define DVI_TRANSFORM_WORD_KEYS_H

#include "transform/text_items.h"
#include "transform/word_reader.h"

#define DVI_WORD_KEYS 64 /* words that get their keys together: DVI_TERMS_WORDS */

/* Give n words their keys. end: up to there bytes behind each may be read. */
typedef dv_status dvi_word_number(void *ctx, const dv_text *words, int n, const char *end,
                                  uint32_t *keys_out, dv_error *err);

/* Of one column and cursor, or of one learner; start from {0}. */
typedef struct dvi_word_keys {
    dvi_word_reader reader;
    dvi_memory *sources; /* a dvi_text_rows for each column */
    dvi_memory *keys;    /* uint32, of the row */
    int64_t n;
} dvi_word_keys;

/* Start with n columns of texts, or again with others. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_word_keys_start(dvi_word_keys *keys, const dvi_words *words,
                              const dv_column_view *const *columns, int32_t n,
                              const dv_allocator *allocator, dv_error *err);
/* Read the next row of n columns from `first` on: keys->n keys. DV_OK; DV_ERR_LIMIT: more than
 * 2^31-1 words; DV_ERR_MEMORY, and what `number` returns. */
dv_status dvi_word_keys_next(dvi_word_keys *keys, int32_t first, int32_t n, dvi_word_number *number,
                             void *ctx, const dv_allocator *allocator, dv_error *err);
void dvi_word_keys_free(dvi_word_keys *keys);

static inline const uint32_t *dvi_word_keys_list(const dvi_word_keys *keys)
{
    return keys->keys ? (const uint32_t *)(const void *)keys->keys->data : NULL;
}

#endif
