/* SPDX-License-Identifier: MIT */
/* test_cmd_sample.c: `dataview sample` writes the right rows. */
#include "cli/run.h"
#include "support/file.h"

#define PEOPLE DVT_GOLDEN("people")

/* At random, the first rows of the shuffled file; otherwise those of the file. */
Test(cmd_sample, which_rows)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path all = dvt_path_in(&folder, "all.idv"), some = dvt_path_in(&folder, "some.idv");
    dvt_expect(DVT_RUN("shuffle", "--seed=3", PEOPLE, all.text), 0, NULL, "");
    dvt_expect(DVT_RUN("sample", "--seed=3", PEOPLE, some.text, "50"), 0,
               "*some.idv: 50 rows, 5 columns, ", "");
    dvt_expect(DVT_RUN("diff", "--take=50", all.text, some.text), 0, "*same: 50 rows", "");
    dvt_expect(DVT_RUN("sample", "--strategy=sequential", PEOPLE, some.text, "50"), 0, NULL, "");
    dvt_expect(DVT_RUN("diff", "--take=50", PEOPLE, some.text), 0, "*same: 50 rows", "");
    dvt_expect(DVT_RUN("sample", "--strategy=sequential", "--rows=10:30", PEOPLE, some.text, "5"),
               0, NULL, "");
    dvt_expect(DVT_RUN("convert", "--rows=10:15", PEOPLE, all.text), 0, NULL, "");
    dvt_expect(DVT_RUN("diff", all.text, some.text), 0, "*same: 5 rows", "");
    dvt_folder_remove(&folder);
}

/* If the input has fewer rows, all of them, with a warning. */
Test(cmd_sample, more_than_there_are)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("sample", PEOPLE, out.text, "601"), 0, "*: 600 rows, ",
               "dataview: warning: the input has only 600 rows\n");
    dvt_expect(DVT_RUN("sample", "--strategy=sequential", "--quiet", PEOPLE, out.text, "601"), 0,
               "", "");
    dvt_expect(DVT_RUN("diff", PEOPLE, out.text), 0, "*same: 600 rows", "");
    dvt_expect(DVT_RUN("sample", PEOPLE, out.text, "0"), 0, "*: 0 rows, ", "");
    dvt_folder_remove(&folder);
}

Test(cmd_sample, json)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("sample", "--json", PEOPLE, out.text, "7"), 0, "*\"seed\":600,", "");
    dvt_expect(DVT_RUN("sample", "--json", "--strategy=sequential", PEOPLE, out.text, "7"), 0,
               "*\"seed\":null,", "");
    dvt_folder_remove(&folder);
}

Test(cmd_sample, usage)
{
    static const struct {
        const char *words[3], *sentence;
    } wrong[] = {
        {{"o.idv"}, "*sample needs the number of rows after OUT: dataview sample FILE... OUT N\n"},
        {{"o.idv", "5", "5"}, "*sample needs the number of rows after OUT"},
        {{"5"}, "*sample needs the name of the file to write: "},
        {{"o.idv", "99999999999999999999"}, "*the number of rows expects a number of at least 0"},
        {{"--strategy=concat", "o.idv", "5"},
         "*sample --strategy expects random or sequential, not "},
        {{"--strategy=first", "o.idv", "5"}, "*--strategy does not accept 'first'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        dvt_expect(
            DVT_RUN("sample", PEOPLE, wrong[i].words[0], wrong[i].words[1], wrong[i].words[2]), 2,
            "", wrong[i].sentence);
    dvt_expect(DVT_RUN("sample", "--strategy=sequential", "--seed=1", PEOPLE, "o.idv", "5"), 2, "",
               "*--seed has no effect with --strategy sequential\n");
}
