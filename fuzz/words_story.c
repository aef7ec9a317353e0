/* SPDX-License-Identifier: MIT */
/* words_story.c: the first bytes choose steps and options, the others are texts: 0xFF ends one,
 * 0xFE one that is NA instead. A byte that is no UTF-8 is read as a character of Latin-1. */
#include "words_story.h"
#include "base/utf8.h"
#include "meter.h"
#include "support/relayout.h"
#include <dataview/table.h>
#include <string.h>

enum { HEAD = 24, ROWS = 48, BITS = 7, EXPANDED_NBYTES = 2000 };

static uint32_t draw(dvt_words_story *s, uint32_t below)
{
    if (s->head_left == 0)
        return 0;
    s->head_left--;
    return *s->head++ % below;
}

/* --- Texts ------------------------------------------------------------------------------------ */

static void add_text(dvt_words_story *s, dvt_texts *texts, dv_text text)
{
    DVT_CHECK(dvi_arena_append(&s->arena, &texts->text, texts->n, &text, sizeof text, NULL) ==
              DV_OK);
    texts->n++;
}

static dvt_texts read_texts(dvt_words_story *s, const uint8_t *data, size_t n)
{
    dvt_texts texts = {.n = 0};
    char *made = dvt_room(&s->arena, 2 * n);
    int64_t used = 0;
    for (size_t i = 0; i < n;) {
        const size_t width = dvi_utf8_step((const char *)data + i, n - i);
        if (data[i] >= 0xFE) {
            add_text(s, &texts, (dv_text){made, data[i] == 0xFE ? -1 : used});
            made += used;
            used = 0;
        } else if (width == 0) {
            made[used++] = (char)(0xC0 | data[i] >> 6);
            made[used++] = (char)(0x80 | (data[i] & 0x3F));
        }
        memcpy(made + used, data + i, width);
        used += (int64_t)width;
        i += width > 0 ? width : 1;
    }
    add_text(s, &texts, (dv_text){made, used});
    return texts;
}

/* Deal the texts out to the rows; the last row is filled up. Sparse vectors keep what is not empty.
 */
static void deal_texts(dvt_words_story *s, dvt_texts all)
{
    const int32_t slots = s->width > 0 ? s->width : 1, of_row = slots * s->sources;
    const int32_t rows = (all.n + of_row - 1) / of_row;
    s->rows = rows < ROWS ? rows : ROWS;
    s->texts = dvt_room(&s->arena, sizeof(dvt_texts) * (size_t)(s->rows * s->sources));
    for (int32_t i = 0; i < s->rows * of_row; i++) {
        const int32_t row = i / of_row, source = i % of_row / slots;
        add_text(s, &s->texts[source * s->rows + row], i < all.n ? all.text[i] : dv_text_of(""));
    }
}

/* What expand makes of the texts, unless it is much. */
static void expand_texts(dvt_words_story *s)
{
    const int32_t n = s->rows * s->sources;
    int64_t nbytes = 0;
    dvt_texts *made = dvt_room(&s->arena, sizeof(dvt_texts) * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        const dv_text text =
            dvt_model_expand(&s->arena, s->texts[i].text[0], s->terms_end, s->frequency);
        nbytes += text.nbytes;
        add_text(s, &made[i], text);
    }
    s->expanded = nbytes <= EXPANDED_NBYTES ? made : NULL;
}

dv_view *dvt_words_story_table(const dvt_words_story *s)
{
    static const char *const names[] = {"A", "B"};
    const int32_t slots = s->width > 0 ? s->width : 1;
    const dv_type text = dv_type_of(DV_KIND_TX);
    dv_text *all[2] = {NULL, NULL};
    dv_table_column columns[2];
    dv_view *view;
    for (int32_t k = 0; k < s->sources; k++) {
        all[k] = dvt_room((dvi_arena *)(uintptr_t)&s->arena,
                          sizeof(dv_text) * (size_t)(s->rows * slots));
        for (int32_t i = 0; i < s->rows * slots; i++)
            all[k][i] = s->texts[k * s->rows + i / slots].text[i % slots];
        columns[k] = (dv_table_column){.name = names[k],
                                       .type = s->width > 0 ? dv_type_vector(text, slots) : text,
                                       .texts = all[k]};
    }
    DVT_CHECK(dv_table_create(&view, columns, s->sources, s->rows, NULL, NULL) == DV_OK);
    return s->is_sparse ? dvt_relayout(view, false) : view;
}

