/* SPDX-License-Identifier: MIT */
/* words_story.h: bytes as a table of texts and steps that take them to words, keys or counts. */
#ifndef DVT_WORDS_STORY_H
#define DVT_WORDS_STORY_H

#include "support/lines.h"
#include "words_model.h"
#include <dataview/view.h>

/* What column X of the last step is. */
typedef enum dvt_words_goal {
    DVT_GOAL_WORDS,  /* textnorm, tokenize, stopwords */
    DVT_GOAL_CHARS,  /* and chars */
    DVT_GOAL_BAGS,   /* and term, ngram; or wordbag */
    DVT_GOAL_HASHES, /* and hash, ngramhash; or wordhashbag */
    DVT_GOAL_TEXT,   /* text; or the steps that it stands for */
    DVT_GOALS
} dvt_words_goal;

enum { DVT_STORY_STEPS = 12 };

typedef struct dvt_words_story {
    dvi_arena arena;
    const uint8_t *head; /* the bytes that options are drawn from */
    size_t head_left;
    dvt_words_goal goal;
    int32_t sources, width, rows; /* columns A and B; slots, 0: scalars */
    bool is_sparse;
    dvt_texts *texts;    /* of row r of source s: [s * rows + r] */
    dvt_texts *expanded; /* the same after expand; NULL: there is no such step */
    /* Steps on the way, and their options. */
    bool has_norm, has_split, has_stop, has_markers;
    dvt_norm norm;
    dv_text separators, terms_end, frequency; /* of tokenize; of expand */
    dvt_texts stop;
    dvt_runs runs, char_runs;
    int version;    /* of hashes */
    int32_t invert; /* names of hashes; 0: none, -1: all */
    bool has_words, has_chars;
    const char *scale; /* the norm of text */
    /* The same steps one by one, and as one; that is empty if there is no such step. */
    dvt_lines step[DVT_STORY_STEPS], whole;
    int32_t steps;
} dvt_words_story;

/* Free it in any case. */
void dvt_words_story_read(dvt_words_story *story, const uint8_t *data, size_t n);
void dvt_words_story_free(dvt_words_story *story);
dv_view *dvt_words_story_table(const dvt_words_story *story);

#endif
