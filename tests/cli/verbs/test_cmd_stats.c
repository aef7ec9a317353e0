/* SPDX-License-Identifier: MIT */
/* test_cmd_stats.c: `dataview stats` fits the screen, and marks inexact values. */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")

static dvt_run run_at(int width, const char *file, const char *option)
{
    const dvt_setting setting = {DVT_STDOUT_TERMINAL, width, false, NULL};
    return DVT_RUN_WITH(&setting, "stats", file, option);
}

Test(cmd_stats, at_80_columns)
{
    dvt_expect(run_at(80, PEOPLE, NULL), 0,
               "column  type        NA         min      median         max  distinct  frequent\n"
               "Name    TX           0           -           -           -       600  -\n"
               "Age     R4       7.8 %           0          43          89         -  -\n"
               "Active  BL           0           0           0           1         2  0 ×400, 1…\n"
               "Seen    DT           0  2020-01-01  2020-07-21  2021-02-10       600  -\n"
               "Tags    V<TX,*>      0           -           -           -        12  tag1 ×100…\n"
               "… 11 more figures: 1%, 5%, 25%, 75%, 95%, 99%, histogram, mean, sd, default,\n"
               "  length (in a wider terminal, or with --json)\n"
               "600 rows, 5 columns\n",
               "");
}

Test(cmd_stats, at_40_columns)
{
    dvt_expect(run_at(40, PEOPLE, NULL), 0,
               "column  type        NA         min\n"
               "Name    TX           0           -\n"
               "Age     R4       7.8 %           0\n"
               "Active  BL           0           0\n"
               "Seen    DT           0  2020-01-01\n"
               "Tags    V<TX,*>      0           -\n"
               "… 15 more figures: 1%, 5%, 25%, median,\n"
               "  75%, 95%, 99%, max, histogram,\n"
               "  distinct, frequent, mean, sd, default,\n"
               "  length (in a wider terminal, or with\n"
               "  --json)\n"
               "600 rows, 5 columns\n",
               "");
}

Test(cmd_stats, at_200_columns_there_are_more_quantiles_and_the_most_frequent)
{
    dvt_expect(run_at(200, PEOPLE, NULL), 0, "* median         75%         95%         max ", "");
    dvt_expect(run_at(200, PEOPLE, NULL), 0, "*  0 ×400, 1 ×200  ", "");
    dvt_expect(run_at(200, PEOPLE, NULL), 0, "*  tag1 ×100, tag3 ×…  ", "");
    dvt_expect(DVT_RUN("stats", PEOPLE), 0, "*  min          1%          5% ", "");
}

/* No line is wider than the screen, for any file. */
Test(cmd_stats, every_width)
{
    static const char *const files[] = {"people",    "scalar-all-raw-rpb7", "vector-wide-sparse",
                                        "random-16", "metadata-raw",        "names-unicode"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int width = 50; width <= 240; width += 19) {
            char file[64];
            snprintf(file, sizeof file, "golden/idv/%s.idv", files[i]);
            dvt_run run = run_at(width, dvt_file(file), NULL);
            const char *line = dvt_text_of(&run.out);
            for (size_t n; *line; line += n + 1) {
                int columns = 0; /* at most one per character, except for two wide ones */
                n = strcspn(line, "\n");
                for (size_t k = 0; k < n; k++)
                    columns += ((unsigned char)line[k] & 0xC0) != 0x80;
                cr_expect_leq(columns, width, "%s at %d: %.*s", files[i], width, (int)n, line);
            }
            dvt_expect(run, 0, NULL, "");
        }
}

