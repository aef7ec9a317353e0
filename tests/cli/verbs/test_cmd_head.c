/* SPDX-License-Identifier: MIT */
/* test_cmd_head.c: `dataview head` fits the screen, and names what it omits. */
#include "cli/run.h"

#define PEOPLE DVT_GOLDEN("people")

/* In a terminal of that width, without colours. */
static dvt_run run_at(int width, const char *file, const char *option)
{
    const dvt_setting setting = {DVT_STDOUT_TERMINAL, width, false, NULL};
    return DVT_RUN_WITH(&setting, "head", "-n3", file, option);
}

Test(cmd_head, at_80_columns)
{
    dvt_expect(run_at(80, PEOPLE, NULL), 0,
               "Name       Age  Active  Seen                 Tags\n"
               "TX          R4      BL  DT                   V<TX,*>\n"
               "user 0      NA       1  2020-01-01T00:00:00  []\n"
               "user 1919    1       0  2020-01-01T16:17:00  [tag1]\n"
               "user 838     2       0  2020-01-02T08:34:00  [tag2 tag3]\n"
               "3 of 600 rows, 5 columns\n",
               "");
}

Test(cmd_head, at_40_columns_the_rest_is_named)
{
    dvt_expect(run_at(40, PEOPLE, NULL), 0,
               "Name       Age  Active\n"
               "TX          R4      BL\n"
               "user 0      NA       1\n"
               "user 1919    1       0\n"
               "user 838     2       0\n"
               "… 2 more columns: Seen, Tags\n"
               "3 of 600 rows, 5 columns\n",
               "");
    dvt_expect(run_at(40, DVT_GOLDEN("scalar-all-raw-rpb7"), NULL), 0,
               "*\n… 14 more columns: U4, I8, U8, R4, R8, …\n3 of 100 rows, 20 columns\n", "");
}

Test(cmd_head, at_200_columns)
{
    dvt_expect(run_at(200, DVT_GOLDEN("scalar-all-raw-rpb7"), NULL), 0,
               "*  10675199.02:48:05.4775807", "");
    dvt_expect(run_at(200, DVT_GOLDEN("metadata-raw"), NULL), 0,
               "*[-141.92188 -94.328125 -46.734375 0.859375 48.453125 96.046875]          NA ", "");
}

/* No line is wider than the screen, for any file. */
Test(cmd_head, every_width)
{
    static const char *const files[] = {"people",    "scalar-all-raw-rpb7", "vector-wide-sparse",
                                        "random-16", "vector-rank3",        "metadata-raw"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int width = 30; width <= 200; width += 17) {
            char file[64];
            snprintf(file, sizeof file, "golden/idv/%s.idv", files[i]);
            dvt_run run = run_at(width, dvt_file(file), "--ids");
            const char *line = dvt_text_of(&run.out);
            for (size_t n; *line; line += n + 1) {
                int columns = 0; /* none of these files holds wide characters in its first rows */
                n = strcspn(line, "\n");
                for (size_t k = 0; k < n; k++)
                    columns += ((unsigned char)line[k] & 0xC0) != 0x80;
                cr_expect_leq(columns, width, "%s at %d: %.*s", files[i], width, (int)n, line);
            }
            dvt_expect(run, 0, NULL, "");
        }
}

Test(cmd_head, not_on_a_terminal_there_are_100_columns_or_what_COLUMNS_says)
{
    const dvt_setting narrow = {DVT_STDOUT_PIPE, 30, false, NULL};
    dvt_expect(DVT_RUN("head", "-n1", PEOPLE), 0, "*  Tags\n", "");
    dvt_expect(DVT_RUN_WITH(&narrow, "head", "-n1", PEOPLE), 0, "*… 2 more columns", "");
}

Test(cmd_head, vectors)
{
    dvt_expect(run_at(60, DVT_GOLDEN("vector-wide-sparse"), NULL), 0,
               "wide\n"
               "V<R4,100000>\n"
               "[… 100000, 0 set]\n"
               "[15045:0.859375 73265:15.1875 … 100000, 3 set]\n"
               "[37148:0.859375 65240:-3.75 70631:-80 … 100000, 6 set]\n"
               "3 of 12 rows, 1 column\n",
               "");
    dvt_expect(run_at(80, DVT_GOLDEN("vector-rank3"), "-cr3"), 0,
               "*\n[0 0 -67.375 0 0 0 0 0 0 0 0.859375 48.453125 0 … 24, 5 set]\n", "");
    dvt_expect(DVT_RUN("head", "-c", "img", "-n1", DVT_GOLDEN("vector-rank3")), 0, "* … 60]\n", "");
}

