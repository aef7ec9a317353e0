/* SPDX-License-Identifier: MIT */
/* test_pipe_columns.c: which columns patterns mean, when a pipeline is fitted. */
#include "pipeline/pipe_columns.h"
#include "pipeline/pipeline.h"
#include "support/allocator.h"
#include "support/lines.h"
#include "support/test.h"
#include <dataview/table.h>
#include <dataview/transform.h>
#include <string.h>

/* Columns A1 TX, A2 R4, B R4, V<R4,2>, W V<R4,3>, K U1[0-2]; the first A1, I4, is hidden. */
static dv_view *make_table(void)
{
    static const char *const texts[] = {"b", "a"};
    static const int32_t hidden[] = {1, 2};
    static const float reals[] = {1, 2, 3, 4, 5, 6};
    static const uint8_t keys[] = {1, 2};
    const dv_type r4 = dv_type_of(DV_KIND_R4);
    const dv_table_column columns[] = {{"A1", dv_type_of(DV_KIND_I4), hidden, NULL},
                                       {"A1", dv_type_of(DV_KIND_TX), texts, NULL},
                                       {"A2", r4, reals, NULL},
                                       {"B", r4, reals, NULL},
                                       {"V", dv_type_vector(r4, 2), reals, NULL},
                                       {"W", dv_type_vector(r4, 3), reals, NULL},
                                       {"K", dv_type_key(DV_KIND_U1, 0, 3), keys, NULL}};
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_table_create(&view, columns, 7, 2, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

static const struct {
    const char *text, *fitted;
    int32_t passes;
} sound[] = {
    {"select 'A*'", "select A1 A2;", 0},
    {"select '*'", "select A1 A2 B V W K;", 0},
    {"select K '*'", "select K A1 A2 B V W;", 0},
    {"select '*' A1", "select A2 B V W K A1;", 0},
    {"select '[AB]?' '?'", "select A1 A2 B V W K;", 0},
    {"select 'A*' 'A1'", "select A1 A2;", 0},
    {"select #R4", "select A2 B V W;", 0},
    {"select #r4 #TX", "select A2 B V W A1;", 0},
    {"select #V<R4,*>", "select V W;", 0},
    {"select #V<R4,3>", "select W;", 0},
    {"select #U1[0-2]", "select K;", 0},
    {"combine F:#R4", "combine F:A2,B,V,W;", 0},
    {"combine F:V,#R4,V", "combine F:V,A2,B,W,V;", 0},
    {"combine 'V' F:B,'A2'", "combine V F:B,A2;", 0},
    {"convert 'A2' N:B 'B' type=R8", "convert A2 N:B B type=R8;", 0},
    {"term 'A*' max=3", "term A1 A2 max=3;", 1},
    {"term A1; term 'B'", "term A1;term B;", 1}, /* what waits makes no B */
    {"term A1; term 'A*'", "term A1;term A1 A2;", 2},
    {"term A1; term #R4", "term A1;term A2 B V W;", 2}, /* any type may come */
    {"term T:A1; drop 'T'; select '*'", "term T:A1;drop T;select A1 A2 B V W K;", 1},
    {"copy C:B; select 'C' #TX", "copy C:B;select C A1;", 0},
};

static void expect_steps(const dv_pipeline *pipeline, const char *want)
{
    dvt_lines lines = {0};
    const dv_sink sink = dvt_lines_sink(&lines);
    for (int32_t i = 0; i < dv_pipeline_steps(pipeline); i++) {
        cr_assert(dv_pipeline_write_step(pipeline, i, &sink));
        dvt_lines_add(&lines, ";", 1);
    }
    dvt_lines_add(&lines, "", 0);
    cr_expect_str_eq(lines.data, want);
    dvt_lines_free(&lines);
}

Test(pipe_columns, patterns_mean)
{
    dv_view *table = make_table();
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        dv_pipeline *pipeline;
        dv_fitted *fitted;
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(sound[i].text), NULL, &err), DV_OK,
                     "%s: %s", sound[i].text, err.message);
        cr_assert_eq(dv_fit(&fitted, pipeline, table, NULL, NULL, &err), DV_OK, "%s: %s",
                     sound[i].text, err.message);
        dv_pipeline_release(&pipeline);
        expect_steps(dv_fitted_pipeline(fitted), sound[i].fitted);
        cr_expect_eq(dv_fitted_inspect(fitted).passes, sound[i].passes, "%s", sound[i].text);
        cr_expect_eq(dv_fitted_apply(&view, fitted, table, NULL, &err), DV_OK, "%s", err.message);
        dv_view_release(&view);
        dv_fitted_release(&fitted);
    }
    dv_view_release(&table);
}

static const struct {
    const char *text, *message;
} refused[] = {
    {"select 'Q*'", "no column matches 'Q*'; the columns are A1, A2, B, V, W, ..."},
    {"term B; select 'a1*'", "step 2, select: no column matches 'a1*'; did you mean A1?"},
    {"select #I4", "no column is of type I4; the columns are of"},
    {"select #V<R4,4>", "no column is of type V<R4,4>"},
    {"combine F:A2,'x*'", "step 1, combine: no column matches 'x*'"},
};

Test(pipe_columns, no_match_is_named)
{
    dv_view *table = make_table(), *view;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dv_view_pipe(&view, table, dv_text_of(refused[i].text), NULL, NULL, &err),
                     DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, refused[i].message), "%s: %s", refused[i].text, err.message);
    }
    dv_view_release(&table);
}

/* The pipeline itself does not change: it may be fitted on another table. */
Test(pipe_columns, each_fit_has_its_own)
{
    dv_pipeline *pipeline;
    dv_fitted *first, *second;
    dv_view *table = make_table(), *narrow;
    dv_error err = DV_ERROR_INIT;
    const dv_text dropped = dv_text_of("A2");
    cr_assert_eq(dv_view_drop(&narrow, table, &dropped, 1, NULL, &err), DV_OK);
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of("term 'A*'"), NULL, &err), DV_OK);
    cr_assert_eq(dv_fit(&first, pipeline, table, NULL, NULL, &err), DV_OK);
    cr_assert_eq(dv_fit(&second, pipeline, narrow, NULL, NULL, &err), DV_OK);
    expect_steps(pipeline, "term 'A*';");
    expect_steps(dv_fitted_pipeline(first), "term A1 A2;");
    expect_steps(dv_fitted_pipeline(second), "term A1;");
    dv_pipeline_release(&pipeline);
    dv_fitted_release(&first);
    dv_fitted_release(&second);
    dv_view_release(&narrow);
    dv_view_release(&table);
}

Test(pipe_columns, each_allocation_may_fail)
{
    dv_pipeline *pipeline;
    dv_view *table = make_table();
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = 1;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of("combine F:#R4; term 'A*'; select '*'"),
                                   NULL, NULL),
                 DV_OK);
    for (int64_t k = 1;; k++) {
        dv_fitted *fitted;
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        const dv_status status =
            dv_fit(&fitted, pipeline, table, &options, &counted.allocator, NULL);
        const bool has_failed = atomic_load(&counted.asked) >= k;
        cr_assert_eq(status, has_failed ? DV_ERR_MEMORY : DV_OK);
        dv_fitted_release(&fitted);
        cr_assert_eq(atomic_load(&counted.live), 0);
        if (!has_failed)
            break;
    }
    dv_pipeline_release(&pipeline);
    dv_view_release(&table);
}
