/* SPDX-License-Identifier: MIT */
/* test_expr.c: expressions as texts: their stored form, their errors and their values. */
#include "support/expression_table.h"
#include "support/lines.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/expression.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_status print(dvt_lines *lines, const char *text, dv_error *err)
{
    const dv_sink sink = dvt_lines_sink(lines);
    return dv_expression_print(dv_text_of(text), &sink, NULL, err);
}

/* The stored form is as the table says, and is that of itself. */
Test(expr, stored_form)
{
    static const char *const texts[][2] = {
        {"A=1", "A = 1"},
        {" A  <>\t1\nAND `b c` == \"it's\" ", "A != 1 and `b c` = 'it''s'"},
        {"a or (b or c) and (d and e)", "a or (b or c) and (d and e)"},
        {"(a or b) and c", "(a or b) and c"},
        {"not (a and b) or not not c", "not (a and b) or not not c"},
        {"((a)) - (b - c) - 1", "a - (b - c) - 1"},
        {"a * (b + 1) / -c % (2)", "a * (b + 1) / -c % 2"},
        {"- (-5) + - 5 + -a - -(0)", "-(-5) + -5 + -a - -(0)"},
        {"1.50 + 2e1 + 1e-7 + 0.1", "1.5 + 20.0 + 1E-07 + 0.1"},
        {"x Not In (1, -2.5, 'a', NA, true)", "x not in (1, -2.5, 'a', na, true)"},
        {"x not between 1 and 2+3", "x not between 1 and 2 + 3"},
        {"x like 'a%' and x not like \"b_\"", "x like 'a%' and x not like 'b_'"},
        {"x IS NOT na and `and` is na", "x is not na and `and` is na"},
        {"IF(a, COALESCE(b, 1), abs( c ))", "if(a, coalesce(b, 1), abs(c))"},
        {"`a``b` = 1", "`a``b` = 1"},
        {"\xC3\xA9t\xC3\xA9 = '\xC3\xA9'", "\xC3\xA9t\xC3\xA9 = '\xC3\xA9'"},
        {"(a = b) = (c < d)", "(a = b) = (c < d)"},
        {"`1a` = 1", "`1a` = 1"},
        {"length (x)>0", "length(x) > 0"},
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        dvt_lines first = {0}, second = {0};
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(print(&first, texts[i][0], &err), DV_OK, "%s: %s", texts[i][0], err.message);
        cr_expect_str_eq(first.data, texts[i][1]);
        cr_assert_eq(print(&second, first.data, &err), DV_OK, "%s: %s", first.data, err.message);
        cr_expect_str_eq(second.data, first.data);
        dvt_lines_free(&first);
        dvt_lines_free(&second);
    }
}

/* Each is refused, and the message has the place and these words. */
Test(expr, errors_of_grammar)
{
    static const char *const texts[][2] = {
        {"", "at its end: expected a column"},
        {"a =", "at its end: expected a column"},
        {"a = 'b", "character 5, at \"'b\": the closing ' is missing"},
        {"a = `b", "the closing ` is missing"},
        {"(a", "at its end: expected )"},
        {"a)", "character 2, at \")\""},
        {"a b", "character 3, at \"b\": expected and, or"},
        {"\xC3\xA9 \xC3\xA9", "character 3"},
        {"a < b < c", "between"},
        {"a = na", "x is na"},
        {"a in 1", "expected ("},
        {"a in (b)", "a list holds values"},
        {"a in ()", "expected a column"},
        {"a like b", "like needs a text in quotes"},
        {"a is 1", "expected na"},
        {"a not = 1", "expected in, between or like"},
        {"a between 1 or 2", "expected and"},
        {"and", "backticks"},
        {"f(a)", "no such function"},
        {"if(a, b)", "if takes 3 arguments, not 2"},
        {"abs()", "abs takes 1 argument, not 0"},
        {"1a = 1", "a name that begins with a digit"},
        {"1.2.3 = 1", "no number"},
        {"99999999999999999999 = a", "above 9223372036854775807"},
        {"1e999 = a", "no number that R8 holds"},
        {"a && b", "write \"and\""},
        {"a || b", "write \"or\""},
        {"!a", "write \"not\""},
        {"a in [1]", "parentheses"},
        {"a ? b", "no part of an expression"},
        {"a = '\xFF'", "byte 5 is not UTF-8"},
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        dv_error err = DV_ERROR_INIT;
        dvt_lines lines = {0};
        cr_expect_eq(print(&lines, texts[i][0], &err), DV_ERR_ARGUMENT, "%s", texts[i][0]);
        cr_expect(strstr(err.message, texts[i][1]), "%s: %s", texts[i][0], err.message);
        dvt_lines_free(&lines);
    }
}

