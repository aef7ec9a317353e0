/* SPDX-License-Identifier: MIT */
/* fuzz_words.c: any bytes as texts, and as steps that take them to words, characters and counts of
 * runs: values and names are those of a simple model; the steps make the same in one pipeline, one
 * by one from tables in memory, and as the one step that stands for them, whatever the batches, the
 * threads, and the layout of vectors.
 */
#include "meter.h"
#include "support/produce.h"
#include "words_story.h"
#include <dataview/pipeline.h>
#include <dataview/transform.h>
#include <string.h>

enum { TEXT_NBYTES = 400 }; /* longer inputs are not looked at: the model is slow */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* --- Running ---------------------------------------------------------------------------------- */

/* Fit the steps to the table, and apply them to it. NULL: they do not fit. */
static dv_view *run(dv_view *table, dv_text steps, int32_t threads)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = threads;
    DVT_CHECK(dv_pipeline_parse(&pipeline, steps, NULL, &err) == DV_OK);
    if (dv_fit(&fitted, pipeline, table, &options, NULL, &err) == DV_OK) {
        DVT_CHECK(dv_fitted_apply(&view, fitted, table, NULL, &err) == DV_OK);
        dv_fitted_release(&fitted);
    } else {
        DVT_CHECK(*err.message);
    }
    dv_pipeline_release(&pipeline);
    return view;
}

static dv_view *run_together(const dvt_words_story *s, dv_view *table, int32_t threads)
{
    dvt_lines all = {0};
    for (int32_t i = 0; i < s->steps; i++) {
        dvt_lines_add(&all, s->step[i].data, s->step[i].nbytes); /* which may hold NUL */
        dvt_lines_add(&all, "\n", 1);
    }
    dv_view *view = run(table, dvt_lines_text(&all), threads);
    dvt_lines_free(&all);
    return view;
}

/* Each step from a table in memory. */
static dv_view *run_one_by_one(const dvt_words_story *s, dv_view *table)
{
    dv_view *view = table;
    dv_cursor_options alone = DV_CURSOR_OPTIONS_INIT;
    dv_materialize_options options = DV_MATERIALIZE_OPTIONS_INIT;
    alone.threads = 1; /* others take longer to start than the work takes */
    options.cursor = &alone;
    dv_view_retain(view);
    for (int32_t i = 0; i < s->steps && view; i++) {
        dv_view *kept = NULL, *made = run(view, dvt_lines_text(&s->step[i]), 1);
        if (made)
            DVT_CHECK(dv_view_materialize(&kept, made, &options, NULL, NULL) == DV_OK);
        dv_view_release(&made);
        dv_view_release(&view);
        view = kept;
    }
    return view;
}

/* Column X, header included, but of characters, whose 65,535 names take most of the time. */
static dvt_lines lines_of(const dvt_words_story *s, dv_view *view, int32_t threads,
                          int64_t batch_rows)
{
    dvt_lines lines = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = threads;
    options.batch_rows = batch_rows;
    DVT_CHECK(dv_cursor_options_column(&options, dv_view_schema(view), "X", NULL) == DV_OK);
    if (s->goal != DVT_GOAL_CHARS)
        DVT_CHECK(dvt_put_header(&lines, view, &options, dvt_put_metadata_by_value, NULL) == DV_OK);
    DVT_CHECK(dvt_put_rows(&lines, view, &options, dvt_put_batch_by_value, NULL) == DV_OK);
    return lines;
}

/* view is NULL if it could not be made, and so must the other one be. */
static void check_same(const dvt_words_story *s, const dvt_lines *want, dv_view *view,
                       int32_t threads, int64_t batch_rows)
{
    DVT_CHECK((want->nbytes > 0) == (view != NULL));
    if (!view)
        return;
    dvt_lines got = lines_of(s, view, threads, batch_rows);
    DVT_CHECK(got.nbytes == want->nbytes && got.data && want->data &&
              memcmp(got.data, want->data, got.nbytes) == 0);
    dvt_lines_free(&got);
}

