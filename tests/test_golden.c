/* SPDX-License-Identifier: MIT */
/* test_golden.c: the comparer reports every difference, and only differences. */
#include "support/golden.h"
#include "support/lines.h"
#include "support/test.h"

#define TRUTH                                                                                      \
    "{\"rows\":3,\"columns\":["                                                                    \
    "{\"name\":\"i\",\"type\":\"I4\",\"metadata\":{}},"                                            \
    "{\"name\":\"r\",\"type\":\"R4\",\"metadata\":{\"IsNormalized\":{\"type\":\"BL\","             \
    "\"value\":true},\"When\":{\"type\":\"TS\",\"value\":\"ts:-9223372036854775808\"}}},"          \
    "{\"name\":\"v\",\"type\":\"V<I2,*>\",\"metadata\":{\"SlotNames\":{\"type\":\"V<TX,2>\","      \
    "\"value\":{\"len\":2,\"dense\":[\"a\",\"b\"]}}}},"                                            \
    "{\"name\":\"t\",\"type\":\"TX\",\"metadata\":{}}]}\n"                                         \
    "[1,\"r4:7fc00000\",{\"len\":2,\"dense\":[3,-32768]},\"a\"]\n"                                 \
    "[-2147483648,\"r4:ffc00000\",{\"len\":9,\"idx\":[2,7],\"val\":[-1,5]},"                       \
    "{\"utf16\":[97,55296,233,55357,56832,8364]}]\n"                                               \
    "[null,\"r4:00000000\",{\"len\":0,\"dense\":[]},\"\"]\n"

/* The same table as the library would say it. */
#define OURS                                                                                       \
    "{\"columns\":["                                                                               \
    "{\"type\":\"I4\",\"metadata\":{},\"name\":\"i\"},"                                            \
    "{\"name\":\"r\",\"type\":\"R4\",\"metadata\":{\"When\":{\"type\":\"TS\",\"value\":null},"     \
    "\"IsNormalized\":{\"value\":true,\"type\":\"BL\"}}},"                                         \
    "{\"name\":\"v\",\"type\":\"V<I2,*>\",\"metadata\":{\"SlotNames\":{\"type\":\"V<TX,2>\","      \
    "\"value\":{\"len\":2,\"dense\":[\"a\",\"b\"]}}}},"                                            \
    "{\"name\":\"t\",\"type\":\"TX\",\"metadata\":{}}],\"rows\":3}\n"                              \
    "[1,\"r4:7fc00000\",{\"len\":2,\"dense\":[3,null]},\"a\"]\n"                                   \
    "[null,\"r4:ffc00000\",{\"len\":9,\"idx\":[2,7],\"val\":[-1,5]},"                              \
    "\"a\xEF\xBF\xBD\xC3\xA9\xF0\x9F\x98\x80\xE2\x82\xAC\"]\n"                                     \
    "[null,\"r4:00000000\",{\"len\":0,\"dense\":[]},\"\"]"

static char message[DVT_MESSAGE_NBYTES];

static bool same(const char *truth, const char *actual, dvt_mapping mapping)
{
    message[0] = '\0';
    return dvt_golden_compare(dv_text_of(truth), dv_text_of(actual), mapping, message);
}

Test(golden, same_table_passes)
{
    cr_expect(same(TRUTH, OURS, DVT_MAPPING_MLNET), "%s", message);
    cr_expect(same(OURS, OURS, DVT_MAPPING_MLNET), "%s", message);
    cr_expect(same(OURS, OURS, DVT_MAPPING_NONE), "%s", message);
}

/* The n-th place of `from` in OURS becomes `to`; the comparer must say so, in that line. */
static void expect_seen(const char *from, int n, const char *to, const char *line,
                        const char *column)
{
    const char *at = strstr(OURS, from);
    while (at && n-- > 1)
        at = strstr(at + 1, from);
    cr_assert_not_null(at, "%s is not there", from);
    dvt_lines altered = {0};
    dvt_lines_add(&altered, OURS, (size_t)(at - OURS));
    dvt_lines_add(&altered, to, strlen(to));
    dvt_lines_add(&altered, at + strlen(from), strlen(at + strlen(from)));
    cr_expect_not(same(TRUTH, altered.data, DVT_MAPPING_MLNET), "%s for %s", to, from);
    cr_expect(strstr(message, line) && strstr(message, column), "%s for %s: %s", to, from, message);
    dvt_lines_free(&altered);
}

