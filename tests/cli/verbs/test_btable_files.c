/* SPDX-License-Identifier: MIT */
/* test_btable_files.c: every verb accepts a BTable, whose number of rows is unknown. */
#include "cli/run.h"
#include "support/file.h"

#define ARTICLE dvt_file("golden/btable/article.btable")
#define MANY dvt_file("golden/btable/random-00.btable")

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Labels a and b; a row with index 1 twice, 1.0 and 2.0; and an extra byte at the end. */
static const uint8_t sloppy[] =
    "\0\0\0\0\0\0\0\x03\0\x61\0\x1F\0\x62"
    "\0\0\0\x02\0\0\0\x01\x3F\xF0\0\0\0\0\0\0\0\0\0\x01\x40\0\0\0\0\0\0\0\x07";

/* Labels a, b, c; a row that stores 0 and 1. */
static const uint8_t stored_zero[] =
    "\0\0\0\0\0\0\0\x05\0\x61\0\x1F\0\x62\0\x1F\0\x63"
    "\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x3F\xF0\0\0\0\0\0\0";

Test(btable_files, info)
{
    dvt_expect(DVT_RUN("info", ARTICLE), 0,
               "*  format   btable 0\n"
               "  size     282 B\n"
               "  rows     6\n"
               "  columns  1\n"
               "  items    19, in 52.8 % of the slots\n"
               "\n"
               "column    type     stored            inflated  compression  in place  aligned\n"
               "Features  V<R8,6>   252 B  ████████     252 B  none         no        -\n",
               "");
    dvt_expect(DVT_RUN("info", "--json", ARTICLE), 0, "*,\"item_count\":19,", "");
    dvt_expect(DVT_RUN("info", ARTICLE, ARTICLE), 0, "*  items    38, in 52.8 % of the slots\n",
               "");
    dvt_expect(DVT_RUN("info", "--json", DVT_GOLDEN("people")), 0, "*,\"item_count\":null,", "");
}

Test(btable_files, rows)
{
    dvt_expect(DVT_RUN("head", "-n2", ARTICLE), 0,
               "Features\nV<R8,6>\n[10 0 0 0 -2 0]\n[3 9 0 0 0 3]\n2 rows shown, 1 column\n", "");
    dvt_expect(DVT_RUN("tail", "-n1", ARTICLE), 0,
               "Features\nV<R8,6>\n[0 4 0 0 2 -1]\n1 row shown, 1 column\n", "");
    dvt_expect(DVT_RUN("cat", "--rows=4:", "--format=jsonl", ARTICLE), 0,
               "{\"Features\":[0,8,0,9,9,13]}\n{\"Features\":[0,4,0,0,2,-1]}\n", "");
    dvt_expect(DVT_RUN("cat", "--format=exact", "--skip=5", ARTICLE), 0, "*{\"rows\":null,", "");
    dvt_expect(DVT_RUN("tail", "--json", "-n1", ARTICLE), 0, "*{\"Features\":[0,4,0,0,2,-1]}]}\n",
               "");
    dvt_expect(DVT_RUN("schema", ARTICLE), 0, "*0  Features  V<R8,6>  SlotNames\n", "");
    dvt_expect(DVT_RUN("stats", ARTICLE), 0, "*6 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("bench", MANY), 0, "*: 40 rows, 1 column, ", "");
}

Test(btable_files, verify)
{
    dvt_expect(DVT_RUN("verify", ARTICLE), 0, "*: sound: 6 rows, 1 column, 282 B\n", "");
    dvt_expect(DVT_RUN("verify", "--json", ARTICLE), 0, "*,\"rows\":6,\"column_count\":1,", "");
}

/* The number of rows is unknown at first, and shown at the end. */
Test(btable_files, progress)
{
    static const char *const verbs[] = {"cat", "stats"};
    for (size_t i = 0; i < COUNT(verbs); i++)
        dvt_expect(DVT_RUN(verbs[i], "--progress", MANY), 0, NULL, "*40 rows, ");
    dvt_expect(DVT_RUN("diff", "--progress", MANY, MANY), 0, NULL, "*40 rows, ");
}

Test(btable_files, several)
{
    dvt_expect(DVT_RUN("stats", ARTICLE, ARTICLE), 0, "*12 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("tail", "-n1", ARTICLE, ARTICLE), 0, "*[0 4 0 0 2 -1]\n", "");
    dvt_expect(DVT_RUN("cat", ARTICLE, MANY), 2, "", "*expected V<R8,6>, found ");
}

/* Rows are counted if one table or both do not know their number. */
Test(btable_files, diff)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("diff", ARTICLE, ARTICLE), 0, "same: 6 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("convert", ARTICLE, out.text), 0, "*: 6 rows, 1 column, 715 B\n", "");
    dvt_expect(DVT_RUN("diff", "--layout", ARTICLE, out.text), 0, "same: 6 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("diff", "--layout", out.text, ARTICLE), 0, "same: 6 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("convert", "--quiet", "--take=4", ARTICLE, out.text), 0, "", "");
    dvt_expect(DVT_RUN("diff", ARTICLE, out.text), 1, "different: A has 2 rows more\n", "");
    dvt_expect(DVT_RUN("diff", "--quiet", "-n0", out.text, ARTICLE), 1, "", "");
    dvt_expect(DVT_RUN("convert", "--quiet", MANY, out.text), 0, "", "");
    dvt_expect(DVT_RUN("diff", "--layout", MANY, out.text), 0, "same: 40 rows, 1 column\n", "");
    dvt_folder_remove(&folder);
}

Test(btable_files, lenient)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "sloppy.btable");
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_file_write(&path, sloppy, sizeof sloppy - 1);
    dvt_expect(DVT_RUN("cat", path.text), 1, "Features\n", "*INDEX_DUP");
    dvt_expect(DVT_RUN("convert", path.text, out.text), 1, "", "*INDEX_DUP");
    dvt_expect(DVT_RUN("cat", "--lenient", path.text), 0, "Features\n{2: 1:2}\n", "");
    dvt_expect(DVT_RUN("verify", "--lenient", path.text), 0, "*2 warnings, ", "");
    dvt_expect(DVT_RUN("convert", "--lenient", path.text, out.text), 0, "*: 1 row, 1 column, ",
               "*after the last row are ignored\n");
    dvt_expect(DVT_RUN("diff", "--lenient", out.text, path.text), 0, "same: 1 row, 1 column\n", "");
    dvt_folder_remove(&folder);
}

