/* SPDX-License-Identifier: MIT */
/* test_cmd_split.c: `dataview split` writes each row once, to files with the right names. */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")
#define PEOPLE_AT "people" /* stands for it in a table */

/* A folder with a copy of people.idv. */
static dvt_path prepare(dvt_path *people)
{
    dvt_path folder = dvt_folder_create();
    *people = dvt_path_in(&folder, "people.idv");
    dvt_expect(DVT_RUN("convert", "--quiet", PEOPLE, people->text), 0, "", "");
    return folder;
}

/* The file has exactly these rows of people.idv. */
static void expect_part(const dvt_path *folder, const char *name, const char *rows, const char *n)
{
    const dvt_path part = dvt_path_in(folder, name), cut = dvt_path_in(folder, ".cut.idv");
    char same[64];
    snprintf(same, sizeof same, "same: %s, 5 columns\n", n);
    dvt_expect(DVT_RUN("convert", "--quiet", rows, PEOPLE, cut.text), 0, "", "");
    dvt_expect(DVT_RUN("diff", cut.text, part.text), 0, same, "");
    unlink(cut.text);
}

/* The row at a position belongs to the file after it only. */
Test(cmd_split, at_positions)
{
    dvt_path people, folder = prepare(&people);
    dvt_expect(DVT_RUN("split", people.text, "1", "500"), 0, "*people-2.idv: 100 rows, 5 ", "");
    expect_part(&folder, "people-0.idv", "--rows=:1", "1 row");
    expect_part(&folder, "people-1.idv", "--rows=1:500", "499 rows");
    expect_part(&folder, "people-2.idv", "--rows=500:", "100 rows");
    cr_expect_eq(dvt_folder_entries(&folder), 4);
    dvt_folder_remove(&folder);
}

/* Selected rows only. */
Test(cmd_split, of_a_selection)
{
    dvt_path people, folder = prepare(&people);
    const dvt_path a = dvt_path_in(&folder, "a.idv"), b = dvt_path_in(&folder, "b.idv");
    dvt_expect(DVT_RUN("split", "--rows=100:300", "--skip=50", "--take=100", "-o", a.text, "-o",
                       b.text, people.text, "30"),
               0, "*b.idv: 70 rows, ", "");
    expect_part(&folder, "a.idv", "--rows=150:180", "30 rows");
    expect_part(&folder, "b.idv", "--rows=180:250", "70 rows");
    dvt_folder_remove(&folder);
}

/* Every N rows, with leading zeros in the numbers, so that names sort as the rows do. */
Test(cmd_split, every_so_many)
{
    dvt_path people, folder = prepare(&people);
    const dvt_path base = dvt_path_in(&folder, "p.idv"), parts = dvt_path_in(&folder, "p-*.idv");
    dvt_expect(DVT_RUN("split", "--every=59", "--out", base.text, people.text), 0,
               "*p-10.idv: 10 rows, ", "");
    expect_part(&folder, "p-00.idv", "--rows=:59", "59 rows");
    expect_part(&folder, "p-10.idv", "--rows=590:", "10 rows");
    dvt_expect(DVT_RUN("diff", PEOPLE, parts.text), 0, "*same: 600 rows", "");
    dvt_expect(DVT_RUN("split", "--every=600", people.text), 0, "*people-0.idv: 600 rows, ", "");
    dvt_expect(DVT_RUN("split", "--every=300", people.text), 0, "*people-1.idv: 300 rows, ", "");
    dvt_folder_remove(&folder);
}

/* Text does not know its number of rows, and a name needs no extension. */
Test(cmd_split, text)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path in = dvt_path_in(&folder, "in"), one = dvt_path_in(&folder, "in-1");
    dvt_file_write(&in, "a\nb\nc\n", 6);
    dvt_expect(
        DVT_RUN("split", "--from=text", "--text=header- col=c:TX:0", "--to=text", in.text, "2"), 0,
        "*in-1: 1 row, 1 column, ", "");
    dvt_expect(DVT_RUN("cat", one.text), 0, "c\nc\n", "");
    dvt_folder_remove(&folder);
}

/* If a row of a later file cannot be written, the first files stay, and the message names them. */
Test(cmd_split, one_that_fails)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path in = dvt_path_in(&folder, "in.txt"), a = dvt_path_in(&folder, "a.idv");
    const dvt_path b = dvt_path_in(&folder, "b.idv");
    dvt_file_write(&in, "1\n0\nNA\n", 7);
    dvt_expect(
        DVT_RUN("split", "--text=header- col=b:BL:0", "-o", a.text, "-o", b.text, in.text, "2"), 1,
        "", "*found NA\ndataview: 1 of the 2 files is written: ");
    dvt_expect(DVT_RUN("cat", a.text), 0, "b\n1\n0\n", "");
    dvt_file_write(&in, "NA\n1\n0\n", 7);
    dvt_expect(
        DVT_RUN("split", "--text=header- col=b:BL:0", "-o", a.text, "-o", b.text, in.text, "2"), 1,
        "", "*\ndataview: none of the 2 files is written\n");
    cr_expect_eq(dvt_folder_entries(&folder), 2);
    dvt_folder_remove(&folder);
}

/* A name that cannot be written is refused before the first file is. */
Test(cmd_split, a_folder_that_is_missing)
{
    dvt_path people, folder = prepare(&people);
    const dvt_path a = dvt_path_in(&folder, "a.idv"), b = dvt_path_in(&folder, "no/b.idv");
    dvt_expect(DVT_RUN("split", "-o", a.text, "-o", b.text, people.text, "30"), 3, "",
               "*no/b.idv: its folder cannot be opened");
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dvt_folder_remove(&folder);
}

