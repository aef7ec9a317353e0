/* SPDX-License-Identifier: MIT */
/* test_cat_forms.c: other programs read the same values from csv and jsonl. */
#include "cli/run.h"

#define PEOPLE DVT_GOLDEN("people")

Test(cat_forms, csv)
{
    dvt_expect(DVT_RUN("cat", "--format", "csv", "--rows", "1:4", PEOPLE), 0,
               "Name,Age,Active,Seen,Tags\n"
               "user 1919,1,0,2020-01-01T16:17:00.0000000,\"[\"\"tag1\"\"]\"\n"
               "user 838,2,0,2020-01-02T08:34:00.0000000,\"[\"\"tag2\"\",\"\"tag3\"\"]\"\n"
               "user 2757,3,1,2020-01-03T00:51:00.0000000,"
               "\"[\"\"tag3\"\",\"\"tag4\"\",\"\"tag5\"\"]\"\n",
               "");
    dvt_expect(DVT_RUN("cat", "--format=csv", "--ids", "-cAge,Active", "--take=1", PEOPLE), 0,
               "#id,Age,Active\n0x00000000000000000000000000000000,,1\n", "");
}

Test(cat_forms, jsonl)
{
    dvt_expect(DVT_RUN("cat", "--format", "jsonl", "--rows", "0:2", PEOPLE), 0,
               "{\"Name\":\"user 0\",\"Age\":null,\"Active\":true,"
               "\"Seen\":\"2020-01-01T00:00:00.0000000\",\"Tags\":[]}\n"
               "{\"Name\":\"user 1919\",\"Age\":1,\"Active\":false,"
               "\"Seen\":\"2020-01-01T16:17:00.0000000\",\"Tags\":[\"tag1\"]}\n",
               "");
    dvt_expect(DVT_RUN("cat", "--format=jsonl", "--ids", "-cAge", "--take=1", PEOPLE), 0,
               "{\"#id\":\"0x00000000000000000000000000000000\",\"Age\":null}\n", "");
}

/* Text with commas, quotes and line ends; empty and missing text. */
Test(cat_forms, csv_quotes)
{
    dvt_expect(DVT_RUN("cat", "--format=csv", "--rows=5:10", DVT_GOLDEN("scalar-TX-deflate")), 0,
               NULL, "");
    dvt_expect(DVT_RUN("cat", "--format=csv", "--rows=7:9", DVT_GOLDEN("scalar-TX-deflate")), 0,
               "TX\n\"line\nbreak\"\n\"\"\"quoted\"\"\"\n", "");
    dvt_expect(DVT_RUN("cat", "--format=csv", DVT_CRAFTED("old-text-na")), 0,
               "t\na\n\"\"\n\"\"\né\n\"\"\n", "");
    dvt_expect(DVT_RUN("cat", "--format=csv", "--ids", "--rows=1:3", DVT_CRAFTED("old-text-na")), 0,
               "#id,t\n0x00000000000000000000000000000001,\n"
               "0x00000000000000000000000000000002,\"\"\n",
               "");
    dvt_expect(DVT_RUN("cat", "--format=csv", "--take=0", "-ctab*", DVT_GOLDEN("names-unicode")), 0,
               "tab\t\n", "");
}

Test(cat_forms, jsonl_of_the_same)
{
    dvt_expect(DVT_RUN("cat", "--format=jsonl", "--rows=5:9", DVT_GOLDEN("scalar-TX-deflate")), 0,
               "{\"TX\":\"a\\u0000b\"}\n{\"TX\":\"x\\ty\"}\n{\"TX\":\"line\\nbreak\"}\n"
               "{\"TX\":\"\\\"quoted\\\"\"}\n",
               "");
    dvt_expect(DVT_RUN("cat", "--format=jsonl", "--rows=:3", DVT_CRAFTED("old-text-na")), 0,
               "{\"t\":\"a\"}\n{\"t\":null}\n{\"t\":\"\"}\n", "");
}

/* Negative zero keeps its sign, which an integer would lose; infinities are strings. */
Test(cat_forms, numbers)
{
    dvt_expect(
        DVT_RUN("cat", "--format=jsonl", "--rows=1:3", "-cU8,R4,R8,K4,UG,TS,DZ",
                DVT_GOLDEN("scalar-all-raw-rpb7")),
        0,
        "{\"U8\":18446744073709551615,\"R4\":-0.0,\"R8\":-0.0,\"K4\":0,"
        "\"UG\":\"0x00000000000000020000000000000001\",\"TS\":\"10675199.02:48:05.4775807\","
        "\"DZ\":\"9999-12-31T23:59:59.9999999+00:00\"}\n"
        "{\"U8\":18446744073709551615,\"R4\":null,\"R8\":null,\"K4\":1,"
        "\"UG\":\"0xffffffffffffffffffffffffffffffff\",\"TS\":\"-10675199.02:48:05.4775807\","
        "\"DZ\":\"2020-02-29T23:59:59.0000000+14:00\"}\n",
        "");
    dvt_expect(DVT_RUN("cat", "--format=jsonl", "-cR4", DVT_GOLDEN("scalar-all-raw-rpb7")), 0,
               "*{\"R4\":\"-Infinity\"}\n", "");
    dvt_expect(DVT_RUN("cat", "--format=csv", "-cR4,U1", DVT_GOLDEN("scalar-all-raw-rpb7")), 0,
               "*-Infinity,", "");
}

