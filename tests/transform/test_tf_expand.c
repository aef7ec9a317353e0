/* SPDX-License-Identifier: MIT */
/* test_tf_expand.c: terms as often as their frequencies say (semantics:7.11). */
#include "base/check.h"
#include "support/json_table.h"
#include "support/planned.h"
#include "support/produce.h"
#include "support/test.h"
#include "transform/tf_expand.h"
#include <dataview/pipeline.h>
#include <dataview/table.h>
#include <string.h>

#define TEXTS(rows, lines)                                                                         \
    "{\"rows\":" rows ",\"columns\":[{\"name\":\"A\",\"type\":\"TX\",\"metadata\":{}}]}\n" lines
#define MADE(rows, lines)                                                                          \
    "{\"rows\":" rows ",\"columns\":[{\"name\":\"B\",\"type\":\"TX\",\"metadata\":{}}]}\n" lines

typedef struct how {
    const char *separators, *frequency;
} how;

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_schema *source,
                      int32_t column, const void *options, dv_error *err)
{
    const how *h = options;
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_separators), err));
    dvi_separators *separators = room;
    DVI_TRY(dvi_separators_read(separators, dv_text_of(h->separators), arena, err));
    return dvi_expand_plan(made, arena, source, column, separators, dv_text_of(h->frequency), err);
}

static void check(const char *name, const how *h, const char *table, const char *truth)
{
    const dvt_planned_case one = {name, plan, h, table, truth};
    dvt_check_planned(&one);
}

Test(tf_expand, frequencies)
{
    const how usual = {";", ":"};
    check("terms", &usual,
          TEXTS("4", "[\"a:2;b:1\"]\n[\"b\"]\n[\" a b : 2 ;; c ;\"]\n[\"u:v:2\"]\n"),
          MADE("4", "[\"a a b \"]\n[\"b \"]\n[\"a b a b c \"]\n[\"u:v u:v \"]\n"));
    check("none", &usual, TEXTS("4", "[\"\"]\n[null]\n[\"a:0;b:-3\"]\n[\":4; ;\"]\n"),
          MADE("4", "[\"\"]\n[null]\n[\"\"]\n[\"\"]\n"));
    check("no integers", &usual,
          TEXTS("6",
                "[\"a:x;b\"]\n[\"b;a:1.5\"]\n[\"a:\"]\n[\"a:99999999999999999999\"]\n[\"a: \"]\n"
                "[\"c;a:1\"]\n"),
          MADE("6", "[null]\n[null]\n[null]\n[null]\n[null]\n[\"c a \"]\n"));
    check("other characters", &(how){"\xE2\x82\xAC|", "=>"},
          TEXTS("2", "[\"a=>2\xE2\x82\xAC"
                     "b|c:3\"]\n[\"=>;=>1\"]\n"),
          MADE("2", "[\"a a b c:3 \"]\n[\"=>; \"]\n"));
}

Test(tf_expand, refuses)
{
    check("no frequency", &(how){";", ""}, TEXTS("1", "[\"a\"]\n"), NULL);
    check("vectors", &(how){";", ":"},
          "{\"rows\":1,\"columns\":[{\"name\":\"A\",\"type\":\"V<TX,1>\",\"metadata\":{}}]}\n"
          "[{\"len\":1,\"dense\":[\"a\"]}]\n",
          NULL);
}

/* 2^20 bytes are the most; no memory is asked for before that is known. */
Test(tf_expand, most)
{
    static const char *const texts[] = {"abc:262144", "abc:262145", "abc:262144;:9;d",
                                        "a:9223372036854775807", "x"};
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    dv_view *source, *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dv_table_create(&source, &column, 1, 5, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of("expand A"), NULL, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    static const int64_t want[] = {DVI_EXPANDED_NBYTES, -1, -1, -1, 2};
    for (int64_t row = 0; row < 5; row++) {
        const dv_value value = dv_value_at(dv_batch_column(batch, 0), row);
        cr_expect_eq(dv_value_tx(&value).nbytes, want[row], "row %d", (int)row);
    }
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* Many short texts may each ask for the most: a batch has few of them. */
Test(tf_expand, batches_are_small)
{
    static const char *texts[1000];
    for (int i = 0; i < 1000; i++)
        texts[i] = "abc:262144";
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    dv_view *source, *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dv_table_create(&source, &column, 1, 1000, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of("expand A"), NULL, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_leq(batch->rows, 64, "%d", (int)batch->rows);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
}
