/* SPDX-License-Identifier: MIT */
/* terms_priv.h: what the files of the dictionary of terms share. */
#ifndef DVI_TRANSFORM_TERMS_PRIV_H
#define DVI_TRANSFORM_TERMS_PRIV_H

#include "base/load.h"
#include "base/owner.h"
#include "transform/terms.h"

/* Values that are looked up together. */
#define DVI_TERM_KEYS 32

/* The first terms of a chunk: those from `first` on, up to the next run. */
typedef struct dvi_terms_run {
    int64_t chunk, first;
} dvi_terms_run;

struct dvi_terms {
    dv_allocator allocator;
    dv_type type;
    int64_t most, count;
    size_t value_nbytes; /* of one of `values`; 0: texts */
    uint64_t seed;

    uint64_t *slots; /* a hash above, and below 1 + the number of its term; 0: free */
    size_t cap;      /* of slots: a power of two, or 0 */
    int shift;       /* of a hash, to the place where its slot is looked for first */

    dvi_memory *keys;   /* by which values are equal: uint64 each, of UG two */
    dvi_memory *values; /* as they came first; of DZ the ticks */
    dvi_memory *minutes;
    dvi_memory *utf8, *ends; /* of texts, as in dv_text_layout */
    size_t text_used, text_nbytes;

    dvi_memory *runs;
    size_t runs_count;
};

/* What is compared of some values. */
typedef struct dvi_term_keys {
    uint64_t lo[DVI_TERM_KEYS], hi[DVI_TERM_KEYS]; /* hi: of UG */
    dv_text text[DVI_TERM_KEYS];                   /* of TX, instead */
    uint32_t hash[DVI_TERM_KEYS];
    bool is_term[DVI_TERM_KEYS];
} dvi_term_keys;

/* Read rows first..first+n-1 of a column; n is at most DVI_TERM_KEYS. */
void dvi_term_keys_read(const dvi_terms *terms, const dv_column_view *values, int64_t first, int n,
                        dvi_term_keys *keys_out);

static inline dv_text dvi_terms_text(const dvi_terms *terms, int64_t number)
{
    const uint8_t *ends = terms->ends->data;
    const int32_t from = number > 0 ? dvi_load_i32(ends + 4 * (number - 1)) : 0;
    return (dv_text){(const char *)terms->utf8->data + from,
                     dvi_load_i32(ends + 4 * number) - from};
}

#endif