Test(golden, a_changed_value_is_seen)
{
    expect_seen("[1,", 1, "[2,", "line 2", "column i: expected 1, found 2");
    expect_seen("[1,", 1, "[1.0,", "line 2", "column i: expected 1, found 1.0");
    expect_seen("[1,", 1, "[null,", "line 2", "column i");
    expect_seen("[null", 1, "[-2147483648", "line 3", "column i");
    expect_seen("[null", 2, "[0", "line 4", "column i");
    expect_seen("r4:7fc00000", 1, "r4:7fc00001", "line 2", "column r");
    expect_seen("r4:ffc00000", 1, "r4:7fc00000", "line 3", "column r");
    expect_seen("r4:00000000", 1, "r4:80000000", "line 4", "column r");
    expect_seen("\"r4:00000000\"", 1, "null", "line 4", "column r");
    expect_seen("3,null", 1, "3,-32768", "line 2", "column v");
    expect_seen("3,null", 1, "null,null", "line 2", "column v");
    expect_seen("3,null", 1, "3", "line 2", "column v");
    expect_seen("\"\"]", 1, "null]", "line 4", "column t");
    expect_seen("\"a\"]", 1, "\"A\"]", "line 2", "column t");
    expect_seen("\"a\"]", 1, "\"a\\u0000\"]", "line 2", "column t");
    expect_seen("\xEF\xBF\xBD", 1, "?", "line 3", "column t");
    expect_seen("\xE2\x82\xAC", 1, "\xE2\x82\xAD", "line 3", "column t");
}

Test(golden, dense_for_sparse_is_seen)
{
    expect_seen("{\"len\":9,\"idx\":[2,7],\"val\":[-1,5]}", 1,
                "{\"len\":9,\"dense\":[0,0,-1,0,0,0,0,5,0]}", "line 3", "column v");
    expect_seen("\"dense\":[3,null]", 1, "\"idx\":[0,1],\"val\":[3,null]", "line 2", "column v");
    expect_seen("\"dense\":[]", 1, "\"idx\":[],\"val\":[]", "line 4", "column v");
    expect_seen("\"len\":9", 1, "\"len\":8", "line 3", "column v");
    expect_seen("[2,7]", 1, "[2,8]", "line 3", "column v");
    expect_seen("\"idx\":[2,7],\"val\":[-1,5]", 1, "\"idx\":[2],\"val\":[-1]", "line 3",
                "column v");
}

Test(golden, a_changed_header_is_seen)
{
    expect_seen("\"rows\":3", 1, "\"rows\":4", "line 1", "rows");
    expect_seen("\"rows\":3", 1, "\"rows\":null", "line 1", "rows");
    expect_seen("\"I4\"", 1, "\"I8\"", "line 1", "column i, type");
    expect_seen("V<I2,*>", 1, "V<I2,2>", "line 1", "column v, type");
    expect_seen("\"name\":\"t\"", 1, "\"name\":\"u\"", "line 1", "column t, name");
    expect_seen("\"value\":true", 1, "\"value\":false", "line 1", "column r, metadata");
    expect_seen("\"value\":null", 1, "\"value\":\"ts:0\"", "line 1", "column r, metadata");
    expect_seen("\"BL\"", 1, "\"I1\"", "line 1", "column r, type");
    expect_seen("\"IsNormalized\"", 1, "\"IsNormal\"", "line 1", "column r, metadata");
    expect_seen("\"a\",\"b\"", 1, "\"b\",\"a\"", "line 1", "column v, metadata");
    expect_seen("\"metadata\":{}", 2, "\"metadata\":{\"X\":{\"type\":\"BL\",\"value\":true}}",
                "line 1", "column t, metadata");
    expect_seen("\"metadata\":{},", 1, "", "line 1", "column i");
    expect_seen("\"rows\":3}", 1, "\"rows\":3,\"more\":1}", "line 1", "header");
}

Test(golden, missing_and_extra_rows_and_columns_are_seen)
{
    expect_seen("\n[null,\"r4:00000000\",{\"len\":0,\"dense\":[]},\"\"]", 1, "", "line 4",
                "expected 3 rows, found 2");
    expect_seen("\"\"]", 1, "\"\"]\n[null,\"r4:00000000\",{\"len\":0,\"dense\":[]},\"\"]", "line 5",
                "expected 3 rows, found 4");
    expect_seen("[1,", 1, "[", "line 2", "number of columns");
    expect_seen("[1,", 1, "[1,1,", "line 2", "number of columns");
    expect_seen(",{\"name\":\"t\",\"type\":\"TX\",\"metadata\":{}}", 1, "", "line 1",
                "number of columns");
    expect_seen("\"\"]", 1, "\"\"", "line 4", "no row");
    expect_seen("{\"columns\"", 1, "{\"cols\"", "line 1", "no header");
}

