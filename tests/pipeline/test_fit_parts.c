/* SPDX-License-Identifier: MIT */
/* test_fit_parts.c: a pipeline that is fitted on parts of the rows has learned, bit for bit, what
 * it learns from all of them; what cannot be, is refused by name; parts may come from anyone. */
#include "support/allocator.h"
#include "support/fitted_bytes.h"
#include "support/golden_files.h"
#include "support/pipe_stories.h"
#include "support/same_table.h"
#include "support/test.h"
#include <dataview/open.h>
#include <dataview/pipeline.h>
#include <dataview/save.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROWS 700
#define PARTS_MOST 9

/* --- A table of all that matters: NA, -0, infinities, holes, values that come late --------------
 */

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static double real(uint64_t *state, int64_t i)
{
    static const double odd[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1e-310, 5.0};
    const uint64_t n = draw(state) % 40;
    return n < COUNT(odd) && i > 20 ? odd[n] : (double)(int64_t)(draw(state) % 60) - 30;
}

static dv_view *make_table(void)
{
    static char words[ROWS][8];
    static const char *texts[ROWS];
    static int32_t numbers[ROWS];
    static double r8[ROWS], vectors[3 * ROWS];
    static float r4[ROWS];
    static uint32_t keys[ROWS];
    dv_view *view;
    uint64_t state = 7;
    dv_type key = dv_type_of(DV_KIND_U4), vector = dv_type_of(DV_KIND_R8);
    key.is_key = true;
    key.key_is_contiguous = true;
    key.key_count = 4;
    static const int32_t dims[] = {3};
    vector.rank = 1;
    vector.size = 3;
    vector.dims = dims;
    for (int64_t i = 0; i < ROWS; i++) {
        snprintf(words[i], sizeof words[i], "w%d", (int)(draw(&state) % (size_t)(1 + i / 5)));
        texts[i] = draw(&state) % 11 ? words[i] : NULL;
        numbers[i] = (int32_t)(draw(&state) % 50);
        r8[i] = real(&state, i);
        r4[i] = (float)real(&state, i);
        keys[i] = (uint32_t)(draw(&state) % 5);
        for (int k = 0; k < 3; k++)
            vectors[3 * i + k] = k == 1 ? 0 : real(&state, i);
    }
    const dv_table_column columns[] = {{"A", dv_type_of(DV_KIND_TX), texts, NULL},
                                       {"N", dv_type_of(DV_KIND_I4), numbers, NULL},
                                       {"R", dv_type_of(DV_KIND_R8), r8, NULL},
                                       {"F", dv_type_of(DV_KIND_R4), r4, NULL},
                                       {"K", key, keys, NULL},
                                       {"V", vector, vectors, NULL}};
    cr_assert_eq(dv_table_create(&view, columns, COUNT(columns), ROWS, NULL, NULL), DV_OK);
    return view;
}

static dv_pipeline *parse(const char *text)
{
    dv_pipeline *pipeline;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(text), NULL, &err), DV_OK, "%s: %s", text,
                 err.message);
    return pipeline;
}

/* --- Parts ------------------------------------------------------------------------------------ */

/* As a part travels: the bytes of an .idv file, which *bytes holds. */
static dv_view *travelled(dv_view *part, dv_buffer *bytes)
{
    dv_view *opened;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "idv";
    cr_assert_eq(dv_save_memory(part, bytes, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_open_memory(&opened, bytes->data, bytes->nbytes, NULL, NULL, "", NULL, &err),
                 DV_OK, "%s", err.message);
    return opened;
}

static dv_view *rows_of(dv_view *view, int64_t first, int64_t n)
{
    dv_view *rows;
    cr_assert_eq(dv_view_slice(&rows, view, first, n, NULL, NULL), DV_OK);
    return rows;
}

static dv_status part_of(dv_view **part, const char *text, dv_view *view, int32_t threads,
                         dv_error *err)
{
    dv_pipeline *pipeline = parse(text);
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = threads;
    const dv_status status = dv_fit_part(part, pipeline, view, &options, NULL, err);
    dv_pipeline_release(&pipeline);
    return status;
}

typedef struct parts {
    dv_view *view[PARTS_MOST];
    dv_buffer bytes[PARTS_MOST];
    int32_t n;
} parts;

/* Parts of the rows between cuts, seen by other numbers of threads. */
static dv_status make_parts(parts *p, const char *text, dv_view *view, const int64_t *cuts,
                            int32_t n, dv_error *err)
{
    dv_status status = DV_OK;
    p->n = 0;
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        dv_view *part, *rows = rows_of(view, cuts[i], cuts[i + 1] - cuts[i]);
        status = part_of(&part, text, rows, 1 + i % 3, err);
        if (status == DV_OK) {
            p->view[p->n] = travelled(part, &p->bytes[p->n]);
            p->n++;
        }
        dv_view_release(&part);
        dv_view_release(&rows);
    }
    return status;
}

