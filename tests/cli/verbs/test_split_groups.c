/* SPDX-License-Identifier: MIT */
/* test_split_groups.c: `dataview split --group` keeps the rows of a group together. */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")

/* 300 rows of 14 groups of several sizes, with texts that look like missing ones, and NA. */
static dvt_path prepare(const dvt_path *folder)
{
    static const char *const group[] = {"A",       "B",  "",  "NA", "\"\"", "D\xC3\xB6", "E f",
                                        "\"g,h\"", "na", "I", "J",  "K",    "L",         "M"};
    const dvt_path path = dvt_path_in(folder, "t.csv");
    dvt_lines text = {0};
    dvt_lines_print(&text, "store,day,sum,at,n\n");
    for (int i = 0; i < 300; i++)
        dvt_lines_print(&text, "%s,%d,%d.5,2020-01-0%d,%d\n", group[i * i % 97 % 14], i % 11,
                        i % 13, 1 + i % 9, i);
    dvt_file_write(&path, text.data, text.nbytes);
    dvt_lines_free(&text);
    return path;
}

/* The numbers before words in the last line of `counts`; 0: it does not have the words. */
static int number_before(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    while (at && at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? atoi(at) : 0;
}

static void count(const dvt_path *folder, const char *file, const char *column, int *distinct,
                  int *na, int *rows)
{
    const dvt_path path = dvt_path_in(folder, file);
    dvt_run run = DVT_RUN("counts", "-n0", path.text, column);
    *distinct = number_before(dvt_text_of(&run.out), " distinct value");
    *na = number_before(dvt_text_of(&run.out), " NA");
    *rows = number_before(dvt_text_of(&run.out), " row");
    dvt_run_free(&run);
}

/* The files have all rows, and no value of the column is in both. */
static void expect_apart(const dvt_path *folder, const char *column)
{
    int values[3], na[3], rows[3];
    count(folder, "a.idv", column, &values[0], &na[0], &rows[0]);
    count(folder, "b.idv", column, &values[1], &na[1], &rows[1]);
    count(folder, "[ab].idv", column, &values[2], &na[2], &rows[2]);
    cr_expect(rows[0] + rows[1] == 300 && rows[2] == 300, "%s", column);
    cr_expect(values[0] > 0 && values[1] > 0 && values[0] + values[1] == values[2], "%s", column);
    cr_expect((na[0] == 0 || na[1] == 0) && na[0] + na[1] == na[2], "%s", column);
    count(folder, "[ab].idv", "n", &values[2], &na[2], &rows[2]);
    cr_expect_eq(values[2], 300);
}

/* Columns of texts, numbers, dates and keys, with NA, in and out of order. */
Test(split_groups, no_value_is_in_two_files)
{
    static const char *const columns[] = {"store", "day", "sum", "at"};
    static const char *const more[] = {"--quiet", "--shuffle", "--pipe=term store day"};
    dvt_path folder = dvt_folder_create();
    const dvt_path text = prepare(&folder), a = dvt_path_in(&folder, "a.idv"),
                   b = dvt_path_in(&folder, "b.idv");
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            dvt_expect(DVT_RUN("split", "--quiet", "--fraction=0.7,0.3", "--group", columns[i],
                               "--seed=5", more[k], "-o", a.text, "-o", b.text, text.text),
                       0, "", "");
            expect_apart(&folder, columns[i]);
        }
    dvt_folder_remove(&folder);
}

/* The same seed makes the same files; rows keep their order; a column can be left out. */
Test(split_groups, the_seed_decides)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path text = prepare(&folder), a = dvt_path_in(&folder, "a.csv"),
                   b = dvt_path_in(&folder, "b.csv"), c = dvt_path_in(&folder, "c.csv");
    const char *const out[] = {b.text, c.text, c.text};
    static const char *const seed[] = {"--seed=1", "--seed=1", "--seed=2"};
    for (int i = 0; i < 3; i++) {
        dvt_expect(DVT_RUN("split", "--quiet", "--fraction=0.7,0.3", "--group=store", "-cn,day",
                           seed[i], "-o", a.text, "-o", out[i], text.text),
                   0, "", "");
        dvt_expect(DVT_RUN("diff", b.text, out[i]), i == 2, i == 2 ? NULL : "*same: ", NULL);
    }
    dvt_folder_remove(&folder);
}

/* Samples of datadings are copied as they are, and their groups are still known. */
Test(split_groups, of_datadings)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path all = dvt_path_in(&folder, "all.msgpack"),
                   base = dvt_path_in(&folder, "x.msgpack");
    dvt_expect(DVT_RUN("convert", "--quiet", "--to-datadings=key=Name", "--allow-loss=types,na",
                       "-cName,Active", PEOPLE, all.text),
               0, "", "");
    dvt_expect(
        DVT_RUN("split", "--fraction=0.75,0.25", "--group=Active", "-o", base.text, all.text), 0,
        "*x-test.msgpack: 200 rows", "");
    dvt_folder_remove(&folder);
}

Test(split_groups, refuses)
{
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "--group=Tags", PEOPLE), 2, "",
               "*--group Tags: the column is no scalar, so it has no groups\n");
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "--group=age", PEOPLE), 2, "",
               "*did you mean Age?\n");
    dvt_expect(
        DVT_RUN("split", "--fraction=0.4,0.3,0.3", "--group=Active", "-o", "never.idv", PEOPLE), 2,
        "", "*--group Active: the column has 2 different values, too few for 3 files\n");
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "--group=Age", "--stratify=Active", PEOPLE),
               2, "", "*--group and --stratify exclude each other");
    dvt_expect(DVT_RUN("split", "--every=3", "--group=Age", PEOPLE), 2, "",
               "*--group needs --fraction\n");
    dvt_expect(DVT_RUN("split", "--group=Age", PEOPLE, "100"), 2, "",
               "*--group needs --fraction\n");
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "--seed=1", PEOPLE), 2, "",
               "*--seed needs --shuffle or --group\n");
}