/* --- Options ---------------------------------------------------------------------------------- */

static void put_quoted(dvt_lines *to, dv_text text)
{
    dvt_lines_add(to, "\"", 1);
    for (int64_t i = 0; i < text.nbytes; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\')
            dvt_lines_add(to, "\\", 1);
        dvt_lines_add(to, text.data + i, 1);
    }
    dvt_lines_add(to, "\"", 1);
}

static void put_norm(dvt_lines *to, const dvt_norm *o)
{
    static const char *const cases[] = {"lower", "upper", "none"};
    dvt_lines_print(to, " case=%s diacritics%c punctuation%c numbers%c", cases[o->to_case],
                    o->diacritics ? '+' : '-', o->punctuation ? '+' : '-', o->numbers ? '+' : '-');
}

static void put_words(dvt_lines *to, const char *option, dvt_texts words)
{
    dvt_lines_print(to, " %s=[", option);
    for (int32_t i = 0; i < words.n; i++) {
        dvt_lines_add(to, " ", 1);
        put_quoted(to, words.text[i]);
    }
    dvt_lines_add(to, "]", 1);
}

/* before: of the names of options, as text has them. */
static void put_runs(dvt_lines *to, const char *before, const dvt_runs *r)
{
    static const char *const weights[] = {"tf", "idf", "tfidf"};
    dvt_lines_print(to, " %sn=%d %sskips=%d %sall%c %sweight=%s %smax=[", before, (int)r->n, before,
                    (int)r->skips, before, r->all ? '+' : '-', before, weights[r->weight], before);
    for (int32_t i = 0; i < r->n; i++)
        dvt_lines_print(to, " %d", (int)r->most[i]);
    dvt_lines_add(to, "]", 1);
}

static void put_hashing(dvt_lines *to, const dvt_runs *r)
{
    dvt_lines_print(to, " n=%d skips=%d all%c bits=%d seed=%u ordered%c", (int)r->n, (int)r->skips,
                    r->all ? '+' : '-', (int)r->bits, (unsigned)r->seed, r->is_ordered ? '+' : '-');
}

static dvt_runs draw_runs(dvt_words_story *s)
{
    dvt_runs r = {.n = 1 + (int32_t)draw(s, 3)};
    r.skips = r.n > 1 ? (int32_t)draw(s, 3) : 0;
    const uint32_t flags = draw(s, 256);
    r.all = flags & 1;
    r.weight = (int)(flags / 2 % 3);
    r.is_ordered = flags & 8;
    r.rehash = flags & 16;
    for (int32_t i = 0; i < DVT_RUN_KEYS; i++)
        r.most[i] = flags & 32 ? 1 + (i < r.n ? draw(s, 9) : 0) : 10000000;
    for (int32_t i = r.n; i < DVT_RUN_KEYS; i++)
        r.most[i] = r.most[r.n - 1];
    r.bits = 1 + (int32_t)draw(s, BITS);
    r.seed = flags & 64 ? draw(s, 256) : 314489979;
    return r;
}

