/* SPDX-License-Identifier: MIT */
/* learn.h: what steps learn from a column. */
#ifndef DVI_PIPELINE_LEARN_H
#define DVI_PIPELINE_LEARN_H

#include "pipeline/step.h"
#include "transform/terms.h"

/* What a step has learnt from one of its columns. */
typedef struct dvi_learnt {
    dvi_terms *terms; /* of term and onehot; else NULL */
    dv_view *names;   /* of hashes; NULL: none */
    dv_view *like;    /* of optional: a column of that type and metadata; NULL: it was missing */
} dvi_learnt;

void dvi_learnt_free(dvi_learnt *learnt);

/* A column that a step learns from. */
typedef struct dvi_lesson {
    const dvi_step *step;
    const dv_schema *schema; /* of the view that is read; outlives the learner */
    int32_t column;          /* -1: of optional, it is missing */
    size_t terms_nbytes;     /* dv_fit_options */
    const dv_allocator *allocator;
} dvi_lesson;

/* Does the step learn from rows? The answer depends on its options. */
bool dvi_step_learns(const dvi_step *step);

/* What a fitted step has for each of its columns: "terms", "names", or NULL for nothing. */
const char *dvi_step_table(const dvi_step *step);

#define DVI_LEARNERS_MAX 256 /* that are merged */

/* What learns: one for each thread, each of which sees some of the chunks of a cursor set. */
typedef struct dvi_learner {
    const struct dvi_learner_class *cls;
    void *self;
} dvi_learner;

/* DV_OK; DV_ERR_ARGUMENT: a column that the step does not take; DV_ERR_MEMORY. After a failure
 * there is nothing to free. */
dv_status dvi_learner_begin(dvi_learner *learner_out, const dvi_lesson *lesson, dv_error *err);
void dvi_learner_free(dvi_learner *learner); /* all zeros is fine */

/* The rows that follow are of this chunk. Numbers rise. */
dv_status dvi_learner_begin_chunk(dvi_learner *learner, int64_t chunk, dv_error *err);
/* Take the rows of a column. place: a number that rises from row to row over all chunks. */
dv_status dvi_learner_see(dvi_learner *learner, const dv_column_view *column, int64_t place,
                          dv_error *err);
/* Rows that follow change nothing. */
bool dvi_learner_is_full(const dvi_learner *learner);

/* Let the first of n learners be as if it had seen the rows of all, in the order of places. The
 * others are not to be used again, except to free them. */
dv_status dvi_learner_merge(dvi_learner *learners, int32_t n, dv_error *err);
/* What was learnt. DV_OK; DV_ERR_LIMIT; DV_ERR_MEMORY. */
dv_status dvi_learner_finish(dvi_learner *learner, const dvi_lesson *lesson, dvi_learnt *learnt_out,
                             dv_error *err);

/* What a step that does not read rows knows: terms that are given, types of optional columns. Else
 * nothing. */
dv_status dvi_learnt_given(dvi_learnt *learnt_out, const dvi_lesson *lesson, dv_error *err);

#endif
