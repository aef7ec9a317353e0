/* SPDX-License-Identifier: MIT */
/* word_reader.h: divides texts into words (semantics:7.8, semantics:7.17). */
#ifndef DVI_TRANSFORM_WORD_READER_H
#define DVI_TRANSFORM_WORD_READER_H

#include "base/arena.h"
#include "base/hashtab.h"
#include "base/owner.h"
#include "transform/text_norm.h"

/* Characters that end a word. */
typedef struct dvi_separators {
    bool ascii[128];
    const dv_text *others; /* characters beyond ASCII */
    int32_t others_count;
} dvi_separators;

/* Each character of the text separates. What is not ASCII is copied to the arena. DV_OK;
 * DV_ERR_ARGUMENT: there is none; DV_ERR_MEMORY. */
dv_status dvi_separators_read(dvi_separators *separators_out, dv_text text, dvi_arena *arena,
                              dv_error *err);

/* Words to leave out, whatever their case. In the arena that it was made with. */
typedef struct dvi_stop_words {
    dvi_hashtab table;
    dv_text *words; /* in lower case */
    int64_t count;
    dvi_text_norm lower;
} dvi_stop_words;

/* The listed words are taken without the blanks around them. DV_OK; DV_ERR_LIMIT: more than 2^31-1;
 * DV_ERR_MEMORY. */
dv_status dvi_stop_words_create(const dvi_stop_words **stop_out, const dv_text *words, int64_t n,
                                dvi_arena *arena, dv_error *err);

/* How texts become words. Empty ones are none. Read-only. */
typedef struct dvi_words {
    const dvi_text_norm *norm; /* that texts go through first; NULL: as they are */
    const dvi_separators
        *separators;            /* pieces lose the blanks around them; NULL: a text is a word */
    const dvi_stop_words *stop; /* NULL: all words stay */
} dvi_words;

void dvi_words_identify(const dvi_words *words, dv_identity *identity);

/* Reads the words of one text after the other; at first zero but for `words`. Its memory is used
 * again for each text. */
typedef struct dvi_word_reader {
    const dvi_words *words;
    dvi_memory *normal, *lowered; /* the text normalized; a word in lower case */
    const char *at, *end;         /* what is left of the text; NULL: nothing */
} dvi_word_reader;

/* Go on with a text. Its words, and the text unless it is normalized, stay where they are until the
 * next call. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_word_reader_begin(dvi_word_reader *reader, dv_text text,
                                const dv_allocator *allocator, dv_error *err);
/* The next word; false: there is none. */
bool dvi_word_reader_next(dvi_word_reader *reader, dv_text *word_out);
void dvi_word_reader_free(dvi_word_reader *reader);

#endif
