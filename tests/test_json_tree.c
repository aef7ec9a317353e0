/* SPDX-License-Identifier: MIT */
/* test_json_tree.c: the tests' JSON reader reads JSON correctly. */
#include "support/json_tree.h"
#include "support/test.h"

static dvi_arena arena;

static const dvt_json *parse(const char *text)
{
    return dvt_json_parse(&arena, dv_text_of(text));
}

static void start(void)
{
    dvi_arena_init(&arena, NULL);
}

static void stop(void)
{
    dvi_arena_free(&arena);
}

TestSuite(json_tree, .init = start, .fini = stop);

/* A string of the JSON text must have these bytes. */
#define EXPECT_STRING(json, bytes)                                                                 \
    do {                                                                                           \
        const dvt_json *s_ = parse(json);                                                          \
        cr_assert(s_ && s_->kind == DVT_JSON_STRING, "%s", json);                                  \
        cr_expect_eq(s_->text.nbytes, (int64_t)sizeof(bytes) - 1, "%s", json);                     \
        cr_expect_eq(memcmp(s_->text.data, bytes, sizeof(bytes) - 1), 0, "%s", json);              \
    } while (0)

Test(json_tree, strings_are_decoded)
{
    EXPECT_STRING("\"\"", "");
    EXPECT_STRING("\"a\\\"\\\\\\/\\b\\f\\n\\r\\tb\"", "a\"\\/\b\f\n\r\tb");
    EXPECT_STRING("\"\\u0000\"", "\0");
    EXPECT_STRING("\"x\\u0000\\u00e9\\u20AC!\"", "x\0\xC3\xA9\xE2\x82\xAC!");
    EXPECT_STRING("\"\\uD83D\\uDE00\"", "\xF0\x9F\x98\x80");
    EXPECT_STRING("\"\xF0\x9F\x98\x80\xC3\xA9\"", "\xF0\x9F\x98\x80\xC3\xA9");
}

Test(json_tree, numbers_stay_as_written)
{
    const dvt_json *a = parse(" [18446744073709551615, -0.50E+3 ,-7]");
    cr_assert(a && a->kind == DVT_JSON_ARRAY);
    cr_expect_eq(a->count, 3);
    cr_expect(dv_text_equal(dvt_json_item(a, 0)->source, dv_text_of("18446744073709551615")));
    cr_expect(dv_text_equal(dvt_json_item(a, 1)->source, dv_text_of("-0.50E+3")));
    cr_expect_eq(dvt_json_int(dvt_json_item(a, 2)), -7);
    cr_expect_null(dvt_json_item(a, 3));
    cr_expect_null(dvt_json_item(a, -1));
}

Test(json_tree, objects_keep_order_and_find_members)
{
    const dvt_json *o = parse("{\"b\":1,\"a\":[null,true,false],\"a\\u0000\":2, \"b\":3}");
    cr_assert(o && o->kind == DVT_JSON_OBJECT);
    cr_expect_eq(o->count, 4);
    cr_expect_eq(dvt_json_int(o->first), 1);
    cr_expect_eq(dvt_json_int(dvt_json_member(o, "b")), 3);
    const dvt_json *a = dvt_json_member(o, "a");
    cr_expect_eq(a->count, 3);
    cr_expect_eq(dvt_json_item(a, 0)->kind, DVT_JSON_NULL);
    cr_expect_eq(dvt_json_item(a, 1)->kind, DVT_JSON_TRUE);
    cr_expect_eq(dvt_json_item(a, 2)->kind, DVT_JSON_FALSE);
    cr_expect_null(dvt_json_member(o, "c"));
    cr_expect_null(dvt_json_member(a, "c"));
    cr_expect(dv_text_equal(a->source, dv_text_of("[null,true,false]")));
}

Test(json_tree, refuses_what_is_no_json)
{
    static const char *const bad[] = {
        "",         " ",           "nul",
        "[",        "[1",          "[1,]",
        "[,1]",     "{",           "{\"a\"}",
        "{\"a\":}", "{a:1}",       "{\"a\":1,}",
        "1 2",      "01",          "1.",
        ".5",       "+1",          "-",
        "1e",       "\"",          "\"\\\"",
        "\"\\x\"",  "\"\\u12\"",   "\"\\u12G4\"",
        "\"\n\"",   "\"\\uD83D\"", "\"\\uDE00\"",
        "\"\xC3\"", "\"\xFF\"",    "\"\\uD83D\\u0041\"",
        "[1]]",     "true1",       "\"\xED\xA0\x80\"",
        "[1}",      "NaN",         "'a'",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_null(parse(bad[i]), "%s", bad[i]);

    char deep[201];
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    deep[200] = '\0';
    cr_expect_null(parse(deep));
    deep[150] = '\0';
    cr_expect_not_null(parse(deep + 50));
}

Test(json_tree, same_means_same_text_of_numbers_and_same_order)
{
    static const char *const different[] = {
        "1",
        "1.0",
        "-1",
        "null",
        "true",
        "false",
        "\"1\"",
        "\"a\"",
        "\"a\\u0000\"",
        "[]",
        "{}",
        "[1]",
        "[1,2]",
        "[2,1]",
        "{\"a\":1,\"b\":2}",
        "{\"b\":2,\"a\":1}",
        "{\"a\":1}",
    };
    const size_t n = sizeof different / sizeof *different;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            cr_expect_eq(dvt_json_same(parse(different[i]), parse(different[j])), i == j, "%s %s",
                         different[i], different[j]);
    cr_expect(dvt_json_same(parse("\"\\u00e9\""), parse("\"\xC3\xA9\"")));
    cr_expect(dvt_json_same(parse("[ 1 ]"), parse("[1]")));
}
