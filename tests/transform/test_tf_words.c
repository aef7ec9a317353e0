/* SPDX-License-Identifier: MIT */
/* test_tf_words.c: words, characters and normalized texts (semantics:7.8, semantics:7.17). */
#include "base/check.h"
#include "support/json_table.h"
#include "support/planned.h"
#include "support/produce.h"
#include "support/test.h"
#include "transform/tf_chars.h"
#include "transform/tf_words.h"
#include <dataview/pipeline.h>
#include <dataview/table.h>
#include <string.h>

#define TEXTS(rows, lines)                                                                         \
    "{\"rows\":" rows ",\"columns\":[{\"name\":\"A\",\"type\":\"TX\",\"metadata\":{}}]}\n" lines
#define VECTORS(rows, lines)                                                                       \
    "{\"rows\":" rows                                                                              \
    ",\"columns\":[{\"name\":\"A\",\"type\":\"V<TX,*>\",\"metadata\":{}}]}\n" lines
#define MADE(rows, type, lines)                                                                    \
    "{\"rows\":" rows ",\"columns\":[{\"name\":\"B\",\"type\":\"" type                             \
    "\",\"metadata\":{}}]}\n" lines

/* --- Words ------------------------------------------------------------------------------------ */

typedef struct how {
    const char *separators, *stop; /* NULL: none */
} how;

static dv_status plan_words(dvi_new_column *made, dvi_arena *arena, const dv_schema *source,
                            int32_t column, const void *options, dv_error *err)
{
    const how *h = options;
    dvi_words words = {.norm = NULL};
    dvi_separators *separators;
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_separators), err));
    separators = room;
    if (h->separators)
        DVI_TRY(dvi_separators_read(separators, dv_text_of(h->separators), arena, err));
    words.separators = h->separators ? separators : NULL;
    const dv_text stop = dv_text_of(h->stop);
    if (h->stop)
        DVI_TRY(dvi_stop_words_create(&words.stop, &stop, 1, arena, err));
    return dvi_words_plan(made, arena, source, &column, 1, &words, err);
}

static void check_words(const char *name, const how *h, const char *table, const char *truth)
{
    const dvt_planned_case one = {name, plan_words, h, table, truth};
    dvt_check_planned(&one);
}

Test(tf_words, pieces)
{
    check_words("blanks", &(how){" ", NULL},
                TEXTS("5", "[\"a  b \"]\n[null]\n[\"\"]\n[\"   \"]\n[\"\xC3\xA9 x\"]\n"),
                MADE("5", "V<TX,*>",
                     "[{\"len\":2,\"dense\":[\"a\",\"b\"]}]\n[{\"len\":0,\"dense\":[]}]\n"
                     "[{\"len\":0,\"dense\":[]}]\n[{\"len\":0,\"dense\":[]}]\n"
                     "[{\"len\":2,\"dense\":[\"\xC3\xA9\",\"x\"]}]\n"));
    check_words("trimmed", &(how){",\xE2\x82\xAC", NULL},
                TEXTS("2", "[\" a b , ,c\xE2\x82\xAC  d\"]\n[\"\xE2\x82\xAD\"]\n"),
                MADE("2", "V<TX,*>",
                     "[{\"len\":3,\"dense\":[\"a b\",\"c\",\"d\"]}]\n"
                     "[{\"len\":1,\"dense\":[\"\xE2\x82\xAD\"]}]\n"));
    check_words("vectors", &(how){" ", NULL},
                VECTORS("3", "[{\"len\":2,\"dense\":[\"a b\",\"c\"]}]\n"
                             "[{\"len\":9,\"idx\":[2,7],\"val\":[null,\"d e\"]}]\n"
                             "[{\"len\":0,\"dense\":[]}]\n"),
                MADE("3", "V<TX,*>",
                     "[{\"len\":3,\"dense\":[\"a\",\"b\",\"c\"]}]\n"
                     "[{\"len\":2,\"dense\":[\"d\",\"e\"]}]\n[{\"len\":0,\"dense\":[]}]\n"));
}