static dv_text draw_separators(dvt_words_story *s)
{
    static const char *const characters[] = {
        " ", ",", "x", "\t", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\\"};
    const uint32_t chosen = draw(s, 256);
    char *made = dvt_room(&s->arena, 32);
    int64_t n = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (chosen >> i & 1) {
            memcpy(made + n, characters[i], strlen(characters[i]));
            n += (int64_t)strlen(characters[i]);
        }
    return n > 0 ? (dv_text){made, n} : dv_text_of(" ");
}

static void draw_options(dvt_words_story *s)
{
    static const char *const scales[] = {"none", "l2", "l1", "inf"};
    static const char *const frequencies[] = {":", "::", " ", "\xC3\xA9"};
    const uint32_t flags = draw(s, 256), norm = draw(s, 24);
    s->goal = (dvt_words_goal)draw(s, DVT_GOALS);
    s->sources = s->goal == DVT_GOAL_CHARS ? 1 : 1 + (int32_t)(flags & 1);
    s->width = flags & 2 ? 2 + (int32_t)(flags >> 2 & 1) : 0;
    s->is_sparse = s->width > 0 && flags & 8;
    s->has_norm = flags & 16 || s->goal == DVT_GOAL_TEXT;
    s->has_split = flags & 32 || !(s->goal == DVT_GOAL_CHARS || s->has_norm);
    s->has_split = s->has_split || s->goal >= DVT_GOAL_BAGS;
    s->has_stop = flags & 64 && s->has_split && s->goal != DVT_GOAL_CHARS;
    s->has_markers = flags & 128 || s->goal == DVT_GOAL_TEXT;
    s->norm = (dvt_norm){(int)(norm % 3), norm / 3 & 1, norm / 6 & 1, norm / 12 & 1};
    s->separators = s->goal == DVT_GOAL_TEXT ? dv_text_of(" ") : draw_separators(s);
    s->runs = draw_runs(s);
    s->char_runs = draw_runs(s);
    const uint32_t more = draw(s, 256);
    s->version = 1 + (int)(more & 1);
    s->invert = (int32_t)(more >> 1 & 3);
    s->invert = s->invert == 3 ? -1 : s->invert;
    s->has_chars = (more & 6) > 0;
    s->has_words = !s->has_chars || (more & 24) > 0;
    s->scale = scales[more >> 5 & 3];
    if (s->width == 0 && draw(s, 4) == 3) {
        s->terms_end = draw_separators(s);
        s->frequency = dv_text_of(frequencies[draw(s, 4)]);
    }
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* Begin the next step. */
static dvt_lines *step(dvt_words_story *s, const char *begins)
{
    DVT_CHECK(s->steps < DVT_STORY_STEPS);
    dvt_lines *made = &s->step[s->steps++];
    dvt_lines_print(made, "%s", begins);
    return made;
}

/* A step on the columns of words; they are A and B while each is hashed by itself. */
static dvt_lines *step_on(dvt_words_story *s, const char *name)
{
    dvt_lines *made = step(s, name);
    const bool are_two = s->goal == DVT_GOAL_HASHES;
    dvt_lines_print(made, " %s", !are_two ? "X" : s->sources == 2 ? "A B" : "A");
    return made;
}

static void put_expand(dvt_lines *to, const dvt_words_story *s)
{
    dvt_lines_print(to, "expand %s sep=", s->sources == 2 ? "A B" : "A");
    put_quoted(to, s->terms_end);
    dvt_lines_print(to, " freq=");
    put_quoted(to, s->frequency);
}

/* Begin with the one step that stands for the others. */
static void begin_whole(dvt_words_story *s)
{
    if (s->expanded) {
        put_expand(&s->whole, s);
        dvt_lines_print(&s->whole, "\n");
    }
}

static const char *sources(const dvt_words_story *s)
{
    return s->sources == 2 ? "X:A,B" : "X:A";
}

static void put_steps(dvt_words_story *s)
{
    const bool are_hashed = s->goal == DVT_GOAL_HASHES;
    if (!are_hashed)
        dvt_lines_print(step(s, s->sources == 2 ? "combine" : "copy"), " %s", sources(s));
    if (s->has_norm)
        put_norm(step_on(s, "textnorm"), &s->norm);
    if (s->has_split) {
        dvt_lines *made = step_on(s, "tokenize");
        dvt_lines_print(made, " sep=");
        put_quoted(made, s->separators);
    }
    if (s->has_stop)
        put_words(step_on(s, "stopwords"), "words", s->stop);
    if (s->goal == DVT_GOAL_CHARS)
        dvt_lines_print(step_on(s, "chars"), " markers%c", s->has_markers ? '+' : '-');
    const bool is_plain =
        !s->has_norm && !s->has_stop && s->separators.nbytes == 1 && *s->separators.data == ' ';
    if (s->goal == DVT_GOAL_BAGS) {
        dvt_lines_print(step_on(s, "term"), " max=%d", (int)s->runs.most[0]);
        put_runs(step_on(s, "ngram"), "", &s->runs);
        if (is_plain) {
            begin_whole(s);
            dvt_lines_print(&s->whole, "wordbag %s", sources(s));
            put_runs(&s->whole, "", &s->runs);
        }
    }
    if (are_hashed) {
        dvt_lines_print(step_on(s, "hash"), " bits=30 seed=%u hashversion=%d invert=%d",
                        (unsigned)s->runs.seed, s->version, (int)s->invert);
        dvt_lines *made = step(s, "ngramhash");
        dvt_lines_print(made, " %s", sources(s));
        put_hashing(made, &s->runs);
        dvt_lines_print(made, " rehash%c invert=%d", s->runs.rehash ? '+' : '-', (int)s->invert);
        if (is_plain && !s->runs.rehash) { /* which wordhashbag has not */
            begin_whole(s);
            dvt_lines_print(&s->whole, "wordhashbag %s hashversion=%d invert=%d", sources(s),
                            s->version, (int)s->invert);
            put_hashing(&s->whole, &s->runs);
        }
    }
}

/* A part of text: its runs in column `to`, scaled. */
static void put_part(dvt_words_story *s, const char *to, const char *keys, const dvt_runs *runs)
{
    dvt_lines *made = step(s, "ngram");
    dvt_lines_print(made, " %s:%s", to, keys);
    put_runs(made, "", runs);
    if (strcmp(s->scale, "none") != 0)
        dvt_lines_print(step(s, "lpnorm"), " %s norm=%s", to, s->scale);
}

static void put_text(dvt_words_story *s)
{
    const bool are_both = s->has_words && s->has_chars;
    const dvt_norm *o = &s->norm;
    dvt_lines_print(step(s, s->sources == 2 ? "combine" : "copy"), " %s", sources(s));
    if (o->to_case != 2 || !o->diacritics || !o->punctuation || !o->numbers)
        put_norm(step_on(s, "textnorm"), o);
    step(s, "tokenize T:X");
    if (s->has_stop)
        put_words(step(s, "stopwords T"), "words", s->stop);
    if (s->has_chars)
        dvt_lines_print(step(s, "chars"), " C:%s", s->has_stop ? "T" : "X");
    if (s->has_words) {
        dvt_lines_print(step(s, "term T"), " max=%d", (int)s->runs.most[0]);
        put_part(s, are_both ? "Word" : "X", "T", &s->runs);
    }
    if (s->has_chars)
        put_part(s, are_both ? "Char" : "X", "C", &s->char_runs);
    if (are_both)
        step(s, "combine X:Char,Word aliases=[Char Word]");
    begin_whole(s);
    dvt_lines_print(&s->whole, "text %s norm=%s word%c char%c", sources(s), s->scale,
                    s->has_words ? '+' : '-', s->has_chars ? '+' : '-');
    put_norm(&s->whole, o);
    if (s->has_stop)
        put_words(&s->whole, "stopwords", s->stop);
    put_runs(&s->whole, "word", &s->runs);
    put_runs(&s->whole, "char", &s->char_runs);
}

void dvt_words_story_read(dvt_words_story *s, const uint8_t *data, size_t n)
{
    const size_t head = n < HEAD ? n : HEAD;
    *s = (dvt_words_story){.head = data, .head_left = head};
    dvi_arena_init(&s->arena, NULL);
    draw_options(s);
    const dvt_texts all = read_texts(s, data + head, n - head);
    for (int32_t i = 0; i < all.n && i < 3; i++)
        if (all.text[i].nbytes >= 0)
            add_text(s, &s->stop, all.text[i]);
    deal_texts(s, all);
    if (s->frequency.nbytes > 0)
        expand_texts(s);
    if (s->expanded)
        put_expand(step(s, ""), s);
    if (s->goal == DVT_GOAL_TEXT)
        put_text(s);
    else
        put_steps(s);
}

void dvt_words_story_free(dvt_words_story *s)
{
    for (int32_t i = 0; i < s->steps; i++)
        dvt_lines_free(&s->step[i]);
    dvt_lines_free(&s->whole);
    dvi_arena_free(&s->arena);
}