/* --- The model -------------------------------------------------------------------------------- */

/* What column X is to be: one of these, of each row. */
typedef struct truth {
    dvt_texts *texts;
    dvt_keys *keys;
    dvt_bags bags;
    dv_text *names; /* of slots; empty: it has none. NULL: no slot has */
    bool is_scalar, is_known;
    bool is_sized; /* all vectors of counts have a size that the type tells */
} truth;

static bool is_nothing(const dvt_norm *o)
{
    return o->to_case == 2 && o->diacritics && o->punctuation && o->numbers;
}

/* The texts of a row before the first step: of one source, -1 of all. A sparse vector has those
 * that are not empty. */
static dvt_texts texts_of(dvt_words_story *s, int32_t row, int32_t source)
{
    dvt_texts made = {.n = 0};
    for (int32_t k = 0; k < s->sources; k++) {
        const dvt_texts *texts = &(s->expanded ? s->expanded : s->texts)[k * s->rows + row];
        for (int32_t i = 0; i < texts->n && (source < 0 || source == k); i++) {
            if (s->is_sparse && texts->text[i].nbytes == 0)
                continue;
            DVT_CHECK(dvi_arena_append(&s->arena, &made.text, made.n, &texts->text[i],
                                       sizeof(dv_text), NULL) == DV_OK);
            made.n++;
        }
    }
    return made;
}

static dvt_texts words_of(dvt_words_story *s, dvt_texts texts)
{
    if (s->has_norm)
        texts = dvt_model_norms(&s->arena, texts, &s->norm);
    if (s->has_split)
        texts = dvt_model_split(&s->arena, texts, s->separators);
    return s->has_stop ? dvt_model_stop(&s->arena, texts, s->stop) : texts;
}

static void model_words(dvt_words_story *s, truth *t)
{
    dvt_texts *rows = dvt_room(&s->arena, sizeof *rows * (size_t)s->rows);
    t->is_scalar = !s->has_split && s->sources == 1 && s->width == 0;
    for (int32_t row = 0; row < s->rows; row++) {
        rows[row] = texts_of(s, row, -1);
        DVT_CHECK(rows[row].text || !t->is_scalar);
        if (!t->is_scalar)
            rows[row] = words_of(s, rows[row]);
        else if (s->has_norm)
            rows[row].text[0] = dvt_model_norm(&s->arena, rows[row].text[0], &s->norm);
    }
    t->texts = rows;
}

static void model_chars(dvt_words_story *s, truth *t)
{
    model_words(s, t);
    t->keys = dvt_room(&s->arena, sizeof(dvt_keys) * (size_t)s->rows);
    for (int32_t row = 0; row < s->rows; row++)
        t->keys[row] = dvt_model_chars(&s->arena, t->texts[row], t->is_scalar, s->has_markers);
}

static void model_bags(dvt_words_story *s, truth *t)
{
    dvt_keys *keys = dvt_room(&s->arena, sizeof *keys * (size_t)s->rows);
    model_words(s, t);
    dv_text *terms;
    const int32_t n = dvt_model_terms(&s->arena, t->texts, s->rows, s->runs.most[0], keys, &terms);
    t->bags = dvt_model_bags(&s->arena, keys, s->rows, &s->runs);
    t->names = n > 0 ? dvt_room(&s->arena, sizeof(dv_text) * (size_t)t->bags.slots) : NULL;
    for (int32_t k = 0; k < t->bags.slots && n > 0; k++)
        t->names[k] = dvt_model_name(&s->arena, t->bags.run[k], terms);
}

