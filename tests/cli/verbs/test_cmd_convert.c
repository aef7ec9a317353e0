/* SPDX-License-Identifier: MIT */
/* test_cmd_convert.c: `dataview convert` writes the same table, or nothing. */
#include "cli/run.h"
#include "support/file.h"
#include "support/written.h"
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define PEOPLE DVT_GOLDEN("people")
#define PEOPLE_NAME "people.idv" /* one more file, which is not opened */
#define OLD_KEY DVT_CRAFTED("old-key-min")
#define BOOL_NA DVT_CRAFTED("old-dvbool")

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The number of files in a folder, with hidden ones. */
static int count_files(const dvt_path *folder)
{
    int n = 0;
    DIR *dir = opendir(folder->text);
    cr_assert(dir);
    for (const struct dirent *entry; (entry = readdir(dir));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static void expect_same(const char *a, const char *b)
{
    dvt_expect(DVT_RUN("diff", "--hidden", "--layout", a, b), 0, "*same: ", "");
}

Test(cmd_convert, as_it_is)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("convert", PEOPLE, out.text), 0, "*out.idv: 600 rows, 5 columns, 27.1 KiB\n",
               "");
    expect_same(PEOPLE, out.text);
    dvt_expect(DVT_RUN("convert", "--quiet", "--no-sync", PEOPLE, out.text), 0, "", "");
    expect_same(PEOPLE, out.text);
    cr_expect_eq(count_files(&folder), 1);
    dvt_folder_remove(&folder);
}

/* `info` shows the effect of each option. */
Test(cmd_convert, options_of_idv)
{
    static const struct {
        const char *first, *second, *shown;
    } cases[] = {
        {"--compression=deflate", "--quiet", "* deflate 3.0x"},
        {"--compression=zlib", "--level=12", "* zlib 3.0x "},
        {"--compression=none", "--align=4096", "* none "},
        {"--rows-per-block=100", "--quiet", "*6 per column, 100 rows each\n"},
        {"--block-bytes=1K", "--quiet", "*  blocks   28 per column, 22 rows each\n"},
        {"--idv-version=1.1.1.5", "--quiet", "*idv 1.1.1.5\n"},
        {"--to=idv", "--bool=2bit", "*idv 1.1.1.6\n"},
        {"--columns=Age,Name", "--rows=:7", "*  rows     7\n"},
        {"--drop=T*", "--skip=590", "*  rows     10\n  columns  4\n"},
        {"--take=5", "--threads=3", "*  rows     5\n"},
    };
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    for (size_t i = 0; i < COUNT(cases); i++) {
        dvt_expect(DVT_RUN("convert", cases[i].first, cases[i].second, PEOPLE, out.text), 0, NULL,
                   "");
        dvt_expect(DVT_RUN("info", out.text), 0, cases[i].shown, "");
    }
    dvt_folder_remove(&folder);
}

/* Several files are one table; OUT can be one of them. */
Test(cmd_convert, several_files)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv"), twice = dvt_path_in(&folder, "2.idv");
    const char *two = DVT_GOLDEN("rows-2-raw"), *one = DVT_GOLDEN("rows-1");
    dvt_expect(DVT_RUN("convert", one, two, out.text), 0, "*out.idv: 3 rows, 2 columns, ", "");
    dvt_expect(DVT_RUN("convert", two, out.text, out.text), 0, "*: 5 rows, 2 columns, ", "");
    dvt_expect(DVT_RUN("convert", out.text, out.text), 0, "*: 5 rows, 2 columns, ", "");
    dvt_expect(DVT_RUN("diff", "--rows=:2", out.text, two), 0, "same: 2 rows, 2 columns\n", "");

    /* OUT in the input folder: the first run succeeds, the second would read it. */
    dvt_expect(DVT_RUN("convert", folder.text, twice.text), 0, "*: 5 rows, 2 columns, ", "");
    dvt_expect(DVT_RUN("convert", folder.text, twice.text), 2, "",
               "*2.idv exists and is one of the 2 input files; ");
    cr_expect_eq(count_files(&folder), 2);
    dvt_folder_remove(&folder);
}

