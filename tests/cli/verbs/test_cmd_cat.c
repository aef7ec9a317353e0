/* SPDX-License-Identifier: MIT */
/* test_cmd_cat.c: `dataview cat` writes every row unchanged, or reports why it cannot. */
#include "cli/run.h"
#include "support/file.h"
#include "support/pipe.h"
#include <sys/stat.h>

#define PEOPLE DVT_GOLDEN("people")
#define PEOPLE_COLUMNS                                                                             \
    "{\"name\":\"Name\",\"type\":\"TX\",\"metadata\":{}},"                                         \
    "{\"name\":\"Age\",\"type\":\"R4\",\"metadata\":{}}"

Test(cmd_cat, tab_separated)
{
    dvt_expect(DVT_RUN("cat", "--rows", "2:4", PEOPLE), 0,
               "Name\tAge\tActive\tSeen\tTags\n"
               "user 838\t2\t0\t2020-01-02T08:34:00.0000000\t[tag2 tag3]\n"
               "user 2757\t3\t1\t2020-01-03T00:51:00.0000000\t[tag3 tag4 tag5]\n",
               "");
    dvt_expect(DVT_RUN("cat", "-cAge", "--format", "tsv", "--take=2", PEOPLE), 0, "Age\n\n1\n", "");
}

/* Of convert, nothing is written. */
Test(cmd_cat, plan)
{
    static const char plan[] = "source   idv, 600 rows\n"
                               "columns  1 of 5: Age\n"
                               "steps    filter (Age > 3)\n"
                               "order    as stored\n"
                               "divided  no; stored in blocks of 128 rows\n"
                               "threads  1\n"
                               "memory   one batch\n"
                               "cached   nothing\n";
    dvt_expect(DVT_RUN("cat", "--plan", "--threads=1", "-cAge", "--where", "Age > 3", PEOPLE), 0,
               plan, "");
    dvt_expect(DVT_RUN("stats", "--plan", "--threads=1", "-cAge", "--where", "Age > 3", PEOPLE), 0,
               plan, "");
    dvt_expect(DVT_RUN("convert", "--plan", "--threads=1", "-cAge", "--where", "Age > 3", PEOPLE,
                       "/no folder/x.csv"),
               0, plan, "");
    dvt_expect(DVT_RUN("head", "--plan", PEOPLE), 2, "", "*--plan is not an option of head");
}

Test(cmd_cat, exact)
{
    dvt_expect(DVT_RUN("cat", "--format", "exact", "-c", "Name,Age", "--rows=:2", PEOPLE), 0,
               "{\"rows\":2,\"columns\":[" PEOPLE_COLUMNS "]}\n"
               "[\"user 0\",\"r4:ffc00000\"]\n"
               "[\"user 1919\",\"r4:3f800000\"]\n",
               "");
    dvt_expect(DVT_RUN("cat", "--format=exact", "-cAge,Name", "--take=0", PEOPLE), 0,
               "*{\"rows\":0,\"columns\":[{\"name\":\"Age\",", "");
}

Test(cmd_cat, exact_is_the_truth_of_the_golden_files)
{
    static const char *const names[] = {"metadata-raw", "people", "random-16", "vector-wide-sparse",
                                        "names-unicode"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[64];
        snprintf(file, sizeof file, "golden/idv/%s.idv", names[i]);
        dvt_run mapped = DVT_RUN("cat", "--format=exact", dvt_file(file));
        dvt_run copied =
            DVT_RUN("cat", "--format=exact", "--io", "pread", "--threads=3", dvt_file(file));
        cr_expect(mapped.out.nbytes > 50);
        cr_expect_str_eq(dvt_text_of(&mapped.out), dvt_text_of(&copied.out), "%s", file);
        dvt_expect(mapped, 0, NULL, "");
        dvt_expect(copied, 0, NULL, "");
    }
}

