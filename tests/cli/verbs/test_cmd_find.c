/* SPDX-License-Identifier: MIT */
/* test_cmd_find.c: `dataview find` shows the samples with the given keys, and reports missing keys.
 * */
#include "cli/run.h"
#include "support/file.h"
#include "support/lines.h"
#include <stdlib.h>
#include <string.h>

#define TINY dvt_file("golden/datadings/tiny.msgpack")
#define PEOPLE DVT_GOLDEN("people")

Test(cmd_find, rows_in_the_order_of_the_keys)
{
    dvt_expect(DVT_RUN("find", "-c", "key,label", "--ids", TINY, "\u00fc", "a"), 0,
               "#id  key  label\n UG  TX      I8\n  2  \u00fc      300\n  0  a        0\n"
               "2 rows, 2 columns\n",
               "");
    dvt_expect(DVT_RUN("find", "-c", "label", "--quiet", TINY, "a", "a"), 0,
               "label\n   I8\n    0\n    0\n", "");
    dvt_expect(DVT_RUN("find", "--datadings", "raw confirm", "-c", "key", TINY, "b/1"), 0,
               "key\nTX\nb/1\n1 row, 1 column\n", "");
    dvt_expect(DVT_RUN("find", "-c", "label", "--convert", "label:TX", TINY, "a"), 0, "*\n0\n", "");
}

/* Existing keys are shown even if others are missing. */
Test(cmd_find, keys_that_are_not_there)
{
    dvt_expect(DVT_RUN("find", "-c", "label", TINY, "nope", "a", "c\n"), 1,
               "label\n   I8\n    0\n1 row, 1 column\n",
               "dataview: no sample has key 'nope'\n"
               "dataview: no sample has key 'c\\n'\n");
    dvt_expect(DVT_RUN("find", TINY, ""), 1, "", "dataview: no sample has key ''\n");
}

/* Every word after -- is a key, even @x; before it, @x is a file of keys. */
Test(cmd_find, keys_that_look_like_options)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path keys = dvt_path_in(&folder, "keys");
    char at_file[600];
    snprintf(at_file, sizeof at_file, "@%s", keys.text);
    dvt_file_write(&keys, "a\nb/1\n", 6);
    dvt_expect(DVT_RUN("find", "-c", "key", "--quiet", TINY, at_file), 0, "key\nTX\na\nb/1\n", "");
    dvt_expect(DVT_RUN("find", TINY, "--", "-c", "@x", "-"), 1, "",
               "dataview: no sample has key '-c'\ndataview: no sample has key '@x'\n"
               "dataview: no sample has key '-'\n");
    dvt_folder_remove(&folder);
}

/* Files are searched in order; the first that has the key counts. */
Test(cmd_find, in_several_files)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path a = dvt_path_in(&folder, "a.msgpack"), b = dvt_path_in(&folder, "b.msgpack");
    dvt_expect(DVT_RUN("convert", "--rows=1:", TINY, a.text), 0, NULL, "");
    dvt_expect(DVT_RUN("convert", "--rows=:1", TINY, b.text), 0, NULL, "");
    dvt_run run = DVT_RUN("find", "--json", "--datadings", "raw", folder.text, "a", "b/1", "c");
    cr_expect(strstr(dvt_text_of(&run.out), "\"keys\":[\n{\"key\":\"a\",\"row\":2},\n"
                                            "{\"key\":\"b/1\",\"row\":0},\n"
                                            "{\"key\":\"c\",\"row\":null}]}\n"),
              "%s", dvt_text_of(&run.out));
    dvt_expect(run, 1, NULL, "dataview: no sample has key 'c'\n");
    dvt_folder_remove(&folder);
}

