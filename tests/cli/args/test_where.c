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

Test(where, usage)
{
    static const char *const tests[][2] = {
        {"Age", " expects NAME OP VALUE such as 'Age>=18', or 'NAME is na', not 'Age'\n"},
        {"", " expects NAME OP VALUE such as 'Age>=18', or 'NAME is na', not ''\n"},
        {"<3", " expects NAME OP VALUE such as 'Age>=18', or 'NAME is na', not '<3'\n"},
        {"Agge>=3", ": no column is called 'Agge'; did you mean Age?\n"},
        {"Agge is na", ": no column is called 'Agge'; did you mean Age?\n"},
        {"Age>=x", ": column \"Age\": condition: expected a value of type R4, found x "
                   "(semantics:4.3)\n"},
        {"Age>=NA", ": column \"Age\": condition: expected a value of type R4, found NA "
                    "(semantics:4.3)\n"},
        {"Name >= 9.5", ": column \"Name\" is text, in which 9 comes after 10: --convert 'Name:R8' "
                        "makes numbers of it, quotes around the value compare texts\n"},
        {"Tags='a'", ": column \"Tags\": column to compare: expected a scalar, neither BY nor an "
                     "extension, found V<TX,*>\n"},
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
