/* SPDX-License-Identifier: MIT */
/* tf_hash_priv.h: what the files of the transform hash share. */
#ifndef DVI_TRANSFORM_TF_HASH_PRIV_H
#define DVI_TRANSFORM_TF_HASH_PRIV_H

#include "simd/convert.h"
#include "transform/tf_hash.h"

#define DVI_HASH_NAMES_NBYTES ((int64_t)1 << 30) /* the most, of all names of a column */
#define DVI_HASH_NAMES_LIMIT "names_nbytes"      /* the option that is to set it */

/* How the values of a type are read. */
typedef enum dvi_hash_form {
    DVI_HASH_WORDS_4, /* widened to 32 bits, the sign of a signed one extended */
    DVI_HASH_WORDS_8,
    DVI_HASH_UG,
    DVI_HASH_TEXT
} dvi_hash_form;

/* How the values of one column are hashed. Read-only. */
typedef struct dvi_hash {
    dv_type item; /* of the source */
    dvi_hash_form form;
    dvi_convert *widen; /* to words of 4 bytes; NULL: they have that width */
    dvi_na na;          /* of the words */
    uint32_t seed;      /* with that of slot 0 if a scalar is ordered */
    uint32_t mask;      /* 2^bits - 1 */
    bool is_by_slot;    /* vectors only: the seed of each slot differs */
    bool is_combined;   /* vectors only */
    bool fills_holes;   /* vectors only: a slot without an item has a key */
    dvi_murmur_version version;
    int32_t bits;
    dv_view *names; /* NULL: none */
    dv_u128 names_digest;
} dvi_hash;

/* How the column is hashed; NULL: it is no hash. */
const dvi_hash *dvi_hash_of(const dvi_mapped *mapped);

/* Find how a column of the source is hashed, without names. Statuses as dvi_hash_plan. */
dv_status dvi_hash_find(dvi_hash *hash_out, const dv_type *source, const dvi_hash_options *options,
                        dv_error *err);

/* Hash n items from item `first` on: dst[i] is the key of one; 0: NA. slots: of each item; NULL:
 * the seed is not that of a slot. */
void dvi_hash_items(const dvi_hash *hash, uint32_t *dst, const dv_column_view *items, int64_t first,
                    int64_t n, const int32_t *slots);
/* Hash all items of the first `rows` rows of a vector, each with its slot if is_by_slot. */
void dvi_hash_vectors(const dvi_hash *hash, uint32_t *dst, const dv_vector_layout *vector,
                      int64_t rows);
/* The key of a slot without an item. */
uint32_t dvi_hash_default(const dvi_hash *hash, int32_t slot);
/* Hash the first `rows` rows of a vector to one key each. */
void dvi_hash_combine(const dvi_hash *hash, uint32_t *dst, const dv_vector_layout *vector,
                      int64_t rows);

/* Whether the text hashes to key 0 (semantics:7.6). */
static inline bool dvi_hash_is_missing(dv_text text)
{
    return text.nbytes <= 0;
}

/* --- Names ------------------------------------------------------------------------------------ */

/* Check a table of names of keys of that many bits, and find its digest. */
dv_status dvi_hash_digest_names(dv_u128 *digest_out, dv_view *names, int32_t bits,
                                const dv_allocator *allocator, dv_error *err);
/* Add metadata of a kind, KeyValues or SlotNames, which is made of the names on request: the name
 * of key k in slot k - 1. */
dv_status dvi_hash_add_names(dv_view *names, int32_t bits, const char *kind, dv_schema *schema,
                             int32_t column, dv_error *err);

#endif
