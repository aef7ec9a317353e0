/* SPDX-License-Identifier: MIT */
/* tf_fused.h: chains of steps whose columns in between nobody asks for: the last column is made
 * straight from what the first step takes, with the same bits. Members `fuse` of dvi_maker. */
#ifndef DVI_TRANSFORM_TF_FUSED_H
#define DVI_TRANSFORM_TF_FUSED_H

#include "transform/mapper.h"

/* Keys of words: tokenize, term. */
dv_status dvi_fuse_term(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena, dv_error *err);
/* Grams of words: tokenize, term, ngram. */
dv_status dvi_fuse_ngram(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena,
                         dv_error *err);
/* Hashed grams of hashed words: tokenize, hash, ngramhash. */
dv_status dvi_fuse_gram_hash(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena,
                             dv_error *err);

/* Numbers that are made of numbers, value by value: convert, replacena, normalize, isna. A block of
 * values goes through all steps while it is in the cache. */
dv_status dvi_fuse_values(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena,
                          dv_error *err);

#endif
