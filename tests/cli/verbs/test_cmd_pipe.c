/* SPDX-License-Identifier: MIT */
/* test_cmd_pipe.c: `dataview pipe` lists, checks and fits; --pipe applies a pipeline for any verb.
 */
#include "cli/run.h"
#include "support/file.h"
#include "support/zip_made.h"
#include <stdlib.h>

#define PEOPLE DVT_GOLDEN("people")

Test(cmd_pipe, lists_steps)
{
    dvt_expect(DVT_RUN("pipe"), 0, "*\nterm        Number distinct values: keys.\n", "");
    dvt_expect(DVT_RUN("pipe", "--list", "rowid"), 0, "*ML.NET: ProduceId)\n", "");
    dvt_expect(DVT_RUN("pipe", "list", "vector"), 0,
               "vector NEW:SOURCE... OPTIONS\n"
               "Make indicator vectors of keys. (ML.NET: MapKeyToVector)\n"
               "  bag+                    count the keys of a vector, in one slot for each\n",
               "");
    dvt_expect(DVT_RUN("pipe", "list", "range"), 0, "*includemin-             not: ", "");
    dvt_expect(DVT_RUN("pipe", "list", "rowid"), 0,
               "rowid COLUMN...\nAdd a column with the id of each row. (ML.NET: ProduceId)\n", "");
}

Test(cmd_pipe, fits)
{
    dvt_expect(DVT_RUN("pipe", "fit", PEOPLE, "term Name; drop Age; onehot Tags max=3"), 0,
               "#  step               learned\n"
               "1  term Name          600 terms: user 0 user 1919 user 838 user 2757 user 1676 …\n"
               "2  drop Age\n"
               "3  onehot Tags max=3  3 terms: tag1 tag2 tag3\n"
               "600 rows read, in 2 passes\n",
               "");
    dvt_expect(DVT_RUN("pipe", "fit", "--quiet", PEOPLE, "drop Age"), 0,
               "#  step      learned\n1  drop Age\n", "");
    dvt_expect(DVT_RUN("pipe", "fit", PEOPLE, "--pipe=drop Age"), 0,
               "*\nnothing to learn, no row read\n", "");
}

Test(cmd_pipe, tells_what_fitting_takes)
{
    dvt_expect(DVT_RUN("pipe", "check", PEOPLE, "--rows=0", "drop Age; hash Name bits=4 invert=1"),
               0,
               "2 steps, 4 columns\n"
               "#  step                       memory, at most  texts\n"
               "1  drop Age\n"
               "2  hash Name bits=4 invert=1                ?\n",
               "");
    dvt_expect(DVT_RUN("pipe", "check", PEOPLE, "--rows=1000000", "term Name max=77"), 0,
               "*     77\n", "");
    dvt_expect(DVT_RUN("pipe", "fit", PEOPLE, "--rows=5", "term Name"), 2, "",
               "*--rows is for pipe check, not for pipe fit\n");
    dvt_expect(DVT_RUN("pipe", "check", PEOPLE, "--rows=1:2", "term Name"), 2, "",
               "*--rows expects a number of at least 0, not '1:2'\n");
}

/* Six slots or more have a histogram, and terms have none. */
Test(cmd_pipe, shows_how_numbers_are_spread)
{
    dvt_expect(DVT_RUN("pipe", "fit", "--quiet", PEOPLE,
                       "onehot B:Tags kind=bag; selectcount B count=2; normalize Age mode=bin "
                       "bins=5"),
               0,
               "#  step                           learned\n"
               "1  onehot B:Tags kind=bag         12 terms: tag1 tag2 tag3 tag4 tag5 \u2026\n"
               "2  selectcount B count=2          12 counts: 100 50 100 50 100 \u2026 "
               "\u2588        \u2588\n"
               "3  normalize Age mode=bin bins=5  5 bounds: 16.5 33.5 50.5 69.5 Infinity\n",
               "");
}