/* A loss is reported once, before any file is written. */
Test(cmd_split, refusal)
{
    dvt_path people, folder = prepare(&people);
    const dvt_path base = dvt_path_in(&folder, "p.btable");
    dvt_expect(DVT_RUN("split", "-o", base.text, people.text, "30"), 1, "",
               "*p-0.btable: not written, because its format cannot hold:\n");
    dvt_expect(DVT_RUN("split", "--json", "-o", base.text, people.text, "30"), 1,
               "*\"is_saved\":false}\n", "*p-0.btable: not written");
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dvt_folder_remove(&folder);
}

/* The name decides what a text file can keep; the losses of a.txt alone were checked, and the
 * command failed after it had been written. */
Test(cmd_split, refusal_of_a_later_name)
{
    dvt_path people, folder = prepare(&people);
    const dvt_path txt = dvt_path_in(&folder, "a.txt"), csv = dvt_path_in(&folder, "b.csv");
    dvt_expect(DVT_RUN("split", "-o", txt.text, "-o", csv.text, people.text, "30"), 1, "",
               "*b.csv: not written, because its format cannot hold:\n");
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dvt_expect(
        DVT_RUN("split", "--drop", "Tags", "-o", txt.text, "-o", csv.text, people.text, "30"), 0,
        NULL, "*a CSV keeps names and values, but not types");
    cr_expect_eq(dvt_folder_entries(&folder), 3);
    dvt_folder_remove(&folder);
}

Test(cmd_split, json)
{
    dvt_path people, folder = prepare(&people);
    dvt_expect(DVT_RUN("split", "--json", people.text, "30"), 0,
               "*people-1.idv\",\"format\":\"idv\","
               "\"rows\":570,\"column_count\":5,",
               "");
    dvt_folder_remove(&folder);
}

/* Two names of one file were compared as texts, and one part replaced the other. */
Test(cmd_split, names_of_one_file)
{
    dvt_path people, folder = prepare(&people);
    const dvt_path plain = dvt_path_in(&folder, "a.idv"), dotted = dvt_path_in(&folder, "./a.idv");
    const dvt_path link = dvt_path_in(&folder, "b.idv"), old = dvt_path_in(&folder, "c.idv");
    const dvt_path hard = dvt_path_in(&folder, "d.idv"), base = dvt_path_in(&folder, "n.idv");
    cr_assert_eq(symlink("a.idv", link.text), 0);
    dvt_file_write(&old, "old", 3);
    cr_assert_eq(linkat(AT_FDCWD, old.text, AT_FDCWD, hard.text, 0), 0);
    const dvt_path *const pairs[][2] = {{&plain, &dotted}, {&link, &plain}, {&old, &hard}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        dvt_expect(DVT_RUN("split", "--fraction=.5,.5", "-o", pairs[i][0]->text, "-o",
                           pairs[i][1]->text, people.text),
                   2, "", "*are the same file: name different files\n");
    cr_assert_eq(symlink("n-1.idv", dvt_path_in(&folder, "n-0.idv").text), 0);
    dvt_expect(DVT_RUN("split", "-o", base.text, people.text, "9"), 2, "",
               "*n-1.idv are the same file");
    dvt_expect(DVT_RUN("split", "--cache", dotted.text, "-o", plain.text, "-o", old.text,
                       people.text, "9"),
               2, "", "*are the same file: name different files\n");
    cr_expect_eq(dvt_folder_entries(&folder), 5);
    dvt_folder_remove(&folder);
}

Test(cmd_split, usage)
{
    static const struct {
        const char *words[5], *sentence;
    } wrong[] = {
        {{"x.idv"},
         "*split needs one of --fraction 0.8,0.2, --every N and positions: dataview split "
         "FILE... "},
        {{"--every=3", "x.idv", "3"},
         "*split needs one of --fraction 0.8,0.2, --every N and positions"},
        {{"--every=0", "x.idv"}, "*--every must be at least 1\n"},
        {{PEOPLE_AT, "0"}, "*position 0 is not within 1 to 599: the input has 600 rows\n"},
        {{PEOPLE_AT, "600"}, "*position 600 is not within 1 to 599: the input has 600 rows\n"},
        {{PEOPLE_AT, "5", "5"}, "*position 5 is not greater than 5\n"},
        {{PEOPLE_AT, "99999999999999999999"}, "*position expects a number of at least 0"},
        {{PEOPLE_AT, "9", "-oa.idv", "-ob.idv", "-oc.idv"},
         "*2 files will be written, but -o names 3"},
        {{PEOPLE_AT, "9", "-oa.idv", "-oa.idv"}, "*a.idv is given twice: name different files\n"},
        {{PEOPLE_AT, "9", "-oa.idv", "-ob.csv"},
         "*a.idv and b.csv have extensions of different formats"},
        {{PEOPLE_AT, "9", "-oa.btable", "--align=64"},
         "*--align is an option for idv, but the output is btable"},
        {{PEOPLE_AT, PEOPLE_AT, "9"}, "*the input is not one file, so split needs -o NAME.EXT"},
        {{"--seed=1", PEOPLE_AT, "9"}, "*--seed needs --shuffle or --group\n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *words[8] = {"split"};
        for (int k = 0; k < 5 && wrong[i].words[k]; k++)
            words[k + 1] = strcmp(wrong[i].words[k], PEOPLE_AT) == 0 ? PEOPLE : wrong[i].words[k];
        const dvt_setting setting = {0};
        dvt_expect(dvt_run_with(&setting, words), 2, "", wrong[i].sentence);
    }
}
