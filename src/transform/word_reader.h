/* SPDX-License-Identifier: MIT */
/* word_reader.h: divides texts into words (semantics:7.8, semantics:7.17). */
#ifndef DVI_TRANSFORM_WORD_READER_H
#define DVI_TRANSFORM_WORD_READER_H

#include "base/arena.h"
#include "base/hashtab.h"
#include "base/owner.h"
#include "simd/kernel.h"
#include "transform/text_norm.h"

/* Characters that end a word. */
typedef struct dvi_separators {
    dvi_ascii_set ascii;
    const dv_text *others; /* characters beyond ASCII */
    int32_t others_count;
} dvi_separators;

/* One blank, as `sep` is unless it is given. */
extern const dvi_separators dvi_blank_separator;

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

/* Reads the words of one text after the other; at first zero. Its memory is used again for each
 * text. Separators are found some at a time, also in the texts that come next. */
typedef struct dvi_word_reader {
    const dvi_words *words;
    dvi_memory *normal, *lowered; /* the text normalized; a word in lower case */
    const char *at, *end;         /* what is left of the text; NULL: nothing */
    const char *limit;            /* up to there texts lie end to end, and may be read; NULL: the
                                     end of each */
    dvi_memory *marks;            /* uint32: separators from `base` to `seen`; see word_reader.c */
    const char *base, *seen;
    uint32_t next, marks_count;
} dvi_word_reader;

/* Start with the texts of a batch. limit: where the last of them ends, if they lie end to end and
 * come in this order; else NULL. */
void dvi_word_reader_start(dvi_word_reader *reader, const dvi_words *words, const char *limit);
/* Go on with a text. Its words, and the text unless it is normalized, stay where they are until the
 * next call. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_word_reader_begin(dvi_word_reader *reader, dv_text text,
                                const dv_allocator *allocator, dv_error *err);
/* Write the next words, `room` (1 or more) at most; 0: there are no more. */
int dvi_word_reader_read(dvi_word_reader *reader, dv_text *words_out, int room);
/* Up to there, bytes behind each of these words may be read. */
static inline const char *dvi_word_reader_limit(const dvi_word_reader *reader)
{
    return reader->limit && !reader->words->norm ? reader->limit : reader->end;
}
void dvi_word_reader_free(dvi_word_reader *reader);

#endif
