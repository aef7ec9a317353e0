/* SPDX-License-Identifier: MIT */
/* test_tf_filter.c: filters of conditions, of ranges and of texts, which one evaluator decides. */
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/expression.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static dv_view *open_table(const char *options, const char *rows)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *table = dvt_text_open(options, rows, strlen(rows), NULL, &err);
    cr_assert(table, "%s", err.message);
    return table;
}

/* Check the rows, or the error, and release the view. */
static void check_rows(const char *what, dv_view *view, const char *wanted)
{
    dv_error err = DV_ERROR_INIT;
    dvt_lines got = {0};
    if (dvt_text_rows(&got, view, NULL, &err) < 0)
        dvt_lines_print(&got, "%s", err.message);
    const char *text = got.data ? got.data : "";
    const bool is_error = strncmp(wanted, "row ", 4) == 0;
    cr_expect(is_error ? strstr(text, wanted) != NULL : strcmp(text, wanted) == 0,
              "%s:\n  wanted %s\n  got    %s", what, wanted, text);
    dvt_lines_free(&got);
    dv_view_release(&view);
}

static dv_view *filter(dv_view *table, const dv_condition *conditions, int32_t n)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    cr_assert_eq(dv_view_filter(&view, table, conditions, n, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

static dv_view *where(dv_view *table, const char *text)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    cr_assert_eq(dv_view_where(&view, table, dv_text_of(text), NULL, &err), DV_OK, "%s: %s", text,
                 err.message);
    return view;
}

/* Every set of relations, of types whose NA is the least value in memory, the greatest, or neither.
 * Of x = 2, one row is less, one equal, one greater and one NA. */
Test(tf_filter, relations)
{
    static const struct {
        const char *name, *shown[4]; /* less, equal, greater, NA */
    } types[] = {
        {"I1", {"1", "2", "3", "NA"}},
        {"I8", {"1", "2", "3", "NA"}},
        {"R4", {"1", "2", "3", "NA"}},
        {"R8", {"1", "2", "3", "NA"}},
        {"TX", {"\"1\"", "\"2\"", "\"3\"", "null"}},
        {"U4[1-3]", {"1", "2", "3", "NA"}},
        {"TS", {"1.00:00:00", "2.00:00:00", "3.00:00:00", "NA"}},
    };
    for (size_t t = 0; t < COUNT(types); t++) {
        char options[64];
        snprintf(options, sizeof options, "sep=comma missing=[NA] col=x:%s:0", types[t].name);
        dv_view *table = open_table(options, "1\n2\n3\nNA\n");
        for (unsigned relations = 1; relations < 16; relations++) {
            const dv_condition condition = {dv_text_of("x"), relations, dv_text_of("2")};
            char wanted[64] = "";
            for (size_t i = 0; i < 4; i++)
                if (relations & 1u << i)
                    strcat(strcat(wanted, types[t].shown[i]), "\n");
            check_rows(types[t].name, filter(table, &condition, 1), wanted);
        }
        dv_view_release(&table);
    }
}

/* No condition at all: every row passes, and none is left out by the complement. */
Test(tf_filter, no_conditions)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *table = open_table("col=x:I8:0", "1\n2\n"), *view;
    check_rows("filter", filter(table, NULL, 0), "1\n2\n");
    for (int complement = 0; complement < 2; complement++) {
        cr_assert_eq(dv_view_filter_na(&view, table, NULL, 0, complement, NULL, &err), DV_OK);
        check_rows("filter_na", view, complement ? "" : "1\n2\n");
    }
    dv_view_release(&table);
}

/* Keys of unknown count go up to 2^64 - 1. Expressions refused those above 2^63 as too large. */
Test(tf_filter, large_keys)
{
    static const char rows[] =
        "1\n9223372036854775808\n9223372036854775809\n18446744073709551615\n";
    static const char *const cases[][2] = {
        {"k > 1", "9223372036854775808\n9223372036854775809\n18446744073709551615\n"},
        {"k < 9223372036854775807", "1\n"},
        {"k = '9223372036854775808'", "9223372036854775808\n"},
        {"k is na", ""},
        {"k between 2 and '9223372036854775809'", "9223372036854775808\n9223372036854775809\n"},
        {"k in (1, '18446744073709551615')", "1\n18446744073709551615\n"},
    };
    dv_view *table = open_table("col=k:U8[1-*]:0", rows);
    for (size_t i = 0; i < COUNT(cases); i++)
        check_rows(cases[i][0], where(table, cases[i][0]), cases[i][1]);
    const dv_condition above = {dv_text_of("k"), DV_IS_GREATER, dv_text_of("9223372036854775808")};
    check_rows("filter", filter(table, &above, 1), "9223372036854775809\n18446744073709551615\n");
    dv_view_release(&table);
}

