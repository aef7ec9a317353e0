/* SPDX-License-Identifier: MIT */
/* test_fused.c: chains of steps whose columns in between nobody asks for make what their steps make
 * one by one, each from a table in memory; and they are made straight from what the first takes. */
#include "base/check.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include "support/test.h"
#include "transform/mapper.h"
#include <dataview/pipeline.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <math.h>
#include <string.h>

#define ROWS 200

/* Steps, and how many of the last view's columns A are fused: the first one in its last view. */
typedef struct chain {
    const char *steps[5];
    bool is_fused;
} chain;

static const chain chains[] = {
    {{"tokenize A", "term A"}, true},
    {{"tokenize A", "term A", "ngram A"}, true},
    {{"tokenize A", "term A max=3", "ngram A n=2 skips=1 weight=tfidf"}, true},
    {{"tokenize A sep=\",;\"", "term A sort=value", "ngram A n=1"}, true},
    {{"tokenize A", "stopwords A words=[b c]", "term A", "ngram A n=3"}, true},
    {{"tokenize A", "term A", "tokenize B", "term B", "ngram A n=1"}, true},
    {{"tokenize A", "hash A bits=20", "ngramhash A bits=8"}, true},
    {{"tokenize A", "hash A hashversion=1", "ngramhash A n=1 bits=6 ordered- invert=2"}, true},
    {{"tokenize A", "hash A bits=10 ordered+", "ngramhash A bits=8"}, false},
    {{"tokenize A", "term A", "ngramhash A bits=8"}, false},
    {{"tokenize A", "term A", "drop B", "ngram A n=1"}, true},
    {{"tokenize A", "select A", "term A", "ngram A n=1"}, false},
    {{"term A", "onehot B"}, false}};

/* Rows of two columns of texts; later tables have words that earlier ones lack. */
static dv_view *make_table(uint64_t words, uint64_t seed)
{
    static char made[2][ROWS][200];
    const char *texts[2][ROWS];
    uint64_t state = seed;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    for (size_t i = 0; i < 2 * ROWS; i++) {
        char *text = made[i / ROWS][i % ROWS];
        size_t n = 0;
        for (uint64_t k = dvt_draw(&state) % 30; k > 0; k--) {
            text[n++] = (char)('a' + dvt_draw(&state) % words);
            if (dvt_draw(&state) % 3 > 0)
                text[n++] = " ,;"[dvt_draw(&state) % 3];
        }
        text[n] = '\0';
        texts[i / ROWS][i % ROWS] = dvt_draw(&state) % 20 > 0 ? text : NULL;
    }
    const dv_table_column columns[] = {
        {.name = "A", .type = dv_type_of(DV_KIND_TX), .values = texts[0]},
        {.name = "B", .type = dv_type_of(DV_KIND_TX), .values = texts[1]}};
    cr_assert_eq(dv_table_create(&view, columns, 2, ROWS, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

/* Fit to one view, and apply to each of the two. */
static void fit_and_apply(const char *steps, dv_view *const from[2], dv_view *to[2])
{
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(steps), NULL, &err), DV_OK, "%s: %s",
                 steps, err.message);
    cr_assert_eq(dv_fit(&fitted, pipeline, from[0], NULL, NULL, &err), DV_OK, "%s: %s", steps,
                 err.message);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(dv_fitted_apply(&to[i], fitted, from[i], NULL, &err), DV_OK, "%s: %s", steps,
                     err.message);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
}

static void release_both(dv_view *views[2])
{
    dv_view_release(&views[0]);
    dv_view_release(&views[1]);
}

/* Apply step after step, each to tables in memory. */
static void apply_alone(const chain *c, dv_view *const tables[2], dv_view *result[2])
{
    dv_error err = DV_ERROR_INIT;
    for (int i = 0; i < 2; i++)
        dv_view_retain(result[i] = tables[i]);
    for (int s = 0; s < 5 && c->steps[s]; s++) {
        dv_view *made[2];
        fit_and_apply(c->steps[s], result, made);
        release_both(result);
        for (int i = 0; i < 2; i++)
            cr_assert_eq(dv_view_materialize(&result[i], made[i], NULL, NULL, &err), DV_OK,
                         "%s: %s", c->steps[s], err.message);
        release_both(made);
    }
}

/* The rows of the only column A that is not hidden. */
static dvt_lines lines_of(dv_view *view, int64_t batch_rows)
{
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    int32_t column;
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("A"), &column), DV_OK);
    options.columns = &column;
    options.columns_count = 1;
    options.batch_rows = batch_rows;
    cr_assert_eq(dvt_produce_by_value(&lines, view, &options, &err), DV_OK, "%s", err.message);
    return lines;
}

/* Is the column made of texts, not of what its step names? */
static bool is_fused(const dv_view *view)
{
    const dvi_mapper *m = dvi_view_self(view);
    dvi_arena arena;
    int32_t column;
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("A"), &column), DV_OK);
    const dvi_mapped made = dvi_mapper_column(m, column);
    dvi_mapped mapped = made;
    dvi_arena_init(&arena, NULL);
    if (mapped.maker->fuse)
        cr_assert_eq(mapped.maker->fuse(&mapped, m->base.source, &arena, NULL), DV_OK);
    const bool is = mapped.maker->fill != made.maker->fill || mapped.sources != made.sources;
    dvi_arena_free(&arena);
    return is;
}