/* An existing OUT is replaced and keeps its permissions; a link stays a link. */
Test(cmd_convert, over_an_old_file)
{
    struct stat facts;
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv"), link = dvt_path_in(&folder, "link.idv");
    dvt_file_write(&out, "old", 3);
    cr_assert_eq(chmod(out.text, 0640), 0);
    cr_assert_eq(symlink("out.idv", link.text), 0);
    dvt_expect(DVT_RUN("convert", PEOPLE, link.text), 0, NULL, "");
    expect_same(PEOPLE, out.text);
    cr_assert_eq(stat(out.text, &facts), 0);
    cr_expect_eq(facts.st_mode & 0777, 0640);
    cr_assert_eq(lstat(link.text, &facts), 0);
    cr_expect(S_ISLNK(facts.st_mode));
    dvt_folder_remove(&folder);
}

/* A loss that only values show is reported with row and column, and the old file stays. */
Test(cmd_convert, values_that_have_no_place)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_file_write(&out, "old", 3);
    dvt_expect(
        DVT_RUN("convert", BOOL_NA, out.text), 1, "",
        "*out.idv: row 2, column \"b\": expected true or false, or --bool 2bit, or --allow-loss "
        "na, found NA\n");
    size_t nbytes;
    uint8_t *bytes = dvt_file_read(out.text, &nbytes);
    cr_expect(nbytes == 3 && memcmp(bytes, "old", 3) == 0);
    free(bytes);
    cr_expect_eq(count_files(&folder), 1);
    dvt_expect(DVT_RUN("convert", "--bool=2bit", BOOL_NA, out.text), 0, NULL, "");
    expect_same(BOOL_NA, out.text);
    dvt_expect(DVT_RUN("convert", "--allow-loss=na", BOOL_NA, out.text), 0, NULL, "");
    dvt_expect(DVT_RUN("diff", BOOL_NA, out.text), 1, "*NA  0\n", "");
    dvt_folder_remove(&folder);
}

/* A loss that schema and metadata show is listed, with the option that allows it. */
Test(cmd_convert, refusals)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("convert", OLD_KEY, out.text), 1, "",
               "*out.idv: not written, because its format cannot hold:\n"
               "  column \"k\": a key that starts above 0 needs the old codec (--keys old) "
               "(--allow-loss columns)\n"
               "to write it with these losses: --allow-loss columns\n");
    cr_expect_eq(count_files(&folder), 0);
    dvt_run run = DVT_RUN("convert", "--json", OLD_KEY, out.text);
    cr_expect(strstr(dvt_text_of(&run.out), "\"losses\":[\n{\"loss\":\"columns\",\"is_allowed\":"
                                            "false,\"index\":0,\"column\":\"k\",\"kind\":null,"));
    dvt_expect(run, 1, "*,\"is_saved\":false}\n", "*not written");
    dvt_expect(DVT_RUN("convert", "--keys=old", OLD_KEY, out.text), 0, NULL, "");
    expect_same(OLD_KEY, out.text);
    dvt_expect(DVT_RUN("convert", "--allow-loss=metadata,columns", OLD_KEY, out.text), 0,
               "*: 2 rows, 0 columns, 264 B\n"
               "lost, as allowed:\n"
               "  column \"k\": a key that starts above 0 needs the old codec (--keys old) "
               "(columns)\n",
               "");
    dvt_folder_remove(&folder);
}