static void expect_equal_bytes(const char *a, const char *b)
{
    size_t n, m;
    uint8_t *x = dvt_file_read(a, &n), *y = dvt_file_read(b, &m);
    cr_expect(n == m && memcmp(x, y, n) == 0, "%s and %s", a, b);
    free(x);
    free(y);
}

/* Byte for byte, also through .idv; --canonical leaves stored zeros out. */
Test(btable_files, written)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path idv = dvt_path_in(&folder, "a.idv"), out = dvt_path_in(&folder, "b.btable");
    const dvt_path zeros = dvt_path_in(&folder, "zeros.btable");
    dvt_expect(DVT_RUN("convert", MANY, out.text), 0, "*b.btable: 40 rows, 1 column, ", "");
    expect_equal_bytes(MANY, out.text);
    dvt_expect(DVT_RUN("convert", "--compression=deflate", MANY, idv.text), 0, NULL, "");
    dvt_expect(DVT_RUN("convert", "--threads=3", idv.text, out.text), 0, NULL, "");
    expect_equal_bytes(MANY, out.text);
    dvt_file_write(&zeros, stored_zero, sizeof stored_zero - 1);
    dvt_expect(DVT_RUN("convert", zeros.text, idv.text), 0, NULL, "");
    dvt_expect(DVT_RUN("convert", idv.text, out.text), 0, NULL, "");
    expect_equal_bytes(zeros.text, out.text);
    dvt_expect(DVT_RUN("convert", "--canonical", zeros.text, out.text), 0, NULL, "");
    dvt_expect(DVT_RUN("diff", zeros.text, out.text), 0, "same: 1 row, 1 column\n", "");
    dvt_expect(DVT_RUN("diff", "--layout", zeros.text, out.text), 1,
               "*row  column    slot  A       B\n"
               "  0  Features     0  stored  not stored\n",
               "");
    dvt_expect(DVT_RUN("convert", "--to=btable", "--json", MANY, idv.text), 0,
               "*\"format\":\"btable\",\"rows\":40,\"column_count\":1,", "");
    dvt_folder_remove(&folder);
}

/* What a BTable cannot hold is listed, and nothing is written. */
Test(btable_files, not_written)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "o.btable");
    const char *people = DVT_GOLDEN("people");
    dvt_expect(
        DVT_RUN("convert", people, out.text), 1, "",
        "*o.btable: not written, because its format cannot hold:\n"
        "  columns \"Name\", \"Seen\", \"Tags\": it is not a number (--allow-loss columns)\n");
    dvt_expect(DVT_RUN("convert", people, out.text), 1, "",
               "*to write it with these losses: --allow-loss columns,types\n");
    dvt_expect(DVT_RUN("convert", "-cName", people, out.text), 1, "", "*there is no such column\n");
    dvt_expect(DVT_RUN("convert", "--allow-loss=columns,types", people, out.text), 0,
               "*o.btable: 600 rows, 1 column, 11.7 KiB\nlost, as allowed:\n", "");
    dvt_expect(DVT_RUN("tail", "-n1", out.text), 0, "*[59 0]\n", "");
    dvt_expect(DVT_RUN("convert", "--allow-loss=columns,types", DVT_GOLDEN("scalar-all-raw-rpb7"),
                       out.text),
               1, "",
               "*row 1, column \"U8\": expected a number that R8 holds, or --allow-loss precision, "
               "found 18446744073709551615\n");
    dvt_expect(DVT_RUN("convert", "--rows-per-block=3", people, out.text), 2, "",
               "*--rows-per-block is an option for idv, but the output is btable\n");
    dvt_folder_remove(&folder);
}

/* A BTable has no magic number: without the extension it is recognized by its content, or by
 * --from. */
Test(btable_files, format)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "table");
    size_t nbytes;
    uint8_t *bytes = dvt_file_read(ARTICLE, &nbytes);
    dvt_file_write(&path, bytes, nbytes);
    free(bytes);
    dvt_expect(DVT_RUN("info", "--from=btable", path.text), 0, "*btable 0\n", "");
    dvt_expect(DVT_RUN("info", path.text), 0, "*btable 0\n", "");
    dvt_expect(DVT_RUN("info", "--from=idv", ARTICLE), 1, "", "*(idv:H2)");
    dvt_expect(DVT_RUN("info", "--from=btabel", ARTICLE), 2, "", "*did you mean btable?\n");
    dvt_folder_remove(&folder);
}
