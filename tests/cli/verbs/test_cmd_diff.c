/* SPDX-License-Identifier: MIT */
/* test_cmd_diff.c: `dataview diff` finds every difference, and nothing else. */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")
#define METADATA DVT_GOLDEN("metadata-raw")
#define VECTORS DVT_GOLDEN("vector-R4-raw")

/* Bytes of a file, and their replacement in its copy. */
typedef struct change {
    const char *from, *to;
    size_t n;
} change;

#define BYTES(from, to)                                                                            \
    {                                                                                              \
        from, to, sizeof(from) - 1                                                                 \
    }

static size_t place_of(const uint8_t *bytes, size_t nbytes, const change *c)
{
    for (size_t at = 0; at + c->n <= nbytes; at++)
        if (memcmp(bytes + at, c->from, c->n) == 0)
            return at;
    cr_assert_fail("the file does not hold %s", c->from);
    return 0;
}

/* A copy of the file in which the first occurrence of each is changed. */
static dvt_path change_file(const dvt_path *folder, const char *file, const change *changes,
                            size_t n)
{
    size_t nbytes;
    uint8_t *bytes = dvt_file_read(file, &nbytes);
    const dvt_path path = dvt_path_in(folder, "changed.idv");
    for (size_t i = 0; i < n; i++)
        memcpy(bytes + place_of(bytes, nbytes, &changes[i]), changes[i].to, changes[i].n);
    dvt_file_write(&path, bytes, nbytes);
    free(bytes);
    return path;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const change metadata_changes[] = {
    BYTES("slot2", "slotZ"),                       /* SlotNames of feat */
    BYTES("\x00\x8c\x1a\xc3", "\x08\x8c\x1a\xc3"), /* feat, row 2, slot 0 */
    BYTES("\x00\x00\x80\x3f", "\x01\x00\x80\x3f"), /* score, row 1 */
};

static const change vector_changes[] = {
    BYTES("\x00\x00\x00\x80", "\x00\x00\x00\x00"), /* dense4, row 0: -0 in slot 1 */
    BYTES("\x00\xd0\x96\x42", "\x01\xd0\x96\x42"), /* sparse9, row 1 */
    BYTES("\x00\xec\x0d\xc3", "\x00\x00\x80\x3f"), /* mixed7, row 1 */
};

Test(cmd_diff, same)
{
    dvt_expect(DVT_RUN("diff", PEOPLE, PEOPLE), 0, "same: 600 rows, 5 columns\n", "");
    dvt_expect(DVT_RUN("diff", "--quiet", PEOPLE, PEOPLE), 0, "", "");
    dvt_expect(DVT_RUN("diff", DVT_GOLDEN("rows-0-raw"), DVT_GOLDEN("rows-0-raw")), 0,
               "same: 0 rows, 2 columns\n", "");
    dvt_expect(DVT_RUN("diff", DVT_CRAFTED("no-columns"), DVT_CRAFTED("no-columns")), 0,
               "same: 5 rows, 0 columns\n", "");
}

/* Blocks and compression are no difference. */
Test(cmd_diff, same_in_other_blocks)
{
    const char *raw = DVT_GOLDEN("scalar-all-raw-rpb7");
    static const char *const others[] = {"deflate-rpb7", "raw-rpb1", "deflate-bytes2000"};
    for (size_t i = 0; i < COUNT(others); i++) {
        char file[64];
        snprintf(file, sizeof file, "golden/idv/scalar-all-%s.idv", others[i]);
        dvt_expect(DVT_RUN("diff", "--threads=2", raw, dvt_file(file)), 0,
                   "same: 100 rows, 20 columns\n", "");
        dvt_expect(DVT_RUN("diff", "--layout", "--rows=3:90", "--io=pread", dvt_file(file), raw), 0,
                   "same: 87 rows, 20 columns\n", "");
    }
}

Test(cmd_diff, metadata_and_values)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = change_file(&folder, METADATA, metadata_changes, COUNT(metadata_changes));
    dvt_expect(DVT_RUN("diff", METADATA, path.text), 1,
               "*changed.idv\n"
               "\n"
               "column  metadata   slot  A        B\n"
               "feat    SlotNames     2  \"slot2\"  \"slotZ\"\n"
               "\n"
               "row  column  slot  A           B\n"
               "  1  score         1           1.0000001\n"
               "  2  feat       0  -154.54688  -154.547\n"
               "\n"
               "different: 1 in metadata, 2 values in 2 of 4 rows\n",
               "");
    dvt_expect(DVT_RUN("diff", "-cscore,odd", METADATA, path.text), 1,
               "*changed.idv\n"
               "\n"
               "row  column  A  B\n"
               "  1  score   1  1.0000001\n"
               "\n"
               "different: 1 value in 1 of 4 rows\n",
               "");
    dvt_expect(DVT_RUN("diff", "--drop=feat,score", METADATA, path.text), 0,
               "same: 4 rows, 3 columns\n", "");
    dvt_expect(DVT_RUN("diff", "-cscore", "--rows=:1", METADATA, path.text), 0,
               "same: 1 row, 1 column\n", "");
    dvt_folder_remove(&folder);
}

