/* SPDX-License-Identifier: MIT */
/* test_limit_args.c: the option --limit sets limits by the name that messages give them. */
#include "cli/run.h"
#include "support/file.h"

static dvt_path folder, csv;

static void make_files(void)
{
    static const char table[] = "a,b\n1,22222222\n3,4\n";
    folder = dvt_folder_create();
    csv = dvt_path_in(&folder, "a.csv");
    dvt_file_write(&csv, table, sizeof table - 1);
}

static void remove_files(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(limit_args, .init = make_files, .fini = remove_files);

#define CAT(...) DVT_RUN("cat", "--quiet", "--text", "sep=comma col=a:TX:0", __VA_ARGS__, csv.text)

Test(limit_args, the_name_of_a_message_sets_the_limit)
{
    dvt_expect(CAT("--limit", "line_nbytes=9"), 1, "a\na\n",
               "*line: expected at most 9 bytes (option line_nbytes), found more (line_nbytes)\n");
    dvt_expect(CAT("--limit", "line_nbytes=1K"), 0, "a\na\n1\n3\n", "");
    dvt_expect(CAT("--limit", "depth=1", "--pipe", "dropna a; dropna a"), 1, "",
               "dataview: step 2, dropna: views made one of another: expected at most 1 (option "
               "depth), found more "
               "(depth)\n");
    dvt_expect(
        CAT("--limit", "depth=2", "--limit", "chain_columns=1", "--pipe", "dropna a; dropna a"), 1,
        "", "*at most 1 (option chain_columns), found more (chain_columns)\n");
    dvt_expect(CAT("--limit", "row_nbytes=1", "--pipe", "textnorm a"), 1, "a\n",
               "*at most 1 bytes (option row_nbytes), found 5 (row_nbytes)\n");
}

Test(limit_args, refuses_what_is_no_limit)
{
    dvt_expect(CAT("--limit", "line_nbyte=9"), 2, "", "*did you mean line_nbytes?\n");
    dvt_expect(CAT("--limit", "line_nbytes"), 2, "",
               "*--limit takes NAME=N, such as line_nbytes=1G\n");
    dvt_expect(CAT("--limit", "line_nbytes=x"), 2, "", "*\n");
    dvt_expect(CAT("--limit", "line_nbytes=0"), 2, "", "*every limit must be at least 1\n");
}