Test(cmd_pipe, reads_a_file)
{
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "prep.pipe");
    char at[sizeof path.text + 1];
    dvt_path terms = dvt_path_in(&folder, "terms.txt");
    char steps[sizeof terms.text + 32];
    dvt_file_write(&path, "term Name # names\ndrop Age\n", 27);
    dvt_file_write(&terms, "user 838\r\nuser 0\r\n", 18);
    snprintf(steps, sizeof steps, "--pipe=term Name terms=@%s", terms.text);
    dvt_expect(DVT_RUN("cat", "--take=3", "-cName", steps, PEOPLE), 0, "Name\n1\n\n0\n", "");
    dvt_expect(DVT_RUN("cat", "--pipe=term Name terms=@/no.txt", PEOPLE), 3, "",
               "*step 1, term: option \"terms\": cannot be opened: No such file or directory\n");
    snprintf(at, sizeof at, "@%s", path.text);
    dvt_expect(DVT_RUN("pipe", "check", PEOPLE, path.text), 0, "2 steps, 4 columns\n", "");
    /* its scaling takes vectors of known size, which only rows give */
    dvt_expect(DVT_RUN("pipe", "check", PEOPLE, "text T:Name"), 0, "1 step, 6 columns\n", "");
    dvt_expect(DVT_RUN("pipe", "check", PEOPLE, at), 0, "2 steps, 4 columns\n", "");
    dvt_expect(DVT_RUN("cat", "--take=1", "-cName", "--pipe", at, PEOPLE), 0, "Name\n0\n", "");
    dvt_folder_remove(&folder);
}

/* The caller did not type the steps of a file: they open nothing unless --allow-folder lets them.
 */
Test(cmd_pipe, a_loaded_pipeline_opens_what_is_allowed)
{
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "prep.pipe");
    dvt_path terms = dvt_path_in(&folder, "terms.txt");
    char ends[sizeof terms.text + 64];
    const char *const refused = "*: an untrusted pipeline opens only files below a folder that you "
                                "allow: --allow-folder DIR, allow_folder=DIR\n";
    char steps[sizeof terms.text + 32], at[sizeof path.text + 1];
    snprintf(at, sizeof at, "@%s", path.text);
    snprintf(steps, sizeof steps, "term Name terms=@%s", terms.text);
    snprintf(ends, sizeof ends, "*not below the folder that is allowed: %s\n", terms.text);
    dvt_file_write(&terms, "user 838\nuser 0\n", 16);
    dvt_file_write(&path, steps, strlen(steps));
    dvt_expect(DVT_RUN("cat", "--take=1", "-cName", "--pipe", at, PEOPLE), 2, "", refused);
    dvt_expect(
        DVT_RUN("cat", "--take=1", "-cName", "--pipe", at, "--allow-folder", folder.text, PEOPLE),
        0, "Name\n1\n", "");
    dvt_expect(DVT_RUN("cat", "--pipe", at, "--allow-folder=/proc", PEOPLE), 3, "", ends);
    dvt_expect(DVT_RUN("cat", "--pipe", at, "--allow-folder=/no/such", PEOPLE), 3, "",
               "*--allow-folder: the folder cannot be opened: No such file or directory: "
               "/no/such\n");
    dvt_expect(DVT_RUN("pipe", "check", "--allow-folder", folder.text, PEOPLE, path.text), 0,
               "1 step, 5 columns\n", "");
    dvt_expect(DVT_RUN("pipe", "diff", "--allow-folder", folder.text, path.text,
                       "term Name terms=[\"user 838\" \"user 0\"]"),
               0, "same: 1 step\n", "");
    dvt_expect(DVT_RUN("pipe", "diff", path.text, path.text), 2, "", refused);
    dvt_expect(
        DVT_RUN("cat", "--pipe", steps, "--allow-folder", folder.text, PEOPLE), 2, "",
        "dataview: --allow-folder is for steps that a file has, not for those that you type: give "
        "--pipe @FILE too\n");
    dvt_folder_remove(&folder);
}

