/* SPDX-License-Identifier: MIT */
/* char_keys.h: the keys of the characters of a row, as the step chars makes them of its texts, or
 * of their words (semantics:7.19). */
#ifndef DVI_TRANSFORM_CHAR_KEYS_H
#define DVI_TRANSFORM_CHAR_KEYS_H

#include "transform/text_items.h"
#include "transform/word_reader.h"

/* How rows become characters: those of the words; if `words` changes nothing, of the texts. */
typedef struct dvi_char_rules {
    dvi_words words;
    bool is_vector; /* a row without characters has its start and end */
} dvi_char_rules;

/* Of one column and cursor, or of one learner; start from {0}. */
typedef struct dvi_char_keys {
    dvi_word_reader reader;
    dvi_memory *sources; /* a dvi_text_rows for each column */
    dvi_memory *keys;    /* uint32, of the row */
    int32_t sources_count;
    int64_t n;
} dvi_char_keys;

/* Start with n columns of texts, or again with others. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_char_keys_start(dvi_char_keys *keys, const dvi_char_rules *rules,
                              const dv_column_view *const *columns, int32_t n,
                              const dv_allocator *allocator, dv_error *err);
/* Read the next row: keys->n keys. DV_OK; DV_ERR_LIMIT: more than 2^31-1; DV_ERR_MEMORY. */
dv_status dvi_char_keys_next(dvi_char_keys *keys, const dvi_char_rules *rules,
                             const dv_allocator *allocator, dv_error *err);
void dvi_char_keys_free(dvi_char_keys *keys);

static inline const uint32_t *dvi_char_keys_list(const dvi_char_keys *keys)
{
    return keys->keys ? (const uint32_t *)(const void *)keys->keys->data : NULL;
}

#endif
