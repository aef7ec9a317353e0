/* SPDX-License-Identifier: MIT */
/* test_cmd_counts.c: `dataview counts` lists the most frequent values of columns. */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")

Test(cmd_counts, of_a_column)
{
    dvt_expect(DVT_RUN("counts", PEOPLE, "Active"), 0,
               "Active  count   share\n"
               "0         400  66.7 %\n"
               "1         200  33.3 %\n"
               "600 rows, 2 distinct values\n",
               "");
    dvt_expect(DVT_RUN("counts", "-n1", PEOPLE, "Age"), 0,
               "Age  count  share\n"
               "7        7  1.2 %\n"
               "600 rows, 47 NA, 90 distinct values, 1 shown (-n 90 shows all)\n",
               "");
    dvt_expect(DVT_RUN("counts", "--quiet", "--take=2", PEOPLE, "Name"), 0,
               "Name       count   share\n"
               "user 0         1  50.0 %\n"
               "user 1919      1  50.0 %\n",
               "");
    dvt_expect(DVT_RUN("counts", "-n2", PEOPLE, "Tags"), 0,
               "Tags  count   share\n"
               "tag1    100  11.1 %\n"
               "tag3    100  11.1 %\n"
               "600 rows, 900 values, 12 distinct values, 2 shown (-n 12 shows all)\n",
               "");
}

Test(cmd_counts, of_several_columns)
{
    dvt_expect(DVT_RUN("counts", PEOPLE, "Active", "--where=Age<3", "-c", "Age"), 0,
               "Active  count   share\n"
               "0          12  66.7 %\n"
               "1           6  33.3 %\n"
               "18 rows, 2 distinct values\n"
               "\n"
               "Age  count   share\n"
               "1        6  33.3 %\n"
               "2        6  33.3 %\n"
               "0        6  33.3 %\n"
               "18 rows, 3 distinct values\n",
               "");
}

/* Text that is empty is not the same as nothing. */
Test(cmd_counts, of_texts)
{
    dvt_expect(DVT_RUN("counts", "-n1", DVT_GOLDEN("scalar-all-raw-rpb7"), "TX"), 0,
               "TX  count  share\n\"\"      9  9.0 %\n100 rows, 92 distinct values, 1 shown "
               "(-n 92 shows all)\n",
               "");
}

Test(cmd_counts, as_json)
{
    dvt_expect(DVT_RUN("counts", "--json", "-n1", PEOPLE, "Active"), 0,
               "*\"columns\":[\n{\"index\":2,\"name\":\"Active\",\"type\":\"BL\",\"row_count\":600,"
               "\"value_count\":600,\"na_count\":0,\"distinct_count\":2,\"missed_most\":0,"
               "\"counts\":[\n{\"value\":false,\"count\":400}]}]}\n",
               "");
}

/* Over a million different values: the list says how far off it can be. */
Test(cmd_counts, what_is_not_exact_says_so)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "many.txt");
    dvt_lines text = {0};
    char line[32];
    for (int i = 0; i < 1500000; i++) {
        const int n = snprintf(line, sizeof line, "%d\n", i % 5 ? i : 7);
        dvt_lines_add(&text, line, (size_t)n);
    }
    dvt_file_write(&path, text.data, text.nbytes);
    dvt_lines_free(&text);
    dvt_expect(DVT_RUN("counts", "--text=col=x:I8:0", "-n1", path.text, "x"), 0,
               "x   count   share\n"
               "7  300000  20.0 %\n"
               "1500000 rows\n"
               "not exact: too many distinct values (over 1000000, or long texts); each count may "
               "be too low by up to 1, and values that are not shown occur at most 300001 times\n",
               "");
    dvt_folder_remove(&folder);
}

Test(cmd_counts, refuses)
{
    dvt_expect(DVT_RUN("counts", PEOPLE), 2, "",
               "dataview: counts needs a column: dataview counts FILE COLUMN...\n");
    dvt_expect(DVT_RUN("counts", PEOPLE, "age"), 2, "", "*did you mean Age?\n");
    dvt_expect(DVT_RUN("counts"), 2, "", "*counts needs a file");
    dvt_expect(DVT_RUN("counts", DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280"), "x"), 1,
               "", "*offset 280: ");
}