static void release(parts *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        dv_view_release(&p->view[i]);
        dv_buffer_release(&p->bytes[i]);
    }
}

static dv_fitted *merge(const parts *p, dv_pipeline *pipeline)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_fit_merge(&fitted, pipeline, p->view, p->n, NULL, NULL, &err), DV_OK, "%s",
                 err.message);
    return fitted;
}

/* --- The same as of all rows -------------------------------------------------------------------
 */

static const char *const pipelines[] = {
    "term A",
    "term A max=7",
    "onehot A max=30 sort=value; term N sort=value; term K",
    "term R; term F; onehot X:V",
    "normalize Y:F; normalize R; normalize V",
    "normalize R fixzero-; normalize F fixzero-; normalize V fixzero-",
    "normalize R mode=bin bins=9; normalize V mode=bin; normalize F mode=bin",
    "normalize R mode=robust; normalize V mode=robust center-",
    "normalize R mode=supbin label=K bins=5 min=3; normalize V mode=supbin label=K bins=4 min=2",
    "normalize R maxrows=50; normalize F mode=bin maxrows=50",
    "replacena R mode=min; replacena F mode=max; replacena V mode=min; handlena H:N mode=max",
    "replacena R mode=mode; replacena W:V mode=mode slots-; replacena V mode=max slots-",
    "selectcount S:V count=600; selectcount V count=200",
    "convert M:N type=R8; range M min=10; dropna A; term A; normalize M; select A M",
    "normalize N mode=bin bins=4",
    "onehot #TX max=5; combine C:R,N type=R8; normalize C; drop '[RF]'",
    "copy B:A",
};

/* Saved bytes are the same; the number of rows is another if a dictionary was full early. */
static void expect_same_bytes(dv_fitted *a, dv_fitted *b, const char *text)
{
    dv_buffer one, other;
    cr_assert_eq(dvt_fitted_save(&one, a, NULL, NULL), DV_OK);
    cr_assert_eq(dvt_fitted_save(&other, b, NULL, NULL), DV_OK);
    cr_expect(one.nbytes == other.nbytes && memcmp(one.data, other.data, one.nbytes) == 0, "%s",
              text);
    dv_buffer_release(&one);
    dv_buffer_release(&other);
}

static void expect_same_tables(dv_fitted *a, dv_fitted *b, const char *text)
{
    const int32_t tables = dv_fitted_inspect(a).tables;
    cr_assert_eq(dv_fitted_inspect(b).tables, tables, "%s", text);
    for (int32_t t = 0; t < tables; t++) {
        dv_fitted_state one, other;
        cr_assert_eq(dv_fitted_table(&one, a, t, NULL), DV_OK);
        cr_assert_eq(dv_fitted_table(&other, b, t, NULL), DV_OK);
        const char *differ = dvt_table_difference(one.view, other.view, 0);
        cr_expect_null(differ, "%s: table %d: %s", text, (int)t, differ);
        dv_view_release(&one.view);
        dv_view_release(&other.view);
    }
}

static void expect_same(const char *text, dv_view *view, const parts *p)
{
    dv_error err = DV_ERROR_INIT;
    dv_fitted *whole;
    dv_pipeline *pipeline = parse(text);
    cr_assert_eq(dv_fit(&whole, pipeline, view, NULL, NULL, &err), DV_OK, "%s: %s", text,
                 err.message);
    dv_fitted *merged = merge(p, pipeline), *again = merge(p, NULL);
    expect_same_tables(whole, merged, text);
    if (dv_fitted_inspect(whole).rows == dv_fitted_inspect(merged).rows)
        expect_same_bytes(whole, merged, text);
    else
        cr_expect_not_null(strstr(text, "max"), "%s", text);
    expect_same_bytes(merged, again, text);
    dv_fitted_release(&whole);
    dv_fitted_release(&merged);
    dv_fitted_release(&again);
    dv_pipeline_release(&pipeline);
}

Test(fit_parts, learn_what_one_fit_learns)
{
    static const int64_t cuts[][PARTS_MOST + 1] = {{0, ROWS},
                                                   {0, 1, ROWS},
                                                   {0, 50, 50, 300, ROWS},
                                                   {0, 0, 50, 77, 78, 200, 201, 500, 640, ROWS}};
    static const int32_t n[] = {1, 2, 4, 9};
    dv_view *view = make_table();
    for (size_t i = 0; i < COUNT(pipelines); i++)
        for (size_t k = 0; k < COUNT(n); k++) {
            parts p;
            dv_error err = DV_ERROR_INIT;
            if (strstr(pipelines[i], "maxrows") && k < 2)
                continue; /* the rows end within a part */
            cr_assert_eq(make_parts(&p, pipelines[i], view, cuts[k], n[k], &err), DV_OK, "%s: %s",
                         pipelines[i], err.message);
            expect_same(pipelines[i], view, &p);
            release(&p);
        }
    dv_view_release(&view);
}

