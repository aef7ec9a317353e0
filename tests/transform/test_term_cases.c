/* SPDX-License-Identifier: MIT */
/* test_term_cases.c: compares terms and their keys with those of ML.NET's ValueToKey
 * (golden/transform). */
#include "support/golden_files.h"
#include "support/json_tree.h"
#include "support/produce.h"
#include "support/test.h"
#include "transform/tf_term.h"
#include <dataview/open.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MOST 4
#define TEXTS_MOST 16
#define TEXT_NBYTES ((size_t)1 << 30)

/* The input of a case, and what is made of it. */
typedef struct story {
    const dvt_json *params;
    const char *name; /* of the folder */
    dv_view *source;
    int32_t threads; /* dictionaries that share the batches; 0: one takes all */
    int64_t batch_rows;
    dvi_terms *terms[COLUMNS_MOST];
} story;

static const dv_view_class class = DVI_MAPPER_CLASS("terms of a test", NULL, NULL);

static const dvt_json *given(const dvt_json *params, const char *name)
{
    const dvt_json *value = dvt_json_member(params, name);
    return value && value->kind != DVT_JSON_NULL ? value : NULL;
}

static dv_text text_of(const dvt_json *params, const char *name)
{
    const dvt_json *value = given(params, name);
    return value ? value->text : dv_text_of("");
}

static bool is_true(const dvt_json *params, const char *name)
{
    const dvt_json *value = given(params, name);
    return value && value->kind == DVT_JSON_TRUE;
}

/* --- Learning --------------------------------------------------------------------------------- */

/* Hand batch i to dictionary i % n, as chunk i. */
static dvi_terms *learn(const story *s, int32_t column, const dv_type *item, int64_t most)
{
    enum { PARTS = 3 };
    dvi_terms *parts[PARTS], *merged;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = &column;
    options.columns_count = 1;
    options.batch_rows = s->batch_rows;
    for (int i = 0; i < PARTS; i++)
        cr_assert_eq(dvi_terms_create(&parts[i], item, most, TEXT_NBYTES, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, s->source, &options, NULL), DV_OK);
    for (int64_t i = 0; dv_cursor_next(cursor, &batch, NULL) == DV_OK; i++) {
        dvi_terms *part = parts[s->threads > 0 ? i % s->threads : 0];
        cr_assert_eq(dvi_terms_begin_chunk(part, i, NULL), DV_OK);
        cr_assert_eq(dvi_terms_learn(part, dv_batch_column(batch, 0), NULL), DV_OK);
    }
    dv_cursor_close(&cursor);
    cr_assert_eq(dvi_terms_merge(&merged, parts, PARTS, NULL, NULL), DV_OK);
    for (int i = 0; i < PARTS; i++)
        dvi_terms_free(&parts[i]);
    return merged;
}

/* The terms of "a,b,c" or ["a", "b"]. */
static int64_t read_given(const dvt_json *params, dv_text texts[TEXTS_MOST])
{
    int64_t n = 0;
    const dvt_json *list = given(params, "terms");
    for (int64_t i = 0; list && i < list->count; i++)
        texts[n++] = dvt_json_item(list, i)->text;
    dv_text rest = text_of(params, "term");
    while (rest.nbytes > 0) {
        const char *comma = memchr(rest.data, ',', (size_t)rest.nbytes);
        const int64_t nbytes = comma ? comma - rest.data : rest.nbytes;
        texts[n++] = (dv_text){rest.data, nbytes};
        rest = comma ? (dv_text){comma + 1, rest.nbytes - nbytes - 1} : dv_text_of("");
    }
    return n;
}

static dvi_terms *make_terms(const story *s, const dvt_json *spec, int32_t column)
{
    dv_text texts[TEXTS_MOST];
    dvi_terms *terms, *sorted;
    const dv_type item = dv_type_item(&dv_schema_column(dv_view_schema(s->source), column)->type);
    const dvt_json *most = given(spec, "maximumNumberOfKeys");
    if (!most)
        most = given(s->params, "maximumNumberOfKeys");
    const int64_t keys = most ? dvt_json_int(most) : 1000000;
    const int64_t n = read_given(s->params, texts);
    if (n > 0) {
        cr_assert_eq(dvi_terms_create(&terms, &item, keys, TEXT_NBYTES, NULL, NULL), DV_OK);
        cr_assert_eq(dvi_terms_add_texts(terms, texts, n, NULL), DV_OK);
    } else {
        terms = learn(s, column, &item, keys);
    }
    if (!dv_text_equal(text_of(s->params, "keyOrdinality"), dv_text_of("ByValue")))
        return terms;
    cr_assert_eq(dvi_terms_sort(&sorted, terms, NULL, NULL), DV_OK);
    dvi_terms_free(&terms);
    return sorted;
}