Test(cmd_pipe, saves_and_shows)
{
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "people.dvp");
    char at[sizeof path.text + 1];
    snprintf(at, sizeof at, "@%s", path.text);
    dvt_expect(DVT_RUN("pipe", "fit", "--quiet", PEOPLE, "onehot Tags max=2", "-o", path.text), 0,
               "#  step               learned\n1  onehot Tags max=2  2 terms: tag1 tag2\n", "");
    dvt_expect(DVT_RUN("pipe", "show", "--quiet", path.text), 0,
               "#  step               learned\n1  onehot Tags max=2  2 terms: tag1 tag2\n", "");
    dvt_expect(DVT_RUN("pipe", "check", PEOPLE, path.text), 0, "1 step, 5 columns\n", "");
    dvt_expect(DVT_RUN("cat", "--rows=1:2", "-cTags", "--pipe", at, PEOPLE), 0, "Tags\n{2: 0:1}\n",
               "");
    dvt_expect(DVT_RUN("cat", "--pipe", at, "--fit-on", PEOPLE, PEOPLE), 2, "",
               "*is fitted already\n");
    dvt_expect(DVT_RUN("pipe", "fit", PEOPLE, path.text), 2, "",
               "*is fitted already; pipe show shows it\n");
    dvt_expect(DVT_RUN("pipe", "show", PEOPLE), 1, "",
               "*expected a saved pipeline, found something else (dvp:PH1)\n");
    dvt_folder_remove(&folder);
}

/* `pipe fit t.csv STEPS -o t.csv` replaced the table by the fitted pipeline. */
Test(cmd_pipe, does_not_replace_what_it_reads)
{
    dvt_path folder = dvt_folder_create(), table = dvt_path_in(&folder, "t.idv");
    const dvt_path dotted = dvt_path_in(&folder, "./t.idv"), link = dvt_path_in(&folder, "l.idv");
    const dvt_path steps = dvt_path_in(&folder, "steps.txt");
    dvt_expect(DVT_RUN("convert", "--quiet", PEOPLE, table.text), 0, "", "");
    cr_assert_eq(symlink("t.idv", link.text), 0);
    dvt_file_write(&steps, "onehot Tags", 11);
    const dvt_path *const names[] = {&table, &dotted, &link, &steps};
    for (size_t i = 0; i < 4; i++)
        dvt_expect(DVT_RUN("pipe", "fit", table.text, steps.text, "-o", names[i]->text), 2, "",
                   "*would replace it: write to another file\n");
    dvt_expect(DVT_RUN("diff", PEOPLE, table.text), 0, "same: 600 rows, 5 columns\n", "");
    dvt_folder_remove(&folder);
}

Test(cmd_pipe, compares)
{
    dvt_path folder = dvt_folder_create(), some = dvt_path_in(&folder, "some.idv");
    dvt_path a = dvt_path_in(&folder, "a.dvp"), b = dvt_path_in(&folder, "b.dvp");
    dvt_expect(DVT_RUN("convert", "--quiet", "--rows=1:600", PEOPLE, some.text), 0, "", "");
    dvt_expect(DVT_RUN("pipe", "fit", PEOPLE, "term Name max=4; drop Age; onehot Tags max=3", "-o",
                       a.text),
               0, "*", "");
    dvt_expect(DVT_RUN("pipe", "fit", some.text, "copy Old:Name; term Name max=4; onehot Tags",
                       "-o", b.text),
               0, "*", "");
    dvt_expect(
        DVT_RUN("pipe", "diff", a.text, b.text), 1,
        "A  B  what differs\n"
        "   1  added: copy Old:Name\n"
        "1  2  Name: 1 term only in A: \"user 0\"\n"
        "1  2  Name: 1 term only in B: \"user 1676\"\n"
        "1  2  Name: 3 terms with another number (of A, of B): \"user 1919\" (1, 0) \"user 2757\" "
        "(3, 2) \"user 838\" (2, 1)\n"
        "2     removed: drop Age\n"
        "3  3  onehot Tags max=3 \u2192 onehot Tags\n"
        "3  3  Tags: 9 terms only in B: \"tag0\" \"tag10\" \"tag11\" \"tag4\" \"tag5\" \u2026\n",
        "");
    dvt_expect(DVT_RUN("pipe", "diff", a.text, a.text), 0, "same: 3 steps\n", "");
    dvt_expect(DVT_RUN("pipe", "diff", "--quiet", a.text, a.text), 0, "", "");
    dvt_expect(DVT_RUN("pipe", "diff", a.text, "term Name max=4; drop Age; onehot Tags max=3"), 0,
               "same: 3 steps; only one of them is fitted\n", "");
    dvt_expect(DVT_RUN("pipe", "diff", "term A; drop B", "drop B "), 1,
               "A  B  what differs\n1     removed: term A\n", "");
    dvt_expect(DVT_RUN("pipe", "diff", a.text), 2, "",
               "*pipe diff takes two pipelines: dataview pipe diff a.dvp b.dvp\n");
    dvt_expect(DVT_RUN("pipe", "diff", a.text, "trem A;"), 2, "", "*did you mean term?\n");
    dvt_expect(DVT_RUN("pipe", "diff", "no.dvp", a.text), 3, "",
               "*no.dvp: cannot be read: No such file or directory\n");
    dvt_folder_remove(&folder);
}