Test(cmd_cat, row_ids)
{
    dvt_expect(DVT_RUN("cat", "--ids", "-cAge", "--rows=598:", PEOPLE), 0,
               "#id\tAge\n"
               "0x00000000000000000000000000000256\t\n"
               "0x00000000000000000000000000000257\t59\n",
               "");
    dvt_expect(DVT_RUN("cat", "--ids", "-cAge", "--rows=598:599", "--format=exact", PEOPLE), 0,
               "{\"rows\":1,\"columns\":[{\"name\":\"#id\",\"type\":\"UG\",\"metadata\":{}},"
               "{\"name\":\"Age\",\"type\":\"R4\",\"metadata\":{}}]}\n"
               "[\"ug:00000000000000000000000000000256\",\"r4:ffc00000\"]\n",
               "");
}

/* --rows, then --skip, then --take; each can exceed the end. */
Test(cmd_cat, ranges_of_rows)
{
    static const struct {
        const char *rows, *skip, *take, *ids;
    } ranges[] = {
        {":", "0", "2", "0 1"},       {"598:", "0", "9", "598 599"},
        {"10:20", "8", "9", "18 19"}, {"10:20", "3", "1", "13"},
        {"10:20", "10", "1", ""},     {"600:", "0", "1", ""},
        {"700:800", "0", "1", ""},    {"590:9999", "9", "9", "599"},
        {"5:5", "0", "1", ""},        {":0", "0", "1", ""},
        {":3", "1", "9", "1 2"},      {"127:130", "0", "9", "127 128 129"},
        {"0:", "599", "9", "599"},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        char want[256] = "#id\n";
        const char *at = ranges[i].ids;
        int64_t count = 0;
        for (char *end; *at; at = end, count++) {
            const unsigned long id = strtoul(at, &end, 10);
            snprintf(want + strlen(want), sizeof want - strlen(want), "0x%032lx\n", id);
        }
        dvt_expect(DVT_RUN("cat", "--ids", "--drop=*", "--rows", ranges[i].rows, "--skip",
                           ranges[i].skip, "--take", ranges[i].take, PEOPLE),
                   0, want, "");
        char rows[64];
        snprintf(rows, sizeof rows, "*{\"rows\":%d,", (int)count);
        dvt_expect(DVT_RUN("cat", "--format=exact", "--rows", ranges[i].rows, "--skip",
                           ranges[i].skip, "--take", ranges[i].take, PEOPLE),
                   0, rows, "");
    }
}

/* Columns by name and pattern, and the header line that results. */
Test(cmd_cat, columns_by_name_and_pattern)
{
    static const struct {
        const char *columns, *drop, *header;
    } choices[] = {
        {"Age", NULL, "Age"},
        {"Tags,Name", NULL, "Tags\tName"},
        {"A*", NULL, "Age\tActive"},
        {"Seen,*", NULL, "Seen\tName\tAge\tActive\tTags"},
        {"???", NULL, "Age"},
        {"[A-N]*", NULL, "Name\tAge\tActive"},
        {"[!A-N]*", NULL, "Seen\tTags"},
        {"*e", NULL, "Name\tAge\tActive"},
        {"*a*", NULL, "Name\tTags"},
        {"*,Age", "*e", "Seen\tTags"},
        {NULL, "Name,T*", "Age\tActive\tSeen"},
        {"Age,Age", NULL, "Age"},
        {"\\A?e**", NULL, "Age"},
        {"*[e]", "[]N]*", "Age\tActive"},
        {"*", "*", ""},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        char header[128];
        snprintf(header, sizeof header, "%s\n", choices[i].header);
        dvt_expect(DVT_RUN("cat", "--take=0", PEOPLE, choices[i].columns ? "-c" : "--drop",
                           choices[i].columns ? choices[i].columns : choices[i].drop,
                           choices[i].drop ? "--drop" : NULL, choices[i].drop),
                   0, header, "");
    }
    dvt_expect(DVT_RUN("cat", "--take=0", "-cTags", "-c", "Age", PEOPLE), 0, "Tags\tAge\n", "");
}