static void model_hashes(dvt_words_story *s, truth *t)
{
    const int32_t n = s->sources * s->rows;
    dvt_keys *keys = dvt_room(&s->arena, sizeof *keys * (size_t)n);
    dvt_texts *words = dvt_room(&s->arena, sizeof *words * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        words[i] = words_of(s, texts_of(s, i % s->rows, i / s->rows));
        keys[i] = dvt_model_hashes(&s->arena, words[i], s->runs.seed, s->version);
    }
    t->bags = dvt_model_hash_bags(&s->arena, keys, s->rows, s->sources, &s->runs);
    const dvt_hashed hashed = {words, keys, s->rows, s->sources, s->invert};
    if (s->invert != 0)
        t->names = dvt_model_hash_names(&s->arena, &hashed, &s->runs);
}

/* Both parts of text side by side, if they are not scaled. */
static void model_text(dvt_words_story *s, truth *t)
{
    truth part[2] = {{.texts = NULL}};
    const bool of_texts = is_nothing(&s->norm) && !s->has_stop;
    if (s->has_words)
        model_bags(s, &part[1]);
    if (s->has_chars) {
        dvt_words_story chars = *s; /* the same texts on their way to characters */
        chars.has_split = s->has_stop;
        chars.has_norm = !is_nothing(&s->norm);
        model_chars(&chars, &part[0]);
        part[0].bags = dvt_model_bags(&chars.arena, part[0].keys, s->rows, &s->char_runs);
        s->arena = chars.arena;
    }
    t->is_sized =
        (part[0].bags.slots > 0 || !s->has_chars) && (part[1].bags.slots > 0 || !s->has_words);
    /* Where texts of several columns are joined as they are, borders depend on the layout. */
    t->is_known = strcmp(s->scale, "none") == 0 && !(of_texts && s->sources > 1);
    t->bags = (dvt_bags){.rows = s->rows, .slots = part[0].bags.slots + part[1].bags.slots};
    t->bags.number = dvt_room(&s->arena, sizeof(float) * (size_t)s->rows * (size_t)t->bags.slots);
    float *to = t->bags.number;
    for (int32_t row = 0; row < s->rows; row++)
        for (int k = 0; k < 2; k++) {
            const dvt_bags *b = &part[k].bags;
            if (b->slots > 0)
                memcpy(to, b->number + (int64_t)row * b->slots, sizeof(float) * (size_t)b->slots);
            to += b->slots;
        }
}

static truth model(dvt_words_story *s)
{
    static void (*const models[])(dvt_words_story *, truth *) = {
        model_words, model_chars, model_bags, model_hashes, model_text};
    truth t = {.is_known = true, .is_sized = true};
    models[s->goal](s, &t);
    return t;
}

/* --- Comparing -------------------------------------------------------------------------------- */

static bool is_text(const dv_value *value, dv_text want)
{
    const dv_text got = dv_value_tx(value);
    return got.nbytes == want.nbytes &&
           (got.nbytes <= 0 || memcmp(got.data, want.data, (size_t)got.nbytes) == 0);
}

static void check_texts(const dv_value *value, dvt_texts want)
{
    DVT_CHECK(dv_value_items(value) == want.n);
    for (int32_t i = 0; i < want.n; i++) {
        const dv_value item = dv_value_item(value, i);
        DVT_CHECK(is_text(&item, want.text[i]));
    }
}

static void check_keys(const dv_value *value, dvt_keys want)
{
    DVT_CHECK(dv_value_items(value) == want.n);
    for (int32_t i = 0; i < want.n; i++) {
        const dv_value item = dv_value_item(value, i);
        DVT_CHECK(dv_value_key(&item) == want.key[i]);
    }
}

/* Items in their order are the numbers that are not 0; a dense row has zeros too. */
static void check_bag(const dv_value *value, const float *want, int32_t slots)
{
    const int32_t n = dv_value_items(value);
    int32_t slot = 0;
    DVT_CHECK(value->length == slots && (want || slots == 0));
    if (!want)
        return;
    for (int32_t i = 0; i < n; i++) {
        const dv_value item = dv_value_item(value, i);
        for (; slot < dv_value_slot(value, i); slot++)
            DVT_CHECK(want[slot] == 0);
        const float got = dv_value_r4(&item);
        DVT_CHECK(slot < slots && memcmp(&got, &want[slot], sizeof got) == 0);
        slot++;
    }
    for (; slot < slots; slot++)
        DVT_CHECK(want[slot] == 0);
}