#define MODEL(name) "golden/model-zip/" name "/model.zip"

/* Two halves of the rows, and then all of them. */
Test(cmd_pipe, fits_in_parts)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path rows = dvt_path_in(&folder, "rows.idv"), a = dvt_path_in(&folder, "a.idv"),
                   b = dvt_path_in(&folder, "b.idv"), merged = dvt_path_in(&folder, "merged.dvp"),
                   whole = dvt_path_in(&folder, "whole.dvp");
    const char *steps = "term Name; normalize Age; onehot Tags max=3";
    dvt_expect(DVT_RUN("convert", "--quiet", "--rows=0:300", PEOPLE, rows.text), 0, "", "");
    dvt_expect(DVT_RUN("pipe", "part", rows.text, steps, "-o", a.text), 0, "300 rows seen\n", "");
    dvt_expect(DVT_RUN("convert", "--quiet", "--rows=300:600", PEOPLE, rows.text), 0, "", "");
    dvt_expect(DVT_RUN("pipe", "part", "--quiet", rows.text, steps, "-o", b.text), 0, "", "");
    dvt_expect(DVT_RUN("pipe", "merge", a.text, b.text, "-o", merged.text), 0,
               "*3  onehot Tags max=3  3 terms: tag1 tag2 tag3\n600 rows read\n", "");
    dvt_expect(DVT_RUN("pipe", "fit", "--quiet", PEOPLE, steps, "-o", whole.text), 0, "*", "");
    dvt_expect(DVT_RUN("pipe", "diff", merged.text, whole.text), 0, "same: 3 steps\n", "");
    dvt_expect(DVT_RUN("pipe", "merge", b.text, a.text, "-o", merged.text), 0, "*", "");
    dvt_expect(DVT_RUN("pipe", "diff", "--quiet", merged.text, whole.text), 1, "*", "");
    dvt_expect(DVT_RUN("pipe", "part", PEOPLE, "normalize Age mode=meanvar", "-o", a.text), 2, "",
               "*step 1, normalize: a part of the rows is not enough: means and variances depend "
               "on the order of sums; fit the pipeline on all rows\n");
    dvt_expect(DVT_RUN("pipe", "part", PEOPLE, "term Name"), 2, "",
               "*pipe part makes a file: dataview pipe part FILE 'term A' -o part.idv\n");
    dvt_expect(DVT_RUN("pipe", "merge"), 2, "", "*dataview pipe merge a.idv b.idv -o all.dvp\n");
    dvt_expect(DVT_RUN("pipe", "merge", PEOPLE), 1, "", "*found others (parts:P1)\n");
    dvt_expect(DVT_RUN("pipe", "merge", a.text, "-o", a.text), 2, "", "*write to another file\n");
    dvt_folder_remove(&folder);
}