Test(cmd_stats, of_nothing)
{
    dvt_expect(run_at(60, DVT_GOLDEN("rows-0-raw"), NULL), 0,
               "column  type  NA  min  median  max  histogram  distinct\n"
               "x       R4     -    -       -    -  -                 -\n"
               "t       TX     -    -       -    -  -                 0\n"
               "… 3 more figures: mean, sd, default (in a wider terminal, or\n"
               "  with --json)\n"
               "0 rows, 2 columns\n",
               "");
    dvt_expect(DVT_RUN("stats", DVT_CRAFTED("no-columns")), 0, "5 rows, 0 columns\n", "");
    dvt_expect(run_at(60, DVT_GOLDEN("rows-1"), "-cx"), 0,
               "column  type  NA  min  median  max  histogram  distinct\n"
               "x       R4     0    0       0    0  █                 -\n"
               "… 9 more figures: 1%, 5%, 25%, 75%, 95%, 99%, mean, sd,\n"
               "  default (in a wider terminal, or with --json)\n"
               "1 row, 1 column\n",
               "");
}

Test(cmd_stats, missing_values)
{
    dvt_expect(run_at(80, PEOPLE, "--take=1"), 0,
               "*\nAge     R4       100 %                    -                    -\n", "");
    dvt_expect(run_at(100, DVT_CRAFTED("old-text-na"), NULL), 0,
               "*\nt       TX    40.0 %    -       -    -  -                 3     -   -   20.0 %  "
               "0..2, mean 1\n",
               "");
}

Test(cmd_stats, times_and_the_infinite)
{
    dvt_expect(run_at(100, DVT_GOLDEN("scalar-all-raw-rpb7"), "-cR4,DT,DZ,TS"), 0,
               "*R4      R4    4.0 %           -∞           0           ∞  ▁   ██   ▁         -    "
               "       -\n",
               "");
    dvt_expect(run_at(100, DVT_GOLDEN("scalar-all-raw-rpb7"), "-cDT,DZ"), 0,
               "*DT      DT     0  0001-01-01  5035-01-08  9999-12-31 ", "");
    dvt_expect(run_at(100, DVT_GOLDEN("scalar-all-raw-rpb7"), "-cTS"), 0,
               "*  -10675199 d  -61.253 d  10675199 d ", "");
    dvt_expect(run_at(100, PEOPLE, "--rows=0:3"), 0,
               "*Seen    DT            0  2020-01-01T00:00:00  2020-01-01T16:17:00  ", "");
    dvt_expect(run_at(100, DVT_GOLDEN("scalar-all-raw-rpb7"), "-cI8,U8"), 0,
               "*I8      I8    1.0 %  -9.2234e+18           0  9.2234e+18  ", "");
}

/* Digits of whole numbers were cut beyond 11 columns, whatever the screen. */
Test(cmd_stats, whole_numbers_are_in_full_where_they_fit)
{
    const char *file = DVT_GOLDEN("scalar-all-raw-rpb7");
    dvt_expect(
        run_at(120, file, "-cI8"), 0,
        "*I8      I8    1.0 %  -9223372036854775807       0  9223372036854775807  ▇▅▆▇██▆▇▅▆ "
        "       99  -1.36709026846e+17\n",
        "");
    dvt_expect(run_at(60, file, "-cI8"), 0,
               "*I8      I8    1.0 %  -9.2234e+18       0  9.2234e+18\n", "");
    dvt_expect(run_at(100, file, "-cU8"), 0, "*  18446744073709551615  ", "");
}

/* The mean was cut to five digits: 2132459875.24 was 2.1325e+09. */
Test(cmd_stats, means_have_their_digits)
{
    const char *file = DVT_GOLDEN("scalar-all-raw-rpb7");
    dvt_expect(DVT_RUN("stats", "-cU4", file), 0, "*  2132459875.24  1269844481    1.0 %\n", "");
    dvt_expect(DVT_RUN("stats", "-cU1", file), 0, "*  126.16  ", "");
    dvt_expect(run_at(100, PEOPLE, "-cAge"), 0, "*  43.2133815552  ", "");
}