static void check_value(const dvt_words_story *s, const truth *t, const dv_value *value,
                        int32_t row)
{
    if (s->goal >= DVT_GOAL_BAGS)
        check_bag(value, t->bags.number + (int64_t)row * t->bags.slots, t->bags.slots);
    else if (s->goal == DVT_GOAL_CHARS)
        check_keys(value, t->keys[row]);
    else if (t->is_scalar)
        DVT_CHECK(is_text(value, t->texts[row].text[0]));
    else
        check_texts(value, t->texts[row]);
}

static void check_names(const truth *t, const dv_schema *schema, int32_t column)
{
    const dv_batch *batch;
    int32_t i;
    const dv_status status = dv_schema_find_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &i);
    DVT_CHECK((status == DV_OK) == (t->names != NULL));
    if (!t->names)
        return;
    DVT_CHECK(dv_schema_metadata_value(schema, column, i, &batch, NULL) == DV_OK);
    const dv_value names = dv_value_first(dv_batch_column(batch, 0));
    DVT_CHECK(names.length == t->bags.slots);
    int32_t slot = 0;
    for (int32_t k = 0; k < dv_value_items(&names); k++) {
        const dv_value name = dv_value_item(&names, k);
        for (; slot < dv_value_slot(&names, k); slot++)
            DVT_CHECK(t->names[slot].nbytes == 0);
        DVT_CHECK(is_text(&name, t->names[slot++]));
    }
    for (; slot < t->bags.slots; slot++)
        DVT_CHECK(t->names[slot].nbytes == 0);
    dv_batch_release(&batch);
}

static void check_model(dvt_words_story *s, dv_view *view)
{
    const truth t = model(s);
    const dv_schema *schema = dv_view_schema(view);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    int32_t column, row = 0;
    if (!t.is_known)
        return;
    DVT_CHECK(dv_schema_find(schema, dv_text_of("X"), &column) == DV_OK);
    if (s->goal >= DVT_GOAL_BAGS)
        DVT_CHECK(dv_schema_column(schema, column)->type.size == (t.is_sized ? t.bags.slots : 0));
    if (s->goal == DVT_GOAL_BAGS || s->goal == DVT_GOAL_HASHES)
        check_names(&t, schema, column);
    options.columns = &column;
    options.columns_count = 1;
    options.threads = 1;
    DVT_CHECK(dv_cursor_open(&cursor, view, &options, NULL) == DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            check_value(s, &t, &value, row++);
        }
    DVT_CHECK(row == s->rows);
    dv_cursor_close(&cursor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    dvt_words_story s;
    if (n > TEXT_NBYTES)
        return 0;
    dvt_words_story_read(&s, data, n);
    const int32_t threads = 1 + (int32_t)(n % 2);
    dv_view *table = dvt_words_story_table(&s), *view = run_together(&s, table, threads);
    dvt_lines want = view ? lines_of(&s, view, 1, 0) : (dvt_lines){0};
    DVT_CHECK(view || s.goal == DVT_GOAL_TEXT);
    check_same(&s, &want, view, threads, 1 + (int64_t)(n % 5));
    if (view)
        check_model(&s, view);
    dv_view_release(&view);
    if (s.goal != DVT_GOAL_TEXT || n % 4 == 0) { /* each step copies the names of characters */
        view = run_one_by_one(&s, table);
        check_same(&s, &want, view, 1, 0);
        dv_view_release(&view);
    }
    if (s.whole.nbytes > 0) {
        view = run(table, dvt_lines_text(&s.whole), threads);
        check_same(&s, &want, view, 1, 0);
        dv_view_release(&view);
    }
    dv_view_release(&table);
    dvt_lines_free(&want);
    dvt_words_story_free(&s);
    return 0;
}
