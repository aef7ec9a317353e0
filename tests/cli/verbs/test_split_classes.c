/* SPDX-License-Identifier: MIT */
/* test_split_classes.c: `dataview split --stratify` gives each class its share in each part. */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")

/* A table of 200 rows: three classes and missing ones in column class; n counts.
 */
static dvt_path prepare(dvt_path *folder)
{
    *folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(folder, "t.txt");
    dvt_lines text = {0};
    for (int i = 0; i < 200; i++) {
        const char *class = i % 40 == 39 ? "" : i % 2 == 0 ? "a" : i % 10 == 9 ? "c" : "b";
        dvt_lines_print(&text, "%s\t%d\n", i % 80 == 1 ? "c" : class, i);
    }
    dvt_file_write(&path, text.data, text.nbytes);
    dvt_lines_free(&text);
    return path;
}

#define TEXT "--text=col=class:TX:0 col=n:I4:1"

Test(split_classes, every_class_has_its_share)
{
    dvt_path folder;
    const dvt_path text = prepare(&folder), a = dvt_path_in(&folder, "a.idv"),
                   b = dvt_path_in(&folder, "b.idv"), both = dvt_path_in(&folder, "[ab].idv");
    dvt_expect(DVT_RUN("counts", TEXT, text.text, "class"), 0,
               "class  count   share\n"
               "a        100  50.0 %\n"
               "b         77  38.5 %\n"
               "c         18   9.0 %\n"
               "200 rows, 5 NA, 3 distinct values\n",
               "");
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        dvt_expect(DVT_RUN("split", TEXT, "--fraction=0.8,0.2", "--stratify=class", "-o", a.text,
                           "-o", b.text, text.text, shuffled ? "--shuffle" : "--quiet"),
                   0, shuffled ? "*b.idv: 40 rows" : "", "");
        dvt_expect(DVT_RUN("counts", b.text, "class"), 0,
                   "class  count   share\n"
                   "a         20  50.0 %\n"
                   "b         15  37.5 %\n"
                   "c          4  10.0 %\n"
                   "40 rows, 1 NA, 3 distinct values\n",
                   "");
        dvt_expect(DVT_RUN("counts", "-n0", both.text, "n"), 0, "*200 distinct values", "");
    }
    dvt_folder_remove(&folder);
}

/* Rows keep their order in each part: without --shuffle, that of the file. */
Test(split_classes, rows_keep_their_order)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path base = dvt_path_in(&folder, "p.idv"),
                   train = dvt_path_in(&folder, "p-train.idv");
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "--stratify=Active", "--rows=3:15", "-o",
                       base.text, PEOPLE),
               0, "*p-test.idv: 6 rows", "");
    dvt_expect(DVT_RUN("cat", "-cAge,Active", train.text), 0,
               "Age\tActive\n3\t1\n4\t0\n5\t0\n6\t1\n7\t0\n8\t0\n", "");
    dvt_folder_remove(&folder);
}

/* Classes of every kind of value; NA is one. */
Test(split_classes, of_every_kind)
{
    static const char *const columns[] = {"Age", "Seen", "Active", "Name"};
    dvt_path folder = dvt_folder_create();
    const dvt_path a = dvt_path_in(&folder, "a.idv"), b = dvt_path_in(&folder, "b.idv"),
                   both = dvt_path_in(&folder, "[ab].idv");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        dvt_expect(DVT_RUN("split", "--quiet", "--fraction=0.5,0.5", "--stratify", columns[i],
                           "--shuffle=uniform", "--seed=3", "-o", a.text, "-o", b.text, "--where",
                           i % 2 ? "Age is na" : "Age!=1e9", PEOPLE),
                   i % 2 ? 2 : 0, "", i % 2 ? "*test would have no rows" : "");
        if (i % 2 == 0)
            dvt_expect(DVT_RUN("counts", "-n0", both.text, "Name"), 0, "*553 distinct values", "");
    }
    dvt_expect(DVT_RUN("split", "--quiet", "--fraction=0.5,0.5", "--stratify=Age", "-o", a.text,
                       "-o", b.text, PEOPLE),
               0, "", "");
    dvt_expect(DVT_RUN("counts", "-n0", a.text, "Age"), 0, "*24 NA", "");
    dvt_folder_remove(&folder);
}

/* Samples of datadings are copied as they are, and their classes are still known. */
Test(split_classes, of_datadings)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path all = dvt_path_in(&folder, "all.msgpack"),
                   base = dvt_path_in(&folder, "x.msgpack");
    dvt_expect(DVT_RUN("convert", "--quiet", "--to-datadings=key=Name", "--allow-loss=types,na",
                       "-cName,Active", PEOPLE, all.text),
               0, "", "");
    dvt_expect(DVT_RUN("split", "--fraction=0.75,0.25", "--stratify=Active", "--shuffle", "-o",
                       base.text, all.text),
               0, "*x-test.msgpack: 150 rows", "");
    dvt_expect(DVT_RUN("counts", dvt_path_in(&folder, "x-test.msgpack").text, "Active"), 0,
               "*100  66.7 %\n", "");
    dvt_folder_remove(&folder);
}

Test(split_classes, refuses_and_warns)
{
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "--stratify=Tags", PEOPLE), 2, "",
               "*--stratify Tags: the column is no scalar, so it has no classes\n");
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "--stratify=age", PEOPLE), 2, "",
               "*did you mean Age?\n");
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "--stratify=Name", "-o", "never.idv", PEOPLE),
               2, "",
               "*warning: --stratify Name: 600 values have too few rows to be in every file\n");
}