/* The last bit, and the sign of zero, count without --tolerance. */
Test(cmd_diff, tolerance)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = change_file(&folder, VECTORS, vector_changes, COUNT(vector_changes));
    dvt_expect(DVT_RUN("diff", VECTORS, path.text), 1,
               "*row  column   slot  A           B\n"
               "  0  dense4      1  -0          0\n"
               "  1  sparse9     2  75.40625    75.40626\n"
               "  1  mixed7      2  -141.92188  1\n"
               "\n"
               "different: 3 values in 2 of 23 rows\n",
               "");
    dvt_expect(DVT_RUN("diff", "--tolerance=0", VECTORS, path.text), 1,
               "*different: 2 values in 1 of 23 rows\n", "");
    dvt_expect(DVT_RUN("diff", "--tolerance", "1e-6", VECTORS, path.text), 1,
               "*  1  mixed7     2  -141.92188  1\n"
               "\n"
               "different: 1 value in 1 of 23 rows\n",
               "");
    dvt_expect(DVT_RUN("diff", "--tolerance", "142.92188", VECTORS, path.text), 0,
               "same: 23 rows, 8 columns\n", "");
    dvt_expect(DVT_RUN("diff", "--tolerance", "1.01", VECTORS, path.text), 0, /* of the larger */
               "same: 23 rows, 8 columns\n", "");
    dvt_folder_remove(&folder);
}

/* Two NaN print alike, so their bits are shown. */
Test(cmd_diff, the_bits_of_nan)
{
    static const change nan[] = {BYTES("\x01\x00\xc0\x7f", "\x02\x00\xc0\x7f")};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = change_file(&folder, VECTORS, nan, 1);
    dvt_expect(DVT_RUN("diff", VECTORS, path.text), 1, "*\"r4:7fc00001\"  \"r4:7fc00002\"\n", "");
    dvt_expect(DVT_RUN("diff", "--tolerance=0", VECTORS, path.text), 0, NULL, "");
    dvt_folder_remove(&folder);
}

Test(cmd_diff, schema)
{
    dvt_expect(DVT_RUN("diff", "-n=2", PEOPLE, PEOPLE), 2, "", NULL);
    dvt_expect(DVT_RUN("diff", "-n2", DVT_GOLDEN("vector-I4"), DVT_GOLDEN("vector-I2-raw")), 1,
               "*column   differs  A        B\n"
               "dense4   type     V<I4,4>  V<I2,4>\n"
               "sparse9  type     V<I4,9>  V<I2,9>\n"
               "\n"
               "different: 8 in the schema\n"
               "shown: the first 2 of each kind (-n)\n"
               "not compared: the values of 8 columns whose types differ\n",
               "");
    dvt_expect(DVT_RUN("diff", DVT_GOLDEN("scalar-BL-raw"), DVT_GOLDEN("bool-9")), 1,
               "*column  differs    A   B\n"
               "BL      only in A  BL  -\n"
               "b       only in B  -   BL\n"
               "\n"
               "different: 2 in the schema, A has 32 rows more\n",
               "");
}

/* A column can be selected if only one table has it. */
Test(cmd_diff, columns_of_either)
{
    const char *a = DVT_GOLDEN("scalar-BL-raw"), *b = DVT_GOLDEN("scalar-all-raw-rpb7");
    dvt_expect(DVT_RUN("diff", "--drop=[!B]*", "--rows=:9", a, b), 0, "same: 9 rows, 1 column\n",
               "");
    dvt_expect(DVT_RUN("diff", "-cR4,BL", "-n0", a, b), 1,
               "different: 1 in the schema, B has 59 rows more\n", "");
    dvt_expect(DVT_RUN("diff", "-cR5", a, b), 2, "",
               "*no column is called 'R5'; did you mean R4?\n");
}

