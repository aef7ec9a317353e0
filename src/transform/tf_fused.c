/* SPDX-License-Identifier: MIT */
/* tf_fused.c: finds chains that begin with words of texts, and gives them the makers of the steps
 * that do the same at once. */
#include "transform/tf_fused.h"
#include "base/check.h"
#include "transform/mapper_trace.h"
#include "transform/tf_gram_hash.h"
#include "transform/tf_hash_priv.h"
#include "transform/tf_ngram.h"
#include "transform/tf_term_priv.h"
#include "transform/tf_word_bag.h"
#include "transform/tf_word_keys.h"
#include "transform/tf_words.h"

/* The words that the column is made of, which has been found; NULL: it is made of something else.
 */
static const dvi_words *trace_words(dvi_trace *t)
{
    return dvi_trace_source(t) ? dvi_words_of(t->made) : NULL;
}

static dv_status ignore_missing(dv_status status)
{
    return status == DV_NOT_FOUND ? DV_OK : status;
}

/* --- Keys ------------------------------------------------------------------------------------- */

dv_status dvi_fuse_term(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena, dv_error *err)
{
    dvi_trace t;
    dvi_mapped fused = {.maker = NULL};
    const dvi_term *term = mapped->params;
    if (!dvi_trace_start(&t, source, mapped->sources[0]) || !dvi_words_of(t.made))
        return DV_OK;
    const dv_status status = dvi_trace_sources(&t, &fused, arena, err);
    if (status != DV_OK)
        return ignore_missing(status);
    DVI_TRY(dvi_word_keys_map(&fused, arena, dvi_words_of(t.made), term->terms, err));
    *mapped = fused;
    return DV_OK;
}

/* --- Grams ------------------------------------------------------------------------------------ */

dv_status dvi_fuse_ngram(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena, dv_error *err)
{
    dvi_trace t;
    void *room;
    dvi_mapped fused = {.maker = NULL};
    if (!dvi_trace_start(&t, source, mapped->sources[0]))
        return DV_OK;
    const dvi_term *term = dvi_term_of(t.made);
    const dvi_words *words = term ? trace_words(&t) : NULL;
    if (!words)
        return DV_OK;
    const dv_status status = dvi_trace_sources(&t, &fused, arena, err);
    if (status != DV_OK)
        return ignore_missing(status);
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_word_bag), err));
    dvi_word_bag *bag = room;
    *bag = (dvi_word_bag){.terms = (dvi_terms *)(uintptr_t)term->terms,
                          .grams = (dvi_grams *)(uintptr_t)dvi_ngram_of(mapped)};
    DVI_TRY(dvi_word_bag_map(&fused, arena, words, bag, err));
    *mapped = fused;
    return DV_OK;
}

/* Are the keys hashes of words alone, one for each? */
static bool hashes_words(const dvi_hash *h)
{
    return h && h->form == DVI_HASH_TEXT && !h->is_by_slot && !h->is_combined;
}

dv_status dvi_fuse_gram_hash(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena,
                             dv_error *err)
{
    dvi_trace t;
    void *room;
    dvi_mapped fused = {.maker = NULL};
    if (dvi_gram_hash_options_of(mapped)->words || mapped->n != 1 ||
        !dvi_trace_start(&t, source, mapped->sources[0]))
        return DV_OK;
    const dvi_hash *h = dvi_hash_of(t.made);
    const dvi_words *words = hashes_words(h) ? trace_words(&t) : NULL;
    if (!words || t.made->n != 1)
        return DV_OK;
    const dv_status status = dvi_trace_sources(&t, &fused, arena, err);
    if (status != DV_OK)
        return ignore_missing(status);
    dvi_gram_hash_options options = *dvi_gram_hash_options_of(mapped);
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_word_hash), err));
    dvi_word_hash *how = room;
    *how =
        (dvi_word_hash){.words = *words, .seed = h->seed, .version = h->version, .bits = h->bits};
    options.words = how;
    DVI_TRY(dvi_gram_hash_map(&fused, arena, &options, err));
    *mapped = fused;
    return DV_OK;
}