/* All slots of a vector were one column: a mean over different things. */
Test(cmd_stats, a_vector_that_is_named_has_a_line_per_slot)
{
    const char *file = DVT_GOLDEN("metadata-raw");
    dvt_expect(run_at(100, file, "-cfeat"), 0,
               "column         type  NA          min       median         max  histogram   "
               "distinct          mean\n"
               "feat[0] slot0  R4     0   -154.54688   -148.23438   151.65625  █        ▃         -"
               "  -73.26171875\n"
               "feat[1]        R4     0  -113.265625  -106.953125  -94.328125  █  █  █  █         -"
               "   -103.796875\n"
               "feat[2] slot2  R4     0   -65.671875   -59.359375  -46.734375  █  █  █  █         -"
               "    -56.203125\n"
               "feat[3]        R4     0   -18.078125   -11.765625    0.859375  █  █  █  █         -"
               "     -8.609375\n"
               "feat[4] slot4  R4     0    29.515625    35.828125   48.453125  █  █  █  █         -"
               "     38.984375\n"
               "feat[5]        R4     0    77.109375    83.421875   96.046875  █  █  █  █         -"
               "     86.578125\n"
               "… 8 more figures: 1%, 5%, 25%, 75%, 95%, 99%, sd, default (in a wider terminal, or "
               "with --json)\n"
               "4 rows, 1 column, 6 slots\n",
               "");
    dvt_expect(run_at(70, file, "-cfea*"), 0, "*\n4 rows, 1 column\n", "");
    dvt_expect(DVT_RUN("stats", "--json", "-cscore,feat", file), 0,
               "*\n{\"index\":0,\"name\":\"feat\",\"slot\":1,\"slot_name\":null,\"type\":\"R4\",",
               "");
    dvt_expect(DVT_RUN("stats", "-cTags", PEOPLE), 0, "*\nTags    V<TX,*>   0 ", "");
}

Test(cmd_stats, hidden_columns_are_counted)
{
    const char *file = DVT_GOLDEN("names-duplicate-kept");
    dvt_expect(DVT_RUN("stats", file), 0, "*\nleft out: 2 hidden columns (--hidden shows them)\n",
               "");
    dvt_run all = DVT_RUN("stats", "--hidden", file);
    cr_expect_not(strstr(dvt_text_of(&all.out), "left out"));
    dvt_expect(all, 0, NULL, "");
}

Test(cmd_stats, of_some_columns_and_rows)
{
    dvt_expect(DVT_RUN("stats", "-cAge,Name", "--rows=10:20", "--threads=3", PEOPLE), 0,
               "*\n10 rows, 2 columns\n", "");
    dvt_expect(run_at(80, PEOPLE, "--quiet"), 0, "*\nTags    V<TX,*>      0 ", "");
    dvt_run quiet = run_at(80, PEOPLE, "--quiet");
    cr_expect_not(strstr(dvt_text_of(&quiet.out), "600 rows"));
    dvt_expect(quiet, 0, NULL, "");
    dvt_expect(DVT_RUN("stats", "--columns=nothing", PEOPLE), 2, "", "*no column is called");
    dvt_expect(DVT_RUN("stats", "--ids", PEOPLE), 2, "", "*--ids");
}

Test(cmd_stats, colour_only_on_a_terminal)
{
    const dvt_setting colour = {DVT_STDOUT_TERMINAL, 80, true, NULL};
    const dvt_setting no_colour = {DVT_STDOUT_TERMINAL, 80, true, "1"};
    dvt_expect(DVT_RUN_WITH(&colour, "stats", PEOPLE), 0, "*\x1b[1mcolumn\x1b[0m", "");
    dvt_run plain = DVT_RUN_WITH(&no_colour, "stats", PEOPLE);
    cr_expect_not(strstr(dvt_text_of(&plain.out), "\x1b"));
    dvt_expect(plain, 0, NULL, "");
}

