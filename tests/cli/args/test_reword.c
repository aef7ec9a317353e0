/* SPDX-License-Identifier: MIT */
/* test_reword.c: messages name options of the command instead of those of the library, but quoted
 * names do not change. */
#include "cli/args/reword.c"
#include "support/test.h"

static void expect(const char *sentence, const char *want)
{
    char got[128];
    dvi_reword(got, sizeof got, sentence);
    cr_expect_str_eq(got, want);
}

Test(reword, options)
{
    expect("", "");
    expect("see option idv_old_keys, or loss na allowed", "see --keys old, or --allow-loss na");
    expect("row 3 (allow_loss): no", "row 3: no");
}

/* A column can have the name of an option. */
Test(reword, names_stay)
{
    expect("column \"option idv_version\": option idv_version",
           "column \"option idv_version\": --idv-version");
    expect("column \"a (allow_loss)\" (allow_loss)", "column \"a (allow_loss)\"");
}

Test(reword, a_short_place)
{
    char got[8];
    dvi_reword(got, sizeof got, "option rows_per_block");
    cr_expect_str_eq(got, "--rows-");
    dvi_reword(got, 1, "option rows_per_block");
    cr_expect_str_eq(got, "");
}
