/* SPDX-License-Identifier: MIT */
/* test_cmd_tail.c: `dataview tail` shows the last of the selected rows. */
#include "cli/run.h"

#define PEOPLE DVT_GOLDEN("people")

static dvt_run run_at(int width, const char *file, const char *option)
{
    const dvt_setting setting = {DVT_STDOUT_TERMINAL, width, false, NULL};
    return DVT_RUN_WITH(&setting, "tail", "-n3", file, option);
}

Test(cmd_tail, at_80_columns_and_40)
{
    dvt_expect(run_at(80, PEOPLE, NULL), 0,
               "Name       Age  Active  Seen                 Tags\n"
               "TX          R4      BL  DT                   V<TX,*>\n"
               "user 2643   57       1  2021-02-09T01:09:00  [tag9]\n"
               "user 1562   NA       0  2021-02-09T17:26:00  [tag10 tag11]\n"
               "user 481    59       0  2021-02-10T09:43:00  [tag11 tag0 tag1]\n"
               "3 of 600 rows, 5 columns\n",
               "");
    dvt_expect(run_at(40, PEOPLE, "--quiet"), 0,
               "Name       Age  Active\n"
               "TX          R4      BL\n"
               "user 2643   57       1\n"
               "user 1562   NA       0\n"
               "user 481    59       0\n"
               "… 2 more columns: Seen, Tags\n",
               "");
}

Test(cmd_tail, row_ids_are_numbers)
{
    dvt_expect(DVT_RUN("tail", "--ids", "-cAge", "-n2", PEOPLE), 0,
               "#id  Age\n UG   R4\n598   NA\n599   59\n2 of 600 rows, 1 column\n", "");
}

/* The last rows that --rows, --skip and --take leave. */
Test(cmd_tail, of_a_selection)
{
    static const struct {
        const char *options[3], *ids, *summary;
    } cases[] = {
        {{"--rows=10:20", "-n3", "--quiet"}, " 17\n 18\n 19\n", ""},
        {{"--rows=10:20", "-n10", "--skip=8"}, " 18\n 19\n", "2 rows"},
        {{"--rows=:20", "-n2", "--take=5"}, "  3\n  4\n", "2 of 5 rows"},
        {{"--skip=4", "-n2", "--take=5"}, "  7\n  8\n", "2 of 5 rows"},
        {{"--skip=599", "-n2", "--take=5"}, "599\n", "1 row"},
        {{"--skip=600", "-n2", "--take=5"}, "", "0 rows"},
        {{"--skip=9223372036854775807", "-n2", "--take=5"}, "", "0 rows"},
        {{"--rows=598:9999", "-n9223372036854775807", "--hidden"}, "598\n599\n", "2 rows"},
        {{"-n0", "--hidden", "--hidden"}, "", "0 of 600 rows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[256];
        const char *summary = cases[i].summary;
        snprintf(want, sizeof want, "#id\n UG\n%s%s%s", cases[i].ids, summary,
                 *summary ? ", 0 columns\n" : "");
        dvt_expect(DVT_RUN("tail", "--ids", "--drop=*", cases[i].options[0], cases[i].options[1],
                           cases[i].options[2], PEOPLE),
                   0, want, "");
    }
}

Test(cmd_tail, ten_rows_by_default)
{
    dvt_expect(DVT_RUN("tail", "-cAge", PEOPLE), 0, "*10 of 600 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("tail", "-ct", DVT_GOLDEN("rows-2-raw")), 0, "*2 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("tail", DVT_GOLDEN("rows-0-raw")), 0, " x  t\nR4  TX\n0 rows, 2 columns\n",
               "");
    dvt_expect(DVT_RUN("tail", DVT_CRAFTED("no-columns")), 0, "5 rows, 0 columns\n", "");
}

/* If all rows fit, tail shows what head shows. */
Test(cmd_tail, all_rows_are_those_of_head)
{
    static const char *const files[] = {"golden/idv/people.idv", "golden/idv/rows-8193.idv",
                                        "golden/idv/vector-TX-raw.idv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        dvt_run head = DVT_RUN("head", "-n99999", "--ids", dvt_file(files[i]));
        dvt_run tail = DVT_RUN("tail", "-n99999", "--ids", dvt_file(files[i]));
        cr_expect_str_eq(dvt_text_of(&head.out), dvt_text_of(&tail.out));
        dvt_expect(head, 0, NULL, "");
        dvt_expect(tail, 0, NULL, "");
    }
}

/* Rows before the last ones are not read, so their defects are not reported. */
Test(cmd_tail, defects)
{
    const char *file = DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280");
    dvt_expect(DVT_RUN("tail", "-n1", file), 1, "", "*offset 280: ");
    dvt_expect(DVT_RUN("tail", "-n2", file), 1, "*\n 1\n", "*offset 280: ");
    dvt_expect(DVT_RUN("tail", "-n1", DVT_MALFORMED("block_zero.CORRUPT.L4@268")), 1, "",
               "*offset 268: ");
}