Test(cmd_stats, what_cannot_be_read_or_written)
{
    dvt_expect(DVT_RUN("stats", DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280")), 1, "",
               "*offset 280: ");
    dvt_expect(DVT_RUN("stats", "no-such-file.idv"), 3, "", "*No such file");
    const dvt_setting full = {DVT_STDOUT_FULL, 80, false, NULL};
    const dvt_setting broken = {DVT_STDOUT_BROKEN, 80, false, NULL};
    dvt_expect(DVT_RUN_WITH(&full, "stats", PEOPLE), 3, "", "*standard output");
    dvt_expect(DVT_RUN_WITH(&broken, "stats", PEOPLE), 0, "", "");
}

/* --- What is not exact ------------------------------------------------------------------------ */

static void add_i8(dvt_lines *file, int64_t value)
{
    dvt_lines_add(file, (const char *)&value, sizeof value);
}

static void add_block(dvt_lines *lookup, const dvt_lines *file, int32_t nbytes)
{
    add_i8(lookup, (int64_t)file->nbytes);
    for (int i = 0; i < 2; i++)
        dvt_lines_add(lookup, (const char *)&nbytes, sizeof nbytes);
}

/* An .idv file of `rows` rows in one uncompressed block: column n counts from 1, column x is a
 * third of it, as doubles (idv:2, idv:3). */
static dvt_path write_counting(const dvt_path *folder, int32_t rows)
{
    static const char toc_n[] = "\1n\5Int32\0", toc_x[] = "\1x\6Double\0", tail[] = "\0BVD\0LMC";
    const dvt_path path = dvt_path_in(folder, "counting.idv");
    dvt_lines file = {0}, lookup = {0};
    char *const blank = calloc(1, 256);
    dvt_lines_add(&file, blank, 256);
    add_block(&lookup, &file, 4 * rows);
    for (int32_t i = 1; i <= rows; i++)
        dvt_lines_add(&file, (const char *)&i, sizeof i);
    add_block(&lookup, &file, 8 * rows);
    for (int32_t i = 1; i <= rows; i++)
        dvt_lines_add(&file, (const char *)&(double){i / 3.0}, sizeof(double));
    const int64_t lookup_at = (int64_t)file.nbytes;
    dvt_lines_add(&file, lookup.data, lookup.nbytes);
    const int64_t toc_at = (int64_t)file.nbytes;
    for (int k = 0; k < 2; k++) {
        const char rpb[] = {0, (char)(rows | 0x80), (char)(rows >> 7 | 0x80), (char)(rows >> 14)};
        dvt_lines_add(&file, k ? toc_x : toc_n, (k ? sizeof toc_x : sizeof toc_n) - 1);
        dvt_lines_add(&file, rpb, sizeof rpb);
        add_i8(&file, lookup_at + 16 * k);
        add_i8(&file, 0);
    }
    const int64_t tail_at = (int64_t)file.nbytes, columns = 2;
    dvt_lines_add(&file, tail, 8);
    const int64_t header[] = {
        0,      INT64_C(0x0001000100010006), INT64_C(0x0001000100010006), toc_at, tail_at, rows,
        columns};
    memcpy(file.data, header, sizeof header);
    memcpy(file.data, "CML\0DVB", 8);
    dvt_file_write(&path, file.data, file.nbytes);
    dvt_lines_free(&file);
    dvt_lines_free(&lookup);
    free(blank);
    return path;
}

Test(cmd_stats, what_is_not_exact_says_so)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = write_counting(&folder, 150000);
    dvt_run run = run_at(100, path.text, NULL);
    const char *said = dvt_text_of(&run.out);
    cr_expect(strstr(said, "\nn       I4     0        1   7"), "%s", said);
    cr_expect(strstr(said, "  ~15") || strstr(said, "  ~14"), "%s", said);
    cr_expect(strstr(said, " k  "), "%s", said);
    cr_expect(strstr(said,
                     "150000 rows, 2 columns\n"
                     "distinct counts of 1 column are estimates: standard error 0.81 %\n"
                     "quantiles and histograms of 2 columns come from a sketch: rank error at "
                     "most 0.0"),
              "%s", said);
    dvt_expect(run, 0, NULL, "");
    dvt_run exact = DVT_RUN("stats", "--take=100000", path.text);
    cr_expect_not(strstr(dvt_text_of(&exact.out), "~"));
    dvt_expect(exact, 0, "*\n100000 rows, 2 columns\n", "");
    dvt_folder_remove(&folder);
}