/* The list is wrapped; after 16 lines, losses are counted. */
Test(cmd_convert, refusals_fit_the_screen)
{
    static const int widths[] = {40, 80, 200};
    const char *file = DVT_GOLDEN("scalar-all-raw-rpb7");
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "o.idv");
    for (size_t i = 0; i < COUNT(widths); i++) {
        const dvt_setting setting = {DVT_STDOUT_PIPE, widths[i], false, NULL};
        dvt_run run = DVT_RUN_WITH(&setting, "convert", "--keys=old", file, out.text);
        const char *line = strstr(dvt_text_of(&run.err), "\n  column");
        cr_assert(line);
        for (size_t n; *++line; line += n) {
            n = strcspn(line, "\n");
            cr_expect_leq((int)n, widths[i], "%.*s", (int)n, line);
        }
        dvt_expect(run, 1, "", "*column \"K8\": the old codec ");
    }
    dvt_folder_remove(&folder);
}

/* Columns that cannot be read are not in the view, but count as a loss. */
Test(cmd_convert, columns_that_cannot_be_read)
{
    const char *file = DVT_CRAFTED("dead-compression");
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_run refused = DVT_RUN("convert", file, out.text);
    cr_expect(strstr(dvt_text_of(&refused.err), "dataview: warning: "));
    dvt_expect(
        refused, 1, "",
        "*1 column of the input with an unknown type or compression (--allow-loss columns)\n");
    dvt_expect(DVT_RUN("convert", "--allow-loss", "columns", file, out.text), 0,
               "*lost, as allowed:\n  1 column of the input with ", NULL);
    dvt_expect(DVT_RUN("convert", "--quiet", "--columns=*", file, out.text), 0, "", "");
    const char *metadata = DVT_CRAFTED("dead-metadata");
    dvt_expect(DVT_RUN("convert", "--quiet", metadata, out.text), 1, "",
               "*  1 metadata value of the input with an unknown type or compression "
               "(--allow-loss metadata)\n");
    dvt_expect(DVT_RUN("convert", "--quiet", "--convert", "x:R8", metadata, out.text), 1, "",
               "*to write it with these losses: --allow-loss metadata\n");
    dvt_expect(DVT_RUN("convert", "--quiet", "--allow-loss=metadata", metadata, out.text), 0, "",
               "");
    dvt_folder_remove(&folder);
}

/* What ML.NET 1.5 says to such a file: its only codec for vectors of row ids is DataViewRowId. */
Test(cmd_convert, row_ids_that_mlnet_cannot_read)
{
    static const char warning[] =
        "*dataview: warning: column \"dense4\": ML.NET refuses a file with ";
    const char *vectors = DVT_GOLDEN("vector-UG"), *scalars = DVT_GOLDEN("scalar-UG-deflate");
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    const char *old = "--idv-version=1.1.1.5";
    dvt_expect(DVT_RUN("convert", old, vectors, out.text), 0, NULL, warning);
    dvt_expect(DVT_RUN("convert", vectors, out.text), 0, NULL, "");
    dvt_expect(DVT_RUN("convert", old, scalars, out.text), 0, NULL, "");
    dvt_expect(DVT_RUN("convert", old, "--quiet", vectors, out.text), 0, "", "");
    dvt_folder_remove(&folder);
}

Test(cmd_convert, hidden_columns)
{
    const char *file = DVT_GOLDEN("names-duplicate-kept");
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("convert", file, out.text), 0,
               "*left out: 2 hidden columns (--hidden keeps them)\n", "");
    dvt_expect(DVT_RUN("diff", file, out.text), 0, NULL, "");
    dvt_expect(DVT_RUN("diff", "--hidden", file, out.text), 1, "*2 in the schema\n", "");
    dvt_expect(DVT_RUN("convert", "--hidden", file, out.text), 0, "*.idv: 3 rows, 4 columns, ", "");
    expect_same(file, out.text);
    dvt_folder_remove(&folder);
}

Test(cmd_convert, json)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_run run = DVT_RUN("convert", "--json", PEOPLE, out.text);
    cr_expect(strstr(dvt_text_of(&run.out), ",\"format\":\"idv\",\"rows\":600,"
                                            "\"column_count\":5,\"out_nbytes\":27785,"));
    cr_expect(strstr(dvt_text_of(&run.out), ",\"losses\":[],\"out\":"));
    cr_expect(strstr(dvt_text_of(&run.out), ",\"hidden_column_count\":0,\"file_nbytes\":11570,"));
    dvt_expect(run, 0, "*,\"is_saved\":true}\n", "");
    dvt_expect(DVT_RUN("convert", "--json", BOOL_NA, out.text), 1, "", "*row 2");
    dvt_folder_remove(&folder);
}