Test(cat_forms, vectors)
{
    const char *wide = DVT_GOLDEN("vector-wide-sparse");
    dvt_expect(DVT_RUN("cat", "--format=jsonl", "--rows=0:2", wide), 0,
               "{\"wide\":{\"len\":100000,\"idx\":[],\"val\":[]}}\n"
               "{\"wide\":{\"len\":100000,\"idx\":[15045,73265,90909],"
               "\"val\":[0.859375,15.1875,-148.23438]}}\n",
               "");
    dvt_expect(DVT_RUN("cat", "--format=csv", "--rows=1:2", wide), 0,
               "wide\n\"{\"\"len\"\":100000,\"\"idx\"\":[15045,73265,90909],"
               "\"\"val\"\":[0.859375,15.1875,-148.23438]}\"\n",
               "");
    dvt_expect(DVT_RUN("cat", "--format=jsonl", "--rows=2:3", "-cr3", DVT_GOLDEN("vector-rank3")),
               0, NULL, "");
}

/* Each column has a key of its own. */
Test(cat_forms, hidden_columns)
{
    const char *file = DVT_GOLDEN("names-duplicate-kept");
    dvt_expect(DVT_RUN("cat", "--take=1", "--hidden", "--format=jsonl", file), 0,
               "{\"x#0\":0,\"x#1\":0,\"y\":\"y0\",\"x\":\"x0\"}\n", "");
    dvt_expect(DVT_RUN("cat", "--take=1", "--format=jsonl", file), 0,
               "{\"y\":\"y0\",\"x\":\"x0\"}\n", "");
    dvt_expect(DVT_RUN("cat", "--take=1", "--hidden", "--format=csv", file), 0,
               "x,x,y,x\n0,0,y0,x0\n", "");
}

Test(cat_forms, no_columns)
{
    dvt_expect(DVT_RUN("cat", "--format=csv", "--take=1", DVT_CRAFTED("no-columns")), 0, "\n\n",
               "");
    dvt_expect(DVT_RUN("cat", "--format=jsonl", "--take=2", DVT_CRAFTED("no-columns")), 0,
               "{}\n{}\n", "");
}

Test(cat_forms, a_file_does_not_steer_the_terminal)
{
    const char *file = DVT_GOLDEN("scalar-TX-deflate");
    const dvt_setting terminal = {DVT_STDOUT_TERMINAL, 80, true, NULL};
    dvt_expect(DVT_RUN_WITH(&terminal, "cat", "--format=csv", "--rows=5:9", file), 0,
               "TX\na\\x00b\nx\\ty\n\"line\\nbreak\"\n\"\"\"quoted\"\"\"\n", "");
}

Test(cat_forms, damage_and_output_that_fails)
{
    const char *file = DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280");
    const dvt_setting full = {.out = DVT_STDOUT_FULL}, broken = {.out = DVT_STDOUT_BROKEN};
    static const char *const forms[] = {"--format=csv", "--format=jsonl"};
    for (int i = 0; i < 2; i++) {
        dvt_expect(DVT_RUN("cat", forms[i], file), 1, i ? "{\"x\":1}\n" : "x\n1\n",
                   "*offset 280: ");
        dvt_expect(DVT_RUN("cat", forms[i], DVT_MALFORMED("metadata_boolean_2.CORRUPT.5.2@276")), 1,
                   "", "*offset 276: ");
        dvt_expect(DVT_RUN_WITH(&full, "cat", forms[i], DVT_GOLDEN("rows-8193")), 3, "",
                   "*No space left");
        dvt_expect(DVT_RUN_WITH(&broken, "cat", forms[i], DVT_GOLDEN("rows-8193")), 0, "", "");
    }
}

/* Every golden file, read back by Python's csv and json. */
Test(cat_forms, python_reads_the_same)
{
    char command[4096];
    const char *root = getenv("DV_TEST_ROOT"), *program = getenv("DV_BIN");
    cr_assert(root && program);
    if (system("python3 -c 'import csv, json' 2>/dev/null") != 0)
        cr_skip_test("there is no python3 here to read csv and jsonl back");
    snprintf(command, sizeof command,
             "python3 '%s/cli/roundtrip.py' '%s' '%s'/golden/idv*/*idv 1>&2", root, program, root);
    cr_expect_eq(system(command), 0, "csv or jsonl differs: see above");
}