/* Of columns with one name, the last are compared, and the hidden ones with --hidden. */
Test(cmd_diff, hidden_columns)
{
    const char *file = DVT_GOLDEN("names-duplicate-kept");
    dvt_expect(DVT_RUN("diff", file, file), 0, "*hidden column", "");
    dvt_run all = DVT_RUN("diff", "--hidden", file, file);
    cr_expect_not(strstr(dvt_text_of(&all.out), "not compared"));
    dvt_expect(all, 0, "*same: ", "");
}

/* Several files are one table, with the row numbers of the table. */
Test(cmd_diff, folders)
{
    dvt_path folder = dvt_folder_create();
    change_file(&folder, VECTORS, vector_changes, COUNT(vector_changes));
    char pattern[600];
    snprintf(pattern, sizeof pattern, "%s/c*.idv", folder.text);
    dvt_expect(DVT_RUN("diff", folder.text, pattern), 0, "same: 23 rows, 8 columns\n", "");
    dvt_expect(DVT_RUN("diff", folder.text, VECTORS), 1, "*B  ", "");
    dvt_folder_remove(&folder);
}

Test(cmd_diff, rows)
{
    const char *two = DVT_GOLDEN("rows-2-raw"), *many = DVT_GOLDEN("rows-8193");
    dvt_expect(DVT_RUN("diff", two, many), 1, "different: B has 8191 rows more\n", "");
    dvt_expect(DVT_RUN("diff", many, two), 1, "different: A has 8191 rows more\n", "");
    dvt_expect(DVT_RUN("diff", "--take=2", many, two), 0, "same: 2 rows, 2 columns\n", "");
    dvt_expect(DVT_RUN("diff", "--quiet", "-n0", many, two), 1, "", "");
}

/* A row in the middle is missing, and block sizes differ: all later rows differ, and each is
 * compared with its counterpart. */
Test(cmd_diff, rows_in_the_middle)
{
    dvt_path folder = dvt_folder_create();
    const char *many = DVT_GOLDEN("rows-8193");
    const dvt_path a = dvt_path_in(&folder, "a.idv"), b = dvt_path_in(&folder, "b.idv");
    dvt_expect(DVT_RUN("convert", "--quiet", "--rows=:4999", "--rows-per-block=700", many, a.text),
               0, "", "");
    dvt_expect(DVT_RUN("convert", "--quiet", "--rows=5000:", many, b.text), 0, "", "");
    dvt_expect(DVT_RUN("diff", "-n2", many, folder.text), 1,
               "*\n row  column  A     B\n"
               "4999  x       4999  5000\n"
               "4999  t       \"r9\"  \"r0\"\n"
               "\n"
               "different: 6386 values in 3193 of 8192 rows, A has 1 row more\n",
               "");
    dvt_expect(DVT_RUN("diff", "--rows=4990:4999", many, folder.text), 0, "*same: 9 rows", "");
    dvt_expect(DVT_RUN("diff", "-n0", "--skip=5000", folder.text, many), 1,
               "different: 6384 values in 3192 of 3192 rows, B has 1 row more\n", "");
    dvt_folder_remove(&folder);
}

/* A late difference in a long text is shown, without the common prefix. */
Test(cmd_diff, long_texts)
{
    dvt_expect(DVT_RUN("diff", DVT_GOLDEN("text-len-127"), DVT_GOLDEN("text-len-128")), 1,
               "*row  column  A            B\n"
               "  0  t       …\"qqqqqqqq\"  …\"qqqqqqqqq\"\n",
               "");
}

Test(cmd_diff, json)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = change_file(&folder, VECTORS, vector_changes, COUNT(vector_changes));
    dvt_run run = DVT_RUN("diff", "--json", "-n2", "--rows=1:", VECTORS, path.text);
    cr_expect(strstr(dvt_text_of(&run.out), "{\"verb\":\"diff\",\"schema\":[],\"metadata\":[],"));
    cr_expect(strstr(dvt_text_of(&run.out),
                     "\"values\":[\n"
                     "{\"what\":\"value\",\"column\":\"sparse9\",\"row\":1,\"slot\":2,"
                     "\"a\":\"r4:4296d000\",\"b\":\"r4:4296d001\"},\n"));
    dvt_expect(run, 1, "*\"value_count\":2,\"different_row_count\":1,\"compared_row_count\":22,",
               "");
    dvt_expect(DVT_RUN("diff", "--json", "-n0", VECTORS, path.text), 1,
               "*\"values\":[],\"schema_count\":0,\"metadata_count\":0,\"value_count\":3,", "");
    dvt_expect(DVT_RUN("diff", "--json", PEOPLE, PEOPLE), 0, "*\"is_same\":true}\n", "");
    dvt_folder_remove(&folder);
}

