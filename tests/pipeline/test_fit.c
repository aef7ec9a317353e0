/* SPDX-License-Identifier: MIT */
/* test_fit.c: fitting reads rows once for all steps that can learn together, gives the same for any
 * number of threads, and can be stopped. */
#include "support/lines.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/pipeline.h>
#include <dataview/table.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROWS 300000

static dv_view *make_table(int64_t rows)
{
    static char words[5000][8];
    const char **texts = calloc((size_t)rows, sizeof *texts);
    int32_t *numbers = calloc((size_t)rows, sizeof *numbers);
    dv_view *view;
    uint64_t state = 7;
    for (size_t i = 0; i < COUNT(words); i++)
        snprintf(words[i], sizeof words[i], "w%d", (int)i);
    for (int64_t i = 0; i < rows; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        texts[i] = words[(state >> 33) % (size_t)(1 + i * (int64_t)COUNT(words) / rows)];
        numbers[i] = (int32_t)(state >> 40) % 1000;
    }
    const dv_table_column columns[] = {{"A", dv_type_of(DV_KIND_TX), texts, NULL},
                                       {"N", dv_type_of(DV_KIND_I4), numbers, NULL}};
    cr_assert_eq(dv_table_create(&view, columns, 2, rows, NULL, NULL), DV_OK);
    free(texts);
    free(numbers);
    return view;
}

static dv_fitted *fit(const char *text, dv_view *view, int32_t threads)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = threads;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(text), NULL, NULL), DV_OK);
    cr_assert_eq(dv_fit(&fitted, pipeline, view, &options, NULL, &err), DV_OK, "%s: %s", text,
                 err.message);
    cr_expect_eq(dv_fitted_pipeline(fitted), pipeline);
    dv_pipeline_release(&pipeline);
    return fitted;
}

/* --- Threads ---------------------------------------------------------------------------------- */

/* All that was learnt, as text. */
static dvt_lines state_of(dv_fitted *fitted)
{
    dvt_lines lines = {0};
    const int32_t tables = dv_fitted_inspect(fitted).tables;
    cr_expect_gt(tables, 0);
    for (int32_t i = 0; i < tables; i++) {
        dv_fitted_state state;
        cr_assert_eq(dv_fitted_table(&state, fitted, i, NULL), DV_OK);
        cr_expect_gt(dv_view_rows(state.view), 0);
        cr_assert_eq(dvt_put_rows(&lines, state.view, NULL, dvt_put_batch_by_value, NULL), DV_OK);
        dv_view_release(&state.view);
    }
    return lines;
}

static const char *const pipelines[] = {
    "term A",
    "term A max=77; term N sort=value",
    "onehot A max=3000 sort=value; hash H:A bits=9 invert=3; term N max=10",
    "convert R:N type=R4; range R min=100 max=200; term A; hash N bits=6 invert=-1",
    "chars C:A; ngram D:C n=3 skips=1 weight=tfidf; ngram E:C n=4 max=[3 30 200 1]",
    "chars C:A markers-; ngram D:C max=[5 20] weight=idf; ngram E:C n=3 all- max=[77]",
};

Test(fit, same_for_any_number_of_threads)
{
    dv_view *view = make_table(ROWS);
    for (size_t i = 0; i < COUNT(pipelines); i++) {
        dv_fitted *alone = fit(pipelines[i], view, 1);
        dvt_lines want = state_of(alone);
        for (int32_t threads = 2; threads <= 5; threads += 3) {
            dv_fitted *several = fit(pipelines[i], view, threads);
            dvt_lines found = state_of(several);
            cr_expect(want.nbytes == found.nbytes &&
                          memcmp(want.data, found.data, want.nbytes) == 0,
                      "%s with %d threads", pipelines[i], (int)threads);
            dvt_lines_free(&found);
            dv_fitted_release(&several);
        }
        dvt_lines_free(&want);
        dv_fitted_release(&alone);
    }
    dv_view_release(&view);
}

/* --- Passes ----------------------------------------------------------------------------------- */

static const struct {
    const char *pipeline;
    int32_t passes;
} passes[] = {
    {"", 0},
    {"convert N type=R4; copy B:A; drop A", 0},
    {"term A terms=[w1 w2]", 0},
    {"hash A", 0},
    {"term A; onehot B:N; hash H:N bits=9 invert=1", 1},
    {"term K:A; convert M:N type=TX; term M", 1},
    {"copy B:A; term B; term A", 1},
    {"term A; vector A", 1},
    {"term A; term B:A", 2},                                 /* of what the first makes */
    {"term A; copy B:A; term B", 2},                         /* by way of a copy */
    {"term K:A; convert A:N type=TX; term A", 2},            /* hides what the first reads */
    {"convert N type=R4; term A; range N min=5; term N", 2}, /* of other rows */
    {"term A; select N; term N", 2},
    {"convert N type=R4; range N min=5; term A; term N", 1},
};

Test(fit, as_few_passes_as_possible)
{
    dv_view *view = make_table(1000);
    for (size_t i = 0; i < COUNT(passes); i++) {
        dv_fitted *fitted = fit(passes[i].pipeline, view, 2);
        const dv_fitted_info info = dv_fitted_inspect(fitted);
        cr_expect_eq(info.passes, passes[i].passes, "%s: %d", passes[i].pipeline, info.passes);
        cr_expect_eq(info.rows > 0, passes[i].passes > 0, "%s", passes[i].pipeline);
        dv_fitted_release(&fitted);
    }
    dv_view_release(&view);
}

