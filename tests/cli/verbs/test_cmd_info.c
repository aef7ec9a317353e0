/* SPDX-License-Identifier: MIT */
/* test_cmd_info.c: `dataview info` shows the facts of a file and the costs of its columns. */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE_FACTS                                                                               \
    "\n  format   idv 1.1.1.6\n"                                                                   \
    "  size     11.3 KiB (11570 bytes)\n"                                                          \
    "  rows     600\n"                                                                             \
    "  columns  5\n"                                                                               \
    "  blocks   5 per column, 128 rows each\n\n"

Test(cmd_info, facts_and_costs)
{
    dvt_expect(DVT_RUN("info", DVT_GOLDEN("people")), 0,
               "*/people.idv" PEOPLE_FACTS
               "column  type       stored            inflated  compression   in place  aligned\n"
               "Name    TX        3.3 KiB  ███████    7.4 KiB  deflate 2.2x  no        -\n"
               "Age     R4        1.1 KiB  ██▍        2.3 KiB  deflate 2.1x  no        -\n"
               "Active  BL           36 B  ▏             75 B  deflate 2.1x  no        -\n"
               "Seen    DT        3.8 KiB  ████████   4.7 KiB  deflate 1.2x  no        -\n"
               "Tags    V<TX,*>   2.2 KiB  ████▊     12.0 KiB  deflate 5.4x  no        -\n"
               "total            10.5 KiB            26.5 KiB  2.5x\n",
               "");
}

Test(cmd_info, what_fits_a_narrow_terminal)
{
    const dvt_setting setting = {DVT_STDOUT_TERMINAL, 40, false, NULL};
    dvt_expect(DVT_RUN_WITH(&setting, "info", DVT_GOLDEN("people")), 0,
               "*" PEOPLE_FACTS "column  type       stored  inflated\n"
               "Name    TX        3.3 KiB   7.4 KiB\n",
               "");
}

Test(cmd_info, blocks_in_place_and_aligned)
{
    dvt_run run = DVT_RUN("info", DVT_GOLDEN("scalar-all-raw-rpb7"));
    const char *said = dvt_text_of(&run.out);
    cr_expect(strstr(said, "  none         no        -\n"), "%s", said);       /* BL */
    cr_expect(strstr(said, "  none         yes       yes\n"), "%s", said);     /* I1 */
    cr_expect(strstr(said, "  none         yes       7 of 15\n"), "%s", said); /* I2 */
    dvt_expect(run, 0, "*  blocks   15 per column, 7 rows each\n", "");
    dvt_expect(DVT_RUN("info", DVT_CRAFTED("old-int-na")), 0,
               "*i2      I2       6 B  ██             6 B  none         yes       no\n", "");
}

Test(cmd_info, what_cannot_be_read_and_warnings)
{
    const char *file = DVT_CRAFTED("dead-codec");
    dvt_expect(DVT_RUN("info", file), 0,
               "*\n2 more columns cannot be read (unknown type or compression)\n"
               "\nwarning: column 0 \"d\" is skipped: unknown codec \"Mystery\"\n",
               "");
    dvt_run quiet = DVT_RUN("info", "--quiet", file);
    cr_expect_not(strstr(dvt_text_of(&quiet.out), "warning"));
    dvt_expect(quiet, 0, NULL, "");
}

Test(cmd_info, a_field_that_made_a_column_text)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "prices.csv");
    static const char text[] = "id,price\n1,2.5\n2,3.5\n3,4.5\n4,\"1,024.50\"\n";
    dvt_file_write(&path, text, sizeof text - 1);
    dvt_expect(DVT_RUN("info", path.text), 0,
               "*\nwarning: column \"price\" is TX because of numbers such as \"1,024.50\"; with "
               "--text 'auto thousands=,' they are read\n",
               "");
    dvt_expect(
        DVT_RUN("head", "--type", "price:R8", "--text", "auto strict-", "--quiet", path.text), 0,
        "* 4     NA\n", NULL);
    dvt_folder_remove(&folder);
}

