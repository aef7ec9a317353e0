/* SPDX-License-Identifier: MIT */
/* terms_priv.h: what the files of the dictionary of terms share. */
#ifndef DVI_TRANSFORM_TERMS_PRIV_H
#define DVI_TRANSFORM_TERMS_PRIV_H

#include "base/load.h"
#include "base/owner.h"
#include "codec/short_text.h"
#include "view/column.h"
#include "transform/terms.h"

/* Values that are looked up together. */
#define DVI_TERM_KEYS DVI_TERMS_WORDS

/* Texts of so many bytes are keys themselves. */
#define DVI_TERM_SHORT DVI_SHORT_TEXT

/* The first terms of a chunk: those from `first` on, up to the next run. */
typedef struct dvi_terms_run {
    int64_t chunk, first;
} dvi_terms_run;

struct dvi_terms {
    dv_allocator allocator;
    dv_type type;
    int64_t most, count;
    size_t value_nbytes; /* of one of `values`; 0: texts */
    bool is_wide;        /* keys have two words */
    uint64_t seeds[2];

    uint32_t *slots; /* 1 + the number of a term below, above some bits of its hash; 0: free */
    size_t cap;      /* of slots: a power of two, or 0 */
    int shift;       /* of a hash, to the place where its slot is looked for first */
    int number_bits; /* of a slot */

    dvi_memory *keys;   /* by which values are equal: words, one or two of each */
    dvi_memory *values; /* as they came first; of DZ the ticks */
    dvi_memory *minutes;
    dvi_memory *utf8, *ends; /* of texts, as in dv_text_layout */
    size_t text_used, text_nbytes;

    dvi_memory *runs;
    size_t runs_count;
};

/* What is compared of some values: one word, or two of UG and TX.
 *
 * The key of a short text is its bytes, then zeros, and its length in the last byte: no other text
 * has that key. Of a long one it is a hash and the length, so texts of equal keys are compared. */
typedef struct dvi_term_keys {
    uint64_t lo[DVI_TERM_KEYS], hi[DVI_TERM_KEYS];
    uint32_t hash[DVI_TERM_KEYS];
    bool is_term[DVI_TERM_KEYS];
} dvi_term_keys;

/* The last byte of the key of a long text. */
#define DVI_TERM_LONG (UINT64_C(0xFF) << 56)

/* Read rows first..first+n-1 of a column; n is at most DVI_TERM_KEYS. */
void dvi_term_keys_read(const dvi_terms *terms, const dv_column_view *values, int64_t first, int n,
                        dvi_term_keys *keys_out);

/* The same of words (dvi_terms_find_words). */
void dvi_term_keys_read_words(const dvi_terms *terms, const dv_text *words, int n, const char *end,
                              dvi_term_keys *keys_out);

/* The hash of a term, made again of its key. */
uint32_t dvi_term_hash(const dvi_terms *terms, int64_t number);

/* Make room for so many terms in an empty dictionary, which has more when it needs them. */
dv_status dvi_terms_reserve(dvi_terms *terms, int64_t count, size_t text_nbytes, dv_error *err);

/* The text of a row, which is not NA. */
static inline dv_text dvi_term_text_at(const dv_text_layout *column, int64_t row)
{
    const int32_t from = dvi_text_end(column, row), to = dvi_text_end(column, row + 1);
    return (dv_text){(const char *)column->utf8.data + from, to - from};
}

static inline dv_text dvi_terms_text(const dvi_terms *terms, int64_t number)
{
    const uint8_t *ends = terms->ends->data;
    const int32_t from = number > 0 ? dvi_load_i32(ends + 4 * (number - 1)) : 0;
    return (dv_text){(const char *)terms->utf8->data + from,
                     dvi_load_i32(ends + 4 * number) - from};
}

#endif
