/* SPDX-License-Identifier: MIT */
/* test_split_shares.c: `dataview split --fraction` gives each part its share, to the row. */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")

static dvt_path prepare(dvt_path *people)
{
    dvt_path folder = dvt_folder_create();
    *people = dvt_path_in(&folder, "people.idv");
    dvt_expect(DVT_RUN("convert", "--quiet", PEOPLE, people->text), 0, "", "");
    return folder;
}

/* The default names are those of what the parts are for. */
Test(split_shares, files_have_names)
{
    dvt_path people, folder = prepare(&people);
    const dvt_path both = dvt_path_in(&folder, "people-t*.idv");
    dvt_expect(DVT_RUN("split", "--fraction", "0.8,0.2", people.text), 0,
               "*people-test.idv: 120 rows, 5 columns, ", "");
    dvt_expect(DVT_RUN("split", "--fraction", "70%,20%,10%", people.text), 0,
               "*people-valid.idv: 120 rows, 5 columns, ", "");
    dvt_expect(DVT_RUN("head", "-n1", "-cName", dvt_path_in(&folder, "people-train.idv").text), 0,
               "*user 0\n1 of 420 rows", "");
    dvt_expect(DVT_RUN("split", "--fraction=.25,.25,.25,.25", people.text), 0,
               "*people-3.idv: 150 rows, 5 columns, ", "");
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "-o", people.text, PEOPLE), 0,
               "*people-test.idv: 300 rows, 5 columns, ", "");
    dvt_expect(DVT_RUN("counts", "--quiet", "-n1", "--json", both.text, "Name"), 0,
               "*\"distinct_count\":600,", "");
    dvt_folder_remove(&folder);
}

/* Largest remainder: no row is lost, and no part is off by one whole row. */
Test(split_shares, rows_are_exact)
{
    static const struct {
        const char *take, *fraction, *rows[3];
    } cases[] = {
        {"--take=10", "0.85,0.15", {"-0.idv: 9 rows", "-1.idv: 1 row,", ""}},
        {"--take=7", "0.5,0.5", {"-0.idv: 4 rows", "-1.idv: 3 rows", ""}},
        {"--take=10",
         "0.333333333,0.333333333,0.333333334",
         {"-0.idv: 3 rows", "-1.idv: 3 rows", "-2.idv: 4 rows"}},
        {"--take=3", "0.5,0.3,0.2", {"-0.idv: 1 row,", "-1.idv: 1 row,", "-2.idv: 1 row,"}}};
    dvt_path people, folder = prepare(&people);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dvt_path a = dvt_path_in(&folder, "p-0.idv"), b = dvt_path_in(&folder, "p-1.idv"),
                       c = dvt_path_in(&folder, "p-2.idv");
        dvt_run run = *cases[i].rows[2]
                          ? DVT_RUN("split", cases[i].take, "--fraction", cases[i].fraction, "-o",
                                    a.text, "-o", b.text, "-o", c.text, people.text)
                          : DVT_RUN("split", cases[i].take, "--fraction", cases[i].fraction, "-o",
                                    a.text, "-o", b.text, people.text);
        for (int k = 0; k < 3; k++)
            cr_expect(strstr(dvt_text_of(&run.out), cases[i].rows[k]), "%s: %s", cases[i].fraction,
                      dvt_text_of(&run.out));
        dvt_expect(run, 0, NULL, "");
    }
    dvt_folder_remove(&folder);
}

/* --shuffle needs no value before an option, a file, or the end. */
Test(split_shares, shuffled_by_seed)
{
    dvt_path people, folder = prepare(&people);
    const dvt_path a = dvt_path_in(&folder, "a.idv"), b = dvt_path_in(&folder, "b.idv");
    dvt_expect(DVT_RUN("split", "--fraction", "0.9,0.1", "--shuffle", "--seed", "1", "-o", a.text,
                       "-o", b.text, people.text),
               0, "*b.idv: 60 rows", "");
    dvt_expect(DVT_RUN("diff", "--quiet", "--shuffle", "uniform", "--seed=1", "--rows=:540",
                       people.text, people.text),
               0, "", "");
    const dvt_path all = dvt_path_in(&folder, "all.idv");
    dvt_expect(DVT_RUN("convert", "--quiet", "--seed=1", "--shuffle", people.text, all.text), 0, "",
               "");
    const dvt_path parts = dvt_path_in(&folder, "[ab].idv");
    dvt_expect(DVT_RUN("diff", parts.text, all.text), 0, "same: 600 rows, 5 columns\n", "");
    dvt_expect(DVT_RUN("head", "-n1", people.text, "--shuffle"), 0, "*1 of 600 rows", "");
    dvt_expect(DVT_RUN("head", "--shuffle", "unifrom", people.text), 2, "",
               "*--shuffle does not accept 'unifrom'; did you mean uniform?");
    dvt_folder_remove(&folder);
}

/* The parts of text go to any format by their extensions. */
Test(split_shares, of_text)
{
    static const char csv[] = "a,b\n1,x\n2,y\n3,x\n4,y\n5,x\n";
    dvt_path folder = dvt_folder_create();
    const dvt_path text = dvt_path_in(&folder, "t.csv"), a = dvt_path_in(&folder, "a.idv"),
                   b = dvt_path_in(&folder, "b.idv");
    dvt_file_write(&text, csv, sizeof csv - 1);
    dvt_expect(DVT_RUN("split", "--text=sep=, header+ col=a:I8:0 col=b:TX:1", "--fraction=0.6,0.4",
                       "-o", a.text, "-o", b.text, text.text),
               0, "*b.idv: 2 rows, 2 columns, ", "");
    dvt_expect(DVT_RUN("cat", b.text), 0, "a\tb\n4\ty\n5\tx\n", "");
    dvt_folder_remove(&folder);
}

Test(split_shares, refuses)
{
    static const struct {
        const char *fraction, *error;
    } cases[] = {
        {"--fraction=0.8,0.1", "*adds up to 0.9, not to 1: give the other rows a file too, with "
                               "--fraction 0.8,0.1,0.1\n"},
        {"--fraction=0.8,0.3", "*adds up to 1.1, not to 1: the last share can be 0.2\n"},
        {"--fraction=0.333,0.333,0.333", "*the last share can be 0.334\n"},
        {"--fraction=0.9,0.9,0.1", "*adds up to 1.9, not to 1\n"},
        {"--fraction=0.8,0.2,", "*not ''\n"},
        {"--fraction=0.8,-0.2", "*not '-0.2'\n"},
        {"--fraction=0.8,0.2x", "*not '0.2x'\n"},
        {"--fraction=0.8,0.0000000001", "*up to 9 digits"},
        {"--fraction=0,1", "*not '0'\n"},
        {"--fraction=99999999999999999999", "*not '9999"},
        {"--fraction=", "*not ''\n"},
        {"--fraction=0.9999,0.0001", "*test would have no rows, because the input has 600 rows\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        dvt_expect(DVT_RUN("split", cases[i].fraction, "-o", "never.idv", PEOPLE), 2, "",
                   cases[i].error);
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", "--every=3", PEOPLE), 2, "", "*one of");
    dvt_expect(DVT_RUN("split", "--fraction=0.5,0.5", PEOPLE, "100"), 2, "", "*one of");
    dvt_expect(DVT_RUN("split", "--every=300", "--stratify=Age", PEOPLE), 2, "",
               "*--stratify needs --fraction\n");
}
