/* SPDX-License-Identifier: MIT */
/* words_model.h: words, characters, runs and hashes, as docs/spec/semantics.md says (7.6, 7.8 to
 * 7.11, 7.17). Written from the pages, the simple way: no windows, no tables, no threads. */
#ifndef DVT_WORDS_MODEL_H
#define DVT_WORDS_MODEL_H

#include "base/arena.h"
#include <dataview/type.h>

/* The texts of a row. Empty ones and NA stand here until a step drops them. */
typedef struct dvt_texts {
    dv_text *text;
    int32_t n;
} dvt_texts;

typedef struct dvt_keys {
    uint32_t *key;
    int32_t n;
} dvt_keys;

/* Memory of the arena; it never fails here. */
void *dvt_room(dvi_arena *arena, size_t nbytes);

/* --- Texts ------------------------------------------------------------------------------------ */

typedef struct dvt_norm {
    int to_case; /* 0 lower, 1 upper, 2 none */
    bool diacritics, punctuation, numbers;
} dvt_norm;

dv_text dvt_model_norm(dvi_arena *arena, dv_text text, const dvt_norm *norm);
/* Each text normalized, empty ones dropped. */
dvt_texts dvt_model_norms(dvi_arena *arena, dvt_texts texts, const dvt_norm *norm);
/* Words between separators, each a character of `separators`. */
dvt_texts dvt_model_split(dvi_arena *arena, dvt_texts texts, dv_text separators);
/* Terms as often as their frequencies say. */
dv_text dvt_model_expand(dvi_arena *arena, dv_text text, dv_text separators, dv_text frequency);
dvt_texts dvt_model_stop(dvi_arena *arena, dvt_texts texts, dvt_texts stop);

/* --- Keys ------------------------------------------------------------------------------------- */

/* Number words in the order of the rows, `most` at most; what is left out is 0. Returns how many,
 * and which in *terms_out. */
int32_t dvt_model_terms(dvi_arena *arena, const dvt_texts *rows, int32_t n, int64_t most,
                        dvt_keys *keys_out, dv_text **terms_out);
/* Hashes of 30 bits, unordered. */
dvt_keys dvt_model_hashes(dvi_arena *arena, dvt_texts texts, uint32_t seed, int version);
/* UTF-16 units; is_scalar: of a text, not of a vector. */
dvt_keys dvt_model_chars(dvi_arena *arena, dvt_texts texts, bool is_scalar, bool has_markers);

/* --- Runs ------------------------------------------------------------------------------------- */

enum { DVT_RUN_KEYS = 10 };

typedef struct dvt_runs {
    int32_t n, skips;
    bool all;
    int64_t most[DVT_RUN_KEYS]; /* of each length, from 1 on */
    int weight;                 /* 0 tf, 1 idf, 2 tfidf */
    int32_t bits;               /* of hashes of runs, and what they depend on */
    uint32_t seed;
    bool is_ordered, rehash;
} dvt_runs;

/* Rows of `slots` numbers each. */
typedef struct dvt_bags {
    float *number;
    int32_t rows, slots;
    dvt_keys *run; /* of each slot; NULL: slots are hashes */
} dvt_bags;

dvt_bags dvt_model_bags(dvi_arena *arena, const dvt_keys *rows, int32_t n, const dvt_runs *runs);
/* rows: those of the first source, then those of the next. */
dvt_bags dvt_model_hash_bags(dvi_arena *arena, const dvt_keys *rows, int32_t n, int32_t sources,
                             const dvt_runs *runs);
/* Words and their hashes. */
typedef struct dvt_hashed {
    const dvt_texts *words; /* of row r of source s: [s * rows + r] */
    const dvt_keys *keys;
    int32_t rows, sources;
    int32_t invert; /* so many words of a hash, and runs of a slot, are named; -1: all */
} dvt_hashed;

/* The name of each slot of hashed runs; empty: it has none. */
dv_text *dvt_model_hash_names(dvi_arena *arena, const dvt_hashed *of, const dvt_runs *runs);
/* The terms of a run, joined; 0 is "*". */
dv_text dvt_model_name(dvi_arena *arena, dvt_keys run, const dv_text *terms);

#endif