Test(cmd_info, inferred_columns)
{
    const char *file = dvt_file("golden/datadings/tiny.msgpack");
    dvt_run run = DVT_RUN("info", file), json = DVT_RUN("info", "--json", file);
    const char *said = dvt_text_of(&run.out), *json_text = dvt_text_of(&json.out);
    cr_expect(strstr(said, "\n  schema   inferred from 3 rows of 3\n"), "%s", said);
    cr_expect(strstr(json_text, "\"inferred_rows\":3,"), "%s", json_text);
    cr_expect(
        strstr(said, "\n  beside   .offsets 32 B, .keys 10 B, .key_hashes 32 B, .filter 33 B, "),
        "%s", said);
    cr_expect(strstr(json_text, "{\"suffix\":\".offsets\",\"nbytes\":32}"), "%s", json_text);
    dvt_expect(run, 0, NULL, "");
    dvt_expect(json, 0, NULL, "");
}

Test(cmd_info, hidden_columns)
{
    const char *file = DVT_GOLDEN("names-duplicate-kept");
    dvt_expect(DVT_RUN("info", file), 0, "*  columns  4, 2 of them hidden\n", "");
    dvt_expect(DVT_RUN("info", file), 0, "*\nx (hidden)  R8 ", "");
}

Test(cmd_info, versions)
{
    dvt_expect(DVT_RUN("info", DVT_CRAFTED("version-9999-compat-1114")), 0,
               "*  format   idv 9.9.9.9 (readable since 1.1.1.4)\n", "");
}

Test(cmd_info, no_columns_and_no_rows)
{
    dvt_expect(DVT_RUN("info", DVT_CRAFTED("no-columns")), 0,
               "*  size     264 B\n  rows     5\n  columns  0\n", "");
    dvt_expect(DVT_RUN("info", DVT_CRAFTED("zero-rows-rpb0")), 0,
               "*x       R4       0 B          0 B  none         -         -\n", "");
}

Test(cmd_info, a_damaged_table)
{
    dvt_expect(DVT_RUN("info", DVT_MALFORMED("block_past_tail.CORRUPT.L4@268")), 1, "",
               "*offset 268: ");
    dvt_expect(DVT_RUN("info", DVT_MALFORMED("columns_negative.CORRUPT.H8@48")), 1, "",
               "*offset 48: ");
}

/* --- Text without options --------------------------------------------------------------------- */

typedef struct text_file {
    dvt_path folder, path;
} text_file;

static text_file write_text(const char *text)
{
    text_file file = {.folder = dvt_folder_create()};
    file.path = dvt_path_in(&file.folder, "it's.csv");
    dvt_file_write(&file.path, text, strlen(text));
    return file;
}

#define FOUND "sep=comma sparse- comment=none defaults- strict+ csv+ header+ "

Test(cmd_info, shows_how_text_is_read)
{
    text_file file = write_text("who's,b\nx,2\ny,3\n");
    const char *path = file.path.text;
    dvt_expect(DVT_RUN("info", path), 0,
               "*it's.csv\n  format   text\n  size     16 B\n  rows     2\n  columns  2\n", "");
    dvt_expect(
        DVT_RUN("info", path), 0,
        "*\nThe file does not say what its columns are. Judging by lines from all over it, it "
        "is read as with:\n\ndataview info --text '" FOUND "col=who'\\''s:TX:0 "
        "col=b:I8:1' '/",
        "");
    dvt_expect(DVT_RUN("info", path), 0, "*/it'\\''s.csv'\n", "");
    dvt_expect(DVT_RUN("info", "--json", path), 0,
               "*\"proposed_text\":\"" FOUND "col=who's:TX:0 col=b:I8:1\"}", "");
    dvt_expect(DVT_RUN("info", "--proposal", path), 0, FOUND "col=who's:TX:0 col=b:I8:1\n", "");
    dvt_run quiet = DVT_RUN("info", "--quiet", path);
    cr_expect_not(strstr(dvt_text_of(&quiet.out), "does not say"));
    dvt_expect(quiet, 0, "*  rows     2\n", "");
    dvt_run given = DVT_RUN("info", "--text", "sep=comma col=a:TX:0", path);
    cr_expect_not(strstr(dvt_text_of(&given.out), "does not say"));
    dvt_expect(given, 0, "*  rows     3\n", "");
    dvt_expect(DVT_RUN("info", "--proposal", "--text", "col=a:TX:0", path), 2, "",
               "*nothing was found: it is no text, or says itself how it is read\n");
    dvt_folder_remove(&file.folder);
}