/* Listed words lose the blanks around them, words of the text do not. */
Test(tf_words, stop_words)
{
    check_words(
        "stop", &(how){NULL, " \xC3\x89T "},
        VECTORS("2", "[{\"len\":4,\"dense\":[\"\xC3\xA9t\",\"\xC3\x89t\",\" \xC3\xA9t\",\"\"]}]\n"
                     "[{\"len\":1,\"dense\":[\"x\"]}]\n"),
        MADE("2", "V<TX,*>",
             "[{\"len\":1,\"dense\":[\" \xC3\xA9t\"]}]\n[{\"len\":1,\"dense\":[\"x\"]}]\n"));
}

Test(tf_words, refuses)
{
    check_words("no separator", &(how){"", NULL}, TEXTS("1", "[\"a\"]\n"), NULL);
    check_words("no text", &(how){" ", NULL},
                "{\"rows\":1,\"columns\":[{\"name\":\"A\",\"type\":\"R4\",\"metadata\":{}}]}\n"
                "[\"r4:00000000\"]\n",
                NULL);
}

/* --- Normalized texts ------------------------------------------------------------------------- */

static dv_status plan_norm(dvi_new_column *made, dvi_arena *arena, const dv_schema *source,
                           int32_t column, const void *options, dv_error *err)
{
    return dvi_text_norm_plan(made, arena, source, column, options, err);
}

/* NA stays, U+0250 grows from two bytes to three, and what is above U+FFFF stays. */
Test(tf_words, normalized)
{
    static const dvi_text_norm_options upper = {DVI_CASE_UPPER, false, false, false};
    const dvt_planned_case texts = {
        "texts", plan_norm, &upper,
        TEXTS("4", "[\"a\xCC\x81 b\xC3\xA9, "
                   "7!\"]\n[null]\n[\"\xC9\x90\xC9\x90\"]\n[\"\xF0\x90\x90\xA8\"]\n"),
        MADE("4", "TX",
             "[\"A BE \"]\n[null]\n[\"\xE2\xB1\xAF\xE2\xB1\xAF\"]\n[\"\xF0\x90\x90\xA8\"]\n")};
    dvt_check_planned(&texts);
    const dvt_planned_case vectors = {"vectors", plan_norm, &upper,
                                      VECTORS("1", "[{\"len\":3,\"dense\":[\"7\",\"x7\",null]}]\n"),
                                      MADE("1", "V<TX,*>", "[{\"len\":1,\"dense\":[\"X\"]}]\n")};
    dvt_check_planned(&vectors);
}

/* --- Characters ------------------------------------------------------------------------------- */

static dv_view *pipe_texts(const char *const *texts, int64_t n, const char *steps)
{
    dv_view *source, *view;
    dv_error err = DV_ERROR_INIT;
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    cr_assert_eq(dv_table_create(&source, &column, 1, n, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of(steps), NULL, NULL, &err), DV_OK, "%s",
                 err.message);
    dv_view_release(&source);
    return view;
}

/* The names of units are the texts that the keys stand for. */
Test(tf_words, names_of_characters)
{
    static const char *const texts[] = {
        "a \t\x7F\xC2\x80\xC2\x99\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80"};
    static const char want[] = "[\"a\",\"<\xE2\x90\xA0>\",\"<\xE2\x90\x89>\",\"<\xE2\x90\xA1>\","
                               "\"<PAD>\",\"<SGCI>\",\"\xC3\xA9\",\"\xE6\x97\xA5\",\"\\\\uD83D\","
                               "\"\\\\uDE00\"]";
    dvt_lines lines = {0};
    dv_view *view = pipe_texts(texts, 1, "chars A markers-; value A; select A");
    cr_assert_eq(dvt_produce_by_value(&lines, view, NULL, NULL), DV_OK);
    cr_expect(strstr(lines.data, want), "%s", lines.data);
    dvt_lines_free(&lines);
    dv_view_release(&view);
}