/* A model whose predictor is not known. */
static dvt_path write_unknown(const dvt_path *folder)
{
    size_t n;
    dvt_zip_parts parts;
    dvt_path path = dvt_path_in(folder, "model.zip");
    uint8_t *bytes = dvt_file_read(dvt_file(MODEL("trainer-sentiment")), &n);
    cr_assert(dvt_zip_take(&parts, bytes, n));
    free(bytes);
    for (size_t i = 0; i < parts.count; i++)
        if (strcmp(parts.part[i].name, "TransformerChain/Transform_001/Model/Predictor/"
                                       "Model.key") == 0)
            memcpy(parts.part[i].data + 0x40, "FAFMPRED", 8);
    bytes = dvt_zip_make(&parts, &n);
    dvt_file_write(&path, bytes, n);
    free(bytes);
    dvt_zip_free(&parts);
    return path;
}

Test(cmd_pipe, reads_models)
{
    char at[600];
    dvt_path folder = dvt_folder_create();
    const dvt_path unknown = write_unknown(&folder);
    snprintf(at, sizeof at, "@%s", dvt_file(MODEL("hash")));
    dvt_expect(DVT_RUN("pipe", "show", dvt_file(MODEL("hash"))), 0,
               "*\n1  hash B:A bits=10 seed=314489979 ordered- combine- hashversion=1\n"
               "takes A:TX\n",
               "");
    dvt_expect(
        DVT_RUN("head", "--pipe", at, PEOPLE), 2, "",
        "*there is no column \"A\"; the columns are Name, Age, Active, Seen, Tags; if tables "
        "may lack it, put \"optional A\" first\n");
    dvt_expect(DVT_RUN("pipe", "show", dvt_file(MODEL("trainer-sentiment"))), 0, "*", "");
    dvt_expect(DVT_RUN("pipe", "show", unknown.text), 1, "",
               "*found FAFMPRED (Linear2CExec) (modelzip:S2); --until-unknown leaves it out, and "
               "all steps "
               "after it\n");
    dvt_expect(DVT_RUN("pipe", "show", "--until-unknown", unknown.text), 0, "*",
               "*left out: FAFMPRED (Linear2CExec), and all steps after it\n");
    dvt_folder_remove(&folder);
}

