/* SPDX-License-Identifier: MIT */
/* test_cmd_merge.c: does `dataview merge` write the rows of all files, those of each in order? */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")

/* A file of n lines with one letter each, that many bytes behind the first letter. */
static dvt_path write_letters(const dvt_path *folder, const char *name, const char *letters)
{
    char text[128];
    size_t n = 0;
    for (const char *p = letters; *p; p++) {
        text[n++] = *p;
        text[n++] = '\n';
    }
    const dvt_path path = dvt_path_in(folder, name);
    dvt_file_write(&path, text, n);
    return path;
}

#define LETTERS "--text=header- col=c:TX:0"

static void expect_letters(const char *file, const char *want)
{
    char got[128];
    size_t n = 0;
    dvt_run run = DVT_RUN("cat", file);
    for (const char *p = strchr(dvt_text_of(&run.out), '\n'); p && *p && n + 1 < sizeof got; p++)
        if (*p != '\n')
            got[n++] = *p;
    got[n] = 0;
    cr_expect_str_eq(got, want);
    dvt_expect(run, 0, NULL, "");
}

/* The order of dv_order_merge (tests/view/test_order.c): tables of 3, 1 and 2 rows, seed 5. */
Test(cmd_merge, at_random)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path a = write_letters(&folder, "a.csv", "abc"),
                   b = write_letters(&folder, "b.csv", "K"),
                   c = write_letters(&folder, "c.csv", "xy"), out = dvt_path_in(&folder, "o.idv");
    dvt_expect(DVT_RUN("merge", LETTERS, "--seed=5", a.text, b.text, c.text, out.text), 0,
               "*o.idv: 6 rows, 1 column, ", "");
    expect_letters(out.text, "xaybcK");

    /* Of the rows 1 to 4 of the whole: the same of tables of 2, 1 and 1 rows. */
    dvt_expect(DVT_RUN("merge", LETTERS, "--rows=1:5", a.text, b.text, c.text, out.text), 0,
               "*o.idv: 4 rows, 1 column, ", "");
    expect_letters(out.text, "bKcx");
    dvt_expect(DVT_RUN("merge", LETTERS, "--rows=3:4", a.text, b.text, c.text, out.text), 0, NULL,
               "");
    expect_letters(out.text, "K");
    dvt_folder_remove(&folder);
}

Test(cmd_merge, one_behind_the_other)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv"), all = dvt_path_in(&folder, "all.idv");
    dvt_expect(DVT_RUN("merge", "--strategy=concat", PEOPLE, PEOPLE, out.text), 0,
               "*: 1200 rows, 5 columns, ", "");
    dvt_expect(DVT_RUN("convert", PEOPLE, PEOPLE, all.text), 0, NULL, "");
    dvt_expect(DVT_RUN("diff", all.text, out.text), 0, "*same: 1200 rows", "");
    dvt_folder_remove(&folder);
}

/* A folder is its files; one file is itself. */
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
    dvt_expect(DVT_RUN("merge", PEOPLE), 2, "", "*merge needs a name for what it writes: ");
    dvt_expect(DVT_RUN("merge", "--strategy=sequential", PEOPLE, "o.idv"), 2, "",
               "*--strategy of merge is random or concat, not sequential\n");
    dvt_expect(DVT_RUN("merge", "--strategy=concat", "--seed=1", PEOPLE, "o.idv"), 2, "",
               "*--seed has no meaning with --strategy concat\n");
    dvt_expect(DVT_RUN("merge", PEOPLE, DVT_GOLDEN("rows-2-raw"), "o.idv"), 2, "",
               "*rows-2-raw.idv: column 0");
}