/* A line is a key, whatever is in it; there is no limit to their number. */
Test(cmd_find, keys_in_the_lines_of_a_file)
{
    enum { LINES = 30000 };
    dvt_path folder = dvt_folder_create();
    const dvt_path keys = dvt_path_in(&folder, "keys"), set = dvt_path_in(&folder, "s.msgpack");
    const dvt_path table = dvt_path_in(&folder, "t.csv");
    static const char rows[] = "key,v\nu 1,1\na  b,2\n@x,3\n-c,4\n";
    dvt_file_write(&table, rows, sizeof rows - 1);
    dvt_expect(DVT_RUN("convert", "--quiet", table.text, set.text), 0, "*", "*");
    static const char lines[] = "-c\na  b\nu 1\n@x\n2";
    dvt_file_write(&keys, lines, sizeof lines - 1);
    dvt_expect(DVT_RUN("find", "--quiet", "-c", "v", "--keys", keys.text, set.text), 1,
               " v\nI8\n 4\n 2\n 1\n 3\n", "dataview: no sample has key '2'\n");
    dvt_expect(DVT_RUN("find", "-c", "key", "--quiet", "--keys", keys.text, set.text, "u 1"), 1,
               "key\nTX\nu 1\n-c\na  b\nu 1\n@x\n", "dataview: no sample has key '2'\n");
    dvt_file_write(&keys, "\nu 1\r\n", 6);
    dvt_expect(DVT_RUN("find", "--keys", keys.text, set.text), 1, "",
               "dataview: no sample has key ''\ndataview: no sample has key 'u 1\\r'\n");
    dvt_file_write(&keys, "", 0);
    dvt_expect(DVT_RUN("find", "--keys", keys.text, set.text), 0, "", "");
    dvt_expect(DVT_RUN("find", "--keys", "no-such", set.text), 3, "", "*no-such: cannot be read");

    dvt_lines many = {0};
    for (int i = 0; i < LINES; i++)
        dvt_lines_print(&many, i % 10000 ? "@x\n" : "no%d\n", i);
    dvt_file_write(&keys, many.data, many.nbytes);
    dvt_run run = DVT_RUN("find", "-c", "v", "--keys", keys.text, set.text);
    cr_expect(strstr(dvt_text_of(&run.out), "\n29997 rows, 1 column\n"));
    dvt_expect(run, 1, NULL,
               "dataview: no sample has key 'no0'\ndataview: no sample has key 'no10000'\n"
               "dataview: no sample has key 'no20000'\n");
    run = DVT_RUN("find", "--json", "-c", "v", "--keys", keys.text, set.text);
    cr_expect(strstr(dvt_text_of(&run.out), "\"rows\":29997"));
    cr_expect(strstr(dvt_text_of(&run.out), "{\"key\":\"no20000\",\"row\":null}"));
    dvt_expect(run, 1, NULL, "*");
    dvt_lines_free(&many);
    dvt_folder_remove(&folder);
}

/* A hash that belongs to another key leads to no answer: the package shows the other sample. */
Test(cmd_find, a_hash_of_another_key)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path set = dvt_path_in(&folder, "s.msgpack"), table = dvt_path_in(&folder, "t.csv");
    dvt_path hashes = set;
    dvt_lines rows = {0};
    size_t n;
    dvt_lines_print(&rows, "key,v\n");
    for (int i = 0; i < 100; i++)
        dvt_lines_print(&rows, "k%d,%d\n", i, i);
    dvt_file_write(&table, rows.data, rows.nbytes);
    dvt_expect(DVT_RUN("convert", "--quiet", table.text, set.text), 0, "*", "*");
    strcat(hashes.text, ".key_hashes");
    uint8_t *bytes = dvt_file_read(hashes.text, &n);
    uint8_t first[8];
    memcpy(first, bytes + 8 + 8 * 80, 8); /* after those that are compared when the table is made */
    memcpy(bytes + 8 + 8 * 80, bytes + 8 + 8 * 90, 8);
    memcpy(bytes + 8 + 8 * 90, first, 8);
    dvt_file_write(&hashes, bytes, n);
    dvt_expect(DVT_RUN("find", "-c", "v", set.text, "k80"), 1, "",
               "*s.msgpack.key_hashes: offset 728: hash: expected ");
    dvt_expect(DVT_RUN("find", "--quiet", "-c", "v", "--datadings", "confirm-", set.text, "k80"), 0,
               " v\nI8\n90\n", "");
    dvt_expect(DVT_RUN("find", "--quiet", "-c", "v", set.text, "k81"), 0, " v\nI8\n81\n", "");
    free(bytes);
    dvt_lines_free(&rows);
    dvt_folder_remove(&folder);
}

Test(cmd_find, usage_and_failures)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path bare = dvt_path_in(&folder, "bare.msgpack");
    dvt_expect(DVT_RUN("find", TINY), 2, "", "*find needs a key: dataview find FILE KEY...\n");
    dvt_expect(DVT_RUN("find", PEOPLE, "a"), 2, "",
               "*people.idv: find needs a datadings file, but this is idv\n");
    dvt_expect(DVT_RUN("find", "--rows=1:", TINY, "a"), 2, "", "*--rows is not an option of find");
    dvt_expect(DVT_RUN("find", "no-such.msgpack", "a"), 3, "", "*No such file");
    dvt_file_write(&bare, "\x81\xa3key\xa1z", 7);
    dvt_expect(DVT_RUN("find", bare.text, "z"), 1, "", "*bare.msgpack: ");
    dvt_expect(DVT_RUN("find", "--datadings=scan", bare.text, "z"), 0, "*\nz\n", "");
    dvt_folder_remove(&folder);
}