/* Constants on either side of a comparison with U8, also below 0, where no U8 is. `between` took
 * a real for a number below 0 if its other end was an integer, so that no row passed. */
Test(tf_filter, unsigned_integers)
{
    static const char *const cases[][2] = {
        {"-1 < u", "1\n2\n18446744073709551615\n"},
        {"u < -1", ""},
        {"u != -1", "1\n2\n18446744073709551615\n"},
        {"u = -1", ""},
        {"2 >= u", "1\n2\n"},
        {"1 between u and 3", "1\n"},
        {"u between -5 and 1", "1\n"},
        {"u between 1 and 2.0", "1\n2\n"},
        {"u in (-1, 2)", "2\n"},
    };
    dv_view *table = open_table("col=u:U8:0", "1\n2\n18446744073709551615\n");
    for (size_t i = 0; i < COUNT(cases); i++)
        check_rows(cases[i][0], where(table, cases[i][0]), cases[i][1]);
    dv_view_release(&table);
}

/* A range takes its bounds as R8: 0.1 as R4 is above 0.1.  An expression rounds a constant to R4
 * first, so that the two views differ, and so must their identities. */
Test(tf_filter, bounds_of_a_range)
{
    const dv_range range = {
        .has_min = true, .has_max = true, .min = 0.05, .max = 0.1, .include_max = DV_INCLUDED};
    dv_error err = DV_ERROR_INIT;
    dv_u128 identity[2];
    dv_view *table = open_table("col=x:R4:0", "0.06\n0.1\n"), *ranged;
    cr_assert_eq(dv_view_filter_range(&ranged, table, dv_text_of("x"), &range, NULL, &err), DV_OK);
    dv_view *expressed = where(table, "x >= 0.05 and x <= 0.1");
    cr_assert_eq(dv_view_identity(ranged, &identity[0], &err), DV_OK);
    cr_assert_eq(dv_view_identity(expressed, &identity[1], &err), DV_OK);
    cr_expect_neq(memcmp(&identity[0], &identity[1], sizeof *identity), 0);
    check_rows("range", ranged, "0.06\n");
    check_rows("where", expressed, "0.06\n0.1\n");
    dv_view_release(&table);
}

/* expressions:T1: comparisons with constants come first, wherever they stand in `and`; what can
 * fail is evaluated in the rows that are left. */
Test(tf_filter, order_of_parts)
{
    static const char *const cases[][2] = {
        {"u + 0 > 0 and x = 1", "1 1\n"},       {"x = 1 and u + 0 > 0", "1 1\n"},
        {"u + 0 > 0 and x is not na", "row 1"}, {"u > 1.5 and x = 1", ""},
        {"x > 0 and u + 0 > 0", "row 1"},
    };
    dv_view *table = open_table("sep=comma col=x:I8:0 col=u:U8:1", "1,1\n2,18446744073709551615\n");
    for (size_t i = 0; i < COUNT(cases); i++)
        check_rows(cases[i][0], where(table, cases[i][0]), cases[i][1]);
    dv_view_release(&table);
}

/* Values at every address: a column in place must be aligned, any other one is copied. */
Test(tf_filter, batches_of_any_size)
{
    dvt_lines rows = {0}, whole = {0};
    dv_error err = DV_ERROR_INIT;
    for (int i = 0; i < 5000; i++)
        dvt_lines_print(&rows, "%d,%d.5,%s%d\n", i % 7 == 0 ? 3 : i % 11, i % 13, i % 3 ? "a" : "",
                        i % 5);
    dv_view *table = open_table("sep=comma col=i:I8:0 col=r:R8:1 col=t:TX:2", rows.data);
    dv_view *view = where(table, "i != 3 and r <= 6.5 and t != 'a2' and i < r");
    cr_assert_eq(dvt_text_rows(&whole, view, NULL, &err), DV_END);
    for (int64_t size = 1; size < 2000; size = size * 3 + 4) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_lines part = {0};
        options.batch_rows = size;
        cr_assert_eq(dvt_text_rows(&part, view, &options, &err), DV_END);
        cr_expect_str_eq(part.data, whole.data);
        dvt_lines_free(&part);
    }
    dvt_lines_free(&rows);
    dvt_lines_free(&whole);
    dv_view_release(&view);
    dv_view_release(&table);
}