/* The options of a wide file go through a file, not through the terminal. */
/* What text does not have took six columns of question marks. */
Test(cmd_info, text_has_no_costs)
{
    text_file file = write_text("a,b\n1,x\n");
    dvt_expect(DVT_RUN("info", "--quiet", file.path.text), 0,
               "*\n\ncolumn  type\na       I8\nb       TX\n", "");
    dvt_expect(DVT_RUN("info", "--json", file.path.text), 0, "*\"stored_nbytes\":null,", "");
    dvt_folder_remove(&file.folder);
}

Test(cmd_info, wide_text)
{
    dvt_lines wide = {0};
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < 10000; i++)
            dvt_lines_print(&wide, "%s%d%s", row ? "" : "x", i, i < 9999 ? "," : "\n");
    text_file file = write_text(wide.data);
    const dvt_path kept = dvt_path_in(&file.folder, "kept");
    dvt_expect(DVT_RUN("info", "--quiet", file.path.text), 0, "*  columns  10000\n", "");
    dvt_expect(DVT_RUN("info", file.path.text), 0, "*\ndataview info --text @FILE '/", "");
    dvt_run found = DVT_RUN("info", "--proposal", file.path.text);
    dvt_file_write(&kept, found.out.data, found.out.nbytes);
    char at[sizeof kept.text + 1];
    snprintf(at, sizeof at, "@%s", kept.text);
    dvt_expect(found, 0, "*" FOUND "col=x0:I8:0 ", "");
    dvt_expect(DVT_RUN("cat", "--text", at, "-c", "x9999", file.path.text), 0, "x9999\n9999\n", "");
    dvt_lines_free(&wide);
    dvt_folder_remove(&file.folder);
}

/* info once recommended itself for a file without a proposal. */
Test(cmd_info, an_empty_file_needs_its_columns)
{
    text_file file = write_text("");
    const char *path = file.path.text;
    const char *const verbs[] = {"info", "head"};
    for (size_t i = 0; i < 2; i++) {
        dvt_run run = DVT_RUN(verbs[i], path);
        cr_expect_not(strstr(dvt_text_of(&run.err), "proposes"), "%s", verbs[i]);
        dvt_expect(run, 1, "", "*say what its columns are, such as --text 'col=Name:TX:0 ");
    }
    dvt_expect(DVT_RUN("info", "--text", "col=Name:TX:0", path), 0, "*  rows     0\n", "");
    dvt_folder_remove(&file.folder);
}

/* What ML.NET would read opens as its proposal all the same. */
Test(cmd_info, text_that_mlnet_opens)
{
    text_file file = write_text("1\t2\t3\n4\t5\t6\n");
    dvt_expect(DVT_RUN("info", "--text", "", file.path.text), 0, "*Features  V<R4,2>", "");
    dvt_expect(DVT_RUN("info", "--text", "mlnet", file.path.text), 0, "*Features  V<R4,2>", "");
    dvt_expect(DVT_RUN("info", file.path.text), 0, "*C2      I8", "");
    dvt_file_write(&file.path, "#@ Text{ col=A:0 }\n1\n", 21);
    dvt_run named = DVT_RUN("info", file.path.text);
    cr_expect_not(strstr(dvt_text_of(&named.out), "does not say"));
    dvt_expect(named, 0, "*A       R4", "");
    dvt_expect(DVT_RUN("info", "--json", file.path.text), 0, "*\"proposed_text\":null}", "");
    dvt_folder_remove(&file.folder);
}