/* A text of `n` times `part` between two others. */
static char *repeated(const char *begin, const char *part, int n, const char *end)
{
    char *text = malloc(strlen(begin) + (size_t)n * strlen(part) + strlen(end) + 1);
    cr_assert(text);
    char *at = text + sprintf(text, "%s", begin);
    for (int i = 0; i < n; i++)
        at += sprintf(at, "%s", part);
    sprintf(at, "%s", end);
    return text;
}

Test(expr, limits)
{
    static const struct {
        const char *begin, *part;
        int most; /* accepted repetitions; below 0: parentheses to close */
        const char *end;
    } limits[] = {
        {"", "(", -199, "a"},         {"", "-", 199, "a"},      {"", "not ", 199, "a"},
        {"a", "+a", 199, ""},         {"a", " or a", 4094, ""}, {"length(", "lower(", -16, "a"},
        {"a = '", "x", 1048570, "'"},
    };
    for (size_t i = 0; i < COUNT(limits); i++)
        for (int more = 0; more < 2; more++) {
            const int n = abs(limits[i].most) + more;
            char *open = repeated(limits[i].begin, limits[i].part, n, "");
            char *ends = limits[i].most < 0 ? repeated(limits[i].end, ")", n + (i == 5), "")
                                            : repeated(limits[i].end, "", 0, "");
            char *text = repeated(open, ends, 1, "");
            dv_error err = DV_ERROR_INIT;
            dvt_lines lines = {0};
            cr_expect_eq(print(&lines, text, &err), more ? DV_ERR_ARGUMENT : DV_OK, "%zu + %d: %s",
                         i, more, err.message);
            dvt_lines_free(&lines);
            free(open);
            free(ends);
            free(text);
        }
}

/* --- Values ----------------------------------------------------------------------------------- */

/* The column "x" computed of the table, its values in one line; or the message of the error. */
static void compute(dvt_lines *lines, dv_view *table, const char *text)
{
    const dv_computed column = {dv_text_of("x"), dv_text_of(text)};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    int32_t number;
    options.threads = 1;
    dv_status status = dv_view_compute(&view, table, &column, 1, NULL, &err);
    if (status == DV_OK) {
        cr_assert_eq(dv_schema_find(dv_view_schema(view), column.name, &number), DV_OK);
        options.columns = &number;
        options.columns_count = 1;
        status = dvt_text_rows(lines, view, &options, &err);
    }
    if (status < 0)
        dvt_lines_print(lines, "%s", err.message);
    for (size_t i = 0; i < lines->nbytes; i++)
        if (lines->data[i] == '\n')
            lines->data[i] = ' ';
    dv_view_release(&view);
}