Test(cmd_cat, columns_that_are_not_there)
{
    dvt_expect(DVT_RUN("cat", "-c", "Name,Ago", PEOPLE), 2, "",
               "dataview: --columns: no column is called 'Ago'; did you mean Age?\n");
    dvt_expect(DVT_RUN("cat", "-c", "xyzzy", PEOPLE), 2, "",
               "dataview: --columns: no column is called 'xyzzy'\n");
    dvt_expect(DVT_RUN("cat", "--drop", "x*", PEOPLE), 2, "",
               "dataview: --drop: no column matches 'x*'\n");
    dvt_expect(DVT_RUN("cat", "-c", "A[g*", PEOPLE), 2, "",
               "dataview: --columns: no column matches 'A[g*'\n");
    dvt_expect(DVT_RUN("cat", "-c", "\xC3\xE2\x82\xFF", PEOPLE), 2, "",
               "dataview: --columns: no column is called '\\xC3\\xE2\\x82\\xFF'\n");
    dvt_expect(DVT_RUN("cat", "-c", "Age,", PEOPLE), 2, "",
               "dataview: --columns: a column name is empty\n");
    dvt_expect(DVT_RUN("cat", "-c", "", PEOPLE), 2, "", "*a column name is empty");
}

/* ? is a character, not a byte; names with blanks, and hidden ones. */
Test(cmd_cat, unusual_names)
{
    const char *unicode = DVT_GOLDEN("names-unicode"), *twice = DVT_GOLDEN("names-duplicate-kept");
    dvt_expect(DVT_RUN("cat", "-c", "日?,?.?, lead,[é],tab*", "--take=1", unicode), 0,
               "日本\ta.b\t lead\té\ttab\\t\n2\t3\t5\t1\t4\n", "");
    dvt_expect(DVT_RUN("cat", "--take=1", twice), 0, "y\tx\ny0\tx0\n", "");
    dvt_expect(DVT_RUN("cat", "--take=1", "--hidden", twice), 0, "x\tx\ty\tx\n0\t0\ty0\tx0\n", "");
    dvt_expect(DVT_RUN("cat", "--take=1", "-cx", twice), 0, "x\nx0\n", "");
    dvt_expect(DVT_RUN("cat", "--take=1", "--hidden", "-cx", twice), 0, "x\tx\tx\n0\t0\tx0\n", "");
}

Test(cmd_cat, one_row_is_one_line)
{
    dvt_expect(DVT_RUN("cat", "--rows=6:9", DVT_GOLDEN("scalar-TX-deflate")), 0,
               "*\nx\\ty\nline\\nbreak\n\"quoted\"\n", "");
}

Test(cmd_cat, a_text_longer_than_any_buffer)
{
    dvt_run run = DVT_RUN("cat", DVT_GOLDEN("text-len-70000"));
    cr_expect_gt(run.out.nbytes, 70000);
    dvt_expect(run, 0, NULL, "");
}

/* Characters that control a terminal are spelled out on a terminal only. */
Test(cmd_cat, a_file_does_not_steer_the_terminal)
{
    const char *file = DVT_GOLDEN("scalar-TX-deflate");
    const dvt_setting terminal = {DVT_STDOUT_TERMINAL, 80, true, NULL};
    dvt_expect(DVT_RUN_WITH(&terminal, "cat", "--rows=5:6", file), 0, "TX\na\\x00b\n", "");
    dvt_run run = DVT_RUN("cat", "--rows=5:6", file);
    cr_expect_eq(run.out.nbytes, 7);
    cr_expect_arr_eq(run.out.data, "TX\na\0b\n", 7);
    dvt_expect(run, 0, NULL, "");
}

Test(cmd_cat, no_columns)
{
    dvt_expect(DVT_RUN("cat", DVT_CRAFTED("no-columns")), 0, "\n\n\n\n\n\n", "");
    dvt_expect(DVT_RUN("cat", "--format=exact", DVT_CRAFTED("no-columns")), 0,
               "{\"rows\":5,\"columns\":[]}\n[]\n[]\n[]\n[]\n[]\n", "");
}