/* Rows that can change nothing any more are not read. */
Test(fit, a_pass_ends_when_all_is_learnt)
{
    dv_view *view = make_table(ROWS);
    dv_fitted *fitted = fit("term A max=1; term N max=3", view, 1);
    cr_expect_lt(dv_fitted_inspect(fitted).rows, ROWS);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
}

/* Steps that learn together give what they give one after the other. */
Test(fit, together_as_one_by_one)
{
    static const char *const steps[] = {"term K:A max=50", "convert M:N type=TX",
                                        "onehot M max=20", "hash A bits=8 invert=2",
                                        "term L:K",        "vector K"};
    char text[256] = "";
    dvt_lines want = {0}, found = {0};
    dv_view *view = make_table(3000), *whole, *made;
    for (size_t i = 0; i < COUNT(steps); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s;", steps[i]);
    cr_assert_eq(dv_view_pipe(&whole, view, dv_text_of(text), NULL, NULL, NULL), DV_OK);
    for (size_t i = 0; i < COUNT(steps); i++) {
        cr_assert_eq(dv_view_pipe(&made, view, dv_text_of(steps[i]), NULL, NULL, NULL), DV_OK);
        dv_view_release(&view);
        view = made;
    }
    cr_assert_eq(dvt_put_rows(&want, view, NULL, dvt_put_batch_by_value, NULL), DV_OK);
    cr_assert_eq(dvt_put_rows(&found, whole, NULL, dvt_put_batch_by_value, NULL), DV_OK);
    cr_expect_str_eq(found.data, want.data);
    dvt_lines_free(&want);
    dvt_lines_free(&found);
    dv_view_release(&view);
    dv_view_release(&whole);
}

/* --- Limits and stops ------------------------------------------------------------------------- */

typedef struct watch {
    int64_t reports, last, total, stop_at;
} watch;

static bool note(void *ctx, int64_t done, int64_t total)
{
    watch *w = ctx;
    cr_expect(done >= w->last || done == 0); /* with each pass */
    w->last = done;
    w->total = total;
    return ++w->reports != w->stop_at;
}

static dv_status fit_with(const char *text, dv_view *view, const dv_fit_options *options,
                          dv_error *err)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(text), NULL, NULL), DV_OK);
    const dv_status status = dv_fit(&fitted, pipeline, view, options, NULL, err);
    cr_expect_eq(status == DV_OK, fitted != NULL);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    return status;
}

Test(fit, progress)
{
    dv_view *view = make_table(ROWS);
    watch all = {0};
    dv_error err = DV_ERROR_INIT;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.progress = (dv_progress){note, &all};
    options.threads = 2;
    cr_expect_eq(fit_with("term N; term A", view, &options, &err), DV_OK);
    cr_expect(all.reports >= 2 && all.last == ROWS &&
              all.total == ROWS); /* the other thread may take all batches */
    dv_view_release(&view);
}

/* Every report of every pass may be the last. */
Test(fit, stops_at_every_batch)
{
    dv_view *view = make_table(ROWS / 5);
    for (int32_t threads = 1; threads <= 2; threads++) {
        dv_fit_options options = DV_FIT_OPTIONS_INIT;
        options.threads = threads;
        for (int64_t stop = 1;; stop++) {
            watch some = {.stop_at = stop};
            options.progress = (dv_progress){note, &some};
            const dv_status status = fit_with("term N; term A; term B:A", view, &options, NULL);
            cr_assert_eq(status, some.reports < stop ? DV_OK : DV_ERR_STOPPED);
            cr_expect_leq(some.reports, stop);
            if (status == DV_OK)
                break;
        }
    }
    dv_view_release(&view);
}

Test(fit, limits_are_named)
{
    dv_view *view = make_table(ROWS);
    for (int32_t threads = 1; threads <= 2; threads++) {
        dv_error err = DV_ERROR_INIT;
        dv_fit_options options = DV_FIT_OPTIONS_INIT;
        options.threads = threads;
        options.terms_nbytes = 100;
        cr_expect_eq(fit_with("term N; term A", view, &options, &err), DV_ERR_LIMIT);
        cr_expect(strstr(err.message, "step 2, term") && strstr(err.message, "terms_nbytes"), "%s",
                  err.message);
        options.terms_nbytes = 0;
        cr_expect_eq(fit_with("term N; term A", view, &options, &err), DV_ERR_ARGUMENT);
        options.terms_nbytes = 1;
        options.threads = -1;
        cr_expect_eq(fit_with("term N; term A", view, &options, &err), DV_ERR_ARGUMENT);
    }
    dv_view_release(&view);
}

Test(fit, tables_are_numbered)
{
    dv_view *view = make_table(100);
    dv_fitted *fitted = fit("term A; hash B:N; hash N bits=4 invert=1", view, 1);
    dv_fitted_state state;
    cr_assert_eq(dv_fitted_inspect(fitted).tables, 2);
    cr_assert_eq(dv_fitted_table(&state, fitted, 1, NULL), DV_OK);
    cr_expect(state.step == 2 && strcmp(state.name, "names") == 0 &&
              dv_text_equal(state.column, dv_text_of("N")));
    dv_fitted_release(&fitted);
    cr_expect_gt(dv_view_rows(state.view), 0); /* lives on */
    dv_view_release(&state.view);
    fitted = fit("term A", view, 1);
    cr_expect_eq(dv_fitted_table(&state, fitted, 1, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_fitted_table(&state, fitted, -1, NULL), DV_ERR_ARGUMENT);
    cr_expect_null(state.view);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
}