Test(expr, values)
{
    static const char *const cases[][2] = {
        {"i1", "1 2 -3 NA 127 -127 0 5 "},
        {"i4 + u1", "2 4 0 NA 2147483902 -2147483640 0 10 "},
        {"i8 / 2", "0.5 1 -1.5 NA 4.611686018427388E+18 -4.611686018427388E+18 0 2.5 "},
        {"i4 % 3", "1 2 0 NA 1 2 0 2 "},
        {"i4 % -3", "-2 -1 0 NA -2 -1 0 -1 "},
        {"5 % i1", "0 1 -1 NA 5 -122 NA 0 "},
        {"r4 + 0.1", "1.1 2.6 0 NA 1E+30 Infinity 0.1 0.2 "},
        {"r4 * r8", "1 6.25 0.010000000149011612 NA Infinity -Infinity -0 0.010000000149011612 "},
        {"-i2", "-1 -2 3 NA -32767 32767 0 -5 "},
        {"abs(r8)", "1 2.5 0.1 NA 1E+300 Infinity 0 0.1 "},
        {"round(r4)", "1 2 -0 NA 1E+30 Infinity 0 0 "},
        {"length(tx)", "1 2 3 NA 3 7 1 1 "},
        {"upper(tx)", "\"A\" \"AB\" \"B\xC3\x89%\" null \"\xC3\x89_X\" \"'Q' \\u0022R\\u0022\" "
                      "\"\xF0\x9F\x98\x80\" \"A\" "},
        {"lower(tx) = 'a'", "1 0 0 0 0 0 0 1 "},
        {"tx like '_'", "1 0 0 0 0 0 1 1 "},
        {"tx like '%\\%'", "0 0 1 0 0 0 0 0 "},
        {"tx like '%\\%%'", "0 0 1 0 0 0 0 0 "},
        {"tx like '%b%'", "0 1 1 0 0 0 0 0 "},
        {"tx like '%x'", "0 0 0 0 1 0 0 0 "},
        {"tx like '%_x%'", "0 0 0 0 1 0 0 0 "},
        {"tx like '%'", "1 1 1 0 1 1 1 1 "},
        {"contains(tx, 'b')", "0 1 1 0 0 0 0 0 "},
        {"bl", "1 0 1 NA 0 1 0 NA "},
        {"not bl", "0 1 0 1 1 0 1 1 "},
        {"bl = false", "0 1 0 0 1 0 1 0 "},
        {"year(dt) * 100 + month(dt)", "202405 202402 199912 NA 999912 101 200002 202405 "},
        {"day(dz)", "1 28 31 NA 30 2 29 1 "},
        {"dt >= '2024-05-01'", "1 0 0 0 1 0 0 1 "},
        {"dz = '2024-05-01T00:00:00Z'", "0 0 0 0 0 0 0 1 "},
        {"dz < '2024-05-01T00:00:00Z'", "1 1 1 0 0 1 1 0 "},
        {"ts > '1:30:00'", "0 1 0 0 1 0 0 1 "},
        {"ug = '0x00000000000000000000000000000007'", "0 0 0 0 0 1 0 0 "},
        {"key >= 3", "0 0 0 0 1 1 0 0 "},
        {"key is na", "0 0 0 1 0 0 0 1 "},
        {"v is na", "0 1 0 1 0 0 0 1 "},
        {"i8 > 2.5", "0 0 0 0 1 0 0 1 "},
        {"i8 = r8", "1 0 0 0 0 0 1 0 "},
        {"i8 != 1e300", "1 1 1 0 1 1 1 1 "},
        {"i8 in (1, 5.0, 2.5, na)", "1 0 0 1 0 0 0 1 "},
        {"tx in ('a', 'Ab')", "1 1 0 0 0 0 0 1 "},
        {"bl in (true, na)", "1 0 1 1 0 1 0 1 "},
        {"dz in ('2024-05-01T00:00:00Z', '2024-02-29T01:30:00Z')", "0 1 0 0 0 0 0 1 "},
        {"ug in ('0x00000000000000000000000000000007')", "0 0 0 0 0 1 0 0 "},
        {"u8 in (3, 7, -1)", "0 0 1 0 0 1 0 0 "},
        {"u8 between 2 and 5", "0 1 1 0 0 0 0 1 "},
        {"i8 in (9.21e18, -9.3e18, 2.0)", "0 1 0 0 0 0 0 0 "},
        {"tx not in ('a')", "0 1 1 1 1 1 1 0 "},
        {"i1 between -3 and 2", "1 1 1 0 0 0 1 0 "},
        {"coalesce(i1, 9)", "1 2 -3 9 127 -127 0 5 "},
        {"coalesce(na, r4, 0)", "1 2.5 -0.1 0 1E+30 Infinity 0 0.1 "},
        {"if(i1 > 1, tx, na)", "null \"Ab\" null null \"\xC3\x89_x\" null null \"a\" "},
        {"if(i8 > 100, 0, i8 * i8)", "column \"x\": row 5: integer: expected "},
        {"if(abs(i8) > 100, 0, i8 * i8)", "1 4 9 NA 0 0 0 25 "},
        {"i1 > 5 and u8 * u8 > 0 or i1 < 3 and i8 > -10 and i8 * i8 > 1",
         "column \"x\": row 4: integer: expected "},
        {"abs(i8) < 10 and i8 * i8 > 3", "0 1 1 0 0 0 0 1 "},
        {"`two words` - 1", "0 1 2 NA 3 4 5 NA "},
        {"sqrt(i4) is na", "0 0 1 1 0 1 0 0 "},
        {"exp(0) + log(1)", "1 1 1 1 1 1 1 1 "},
        {"true", "1 1 1 1 1 1 1 1 "},
        {"dz", "2024-05-01T00:00:00.0000000+02:00 2024-02-28T23:30:00.0000000-02:00 "},
    };
    dv_view *table = dvt_expression_table();
    cr_assert(table);
    for (size_t i = 0; i < COUNT(cases); i++) {
        dvt_lines got = {0};
        compute(&got, table, cases[i][0]);
        const bool is_whole = strncmp(got.data, cases[i][1], strlen(cases[i][1])) == 0;
        cr_expect(is_whole, "%s:\n  wanted %s\n  got    %s", cases[i][0], cases[i][1], got.data);
        dvt_lines_free(&got);
    }
    dv_view_release(&table);
}