/* Written text names its columns; --text describes the input, and --to-text the output. */
Test(cmd_convert, text)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path txt = dvt_path_in(&folder, "out.txt"), row = dvt_path_in(&folder, "row.txt");
    const dvt_path idv = dvt_path_in(&folder, "out.idv"), any = dvt_path_in(&folder, "out");
    dvt_expect(DVT_RUN("convert", PEOPLE, txt.text), 0, "*600 rows, 5 columns, 30.7 KiB\n", "");
    dvt_expect(DVT_RUN("convert", txt.text, idv.text), 0, "*600 rows, 5 columns, ", "");
    expect_same(PEOPLE, idv.text);
    dvt_expect(DVT_RUN("convert", "--text", "sep=bar", PEOPLE, txt.text), 2, "",
               "dataview: --text says how to read text, but no input is text; --to-text says how "
               "to write it\n");
    dvt_expect(DVT_RUN("convert", "--to-text", "sep=bar", PEOPLE, txt.text), 0, "*5 columns", "");
    dvt_expect(DVT_RUN("cat", "--from", "text", "--text", "sep=bar header+ col=a:TX:0 col=b:TX:1",
                       txt.text),
               0, "*user 1919\t1\n", "*out.txt: 450 lines have more fields than columns: ");
    dvt_expect(DVT_RUN("convert", "--text", "sep=bar header+ col=a:TX:0", "--to-text",
                       "sep=semicolon schema- header-", "--take", "1", txt.text, row.text),
               0, "*row.txt: 1 row, 7 B\n", "");
    dvt_expect(DVT_RUN("convert", "--to", "text", PEOPLE, any.text), 0, "*5 columns", "");
    expect_same(PEOPLE, any.text);
    dvt_folder_remove(&folder);
}

#define KEEPS                                                                                      \
    "dataview: a CSV keeps names and values, but not types, metadata and row ids; a file in "      \
    ".txt, "                                                                                       \
    "or --to-text schema+, keeps the types\n"

/* A name in .csv is for other programs, and a line says what they will miss. */
Test(cmd_convert, csv_for_others)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path csv = dvt_path_in(&folder, "out.csv"), tsv = dvt_path_in(&folder, "out.tsv");
    dvt_expect(DVT_RUN("convert", PEOPLE, csv.text), 1, "",
               "*not written, because its format cannot hold:\n  column \"Tags\": a vector of "
               "varying size has no columns in a CSV; --to-text schema+ writes it as the last "
               "column (--allow-loss columns)\n");
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dvt_expect(DVT_RUN("convert", "--drop", "Tags", "--take", "2", PEOPLE, csv.text), 0,
               "*out.csv: 2 rows", KEEPS);
    cr_expect(dvt_file_holds(&csv,
                             "Name,Age,Active,Seen\n"
                             "user 0,,true,2020-01-01T00:00:00.0000000\n"
                             "user 1919,1,false,2020-01-01T16:17:00.0000000\n",
                             108));
    dvt_expect(
        DVT_RUN("convert", "-c", "Name,Age", "--take", "1", "--quiet", PEOPLE, tsv.text), 1, "",
        "*column \"Age\": expected numbers when it is read again, or --allow-loss types, found "
        "texts; if all its values are missing, a CSV shows no type: leave it out");
    dvt_expect(DVT_RUN("convert", "-c", "Name,Age", "--take", "1", "--quiet", "--allow-loss=types",
                       PEOPLE, tsv.text),
               0, "", "");
    cr_expect(dvt_file_holds(&tsv, "Name\tAge\nuser 0\t\n", 17));
    dvt_expect(DVT_RUN("convert", "--to-text", "schema+", PEOPLE, csv.text), 0, "*5 columns", "");
    expect_same(PEOPLE, csv.text);
    dvt_run run = DVT_RUN("convert", "--json", "-c", "Age", PEOPLE, csv.text);
    cr_expect(strstr(dvt_text_of(&run.out), "\"losses\":[\n{\"loss\":\"types\",\"is_allowed\":true,"
                                            "\"index\":null"),
              "%s", dvt_text_of(&run.out));
    dvt_expect(run, 0, "*\"is_saved\":true}\n", "");
    dvt_folder_remove(&folder);
}