/* Every pipeline of the golden files: the same, or refused by name. */
Test(fit_parts, are_exact_or_refused)
{
    int taken = 0, refused = 0;
    for (const dvt_pipe_story *s = dvt_pipe_stories; s->file; s++) {
        parts p;
        dv_error err = DV_ERROR_INIT;
        dv_view *view = dvt_golden_open(s->file, NULL);
        const int64_t rows = dv_view_rows(view), cuts[] = {0, rows / 3, rows / 2, rows};
        const dv_status status = make_parts(&p, s->pipeline, view, cuts, 3, &err);
        if (status == DV_OK)
            expect_same(s->pipeline, view, &p);
        else
            cr_expect(status == DV_ERR_ARGUMENT && strncmp(err.message, "step ", 5) == 0, "%s: %s",
                      s->pipeline, err.message);
        taken += status == DV_OK;
        refused += status != DV_OK;
        release(&p);
        dv_view_release(&view);
    }
    cr_expect(taken >= 10 && refused >= 5, "%d taken, %d refused", taken, refused);
}

/* --- Refusals --------------------------------------------------------------------------------- */

static void expect_refused(const char *text, dv_view *view, const char *message)
{
    dv_view *part;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(part_of(&part, text, view, 1, &err), DV_ERR_ARGUMENT, "%s", text);
    cr_expect_null(part);
    cr_expect_not_null(strstr(err.message, message), "%s: %s", text, err.message);
}

Test(fit_parts, are_refused_by_name)
{
    dv_view *view = make_table();
    expect_refused("term A; normalize R mode=meanvar", view,
                   "step 2, normalize: a part of the rows is not enough: means and variances "
                   "depend on the order of sums");
    expect_refused("normalize R mode=logmeanvar", view, "step 1, normalize");
    expect_refused("replacena R mode=mean", view, "means depend on the order of sums");
    expect_refused("slice skip=3; term A", view, "step 1, slice: a part of the rows");
    expect_refused("rowid I; term A", view, "step 1, rowid");
    expect_refused("hash A bits=4 invert=2", view,
                   "step 1, hash: a part of the rows is not enough: "
                   "it learns from all rows at once");
    expect_refused("term A; onehot B:A", view,
                   "step 2, onehot: a part of the rows is not enough: "
                   "it learns in another pass");
    expect_refused("term Z", view, "there is no column \"Z\"");
    dv_view_release(&view);
}

static void expect_unmerged(const parts *p, dv_pipeline *pipeline, dv_status status,
                            const char *message)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_fit_merge(&fitted, pipeline, p->view, p->n, NULL, NULL, &err), status, "%s",
                 err.message);
    cr_expect_null(fitted);
    cr_expect_not_null(strstr(err.message, message), "%s", err.message);
}

Test(fit_parts, of_one_table_and_pipeline)
{
    static const int64_t cuts[] = {0, 100, ROWS};
    parts p, other;
    dv_view *view = make_table(), *few;
    dv_error err = DV_ERROR_INIT;
    dv_pipeline *pipeline = parse("term A"), *another = parse("term A max=5");
    cr_assert_eq(dv_view_pipe(&few, view, dv_text_of("select A N"), NULL, NULL, NULL), DV_OK);
    cr_assert_eq(make_parts(&p, "term A", view, cuts, 2, &err), DV_OK);
    cr_assert_eq(make_parts(&other, "term A", few, cuts, 2, &err), DV_OK);
    expect_unmerged(&p, another, DV_ERR_ARGUMENT, "part 1 is of other steps");
    const parts mixed = {.view = {p.view[0], other.view[1]}, .n = 2};
    expect_unmerged(&mixed, pipeline, DV_ERR_ARGUMENT, "part 2 is of a table with other columns");
    const parts none = {.n = 0};
    expect_unmerged(&none, pipeline, DV_ERR_ARGUMENT, "0 parts");
    const parts table = {.view = {p.view[0], view}, .n = 2};
    expect_unmerged(&table, pipeline, DV_ERR_CORRUPT, "part 2: ");
    release(&p);
    release(&other);
    cr_assert_eq(make_parts(&p, "normalize R maxrows=150", view, cuts, 2, &err), DV_OK);
    expect_unmerged(&p, NULL, DV_ERR_ARGUMENT, "the 150 rows to learn from (maxrows) end within");
    release(&p);
    dv_view_release(&few);
    dv_view_release(&view);
    dv_pipeline_release(&pipeline);
    dv_pipeline_release(&another);
}