Test(cmd_cat, rows_before_a_defect)
{
    const char *file = DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280");
    dvt_expect(DVT_RUN("cat", file), 1, "x\n1\n", "*offset 280: ");
    dvt_expect(DVT_RUN("cat", "--take=1", file), 0, "x\n1\n", "");
}

/* Damage in metadata is reported in every format, but only for the columns that are shown. */
Test(cmd_cat, damaged_metadata)
{
    const char *file = DVT_MALFORMED("metadata_boolean_2.CORRUPT.5.2@276");
    dvt_expect(DVT_RUN("cat", file), 1, "", "*offset 276: ");
    dvt_expect(DVT_RUN("cat", "--format=exact", file), 1, "", "*offset 276: ");
    dvt_expect(DVT_RUN("cat", "--drop=x", "--take=0", file), 0, "\n", "");
}

Test(cmd_cat, output_that_cannot_be_written)
{
    static const char *const files[] = {"golden/idv/people.idv", "golden/idv/rows-8193.idv"};
    const dvt_setting full = {.out = DVT_STDOUT_FULL}, closed = {.out = DVT_STDOUT_CLOSED};
    const dvt_setting broken = {.out = DVT_STDOUT_BROKEN};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *file = dvt_file(files[i]);
        dvt_expect(DVT_RUN_WITH(&full, "cat", file), 3, "",
                   "dataview: standard output: No space left on device\n");
        dvt_expect(DVT_RUN_WITH(&closed, "cat", file), 3, "",
                   "dataview: standard output: Bad file descriptor\n");
        dvt_expect(DVT_RUN_WITH(&broken, "cat", file), 0, "", "");
    }
    dvt_expect(DVT_RUN_WITH(&full, "--version"), 3, "", "*No space left");
    dvt_expect(DVT_RUN_WITH(&broken, "head", files[0]), 3, "", "*No such file");
}

Test(cmd_cat, input_that_cannot_be_read)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path secret = dvt_path_in(&folder, "secret");
    dvt_file_write(&secret, "\1", 1);
    chmod(secret.text, 0);
    dvt_expect(DVT_RUN("cat", "/dev/null"), 3, "", "*/dev/null: ");
    dvt_expect(DVT_RUN("cat", secret.text), geteuid() ? 3 : 1, "", "*secret: ");
    dvt_folder_remove(&folder);
}

/* A pipe with text becomes a file of every format: it is read once, texts and vectors too. Before,
 * the rows per block of .idv took a reading of their own. */
Test(cmd_cat, standard_input_becomes_a_file)
{
    static const char text[] = "#@ TextLoader{\n#@   sep=,\n#@   col=N:R4:0\n#@   col=T:TX:1\n#@   "
                               "col=V:R4:2-4\n#@ }\n1,a,1,2,3\n2,b,4,5,6\n";
    const int before = dup(STDIN_FILENO);
    dvt_path folder = dvt_folder_create();
    const dvt_path idv = dvt_path_in(&folder, "o.idv");
    dvt_pipe pipe = dvt_pipe_of(text, sizeof text - 1, 1);
    dup2(pipe.fd, STDIN_FILENO);
    dvt_expect(DVT_RUN("convert", "-", idv.text), 0, "*", "");
    dvt_pipe_close(&pipe);
    dup2(before, STDIN_FILENO);
    close(before);
    dvt_expect(DVT_RUN("cat", "-c", "N,T", idv.text), 0, "N\tT\n1\ta\n2\tb\n", "");
    dvt_expect(DVT_RUN("cat", "-c", "V", idv.text), 0, "V\n[1 2 3]\n[4 5 6]\n", "");
    dvt_folder_remove(&folder);
}