/* What a text does not hold as its column's type is not lost in silence. */
Test(cmd_convert, fields_that_are_no_values)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path in = dvt_path_in(&folder, "in.txt"), out = dvt_path_in(&folder, "out.idv");
    char *text = "sep=, header+ col=a:R4:0 col=b:TX:1";
    dvt_file_write(&in, "a,b\n1,x\nNA,y\n,z\n", 16);
    dvt_expect(DVT_RUN("convert", "--text", text, in.text, out.text), 0, "*3 rows, 2 columns", "");
    dvt_file_write(&in, "a,b\n1,x\nten,y\n", 14);
    dvt_expect(DVT_RUN("convert", "--text", text, in.text, out.text), 1, "",
               "*in.txt: row 1: column \"a\": field: expected R4, or --allow-loss fields, found "
               "\"ten\" (semantics:6.4)\n");
    dvt_expect(DVT_RUN("shuffle", "--text", text, in.text, out.text), 1, "",
               "*row 1: column \"a\": field: expected R4, or --allow-loss fields, found \"ten\"");
    dvt_expect(DVT_RUN("convert", "-c", "b", "--text", text, in.text, out.text), 0, "*2 rows", "");
    dvt_expect(DVT_RUN("convert", "--text", text, "--allow-loss", "fields", in.text, out.text), 0,
               "*2 rows, 2 columns",
               "*in.txt: column \"a\": 1 field is no value of R4: \"ten\" in row 1\n");
    dvt_expect(DVT_RUN("cat", out.text), 0, "a\tb\n1\tx\n\ty\n", "");
    dvt_expect(DVT_RUN("verify", "--text", text, in.text), 1,
               "*column \"a\": 1 field is no value of R4: \"ten\" in row 1 "
               "(semantics:6.4)\n",
               "*not sound: the first defect is at offset 8\n");
    dvt_folder_remove(&folder);
}

/* A cache that holds what was refused is not used. */
Test(cmd_convert, caches_do_not_hide_bad_fields)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path in = dvt_path_in(&folder, "in.txt"), out = dvt_path_in(&folder, "out.idv");
    const dvt_path cache = dvt_path_in(&folder, "rows");
    char *text = "sep=, header+ col=a:R4:0";
    dvt_file_write(&in, "a\n1\nten\n", 8);
    dvt_expect(DVT_RUN("cat", "--text", text, "--cache", cache.text, in.text), 0, "a\n1\n\n",
               "*in.txt: column \"a\": 1 field is no value of R4: \"ten\" in row 1\n");
    dvt_expect(DVT_RUN("convert", "--text", text, "--cache", cache.text, in.text, out.text), 1, "",
               "*--allow-loss fields, found \"ten\"");
    dvt_folder_remove(&folder);
}