/* --- Applying --------------------------------------------------------------------------------- */

static dv_view *apply(story *s)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dvi_new_column made[COLUMNS_MOST] = {{.hides = -1}};
    const dvt_json *list = given(s->params, "columns"), *one = given(s->params, "column");
    const int32_t n = list ? (int32_t)list->count : 1;
    const dv_schema *from = dv_view_schema(s->source);
    cr_assert_leq(n, COLUMNS_MOST);
    cr_assert_eq(dvi_mapper_create(&mapper, s->source, n, NULL, &err), DV_OK);
    for (int32_t i = 0; i < n; i++) {
        const dvt_json *spec = list ? dvt_json_item(list, i) : one;
        int32_t column;
        cr_assert_eq(dv_schema_find(from, text_of(spec, "source"), &column), DV_OK);
        s->terms[i] = make_terms(s, spec, column);
        const dvi_term_options options = {.terms = s->terms[i],
                                          .are_names_text =
                                              is_true(s->params, "addKeyValueAnnotationsAsText")};
        made[i].hides = -1;
        made[i].name = text_of(spec, "name");
        cr_assert_eq(dvi_term_plan(&made[i], &mapper->base.arena, from, column, &options, &err),
                     DV_OK, "%s: %s", s->name, err.message);
    }
    const dv_status status = dvi_mapper_arrange(mapper, &schema, made, n, &err);
    cr_assert_eq(dvi_mapper_view(&view, &class, mapper, schema, status, &err), DV_OK, "%s",
                 err.message);
    return view;
}

static void check(const dvt_path *folder, story *s, const char *want)
{
    char message[DVT_MESSAGE_NBYTES] = "";
    dvt_lines got = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *view = apply(s);
    options.batch_rows = s->batch_rows;
    cr_assert_eq(dvt_produce_by_value(&got, view, &options, NULL), DV_OK);
    cr_expect(
        dvt_golden_compare(dv_text_of(want), dvt_lines_text(&got), DVT_MAPPING_LOGICAL, message),
        "%s, %d rows a batch, %d threads: %s", folder->text, (int)s->batch_rows, s->threads,
        message);
    dvt_lines_free(&got);
    dv_view_release(&view);
    for (int i = 0; i < COLUMNS_MOST; i++)
        dvi_terms_free(&s->terms[i]);
}

/* The least number is a term there and NA here, so their keys differ. */
static bool has_minimum(const char *name)
{
    return strncmp(name, "term-i4-", 8) == 0 || strcmp(name, "term15-i1") == 0 ||
           strcmp(name, "term15-i2") == 0 || strcmp(name, "term15-vec-i8-sparse") == 0;
}

static void check_case(const dvt_path *folder, const char *name)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    size_t nbytes;
    dvi_arena arena;
    story s = {.name = name};
    dvi_arena_init(&arena, NULL);
    char *text = (char *)dvt_file_read(dvt_path_in(folder, "params.json").text, &nbytes);
    char *want = (char *)dvt_file_read(dvt_path_in(folder, "output.jsonl").text, &nbytes);
    s.params = dvt_json_parse(&arena, dv_text_of(text));
    cr_assert_not_null(s.params, "%s", folder->text);
    cr_assert_eq(dv_open(&s.source, dvt_path_in(folder, "input.idv").text, NULL, NULL), DV_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (s.threads = 0; s.threads <= 3; s.threads++) {
            s.batch_rows = sizes[i];
            check(folder, &s, want);
        }
    dv_view_release(&s.source);
    dvi_arena_free(&arena);
    free(text);
    free(want);
}

static int check_named(const dvt_path *folder, const char *name, void *ctx)
{
    (void)ctx;
    if ((strncmp(name, "term-", 5) != 0 && strncmp(name, "term15-", 7) != 0) || has_minimum(name))
        return 0;
    check_case(folder, name);
    return 1;
}

Test(term_cases, as_the_reference)
{
    const int today = dvt_golden_folders("transform", true, check_named, NULL);
    const int older = dvt_golden_folders("transform-1.5", true, check_named, NULL);
    cr_expect_geq(dvt_golden_folders("transform", false, check_named, NULL), 7);
    cr_expect(today < 0 || today >= 20);
    cr_expect(older < 0 || older >= 5);
}