/* These verbs read a short line as NA and other bytes as U+FFFD without a word. */
Test(cmd_cat, says_what_text_lost)
{
    static const char text[] = "a,b\n1,x\n2,\xff\n3\n4,y\n5,y\n6,y\n7,y\n8,y\n9,y\n10,y\n"
                               "11,y\n12,y\n13,y\n14,y\n15,y\n16,y\n17,y\n18,y\n19,y\n20,y\n";
    static const char *const verbs[] = {"cat", "head", "stats"};
    dvt_path folder = dvt_folder_create();
    const dvt_path in = dvt_path_in(&folder, "in.csv"), out = dvt_path_in(&folder, "o.idv");
    dvt_file_write(&in, text, sizeof text - 1);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        dvt_expect(DVT_RUN(verbs[i], in.text), 0, NULL,
                   "*in.csv: column \"b\": 1 line is too short: in row 2\n");
        dvt_expect(DVT_RUN(verbs[i], in.text), 0, NULL,
                   "*in.csv: column \"b\": 1 row has bytes that are not UTF-8 and read as U+FFFD "
                   "(perhaps option encoding=windows-1252 reads them): in row 1\n");
        dvt_expect(DVT_RUN(verbs[i], "--quiet", in.text), 0, NULL, "");
    }
    dvt_run run = DVT_RUN("cat", "-c", "a", in.text); /* all that was asked for is there */
    cr_expect_null(strstr(dvt_text_of(&run.err), "warning"));
    dvt_run_free(&run);
    dvt_expect(DVT_RUN("convert", "--allow-loss", "fields", in.text, out.text), 0, NULL,
               "*in.csv: column \"b\": 1 line is too short: in row 2\n");
    dvt_folder_remove(&folder);
}

/* Of a pipe, too, which is read once. */
Test(cmd_cat, says_what_a_pipe_lost)
{
    static const char text[] = "a,b\n1,x\nten,y\n3\n";
    const int before = dup(STDIN_FILENO);
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "o.idv");
    dvt_pipe pipe = dvt_pipe_of(text, sizeof text - 1, 1);
    dup2(pipe.fd, STDIN_FILENO);
    dvt_expect(DVT_RUN("convert", "--text", "sep=, header+ col=a:I4:0 col=b:TX:1", "--allow-loss",
                       "fields", "-", out.text),
               0, "*3 rows, 2 columns",
               "dataview: warning: /dev/stdin: column \"a\": 1 field is no value of I4: \"ten\" in "
               "row 1\n"
               "dataview: warning: /dev/stdin: column \"b\": 1 line is too short: in row 2\n");
    dvt_pipe_close(&pipe);
    dup2(before, STDIN_FILENO);
    close(before);
    dvt_folder_remove(&folder);
}

/* Standard input can be a pipe with text; a file of another format is spooled first. */
Test(cmd_cat, standard_input)
{
    static const char text[] = "1,a\n2,b";
    const int before = dup(STDIN_FILENO);
    dvt_pipe pipe = dvt_pipe_of(text, sizeof text - 1, 1);
    dup2(pipe.fd, STDIN_FILENO);
    dvt_expect(DVT_RUN("cat", "--text", "sep=comma col=N:I4:0 col=T:TX:1", "-"), 0,
               "N\tT\n1\ta\n2\tb\n", "");
    dvt_pipe_close(&pipe);
    size_t n;
    uint8_t *idv = dvt_file_read(DVT_GOLDEN("rows-1"), &n);
    pipe = dvt_pipe_of(idv, n, 7);
    dup2(pipe.fd, STDIN_FILENO);
    dvt_expect(DVT_RUN("cat", "-"), 0, "x\tt\n0\tr0\n", "");
    dvt_pipe_close(&pipe);
    pipe = dvt_pipe_of(idv, n, 7);
    dup2(pipe.fd, STDIN_FILENO);
    dvt_expect(DVT_RUN("cat", "--spool-bytes", "100", "-"), 1, "",
               "*/dev/stdin: bytes in a temporary file: expected at most 100 (--spool-bytes), "
               "found more (spool_nbytes)\n");
    dup2(before, STDIN_FILENO);
    dvt_pipe_close(&pipe);
    free(idv);
}