/* Six files, with keys from a column or from row numbers. */
Test(cmd_convert, datadings)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path set = dvt_path_in(&folder, "out.msgpack"), idv = dvt_path_in(&folder, "out.idv");
    const dvt_path again = dvt_path_in(&folder, "again"), keys = dvt_path_in(&folder, "out.keys");
    dvt_expect(
        DVT_RUN("convert", PEOPLE, set.text), 1, "",
        "*no column \"key\" with keys: key=NAME names another column, key=rownumber makes keys");
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dvt_expect(DVT_RUN("convert", "--to-datadings", "key=rownumber", "--allow-loss", "types",
                       PEOPLE, set.text),
               0, "*600 rows, 6 columns, ", "");
    cr_expect_eq(dvt_folder_entries(&folder), 6);
    dvt_expect(DVT_RUN("convert", set.text, idv.text), 0, "*600 rows, 6 columns, ", "");
    dvt_expect(DVT_RUN("convert", "--to", "datadings", idv.text, again.text), 0, "*6 columns", "");
    expect_same(set.text, again.text);
    dvt_expect(DVT_RUN("convert", "--to", "datadings", idv.text, keys.text), 2, "",
               "*datadings cannot end in .keys");
    dvt_expect(DVT_RUN("convert", "--to-datadings", "odd=1", PEOPLE, set.text), 2, "",
               "*unknown option \"odd\": the options are key, drop_metadata and defaults_nbytes");
    dvt_folder_remove(&folder);
}

/* The label of sample "b/1" is changed to c1, which msgpack does not have. */
static dvt_path write_damaged(const dvt_path *folder)
{
    static const char *const suffixes[] = {"",        ".offsets", ".keys", ".key_hashes",
                                           ".filter", ".md5"};
    const dvt_path path = dvt_path_in(folder, "tiny.msgpack");
    for (int i = 0; i < 6; i++) {
        char name[64];
        size_t n;
        snprintf(name, sizeof name, "golden/datadings/tiny.msgpack%s", suffixes[i]);
        uint8_t *data = dvt_file_read(dvt_file(name), &n);
        uint8_t *label = i == 0 ? memmem(data, n, "label\xff", 6) : NULL;
        if (label)
            label[5] = 0xC1;
        const dvt_path copy = dvt_path_in(folder, strrchr(name, '/') + 1);
        dvt_file_write(&copy, data, n);
        free(data);
    }
    return path;
}

/* A copy of damaged samples had digests of its own, and nothing said so. */
Test(cmd_convert, damaged_samples)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path in = write_damaged(&folder), out = dvt_path_in(&folder, "out.msgpack");
    dvt_expect(DVT_RUN("convert", in.text, out.text), 1, "",
               "*out.msgpack: row 1, key \"b/1\": damaged at byte 83 (datadings:8.26): expected a "
               "sound message, or --allow-loss damaged, found c1\n");
    cr_expect_eq(dvt_folder_entries(&folder), 6);
    dvt_expect(
        DVT_RUN("convert", "--allow-loss", "damaged", in.text, out.text), 0,
        "*\nlost, as allowed:\n  row 1, key \"b/1\": offset 83: msgpack: expected a type byte of "
        "the specification, found c1 (datadings:8.26) (damaged)\n  some of the samples: "
        "expected MD5 18e40a37666336555c24832ebfb45b13 of all, as .md5 lists it, found ",
        "");
    dvt_run run = DVT_RUN("convert", "--json", "--allow-loss=damaged", in.text, out.text);
    cr_expect(strstr(dvt_text_of(&run.out),
                     "{\"loss\":\"damaged\",\"is_allowed\":true,\"index\":null,\"column\":null,"
                     "\"kind\":null,\"row\":1,\"message\":\"row 1, key \\\"b/1\\\": offset 83: "),
              "%s", dvt_text_of(&run.out));
    dvt_expect(run, 0, "*,\"is_saved\":true}\n", "");
    dvt_expect(DVT_RUN("convert", "--rows=2:", in.text, out.text), 0, "*1 row, ", "");
    dvt_expect(DVT_RUN("split", "--out", out.text, "--allow-loss=damaged", in.text, "1"), 0,
               "*out-1.msgpack: row 0, key \"b/1\": ", "");
    dvt_folder_remove(&folder);
}