Test(golden, without_a_mapping_numbers_are_numbers)
{
    static const char header[] =
        "{\"rows\":1,\"columns\":[{\"name\":\"i\",\"type\":\"I4\",\"metadata\":{}}]}\n";
    dvt_lines number = {0}, na = {0};
    dvt_lines_print(&number, "%s[-2147483648]\n", header);
    dvt_lines_print(&na, "%s[null]\n", header);
    cr_expect_not(same(number.data, na.data, DVT_MAPPING_NONE));
    cr_expect(same(number.data, na.data, DVT_MAPPING_MLNET), "%s", message);
    cr_expect_not(same(number.data, number.data, DVT_MAPPING_MLNET));
    cr_expect(same(number.data, number.data, DVT_MAPPING_NONE), "%s", message);
    cr_expect_not(same(na.data, number.data, DVT_MAPPING_MLNET));
    dvt_lines_free(&number);
    dvt_lines_free(&na);
}

/* The minimum of one type is an ordinary number in another. */
Test(golden, the_mapping_asks_for_the_type)
{
    static const struct {
        const char *type, *truth, *ours;
        bool same;
    } list[] = {
        {"I1", "-128", "null", true},
        {"V<I1,3>", "-128", "null", true},
        {"I2", "-128", "-128", true},
        {"I2", "-128", "null", false},
        {"I2", "-32768", "null", true},
        {"I4", "-32768", "null", false},
        {"I8", "-9223372036854775808", "null", true},
        {"U8", "-9223372036854775808", "null", false},
        {"TS", "\"ts:-9223372036854775808\"", "null", true},
        {"DT", "\"ts:-9223372036854775808\"", "null", false},
        {"TX", "\"ts:-9223372036854775808\"", "null", false},
        {"U4[0-9]", "0", "null", false},
        {"I1[0-9]", "-128", "null", false},
        {"BL", "false", "null", false},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        dvt_lines truth = {0}, ours = {0};
        static const char header[] = "{\"rows\":1,\"columns\":[{\"name\":\"c\",\"type\":\"%s\","
                                     "\"metadata\":{}}]}\n[%s]\n";
        dvt_lines_print(&truth, header, list[i].type, list[i].truth);
        dvt_lines_print(&ours, header, list[i].type, list[i].ours);
        cr_expect_eq(same(truth.data, ours.data, DVT_MAPPING_MLNET), list[i].same, "%s %s: %s",
                     list[i].type, list[i].truth, message);
        dvt_lines_free(&truth);
        dvt_lines_free(&ours);
    }
}

Test(golden, a_part_is_rows_and_columns)
{
    static const char ours[] =
        "{\"rows\":3,\"columns\":[{\"name\":\"t\",\"type\":\"TX\",\"metadata\":{}},"
        "{\"name\":\"i\",\"type\":\"I4\",\"metadata\":{}}]}\n"
        "[\"a\xEF\xBF\xBD\xC3\xA9\xF0\x9F\x98\x80\xE2\x82\xAC\",null]\n[\"\",null]\n";
    static const int32_t columns[] = {3, 0};
    dvt_table truth, part;
    cr_assert(dvt_table_parse(&truth, dv_text_of(TRUTH), message));
    cr_assert(dvt_table_parse(&part, dv_text_of(ours), message));
    dvt_part asked = {1, 3, columns, 2};
    cr_expect(dvt_golden_compare_part(&truth, &asked, &part, DVT_MAPPING_MLNET, message), "%s",
              message);
    asked.end_row = 100;
    cr_expect(dvt_golden_compare_part(&truth, &asked, &part, DVT_MAPPING_MLNET, message));
    asked.end_row = 2;
    cr_expect_not(dvt_golden_compare_part(&truth, &asked, &part, DVT_MAPPING_MLNET, message));
    asked = (dvt_part){0, 3, columns, 2};
    cr_expect_not(dvt_golden_compare_part(&truth, &asked, &part, DVT_MAPPING_MLNET, message));
    asked = (dvt_part){1, 3, columns, 1};
    cr_expect_not(dvt_golden_compare_part(&truth, &asked, &part, DVT_MAPPING_MLNET, message));
    dvt_table_free(&truth);
    dvt_table_free(&part);
}
