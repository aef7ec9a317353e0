/* SPDX-License-Identifier: MIT */
/* test_cmd_bench.c: `dataview bench` counts the rows and bytes that it times. No test depends on
 * the speed. */
#include "cli/run.h"
#include <dataview/kernels.h>

/* The command succeeded, and printed all of these. */
static void expect_said(dvt_run run, const char *const *parts)
{
    const char *said = dvt_text_of(&run.out);
    for (; *parts; parts++)
        cr_expect(strstr(said, *parts), "%s in\n%s", *parts, said);
    dvt_expect(run, 0, NULL, "");
}

#define SAID(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

Test(cmd_bench, a_file)
{
    expect_said(DVT_RUN("bench", DVT_GOLDEN("people")),
                SAID("people.idv: 600 rows, 5 columns, 11.3 KiB\n", " rows ", " file ",
                     " values\nfirst time ", " rows/s", "B/s\nagain ", "B/s\nplain read ",
                     " of the speed of a plain read (medians of "));
}

Test(cmd_bench, the_selection)
{
    expect_said(DVT_RUN("bench", "-c", "Age,Seen", "--rows", "100:300", "--threads=2", "--io=pread",
                        DVT_GOLDEN("people")),
                SAID(": 200 rows, 2 columns, 11.3 KiB\n", "plain read"));
    expect_said(DVT_RUN("bench", DVT_CRAFTED("no-columns")), SAID(": 5 rows, 0 columns, "));
    dvt_run quiet = DVT_RUN("bench", "--quiet", DVT_GOLDEN("people"));
    cr_expect_not(strstr(dvt_text_of(&quiet.out), "medians"));
    expect_said(quiet, SAID("plain read"));
}

/* A number of the JSON document. */
static int64_t figure(const char *file, const char *rows, const char *name)
{
    dvt_run run = DVT_RUN("bench", "--json", "--rows", rows, file);
    const char *at = strstr(dvt_text_of(&run.out), name);
    const int64_t number = at ? strtoll(at + strlen(name), NULL, 10) : -1;
    dvt_expect(run, 0, NULL, "");
    return number;
}

/* Selected rows of a block do not count as the whole block: the sums of two halves add up. */
Test(cmd_bench, parts_of_blocks)
{
    const char *const files[] = {DVT_GOLDEN("people"), DVT_GOLDEN("vector-I4-raw"),
                                 DVT_GOLDEN("vector-TX-raw"), DVT_GOLDEN("vector-wide-sparse"),
                                 DVT_GOLDEN("scalar-all-raw-rows-only")};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        static const char name[] = "\"values_nbytes\":";
        const int64_t first = figure(files[i], ":5", name), rest = figure(files[i], "5:", name);
        cr_expect_gt(first, 0);
        cr_expect_eq(first + rest, figure(files[i], ":", name), "%s", files[i]);
    }
}

Test(cmd_bench, progress)
{
    dvt_expect(DVT_RUN("bench", "--progress", DVT_GOLDEN("people")), 0, "*plain read",
               "* rows/s, ");
    dvt_expect(DVT_RUN("bench", "--quiet", DVT_GOLDEN("people")), 0, NULL, "");
}

Test(cmd_bench, damage_is_reported)
{
    dvt_expect(DVT_RUN("bench", DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280")), 1, "",
               "*offset 280: ");
    dvt_expect(DVT_RUN("bench", "no-such-file.idv"), 3, "", "*no-such-file.idv: cannot be opened");
}

/* Every kernel at every level of this machine. */
Test(cmd_bench, kernels)
{
    dvt_run run = DVT_RUN("bench", "--kernels");
    const char *said = dvt_text_of(&run.out);
    size_t n;
    const dv_kernel *list = dv_kernel_list(&n);
    for (size_t i = 0; i < n; i++)
        cr_expect(strstr(said, list[i].name), "%s", list[i].name);
    for (int level = 0; level < DV_LEVELS; level++)
        if (dv_level_is_available((dv_level)level))
            cr_expect(strstr(said, dv_level_name((dv_level)level)), "%d", level);
    expect_said(run, SAID("in use  of scalar  of memcpy\n", "memcpy: ", "Level in use: "));
}

Test(cmd_bench, usage)
{
    dvt_expect(DVT_RUN("bench"), 2, "", "*bench needs a file");
    dvt_expect(DVT_RUN("bench", "--kernels", "x.idv"), 2, "", "*--kernels reads no file");
    dvt_expect(DVT_RUN("cat", "--kernels", "x.idv"), 2, "", "*--kernels is not an option of cat");
    dvt_expect(DVT_RUN("bench", "--help"), 0, "*--kernels", "");
}