/* Types that do not fit are refused before a row is read. */
Test(expr, errors_of_types)
{
    static const char *const texts[][2] = {
        {"nothing", "there is no column \"nothing\"; a text needs quotes: 'nothing'"},
        {"tx + 1", "arithmetic needs numbers, not a text"},
        {"tx > 3", "put it in quotes"},
        {"i1 > 'x'", "no value of type I1"},
        {"dt > 2024", "a date needs quotes"},
        {"dt > 2024-05-01", "a date needs quotes"},
        {"dt = dz", "do not compare"},
        {"dt = ts", "do not compare"},
        {"v > 1", "do not compare"},
        {"v", "no column is made of"},
        {"na", "no column is made of na"},
        {"key", "no column is made of a key"},
        {"bl and i1", "expected a condition, not an integer"},
        {"not tx", "expected a condition, not a text"},
        {"if(i1, 1, 2)", "expected a condition"},
        {"if(bl, 1, 'a')", "a text beside an integer"},
        {"coalesce(dt, ts)", "a time beside a time"},
        {"length(1)", "expected a text, not an integer"},
        {"year(ts)", "expected a date"},
        {"abs(tx)", "expected a number"},
        {"v in (1)", "in does not take"},
        {"i1 in ('x')", "no value of type I1"},
        {"tx like 'a\\b'", "a pattern of at most"},
        {"ug > 'x'", "no value of type UG"},
        {"key = 'x'", "no value of type"},
    };
    dv_view *table = dvt_expression_table();
    for (size_t i = 0; i < COUNT(texts); i++) {
        dvt_lines got = {0};
        compute(&got, table, texts[i][0]);
        cr_expect(strstr(got.data, texts[i][1]), "%s: %s", texts[i][0], got.data);
        dvt_lines_free(&got);
    }
    dv_view_release(&table);
}

/* A condition must be one, and equal stored forms give equal identities. */
Test(expr, where)
{
    static const char *const alike[][2] = {{"i1>1 AND tx='a'", "(i1 > 1) and (tx == \"a\")"},
                                           {"i1*2>1 or bl", "`i1`*2 > 1 or bl"}};
    dv_error err = DV_ERROR_INIT;
    dv_view *table = dvt_expression_table(), *view = NULL;
    cr_expect_eq(dv_view_where(&view, table, dv_text_of("i1 + 1"), NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "expected a condition such as x > 3, not an integer"));
    for (size_t i = 0; i < COUNT(alike); i++) {
        dv_u128 identity[2];
        for (int k = 0; k < 2; k++) {
            cr_assert_eq(dv_view_where(&view, table, dv_text_of(alike[i][k]), NULL, &err), DV_OK,
                         "%s", err.message);
            cr_assert_eq(dv_view_identity(view, &identity[k], &err), DV_OK);
            dv_view_release(&view);
        }
        cr_expect_eq(memcmp(&identity[0], &identity[1], sizeof identity[0]), 0, "%s", alike[i][0]);
    }
    dv_view_release(&table);
}

/* U8 above the range of integers: compared with a constant, else an error that names the row. */
Test(expr, large_unsigned)
{
    static const char file[] = "1\n18446744073709551615\n9223372036854775808\n";
    static const char *const cases[][2] = {
        {"u > '9223372036854775807'", "18446744073709551615\n9223372036854775808\n"},
        {"u = '18446744073709551615'", "18446744073709551615\n"},
        {"u >= -1", "1\n18446744073709551615\n9223372036854775808\n"},
        {"u < 2 or u < 1", "1\n"},
        {"not (u > 6)", "1\n"},
        {"u in ('18446744073709551615', 5, -1)", "18446744073709551615\n"},
        {"u not in (1, '9223372036854775808')", "18446744073709551615\n"},
        {"u between 2 and '18446744073709551614'", "9223372036854775808\n"},
        {"u + 0 > 1", "row 1: "},
        {"u is not na", "1\n18446744073709551615\n9223372036854775808\n"},
    };
    dv_error err = DV_ERROR_INIT;
    dv_view *table = dvt_text_open("col=u:U8:0", file, sizeof file - 1, NULL, &err);
    cr_assert(table, "%s", err.message);
    for (size_t i = 0; i < COUNT(cases); i++) {
        dvt_lines got = {0};
        dv_view *view = NULL;
        cr_assert_eq(dv_view_where(&view, table, dv_text_of(cases[i][0]), NULL, &err), DV_OK, "%s",
                     err.message);
        if (dvt_text_rows(&got, view, NULL, &err) < 0)
            dvt_lines_print(&got, "%s", err.message);
        const char *text = got.data ? got.data : "";
        cr_expect(strncmp(text, cases[i][1], strlen(cases[i][1])) == 0, "%s: %s", cases[i][0],
                  text);
        dv_view_release(&view);
        dvt_lines_free(&got);
    }
    dv_view_release(&table);
}