/* --- Parts of strangers ------------------------------------------------------------------------
 */

/* Rows of a part that are left out, doubled, or have the state of another. */
static dv_view *changed(dv_view *part, const int64_t *rows, int64_t n)
{
    dv_view *taken;
    cr_assert_eq(dv_view_take(&taken, part, rows, n, NULL, NULL), DV_OK);
    return taken;
}

Test(fit_parts, of_other_rows_are_corrupt)
{
    static const int64_t cuts[] = {0, ROWS};
    static const int64_t left_out[] = {0, 1, 2}, doubled[] = {0, 1, 2, 3, 3},
                         no_steps[] = {1, 2, 3}, no_columns[] = {0, 2, 3};
    static const struct {
        const int64_t *rows;
        int64_t n;
    } cases[] = {{left_out, 3}, {doubled, 5}, {no_steps, 3}, {no_columns, 3}, {left_out, 0}};
    parts p;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = make_table();
    dv_pipeline *pipeline = parse("term A; normalize R");
    cr_assert_eq(make_parts(&p, "term A; normalize R", view, cuts, 1, &err), DV_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const parts bad = {.view = {changed(p.view[0], cases[i].rows, cases[i].n)}, .n = 1};
        expect_unmerged(&bad, pipeline, DV_ERR_CORRUPT, "part");
        dv_view *one = bad.view[0];
        dv_view_release(&one);
    }
    release(&p);
    dv_view_release(&view);
    dv_pipeline_release(&pipeline);
}

/* Every byte of a part may be another: an error, or numbers that are wrong, but no damage. */
Test(fit_parts, survive_changed_bytes)
{
    static const int64_t cuts[] = {0, 30};
    parts p;
    int refused = 0;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = make_table();
    cr_assert_eq(make_parts(&p,
                            "onehot A max=9; normalize R mode=supbin label=K; replacena F mode=max",
                            view, cuts, 1, &err),
                 DV_OK);
    uint8_t *bytes = (uint8_t *)(uintptr_t)p.bytes[0].data;
    for (size_t i = 0; i < p.bytes[0].nbytes; i += (size_t)dvt_fail_step(3, 41)) {
        dv_view *part;
        dv_fitted *fitted = NULL;
        bytes[i] ^= (uint8_t)(1 + i % 255);
        dv_status status =
            dv_open_memory(&part, bytes, p.bytes[0].nbytes, NULL, NULL, "", NULL, NULL);
        if (status == DV_OK) {
            status = dv_fit_merge(&fitted, NULL, &part, 1, NULL, NULL, NULL);
            dv_view_release(&part);
        }
        refused += status < 0;
        dv_fitted_release(&fitted);
        bytes[i] ^= (uint8_t)(1 + i % 255);
    }
    cr_expect_gt(refused, 30);
    release(&p);
    dv_view_release(&view);
}

/* --- Memory ----------------------------------------------------------------------------------- */

Test(fit_parts, survive_failing_allocations)
{
    static const int64_t cuts[] = {0, 30, 60};
    parts p;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = make_table(), *rows = rows_of(view, 0, 30);
    dv_pipeline *pipeline = parse("term A; normalize R mode=bin; selectcount V count=3");
    cr_assert_eq(
        make_parts(&p, "term A; normalize R mode=bin; selectcount V count=3", view, cuts, 2, &err),
        DV_OK);
    for (int which = 0; which < 2; which++) {
        dv_status status = DV_ERR_MEMORY;
        for (int64_t n = 1; status == DV_ERR_MEMORY; n += DVT_FAIL_STEP) {
            dv_view *part = NULL;
            dv_fitted *fitted = NULL;
            dvt_allocator allocator;
            dvt_allocator_init(&allocator, n);
            dv_fit_options options = DV_FIT_OPTIONS_INIT;
            options.threads = 1;
            status =
                which == 0
                    ? dv_fit_part(&part, pipeline, rows, &options, &allocator.allocator, NULL)
                    : dv_fit_merge(&fitted, pipeline, p.view, 2, NULL, &allocator.allocator, NULL);
            cr_expect(status == DV_OK || (status == DV_ERR_MEMORY && !part && !fitted));
            dv_view_release(&part);
            dv_fitted_release(&fitted);
            cr_expect_eq(allocator.live, 0);
        }
        cr_expect_eq(status, DV_OK);
    }
    release(&p);
    dv_view_release(&rows);
    dv_view_release(&view);
    dv_pipeline_release(&pipeline);
}
