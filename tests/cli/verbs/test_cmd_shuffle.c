/* SPDX-License-Identifier: MIT */
/* test_cmd_shuffle.c: `dataview shuffle` writes the same rows in the order of its seed. */
#include "cli/letters.h"

#define PEOPLE DVT_GOLDEN("people")

static dvt_path write_digits(const dvt_path *folder)
{
    return dvt_write_letters(folder, "digits.csv", "0123456789");
}

/* The orders of datadings:5.3: seed 10 is that of ten rows. */
Test(cmd_shuffle, order_of_the_seed)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path in = write_digits(&folder), out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("shuffle", DVT_LETTERS, in.text, out.text), 0,
               "*out.idv: 10 rows, 1 column, ", "");
    dvt_expect_letters(out.text, "5271843609");
    dvt_expect(DVT_RUN("shuffle", DVT_LETTERS, "--seed=20", "--quiet", in.text, out.text), 0, "",
               "");
    dvt_expect_letters(out.text, "5307896142");
    dvt_folder_remove(&folder);
}

/* The selected rows, each once, over all files. */
Test(cmd_shuffle, of_a_selection)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path in = write_digits(&folder), out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("shuffle", DVT_LETTERS, "--rows=5:9", "--skip=1", in.text, out.text), 0,
               "*: 3 rows, 1 column", "");
    dvt_expect_letters(out.text, "786"); /* 1 2 0, from 6 on */
    dvt_expect(
        DVT_RUN("shuffle", DVT_LETTERS, "--rows=8:", "--seed=10", in.text, in.text, out.text), 0,
        "*: 12 rows, 1 column", "");
    dvt_expect(DVT_RUN("shuffle", DVT_LETTERS, "--rows=20:", in.text, out.text), 0, "*: 0 rows, 1 ",
               "");
    dvt_expect_letters(out.text, "");
    dvt_folder_remove(&folder);
}

/* OUT is the input; columns and metadata do not change. */
Test(cmd_shuffle, in_place)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path one = dvt_path_in(&folder, "one.idv"), two = dvt_path_in(&folder, "two.idv");
    dvt_expect(DVT_RUN("shuffle", PEOPLE, one.text), 0, "*: 600 rows, 5 columns, ", "");
    dvt_expect(DVT_RUN("convert", PEOPLE, two.text), 0, NULL, "");
    dvt_expect(DVT_RUN("shuffle", two.text, two.text), 0, NULL, "");
    dvt_expect(DVT_RUN("diff", one.text, two.text), 0, "*same: 600 rows", "");
    dvt_expect(DVT_RUN("diff", PEOPLE, two.text), 1, "*different: ", "");
    cr_expect_eq(dvt_folder_entries(&folder), 2);
    dvt_folder_remove(&folder);
}

/* Samples are copied unchanged, with what no column holds; --where has to look inside them. */
Test(cmd_shuffle, samples)
{
    dvt_path folder = dvt_folder_create();
    const char *tiny = dvt_file("golden/datadings/tiny.msgpack");
    const dvt_path out = dvt_path_in(&folder, "out.msgpack"), in = dvt_path_in(&folder, "in.idv");
    dvt_expect(DVT_RUN("shuffle", tiny, out.text), 0, "*out.msgpack: 3 rows, ", "");
    dvt_expect(DVT_RUN("cat", "-c", "key", out.text), 0, "key\nb/1\n\u00fc\na\n", "");
    dvt_expect(DVT_RUN("convert", tiny, out.text), 0, NULL, "");
    dvt_expect(DVT_RUN("diff", "--datadings=raw", tiny, out.text), 0, "*same: 3 rows", "");
    dvt_expect(DVT_RUN("shuffle", "--where", "label<300", "-c", "key,label", tiny, out.text), 0,
               "*out.msgpack: 2 rows, ", "");
    dvt_expect(DVT_RUN("shuffle", "--where", "label==300", "--allow-loss=types", tiny, out.text), 0,
               "*out.msgpack: 1 row, ", "");
    dvt_expect(DVT_RUN("shuffle", "-c", "key,label", tiny, in.text), 0, "*in.idv: 3 rows, 2 ", "");
    dvt_folder_remove(&folder);
}

Test(cmd_shuffle, json)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("shuffle", "--json", PEOPLE, out.text), 0, "*\"rows\":600,", "");
    dvt_expect(DVT_RUN("shuffle", "--json", PEOPLE, out.text), 0, "*\"seed\":600,", "");
    dvt_expect(DVT_RUN("shuffle", "--json", "--seed=0", PEOPLE, out.text), 0, "*\"seed\":0,", "");
    dvt_folder_remove(&folder);
}

Test(cmd_shuffle, usage_and_defects)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("shuffle", PEOPLE), 2, "", "*shuffle needs the name of the file to write: ");
    dvt_expect(DVT_RUN("shuffle", "--seed=-1", PEOPLE, out.text), 2, "",
               "*--seed expects a number");
    dvt_expect(DVT_RUN("shuffle", "--strategy=random", PEOPLE, out.text), 2, "",
               "*--strategy is not an option of shuffle");
    dvt_expect(DVT_RUN("shuffle", DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280"), out.text),
               1, "", "*offset 280: ");
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dvt_folder_remove(&folder);
}