Test(cmd_convert, usage)
{
    static const struct {
        const char *option, *value, *out, *sentence;
    } wrong[] = {
        {"--to", "ivd", "o.idv", "--to does not accept 'ivd'; did you mean idv?"},
        {"--allow-loss", "colums", "o.idv",
         "--allow-loss does not accept 'colums'; did you mean "
         "columns?"},
        {"--allow-loss", "na,,", "o.idv", NULL},
        {"--compression", "gzip", "o.idv", NULL},
        {"--level", "0", "o.idv", "--level expects 1 to 12, not '0'"},
        {"--level", "13", "o.idv", "--level expects 1 to 12, not '13'"},
        {"--level", "3", "o.idv", "--level needs --compression deflate or --compression zlib"},
        {"--align", "65", "o.idv", "--align expects a power of two from 8 to 4096, not '65'"},
        {"--align", "4", "o.idv", "--align expects a power of two from 8 to 4096, not '4'"},
        {"--align", "8192", "o.idv", "--align expects a power of two from 8 to 4096, not '8192'"},
        {"--rows-per-block", "0", "o.idv", "--rows-per-block must be at least 1"},
        {"--block-bytes", "0", "o.idv", "--block-bytes must be at least 1"},
        {"--block-bytes", "1T", "o.idv", NULL},
        {"--block-bytes", "9223372036854775807K", "o.idv", NULL},
        {"--block-bytes", "K", "o.idv", NULL},
        {"--idv-version", "1.1.1.4", "o.idv", NULL},
        {"--keys", "older", "o.idv", "--keys does not accept 'older'; did you mean old?"},
        {"--bool", "3bit", "o.idv", NULL},
        {"--rows-per-blck", "3", "o.idv",
         "convert has no option --rows-per-blck; did you mean "
         "--rows-per-block?"},
        {"--align", "64", "o.btable", "--align is an option for idv, but the output is btable"},
        {"--canonical", PEOPLE_NAME, "o.idv",
         "--canonical is an option for btable, but the output is idv"},
        {"--align", "64", "o.csv", "--align is an option for idv, but the output is text"},
        {"--to-text", "dense", "o.btable",
         "--to-text is an option for text, but the output is btable"},
        {"--to-datadings", "key=Name", "o.idv",
         "--to-datadings is an option for datadings, but the output is idv"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char sentence[256];
        snprintf(sentence, sizeof sentence, "dataview: %s\n", wrong[i].sentence);
        dvt_expect(DVT_RUN("convert", wrong[i].option, wrong[i].value, PEOPLE, wrong[i].out), 2, "",
                   wrong[i].sentence ? sentence : "*dataview: ");
    }
    dvt_expect(DVT_RUN("convert", "--allow-loss", "na,,", PEOPLE, "o.idv"), 2, "",
               "*--allow-loss does not accept ''; it accepts columns, metadata, names, ");
    dvt_expect(
        DVT_RUN("convert", PEOPLE), 2, "",
        "dataview: convert needs the name of the file to write: dataview convert FILE... OUT\n");
    dvt_expect(DVT_RUN("convert", PEOPLE, "-"), 2, "", "*cannot write to standard output");
    dvt_expect(DVT_RUN("cat", "--align=8", PEOPLE), 2, "", "*--align is not an option of cat\n");
    dvt_expect(DVT_RUN("convert", PEOPLE, "o.dat"), 2, "",
               "*o.dat: which format? give its name a known extension");
    dvt_expect(DVT_RUN("convert", "--to-text", "col=a:0", PEOPLE, "o.csv"), 2, "",
               "*option col is not for writing text");
    dvt_expect(DVT_RUN("convert", PEOPLE, "o"), 2, "",
               "*give its name a known extension, or say --to one of idv");
}

/* A missing folder, a folder as OUT, bad data half-way: nothing is left. */
Test(cmd_convert, what_fails_leaves_nothing)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv"), no = dvt_path_in(&folder, "no/out.idv");
    dvt_expect(DVT_RUN("convert", PEOPLE, no.text), 3, "", "*No such file or directory\n");
    dvt_expect(DVT_RUN("convert", "--to=idv", PEOPLE, folder.text), 3, "", "*a directory");
    dvt_expect(DVT_RUN("convert", DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280"), out.text),
               1, "", "*offset 280: ");
    dvt_expect(DVT_RUN("convert", "no-such-file.idv", out.text), 3, "", "*No such file");
    cr_expect_eq(count_files(&folder), 0);
    dvt_folder_remove(&folder);
}

/* A limit on the file size stands for a full disk. */
Test(cmd_convert, no_room)
{
    struct rlimit before, limit;
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){10000, before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    dvt_run run = DVT_RUN("convert", PEOPLE, out.text);
    setrlimit(RLIMIT_FSIZE, &before);
    dvt_expect(run, 3, "", "*File too large\n");
    cr_expect_eq(count_files(&folder), 0);
    dvt_folder_remove(&folder);
}

/* The file is written even if the report about it fails. */
Test(cmd_convert, standard_output_that_fails)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    const dvt_setting full = {.out = DVT_STDOUT_FULL}, closed = {.out = DVT_STDOUT_CLOSED};
    const dvt_setting broken = {.out = DVT_STDOUT_BROKEN};
    dvt_expect(DVT_RUN_WITH(&full, "convert", PEOPLE, out.text), 3, "", "*No space left");
    dvt_expect(DVT_RUN_WITH(&closed, "convert", PEOPLE, out.text), 3, "", "*Bad file descriptor");
    dvt_expect(DVT_RUN_WITH(&broken, "convert", PEOPLE, out.text), 0, "", "");
    expect_same(PEOPLE, out.text);
    dvt_folder_remove(&folder);
}