/* Bad data are reported on standard error, without a document. */
Test(cmd_diff, bad_data_is_no_difference)
{
    const char *bad = DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280");
    dvt_expect(DVT_RUN("diff", bad, bad), 1, "", "*offset 280: ");
    dvt_expect(DVT_RUN("diff", "--json", bad, bad), 1, "", "*offset 280: ");
    dvt_expect(DVT_RUN("diff", PEOPLE, "no-such-file.idv"), 3, "", "*No such file");
}

Test(cmd_diff, usage)
{
    dvt_expect(DVT_RUN("diff", PEOPLE), 2, "",
               "dataview: diff needs two tables: dataview diff A B\n");
    dvt_expect(DVT_RUN("diff"), 2, "", "*diff needs ");
    dvt_expect(DVT_RUN("diff", "a", "b", "c"), 2, "", "*compares two tables, not 3; ");
    static const char *const wrong[] = {"-1", "nan", "1e999", "0x1", "", "1e-6x", "inf", " 1"};
    for (size_t i = 0; i < COUNT(wrong); i++)
        dvt_expect(DVT_RUN("diff", "--tolerance", wrong[i], PEOPLE, PEOPLE), 2, "",
                   "*--tolerance expects a number");
    dvt_expect(DVT_RUN("diff", "--tolerence=1", PEOPLE, PEOPLE), 2, "",
               "*did you mean --tolerance?\n");
    dvt_expect(DVT_RUN("cat", "--layout", PEOPLE), 2, "", "*--layout is not an option of cat\n");
    dvt_expect(DVT_RUN("diff", "--metadata", PEOPLE, PEOPLE), 2, "", "*not an option of diff\n");
}

Test(cmd_diff, progress)
{
    dvt_expect(DVT_RUN("diff", "--progress", PEOPLE, PEOPLE), 0, "*same", "*rows/s, ");
}

/* No line is wider than the screen, and a wide screen is used. */
Test(cmd_diff, every_width)
{
    static const int widths[] = {40, 80, 200};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = change_file(&folder, METADATA, metadata_changes, COUNT(metadata_changes));
    for (size_t i = 0; i < COUNT(widths); i++) {
        const dvt_setting terminal = {DVT_STDOUT_TERMINAL, widths[i], false, NULL};
        dvt_run run = DVT_RUN_WITH(&terminal, "diff", METADATA, path.text);
        const char *line = dvt_text_of(&run.out);
        cr_expect(strstr(line, "  1  score         1           1.0000001\n"), "%s", line);
        for (size_t n; *line; line += n + 1) {
            int columns = 0;
            n = strcspn(line, "\n");
            for (size_t k = 0; k < n; k++)
                columns += ((unsigned char)line[k] & 0xC0) != 0x80;
            cr_expect_leq(columns, widths[i], "%.*s", (int)n, line);
        }
        dvt_expect(run, 1, NULL, "");
    }
    dvt_folder_remove(&folder);
}

Test(cmd_diff, standard_output_that_fails)
{
    const char *a = DVT_GOLDEN("text-len-127"), *b = DVT_GOLDEN("text-len-128");
    const dvt_setting full = {.out = DVT_STDOUT_FULL}, closed = {.out = DVT_STDOUT_CLOSED};
    const dvt_setting broken = {.out = DVT_STDOUT_BROKEN};
    dvt_expect(DVT_RUN_WITH(&full, "diff", a, b), 3, "", "*No space left on device\n");
    dvt_expect(DVT_RUN_WITH(&closed, "diff", a, b), 3, "", "*Bad file descriptor\n");
    dvt_expect(DVT_RUN_WITH(&broken, "diff", a, b), 1, "", "");
}

/* If the first table could not be opened, the words of the command line were freed twice: those of
 * the second table were still a copy of them. */
Test(cmd_diff, tables_that_are_not_there)
{
    const char *there = DVT_GOLDEN("people");
    dvt_expect(DVT_RUN("diff", "not-there.idv", there), 3, "", "*No such file or directory\n");
    dvt_expect(DVT_RUN("diff", there, "not-there.idv"), 3, "", "*No such file or directory\n");
}
