/* SPDX-License-Identifier: MIT */
/* test_word_bags.c: wordbag and wordhashbag make of texts at once what tokenize, term and ngram, or
 * tokenize, hash and ngramhash, make one after the other, bit for bit, text what many steps make,
 * and they learn the same with any number of threads (semantics:7.11). */
#include "support/lines.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/pipeline.h>
#include <dataview/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#ifdef DVT_SANITIZED
#define ROWS 34000 /* two chunks for the threads that learn */
#define THREADS_LEAST 5
#else
#define ROWS 70000
#define THREADS_LEAST 1
#endif

/* Texts of up to five words, some of them long, some in UTF-8, of which the first are frequent. */
static dv_view *make_texts(int64_t rows)
{
    dv_view *view;
    uint64_t state = 11;
    char **texts = calloc((size_t)rows, sizeof *texts);
    for (int64_t i = 0; i < rows; i++) {
        size_t n = 0;
        texts[i] = malloc(512);
        texts[i][0] = 0;
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        for (uint64_t k = state >> 61; k > 2; k--) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const unsigned word = (unsigned)((state >> 40) % 700) * (unsigned)((state >> 50) % 7);
            n += (size_t)snprintf(texts[i] + n, 512 - n, "%s%s%u", k % 5 ? " " : "  ",
                                  word % 9 == 0   ? "\xC3\xA9t\xC3\xA9-of-a-long-word-"
                                  : word % 2 == 0 ? "w"
                                                  : "x",
                                  word);
        }
    }
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    cr_assert_eq(dv_table_create(&view, &column, 1, rows, NULL, NULL), DV_OK);
    for (int64_t i = 0; i < rows; i++)
        free(texts[i]);
    free(texts);
    return view;
}

/* Column B of a pipeline that is fitted with so many threads, header included; and its passes. */
static dvt_lines run(dv_view *view, const char *text, int32_t threads, int32_t *passes_out)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_view *made;
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = threads;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(text), NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dv_fit(&fitted, pipeline, view, &options, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_fitted_apply(&made, fitted, view, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dvt_produce_by_value(&lines, made, NULL, &err), DV_OK, "%s", err.message);
    if (passes_out)
        *passes_out = dv_fitted_inspect(fitted).passes;
    dv_view_release(&made);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    return lines;
}

static void expect_same(const dvt_lines *a, const dvt_lines *b, const char *what, int threads)
{
    cr_expect(a->nbytes == b->nbytes && memcmp(a->data, b->data, a->nbytes) == 0,
              "%s with %d threads", what, threads);
}

static const struct {
    const char *bag, *steps;
} same[] = {
    {"wordbag B:A; select B", "tokenize W:A; term W; ngram B:W n=1; select B"},
    {"wordbag B:A n=2 skips=1 weight=tfidf; select B",
     "tokenize W:A; term W; ngram B:W n=2 skips=1 weight=tfidf; select B"},
    {"wordbag B:A n=3 all- weight=idf max=[100000 1 500]; select B",
     "tokenize W:A; term W max=100000; ngram B:W n=3 all- weight=idf max=[100000 1 500]; select B"},
    {"wordbag B:A n=2 max=[40 300] weight=idf; select B",
     "tokenize W:A; term W max=40; ngram B:W n=2 max=[40 300] weight=idf; select B"},
    {"wordhashbag B:A bits=12; select B",
     "tokenize W:A; hash W bits=30; ngramhash B:W n=1 bits=12; select B"},
    {"wordhashbag B:A,A n=2 bits=10 seed=5 hashversion=1 invert=3; select B",
     "tokenize W:A; hash W bits=30 seed=5 hashversion=1 invert=3; copy A:W; "
     "ngramhash B:A,A bits=10 seed=5 invert=3; select B"},
    {"text B:A tokens=T; select T B",
     "textnorm N:A; tokenize T:N; term K:T; ngram Word:K n=1; lpnorm Word; chars C:N; "
     "ngram Char:C n=3 all-; lpnorm Char; combine B:Char,Word; select T B"},
    {"text B:A case=upper stopwords=[w0 x1] norm=l1 wordn=2 wordweight=tfidf charn=2 charmax=[9 "
     "50]; "
     "select B",
     "textnorm N:A case=upper; tokenize T:N; stopwords T words=[w0 x1]; term K:T; "
     "ngram Word:K n=2 weight=tfidf; lpnorm Word norm=l1; chars C:T; "
     "ngram Char:C n=2 all- max=[9 50]; lpnorm Char norm=l1; combine B:Char,Word; select B"},
};

Test(word_bags, as_the_steps)
{
    dv_view *view = make_texts(ROWS);
    for (size_t i = 0; i < COUNT(same); i++) {
        int32_t passes;
        dvt_lines want = run(view, same[i].steps, 1, NULL);
        for (int32_t threads = THREADS_LEAST; threads <= 5; threads += 2) {
            dvt_lines got = run(view, same[i].bag, threads, &passes);
            expect_same(&want, &got, same[i].bag, threads);
            cr_expect_leq(passes, 1);
            dvt_lines_free(&got);
        }
        dvt_lines_free(&want);
    }
    dv_view_release(&view);
}
