/* SPDX-License-Identifier: MIT */
/* test_cmd_merge.c: `dataview merge` writes the rows of all files, and keeps the order within each.
 * */
#include "cli/letters.h"

#define PEOPLE DVT_GOLDEN("people")

/* The order of dv_order_merge (tests/epoch/test_order.c): tables of 3, 1 and 2 rows, seed 5. */
Test(cmd_merge, at_random)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path a = dvt_write_letters(&folder, "a.csv", "abc"),
                   b = dvt_write_letters(&folder, "b.csv", "K"),
                   c = dvt_write_letters(&folder, "c.csv", "xy"),
                   out = dvt_path_in(&folder, "o.idv");
    dvt_expect(DVT_RUN("merge", DVT_LETTERS, "--seed=5", a.text, b.text, c.text, out.text), 0,
               "*o.idv: 6 rows, 1 column, ", "");
    dvt_expect_letters(out.text, "xaybcK");

    /* Rows 1 to 4 of all rows: the same for tables of 2, 1 and 1 rows. */
    dvt_expect(DVT_RUN("merge", DVT_LETTERS, "--rows=1:5", a.text, b.text, c.text, out.text), 0,
               "*o.idv: 4 rows, 1 column, ", "");
    dvt_expect_letters(out.text, "bKcx");
    dvt_expect(DVT_RUN("merge", DVT_LETTERS, "--rows=3:4", a.text, b.text, c.text, out.text), 0,
               NULL, "");
    dvt_expect_letters(out.text, "K");
    dvt_folder_remove(&folder);
}

Test(cmd_merge, one_after_the_other)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv"), all = dvt_path_in(&folder, "all.idv");
    dvt_expect(DVT_RUN("merge", "--strategy=concat", PEOPLE, PEOPLE, out.text), 0,
               "*: 1200 rows, 5 columns, ", "");
    dvt_expect(DVT_RUN("convert", PEOPLE, PEOPLE, all.text), 0, NULL, "");
    dvt_expect(DVT_RUN("diff", all.text, out.text), 0, "*same: 1200 rows", "");
    dvt_folder_remove(&folder);
}

/* A folder stands for its files; one file is copied. */
Test(cmd_merge, a_folder)
{
    dvt_path folder = dvt_folder_create(), to = dvt_folder_create();
    const dvt_path out = dvt_path_in(&to, "out.idv"), in = dvt_path_in(&folder, "in.idv");
    dvt_expect(DVT_RUN("convert", PEOPLE, in.text), 0, NULL, "");
    dvt_expect(DVT_RUN("merge", folder.text, out.text), 0, "*: 600 rows, ", "");
    dvt_expect(DVT_RUN("diff", PEOPLE, out.text), 0, "*same: 600 rows", "");
    dvt_expect(DVT_RUN("merge", folder.text, folder.text, out.text), 0, "*: 1200 rows, ", "");
    dvt_folder_remove(&to);
    dvt_folder_remove(&folder);
}

Test(cmd_merge, json)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("merge", "--json", PEOPLE, PEOPLE, out.text), 0, "*\"seed\":1200,", "");
    dvt_expect(DVT_RUN("merge", "--json", "--strategy=concat", PEOPLE, out.text), 0,
               "*\"seed\":null,", "");
    dvt_folder_remove(&folder);
}

Test(cmd_merge, usage)
{
    dvt_expect(DVT_RUN("merge", PEOPLE), 2, "", "*merge needs the name of the file to write: ");
    dvt_expect(DVT_RUN("merge", "--strategy=sequential", PEOPLE, "o.idv"), 2, "",
               "*merge --strategy expects random or concat, not sequential\n");
    dvt_expect(DVT_RUN("merge", "--strategy=concat", "--seed=1", PEOPLE, "o.idv"), 2, "",
               "*--seed has no effect with --strategy concat\n");
    dvt_expect(DVT_RUN("merge", PEOPLE, DVT_GOLDEN("rows-2-raw"), "o.idv"), 2, "",
               "*rows-2-raw.idv: column 0");
}