static void join(char *text, size_t nbytes, const chain *c)
{
    text[0] = '\0';
    for (int s = 0; s < 5 && c->steps[s]; s++) {
        strncat(text, s > 0 ? "; " : "", nbytes - strlen(text) - 1);
        strncat(text, c->steps[s], nbytes - strlen(text) - 1);
    }
}

/* Returns whether the column is fused. */
static bool expect_same(const chain *c, dv_view *const tables[2])
{
    char steps[256];
    dv_view *alone[2], *together[2];
    join(steps, sizeof steps, c);
    apply_alone(c, tables, alone);
    fit_and_apply(steps, tables, together);
    const bool fused = is_fused(together[1]);
    for (int i = 0; i < 2; i++)
        for (int64_t batch_rows = 0; batch_rows <= 7; batch_rows += 7) {
            dvt_lines want = lines_of(alone[i], batch_rows),
                      got = lines_of(together[i], batch_rows);
            cr_expect_str_eq(got.data, want.data, "%s", steps);
            dvt_lines_free(&want);
            dvt_lines_free(&got);
        }
    release_both(alone);
    release_both(together);
    return fused;
}

Test(fused, as_one_by_one)
{
    dv_view *tables[] = {make_table(5, 1), make_table(9, 2)};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        cr_expect_eq(expect_same(&chains[i], tables), chains[i].is_fused, "chain %zu", i);
    release_both(tables);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* What may come in a column, and near what normalizers tell apart. */
static double draw_number(uint64_t *state)
{
    static const double others[] = {0,      -0.0, (double)NAN, (double)INFINITY, (double)-INFINITY,
                                    1e-310, -1,   3e38};
    const uint64_t k = dvt_draw(state) % 24;
    return k < 8 ? others[k] : (double)(dvt_draw(state) % 2000) / 8 - 100;
}

/* The forms of a column of numbers. */
typedef enum form { R4, R8, R4_VECTORS, R8_VECTORS, R4_WIDE, I4, I4_VECTORS, FORMS } form;

#define SLOTS 3
#define WIDE 1100

static dv_view *make_numbers(form f, uint64_t seed)
{
    static float r4[ROWS * WIDE];
    static double r8[ROWS * SLOTS];
    static int32_t i4[ROWS * SLOTS];
    uint64_t state = seed;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    const bool is_r4 = f == R4 || f == R4_VECTORS || f == R4_WIDE;
    const bool is_r8 = f == R8 || f == R8_VECTORS;
    const dv_type item = dv_type_of(is_r4 ? DV_KIND_R4 : is_r8 ? DV_KIND_R8 : DV_KIND_I4);
    const int32_t slots = f == R4_WIDE ? WIDE : SLOTS;
    const bool is_vector = f != R4 && f != R8 && f != I4;
    for (size_t i = 0; i < ROWS * WIDE; i++)
        r4[i] = (float)draw_number(&state);
    for (size_t i = 0; i < ROWS * SLOTS; i++) {
        r8[i] = draw_number(&state);
        i4[i] = dvt_draw(&state) % 5 == 0 ? INT32_MIN : (int32_t)(dvt_draw(&state) % 100) - 20;
    }
    const dv_table_column column = {.name = "A",
                                    .type = is_vector ? dv_type_vector(item, slots) : item,
                                    .values = is_r4   ? (const void *)r4
                                              : is_r8 ? (const void *)r8
                                                      : (const void *)i4};
    cr_assert_eq(dv_table_create(&view, &column, 1, f == R4_WIDE ? 30 : ROWS, NULL, &err), DV_OK,
                 "%s", err.message);
    return view;
}

/* Counts of words: sparse vectors. Few words: some rows have all of them. */
static void make_sparse(dv_view *to[2], uint64_t words, const char *steps)
{
    dv_view *texts[] = {make_table(words, 3), make_table(words + 2, 4)}, *made[2];
    dv_error err = DV_ERROR_INIT;
    fit_and_apply(steps, texts, made);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(dv_view_materialize(&to[i], made[i], NULL, NULL, &err), DV_OK);
    release_both(texts);
    release_both(made);
}

static const struct {
    chain chain;
    form form;
} of_numbers[] = {
    {{{"replacena A", "normalize A"}, true}, R4},
    {{{"replacena A mode=mean", "normalize A fixzero-", "normalize A mode=bin"}, true}, R8},
    {{{"replacena A", "normalize A fixzero-"}, true}, R4_VECTORS},
    {{{"convert A type=R8", "replacena A", "normalize A mode=meanvar cdf+"}, true}, R4_VECTORS},
    {{{"convert A type=R4", "normalize A"}, true}, I4},
    {{{"convert A type=R4", "normalize A fixzero-", "isna A"}, true}, I4_VECTORS},
    {{{"normalize A", "convert A type=R8"}, true}, R4},
    {{{"replacena A", "convert A type=TX"}, false}, R4},
    {{{"normalize A"}, false}, R4},
    {{{"normalize A", "lpnorm A", "normalize A"}, false}, R4_VECTORS},
    {{{"normalize A", "select A", "normalize A"}, false}, R4},
    {{{"replacena A", "normalize A", "lpnorm A"}, false}, R4_VECTORS},
    {{{"replacena A", "normalize A"}, false}, R4_WIDE}, /* a row has more values than a block */
    {{{"replacena A", "isna A"}, true}, R4_WIDE}};

Test(fused, numbers_as_one_by_one)
{
    for (size_t i = 0; i < sizeof of_numbers / sizeof *of_numbers; i++) {
        dv_view *tables[] = {make_numbers(of_numbers[i].form, 1),
                             make_numbers(of_numbers[i].form, 2)};
        cr_expect_eq(expect_same(&of_numbers[i].chain, tables), of_numbers[i].chain.is_fused,
                     "chain %zu", i);
        release_both(tables);
    }
}

static const char *const menu[] = {"replacena A",
                                   "replacena A mode=value value=-2",
                                   "replacena A mode=mean",
                                   "normalize A",
                                   "normalize A fixzero-",
                                   "normalize A mode=meanvar fixzero-",
                                   "normalize A mode=logmeanvar cdf+",
                                   "normalize A mode=bin bins=4",
                                   "normalize A mode=bin bins=4 fixzero-",
                                   "convert A type=R8",
                                   "convert A type=R4"};

/* Chains that are drawn, of all forms and of sparse vectors. */
Test(fused, numbers_of_drawn_chains)
{
    static const char *const sparse[] = {"tokenize A; term A; ngram A n=1",
                                         "tokenize A; term A; ngram A n=1 weight=tfidf",
                                         "tokenize A; term A; ngram A n=2; convert A type=R8"};
    uint64_t state = 7;
    int fused = 0;
    for (int i = 0; i < 120; i++) {
        chain c = {.is_fused = false};
        dv_view *tables[2];
        const size_t f = dvt_draw(&state) % (FORMS + 3), n = 2 + dvt_draw(&state) % 3;
        if (f >= FORMS)
            make_sparse(tables, 1 + dvt_draw(&state) % 6, sparse[f - FORMS]);
        for (int k = 0; f < FORMS && k < 2; k++)
            tables[k] = make_numbers((form)f, dvt_draw(&state));
        c.steps[0] = f == I4 || f == I4_VECTORS ? "convert A type=R4" : NULL;
        for (size_t s = c.steps[0] != NULL; s < n; s++)
            c.steps[s] = menu[dvt_draw(&state) % (sizeof menu / sizeof *menu)];
        fused += expect_same(&c, tables);
        release_both(tables);
    }
    cr_expect_geq(fused, 80, "%d", fused); /* rows of one block, and no step that changes no bit */
}

/* --- What may be fused ------------------------------------------------------------------------ */

static int fuses;

static dv_status count_fuse(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena,
                            dv_error *err)
{
    (void)mapped, (void)source, (void)arena, (void)err;
    fuses++;
    return DV_OK;
}

/* A and B, X of A, and Y and Z of B. */
static dv_view *make_counted(dv_view *source)
{
    static const dvi_maker counted = {.name = "counted", .fuse = count_fuse};
    static const dv_view_class class = DVI_MAPPER_CLASS("counted", NULL, NULL);
    static const int32_t a = 0, b = 1;
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    dv_view *view;
    const dv_type text = dv_type_of(DV_KIND_TX);
    dvi_new_column made[] = {
        {dv_text_of("X"), text, {.maker = &counted, .sources = &a, .n = 1}, -1},
        {dv_text_of("Y"), text, {.maker = &counted, .sources = &b, .n = 1}, -1},
        {dv_text_of("Z"), text, {.maker = &counted, .sources = &b, .n = 1}, -1}};
    cr_assert_eq(dvi_mapper_create(&mapper, source, 3, NULL, NULL), DV_OK);
    const dv_status status = dvi_mapper_arrange(mapper, &schema, made, 3, NULL);
    cr_assert_eq(dvi_mapper_view(&view, &class, mapper, schema, status, NULL), DV_OK);
    return view;
}

/* A column is fused if no other column of the cursor needs its source. */
Test(fused, sources_of_one_column)
{
    enum { A, B, X, Y, Z };
    static const struct {
        int32_t columns[5], n;
        int fuses;
    } cases[] = {{{X}, 1, 1},       {{X, Y}, 2, 2},    {{Y, Z}, 2, 0},          {{X, Y, Z}, 3, 1},
                 {{A, X, Y}, 3, 1}, {{B, X, Y}, 3, 1}, {{A, B, X, Y, Z}, 5, 0}, {{A, B}, 2, 0}};
    dv_view *source = make_table(5, 1), *view = make_counted(source);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_cursor *cursor;
        options.columns = cases[i].columns;
        options.columns_count = cases[i].n;
        fuses = 0;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        cr_expect_eq(fuses, cases[i].fuses, "case %zu", i);
        dv_cursor_close(&cursor);
    }
    dv_view_release(&view);
    dv_view_release(&source);
}