Test(cmd_pipe, refusals)
{
    /* the table comes first, and the message says the command that was meant */
    char meant[1200];
    snprintf(meant, sizeof meant,
             "dataview: pipe check takes the table first: dataview pipe check '%s' 'term Name'\n",
             PEOPLE);
    dvt_expect(DVT_RUN("pipe", "check", "term Name", PEOPLE), 2, "", meant);
    dvt_expect(DVT_RUN("pipe", "fit", "none there.csv", "term Name"), 3, "",
               "dataview: none there.csv: cannot be opened: No such file or directory\n");
    const struct {
        const char *words[4], *sentence;
    } cases[] = {
        {{"pipe", "ft"}, "pipe ft: did you mean pipe fit?"},
        {{"pipe", "list", "trem"}, "there is no step trem; did you mean term?"},
        {{"pipe", "list", "onehotencoding"},
         "there is no step onehotencoding; ML.NET's OneHotEncoding is onehot here"},
        {{"pipe", "apply"},
         "pipe lists, checks, fits, shows, compares or merges: dataview pipe list, not 'apply'; "
         "--pipe "
         "@MODEL of other verbs applies: dataview convert FILE OUT --pipe @MODEL"},
        {{"cat", "--pipe=concatenate F:Age", PEOPLE},
         "--pipe: offset 0: step 1: text of the pipeline: expected one of convert, combine, copy, "
         "select, "
         "drop, range, dropna, ..., found concatenate F:Age; ML.NET's Concatenate is combine here"},
        {{"cat", "--pipe=model.zip", PEOPLE},
         "--pipe: offset 0: step 1: text of the pipeline: expected one of convert, combine, copy, "
         "select, "
         "drop, range, dropna, ..., found model.zip; a file is given as @model.zip"},
        {{"pipe", "show", PEOPLE, PEOPLE},
         "pipe show takes one saved pipeline: dataview pipe show model.dvp"},
        {{"pipe", "show", "-ox", PEOPLE},
         "-o saves what pipe fit has fitted; pipe show fits nothing"},
        {{"pipe", "fit"}, "pipe fit needs a table and steps: dataview pipe fit FILE 'term A'"},
        {{"cat", "--pipe=isna Seen", PEOPLE},
         "--pipe: step 1, isna: column \"Seen\": values of which some may be missing: expected R4, "
         "R8 or keys, found DT (semantics:7.13)"},
        {{"cat", "--pipe=normalize Active", PEOPLE},
         "--pipe: step 1, normalize: column \"Active\": values to learn from: expected R4 or R8, "
         "or vectors of known size, found BL (semantics:7.12); convert it first: convert ... "
         "type=R4"},
        {{"cat", "--pipe=combine F:Age,Active", PEOPLE},
         "--pipe: step 1, combine: column \"Active\": items: expected R4, found BL "
         "(semantics:7.15); convert the columns to one type first"},
        {{"cat", "--fit-on=x", PEOPLE},
         "--fit-on says where the steps of --pipe learn: give --pipe too"},
        {{"cat", "--until-unknown", PEOPLE},
         "--until-unknown is for a model of ML.NET: give --pipe @model.zip too"},
        {{"cat", "--pipe=term", PEOPLE},
         "--pipe: offset 4: step 1, term: text of the pipeline: expected a column, found the "
         "end"},
        {{"cat", "--pipe=term Nam", PEOPLE},
         "--pipe: step 1, term: there is no column \"Nam\"; did you mean Name?"},
        {{"cat", "--pipe=drop Colour", PEOPLE},
         "--pipe: step 1, drop: there is no column \"Colour\"; the columns are Name, Age, "
         "Active, "
         "Seen, Tags"},
        {{"cat", "--pipe=@", PEOPLE},
         "--pipe @ must be followed by the name of a file with the steps"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sentence[256];
        snprintf(sentence, sizeof sentence, "dataview: %s\n", cases[i].sentence);
        dvt_expect(
            DVT_RUN(cases[i].words[0], cases[i].words[1], cases[i].words[2], cases[i].words[3]), 2,
            "", sentence);
    }
}

/* --- Other verbs
 * ------------------------------------------------------------------------------ */

Test(cmd_pipe, applies_after_conditions)
{
    dvt_expect(
        DVT_RUN("cat", "--pipe=term Name", "--where=Age<2", "--take=3", "-cName,Age", PEOPLE), 0,
        "Name\tAge\n0\t1\n1\t0\n2\t0\n", "");
    dvt_expect(DVT_RUN("schema", "--pipe=onehot T:Tags; select T", PEOPLE), 0,
               "*\n0  T       V<R4,*,12>  IsNormalized\n", "");
}

/* What is learned does not depend on the rows that are shown, or their order. */
Test(cmd_pipe, learns_from_all_rows)
{
    dvt_run all = DVT_RUN("cat", "--pipe=term K:Name", "--shuffle", "--where=Name = 'user 838'",
                          "-cK", PEOPLE);
    dvt_expect(all, 0, "K\n0\n", "");
    dvt_expect(DVT_RUN("cat", "--pipe=term K:Name", "--skip=2", "--take=1", "-cK", PEOPLE), 0,
               "K\n2\n", "");
}

Test(cmd_pipe, fits_on_another_file)
{
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "some.idv");
    dvt_expect(DVT_RUN("convert", "--quiet", "--rows=2:4", PEOPLE, path.text), 0, "", "");
    dvt_expect(
        DVT_RUN("cat", "--pipe=term K:Name", "--fit-on", path.text, "--take=4", "-cK", PEOPLE), 0,
        "K\n\n\n0\n1\n", "");
    dvt_expect(DVT_RUN("diff", "--quiet", "--pipe=term Name", PEOPLE, PEOPLE), 0, "", "");
    dvt_folder_remove(&folder);
}
