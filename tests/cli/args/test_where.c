/* SPDX-License-Identifier: MIT */
/* test_where.c: --where TEST. */
#include "cli/run.h"
#include "support/file.h"

#define SAY "dataview: --where"

/* The numbers in the names of the first three rows that pass. */
static void expect_rows(const char *test, const char *numbers)
{
    char want[128] = "Name\n";
    for (const char *p = numbers; *p; p += strcspn(p, " "), p += *p == ' ')
        snprintf(want + strlen(want), sizeof want - strlen(want), "user %.*s\n",
                 (int)strcspn(p, " "), p);
    dvt_expect(DVT_RUN("cat", "-c", "Name", "--rows", ":3", "--where", test, DVT_GOLDEN("people")),
               0, want, "");
}

/* Every sign, with and without blanks and quotes, and na in any case. */
Test(where, forms)
{
    static const char *const tests[][2] = {
        {"Age<2", "1919 1710 420"},
        {"Age <= 1", "1919 1710 420"},
        {"Age>88", "2791 1501 211"},
        {" Age  >=  87 ", "1953 872 2791"},
        {"Age = 5", "595 2305 1015"},
        {"Age==\"5\"", "595 2305 1015"},
        {"Age='5'", "595 2305 1015"},
        {"Age is na", "0 947 1894"},
        {"Age IS NA", "0 947 1894"},
        {"Age is not na", "1919 838 2757"},
        {"Age != 1", "838 2757 1676"},
        {"Age <> 1", "838 2757 1676"},
        {"Name == 'user 0'", "0"},
        {"Active<1", "1919 838 1676"},
        {"Seen >= 2020-01-03T00:51:00", "2757 1676 595"},
        {"Tags is not na", "0 1919 838"},
        {"Name > user 9999", ""},
        {"Name > '9'", "0 1919 838"},
        {"Name > 9 lives", "0 1919 838"},
        {"Name != 9", "0 1919 838"},
        {"Name != O'Brien", "0 1919 838"},
        {"Name != Braund (Mr)", "0 1919 838"},
        {"Age < Infinity", "1919 838 2757"},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        expect_rows(tests[i][0], tests[i][1]);
}

/* All tests must pass; --rows, --skip and --take count the rows that pass. */
Test(where, with_other_options)
{
    dvt_expect(DVT_RUN("cat", "-c", "Age", "--where", "Age>=3", "--where", "Age<6", "--skip", "1",
                       "--take", "3", DVT_GOLDEN("people")),
               0, "Age\n4\n5\n3\n", "");
    dvt_expect(DVT_RUN("cat", "-c", "Age", "--convert", "Age:TX", "--where", "Age==\"NaN\"",
                       "--rows", ":2", DVT_GOLDEN("people")),
               0, "Age\nNaN\nNaN\n", "");
    dvt_expect(DVT_RUN("head", "-n1", "-c", "Age", "--where", "Age=7", DVT_GOLDEN("people")), 0,
               "Age\n R4\n  7\n1 row shown, 1 column\n", "");
    dvt_expect(DVT_RUN("tail", "-n1", "-c", "Age", "--where", "Age=7", DVT_GOLDEN("people")), 0,
               "*\n  7\n", "");
    dvt_expect(DVT_RUN("stats", "-c", "Age", "--where", "Age is na", DVT_GOLDEN("people")), 0,
               "*47 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("diff", "--where", "Age>3", DVT_GOLDEN("people"), DVT_GOLDEN("people")), 0,
               NULL, "");
    dvt_expect(DVT_RUN("bench", "--json", "--where", "Age is na", DVT_GOLDEN("people")), 0,
               "*\"rows\":47", "");
    dvt_expect(DVT_RUN("info", "--where", "Age>3", DVT_GOLDEN("people")), 2, "",
               SAY " is not an option of info\n");
}

/* Written files hold the rows that pass, for every verb. */
Test(where, written)
{
    static const char *const verbs[] = {"convert", "shuffle"};
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    for (size_t i = 0; i < 2; i++) {
        dvt_expect(DVT_RUN(verbs[i], "--quiet", "-c", "Age", "--where", "Age is na",
                           DVT_GOLDEN("people"), out.text),
                   0, "", "");
        dvt_expect(DVT_RUN("stats", "--json", out.text), 0, "*\"rows\":47", "");
    }
    dvt_expect(DVT_RUN("merge", "--quiet", "-c", "Age", "--convert", "Age:TX", "--where",
                       "Age='NaN'", DVT_GOLDEN("people"), DVT_GOLDEN("people"), out.text),
               0, "", "");
    dvt_expect(DVT_RUN("stats", "--json", out.text), 0, "*\"rows\":94", "");
    dvt_folder_remove(&folder);
}

/* Conditions of several parts; values with words of the language need quotes. */
Test(where, expressions)
{
    static const char *const tests[][2] = {
        {"Age < 2 and Name != 'user 1919'", "1710 420 2339"},
        {"Age < 2 or Age is na", "0 1919 947"},
        {"not (Age > 1) and Age is not na", "1919 1710 420"},
        {"Age between 88 and 89", "872 2791 2582"},
        {"Age in (88, 89, 90)", "872 2791 2582"},
        {"Age in (na)", "0 947 1894"},
        {"Age * 2 - 1 < 2", "1919 1710 420"},
        {"Name like '%91_'", "1919 1912 915"},
        {"Active = false and Age < 2", "1919 2339 1049"},
        {"year(Seen) = 2021", "1260 179 2098"},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        expect_rows(tests[i][0], tests[i][1]);
}

Test(where, usage)
{
    static const char *const tests[][2] = {
        {"Age", ": expression: character 1, at \"Age\": expected a condition such as x > 3, not a "
                "real\n"},
        {"", " expects a condition such as 'Age >= 18 and Town = \"Bath\"'\n"},
        {"<3", ": expression: character 1, at \"<3\": expected a column, a value or a function\n"},
        {"Agge>=3",
         ": expression: character 1, at \"Agge>=3\": there is no column \"Agge\"; a text "
         "needs quotes: 'Agge'; did you mean Age?\n"},
        {"Agge is na",
         ": expression: character 1, at \"Agge is na\": there is no column \"Agge\"; a "
         "text needs quotes: 'Agge'; did you mean Age?\n"},
        {"Age>=x", ": expression: character 8, at \"x\": there is no column \"x\"; a text needs "
                   "quotes: 'x'; the columns are Name, Age, Active, Seen, Tags\n"},
        {"Age>=NA", ": expression: character 8, at \"NA\": nothing compares with na: x is na\n"},
        {"Age>3 and Name=me", ": expression: character 16, at \"me\": there is no column \"me\"; a "
                              "text needs quotes: 'me'; the columns are Name, Age, Active, Seen, "
                              "Tags\n"},
        {"Name=me and Age>3",
         ": expression: character 6, at \"me and Age>3\": there is no column "
         "\"me\"; a text needs quotes: 'me'; the columns are Name, Age, Active, "
         "Seen, Tags\n"},
        {"Name >= 9.5", ": column \"Name\" is text, in which 9 comes after 10: --convert 'Name:R8' "
                        "makes numbers of it, quotes around the value compare texts\n"},
        {"Seen > 2020-01-03 and Age=1", ": expression: character 8, at \"2020-01-03 and Age=1\": a "
                                        "time and an integer do not compare: a date needs quotes, "
                                        "as '2024-05-01'\n"},
        {"Name=Age", ": \"Age\" is also the name of a column: write 'Name=\"Age\"' for the text, "
                     "'Name=`Age`' for the column\n"},
        {"Age=1) or (Age=2", ": expression: character 6, at \") or (Age=2\": expected and, or, or "
                             "the end\n"},
        {"Tags='a'", ": expression: character 8, at \"'a'\": a value that is only tested by is na "
                     "and a text do not compare\n"},
    };
    char sentence[256];
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        snprintf(sentence, sizeof sentence, SAY "%s", tests[i][1]);
        dvt_expect(DVT_RUN("cat", "--where", tests[i][0], DVT_GOLDEN("people")), 2, "", sentence);
    }
}

/* Names and values can contain signs: the longest existing name counts. */
Test(where, names_with_signs)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "signs.txt");
    static const char text[] = "1\tb=c\n2\tc\n";
    dvt_file_write(&path, text, sizeof text - 1);
    const char *how = "col=a:R4:0 col={name={a=b} type=TX src=1}";
    dvt_expect(DVT_RUN("cat", "--text", how, "--where", "a=b=c", path.text), 0, "a\ta=b\n2\tc\n",
               "");
    dvt_expect(DVT_RUN("cat", "--text", how, "--where", "a=b==b=c", path.text), 0,
               "a\ta=b\n1\tb=c\n", "");
    dvt_expect(DVT_RUN("cat", "--text", how, "--where", "a=1", path.text), 0, "a\ta=b\n1\tb=c\n",
               "");
    dvt_folder_remove(&folder);
}