Test(cmd_head, as_narrow_as_can_be)
{
    dvt_expect(run_at(10, DVT_GOLDEN("vector-wide-sparse"), "--quiet"), 0,
               "wide\nV<R4,1000…\n[… 100000…\n[… 100000…\n[… 100000…\n", "");
    dvt_expect(run_at(1, PEOPLE, "--quiet"), 0, "*…\n…\n…\n…\n…\n", "");
}

/* Wide characters take two columns, combining ones none; unsafe characters are spelled out. */
Test(cmd_head, names_and_texts_of_any_script)
{
    dvt_expect(run_at(40, DVT_GOLDEN("names-unicode"), NULL), 0,
               " é  日本   lead  tab\\t  😀  a.b\n"
               "R4    R4     R4     R4  R4   R4\n"
               " 1     2      5      4   2    3\n"
               " 2     3      6      5   3    4\n"
               "… 2 more columns: nnnnnnnnnnnnnnnnnnnnn…\n"
               "2 rows, 8 columns\n",
               "");
    dvt_expect(DVT_RUN("head", "-n9", "--skip=5", DVT_GOLDEN("scalar-TX-deflate")), 0,
               "*\na\\x00b\nx\\ty\nline\\nbreak\n", "");
}

Test(cmd_head, missing_values)
{
    const char *file = DVT_CRAFTED("old-text-na");
    const dvt_setting colour = {DVT_STDOUT_TERMINAL, 80, true, NULL};
    const dvt_setting no_colour = {DVT_STDOUT_TERMINAL, 80, true, "1"};
    dvt_expect(DVT_RUN("head", "--quiet", file), 0, "t\nTX\na\nNA\n\né\nNA\n", "");
    dvt_expect(DVT_RUN_WITH(&no_colour, "head", "-q", file), 2, "", "*has no option -q");
    dvt_expect(DVT_RUN_WITH(&no_colour, "head", "--quiet", file), 0, "t\nTX\na\nNA\n\né\nNA\n", "");
    dvt_expect(DVT_RUN_WITH(&colour, "head", "--quiet", file), 0,
               "\033[1mt\033[0m\n\033[2mTX\033[0m\na\n\033[2mNA\033[0m\n\né\n\033[2mNA\033[0m\n",
               "");
}

Test(cmd_head, row_ids_are_numbers)
{
    dvt_expect(DVT_RUN("head", "--ids", "-cAge", "--rows=598:", PEOPLE), 0,
               "#id  Age\n UG   R4\n598   NA\n599   59\n2 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("head", "--ids", "--take=1", DVT_CRAFTED("no-columns")), 0,
               "#id\n UG\n  0\n1 row, 0 columns\n", "");
}

Test(cmd_head, how_many)
{
    dvt_expect(DVT_RUN("head", "-cAge", PEOPLE), 0, "*10 of 600 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("head", "-n", "0", "-cAge", PEOPLE), 0,
               "Age\n R4\n0 of 600 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("head", "-n9", "--take=2", "-cAge", PEOPLE), 0,
               "Age\n R4\n NA\n  1\n2 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("head", "--rows=700:", "-cAge", PEOPLE), 0, "Age\n R4\n0 rows, 1 column\n",
               "");
    dvt_expect(DVT_RUN("head", DVT_CRAFTED("no-columns")), 0, "5 rows, 0 columns\n", "");
}

/* A long table is several tables, each with its header. */
Test(cmd_head, a_thousand_rows_at_a_time)
{
    dvt_run run = DVT_RUN("head", "-n", "2001", "--ids", "--drop=*", DVT_GOLDEN("rows-8193"));
    const char *said = dvt_text_of(&run.out);
    cr_expect(strstr(said, "999\n\n #id\n  UG\n1000\n"));
    cr_expect(strstr(said, "1999\n\n #id\n  UG\n2000\n2001 of 8193 rows, 0 columns\n"));
    dvt_expect(run, 0, NULL, "");
}

Test(cmd_head, rows_before_a_defect)
{
    const char *file = DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280");
    dvt_expect(DVT_RUN("head", file), 1, "*\n 1\n", "*offset 280: ");
    dvt_expect(DVT_RUN("head", DVT_MALFORMED("block_past_tail.CORRUPT.L4@268")), 1, "",
               "*offset 268: ");
}