Test(cmd_convert, progress)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("convert", "--progress", PEOPLE, out.text), 0, NULL, "*100 %, 600 rows, ");
    dvt_expect(DVT_RUN("convert", "--progress", PEOPLE, out.text), 0, NULL, "*B/s, 0 s left\n");
    dvt_folder_remove(&folder);
}

/* A table that takes a while: many files. */
static void write_many(const dvt_path *list, const char *file, int n)
{
    const size_t each = strlen(file) + 1;
    char *text = malloc(each * (size_t)n);
    cr_assert(text);
    for (int i = 0; i < n; i++) {
        memcpy(text + each * (size_t)i, file, each - 1);
        text[each * (size_t)(i + 1) - 1] = '\n';
    }
    dvt_file_write(list, text, each * (size_t)n);
    free(text);
}

static void expect_stopped(const dvt_path *folder, const char *list, int number)
{
    const dvt_path out = dvt_path_in(folder, "out.idv");
    int err[2], status = 0;
    char said[512];
    cr_assert(pipe2(err, O_CLOEXEC) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const dvt_setting setting = {.out = DVT_STDOUT_CLOSED};
        char *argv[] = {strdup("dataview"),   strdup("convert"),
                        strdup("--progress"), strdup("--compression=deflate"),
                        strdup("--level=12"), strdup(list),
                        strdup(out.text),     NULL};
        dvt_become(&setting, -1, err[1], argv);
    }
    close(err[1]);
    cr_assert_gt(read(err[0], said, sizeof said), 0); /* it is working, and has hardly begun */
    cr_expect_geq(count_files(folder), 3);            /* the temporary file too */
    kill(child, number);
    waitpid(child, &status, 0);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == number, "status %d", status);
    cr_expect_eq(count_files(folder), 2);
    close(err[0]);
}

/* Ctrl-C: the parent sees the signal, and no file is left. */
Test(cmd_convert, stopped_by_a_signal)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path many = dvt_path_in(&folder, "many.idv"), list = dvt_path_in(&folder, "list");
    char at_file[600];
    snprintf(at_file, sizeof at_file, "@%s", list.text);
    write_many(&list, PEOPLE, 100);
    dvt_expect(DVT_RUN("convert", "--no-sync", at_file, many.text), 0, "*: 60000 rows, ", "");
    write_many(&list, many.text, 100);
    expect_stopped(&folder, at_file, SIGINT);
    expect_stopped(&folder, at_file, SIGTERM);
    dvt_folder_remove(&folder);
}
